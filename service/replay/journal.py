"""The journal: public events in prose, by chapter; and the spectators' link."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

from sqlmodel import Session, select

from engine.core.asks import Seat
from engine.games import game_called
from service.common.messages import sentence
from service.errors import NotFound
from service.log import names
from service.log.chronicle import Gist, sentences, teller
from service.log.entries import Place, as_event, stored_events
from service.seat.seat_view import SeatView, load
from service.store.encryption import mark
from service.store.models import Match

PAGE = 10
START: Place = (-1, 0)


@dataclass
class Chapter:
    heading: str = ""
    paragraphs: list[list[str]] = field(default_factory=list)
    gist: Gist = field(default_factory=Gist)


def chapters(
    session: Session,
    match: Match,
    zone: str = "UTC",
    begin: Place = START,
    end: Place | None = None,
    reader: Seat | None = None,
) -> list[Chapter]:
    """Chapters from public events only; `reader`: the seat called "you"."""
    game, then = game_called(match.game), names.then(session, match, reader=reader)
    found, n = [Chapter()], -1
    for entry, rows in groupby(stored_events(session, match, begin, end), key=lambda row: row.n):
        called = then(entry)
        answer = [event for row in rows if (event := as_event(row)).seen_by(None)]
        for event, said in zip(answer, sentences(game, answer, teller(game, called, zone), called), strict=True):
            heading = game.words.chapter(event)
            if heading:
                found.append(Chapter(heading))
            if said is None or (heading and said.event is event):
                continue
            new = entry != n or not found[-1].paragraphs
            if new:
                found[-1].paragraphs.append([])
            n = entry
            found[-1].paragraphs[-1].append(said.alone if new else said.words)
            found[-1].gist.weigh(game, said.event.kind, said.alone)
    return [c for c in found if c.paragraphs]


def _beginnings(session: Session, match: Match) -> list[Place]:
    game = game_called(match.game)
    found = stored_events(session, match, kinds=game.face.log.chapters)
    return [START, *((row.n, row.i) for row in found if (event := as_event(row)).seen_by(None) and game.words.chapter(event))]


def page(
    session: Session, match: Match, number: int | None = None, zone: str = "UTC", reader: Seat | None = None
) -> tuple[list[Chapter], int, int]:
    """A page (default: last), its number, and the number of pages."""
    begins = _beginnings(session, match)
    pages = max(1, -(-len(begins) // PAGE))
    number = min(max(1, number or pages), pages)
    ends = begins[number * PAGE] if number < pages else None
    return chapters(session, match, zone, begins[(number - 1) * PAGE], ends, reader), number, pages


def text(session: Session, match: Match) -> str:
    parts = [match.name, "=" * len(match.name)]
    for chapter in chapters(session, match):
        if chapter.heading:
            parts += ["", chapter.heading, "-" * len(chapter.heading)]
        parts += ["", *("  ".join(p) for p in chapter.paragraphs)]
    return "\n".join(parts) + "\n"


def watched(session: Session, key: str) -> tuple[Match, SeatView | None]:
    """The game of a spectators' link. Raises NotFound."""
    match = session.exec(select(Match).where(Match.watch_mark == mark(key))).first() if key else None
    if match is None or not match.spectators:
        raise NotFound(sentence("Nothing can be watched at this address; its host may have closed it or made a new one."))
    return match, load(session, match, "")
