"""Rules as procedures on a stack: run until somebody must be asked, or the game is over.

A procedure is a small struct with named steps. A step is either

* automatic: a method `NAME(table)` that returns what is next; or
* an asking step: `who_NAME(table)` names the seats to ask (cheap: it builds no form), `ask_NAME(table, seat)` builds one
  seat's Ask, and `take_NAME(table, answers)` takes the answers and returns what is next. It is called when the last
  answer is in, so answers of several seats are sealed until then. When `who_NAME` names nobody (a publicly forced
  answer, say), `take_NAME` is called at once with no answers. A step listed in `each` takes every answer by itself as it
  comes, and is left when it returns another step.
  `vet_NAME(table, seat, answer)`, where there is one, refuses what fields can't say; `explain_NAME(table, seat, answer)`
  may raise NotLegal with a better sentence for an answer that the fields refused, which it sees as it was given. Neither
  changes anything.

What is next: the name of a step, a `Call` (a sub-procedure first, then a step), or a `Done` with a word for the caller.
The whole state, stack included, is plain typed data: it can be saved, copied, compared and printed. A field that is added
to any part of it has a default, which stands for what was before there was the field; see `engine.rulings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from engine.asks import Answer, Ask, NotLegal, Option, Refused, Seat, Value, check
from engine.chance import Chance
from engine.views import Event


class Outcome(msgspec.Struct, frozen=True):
    """How a game ended: the winning seats (a team or an alliance may be several; a draw, none) and in what way."""

    winners: tuple[Seat, ...]
    how: str


class Table(Protocol):
    """What the kernel needs of a game's table; everything else is the game's own."""

    seats: list[Seat]
    chance: Chance
    outcome: Outcome | None
    news: list[Event]
    rulings: dict[str, str]
    """What is ruled in this match; see `engine.rulings`. Empty in snapshots that are older than any ruling."""


T = TypeVar("T")
P = TypeVar("P")


class Procedure(msgspec.Struct, tag=True):
    """Base of all procedures: where it stands, and what its last sub-procedure ended with.

    `came` is to be read in the step that the `Call` names: an offer's procedure may leave its own word later.
    """

    each: ClassVar[frozenset[str]] = frozenset()

    step: str = "begin"
    came: str = ""


class Call(msgspec.Struct, frozen=True):
    """Run `sub` first; go on with the step `then` when it is done."""

    sub: Procedure
    then: str


class Done(msgspec.Struct, frozen=True):
    """The procedure is over; `word` is left for the caller in its `came`."""

    word: str = ""


Next = str | Call | Done


class State(msgspec.Struct, Generic[T, P]):
    """A whole position: the table, the stack of procedures, whom the game waits for, and sealed answers so far."""

    table: T
    stack: list[P]
    serial: int = 0
    """Counts the asking steps that were opened; an ask's number, so that a stale answer is known as one."""
    waiting: list[Seat] = []
    """Seats that still have to answer the open step."""
    sealed: dict[Seat, Answer] = {}
    voided: list[int] = []
    """Numbers of steps that an offer interrupted while answers lay sealed: all are asked anew, and those stay sealed."""


MOST_STEPS = 20_000
"""Automatic steps between two asks; the games take some hundreds at the most."""


class Endless(RuntimeError):
    """A run of the rules that would not end."""


def advance(state: State[Any, Any]) -> None:
    """Run automatic steps until somebody must be asked or the game is over. Raises Endless where that never comes."""
    table, stack = state.table, state.stack
    for _ in range(MOST_STEPS):
        if table.outcome is not None or not stack:
            state.waiting, state.sealed = [], {}
            return
        frame = stack[-1]
        who = getattr(frame, "who_" + frame.step, None)
        if who is None:
            _follow(stack, frame, getattr(frame, frame.step)(table))
            continue
        seats = list(who(table))
        if seats:
            state.waiting, state.sealed = seats, {}
            state.serial += 1
            return
        _follow(stack, frame, getattr(frame, "take_" + frame.step)(table, {}))
    raise Endless(f"{MOST_STEPS} steps and nobody was asked; the last was {type(stack[-1]).__name__}.{stack[-1].step}")


def one_by_one(state: State[Any, Any]) -> bool:
    """Whether the open step takes every answer by itself as it comes; else all of them wait for the last."""
    frame = state.stack[-1]
    return frame.step in type(frame).each


def _follow(stack: list[Any], frame: Procedure, then: Next) -> None:
    if type(then) is str:
        frame.step = then
    elif type(then) is Call:
        frame.step = then.then
        stack.append(then.sub)
    else:
        assert isinstance(then, Done)
        stack.pop()
        if stack:
            stack[-1].came = then.word


def asks(state: State[Any, Any]) -> dict[Seat, Ask]:
    """The open asks of every seat that the game waits for."""
    return {seat: ask_of(state, seat) for seat in state.waiting}


def ask_of(state: State[Any, Any], seat: Seat) -> Ask:
    """The open ask of `seat`. Raises NotLegal when the game doesn't wait for it."""
    if seat not in state.waiting:
        raise NotLegal("You are not asked anything just now. A letter comes as soon as you are.")
    frame = state.stack[-1]
    ask: Ask = getattr(frame, "ask_" + frame.step)(state.table, seat)
    return ask


def vet(state: State[Any, Any], seat: Seat, answer: Answer) -> Answer:
    """`answer` in canonical form if it is legal now; changes nothing. Raises Refused with a sentence if it is not."""
    ask = ask_of(state, seat)
    frame = state.stack[-1]
    try:
        answer = check(ask, answer)
    except Refused:
        explain = getattr(frame, "explain_" + frame.step, None)
        if explain is not None:
            explain(state.table, seat, answer)
        raise
    vetting = getattr(frame, "vet_" + frame.step, None)
    if vetting is not None:
        vetting(state.table, seat, answer)
    return answer


def play(state: State[Any, Any], seat: Seat, answer: Answer, trusted: bool = False) -> list[Event]:
    """Play one answer and run on; what happened, as events. `trusted` skips the check: for logs that were checked once.

    Raises Refused, with the state unchanged, when the answer isn't legal.
    """
    if not trusted:
        answer = vet(state, seat, answer)
    elif seat not in state.waiting:
        raise NotLegal(f"Seat {seat} is not asked here.")
    table, frame = state.table, state.stack[-1]
    if one_by_one(state):
        state.waiting.remove(seat)
        step = frame.step
        then = getattr(frame, "take_" + step)(table, {seat: answer})
        if then != step or not state.waiting:
            _follow(state.stack, frame, then)
            advance(state)
    else:
        state.sealed[seat] = answer
        state.waiting.remove(seat)
        if not state.waiting:
            answers = {s: state.sealed[s] for s in table.seats if s in state.sealed}
            _follow(state.stack, frame, getattr(frame, "take_" + frame.step)(table, answers))
            advance(state)
    news: list[Event] = table.news
    table.news = []
    return news


def begin(state: State[Any, Any]) -> list[Event]:
    """Run a fresh state to its first ask; what happened, as events."""
    advance(state)
    news: list[Event] = state.table.news
    state.table.news = []
    return news


def yes_no(seat: Seat, kind: str, rule: str, default: str = "no", about: Mapping[str, Value] | None = None) -> Ask:
    """An ask with the two options `yes` and `no`."""
    return Ask(seat, kind, (Option("yes"), Option("no")), Answer(default), rule, about or {})


S = TypeVar("S", bound=State[Any, Any])


def copy_for(state: S, kind: type[S], seat: Seat | None, chance: Chance) -> S:
    """A copy to deal anew for `seat`: with other chance, and without what others have sealed.

    Who has answered is a secret too, so all the others are to be asked again; where nobody else is, `seat` itself.
    """
    fresh: S = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=kind)
    fresh.table.chance = Chance(chance.secret, dict(fresh.table.chance.drawn))
    _unseal(fresh, seat)
    return fresh


def _unseal(state: State[Any, Any], seat: Seat | None) -> None:
    own = {s: a for s, a in state.sealed.items() if s == seat}
    asked = {*state.waiting, *state.sealed} - own.keys()
    state.waiting, state.sealed = [s for s in state.table.seats if s in asked], own
    if not state.waiting and own:
        state.waiting, state.sealed = [s for s in state.table.seats if s in own], {}
