"""A table without a database: keeps time and drives `engine.play.run.take`, as workers do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from engine.core.asks import Answer, NotLegal, Seat, write
from engine.core.chance import Chance
from engine.game import AnyState, Game
from engine.play.effects import Closed, Commanded, Due, Effect, Rejected, Submitted, TakenBack
from engine.play.match import FORMAT, Entry, Header, Match, replay
from engine.play.policy import Clock, Sitter, Timed
from engine.play.run import Run, take
from engine.play.taking_back import ENTRY, Trail
from engine.text.address import Address, Key

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
SPAN, GRACE, PAUSE = timedelta(hours=12), timedelta(hours=1), timedelta(hours=2)
"""Time for an answer, grace after its deadline, and pause before an answer by order."""


class Unsealed(Match):
    """Its log has no hashes: they take a seventh of a random move's time."""

    def _append(self, actor: str, ask: str, serial: int, move: str, at: str, via: str, mark: str) -> None:
        self.entries.append(Entry(len(self.entries) + 1, at, actor, ask, serial, mark, "", "", "", "", move, via))


def unsealed(game: Game, state: AnyState) -> Match:
    return Unsealed(Header(FORMAT, "", game.name, game.rules.version, {}, [], "", ""), b"", game, state)


def answer(run: Run, seat: Seat, given: Answer) -> list[Effect]:
    effects = take(run, answered(run, seat, given), own=True)[1]
    if isinstance(effects[-1], Rejected):
        raise NotLegal(effects[-1].why or "")
    return effects


def answered(run: Run, seat: Seat, given: Answer) -> Submitted:
    return Submitted("", seat, run.key(seat)[1], run.match.ask_kind(), write(given), "bot", BEGAN)


def answer_offers(run: Run) -> int:
    """Let bots use powers and answer proposals; returns how many. Bots here may be unknown to the game."""
    run.arriving, played = {run.key(seat) for seat in run.waiting}, 0
    while effects := take(run, Due(BEGAN), own=True)[1]:
        played += sum(isinstance(effect, Closed) for effect in effects)
    return played


@dataclass
class SimulatedTable:
    run: Run
    at: datetime = BEGAN
    submitted: int = 0
    log: list[Effect] = field(default_factory=list)
    """All that has followed."""

    @classmethod
    def of(cls, match: Match, seats: Mapping[Seat, Sitter], chance: Chance, clock: Clock | None = None) -> SimulatedTable:
        """A table at its first question, after automatic answers."""
        table = cls(Run(match, seats={**seats}, chance=chance, clock=clock or Clock()))
        table._settle()
        return table

    def submit(self, seat: Seat, to: Address, kind: str, answer: Answer, via: str = "page") -> list[Effect]:
        self.submitted += 1
        effects = self._take(Submitted(f"s{self.submitted}", seat, to, kind, write(answer), via, self.at))
        return [*effects, *self._settle()]

    def take_back(self, seat: Seat, step: str = "") -> list[Effect]:
        run, trail = self.run, self.run.trails.get(seat, Trail())
        last = trail.last(run.n)
        before = None
        if last is not None and last.what == ENTRY:
            match = run.match
            before = replay(match.header, match.seed, match.entries[: last.n - 1], trusted=True).state
        self.submitted += 1
        step = step or (last.id if last is not None else "none")
        effects = self._take(TakenBack(f"s{self.submitted}", seat, step, before, "page", self.at))
        return [*effects, *self._settle()]

    def command(self, actor: str, words: str, left: Seat = "") -> list[Effect]:
        return [*self._take(Commanded(actor, words, actor, [], self.at, left)), *self._settle()]

    def wait(self) -> list[Effect]:
        """Pass time until a kept answer or default is due, and play it."""
        moments = [m for timed in self.run.clock.asked.values() for m in (timed.falls, timed.kept_to) if m is not None]
        self.at = max(self.at, min(moments, default=self.at))
        effects = self._unasked()
        while self.run.clock.fallen(self.at) and (played := self._take(Due(self.at, overdue=True))):
            effects += [*played, *self._unasked()]
        return [*effects, *self._settle()]

    def _take(self, what: Submitted | TakenBack | Due | Commanded) -> list[Effect]:
        self.run, effects = take(self.run, what)
        self.log += effects
        return effects

    def _unasked(self) -> list[Effect]:
        effects = list[Effect]()
        while played := self._take(Due(self.at)):
            effects += played
        return effects

    def _settle(self) -> list[Effect]:
        effects, run = self._unasked(), self.run
        open_ = [*(run.key(seat) for seat in run.waiting), *run.proposed()] if run.match.outcome is None else []
        asked = {key: run.clock.asked.get(key) or self._timed(key) for key in open_ if not run.seats[key[0]].bot}
        if run.clock.since is None or run.clock.since[0] != run.match.state.serial:
            run.clock = replace(run.clock, since=(run.match.state.serial, self.at))
        clock = replace(run.clock, asked=asked)
        for seat in run.seats:
            run.spend_orders(seat)
        # A new transaction: what the last one remembered is gone.
        hidden = (run.hidden, run.parked, run.offers, run.held, run.trails)
        self.run = Run(run.match, *hidden, clock, run.seats, run.chance, spent=run.spent)
        return effects

    def _timed(self, key: Key) -> Timed:
        due, given = self.at + SPAN, self.run.later.get(key)
        if given is None:
            return Timed(due, due + GRACE)
        late = key == self.run.key(key[0]) and self.run.closes_late
        return Timed(due, due + GRACE, write(given.answer), given.via, due if late else self.at + PAUSE)
