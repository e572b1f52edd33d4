"""The board after an earlier entry of the log, as one seat knew it then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlmodel import Session

from engine import match as matches
from engine.asks import Seat
from service.common.messages import sentence
from service.errors import NotFound
from service.games import muting, names
from service.games.chronicle import PREFIX, tell
from service.games.entries import as_event, stored_entries, stored_events
from service.games.recent_events import Line, Part, lines
from service.games.state import position, shown_n
from service.store.models import Match
from service.store.sealing import need

BEFORE, AFTER = 8, 4
"""Entries described before and after it."""


@dataclass(frozen=True)
class Past:
    n: int
    last: int
    """Newest visible entry."""
    at: str
    """Time of entry `n`; empty before the first."""
    view: dict[str, Any]
    names: dict[Seat, str]
    told: list[Part]
    around: list[Line]
    """Neighbouring entries, newest first."""


def at(session: Session, match: Match, seat: Seat, n: int, zone: str) -> Past:
    """The position after `n` entries as the seat (empty: a spectator) saw it then, without later knowledge. Raises NotFound for
    an invisible entry."""
    state = position(session, match)
    last = shown_n(match, state) if state is not None else -1
    if state is None or match.header is None or n > last:
        raise NotFound(sentence("There is no entry %(n)s in what you may know of the log.", n=n))
    need(match.seed)
    header = msgspec.json.decode(match.header, type=matches.Header)
    entries = stored_entries(session, match.id)[:n]
    then = matches.replay(header, match.seed, entries, trusted=True)
    names_at = names.then(session, match)
    called = names_at(n)
    told, beside = [], []
    events = stored_events(session, match, (max(0, n - BEFORE), 0), (min(n + AFTER, last) + 1, 0))
    for row in muting.heard(session, match.id, seat, events):
        event = as_event(row)
        if event.seen_by(seat or None) and (words := tell(then.game, event, names_at(row.n), seat, zone)):
            if row.n == n:
                told.append(Part(event, words, event.kind in then.game.turning))
            if not event.kind.startswith(PREFIX):
                beside.append((row.n, event, words))
    view = then.game.view(then.state, seat or None)
    around = lines(reversed(beside), set(called), n - 1, then.game)
    return Past(n, last, entries[-1].at if entries else "", view, called, told, around)
