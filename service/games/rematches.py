"""Rematches of a finished game, with the same players."""

from __future__ import annotations

import re
import secrets

from sqlmodel import Session, col, select

from engine.core.asks import SEATS, NotLegal
from service.clock import pace
from service.common.messages import sentence
from service.errors import NotAllowed, Taken
from service.games import carried, inviting, lobby, terms
from service.people.accounts import shown_name
from service.seat import handover
from service.store import limits, rulings
from service.store.models import Account, Match, MatchStatus, SeatRow, SeatStatus
from service.store.seats import seat_of, seats_of

NUMERALS = ("", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
NUMBERED = re.compile(r"(.*\S) ([IVX]+)")


def found(session: Session, match: Match, account: Account) -> Match | None:
    opened = select(Match).where(Match.rematch_of == match.id, Match.status != MatchStatus.CANCELLED)
    for one in session.exec(opened.order_by(col(Match.created_at).desc())):
        if one.status == MatchStatus.LOBBY or seat_of(session, one, account) is not None:
            return one
    return None


def again(session: Session, match: Match, account: Account) -> Match:
    """Open a rematch, or take one's seat in it. Idempotent.

    Draws seats by lot; keeps colours, options, rulings and pace. The first to ask is host; the others are invited by name, so
    that addresses stay hidden. Raises NotAllowed for strangers, NotLegal before the end.
    """
    limits.one_at_a_time(session, match)
    own = seat_of(session, match, account)
    if own is None:
        raise NotAllowed(sentence("You had no seat in this game when it ended; a rematch is for those who had."))
    if match.status != MatchStatus.FINISHED:
        raise NotLegal(sentence("A rematch is opened when the game is over."))
    opened = found(session, match, account)
    if opened is None:
        return _open(session, match, account)
    if opened.status == MatchStatus.LOBBY and seat_of(session, opened, account) is None:
        _join(session, match, opened, account)
    return opened


def _open(session: Session, match: Match, account: Account) -> Match:
    before = seats_of(session, match)
    letters = list(SEATS[: match.seats])
    secrets.SystemRandom().shuffle(letters)
    places = dict(zip(letters, before, strict=True))
    opened = lobby.open_match(
        session,
        account,
        next_name(match.name),
        match.game,
        match.seats,
        options=carried.applied(session, match, match.options, {}),
        pace=pace.of(match.pace),
        ruled=rulings.unusual(match),
        seat=next(letter for letter, row in places.items() if row.account_id == account.id),
        take_back=match.take_back,
        quiet_bots=match.quiet_bots,
    )
    opened.rematch_of = match.id
    seats = {seat.seat: seat for seat in seats_of(session, opened)}
    for letter, row in places.items():
        seats[letter].colour = row.colour
    session.flush()
    for letter, row in sorted(places.items()):
        _place(session, seats[letter], row, account)
    for seat in seats.values():
        if seat.status == SeatStatus.INVITED:
            inviting.write(session, opened, seat, account)
    lobby.start_when_full(session, opened)
    return opened


def _place(session: Session, seat: SeatRow, before: SeatRow, host: Account) -> None:
    person = session.get(Account, before.account_id) if before.account_id else None
    if person is not None and person.id != host.id:
        inviting.promise(session, seat, host, person.email, shown_name(person, before.seat))
    elif person is None and before.bot:
        handover.clean(seat)
        seat.status, seat.bot, seat.name, seat.pronoun = SeatStatus.TAKEN, before.bot, before.name, before.pronoun
    session.flush()


def _join(session: Session, before: Match, match: Match, account: Account) -> None:
    seats = seats_of(session, match)
    mine = next((seat for seat in seats if seat.invited_email == account.email), None)
    mine = mine or next((seat for seat in seats if seat.status == SeatStatus.EMPTY), None)
    if mine is None:
        raise Taken(sentence("All seats of the rematch are taken or promised by now."))
    welcome = mine.status == SeatStatus.INVITED
    lobby.take(session, match, mine, account, agreed=terms.digest(before))
    if welcome:
        limits.accepted(session, match.host_id, account.email)


def next_name(name: str) -> str:
    """Append or increment a Roman numeral."""
    numbered = NUMBERED.fullmatch(name)
    stem, numeral = (numbered[1], numbered[2]) if numbered and numbered[2] in NUMERALS else (name, "II")
    if numbered and numbered[2] in NUMERALS:
        numeral = NUMERALS[min(NUMERALS.index(numbered[2]) + 1, len(NUMERALS) - 1)]
    return f"{stem[: lobby.LONGEST_NAME - len(numeral) - 1].rstrip()} {numeral}"
