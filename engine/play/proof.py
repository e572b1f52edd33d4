"""Proof in a replay file: the log, every random draw, a position hash per round.

`service/web/static/proof.js` verifies log and draws; this module also replays moves.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from engine.core import procedure
from engine.core.asks import NotUnderstood, Refused
from engine.core.chance import Chance, T
from engine.core.views import Event
from engine.game import AnyState, Game
from engine.games import game_called
from engine.language.words import plain, read_said, say
from engine.play import match as matches
from engine.play.match import Entry, Header, Match, Verdict

PARTS = ("log", "draws", "positions")
"""Parts of a proof: `writ-log` is the id of the first one's `<pre>` in a replay file."""
START = "<!doctype html>"


class Draw(msgspec.Struct, frozen=True, array_like=True):
    """A recorded draw of committed chance: shuffle, number or sample."""

    n: int
    """The entry that it was for; 0 before the first."""
    kind: str
    """`shuffle`, `below` or `sample`: the methods of Chance."""
    purpose: str
    nth: int
    """How often this purpose was drawn for."""
    of: Any
    """Cards before a shuffle; else the number of possible values."""
    limit: int | None
    """Cards drawn from the end of a shuffle (None: all); size of a sample."""
    got: Any
    """Cards after a shuffle, or numbers."""


class Recorder(Chance):
    """Chance that records draws until they are taken."""

    draws: list[Draw] = []

    def shuffle(self, cards: list[T], purpose: str, last: int | None = None) -> None:
        before = [str(card) for card in cards]
        Chance.shuffle(self, cards, purpose, last)
        self._keep("shuffle", purpose, before, last, [str(card) for card in cards])

    def below(self, n: int, purpose: str) -> int:
        got = Chance.below(self, n, purpose)
        self._keep("below", purpose, n, None, got)
        return got

    def sample(self, n: int, k: int, purpose: str) -> list[int]:
        got = Chance.sample(self, n, k, purpose)
        self._keep("sample", purpose, n, k, [*got])
        return got

    def _keep(self, kind: str, purpose: str, of: Any, limit: int | None, got: Any) -> None:
        self.draws.append(Draw(0, kind, purpose, self.drawn[purpose], of, limit, got))

    def take(self, n: int) -> list[Draw]:
        taken, self.draws = self.draws, []
        return [msgspec.structs.replace(draw, n=n) for draw in taken]


@dataclass(frozen=True)
class Step:
    """A replayed entry; entry None is the opening."""

    n: int
    entry: Entry | None
    events: list[Event]
    draws: list[Draw]
    rule: str
    """Rule id of the question that it answers; empty for none."""
    state: AnyState
    """The position after it; the next step changes it."""

    def begins(self, game: Game) -> bool:
        """Whether a round or turn publicly begins."""
        return any(event.seen_by(None) and game.words.chapter(event) for event in self.events)


def walk(header: Header, seed: bytes, entries: Iterable[Entry], trusted: bool = True) -> Iterator[Step]:
    """Replay a log entry by entry. Raises Refused."""
    match, rules = matches.start(header, seed, Recorder), list[str]()
    yield Step(0, None, match.opening, _taken(match, 0), "", match.state)
    following = matches.follow(match, entries, trusted, before_each=lambda entry: rules.append(_rule(match, entry)))
    for entry, events in following:
        yield Step(entry.n, entry, events, _taken(match, entry.n), rules[-1], match.state)


def _taken(match: Match, n: int) -> list[Draw]:
    chance: Recorder = match.state.table.chance
    return chance.take(n)


def _rule(match: Match, entry: Entry) -> str:
    if entry.ask in (matches.REVEAL, matches.TABLE, matches.TAKE_BACK) or entry.move is None:
        return ""
    if entry.serial > matches.OFFER:
        asked = procedure.ask_of(match.state, entry.actor) if entry.actor in match.state.waiting else None
        return asked.rule if asked is not None else ""
    seat, kind, *_ = matches.parts(entry)
    return next((ask.rule for ask in match.game.rules.powers.open(match.state, seat) if ask.kind == kind), "")


@dataclass
class Proof:
    """A log with its draws and position hashes."""

    log: list[str] = field(default_factory=list)
    draws: list[str] = field(default_factory=list)
    positions: list[str] = field(default_factory=list)
    """`N HASH`: SHA-256 of the position after entry N, for the start, each round, and the end."""

    def add(self, step: Step, game: Game, last: int) -> None:
        """Draws, and the position if a round begins."""
        self.draws += [msgspec.json.encode(draw).decode() for draw in step.draws]
        if step.n in (0, last) or step.begins(game):
            self.positions.append(f"{step.n} {position_hash(game, step.state)}")

    def parts(self) -> Iterator[tuple[str, str]]:
        for name in PARTS:
            yield name, "\n".join(getattr(self, name))


def position_hash(game: Game, state: AnyState) -> str:
    return hashlib.sha256(game.rules.notation.whole(state).encode()).hexdigest()


def prove(header: Header, seed: bytes, entries: Sequence[Entry]) -> Proof:
    """Proof of a finished log. Raises Refused."""
    game, proof = game_called(header.game, header.rules), Proof([*matches.to_lines(header, entries)])
    for step in walk(header, seed, entries):
        proof.add(step, game, len(entries))
    return proof


def position_after(lines: Sequence[str], n: int | None = None) -> tuple[Game, AnyState]:
    """The position after entry `n` of a finished log; None: the last. Raises Refused."""
    header, entries = matches.read_log(lines)
    if n is not None and not 0 <= n <= len(entries):
        raise NotUnderstood(plain(f"There is no entry {n} here; this log has entries 1 to {len(entries)}, and 0 is the start."))
    match = matches.start(header, bytes.fromhex(matches.revealed_seed(entries)))
    for _ in matches.follow(match, entries[:n]):
        pass
    return match.game, match.state


def read_file(text: str) -> Proof:
    """Extract the proof from a replay file's HTML. Raises NotUnderstood."""
    found = Proof()
    for name in PARTS:
        part = re.search(rf'<pre id="writ-{name}" hidden>(.*?)</pre>', text, re.DOTALL)
        if part is None:
            raise NotUnderstood(say("log.no_part", part=name))
        setattr(found, name, html.unescape(part[1]).split("\n") if part[1] else [])
    return found


def verify_file(text: str) -> Verdict:
    """Verify a replay file: log, draws, positions."""
    try:
        found = read_file(text)
    except Refused as refusal:
        return Verdict(False, read_said(refusal.said.stored()))
    verdict = matches.verify(found.log)
    if not verdict.holds:
        return verdict
    header, entries = matches.read_log(found.log)
    true = prove(header, bytes.fromhex(matches.revealed_seed(entries)), entries)
    for code, given, right in (
        ("log.wrong_draw", found.draws, true.draws),
        ("log.wrong_position", found.positions, true.positions),
    ):
        at = _first_difference(given, right)
        if at is not None:
            n = _entry_of(right[at]) if at < len(right) else len(entries)
            return Verdict(False, say(code, line=n + 1, n=n))
    holds = say("log.file_holds", log=verdict.said, draws=len(true.draws), positions=len(true.positions))
    return Verdict(True, holds, verdict.entries, verdict.winners)


def _first_difference(one: Sequence[str], other: Sequence[str]) -> int | None:
    if one == other:
        return None
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _entry_of(line: str) -> int:
    return int(line.removeprefix("[").partition(",")[0].partition(" ")[0])
