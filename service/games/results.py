"""Results of a game: standings, and a short story from its key events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from engine.asks import Seat
from engine.game import AnyState, Game
from engine.games import game_called
from service.games import muting, names
from service.games.chronicle import PREFIX, tell
from service.games.chronicle import SENTENCES as SENTENCES_OF_THE_TABLE
from service.games.entries import as_event, stored_events
from service.store.models import EventRow, Match

SENTENCES = 5
"""Most sentences of a story."""
ENDED = tuple(PREFIX + kind for kind in SENTENCES_OF_THE_TABLE if kind.partition("_")[0] == "ended")
"""An early end, told in every story."""
OF_A_KIND = 2
"""Most sentences of one kind."""


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
    """For a rematch."""


@dataclass(frozen=True)
class Fall:
    """An elimination."""

    nth: int
    """0 for the first."""
    chapter: str
    """Journal heading, `Round 7`; '' before the first."""
    how: str


def standings(
    game: Game, state: AnyState | None, called: Mapping[Seat, str], winners: Sequence[Seat], rows: Sequence[EventRow] = ()
) -> list[Standing]:
    """Seats by winners, points, last eliminated, seat. `rows`: those of `told`."""
    points, falls = (
        {seat: game.score(state, seat) if state is not None else None for seat in called},
        fallen(game, rows, called),
    )
    kept = {seat: game.keeps(state, seat) if state is not None else "" for seat in called}
    found = [Standing(seat, name, seat in winners, points[seat], falls.get(seat), kept[seat]) for seat, name in called.items()]
    return sorted(
        found, key=lambda one: (not one.won, -(one.points[0] if one.points else 0), -one.fell.nth if one.fell else -len(found))
    )


def fallen(game: Game, rows: Sequence[EventRow], called: Mapping[Seat, str]) -> dict[Seat, Fall]:
    """Eliminations, in the current language."""
    chapter, found = "", dict[Seat, Fall]()
    for row in rows:
        if row.kind in game.chapters:
            chapter = game.chapter(as_event(row)) or chapter
        elif row.kind == game.falls:
            key = f"{row.facts['how']}_to" if row.facts.get("to") else row.facts["how"]
            found[row.facts["seat"]] = Fall(len(found), chapter, game.words.text("fell", key, row.facts, called))
    return found


def told(session: Session, match: Match, reader: Seat | None = None) -> list[EventRow]:
    """Public events that tell the end, oldest first, without text of muted seats."""
    game = game_called(match.game)
    kinds = {*ENDED, *game.turning, *((game.falls, *game.chapters) if game.falls else ())}
    rows = [row for row in stored_events(session, match, kinds=kinds) if as_event(row).seen_by(None)]
    return [*muting.heard(session, match.id, reader, rows)]


def turning(game: Game, found: Sequence[EventRow]) -> list[EventRow]:
    """Key events among them for the story, oldest first."""
    kinds = [*ENDED, *game.turning]
    # By importance, then the latest.
    rows = sorted((row for row in found if row.kind in kinds), key=lambda row: (kinds.index(row.kind), -row.n, -row.i))
    of_kind: Counter[str] = Counter()
    chosen: list[EventRow] = []
    for row in rows:
        if of_kind[row.kind] < OF_A_KIND and len(chosen) < SENTENCES:
            of_kind[row.kind] += 1
            chosen.append(row)
    return sorted(chosen, key=lambda row: (row.n, row.i))


def story(session: Session, match: Match, zone: str, rows: Sequence[EventRow]) -> list[str]:
    """In the current language, with the names of then. `rows`: those of `told`."""
    game, then = game_called(match.game), names.then(session, match)
    sentences = (tell(game, as_event(row), then(row.n), None, zone) for row in turning(game, rows))
    return [sentence for sentence in sentences if sentence]


def ending(session: Session, match: Match, zone: str, reader: Seat | None = None) -> str:
    """The story's last sentence; empty if there is none."""
    sentences = story(session, match, zone, told(session, match, reader))
    return sentences[-1] if sentences else ""
