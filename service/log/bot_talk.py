"""Talk of bots: at a great moment (`Log.great`) a bot says one line of its character, each line at most once a game.

A line is stored with the log's events, as a public event around the board. It depends on public events alone, so it reveals
nothing hidden. The log and the public talk show it; letters, digests (`recent_events`) and readers who muted the bot (`muting`)
get none. Lines of undone answers are forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from engine.core.asks import Seat
from engine.core.views import Event
from engine.games import game_called
from engine.play.match import Entry
from service.common.messages import from_data, sentence
from service.log.characters import Character, character_of
from service.log.chronicle import SAID, about_table
from service.log.entries import stored_events, times, undone, undone_by
from service.log.names import then
from service.store.models import EventRow, Match, SeatRow

MOMENTS = ("won", "out", "crown", "took", "lost")
"""Great moments, the greatest first: of those in one answer a bot speaks of one."""


@dataclass(frozen=True)
class BotLine:
    seat: Seat
    name: str
    text: str
    at: datetime
    bot: bool = True


def lines(session: Session, match: Match, muted: Collection[Seat]) -> list[BotLine]:
    """What bots have said, oldest first; none if they are to be quiet."""
    rows = [] if match.quiet_bots else stored_events(session, match, kinds=(SAID,))
    if not rows:
        return []
    gone, names = undone(session, match), then(session, match)
    at = {n: datetime.fromisoformat(text) for n, text in times(session, match.id, {row.n for row in rows}).items()}
    began = match.started_at or match.created_at  # events of the set-up have no entry
    return [
        BotLine(seat := row.facts["seat"], names(row.n)[seat], str(from_data(row.facts["words"])), at.get(row.n, began))
        for row in rows
        if row.n not in gone and row.facts["seat"] not in muted
    ]


def speak(
    session: Session,
    match: Match,
    seats: Iterable[SeatRow],
    told: Sequence[tuple[int, list[Event]]],
    entries: Iterable[Entry] = (),
) -> None:
    """Add bots' lines to the events of answers that aren't stored yet. `entries`: theirs, for take-backs."""
    bots = {row.seat: one for row in seats if (one := character_of(row)) is not None}
    if match.quiet_bots or not bots:
        return
    great, said = game_called(match.game).face.log.great, set[tuple[Seat, str]]()
    gone = undone_by(entries)
    found = [(events, moments) for n, events in told if n not in gone and (moments := _moments(great, events, bots))]
    if found:
        rows = session.exec(select(EventRow).where(EventRow.match_id == match.id, col(EventRow.kind) == SAID)).all()
        gone |= undone(session, match) if rows else set()
        said = {(row.facts["seat"], row.facts["moment"]) for row in rows if row.n not in gone}
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
    """Bots and their great moments, by public events."""
    found = set[tuple[Seat, str]]()
    for event in events:
        if event.only is None and not event.but:
            for moment, fact in great.get(event.kind, {}).items():
                whose = event.facts[fact]
                found |= {(seat, moment) for seat in (whose if isinstance(whose, list) else [whose]) if seat in bots}
    return found
