"""Announcements: replacing a player, ending a game or opening it to spectators takes effect after a cooling-off. A player keeps
the seat by answering, or by “I am here”.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlmodel import Session, col, select

from engine.core.asks import Seat
from engine.core.views import Event
from engine.games import game_called
from service.clock.standstill import RHYTHM, notice_cools, rhythm_at
from service.common.dates import Moment
from service.common.i18n import speaking_to
from service.common.messages import Listed
from service.log import muting
from service.log.chronicle import PREFIX
from service.log.chronicle import tell as told
from service.people.accounts import reader_at
from service.post import letter_preferences, letters
from service.store.models import Match, Notice, NoticeStatus, SeatRow, now
from service.store.seats import seats_of
from service.table.commands import HOST

A_DAY = 6
"""Most announcements of a host at one table: each is a letter to everybody."""
REPLACE, END, WATCH = "replace", "end", "watch"
KINDS = (REPLACE, END, WATCH)


# --- looking ----------------------------------------------------------------------------------------------------------


def open_notices(session: Session, match: Match) -> list[Notice]:
    found = select(Notice).where(Notice.match_id == match.id, Notice.status == NoticeStatus.OPEN)
    return list(session.exec(found.order_by(col(Notice.opened_at), Notice.id)))


def about(session: Session, match: Match, seat: str) -> Notice | None:
    return next((n for n in open_notices(session, match) if n.seat == seat and n.kind == REPLACE), None)


def backing(session: Session, match: Match, facts: Mapping[str, object], kind: str, seat: str = "") -> Notice | None:
    """A command's announcement, if it is of that kind, open and cooled off."""
    notice = session.get(Notice, str(facts.get("notice") or ""), populate_existing=True)
    if notice is None or (notice.match_id, notice.kind, notice.seat) != (match.id, kind, seat):
        return None
    return notice if notice.status == NoticeStatus.OPEN and notice.effect_at <= now() else None


def too_many(session: Session, match: Match) -> bool:
    rows = select(Notice.id).where(Notice.match_id == match.id, Notice.by == HOST)
    rows = rows.where(col(Notice.opened_at) > now() - timedelta(days=1))
    return len(session.exec(rows).all()) >= A_DAY


# --- announcing and stopping ------------------------------------------------------------------------------------------


def announce(session: Session, match: Match, kind: str, seat: SeatRow | None, by: str, facts: dict[str, Any]) -> Notice:
    """Create an announcement; the caller sends letters."""
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
    notice.status, notice.done_at = status, now()
    session.flush()


def tell(
    session: Session,
    match: Match,
    event: Event,
    notice: Notice | None = None,
    due: Mapping[tuple[Seat, int], datetime] | None = None,
    by_operator: bool = True,
) -> None:
    """Letters about an announcement, or a command. `due`: deadlines of questions and proposals that the command moved, by seat
    and serial; if it isn't the operator's, only players who want letters of the game get one.
    """
    seats = seats_of(session, match)
    names, game = {s.seat: s.name for s in seats}, game_called(match.game)
    for row in seats:
        own = {serial: at for (seat, serial), at in (due or {}).items() if seat == row.seat}
        if not row.account_id or not (by_operator or (own and row.letters != letter_preferences.NONE)):
            continue
        language, zone = reader_at(session, match.id, row.seat)
        with speaking_to(language, zone):
            what = told(game, muting.as_heard(session, match.id, row.seat, event), names, row.seat, zone)
        context = {
            "what": what,
            "until": Moment(notice.effect_at) if notice is not None else "",
            "due": next((Moment(at) for serial, at in own.items() if serial > 0), ""),
            "offers": Listed([Moment(at) for at in sorted({at for serial, at in own.items() if serial < 0})]),
            "about": notice.kind if notice is not None else event.kind.removeprefix(PREFIX).partition("_")[0],
            "mine": notice is not None and notice.seat == row.seat,
            "by_operator": by_operator,
        }
        letters.to_seat(session, "notice", match, row, context)
