"""Games halted by failing rules, until an operator retries. The run is rolled back, its input stays queued, and no deadline
expires. Only operators see traces.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from engine.core.asks import NotLegal
from service.clock import deadlines, recipe, standstill
from service.common.messages import sentence
from service.post import letters
from service.store import queue
from service.store.models import Account, Match, SeatRow, now
from service.store.seats import seats_of

STANDS_STILL = sentence(
    "The game is on hold: its rules have failed here, and those who run the service know of it. Nothing is lost, and no "
    "clock runs; you will get a letter as soon as it goes on."
)


def retry(session: Session, match: Match) -> None:
    """Resume a halted game; nobody loses time. Raises NotLegal if it isn't halted."""
    row = session.get_one(Match, match.id, with_for_update={"key_share": True}, populate_existing=True)
    if row.halted_at is None:
        raise NotLegal(sentence("That game isn't halted; there is nothing to try again."))
    _stood_still(session, row, row.halted_at)
    row.halted_at, row.halt = None, {}
    tell(session, row, "goes_on")
    session.flush()
    queue.after_commit(session, queue.ADJUDICATE, row.id)


def _stood_still(session: Session, match: Match, since: datetime) -> None:
    asks = [ask for ask in deadlines.questions(session, match) if ask.recipe]
    stops = deadlines.stops_of(session, match.id, stored=True)
    had = [recipe.left(ask, stops, since) for ask in asks]
    standstill.stand_still(session, match, (standstill.HALT, since, now()))
    stops = deadlines.stops_of(session, match.id, stored=True)
    for ask, seconds in zip(asks, had, strict=True):
        if recipe.left(ask, stops, now()) < seconds:
            recipe.allow(ask, recipe.spent(ask, stops, now()) + seconds)
            deadlines.reckon(session, match, session.get_one(SeatRow, (match.id, ask.seat)), ask, stops)


def tell(session: Session, match: Match, kind: str) -> None:
    owned = [seat for seat in seats_of(session, match) if seat.account_id]
    for seat in owned:
        letters.to_seat(session, kind, match, seat)
    if match.host_id not in {seat.account_id for seat in owned}:
        letters.to_host(session, kind, match, session.get_one(Account, match.host_id))


def halted(session: Session) -> Sequence[Match]:
    return session.exec(select(Match).where(col(Match.halted_at).is_not(None)).order_by(col(Match.halted_at))).all()
