"""Rate limits by the recipient's domain, and the pause after a 421 reply. Awaited letters (`letters.AWAITED`) are
exempt.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, select

from service.post import letters
from service.store import bulk, limits
from service.store.database import settings_of
from service.store.models import Letter, MailHold, now

HOLDS = (60, 300, 900, 3600)
"""Seconds of pause, by the number of consecutive 421 replies."""
SHORTEST = timedelta(seconds=10)
"""Least delay over the limit."""
FORGOTTEN = timedelta(days=1)
HELD = select(MailHold.domain, MailHold.until)


def domain_of(address: str) -> str:
    return address.rpartition("@")[2].lower()


def holds(session: Session) -> dict[str, datetime]:
    """Pause ends by domain, past ones included."""
    return {domain: until for domain, until in session.execute(HELD)}


def waits(session: Session, due: Iterable[Letter], held: dict[str, datetime]) -> dict[str, datetime]:
    """Waits of due letters over a limit, by id; the others count as sent."""
    found: dict[str, datetime] = {}
    paces = {domain: (most, timedelta(seconds=seconds)) for domain, most, seconds in settings_of(session).mail_pace}
    for letter in sorted(due, key=lambda letter: domain_of(letter.to_address)):  # fixed lock order of counters
        domain = domain_of(letter.to_address)
        if letter.kind in letters.AWAITED:
            continue
        if domain in held and held[domain] > now():
            found[letter.id] = held[domain]
        elif domain in paces:
            most, within = paces[domain]
            if not limits.take(session, {f"mail to {domain}": ((most, within),)}):
                found[letter.id] = now() + max(within / most, SHORTEST)
    return found


def hold(session: Session, domain: str) -> None:
    """Pause a domain after a 421."""
    session.exec(delete(MailHold).where(col(MailHold.until) < now() - FORGOTTEN))
    bulk.add_unless_there(session, MailHold(domain=domain, until=now(), times=0))
    row = session.exec(select(MailHold).where(MailHold.domain == domain).with_for_update()).one()
    row.times += row.until <= now()  # several letters may get the same 421
    row.until = now() + timedelta(seconds=HOLDS[min(row.times, len(HOLDS)) - 1])


def release(session: Session, domain: str) -> None:
    session.exec(delete(MailHold).where(col(MailHold.domain) == domain))
