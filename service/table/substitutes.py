"""Substitutes: who takes the seat of a player whom the table has replaced, by invitation or from the open list."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select

from service.common.messages import sentence
from service.errors import NotAllowed, Taken
from service.games import lobby
from service.people import registration
from service.people.accounts import by_invitation, reachable
from service.post import letters, links
from service.store.models import Account, Link, Match, MatchStatus, SeatRow
from service.table import commands as table


def invite(session: Session, match: Match, seat: SeatRow, email: str) -> None:
    """Promise a seat that is looked for to an address, and write to it. Raises Refused for a bad address."""
    seat.invited_email = reachable(session, email)
    session.add(seat)
    session.flush()
    letters.substitute(session, match, seat, links.invite_link(session, match, seat))


def invitable(session: Session, text: str) -> str:
    """A clean address that may be invited as a substitute: of the domains of the house, if it has any. Raises Refused."""
    email = reachable(session, text)
    registration.check_domain(session, email)
    return email


def open_seats(session: Session) -> list[tuple[Match, SeatRow]]:
    """Seats of running games that anybody may take, the newest game first."""
    found = (
        select(Match, SeatRow)
        .join(SeatRow, col(SeatRow.match_id) == Match.id)
        .where(Match.status == MatchStatus.RUNNING, SeatRow.wanted == "open")
        .order_by(col(Match.started_at).desc())
    )
    return [(match, seat) for match, seat in session.exec(found.limit(100))]


def take(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
    """Take a seat from the open list. Raises Taken when somebody was faster or the person sits there already."""
    if seat.wanted != "open":
        raise Taken(sentence("This seat is not looking for anybody; choose another game."))
    _sit(session, match, seat, account)


def accept(session: Session, link: Link, account: Account | None = None) -> tuple[Account, Match]:
    """Take the seat that an invitation promises; the link proves the address. Accepting twice is once.

    `account`: who takes it, where the invitation reached another address of theirs; else the account of that address.
    """
    match, seat = _promised(session, link)
    account = account or by_invitation(session, seat.invited_email)
    _sit(session, match, seat, account)
    return account, match


def decline(session: Session, link: Link) -> None:
    """Let the promised seat go: it is looked for in the open list from then on. Declining twice is once."""
    match = lobby.by_match_id(session, link.match_id or "")
    seat = session.get(SeatRow, (match.id, link.seat))
    if seat is not None and match.status == MatchStatus.RUNNING and seat.wanted == "invited":
        seat.wanted, seat.invited_email = "open", ""
        session.add(seat)
        session.flush()
        links.renew_seat(session, seat)


def _promised(session: Session, link: Link) -> tuple[Match, SeatRow]:
    match = lobby.by_match_id(session, link.match_id or "")
    seat = session.get(SeatRow, (match.id, link.seat))
    if seat is None or match.status != MatchStatus.RUNNING:
        raise NotAllowed(sentence("The game is over; its seat can't be taken any more."))
    if seat.wanted != "invited":
        raise Taken(sentence("The seat has been taken by somebody else."))
    return match, seat


def check(match: Match, seats: Iterable[SeatRow], account: Account) -> None:
    """Raises Taken, NotAllowed or Banned for somebody who can't be a substitute there: who has a seat already, the host, who
    has had power over it, and a banned account."""
    registration.check_ban(account)
    if any(seat.account_id == account.id for seat in seats):
        raise Taken(sentence("You have a seat in this game already."))
    if match.host_id == account.id:
        raise NotAllowed(sentence("You are the host of this game; a seat in it that is looked for goes to somebody else."))


def _sit(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
    check(match, lobby.seats_of(session, match), account)
    table.command(session, match, "host", f"replace seat={seat.seat}", account=account.id)
