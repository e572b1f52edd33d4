"""The history in pages, as one seat may know it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlmodel import Session, col, select

from engine.asks import Seat
from engine.games import game_called
from service.games import muting, names
from service.games.chronicle import PREFIX, Gist, tell
from service.games.entries import as_event, stored_entries, stored_events
from service.games.recent_events import whose
from service.games.state import position, shown_n
from service.people.accounts import zone_at
from service.store.models import EntryRow, Match, MatchStatus, PackedLog

PAGE = 100
"""Log entries on a page."""
UNASKED = ("order", "advance", "house")
"""`via` of answers given beforehand."""


@dataclass(frozen=True)
class Mark:
    via: str
    """order, advance, or house (default without an order)."""
    own: bool


@dataclass(frozen=True)
class Part:
    heading: str
    lines: list[tuple[int | None, list[str]]]
    gist: str


@dataclass(frozen=True)
class HistoryPage:
    """Lines of (entry number, sentences), oldest first.

    Events around the board have no number: it would count hidden answers.
    """

    lines: list[tuple[int | None, list[str]]] = field(default_factory=list)
    page: int = 1
    pages: int = 1
    seats: dict[int, Seat] = field(default_factory=dict)
    """Actor by entry,"""
    chapters: dict[int, str] = field(default_factory=dict)
    """headings of chapters beginning after it,"""
    marks: dict[int, Mark] = field(default_factory=dict)
    """and answers given beforehand: the reader's own, after the end all."""
    gists: dict[int, Gist] = field(default_factory=dict)
    """Key sentences by a chapter's first entry; -1 before the first."""

    @property
    def parts(self) -> list[Part]:
        """Lines by chapter."""
        found = [Part("", [], self.gists.get(-1, Gist()).words)]
        for n, sentences in self.lines:
            found[-1].lines.append((n, sentences))
            if n in self.chapters:
                found.append(Part(self.chapters[n], [], self.gists.get(n, Gist()).words))
        return [part for part in found if part.lines or part.heading]


def page(session: Session, match: Match, seat: Seat | None, number: int | None = None) -> HistoryPage:
    """A page for a seat (None: a spectator); by default the last."""
    game = game_called(match.game)
    state = position(session, match)
    if state is None:
        return HistoryPage()
    pages = shown_n(match, state) // PAGE + 1
    number = min(max(1, number or pages), pages)
    then, zone = names.then(session, match), zone_at(session, match.id, seat)
    lines: dict[int, list[str]] = {}
    numbered: set[int] = set()
    seats: dict[int, Seat] = {}
    chapters: dict[int, str] = {}
    gists: dict[int, Gist] = {}
    chapter = -1
    events = stored_events(session, match, ((number - 1) * PAGE, 0), (number * PAGE, 0))
    for event in muting.heard(session, match.id, seat, events):
        told = as_event(event)
        if told.seen_by(seat) and (words := tell(game, told, then(event.n), seat, zone)):
            if not told.kind.startswith(PREFIX):
                numbered.add(event.n)
                # The first event of an entry is the answer itself.
                seats.setdefault(event.n, whose(told.facts, then(event.n)))
                begun = max(chapters, default=-1)
                if heading := game.chapter(told):
                    chapters[event.n] = heading
                if begun < event.n:  # the event that ends a chapter belongs to it
                    chapter = begun
                gists.setdefault(chapter, Gist()).weigh(game, told.kind, words)
            lines.setdefault(event.n, []).append(words)
    return HistoryPage(
        [(n if n in numbered else None, told) for n, told in lines.items()],
        number,
        pages,
        seats,
        chapters,
        _marks(session, match, seat, numbered),
        gists,
    )


def _marks(session: Session, match: Match, seat: Seat | None, shown: set[int]) -> dict[int, Mark]:
    found = select(EntryRow.n, EntryRow.actor, EntryRow.via).where(
        EntryRow.match_id == match.id, col(EntryRow.via).in_(UNASKED), col(EntryRow.n).in_(shown)
    )
    if match.status != MatchStatus.FINISHED:
        found = found.where(EntryRow.actor == (seat or ""))
    elif session.get(PackedLog, match.id) is not None:
        marked = [e for e in stored_entries(session, match.id) if e.via in UNASKED and e.n in shown]
        return {e.n: Mark(e.via or "", e.actor == seat) for e in marked}
    return {n: Mark(via, actor == seat) for n, actor, via in session.exec(found)}
