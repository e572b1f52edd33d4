"""Substitutes, who take over a replaced player's seat, by invitation or from the open list."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select

from service.common.messages import sentence
from service.errors import NotAllowed, Taken
from service.people import registration
from service.people.accounts import by_invitation, reachable
from service.post import letters, links
from service.store import limits, optouts
from service.store.models import Account, Command, CommandStatus, LeftSeat, Link, Match, MatchStatus, SeatRow, now
from service.store.seats import by_match_id, seats_of
from service.table import commands

REPLACE = "replace"
"""The command that seats a substitute."""
TAKEN = sentence("The seat has been taken by somebody else.")


def invite(session: Session, match: Match, seat: SeatRow, email: str) -> None:
    """Promise a seat to a substitute, and send the invitation. Raises Refused."""
    seat.invited_email = reachable(session, email)
    session.flush()
    letters.substitute(session, match, seat, links.invite_link(session, match, seat))


def invitable(session: Session, text: str) -> str:
    """Normalise an address that may be invited (allowed domains). Raises Refused."""
    email = reachable(session, text)
    registration.check_domain(session, email)
    return email


def open_seats(session: Session) -> list[tuple[Match, SeatRow]]:
    found = (
        select(Match, SeatRow)
        .join(SeatRow, col(SeatRow.match_id) == Match.id)
        .where(Match.status == MatchStatus.RUNNING, SeatRow.wanted == "open")
        .order_by(col(Match.started_at).desc())
    )
    return [(match, seat) for match, seat in session.exec(found.limit(100))]


def take(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
    """Take a seat of the open list. Raises Taken."""
    limits.one_at_a_time(session, match)
    session.refresh(seat)
    if seat.wanted != "open":
        raise Taken(sentence("This seat is not looking for anybody; choose another game."))
    _sit(session, match, seat, account)


def accept(session: Session, link: Link, account: Account | None = None) -> tuple[Account, Match]:
    """Take an invited seat, by default for the invited address's account. Idempotent."""
    match = by_match_id(session, link.match_id or "")
    seat = session.get(SeatRow, (match.id, link.seat))
    if seat is None or match.status != MatchStatus.RUNNING:
        raise NotAllowed(sentence("The game is over; its seat can't be taken any more."))
    if seat.wanted != "invited":
        raise Taken(TAKEN)
    account = account or by_invitation(session, seat.invited_email)
    _sit(session, match, seat, account)
    return account, match


def decline(session: Session, match: Match, seat: str) -> None:
    """Move an invited substitute's seat to the open list, unless a worker has seated them. Idempotent."""
    row = session.get(SeatRow, (match.id, seat), populate_existing=True)
    if row is not None and match.status == MatchStatus.RUNNING and row.wanted == "invited":
        accepted = _replacing(session, match, row)
        if accepted is not None:
            accepted.status, accepted.done_at = CommandStatus.REFUSED, now()
            session.add(accepted)
        row.wanted, row.invited_email = "open", ""
        session.flush()
        links.renew_seat(session, row)


def check(session: Session, match: Match, seats: Iterable[SeatRow], wanted: SeatRow, account: Account) -> None:
    """Raise Taken, NotAllowed or Banned for players, banned accounts, the host, who had power over the seat, and players who
    gave up another seat and know its secrets; with any account of their mailbox.
    """
    registration.check_ban(account)
    ids = session.exec(select(Account.id).where(optouts.of_mailbox(account.email))).all()
    if any(seat.account_id in ids for seat in seats):
        raise Taken(sentence("You have a seat in this game already."))
    if match.host_id in ids:
        raise NotAllowed(sentence("You are the host of this game; a seat in it that is looked for goes to somebody else."))
    theirs = col(LeftSeat.account_id).in_(ids) | col(LeftSeat.mark).in_(left_marks(session, match.id, account))
    if session.exec(select(LeftSeat.id).where(LeftSeat.match_id == match.id, LeftSeat.seat != wanted.seat, theirs)).first():
        raise NotAllowed(sentence("You have played another seat of this game and know its secrets; choose another game."))


def forget(session: Session, account: Account) -> None:
    """Before an account is erased, keep only hashes of its address with the seats that it left."""
    for left in session.exec(select(LeftSeat).where(LeftSeat.account_id == account.id)):
        left.account_id, left.mark = None, left_marks(session, left.match_id, account)[0]


def left_marks(session: Session, match_id: str, account: Account) -> list[str]:
    """Keyed hashes of an account's address and a match, the newest first."""
    return optouts.marks(session, account.email, f"left seat of {match_id}")


def _sit(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
    """Queue the command under the match's lock, unless one for this seat is queued. Raises Taken if that is another's."""
    check(session, match, seats_of(session, match), seat, account)
    first = _replacing(session, match, seat)
    if first is None:
        commands.command(session, match, commands.HOST, f"{REPLACE} seat={seat.seat}", account=account.id)
    elif first.facts.get("account") != account.id:
        raise Taken(TAKEN)


def _replacing(session: Session, match: Match, seat: SeatRow) -> Command | None:
    words = f"{REPLACE} seat={seat.seat}"
    queued = select(Command).where(Command.match_id == match.id, Command.status == CommandStatus.QUEUED, Command.words == words)
    return session.exec(queued).first()
