"""Ready check (“muster”) of a full table: players confirm that they are present, or lose their seats at the deadline.

The match stays in the lobby until then, so a dropped player was never in the game. Only a POST confirms.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from service.clock import pace as paces
from service.clock.arithmetic import Rest, due
from service.clock.recipe import rhythm_of
from service.common.dates import Moment
from service.post import letters
from service.store.models import Account, Match, SeatRow, now

NEVER, STRANGERS, ALWAYS = "never", "strangers", "always"
"""When a host wants one; STRANGERS: only at a table that is open to all."""
WANTED = (STRANGERS, ALWAYS, NEVER)
LATELY = timedelta(minutes=10)
"""Players who sat down or agreed to the options within this time before a muster count as present."""
LONGEST = timedelta(days=3)
"""Most working time for an answer, at a slow pace."""
KIND = "muster"
"""Kind of the letter that asks."""


def _people(seats: Sequence[SeatRow]) -> list[SeatRow]:
    return [seat for seat in seats if seat.account_id]


def is_chosen(match: Match) -> bool:
    return match.muster == ALWAYS or (match.muster == STRANGERS and match.access == "open")


def is_wanted(match: Match, seats: Sequence[SeatRow]) -> bool:
    """Whether a muster precedes the start; not for one person with bots."""
    return is_chosen(match) and not match.practice and len(_people(seats)) > 1


def absent(match: Match, seats: Sequence[SeatRow]) -> list[SeatRow]:
    """Players who haven't confirmed yet; [] while no muster is on."""
    return [seat for seat in _people(seats) if seat.present_at is None] if match.muster_until is not None else []


def is_over(session: Session, match: Match, seats: Sequence[SeatRow]) -> bool:
    """Whether a full table needs no muster, or all are present. Begins the muster if none is on."""
    if not is_wanted(match, seats):
        return True
    if match.muster_until is None:
        asked = [seat for seat in _people(seats) if seat.present_at is None or seat.present_at < now() - LATELY]
        if asked:
            _ask(session, match, asked, _latest(session, match, asked))
    return not absent(match, seats)


def shorten(session: Session, match: Match, seats: Sequence[SeatRow]) -> None:
    """Ask absent players again if their deadline is later than that of a new muster: the clock ran ahead."""
    missing = absent(match, seats)
    if not missing or match.muster_until is None:
        return
    until = _latest(session, match, missing)
    if match.muster_until > until:
        _ask(session, match, missing, until)


def _latest(session: Session, match: Match, asked: Sequence[SeatRow]) -> datetime:
    pace = paces.of(match.pace)
    rhythms = (rhythm_of(session.get(Account, seat.account_id), pace) for seat in asked)
    return max(due(now(), min(pace.turn, LONGEST.total_seconds()), Rest(rhythm)) for rhythm in rhythms)


def _ask(session: Session, match: Match, asked: Sequence[SeatRow], until: datetime) -> None:
    match.muster_until = until
    for seat in asked:
        seat.present_at = None
        letters.to_seat(session, KIND, match, seat, {"until": Moment(until)})
    session.flush()


def confirm(session: Session, seat: SeatRow) -> None:
    seat.present_at = now()
    session.flush()
