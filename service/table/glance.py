"""What a turn page shows beside the position, read at a glance: clock, answer on its way, announcement, unread talk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from engine.asks import Seat
from service.games.turns import Beside
from service.store.models import AskRow, Match, Notice, NoticeStatus, SeatRow, Submission, SubmissionStatus
from service.table import notices, talk


@dataclass(frozen=True)
class Glance:
    """What stands beside a position for one seat."""

    beside: Beside
    notice: Notice | None
    """The announcement that the seat goes to somebody else."""
    unread: int
    """Messages of the table."""


def look(session: Session, match: Match, seat: Seat, seats: list[SeatRow]) -> Glance:
    """All that the page of a seat shows beside the position, in one statement; `seats` are the table's."""
    own = (col(SeatRow.match_id) == match.id) & (col(SeatRow.seat) == seat)
    found = (
        select(AskRow, Submission, Notice, talk.unread_number(match.id, seat))
        .select_from(SeatRow)
        .outerjoin(AskRow, _its(AskRow) & (col(AskRow.serial) == match.serial))
        .outerjoin(Submission, _its(Submission) & (col(Submission.status) == SubmissionStatus.QUEUED))
        .outerjoin(Notice, _its(Notice) & (col(Notice.status) == NoticeStatus.OPEN) & (col(Notice.kind) == notices.REPLACE))
        .where(own)
    )
    rows = session.execute(found.order_by(col(Submission.order), col(Notice.opened_at), col(Notice.id))).all()
    ask, pending, notice, unread = rows[0] if rows else (None, None, None, 0)
    return Glance(Beside(seats, ask, pending), notice, unread or 0)


def _its(row: type[AskRow] | type[Submission] | type[Notice]) -> Any:
    return (col(row.match_id) == SeatRow.match_id) & (col(row.seat) == SeatRow.seat)
