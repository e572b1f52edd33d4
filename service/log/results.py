"""Results of a game: standings, deciding events, course, cached per process. `service.log.story` puts them in prose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import structlog
from sqlmodel import Session

from engine.core.asks import Seat
from engine.game import AnyState, Game
from engine.games import game_called
from engine.play import ending as endings
from engine.play.ending import Course, Luck, level
from service.common import memo
from service.common.i18n import gettext, mark
from service.log import muting, names
from service.log.chronicle import PREFIX, tell
from service.log.chronicle import SENTENCES as SENTENCES_OF_THE_TABLE
from service.log.entries import as_event, header_of, stored_entries, stored_events, undone
from service.store.encryption import need
from service.store.models import EventRow, Match, MatchStatus

LUCK = memo.MemoCache[dict[Seat, Luck]](500_000)
COURSES = memo.MemoCache[Course](20_000_000)
IN_MEMORY = 8
"""Bytes of a decoded position per encoded byte, estimated."""
SENTENCES = 5
"""Most sentences of a story."""
ENDED = tuple(PREFIX + kind for kind in SENTENCES_OF_THE_TABLE if kind.partition("_")[0] == "ended")
"""Kinds of an early end, told in every story."""
OF_A_KIND = 2
"""Most sentences of one kind."""
log = structlog.get_logger()
PLACES = (mark("first"), mark("second"), mark("third"), mark("fourth"), mark("fifth"), mark("sixth"))
JOINT = (mark("joint first"), mark("joint second"), mark("joint third"), mark("joint fourth"), mark("joint fifth"))


def placed(nth: int, joint: bool) -> str:
    """A place in words: `joint second`."""
    return gettext((JOINT if joint else PLACES)[nth - 1])


@dataclass(frozen=True)
class Standing:
    seat: Seat
    name: str
    won: bool
    points: tuple[int, int] | None
    """Own points and points to win; None without points."""
    fell: Fall | None = None
    """If eliminated."""
    kept: str = ""
    """Points kept for a rematch."""
    reason: str = ""
    """Why it has the place: how it fell, or what it holds."""
    place: int = 1
    """1 is best; ties share a number."""
    joint: bool = False


@dataclass(frozen=True)
class Fall:
    nth: int
    """0 for the first."""
    chapter: str
    """Journal heading, `Round 7`; '' before the first."""
    how: str


def standings(
    game: Game, state: AnyState | None, called: Mapping[Seat, str], winners: Sequence[Seat], rows: Sequence[EventRow] = ()
) -> list[Standing]:
    """Seats by winners, points or holdings, last eliminated, seat."""
    falls = fallen(game, rows, called)
    found, merits = list[Standing](), dict[Seat, tuple[bool, int, int]]()
    for seat, name in called.items():
        fell, one = falls.get(seat), Standing(seat, name, seat in winners, None)
        if fell is not None:
            how = gettext("%(when)s: %(how)s", when=fell.chapter, how=fell.how) if fell.chapter else fell.how
            one = replace(one, fell=fell, reason=how)
        if state is not None:
            reason = one.reason or game.face.reason(state, seat, called)
            one = replace(one, points=game.rules.score(state, seat), kept=game.rules.rematch.keeps(state, seat), reason=reason)
        height = level(game, state, seat) if state is not None else 0
        merits[seat] = (one.won, height, fell.nth if fell is not None else len(called))
        found.append(one)
    found.sort(key=lambda one: merits[one.seat], reverse=True)
    order = [merits[one.seat] for one in found]
    return [replace(one, place=1 + order.index(merits[one.seat]), joint=order.count(merits[one.seat]) > 1) for one in found]


def fallen(game: Game, rows: Sequence[EventRow], called: Mapping[Seat, str]) -> dict[Seat, Fall]:
    """Eliminations, in the current language."""
    chapter, found = "", dict[Seat, Fall]()
    for row in rows:
        if row.kind in game.face.log.chapters:
            chapter = game.words.chapter(as_event(row)) or chapter
        elif row.kind == game.face.log.falls:
            key = f"{row.facts['how']}_to" if row.facts.get("to") else row.facts["how"]
            found[row.facts["seat"]] = Fall(len(found), chapter, game.words.catalogue.text("fell", key, row.facts, called))
    return found


def told(session: Session, match: Match, reader: Seat | None = None) -> list[EventRow]:
    """Public events of the end, oldest first, without text of muted seats."""
    game = game_called(match.game)
    kinds = {*ENDED, *game.face.log.turning, *((game.face.log.falls, *game.face.log.chapters) if game.face.log.falls else ())}
    gone = undone(session, match)
    rows = [row for row in stored_events(session, match, kinds=kinds) if row.n not in gone and as_event(row).seen_by(None)]
    return [*muting.heard(session, match.id, reader, rows)]


def turning(game: Game, found: Sequence[EventRow], also: Sequence[EventRow] = ()) -> list[EventRow]:
    """Key events, oldest first: those of `also`, then by importance."""
    kinds = [*ENDED, *game.face.log.turning]
    # By importance, then the latest.
    rows = sorted((row for row in found if row.kind in kinds), key=lambda row: (kinds.index(row.kind), -row.n, -row.i))
    of_kind: Counter[str] = Counter()
    chosen: list[EventRow] = []
    for row in [*also, *rows]:
        # Tell of a seat once per entry: elected King, and being King.
        known = any(row is one or (row.n, row.facts.get("seat", one)) == (one.n, one.facts.get("seat")) for one in chosen)
        if not known and of_kind[row.kind] < OF_A_KIND and len(chosen) < SENTENCES:
            of_kind[row.kind] += 1
            chosen.append(row)
    return sorted(chosen, key=lambda row: (row.n, row.i))


def ending(session: Session, match: Match, zone: str, reader: Seat | None = None) -> str:
    """The last deciding event as a sentence, or ""."""
    game, then = game_called(match.game), names.then(session, match, reader=reader)
    sentences = [tell(game, as_event(row), then(row.n), None, zone) for row in turning(game, told(session, match, reader))]
    return next((sentence for sentence in reversed(sentences) if sentence), "")


# --- how it went ------------------------------------------------------------------------------------------------------


def course(session: Session, match: Match) -> Course | None:
    """The course of a finished match; None before the end, without a log, or if it can't be replayed."""
    if match.status != MatchStatus.FINISHED or match.header is None:
        return None
    key = memo.written(match.id, match.head, match.snapshot_n)
    found = COURSES.get(key)
    if found is None:
        need(match.seed)
        try:
            found = endings.course(header_of(match), match.seed, stored_entries(session, match.id))
        except Exception:  # a game that its rules' failure ended: its page stands without statistics
            log.exception("a finished game can't be replayed", match=match.id)
            return None
        size = len(msgspec.msgpack.encode(found.state)) * IN_MEMORY + 8 * sum(map(len, found.levels.values()))
        COURSES.keep(key, found, size)
    return found


def lucky(session: Session, match: Match) -> dict[Seat, Luck]:
    """Fights won and expected. The first call takes a second or two."""
    key = memo.written(match.id, match.head)
    found = LUCK.get(key)
    if found is None:
        need(match.seed)
        found = endings.luck(header_of(match), match.seed, stored_entries(session, match.id))
        LUCK.keep(key, found, 100 * len(found))
    return found
