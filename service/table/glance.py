"""What a turn page shows besides the position: clock, answers in flight, announcement, unread talk; one query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from engine.asks import Seat
from service.games.seen import sealed_by
from service.games.turns import Beside
from service.store.models import (
    AskRow,
    Match,
    MatchStatus,
    Notice,
    NoticeStatus,
    SealedAnswer,
    SeatRow,
    Submission,
    SubmissionStatus,
)
from service.table import notices, talk

ON_THEIR_WAY = (SubmissionStatus.QUEUED, SubmissionStatus.HELD)


@dataclass(frozen=True)
class Glance:
    beside: Beside
    notice: Notice | None
    """That the seat is to be replaced."""
    unread: int
    elsewhere: int
    """The player's other games that wait for them."""


def look(session: Session, match: Match, seat: Seat, seats: list[SeatRow]) -> Glance:
    """Load it in one query; `seats`: the table's."""
    rows = session.execute(_statement(), {"match": match.id, "seat": seat, "serial": match.serial}).all()
    ask, _, notice, _, unread, elsewhere = rows[0] if rows else (None, None, None, None, 0, 0)
    sent = {row[1].id: row[1] for row in rows if row[1] is not None}.values()
    pending = next((row for row in sent if row.status == SubmissionStatus.QUEUED), None)
    held = [row for row in sent if row.status == SubmissionStatus.HELD]
    sealed = {row[3].id: row[3] for row in rows if row[3] is not None}
    lying = sorted(sealed.values(), key=lambda row: (row.at, row.id))
    return Glance(Beside(seats, ask, pending, held, lying), notice, unread or 0, elsewhere or 0)


@cache
def _statement() -> Any:
    """Cached: building it takes longer than running it."""
    match: Any = bindparam("match")
    seat: Any = bindparam("seat")
    found = (
        sa.select(AskRow, Submission, Notice, SealedAnswer, talk.unread_number(match, seat), _elsewhere(match))
        .select_from(SeatRow)
        .outerjoin(AskRow, _its(AskRow) & (col(AskRow.serial) == bindparam("serial")))
        .outerjoin(Submission, _its(Submission) & col(Submission.status).in_(ON_THEIR_WAY))
        .outerjoin(Notice, _its(Notice) & (col(Notice.status) == NoticeStatus.OPEN) & (col(Notice.kind) == notices.REPLACE))
        .outerjoin(SealedAnswer, (col(SealedAnswer.match_id) == SeatRow.match_id) & sealed_by(SeatRow.seat))
        .where(col(SeatRow.match_id) == match, col(SeatRow.seat) == seat)
    )
    return found.order_by(col(Submission.order), col(Notice.opened_at), col(Notice.id))


def _elsewhere(match: Any) -> Any:
    own, there = aliased(SeatRow), aliased(Match)
    asked, seat = aliased(AskRow), SeatRow
    found = sa.select(sa.func.count()).select_from(own)
    found = found.join(asked, (col(asked.match_id) == own.match_id) & (col(asked.seat) == own.seat))
    found = found.join(there, (col(there.id) == asked.match_id) & (col(there.serial) == asked.serial))
    open_ = (col(there.status) == MatchStatus.RUNNING) & col(there.halted_at).is_(None) & col(asked.answered_at).is_(None)
    mine = (col(own.account_id) == seat.account_id) & (col(own.match_id) != match)
    return found.where(mine, open_).correlate(seat).scalar_subquery()


def _its(row: type[AskRow] | type[Submission] | type[Notice]) -> Any:
    return (col(row.match_id) == SeatRow.match_id) & (col(row.seat) == SeatRow.seat)
