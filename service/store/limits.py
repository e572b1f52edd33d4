"""Quotas of letters, votes and messages, exact on both databases and across processes.

`one_at_a_time` locks a match or account, to count its rows; `take` uses sliding-window counters. Lock order: match, account,
its seats, waiting letters, counters. Strangers' requests are counted separately from a person's own, addresses by mailbox,
without `+tag`.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from engine.core.asks import NotLegal
from service.common.addresses import mailbox
from service.common.messages import sentence
from service.store import bulk, counters, optouts
from service.store.database import settings_of
from service.store.models import Account, Match, Quota, now

Limit = tuple[int, timedelta]
"""Number, and time window."""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

SIGN_INS_TO: tuple[Limit, ...] = ((5, HOUR), (10, DAY))
"""To one address; one counter each for its own browsers, its seats' links, and all others."""
GUESTS_FROM: tuple[Limit, ...] = ((10, HOUR), (20, DAY))
"""Guest tables from one network."""
SIGN_INS_FROM: tuple[Limit, ...] = ((30, HOUR),)
"""From one network."""
COPIES_TO: tuple[Limit, ...] = ((6, HOUR), (20, DAY))
"""Fresh links and test letters to one person; one counter each for the owner, expired links, and host or operator."""
INVITATIONS_TO: tuple[Limit, ...] = ((4, HOUR), (8, DAY))
"""Unaccepted ones to one address, from anybody: it may be a stranger's."""
INVITATIONS_BY: tuple[Limit, ...] = ((40, HOUR), (120, DAY))
"""Unaccepted ones from one person."""
CHANGES_BY: tuple[Limit, ...] = ((3, HOUR), (6, DAY))
CHANGES_TO: tuple[Limit, ...] = ((2, HOUR), (4, DAY))
"""Confirmations to one new address; it may be a stranger's."""
REMATCHES_TO: tuple[Limit, ...] = ((4, HOUR), (8, DAY))
"""Between two people who have played together."""
PROPOSALS: tuple[Limit, ...] = ((6, DAY),)
"""By one person at one table; each is a letter to everybody."""
WITHDRAWALS: tuple[Limit, ...] = ((6, DAY),)
CHANGES: tuple[Limit, ...] = ((8, DAY),)
"""Of options, while others sit there; each is a letter."""
BALLOTS: tuple[Limit, ...] = ((60, DAY),)
"""By one person at one table: more than all others may propose."""
PROBLEMS: tuple[Limit, ...] = ((6, DAY),)
"""By one seat; each is a letter to host and operators."""
OWN, BY_LINK, BY_OTHERS = "its owner", "a link", "others"
"""Who requests a letter: a signed-in browser, a link's holder, or a host or operator."""


def one_at_a_time(session: Session, row: Match | Account) -> None:
    """Lock the row until the transaction ends, which serialises counting."""
    kind = type(row)
    # FOR NO KEY UPDATE: rows that reference it can still be inserted.
    session.exec(select(kind.id).where(col(kind.id) == row.id).with_for_update(key_share=True)).first()


def take(session: Session, wanted: Mapping[str, tuple[Limit, ...]]) -> bool:
    """Increment all the named counters, or none if one is full; whether they were."""
    rows = {name: _row(session, name) for name in sorted(wanted)}
    moment = now()
    for name, limits in wanted.items():
        for most, within in limits:
            if sum(_counts(at, moment, within) for at in rows[name].times) >= most:
                return False
    for name, limits in wanted.items():
        longest = max(within for _, within in limits)
        row = rows[name]
        row.times = [*(at for at in row.times if _counts(at, moment, longest)), moment.timestamp()]
        row.until = moment + longest
    session.flush()
    bulk.delete_some(session, Quota, col(Quota.until) < moment - HOUR)
    return True


def _counts(at: float, moment: datetime, within: timedelta) -> bool:
    """Whether a time is in the window; much later ones are of a clock that ran ahead."""
    return abs(moment.timestamp() - at) < within.total_seconds()


def _taken(session: Session, wanted: Mapping[str, tuple[Limit, ...]]) -> bool:
    found = take(session, wanted)
    if not found:
        counters.refused("quota")
    return found


def _row(session: Session, name: str) -> Quota:
    what = f"writ quota {name}".encode(errors="surrogatepass")
    key = hmac.digest(settings_of(session).keys[0].encode(), what, "sha256").hex()
    locked = select(Quota).where(Quota.key == key).with_for_update().execution_options(populate_existing=True)
    found = session.exec(locked).first()
    if found is None:
        bulk.add_unless_there(session, Quota(key=key, until=now()))
        found = session.exec(locked).one()
    return found


# --- letters that people ask for --------------------------------------------------------------------------------------


def network_of(address: str | None) -> str:
    """Visitor's network: /24 of IPv4, /64 of IPv6; other text unchanged."""
    try:
        found = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return address or ""
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found
    return str(ipaddress.ip_network((found, 24 if found.version == 4 else 64), strict=False))


def sign_in(session: Session, email: str, network: str, by: str = BY_OTHERS) -> bool:
    """Count a sign-in letter; False over the limit. Owners' browsers have their own counter and no network limit."""
    wanted = {_sign_ins(email, by): SIGN_INS_TO}
    if network and by != OWN:
        wanted[f"sign-in from {network}"] = SIGN_INS_FROM
    return _taken(session, wanted)


def guest(session: Session, network: str) -> None:
    """Count a guest's table. Raises NotLegal over the limit."""
    if not _taken(session, {f"guest from {network}": GUESTS_FROM}):
        raise NotLegal(sentence("Your network has opened too many tables for now; try again later, or sign in."))


def _sign_ins(email: str, by: str) -> str:
    to = f"sign-in to {mailbox(email)}"
    return to if by == BY_OTHERS else f"{to} for {by}"


def sign_in_anew(session: Session, email: str) -> None:
    """Reset the counters after all sign-in links were revoked."""
    for by in (OWN, BY_LINK, BY_OTHERS):
        _row(session, _sign_ins(email, by)).times = []
    session.flush()


def copy(session: Session, account: Account, by: str = OWN) -> None:
    """Count a copy. Raises NotLegal over the limit."""
    if not _taken(session, {f"copy to {account.id} for {by}": COPIES_TO}):
        raise NotLegal(sentence("We sent too many such letters to this address lately; look in the spam folder, or try later."))


def address_change(session: Session, account_id: str, email: str) -> None:
    """Count a change of address. Raises NotLegal over the limit."""
    if not _taken(session, {f"address change by {account_id}": CHANGES_BY, f"address change to {mailbox(email)}": CHANGES_TO}):
        raise NotLegal(sentence("You asked for too many changes of address lately; try again tomorrow."))


def invitation(session: Session, by: str, email: str) -> None:
    """Count an invitation. Raises NotLegal over the limit, or for an opted-out address."""
    optouts.check(session, email)
    if not _taken(session, {f"invitation to {mailbox(email)}": INVITATIONS_TO, f"invitation by {by}": INVITATIONS_BY}):
        raise NotLegal(sentence("Enough invitations went out to that address, or from you, for now; try again tomorrow."))


def rematch(session: Session, by: str, email: str) -> None:
    """`by`: an account id; counted apart from invitations. Raises NotLegal over the limit."""
    if not _taken(session, {f"rematch to {mailbox(email)} by {by}": REMATCHES_TO}):
        raise NotLegal(sentence("You have opened enough games with these people for now; try again tomorrow."))


def proposal(session: Session, match: Match, by: str) -> None:
    """`by`: an account id. Raises NotLegal over the limit."""
    if not _taken(session, {f"proposal at {match.id} by {by}": PROPOSALS}):
        raise NotLegal(sentence("You have asked this table to vote often enough for a day; ask again tomorrow."))


def withdrawal(session: Session, match: Match, by: str) -> None:
    """Count a change of options. `by`: an account id. Raises NotLegal over the limit."""
    if not _taken(session, {f"withdrawal at {match.id} by {by}": WITHDRAWALS}):
        raise NotLegal(sentence("You have taken back enough votes at this table for a day; this one runs to its end."))


def change(session: Session, match: Match, by: str) -> None:
    """`by`: an account id. Raises NotLegal over the limit."""
    if not _taken(session, {f"change at {match.id} by {by}": CHANGES}):
        raise NotLegal(
            sentence("You have changed the options often enough for a day while others sit here; wait until tomorrow.")
        )


def ballot(session: Session, match: Match, by: str) -> None:
    """`by`: an account id. Raises NotLegal over the limit."""
    if not _taken(session, {f"ballot at {match.id} by {by}": BALLOTS}):
        raise NotLegal(sentence("You have voted often enough at this table for a day; vote again tomorrow."))


def problem(session: Session, match: Match, seat: str) -> None:
    """Count a problem report. Raises NotLegal over the limit."""
    if not _taken(session, {f"problem at {match.id} by {seat}": PROBLEMS}):
        raise NotLegal(sentence("You have reported enough of this game for a day. Report more tomorrow."))


def accepted(session: Session, by: str, email: str) -> None:
    """Reset the address's invitation counter; its sender gets one back."""
    to, sender = f"invitation to {mailbox(email)}", f"invitation by {by}"
    rows = {name: _row(session, name) for name in sorted((to, sender))}
    rows[to].times = []
    rows[sender].times = rows[sender].times[1:]
    session.flush()
