"""What happened so far, page by page, as one seat may know it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlmodel import Session, col, select

from engine.asks import Seat
from engine.games import game_called
from service.games import muting, names, seen
from service.games.chronicle import PREFIX, Gist, tell
from service.games.entries import as_event, stored_entries, stored_events
from service.games.state import position
from service.people.accounts import zone_at
from service.post.recent_events import whose
from service.store.models import EntryRow, Match, MatchStatus, PackedLog

PAGE = 100
"""Log entries on one page of the history."""
UNASKED = ("order", "advance", "house")
"""How an answer comes that its player gave beforehand."""


@dataclass(frozen=True)
class Mark:
    """How an answer came that its player gave beforehand."""

    via: str
    """order, advance, or house: by a default of the house, where no order was set."""
    own: bool
    """Whether it is the reader's own."""


@dataclass(frozen=True)
class Part:
    """A chapter of a page of the history."""

    heading: str
    lines: list[tuple[int | None, list[str]]]
    gist: str


@dataclass(frozen=True)
class HistoryPage:
    """A page of the history: lines of (entry number, sentences), oldest first, and how many pages there are.

    What happened around the board has no number there: while answers lie sealed, it would tell how many there are.
    """

    lines: list[tuple[int | None, list[str]]] = field(default_factory=list)
    page: int = 1
    pages: int = 1
    seats: dict[int, Seat] = field(default_factory=dict)
    """Whose answer an entry was,"""
    chapters: dict[int, str] = field(default_factory=dict)
    """and what began with it: a round, a year."""
    marks: dict[int, Mark] = field(default_factory=dict)
    """Answers that were given by order or in advance, by their numbers. While the game runs they are the seat's own, and
    nobody else is told; after its end they are everybody's."""
    gists: dict[int, Gist] = field(default_factory=dict)
    """What a chapter turns on, by the number of the entry that it began with; -1 for what stands before the first."""

    @property
    def parts(self) -> list[Part]:
        """The lines by chapters, that before the first heading among them. An entry that ends one stands in it."""
        found = [Part("", [], self.gists.get(-1, Gist()).words)]
        for n, sentences in self.lines:
            found[-1].lines.append((n, sentences))
            if n in self.chapters:
                found.append(Part(self.chapters[n], [], self.gists.get(n, Gist()).words))
        return [part for part in found if part.lines or part.heading]


def page(session: Session, match: Match, seat: Seat | None, number: int | None = None) -> HistoryPage:
    """What happened so far, as the seat (None: a spectator) may know it; the last page when no number is given."""
    game = game_called(match.game)
    state = position(session, match)
    if state is None:
        return HistoryPage()
    pages = seen.shown_n(match, state) // PAGE + 1
    number = min(max(1, number or pages), pages)
    then, zone = names.then(session, match), zone_at(session, match.id, seat)
    lines: dict[int, list[str]] = {}
    numbered: set[int] = set()
    seats: dict[int, Seat] = {}
    chapters: dict[int, str] = {}
    gists: dict[int, Gist] = {}
    chapter = -1  # the entry that the chapter began with
    events = stored_events(session, match, ((number - 1) * PAGE, 0), (number * PAGE, 0))
    for event in muting.heard(session, match.id, seat, events):
        told = as_event(event)
        if told.seen_by(seat) and (words := tell(game, told, then(event.n), seat, zone)):
            if not told.kind.startswith(PREFIX):
                numbered.add(event.n)
                # The first event of an entry is the answer itself, and the rest came of it.
                seats.setdefault(event.n, whose(told.facts, then(event.n)))
                begun = max(chapters, default=-1)
                if heading := game.chapter(told):
                    chapters[event.n] = heading
                if begun < event.n:  # what ends a chapter stands in it
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
