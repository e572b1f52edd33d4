"""The replay viewer: the board after any entry of a log, as a reader may see it.

While a game runs, readers see what their seat knew at that entry; after the end any seat's view, or everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlmodel import Session, col, func, select

from engine.core import views
from engine.core.asks import Seat
from engine.core.views import Event
from engine.game import AnyState, Game
from engine.games import game_called
from service.common import memo
from service.common.messages import sentence
from service.errors import NotFound
from service.log import muting, names
from service.log.chronicle import Teller, is_around, sentences, teller
from service.log.entries import EventRecord, as_event, stored_entries, stored_events
from service.log.recent_events import CODE, LogLine, Part, lines
from service.replay import checkpoints
from service.seat.state import position, shown_n
from service.store.models import EntryRow, EventRow, Match, MatchStatus, PackedLog, SeatRow
from service.store.seats import called

BEFORE, AFTER = 24, 12
"""Number of entries described before and after the shown one."""
OPEN = "open"
"""Reader who sees all hands, after the end."""


@dataclass(frozen=True)
class Reader:
    """The perspective of a replay, and what its reader may see."""

    seat: Seat
    """A seat, OPEN, or empty for a spectator."""
    own: Seat = ""
    """The visitor's seat: text that it has muted isn't shown."""
    zone: str = "UTC"
    member: bool = True
    """False for strangers, who don't see votes, pauses and times."""
    nameless: Mapping[Seat, str] = field(default_factory=dict)
    """Labels of seats instead of names; empty: names are shown."""
    spoilers: bool = True
    """Whether later entries are described."""

    def sees(self, event: Event) -> bool:
        if is_around(event.kind) and (self.nameless or not self.member):
            return False
        # An event with `but` has a fuller twin for those seats.
        return not event.but if self.seat == OPEN else event.seen_by(self.seat or None)


@dataclass(frozen=True)
class Frame:
    n: int
    at: str
    """ISO 8601, empty before the first entry."""
    view: dict[str, Any]
    hands: dict[Seat, dict[str, Any]]
    """Every seat's view, for OPEN only."""
    names: Mapping[Seat, str]
    told: list[Part]
    changed: set[str]
    """Ids that the entry changed or names."""


@dataclass(frozen=True)
class Moment(Frame):
    last: int
    """Newest visible entry."""
    log: list[LogLine]
    """Neighbouring entries, newest first."""


@dataclass(frozen=True)
class Mark:
    """A jump target: a round or turn, or without a heading a turning point."""

    n: int
    heading: str
    words: str


def last_of(session: Session, match: Match) -> int:
    """The newest visible entry. Raises NotFound before the start."""
    if match.header is None or not match.serial:
        raise NotFound(sentence("The game has not started; there is nothing to look back at."))
    if match.status == MatchStatus.FINISHED:
        return match.snapshot_n
    state = position(session, match)
    assert state is not None
    return shown_n(match, state)


MARKS = memo.MemoCache[list[Mark]](8_000_000)
NamesAt = Callable[[int], Mapping[Seat, str]]
"""Names by entry; see `names_at`."""


def names_at(session: Session, match: Match, reader: Reader, seats: Sequence[SeatRow] = (), you: Seat = "") -> NamesAt:
    """Names by entry, or the labels of a nameless replay. `you`: the visitor's seat on a page that only they see; a copy that
    can be passed on names all seats.
    """
    if reader.nameless:
        nameless = called(match, reader.nameless)
        return lambda _n: nameless
    return names.then(session, match, seats, you)


def at(session: Session, match: Match, reader: Reader, n: int, last: int, named: NamesAt) -> Moment:
    """The board after `n` entries, without later knowledge. Raises NotFound for an invisible entry."""
    if n > last:
        raise NotFound(sentence("There is no entry %(n)s in what you may know of the log.", n=n))
    game, step = game_called(match.game), checkpoints.step(session, match, n)
    told, beside = list[Part](), list[tuple[int, Event, str]]()
    end = min(n + AFTER, last) if reader.spoilers else n
    rows = stored_events(session, match, (max(0, n - BEFORE), 0), (end + 1, 0))
    heard = muting.heard(session, match.id, reader.own, rows)
    for entry, event, words in said_of(game, heard, reader, named):
        if entry == n and words:
            told.append(Part(event, words, event.kind in game.face.log.turning))
        if not is_around(event.kind):  # its number would count hidden answers
            beside.append((entry, event, words))
    called_then = named(n)
    log = lines(reversed(beside), set(called_then), last, game)
    hands = hands_of(game, step.state, reader.seat)
    view, before = view_of(game, step.state, reader.seat, hands), None
    if step.before is not None:
        before = view_of(game, step.before, reader.seat, hands_of(game, step.before, reader.seat))
    lit = changed([line for line in log if line.n == n], before, view)
    return Moment(n, step.at, view, hands, called_then, told, lit, last, log)


def changed(log: Iterable[LogLine], before: dict[str, Any] | None, view: dict[str, Any]) -> set[str]:
    """Ids that these lines name, or that differ between the views before and after the entry."""
    codes = {code for line in log for code in line.lights}
    if before is not None:
        codes |= set(views.changed(before, view))
    return {code for code in codes if len(code) > 1 and CODE.fullmatch(code)}  # a letter is a seat, in every line


def hands_of(game: Game, state: AnyState, seat: Seat) -> dict[Seat, dict[str, Any]]:
    """Every seat's view, for OPEN only."""
    return {one: game.rules.view(state, one) for one in state.table.seats} if seat == OPEN else {}


def said_of(
    game: Game, rows: Iterable[EventRow | EventRecord], reader: Reader, named: NamesAt
) -> Iterator[tuple[int, Event, str]]:
    """Sentences as (entry, event, sentence), with the names at that time; cached. An event covered by another one's sentence
    has none.
    """
    told = _told_by(game, named, reader.zone)
    for n, answer in groupby(rows, key=lambda row: row.n):
        events = [event for row in answer if reader.sees(event := as_event(row))]
        said = sentences(game, events, told(n), named(n))
        if any(said):
            yield from ((n, event, one.words if one is not None else "") for event, one in zip(events, said, strict=True))


def _told_by(game: Game, named: NamesAt, zone: str) -> Callable[[int], Teller]:
    tellers: dict[int, Teller] = {}

    def told(n: int) -> Teller:
        there = named(n)
        if id(there) not in tellers:
            tellers[id(there)] = teller(game, there, zone)
        return tellers[id(there)]

    return told


def marks(session: Session, match: Match, reader: Reader, last: int, named: NamesAt) -> list[Mark]:
    """Chapters and turning points up to entry `last`, oldest first; cached until the log grows."""
    spoken = memo.speech(named(last))
    who = (reader.seat, reader.member, reader.zone, bool(reader.nameless))
    key = memo.written(match.id, match.head, last, who, spoken) if spoken is not None else b""
    if key and (kept := MARKS.get(key)) is not None:
        return kept
    game, found = game_called(match.game), list[Mark]()
    told = _told_by(game, named, reader.zone)
    for row in stored_events(session, match, (0, 0), (last + 1, 0), {*game.face.log.chapters, *game.face.log.turning}):
        event = as_event(row)
        if reader.sees(event):
            heading = game.words.chapter(event)
            words = "" if heading else told(row.n)(event, "")
            if heading or (words and (not found or found[-1].n != row.n)):
                found.append(Mark(row.n, heading, words))
    if key:
        MARKS.keep(key, found, sum(100 + len(mark.words) for mark in found))
    return found


def own_moves(session: Session, match: Match, seat: Seat, n: int, last: int) -> tuple[int | None, int | None]:
    """The seat's nearest visible entries before and after `n`; none for OPEN and spectators."""
    if seat in ("", OPEN):
        return None, None
    if match.status == MatchStatus.FINISHED and session.get(PackedLog, match.id) is not None:
        own = [entry.n for entry in stored_entries(session, match.id) if entry.actor == seat]
        return max((m for m in own if m < n), default=None), min((m for m in own if m > n), default=None)
    of_seat = (EntryRow.match_id == match.id, EntryRow.actor == seat)
    earlier = select(func.max(EntryRow.n)).where(*of_seat, EntryRow.n < n).scalar_subquery()
    later = select(func.min(EntryRow.n)).where(*of_seat, EntryRow.n > n, col(EntryRow.n) <= last).scalar_subquery()
    before, after = session.execute(select(earlier, later)).one()
    return before, after


def view_of(game: Game, state: AnyState, seat: Seat, hands: Mapping[Seat, dict[str, Any]]) -> dict[str, Any]:
    """The reader's view; for OPEN all hands merged (`hands_of`)."""
    if seat != OPEN:
        return game.rules.view(state, seat or None)
    found: dict[str, Any] = views.merged([game.rules.view(state, None), *hands.values()])
    return found
