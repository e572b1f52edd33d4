"""How a finished match went (`engine.play.ending.Course`), cached per process, so that a page doesn't replay the log."""

from __future__ import annotations

import msgspec
import structlog
from sqlmodel import Session

from engine.core.asks import Seat
from engine.play import ending, luck
from engine.play.ending import Course
from engine.play.luck import Luck
from service.common import memo
from service.log.entries import header_of, stored_entries
from service.store.encryption import need
from service.store.models import Match, MatchStatus

LUCK = memo.MemoCache[dict[Seat, Luck]](500_000)
COURSES = memo.MemoCache[Course](20_000_000)
IN_MEMORY = 8
"""Bytes of a decoded position per encoded byte, estimated."""
log = structlog.get_logger()


def course(session: Session, match: Match) -> Course | None:
    """The course of a finished match; None while it runs, without a log, or if the log can't be replayed."""
    if match.status != MatchStatus.FINISHED or match.header is None:
        return None
    key = memo.written(match.id, match.head, match.snapshot_n)
    found = COURSES.get(key)
    if found is None:
        need(match.seed)
        try:
            found = ending.course(header_of(match), match.seed, stored_entries(session, match.id))
        except Exception:  # a game that its rules' failure ended: its page stands without statistics
            log.exception("a finished game can't be replayed", match=match.id)
            return None
        size = len(msgspec.msgpack.encode(found.state)) * IN_MEMORY + 8 * sum(map(len, found.levels.values()))
        COURSES.keep(key, found, size)
    return found


def lucky(session: Session, match: Match) -> dict[Seat, Luck]:
    """Fights won and expected. The first call in a process takes a second or two."""
    key = memo.written(match.id, match.head)
    found = LUCK.get(key)
    if found is None:
        need(match.seed)
        found = luck.luck(header_of(match), match.seed, stored_entries(session, match.id))
        LUCK.keep(key, found, 100 * len(found))
    return found
