"""Pacing: how many letters go to a provider in a while, and the pause after its 421. Both by the recipient's domain.

Letters that open a door (`letters.AT_THE_DOOR`) are neither paced nor paused: their reader waits for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, select

from service.post import letters
from service.store import limits
from service.store.database import settings_of
from service.store.models import Letter, MailHold, now

HOLDS = (60, 300, 900, 3600)
"""Seconds of the pause, the longer the more often a domain has said 421 in a row."""
SHORTEST = timedelta(seconds=10)
"""A letter for which the pace has no room is looked at again after so long at the least."""
FORGOTTEN = timedelta(days=1)


def domain_of(address: str) -> str:
    """The domain of an address, in small letters."""
    return address.rpartition("@")[2].lower()


def holds(session: Session) -> dict[str, datetime]:
    """By domain: until when letters to it wait, or waited before the last failure."""
    return {row.domain: row.until for row in session.exec(select(MailHold))}


def waits(session: Session, due: Iterable[Letter], held: dict[str, datetime]) -> dict[str, datetime]:
    """Until when letters that are due have to wait, by their ids; what may go is counted as gone."""
    found: dict[str, datetime] = {}
    paces = {domain: (most, timedelta(seconds=seconds)) for domain, most, seconds in settings_of(session).mail_pace}
    for letter in sorted(due, key=lambda letter: domain_of(letter.to_address)):  # counters are locked in the same order always
        domain = domain_of(letter.to_address)
        if letter.kind in letters.AT_THE_DOOR:
            continue
        if domain in held and held[domain] > now():
            found[letter.id] = held[domain]
        elif domain in paces:
            most, within = paces[domain]
            if not limits.take(session, {f"mail to {domain}": ((most, within),)}):
                found[letter.id] = now() + max(within / most, SHORTEST)
    return found


def hold(session: Session, domain: str) -> None:
    """Pause letters to a domain that said 421."""
    session.exec(delete(MailHold).where(col(MailHold.until) < now() - FORGOTTEN))
    row = session.exec(select(MailHold).where(MailHold.domain == domain).with_for_update()).first()
    times = 1 if row is None else row.times + (row.until <= now())  # several letters may hear the same 421
    until = now() + timedelta(seconds=HOLDS[min(times, len(HOLDS)) - 1])
    session.merge(MailHold(domain=domain, until=until, times=times))


def release(session: Session, domain: str) -> None:
    """The domain takes letters again."""
    session.exec(delete(MailHold).where(col(MailHold.domain) == domain))
