"""The journal: public events in prose, by chapter; and the spectators' link."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from sqlmodel import Session, select

from engine.games import game_called
from service.common.messages import sentence
from service.errors import NotFound
from service.games import names
from service.games.chronicle import Gist, tell
from service.games.entries import Place, as_event, stored_events
from service.games.seat_view import SeatView, load
from service.store.models import Match
from service.store.sealing import mark

PAGE = 10
START: Place = (-1, 0)


@dataclass
class Chapter:
    """A heading and paragraphs, one an entry."""

    heading: str = ""
    paragraphs: list[list[str]] = field(default_factory=list)
    gist: Gist = field(default_factory=Gist)


def chapters(
    session: Session, match: Match, zone: str = "UTC", begin: Place = START, end: Place | None = None
) -> list[Chapter]:
    """Chapters between two places, from public events only."""
    game, then = game_called(match.game), names.then(session, match)
    found, n = [Chapter()], -1
    for row in stored_events(session, match, begin, end):
        event = as_event(row)
        if not event.seen_by(None):
            continue
        heading = game.chapter(event)
        if heading:
            found.append(Chapter(heading))
        sentence = tell(game, event, then(row.n), None, zone)
        if not sentence or heading:
            continue
        if row.n != n or not found[-1].paragraphs:
            found[-1].paragraphs.append([])
        n = row.n
        found[-1].paragraphs[-1].append(sentence)
        found[-1].gist.weigh(game, row.kind, sentence)
    return [c for c in found if c.paragraphs]


def _beginnings(session: Session, match: Match) -> list[Place]:
    """Places where chapters begin, from events that may have a heading."""
    game = game_called(match.game)
    found = stored_events(session, match, kinds=game.chapters)
    return [START, *((row.n, row.i) for row in found if (event := as_event(row)).seen_by(None) and game.chapter(event))]


def page(session: Session, match: Match, number: int | None = None, zone: str = "UTC") -> tuple[list[Chapter], int, int]:
    """A page of the journal (default: last), its number, and the number of pages."""
    begins = _beginnings(session, match)
    pages = max(1, -(-len(begins) // PAGE))
    number = min(max(1, number or pages), pages)
    ends = begins[number * PAGE] if number < pages else None
    return chapters(session, match, zone, begins[(number - 1) * PAGE], ends), number, pages


def text(session: Session, match: Match) -> str:
    parts = [match.name, "=" * len(match.name)]
    for chapter in chapters(session, match):
        if chapter.heading:
            parts += ["", chapter.heading, "-" * len(chapter.heading)]
        parts += ["", *("  ".join(p) for p in chapter.paragraphs)]
    return "\n".join(parts) + "\n"


def let_watch(session: Session, match: Match, on: bool) -> None:
    """Open the game to spectators with a fresh link, or close it.

    Callers check permission: `service.games.lobby` before the start, then a vote.
    """
    match.spectators, match.watch_key = on, secrets.token_urlsafe(24) if on else ""
    match.watch_mark = mark(match.watch_key)
    session.add(match)
    session.flush()


def watched(session: Session, key: str) -> tuple[Match, SeatView | None]:
    """The game of a spectators' link, with its view. Raises NotFound."""
    match = session.exec(select(Match).where(Match.watch_mark == mark(key))).first() if key else None
    if match is None or not match.spectators:
        raise NotFound(sentence("Nothing can be watched at this address; its host may have closed it or made a new one."))
    return match, load(session, match, "")
