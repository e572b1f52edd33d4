"""How often: what is counted before something is added, exactly, on both databases and in all processes.

Two tools. `one_at_a_time` makes those who count for the same game or person wait for each other, for what lies in rows of its
own. `take` counts what leaves no such rows: letters that somebody asked for. SQLite has one writer anyway; on PostgreSQL the
row that is counted for is locked first. Locks are taken in the same order everywhere: the match, its seats, the account, then
these counters. A counter is a row of moments, so its window moves, and its row is forgotten when nothing in it counts.

What strangers ask for a person is counted under a name of its own: it never uses up what the person may ask for.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, select

from engine.asks import NotLegal
from service.common.messages import sentence
from service.store import optouts
from service.store.database import settings_of
from service.store.models import Account, Match, Quota, now

Limit = tuple[int, timedelta]
"""How many within how long."""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

SIGN_INS_TO: tuple[Limit, ...] = ((5, HOUR), (10, DAY))
"""Sign-in letters to one address: those that its own browsers ask for, those that its seats' links ask for, and those that
anybody else asks for."""
SIGN_INS_FROM: tuple[Limit, ...] = ((30, HOUR),)
"""Sign-in letters that one network asks for."""
COPIES_TO: tuple[Limit, ...] = ((6, HOUR), (20, DAY))
"""Fresh links and test letters to one person: those that they ask for, those of links that have run out, those that a host or
an operator sends."""
INVITATIONS_TO: tuple[Limit, ...] = ((4, HOUR), (8, DAY))
"""Invitations to one address that accepts none of them, whoever sends them: it may be a stranger's."""
INVITATIONS_BY: tuple[Limit, ...] = ((40, HOUR), (120, DAY))
"""Invitations by one person that nobody has accepted."""
CHANGES_BY: tuple[Limit, ...] = ((3, HOUR), (6, DAY))
"""Changes of address that one account asks for."""
CHANGES_TO: tuple[Limit, ...] = ((2, HOUR), (4, DAY))
"""Letters to one address that asks whether it is somebody's new one; it may be a stranger's."""
REMATCHES_TO: tuple[Limit, ...] = ((4, HOUR), (8, DAY))
"""Invitations to a rematch that one person sends to one other: they have sat at one table."""
PROPOSALS: tuple[Limit, ...] = ((6, DAY),)
"""Votes that one person proposes at one table: each is a letter to everybody there."""
WITHDRAWALS: tuple[Limit, ...] = ((6, DAY),)
"""Proposals that one person takes back at one table."""
CHANGES: tuple[Limit, ...] = ((8, DAY),)
"""Changes of the options by which one host writes to those who sit at one table."""
BALLOTS: tuple[Limit, ...] = ((60, DAY),)
"""Votes that one person gives at one table: as many as all others there may propose, and more."""
OWN, BY_LINK, BY_OTHERS = "its owner", "a link", "others"
"""Who asks for a letter to a person: a browser that is signed in, or was; whoever has a link; a host, an operator."""
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


def sign_in(session: Session, email: str, network: str, by: str = BY_OTHERS) -> bool:
    """Whether one more sign-in letter may go to the address, asked for from that network.

    A browser that was signed in as its owner has a budget of its own, whatever strangers have asked for, and whoever shares its
    network.
    """
    wanted = {_sign_ins(email, by): SIGN_INS_TO}
    if network and by != OWN:
        wanted[f"sign-in from {network}"] = SIGN_INS_FROM
    return take(session, wanted)


def _sign_ins(email: str, by: str) -> str:
    return f"sign-in to {email}" if by == BY_OTHERS else f"sign-in to {email} for {by}"


def sign_in_anew(session: Session, email: str) -> None:
    """Let letters to the address be counted anew: its owner has made void all that it got."""
    for by in (OWN, BY_LINK, BY_OTHERS):
        clear(session, _sign_ins(email, by))


def copy(session: Session, account: Account, by: str = OWN) -> None:
    """Count a letter that somebody asked for to an account's own address. Raises NotLegal when there were enough."""
    if not take(session, {f"copy to {account.id} for {by}": COPIES_TO}):
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


def rematch(session: Session, by: str, email: str) -> None:
    """Count an invitation to a rematch by an account (its id). Raises NotLegal when there were enough.

    What strangers have sent to the address, and what its opener has sent to strangers, keeps nobody from a rematch.
    """
    if not take(session, {f"rematch to {email} by {by}": REMATCHES_TO}):
        raise NotLegal(sentence("You have opened enough games with these people for now; try again tomorrow."))


def proposal(session: Session, match: Match, by: str) -> None:
    """Count a vote that an account (its id) proposes at a table. Raises NotLegal when there were enough."""
    if not take(session, {f"proposal at {match.id} by {by}": PROPOSALS}):
        raise NotLegal(sentence("You have asked this table to vote often enough for a day; ask again tomorrow."))


def withdrawal(session: Session, match: Match, by: str) -> None:
    """Count a proposal that an account (its id) takes back. Raises NotLegal when there were enough."""
    if not take(session, {f"withdrawal at {match.id} by {by}": WITHDRAWALS}):
        raise NotLegal(sentence("You have taken back enough votes at this table for a day; this one runs to its end."))


def change(session: Session, match: Match, by: str) -> None:
    """Count a change of the options that a host (an account's id) makes while others sit there. Raises NotLegal."""
    if not take(session, {f"change at {match.id} by {by}": CHANGES}):
        raise NotLegal(
            sentence("You have changed the options often enough for a day while others sit here; wait until tomorrow.")
        )


def ballot(session: Session, match: Match, by: str) -> None:
    """Count a vote that an account (its id) gives. Raises NotLegal when there were enough."""
    if not take(session, {f"ballot at {match.id} by {by}": BALLOTS}):
        raise NotLegal(sentence("You have voted often enough at this table for a day; vote again tomorrow."))


def accepted(session: Session, by: str, email: str) -> None:
    """An invitation was welcome: those to its address are counted anew, and its sender has one more."""
    to, sender = f"invitation to {email}", f"invitation by {by}"
    rows = {name: _row(session, name) for name in sorted((to, sender))}
    rows[to].times = []
    rows[sender].times = rows[sender].times[1:]
    session.add_all(rows.values())
    session.flush()
