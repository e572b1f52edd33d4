"""How a game ended: who stands where, and its story in a few sentences, told by the events on which it turned."""

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
"""That a story has, at the most."""
ENDED = tuple(PREFIX + kind for kind in SENTENCES_OF_THE_TABLE if kind.partition("_")[0] == "ended")
"""That a match was ended before its time, by whom and why: no story leaves that out."""
OF_A_KIND = 2
"""Of them that tell of the same kind of event."""


@dataclass(frozen=True)
class Standing:
    """A seat at the end."""

    seat: Seat
    name: str
    won: bool
    points: tuple[int, int] | None
    """Its own, and how many win; None where the game counts none."""
    fell: Fall | None = None
    """When and how it left the game; None for who was there to the end."""
    kept: str = ""
    """What it takes along, for a rematch."""


@dataclass(frozen=True)
class Fall:
    """How a seat left the game before its end."""

    nth: int
    """0 for who was the first."""
    chapter: str
    """What the journal calls the part of the game in which it did, `Round 7`; '' before the first."""
    how: str


def standings(
    game: Game, state: AnyState | None, called: Mapping[Seat, str], winners: Sequence[Seat], rows: Sequence[EventRow] = ()
) -> list[Standing]:
    """All seats, the winners first, then by points and who was there longest; else as they sit. `rows` are those of `told`."""
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
    """Who left the game before its end, of those events, in the language spoken; and to whom, where there is one."""
    chapter, found = "", dict[Seat, Fall]()
    for row in rows:
        if row.kind in game.chapters:
            chapter = game.chapter(as_event(row)) or chapter
        elif row.kind == game.falls:
            key = f"{row.facts['how']}_to" if row.facts.get("to") else row.facts["how"]
            found[row.facts["seat"]] = Fall(len(found), chapter, game.words.text("fell", key, row.facts, called))
    return found


def told(session: Session, match: Match, reader: Seat | None = None) -> list[EventRow]:
    """The events by which the end of a match is told, as far as all may know them, oldest first; without the free text of
    those that the reader has muted."""
    game = game_called(match.game)
    kinds = {*ENDED, *game.turning, *((game.falls, *game.chapters) if game.falls else ())}
    rows = [row for row in stored_events(session, match, kinds=kinds) if as_event(row).seen_by(None)]
    return [*muting.heard(session, match.id, reader, rows)]


def turning(game: Game, found: Sequence[EventRow]) -> list[EventRow]:
    """Those of them on which the match turned, oldest first: at most so many as a story tells."""
    kinds = [*ENDED, *game.turning]
    # What counts most first, and of that what came last: by then more hung on it.
    rows = sorted((row for row in found if row.kind in kinds), key=lambda row: (kinds.index(row.kind), -row.n, -row.i))
    of_kind: Counter[str] = Counter()
    chosen: list[EventRow] = []
    for row in rows:
        if of_kind[row.kind] < OF_A_KIND and len(chosen) < SENTENCES:
            of_kind[row.kind] += 1
            chosen.append(row)
    return sorted(chosen, key=lambda row: (row.n, row.i))


def story(session: Session, match: Match, zone: str, rows: Sequence[EventRow]) -> list[str]:
    """The story of a match that is over, in the language spoken, by the names of then. `rows` are those of `told`."""
    game, then = game_called(match.game), names.then(session, match)
    sentences = (tell(game, as_event(row), then(row.n), None, zone) for row in turning(game, rows))
    return [sentence for sentence in sentences if sentence]


def ending(session: Session, match: Match, zone: str, reader: Seat | None = None) -> str:
    """How a match that is over came to its end, in a sentence; empty where its log tells nothing of that."""
    sentences = story(session, match, zone, told(session, match, reader))
    return sentences[-1] if sentences else ""
