"""Statistics of a finished match: figures, levels by chapter, luck. They read secrets, so never for a running match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.core import odds
from engine.core.asks import Seat, read
from engine.core.figures import Beat
from engine.core.odds import Odds
from engine.core.views import Event
from engine.game import AnyState, Game
from engine.play import match as matches


class Chapter(NamedTuple):
    n: int
    """The entry in which it begins; 0: before the first."""
    event: Event
    """`Words.chapter` makes its heading."""


@dataclass(frozen=True)
class Found:
    """A figure's value in a finished match."""

    key: str
    n: int
    """The sum, or the record."""
    by: Mapping[Seat, int]
    """The same by seat, without zeros."""
    at: int | None = None
    """Entry of a record."""

    @property
    def best(self) -> Seat:
        most = max(self.by.values(), default=0)
        ahead = [seat for seat, n in self.by.items() if n == most]
        return ahead[0] if len(ahead) == 1 else ""


@dataclass(frozen=True)
class Course:
    """A finished match, replayed and measured."""

    state: AnyState
    """The final position; read only."""
    last: int
    """Number of the last entry."""
    chapters: Sequence[Chapter]
    levels: Mapping[Seat, Sequence[int]]
    """Points, or what the game counts instead, at the end of each chapter."""
    figures: Sequence[Found]
    """In the game's order, without zeros."""

    def chapter(self, n: int) -> int:
        """An entry's chapter; -1 before the first."""
        return sum(chapter.n <= n for chapter in self.chapters) - 1

    def leaders(self, chapter: int) -> tuple[Seat, ...]:
        """Leading seats at a chapter's end; none if more than half lead."""
        levels = {seat: own[chapter] for seat, own in self.levels.items()}
        most = max(levels.values())
        ahead = tuple(seat for seat, level in levels.items() if level == most)
        return ahead if 2 * len(ahead) <= len(levels) else ()


def level(game: Game, state: AnyState, seat: Seat) -> int:
    """Points, or number of holdings."""
    score = game.rules.score(state, seat)
    if score is not None:
        return score[0]
    held = game.rules.held(state, seat)
    return held[1] if held is not None else 0


def course(header: matches.Header, seed: bytes, entries: Iterable[matches.Entry]) -> Course:
    """Replay a finished match. Raises Refused at the first bad entry."""
    match = matches.start(header, seed)
    game, seats = match.game, match.state.table.seats
    kinds = game.face.log.chapters
    counts = [(figure, figure.counter()) for figure in game.face.figures]
    sums, records = [Counter[Seat]() for _ in counts], [(0, 0)] * len(counts)
    totals = [0] * len(counts)
    chapters = list[Chapter]()
    levels: dict[Seat, list[int]] = {seat: [] for seat in seats}

    def hear(n: int, events: Sequence[Event]) -> None:
        begun = [event for event in events if (not kinds or event.kind in kinds) and game.words.chapter(event)]
        # Several chapters may begin in one entry: all but the last end as they began.
        for event in begun:
            if chapters:
                _measure()
            chapters.append(Chapter(n, event))
        beat = Beat(n, [event for event in events if not event.but], match.state, len(chapters))
        for i, (figure, count) in enumerate(counts):
            for hit in count(beat):
                own = [seat for seat in hit.seats if seat in levels]
                if figure.record:
                    records[i] = max(records[i], (hit.n, -n))
                    sums[i] |= Counter(dict.fromkeys(own, hit.n))
                else:
                    totals[i] += hit.n
                    sums[i].update(dict.fromkeys(own, hit.n))

    def _measure() -> None:
        for seat in seats:
            levels[seat].append(level(game, match.state, seat))

    hear(0, match.opening)
    for entry in matches.standing(entries):
        hear(entry.n, matches.apply(match, entry, trusted=True))
    if chapters:
        _measure()
    found = [
        Found(figure.key, records[i][0], +sums[i], -records[i][1]) if figure.record else Found(figure.key, totals[i], +sums[i])
        for i, (figure, _) in enumerate(counts)
    ]
    last = match.entries[-1].n if match.entries else 0
    return Course(match.state, last, chapters, levels, [one for one in found if one.n > 0])


# --- luck -------------------------------------------------------------------------------------------------------------


WORLDS = 10
"""Per fight: over a match their errors cancel out, and a page waits for it."""


@dataclass
class Luck:
    fights: int = 0
    won: int = 0
    expected: float = 0.0


def luck(header: matches.Header, seed: bytes, entries: Iterable[matches.Entry], worlds: int = WORLDS) -> dict[Seat, Luck]:
    """Luck of the seats that fought. Raises Refused at the first bad entry."""
    match = matches.start(header, seed)
    face, rules, found = match.game.face, match.game.rules, dict[Seat, Luck]()
    open_: tuple[Seat, Odds] | None = None
    for entry in matches.standing(entries):
        seat, answer = entry.actor, read(entry.move or "") if entry.serial > matches.OFFER else None
        if answer is not None and f"{entry.ask}/{answer.option}" in face.begins:
            stakes = face.stakes(match.state, seat, answer)
            open_ = (seat, odds.count(stakes[0], seat, rules.redeal, rules.view, worlds)) if stakes else None
        for event in matches.apply(match, entry, trusted=True):
            result = face.verdict(event, open_[0]) if open_ is not None else None
            if open_ is not None and result is not None:
                _note(found, open_[1], result)
                open_ = None
    return found


def _note(found: dict[Seat, Luck], told: Odds, result: int) -> None:
    sides = ((told.fight.own, told.won, result), (told.fight.against if told.fight.mutual else (), told.lost, -result))
    for side, expected, came in sides:
        for seat in side:
            own = found.setdefault(seat, Luck())
            own.fights, own.won, own.expected = own.fights + 1, own.won + (came > 0), own.expected + expected / 100
