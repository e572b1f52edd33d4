"""Seats that a game waits for, as everybody may know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from engine.core.asks import Seat
from engine.play import policy
from service.common.i18n import gettext, together
from service.seat.state import state_of
from service.store.models import AskRow, Match, MatchStatus, SeatRow

# Built once: building takes longer than sending.
OPEN = (
    select(AskRow)
    .join(Match, (col(Match.id) == AskRow.match_id) & (col(Match.serial) == AskRow.serial))
    .where(col(AskRow.match_id).in_(bindparam("matches", expanding=True)))
    .order_by(AskRow.seat)
)


@dataclass(frozen=True)
class Wait:
    """A seat's clock, without the time bank, which would reveal when the seat answers."""

    seat: Seat
    since: datetime
    due_at: datetime | None


def shown_waits(session: Session, match: Match, reader: Seat = "") -> list[Wait]:
    """Seats waited for; while answers are hidden all that were asked, except the reader's own if answered."""
    return waits_of_all(session, [match], reader)[match.id]


def waits_of_all(session: Session, matches: Sequence[Match], reader: Seat = "") -> dict[str, list[Wait]]:
    going = [match for match in matches if match.status == MatchStatus.RUNNING and match.snapshot is not None]
    waiting = {match.id: {*state.waiting, *state.sealed} for match in going for state in (state_of(match),)}
    return {match.id: [] for match in matches} | clocks_of(session, waiting, reader)


def clocks_of(session: Session, waiting: Mapping[str, Collection[Seat]], reader: Seat = "") -> dict[str, list[Wait]]:
    """`shown_waits` for known seats, by match id."""
    found: dict[str, list[Wait]] = {id: [] for id in waiting}
    for ask in session.exec(OPEN, params={"matches": list(waiting)}) if waiting else ():
        if ask.seat in waiting[ask.match_id] and (ask.seat != reader or ask.answered_at is None):
            found[ask.match_id].append(Wait(ask.seat, ask.opened_at, ask.due_at))
    return found


def deserted(seats: Iterable[SeatRow]) -> bool:
    return policy.deserted([bool(row.steward) for row in seats if row.account_id])


def said(waiting: Collection[Seat], names: Mapping[Seat, str], reader: Seat | None) -> str:
    """Sentence addressed to a reader (None: not seated); empty for nobody. `waiting`: as everybody may know."""
    others = [names[seat] for seat in names if seat in waiting and seat != reader]
    if reader in waiting:
        if not others:
            return gettext("The table waits for you.")
        if len(others) > 1:
            return gettext("The table waits for you, %(names)s.", names=together(others))
        return gettext("The table waits for you and for %(names)s.", names=others[0])
    return gettext("The table waits for %(names)s.", names=together(others)) if others else ""
