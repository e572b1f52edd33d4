"""The history in pages, as one seat may know it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

from sqlmodel import Session, col, select

from engine.core.asks import Seat
from engine.games import game_called
from service.log import muting, names
from service.log.chronicle import Gist, is_around, sentences, teller
from service.log.entries import as_event, stored_entries, stored_events
from service.log.recent_events import whose
from service.people.accounts import reader_at
from service.seat.state import position, shown_n
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
    """Lines of (entry number, sentences), oldest first; none is numbered around the board, which would reveal hidden
    answers.
    """

    lines: list[tuple[int | None, list[str]]] = field(default_factory=list)
    page: int = 1
    pages: int = 1
    seats: dict[int, Seat] = field(default_factory=dict)
    """Actor by entry."""
    chapters: dict[int, str] = field(default_factory=dict)
    """Headings of chapters beginning after an entry."""
    marks: dict[int, Mark] = field(default_factory=dict)
    """Answers given beforehand: the reader's own; after the end, everybody's."""
    gists: dict[int, Gist] = field(default_factory=dict)
    """Key sentences by a chapter's first entry; -1 before the first."""

    @property
    def parts(self) -> list[Part]:
        found = [Part("", [], self.gists.get(-1, Gist()).words)]
        for n, said in self.lines:
            found[-1].lines.append((n, said))
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
    then, zone = names.then(session, match, reader=seat), reader_at(session, match.id, seat)[1]
    lines: dict[int, list[str]] = {}
    numbered: set[int] = set()
    seats: dict[int, Seat] = {}
    chapters: dict[int, str] = {}
    gists: dict[int, Gist] = {}
    chapter = -1
    events = stored_events(session, match, ((number - 1) * PAGE, 0), (number * PAGE, 0))
    for n, rows in groupby(muting.heard(session, match.id, seat, events), key=lambda row: row.n):
        called = then(n)
        answer = [event for row in rows if (event := as_event(row)).seen_by(seat)]
        for event, said in zip(answer, sentences(game, answer, teller(game, called, zone), called), strict=True):
            if not is_around(event.kind):
                heading = game.words.chapter(event)
                if said is None and not heading:
                    continue
                numbered.add(n)
                # The first event of an entry is the answer itself.
                seats.setdefault(n, whose(answer[0].facts, called))
                begun = max(chapters, default=-1)
                if heading:
                    chapters[n] = heading
                if begun < n:  # the event that ends a chapter belongs to it
                    chapter = begun
                if said is not None:
                    gists.setdefault(chapter, Gist()).weigh(game, said.event.kind, said.alone)
            if said is not None:
                lines.setdefault(n, []).append(said.words)
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
