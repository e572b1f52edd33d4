"""Player names, unique among all present and past names at a table."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from copy import copy

import msgspec
from sqlmodel import Session, select

from engine.asks import Seat
from engine.match import Header
from service.common import text_input
from service.games.chronicle import PREFIX
from service.games.entries import Told, stored_events
from service.store.models import EventRow, Match, Message, SeatRow
from service.store.seats import called

REPLACED = PREFIX + "replace"


def distinct(name: str, borne: Iterable[str], seat: Seat) -> str:
    """Make a name unique by the seat's letter, and a number if needed."""
    known = {_face(other) for other in borne}
    tried, n = name, 1
    while _face(tried) in known:
        tried = f"{name} ({seat})" if n == 1 else f"{name} ({seat}{n})"
        n += 1
    return tried


def _face(name: str) -> str:
    """Fold case, width, marks and spaces, for comparison."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return text_input.face(plain)


def borne(session: Session, match: Match) -> set[str]:
    """All present and past names at the table."""
    found = set(session.exec(select(SeatRow.name).where(SeatRow.match_id == match.id)))
    found |= set(session.exec(select(Message.name).where(Message.match_id == match.id).distinct()))
    if match.header is not None:
        found |= set(msgspec.json.decode(match.header, type=Header).names.values())
    for event in stored_events(session, match, kinds=(REPLACED,)):
        found |= {str(event.facts.get("who", "")), str(event.facts.get("to", ""))}
    return found - {""}


def then(session: Session, match: Match, seats: Sequence[SeatRow] = ()) -> Callable[[int], dict[Seat, str]]:
    """Lookup of the names at the table when entry `n` was played. `seats`: its rows, if already read."""
    seats = seats or session.exec(select(SeatRow).where(SeatRow.match_id == match.id)).all()
    names = called(match, {s.seat: s.name for s in seats})
    spans: list[tuple[int, dict[Seat, str]]] = []
    for event in reversed(stored_events(session, match, kinds=(REPLACED,))):
        spans.append((event.n, names))
        names = before(names, event)
    first = names
    return lambda n: next((there for since, there in spans if n >= since), first)


def before(names: dict[Seat, str], event: EventRow | Told) -> dict[Seat, str]:
    """The names before a seat changed hands."""
    seat = event.facts.get("seat") or next((s for s, name in names.items() if name == event.facts["to"]), None)
    if seat not in names:
        return names
    changed = copy(names)  # keeps the subclass with a host's own names
    changed[seat] = event.facts["who"]
    return changed
