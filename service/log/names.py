"""Player names, unique among all present and past names at a table."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence

from sqlmodel import Session, select

from engine.core.asks import Seat
from engine.language.words import Named, Names, addressed
from service.common import text_input
from service.log.chronicle import PREFIX
from service.log.entries import EventRecord, header_of, stored_events
from service.store.models import EventRow, Match, Message, SeatRow
from service.store.seats import called_of, seats_of

RENAMED = (PREFIX + "replace", PREFIX + "name")
"""Events that give a seat another name."""
OURS = ("You", "The host", "The table")
"""Subjects of our own sentences: a player called so would speak for the reader, the host or all."""


def distinct(name: str, borne: Iterable[str], seat: Seat) -> str:
    """Make a name unique, also by its looks and against `OURS`: add the seat's letter, and a number if needed."""
    known = {face for other in (*OURS, *borne) for face in _faces(other)}
    tried, n = name, 1
    while known & _faces(tried):
        tried = f"{name} ({seat})" if n == 1 else f"{name} ({seat}{n})"
        n += 1
    return tried


def is_name_of(name: str, wanted: str) -> bool:
    return name == wanted or name.startswith(f"{wanted} (")


def _faces(name: str) -> set[tuple[str, str]]:
    """Looks and readings of a name; names that share one are alike."""
    plain = text_input.face(unicodedata.normalize("NFKD", name))
    latin = text_input.alike(plain)
    return {("read", plain.casefold()), ("latin", latin.casefold()), ("seen", latin.replace("I", "l"))}


def borne(session: Session, match: Match) -> set[str]:
    """All present and past names at the table."""
    found = set(session.exec(select(SeatRow.name).where(SeatRow.match_id == match.id)))
    found |= set(session.exec(select(Message.name).where(Message.match_id == match.id).distinct()))
    if match.header is not None:
        found |= set(header_of(match).names.values())
    for event in stored_events(session, match, kinds=RENAMED):
        found |= {str(event.facts.get("who", "")), str(event.facts.get("to", ""))}
    return found - {""}


def then(session: Session, match: Match, seats: Sequence[SeatRow] = (), reader: Seat | None = None) -> Callable[[int], Names]:
    """Names by entry. `reader`: the seat called "you" while its present owner had it."""
    seats = seats or seats_of(session, match)
    names = addressed(called_of(match, seats), reader)
    spans: list[tuple[int, Names]] = []
    for event in reversed(stored_events(session, match, kinds=RENAMED)):
        spans.append((event.n, names))
        names = before(names, event)
    first = names
    return lambda n: next((there for since, there in spans if n >= since), first)


def before(names: Names, event: EventRow | EventRecord) -> Names:
    """Names before a seat changed hands: its former player isn't "you" and has another pronoun."""
    seat = event.facts.get("seat") or next((s for s, name in names.items() if name == event.facts["to"]), "")
    if seat not in names:
        return names
    changed = Named.of(names)  # keeps a host's own names
    changed[seat] = event.facts["who"]
    changed.reader = "" if changed.reader == seat else changed.reader
    changed.pronouns = {other: said for other, said in changed.pronouns.items() if other != seat}
    return changed
