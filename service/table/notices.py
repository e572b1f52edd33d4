"""Notices: what takes something from somebody is announced to everybody, and takes effect when its cooling-off is over.

A seat goes to somebody else, the game ends, spectators read along: the table hears of it by letter first. A seat stays with
its player who says “I am here” in time, or who answers what is asked. All of it is commands, so that it stands in the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec
from sqlmodel import Session, col, select

from engine.games import game_called
from engine.views import Event
from service.clock.standstill import COOL, RHYTHM, notice_cools, rhythm_at
from service.common.dates import Moment
from service.common.i18n import speaking_to
from service.games import muting
from service.games.chronicle import PREFIX
from service.games.chronicle import tell as told
from service.people.accounts import reader_at
from service.post import letters
from service.store.models import Match, Notice, NoticeStatus, SeatRow, now

__all__ = ["COOL", "KINDS", "REPLACE"]

A_DAY = 6
"""Announcements of a host that one table hears within a day: each is a letter to everybody."""
REPLACE, END, WATCH = "replace", "end", "watch"
KINDS = (REPLACE, END, WATCH)


# --- looking ----------------------------------------------------------------------------------------------------------


def open_notices(session: Session, match: Match) -> list[Notice]:
    """What is announced in a game and not done yet, the oldest first."""
    found = select(Notice).where(Notice.match_id == match.id, Notice.status == NoticeStatus.OPEN)
    return list(session.exec(found.order_by(col(Notice.opened_at), Notice.id)))


def about(session: Session, match: Match, seat: str) -> Notice | None:
    """The open notice that a seat is to be given to somebody else."""
    return next((n for n in open_notices(session, match) if n.seat == seat and n.kind == REPLACE), None)


def backing(session: Session, match: Match, facts: Mapping[str, object], kind: str, seat: str = "") -> Notice | None:
    """The notice that a command names, if it is of that kind, is still open, and its cooling-off is over."""
    notice = session.get(Notice, str(facts.get("notice") or ""), populate_existing=True)
    if notice is None or (notice.match_id, notice.kind, notice.seat) != (match.id, kind, seat):
        return None
    return notice if notice.status == NoticeStatus.OPEN and notice.effect_at <= now() else None


def too_many(session: Session, match: Match) -> bool:
    """Whether a table has heard enough announcements of its host for a day."""
    rows = select(Notice.id).where(Notice.match_id == match.id, Notice.by == "host")
    rows = rows.where(col(Notice.opened_at) > now() - timedelta(days=1))
    return len(session.exec(rows).all()) >= A_DAY


# --- announcing and stopping ------------------------------------------------------------------------------------------


def announce(session: Session, match: Match, kind: str, seat: SeatRow | None, by: str, facts: dict[str, Any]) -> Notice:
    """A new notice. The caller tells of it."""
    if seat is not None:
        facts = {**facts, RHYTHM: msgspec.to_builtins(rhythm_at(session, match, seat.seat))}
    notice = Notice(
        match_id=match.id,
        kind=kind,
        seat=seat.seat if seat is not None else "",
        facts=facts,
        by=by,
        serial=match.serial,
        opened_at=now(),
        effect_at=now(),
    )
    notice.effect_at = notice_cools(session, match, notice).replace(microsecond=0)
    session.add(notice)
    session.flush()
    return notice


def close(session: Session, notice: Notice, status: NoticeStatus) -> None:
    """Close a notice: done, stopped or recalled."""
    notice.status, notice.done_at = status, now()
    session.add(notice)
    session.flush()


def tell(session: Session, match: Match, event: Event, notice: Notice | None = None) -> None:
    """Write to every person at the table what an event around the board says."""
    seats = list(session.exec(select(SeatRow).where(SeatRow.match_id == match.id).order_by(SeatRow.seat)))
    names, game = {s.seat: s.name for s in seats}, game_called(match.game)
    for row in seats:
        if not row.account_id:
            continue
        language, zone = reader_at(session, match.id, row.seat)
        with speaking_to(language, zone):
            what = told(game, muting.as_heard(session, match.id, row.seat, event), names, row.seat, zone)
        context = {
            "what": what,
            "until": Moment(notice.effect_at) if notice is not None else "",
            "about": notice.kind if notice is not None else event.kind.removeprefix(PREFIX).partition("_")[0],
            "mine": notice is not None and notice.seat == row.seat,
        }
        letters.to_seat(session, "notice", match, row, context)


# --- what is due ------------------------------------------------------------------------------------------------------
