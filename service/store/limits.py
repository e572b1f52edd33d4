"""How often: what is counted before something is added, exactly, on both databases and in all processes.

Two tools. `one_at_a_time` makes those who count for the same game or person wait for each other, for what lies in rows of its
own. `take` counts what leaves no such rows: letters that somebody asked for. SQLite has one writer anyway; on PostgreSQL the
row that is counted for is locked first. Locks are taken in the same order everywhere: the match, its seats, the account, then
these counters. A counter is a row of moments, so its window moves, and its row is forgotten when nothing in it counts.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, select

from engine.asks import NotLegal
from service.ground.phrases import sentence
from service.store import optouts
from service.store.database import settings_of
from service.store.models import Account, Match, Quota, now

Limit = tuple[int, timedelta]
"""How many within how long."""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

SIGN_INS_TO: tuple[Limit, ...] = ((5, HOUR), (10, DAY))
"""Sign-in letters to one address."""
SIGN_INS_FROM: tuple[Limit, ...] = ((30, HOUR),)
"""Sign-in letters that one network asks for."""
COPIES_TO: tuple[Limit, ...] = ((6, HOUR), (20, DAY))
"""Fresh links and test letters to one person."""
INVITATIONS_TO: tuple[Limit, ...] = ((4, HOUR), (8, DAY))
"""Invitations to one address that accepts none of them, whoever sends them: it may be a stranger's."""
INVITATIONS_BY: tuple[Limit, ...] = ((40, HOUR), (120, DAY))
"""Invitations by one person that nobody has accepted."""
CHANGES_BY: tuple[Limit, ...] = ((3, HOUR), (6, DAY))
"""Changes of address that one account asks for."""
CHANGES_TO: tuple[Limit, ...] = ((2, HOUR), (4, DAY))
"""Letters to one address that asks whether it is somebody's new one; it may be a stranger's."""
FORGOTTEN_AT_ONCE = 20


def one_at_a_time(session: Session, row: Match | Account) -> None:
    """Hold the row until the transaction ends: whoever else counts for it waits, and then counts what is added here, too."""
    kind = type(row)
    # Without the key: letters and messages that refer to the row are written meanwhile.
    session.exec(select(kind.id).where(col(kind.id) == row.id).with_for_update(key_share=True)).first()


def take(session: Session, wanted: Mapping[str, tuple[Limit, ...]]) -> bool:
    """Count one more for each of the names, if all of them have room; whether they had. All or nothing is counted."""
    rows = {name: _row(session, name) for name in sorted(wanted)}
    moment = now()
    for name, limits in wanted.items():
        for most, within in limits:
            if sum(at > (moment - within).timestamp() for at in rows[name].times) >= most:
                return False
    for name, limits in wanted.items():
        longest = max(within for _, within in limits)
        row = rows[name]
        row.times = [*(at for at in row.times if at > (moment - longest).timestamp()), moment.timestamp()]
        row.until = moment + longest
        session.add(row)
    session.flush()
    _forget(session, moment)
    return True


def clear(session: Session, name: str) -> None:
    """Forget all that was counted under a name."""
    row = _row(session, name)
    row.times = []
    session.add(row)
    session.flush()


def _row(session: Session, name: str) -> Quota:
    """The counter of that name, locked, made on first use."""
    what = f"writ quota {name}".encode(errors="surrogatepass")
    key = hmac.digest(settings_of(session).keys[0].encode(), what, "sha256").hex()
    locked = select(Quota).where(Quota.key == key).with_for_update().execution_options(populate_existing=True)
    found = session.exec(locked).first()
    if found is None:
        try:
            with session.begin_nested():
                session.add(Quota(key=key, until=now()))
        except IntegrityError:
            pass  # somebody else has made it at the same moment
        found = session.exec(locked).one()
    return found


def _forget(session: Session, moment: datetime) -> None:
    old = select(Quota.key).where(col(Quota.until) < moment - HOUR).limit(FORGOTTEN_AT_ONCE)
    session.exec(delete(Quota).where(col(Quota.key).in_(old.with_for_update(skip_locked=True))))


# --- letters that people ask for --------------------------------------------------------------------------------------


def network_of(address: str | None) -> str:
    """The network of a visitor: 256 addresses of IPv4, 64 bits of IPv6; the text itself where it is no address."""
    try:
        found = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return address or ""
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found
    return str(ipaddress.ip_network((found, 24 if found.version == 4 else 64), strict=False))


def sign_in(session: Session, email: str, network: str) -> bool:
    """Whether one more sign-in letter may go to the address, asked for from that network."""
    wanted = {f"sign-in to {email}": SIGN_INS_TO}
    if network:
        wanted[f"sign-in from {network}"] = SIGN_INS_FROM
    return take(session, wanted)


def sign_in_anew(session: Session, email: str) -> None:
    """Let letters to the address be counted anew: its owner has made void all that it got."""
    clear(session, f"sign-in to {email}")


def copy(session: Session, account: Account) -> None:
    """Count a letter that somebody asked for to an account's own address. Raises NotLegal when there were enough."""
    if not take(session, {f"copy to {account.id}": COPIES_TO}):
        raise NotLegal(sentence("Enough such letters went to this address lately; look among unwanted mail, or try later."))


def address_change(session: Session, account_id: str, email: str) -> None:
    """Count a change of address. Raises NotLegal when there were enough."""
    if not take(session, {f"address change by {account_id}": CHANGES_BY, f"address change to {email}": CHANGES_TO}):
        raise NotLegal(sentence("Enough changes of address were asked for lately; try again tomorrow."))


def invitation(session: Session, by: str, email: str) -> None:
    """Count an invitation to an address by an account (its id). Raises NotLegal when there were enough, or the address wants
    none."""
    optouts.check(session, email)
    if not take(session, {f"invitation to {email}": INVITATIONS_TO, f"invitation by {by}": INVITATIONS_BY}):
        raise NotLegal(sentence("Enough invitations went out to that address, or from you, for now; try again tomorrow."))


def accepted(session: Session, by: str, email: str) -> None:
    """An invitation was welcome: those to its address are counted anew, and its sender has one more."""
    to, sender = f"invitation to {email}", f"invitation by {by}"
    rows = {name: _row(session, name) for name in sorted((to, sender))}
    rows[to].times = []
    rows[sender].times = rows[sender].times[1:]
    session.add_all(rows.values())
    session.flush()
