"""Talk of bots: at a great moment (`Log.great`) a bot says one line of its character, each line at most once a game.

A line is stored with the log's events, as a public event around the board of the answer that it follows. It depends on public
events alone, so neither a line nor silence reveals anything hidden. Pages show it; letters and digests leave it out
(`recent_events`), and so does everything for readers who have muted the bot (`muting`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlmodel import Session, select

from engine.core.asks import Seat
from engine.core.views import Event
from engine.games import game_called
from service.common.messages import sentence
from service.games.characters import Character, character_of
from service.games.chronicle import SAID, about_table
from service.store.models import EventRow, Match, SeatRow

MOMENTS = ("won", "out", "crown", "took", "lost")
"""Great moments, the greatest first: of those in one answer a bot speaks of one."""


def speak(session: Session, match: Match, seats: Iterable[SeatRow], told: Sequence[tuple[int, list[Event]]]) -> None:
    """Add bots' lines to the events of answers that aren't stored yet."""
    bots = {row.seat: one for row in seats if (one := character_of(row)) is not None}
    if match.quiet_bots or not bots:
        return
    great, said = game_called(match.game).face.log.great, set[tuple[Seat, str]]()
    found = [(events, moments) for _, events in told if (moments := _moments(great, events, bots))]
    if found:
        facts = session.exec(select(EventRow.facts).where(EventRow.match_id == match.id, EventRow.kind == SAID))
        said = {(of["seat"], of["moment"]) for of in facts}
    for events, moments in found:
        for seat in sorted({seat for seat, _ in moments}):
            moment = next((one for one in MOMENTS if (seat, one) in moments - said), "")
            if moment:
                said.add((seat, moment))
                words = sentence(bots[seat].talk[moment])
                events.append(about_table("said", seat=seat, moment=moment, words=words))


def _moments(
    great: Mapping[str, Mapping[str, str]], events: Sequence[Event], bots: Mapping[Seat, Character]
) -> set[tuple[Seat, str]]:
    """Bots and their great moments, by what everybody sees."""
    found = set[tuple[Seat, str]]()
    for event in events:
        if event.only is None and not event.but:
            for moment, fact in great.get(event.kind, {}).items():
                whose = event.facts[fact]
                found |= {(seat, moment) for seat in (whose if isinstance(whose, list) else [whose]) if seat in bots}
    return found
