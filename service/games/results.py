"""How a game ended: who stands where, and its story in a few sentences, told by the events on which it turned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from engine.asks import Seat
from engine.game import AnyState, Game
from engine.games import game_called
from service.games import names
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


def standings(game: Game, state: AnyState | None, called: Mapping[Seat, str], winners: Sequence[Seat]) -> list[Standing]:
    """All seats, the winners first, then by points; else as they sit."""
    points = {seat: game.score(state, seat) if state is not None else None for seat in called}
    found = [Standing(seat, name, seat in winners, points[seat]) for seat, name in called.items()]
    return sorted(found, key=lambda one: (not one.won, -(one.points[0] if one.points else 0)))


def turning(session: Session, match: Match) -> list[EventRow]:
    """The events on which a match turned, as far as all may know them, oldest first: at most so many as a story tells."""
    kinds = [*ENDED, *game_called(match.game).turning]
    rows = [row for row in stored_events(session, match, kinds=kinds) if as_event(row).seen_by(None)]
    # What counts most first, and of that what came last: by then more hung on it.
    rows.sort(key=lambda row: (kinds.index(row.kind), -row.n, -row.i))
    told: Counter[str] = Counter()
    chosen: list[EventRow] = []
    for row in rows:
        if told[row.kind] < OF_A_KIND and len(chosen) < SENTENCES:
            told[row.kind] += 1
            chosen.append(row)
    return sorted(chosen, key=lambda row: (row.n, row.i))


def story(session: Session, match: Match, zone: str) -> list[str]:
    """The story of a match that is over, in the language spoken: by the names that people bore then."""
    game, then = game_called(match.game), names.then(session, match)
    told = (tell(game, as_event(row), then(row.n), None, zone) for row in turning(session, match))
    return [sentence for sentence in told if sentence]


def ending(session: Session, match: Match, zone: str) -> str:
    """How a match that is over came to its end, in a sentence; empty where its log tells nothing of that."""
    told = story(session, match, zone)
    return told[-1] if told else ""
