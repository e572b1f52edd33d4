"""Checkpoints: cached states of a log; a step in the replay viewer replays at most `EVERY` entries."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from engine.game import AnyState, copy
from engine.games import game_called
from engine.play import match as matches
from service.common.memo import MemoCache
from service.log.entries import header_of, stored_entries
from service.store.encryption import need
from service.store.models import Match

EVERY = 32
"""Entries between two checkpoints."""
MOST = 48_000_000
"""Most bytes of states and keys."""
KEPT = MemoCache[tuple[str, bytes]](MOST)
"""Hash of the entry, and the state after it."""


@dataclass(frozen=True)
class Step:
    state: AnyState
    before: AnyState | None
    """None at the start."""
    at: str
    """Time of the entry; empty at the start."""


def step(session: Session, match: Match, n: int) -> Step:
    """The states around entry `n`, which must exist; 0 is the start."""
    need(match.seed)
    played, entries = _from_checkpoint(session, match, n)
    before = copy(played.game, played.state) if played.before == n - 1 else None
    for entry, _ in matches.follow(played, entries, trusted=True, heard=False):
        if entry.n == n - 1:
            before = copy(played.game, played.state)
        if entry.n % EVERY == 0 and KEPT.get(_key(match, entry.n)) is None:
            kept = played.game.rules.encode(played.state)
            KEPT.keep(_key(match, entry.n), (entry.hash, kept), len(kept))
    return Step(played.state, before, entries[-1].at if entries else "")


def _from_checkpoint(session: Session, match: Match, n: int) -> tuple[matches.Match, list[matches.Entry]]:
    header = header_of(match)
    for k in range((n - 1) // EVERY * EVERY, 0, -EVERY):
        found = KEPT.get(_key(match, k))
        if found is not None:
            entries = stored_entries(session, match.id, k, n)
            backs = [matches.returns_to(e) for e in entries if e.ask == matches.TAKE_BACK and e.n > k]
            if entries and entries[0].hash == found[0] and min(backs, default=k) >= k:
                played = matches.take_up(
                    header, match.seed, game_called(header.game, header.rules).rules.decode(found[1]), k, found[0]
                )
                return played, entries[1:]
    return matches.start(header, match.seed), stored_entries(session, match.id, 1, n) if n else []


def _key(match: Match, n: int) -> bytes:
    return f"{match.id} {n}".encode()
