"""A finished game in its reader's view: the only source of replay files; and the log to download."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import Session

from engine.core.asks import Seat
from engine.core.views import Event
from engine.game import Game
from engine.games import game_called
from engine.play import match as matches
from engine.play import proof
from engine.play.proof import Proof
from service.common.messages import sentence
from service.errors import NotAllowed
from service.log import muting
from service.log.chronicle import PREFIX
from service.log.entries import header_of, stored_entries, stored_events
from service.log.recent_events import LogLine, Part, lines
from service.replay import viewer
from service.replay.viewer import Frame, Mark, NamesAt, Reader
from service.seat.state import state_of
from service.store.models import Match, MatchStatus, SeatRow

Told = tuple[int, Event, str]
"""Entry, event, sentence."""


def download(session: Session, match: Match, seat: str | None) -> Iterable[str]:
    """The log as JSON Lines: whole after the end, else as the seat (None: a spectator) may know it. Raises NotFound before the
    start.
    """
    header, entries = header_of(match), stored_entries(session, match.id)
    if match.status == MatchStatus.FINISHED:
        return matches.to_lines(header, entries)
    return matches.redacted(header, entries, state_of(match), match.snapshot_n, seat)


@dataclass(frozen=True)
class Copy:
    match: Match
    game: Game
    title: str
    seats: Sequence[SeatRow]
    reader: Reader
    header: matches.Header
    """Of a new chain in a copy for strangers; see `engine.play.match.for_strangers`."""
    seed: bytes
    entries: Sequence[matches.Entry]
    told: Sequence[Told]
    """All that the reader may read, oldest first."""
    named: NamesAt

    @property
    def last(self) -> int:
        return len(self.entries)

    @property
    def names(self) -> Mapping[Seat, str]:
        return self.named(self.last)


def must_be_over(match: Match) -> None:
    """Raise NotAllowed while the game runs."""
    if match.status != MatchStatus.FINISHED or match.header is None:
        raise NotAllowed(sentence("There is a replay file when the game is over."))


def take(session: Session, match: Match, seats: Sequence[SeatRow], reader: Reader) -> Copy:
    """Read a finished game. Raises NotAllowed while it runs. Non-members, and readers of nameless replays, get the copy for
    strangers: no times, no entries about the table.
    """
    must_be_over(match)
    header, game = header_of(match), game_called(match.game)
    entries = stored_entries(session, match.id)
    named = viewer.names_at(session, match, reader, seats)
    if reader.nameless or not reader.member:
        header, entries = matches.for_strangers(header, match.seed, entries, {**header.names, **reader.nameless})
    rows = muting.heard(session, match.id, reader.own, stored_events(session, match))
    told = [*viewer.said_of(game, rows, reader, named)]
    title = game.title if reader.nameless else match.name
    return Copy(match, game, title, seats, reader, header, match.seed, entries, told, named)


def log_of(copy: Copy) -> list[LogLine]:
    """Lines of the log, oldest first, without events about the table."""
    told = [one for one in copy.told if not one[1].kind.startswith(PREFIX)]
    return lines(reversed(told), set(copy.names), copy.last, copy.game, None)[::-1]


def frames(copy: Copy, into: Proof) -> Iterator[Frame]:
    """Replay the game; adds each step to the proof `into`."""
    told, log = _by_entry(copy), {line.n: line for line in log_of(copy)}
    before: dict[str, Any] | None = None
    for step in proof.walk(copy.header, copy.seed, copy.entries):
        into.add(step, copy.game, copy.last)
        n, seat = step.n, copy.reader.seat
        hands = viewer.hands_of(copy.game, step.state, seat)
        view = viewer.view_of(copy.game, step.state, seat, hands)
        changed = viewer.changed([log[n]] if n in log else [], before, view)
        at = step.entry.at if step.entry is not None else ""
        yield Frame(n, at, view, hands, copy.named(n), [part for part in told.get(n, []) if part.words], changed)
        before = view


def _by_entry(copy: Copy) -> dict[int, list[Part]]:
    found: dict[int, list[Part]] = {}
    for n, event, words in copy.told:
        found.setdefault(n, []).append(Part(event, words, event.kind in copy.game.face.log.turning))
    return found


def marks(copy: Copy) -> list[Mark]:
    """Rounds and turning points, oldest first."""
    found: list[Mark] = []
    for n, event, words in copy.told:
        heading = copy.game.words.chapter(event)
        if heading or (words and event.kind in copy.game.face.log.turning and (not found or found[-1].n != n)):
            found.append(Mark(n, heading, "" if heading else words))
    return found


@dataclass
class Chapter:
    heading: str = ""
    lines: list[tuple[int, str, str]] = field(default_factory=list)
    """Entry, sentences, id of the rule that the question cites."""


def chapters(copy: Copy) -> list[Chapter]:
    """The log by round, with rule ids of the questions answered."""
    told, found = _by_entry(copy), [Chapter()]
    for step in proof.walk(copy.header, copy.seed, copy.entries):
        said: list[str] = []
        for part in told.get(step.n, []):
            heading = copy.game.words.chapter(part.event)
            if heading:
                _end(found[-1], step, said)
                found.append(Chapter(heading))
            elif part.words:
                said.append(part.words)
        _end(found[-1], step, said)
    return [chapter for chapter in found if chapter.lines]


def _end(chapter: Chapter, step: proof.Step, said: list[str]) -> None:
    if said:
        chapter.lines.append((step.n, " ".join(said), step.rule))
    said.clear()
