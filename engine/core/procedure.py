"""Procedures: rules as a stack machine that runs until a seat must be asked or the game is over. See docs/asks.md.

A step is automatic, `NAME(table) -> Next`, or asks: `who_NAME(table)` returns the seats (cheap, without forms),
`ask_NAME(table, seat)` an Ask, `take_NAME(table, answers)` takes all answers, hidden until the last is in, or none if nobody is
asked. A step listed in `each` takes every answer as it comes, until it returns another step; it may return `Again` to repeat a
question, or a `Call` that continues with the same step. Optional, without changing state: `vet_NAME(table, seat, answer)`
raises for what fields can't rule out, `explain_NAME(table, seat, answer)` raises NotLegal with a better message,
`verbs_NAME(table, seat)` lists every option that the step may ever offer (`shut`). `again_NAME(table)`: see `Asking`.

After a change from outside (see `engine.core.offers`), the open step is parked beneath a procedure that the offer pushes; then
hidden answers are validated again and illegal ones go back to their seats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from engine.core.asks import About, Answer, Ask, NotLegal, Option, Refused, Seat, check
from engine.core.chance import GUESSES, Chance, guess
from engine.core.cloning import clone
from engine.core.views import UNHEARD, Event
from engine.language.words import Message, say


class Outcome(msgspec.Struct, frozen=True):
    """Winning seats (none for a draw) and how it ended."""

    winners: tuple[Seat, ...]
    how: str


class Table(Protocol):
    seats: list[Seat]
    chance: Chance
    outcome: Outcome | None
    news: list[Event]
    rulings: dict[str, str]
    """See `engine.core.rulings`; empty in old snapshots."""


class BaseTable(msgspec.Struct, kw_only=True):
    """Base class; annotate each field's visibility (`engine.core.visibility`). Proposals need `proposals: Desk[...]`."""

    seats: list[Seat]
    chance: Chance
    outcome: Outcome | None = None
    news: list[Event] = []
    rulings: dict[str, str] = {}

    def tell(self, event: str, only: tuple[Seat, ...] | None = None, but: tuple[Seat, ...] = (), **facts: object) -> None:
        """Log an event for all, `only` some seats, or all `but` some."""
        if self.news is not UNHEARD:
            self.news.append(Event(event, facts, only, but))

    def tell_two(self, event: str, seats: tuple[Seat, ...], secret: Mapping[str, Any], **facts: Any) -> None:
        """Log a public event; `seats` get `EVENT_own` with `secret` facts instead."""
        if self.news is not UNHEARD:
            self.news.append(Event(event, facts, None, seats))
            self.news.append(Event(f"{event}_own", {**facts, **secret}, seats))


T = TypeVar("T")
P = TypeVar("P")


class Unfinished(TypeError):
    """Programming error in a game's definition."""


class Automatic(msgspec.Struct, frozen=True):
    name: str
    run: Callable[[Any, Any], Next]


class Asking(msgspec.Struct, frozen=True):
    """A step that asks; its functions take the procedure first."""

    name: str
    who: Callable[[Any, Any], Iterable[Seat]]
    ask: Callable[[Any, Any, Seat], Ask]
    take: Callable[[Any, Any, dict[Seat, Answer]], Next]
    vet: Callable[[Any, Any, Seat, Answer], None] | None
    explain: Callable[[Any, Any, Seat, Answer], None] | None
    each: bool
    """Whether it takes answers one by one, not all after the last."""
    again: Callable[[Any, Any], bool] | None = None
    """Whether to ask everybody again after a change from outside."""
    verbs: Callable[[Any, Any, Seat], Iterable[str]] | None = None
    """All options it may ever offer, in the rule book's order."""


Step = Automatic | Asking

PARTS = {"who": 2, "ask": 3, "take": 3, "vet": 4, "explain": 4, "again": 2, "verbs": 3}
"""Parts of an asking step and their numbers of arguments."""


class Procedure(msgspec.Struct, tag=True):
    """Base class.

    Read `came`, the last sub-procedure's word, in the step that the `Call` names: later ones overwrite it.
    """

    each: ClassVar[frozenset[str]] = frozenset()
    freezes: ClassVar[bool] = False
    """Whether offers have to wait until it is done."""
    steps: ClassVar[Mapping[str, Step]] = {}

    step: str = "begin"
    came: str = ""

    def waits(self, table: Any, seat: Seat, kind: str) -> bool:  # noqa: ARG002 - for subclasses
        """Whether offers wait for a safe point; depends on public information only."""
        return self.freezes

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.steps = _bind(cls)


def _bind(cls: type[Procedure]) -> dict[str, Step]:
    """Collect a procedure's steps by the names of its methods. Raises Unfinished."""
    asking: dict[str, dict[str, Any]] = {}
    steps: dict[str, Step] = {}
    methods = {k: v for base in reversed(cls.__mro__) for k, v in vars(base).items() if issubclass(base, Procedure)}
    for name, method in methods.items():
        if not isinstance(method, FunctionType) or name.startswith("_"):
            continue
        part, _, step = name.partition("_")
        returns = method.__annotations__.get("return")
        if step and part in PARTS:
            _expect(cls, name, method, PARTS[part])
            asking.setdefault(step, {})[part] = method
        elif str(returns).rpartition(".")[2] == "Next" or returns == Next:
            _expect(cls, name, method, 2)
            steps[name] = Automatic(name, method)
    for name, parts in asking.items():
        if missing := [part for part in ("who", "ask", "take") if part not in parts]:
            has, lacks = " and ".join(f"{p}_{name}" for p in parts), " and ".join(f"{p}_{name}" for p in missing)
            raise Unfinished(f"{cls.__name__}, step “{name}”: it has {has}, but no {lacks}.")
        if name in steps:
            raise Unfinished(f"{cls.__name__}, step “{name}”: it can't ask and be automatic too.")
        who, ask, take = parts["who"], parts["ask"], parts["take"]
        vet, explain, again, verbs = (parts.get(part) for part in ("vet", "explain", "again", "verbs"))
        steps[name] = Asking(name, who, ask, take, vet, explain, name in cls.each, again, verbs)
    if strange := cls.each - asking.keys():
        raise Unfinished(f"{cls.__name__}, step “{min(strange)}”: `each` lists it, but there is no such asking step.")
    if "begin" not in steps:
        raise Unfinished(f"{cls.__name__}, step “begin”: it is missing; every procedure starts with it.")
    return steps


def _expect(cls: type[Procedure], name: str, method: FunctionType, arguments: int) -> None:
    if method.__code__.co_argcount != arguments:
        given = ", ".join(("self", "table", "seat or answers", "answer")[:arguments])
        raise Unfinished(f"{cls.__name__}, step “{name}”: it takes other arguments than a step is given: {given}.")


class Call(msgspec.Struct, frozen=True, gc=False):
    """Run `sub`, then the step `then`."""

    sub: Procedure
    then: str


class Done(msgspec.Struct, frozen=True, gc=False):
    """End of a procedure; `word` becomes the caller's `came`."""

    word: str = ""


def ended(_frame: Procedure, _table: Any) -> Next:
    """A step that ends its procedure: `done = ended` in a class."""
    return Done()


class Again(msgspec.Struct, frozen=True):
    """Ask these seats again in a step of `each`, or the last answerer."""

    seats: tuple[Seat, ...] = ()


Next = str | Call | Done | Again


class Parked(msgspec.Struct):
    """Resumed when the stack is back at its depth."""

    depth: int
    serial: int
    waiting: list[Seat]
    sealed: dict[Seat, Answer]


class State(msgspec.Struct, Generic[T, P]):
    """A position: table, stack, open step and hidden answers."""

    table: T
    stack: list[P]
    serial: int = 0
    """Number of the open ask, to detect stale answers."""
    waiting: list[Seat] = []
    sealed: dict[Seat, Answer] = {}
    returned: list[tuple[int, Seat]] = []
    """Hidden answers, by serial and seat, that no longer fitted and stay redacted in the log."""
    parked: list[Parked] = []
    opened: int = 0
    """Highest serial so far, while a parked step with a lower one is open."""


AnyState = State[Any, Any]

MOST_STEPS = 20_000
"""Limit of automatic steps between asks; games take some hundreds."""


class Endless(RuntimeError):
    """The rules loop forever."""


def advance(state: State[Any, Any]) -> None:
    """Run automatic steps until a seat must be asked or the game is over. Raises Endless, or Unfinished."""
    table, stack = state.table, state.stack
    for _ in range(MOST_STEPS):
        if table.outcome is not None or not stack:
            state.waiting, state.sealed, state.parked = [], {}, []
            return
        frame = stack[-1]
        try:
            step: Step = frame.steps[frame.step]
        except KeyError:
            raise Unfinished(f"{type(frame).__name__}: there is no step “{frame.step}”.") from None
        if type(step) is Automatic:
            then = step.run(frame, table)
        elif state.parked and state.parked[-1].depth >= len(stack):
            if _taken_up(state):
                return
            continue
        else:
            assert type(step) is Asking
            seats = list(step.who(frame, table))
            if seats:
                state.waiting, state.sealed = seats, {}
                if state.opened:
                    state.serial, state.opened = state.opened, 0
                state.serial += 1
                return
            then = step.take(frame, table, {})
        if type(then) is str:
            frame.step = then
        else:
            _follow(stack, frame, then)
    raise Endless(f"{MOST_STEPS} steps and nobody was asked; the last was {type(stack[-1]).__name__}.{stack[-1].step}")


def _taken_up(state: State[Any, Any]) -> bool:
    """Resume a parked step; returns whether it still asks. Steps off the stack are dropped."""
    parked = state.parked.pop()
    if parked.depth != len(state.stack):
        return False
    state.opened = max(state.opened, state.serial)
    state.serial, state.sealed = parked.serial, parked.sealed
    return _looked_at_again(state)


def _looked_at_again(state: State[Any, Any]) -> bool:
    """Validate hidden answers again, update who is asked; if nobody, take the step."""
    step, frame, table = open_step(state), state.stack[-1], state.table
    if step.again is not None and step.again(frame, table):
        state.returned += [(state.serial, seat) for seat in table.seats if seat in state.sealed]
        state.waiting, state.sealed = [], {}
        return False
    seats = list(step.who(frame, table))
    for seat, answer in list(state.sealed.items()):
        try:
            if seat in seats:
                state.sealed[seat] = vet(state, seat, answer, step.ask(frame, table, seat))
                continue
        except Refused:
            pass
        del state.sealed[seat]
        state.returned.append((state.serial, seat))
    state.waiting = [seat for seat in seats if seat not in state.sealed]
    if state.waiting:
        return True
    answers = {s: state.sealed[s] for s in table.seats if s in state.sealed}
    state.sealed = {}
    _follow(state.stack, frame, step.take(frame, table, answers))
    return False


def disturbed(state: State[Any, Any], depth: int) -> None:
    """Recheck the open step after a change from outside, or park it if the stack grew beyond `depth`; run on."""
    if state.table.outcome is None and state.waiting:
        if len(state.stack) > depth:
            _park(state, depth)
        elif len(state.stack) == depth and _looked_at_again(state):
            return
    advance(state)


def _park(state: State[Any, Any], depth: int) -> None:
    state.parked.append(Parked(depth, state.serial, state.waiting, state.sealed))
    state.waiting, state.sealed = [], {}


def waits(state: State[Any, Any], seat: Seat, kind: str) -> bool:
    return any(frame.waits(state.table, seat, kind) for frame in state.stack)


def open_step(state: State[Any, Any]) -> Asking:
    frame: Procedure = state.stack[-1]
    step = frame.steps[frame.step]
    assert type(step) is Asking
    return step


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
    return {seat: ask_of(state, seat) for seat in state.waiting}


def ask_of(state: State[Any, Any], seat: Seat) -> Ask:
    """A seat's open ask. Raises NotLegal if there is none."""
    if seat not in state.waiting:
        raise NotLegal(say("play.not_asked"))
    frame = state.stack[-1]
    step: Asking = frame.steps[frame.step]  # inlined `open_step`, called at every move
    return step.ask(frame, state.table, seat)


def vet(state: State[Any, Any], seat: Seat, answer: Answer, ask: Ask | None = None) -> Answer:
    """Validate and normalise an answer without changes. Raises Refused. `ask`: the seat's ask, if known."""
    if ask is None:
        ask = ask_of(state, seat)
    frame = state.stack[-1]
    step: Asking = frame.steps[frame.step]
    try:
        answer = check(ask, answer)
    except Refused:
        if step.explain is not None:
            step.explain(frame, state.table, seat, answer)
        raise
    if step.vet is not None:
        step.vet(frame, state.table, seat, answer)
    return answer


def legal(state: State[Any, Any], seat: Seat, answer: Answer, ask: Ask | None = None) -> Answer | None:
    """`vet`; None if it refuses."""
    try:
        return vet(state, seat, answer, ask)
    except Refused:
        return None


class Shut(NamedTuple):
    id: str
    after: str
    """The option listed before it; "" for the first."""
    why: Message


def shut(state: State[Any, Any], seat: Seat, ask: Ask) -> list[Shut]:
    """Disabled options with reasons, which reveal no more than a refusal."""
    frame = state.stack[-1]
    step: Asking = frame.steps[frame.step]
    if step.verbs is None or step.explain is None:
        return []
    found, before, open_ = [], "", {option.id for option in ask.options}
    for id in step.verbs(frame, state.table, seat):
        if id not in open_:
            try:
                step.explain(frame, state.table, seat, Answer(id))
            except NotLegal as refusal:
                found.append(Shut(id, before, refusal.said))
            else:
                continue
        before = id
    return found


def play(state: State[Any, Any], seat: Seat, answer: Answer, trusted: bool = False, ask: Ask | None = None) -> list[Event]:
    """Play an answer; returns events. Raises Refused without changes. `trusted` skips validation."""
    if not trusted:
        answer = vet(state, seat, answer, ask)
    waiting = state.waiting
    if seat not in waiting:
        raise NotLegal(say("play.seat_not_asked", seat=seat))
    table, frame = state.table, state.stack[-1]
    step = frame.steps[frame.step]
    assert type(step) is Asking
    waiting.remove(seat)
    if step.each:
        then = step.take(frame, table, {seat: answer})
        if type(then) is Again:
            again = {*waiting, *(then.seats or (seat,))}
            state.waiting = [s for s in table.seats if s in again]
        elif type(then) is Call and then.then == step.name:
            _park(state, len(state.stack))
            state.stack.append(then.sub)
            advance(state)
        elif then != step.name or not waiting:
            _follow(state.stack, frame, then)
            advance(state)
    else:
        sealed = state.sealed
        sealed[seat] = answer
        if not waiting:
            answers = sealed if len(sealed) == 1 else {s: sealed[s] for s in table.seats if s in sealed}
            then = step.take(frame, table, answers)
            if type(then) is str:
                frame.step = then
            else:
                _follow(state.stack, frame, then)
            advance(state)
    return heard(table)


def begin(state: State[Any, Any]) -> list[Event]:
    """Run a new state to its first ask; returns events."""
    advance(state)
    return heard(state.table)


def heard(table: Table) -> list[Event]:
    """Events since the last call; none with `UNHEARD`."""
    news = table.news
    if news is not UNHEARD:
        table.news = []
    return news


def yes_no(seat: Seat, kind: str, rule: str, default: str = "no", about: About | None = None) -> Ask:
    return Ask(seat, kind, (Option("yes"), Option("no")), Answer(default), rule, about or {})


S = TypeVar("S", bound=State[Any, Any])


def copy_for(state: S, seat: Seat | None, chance: Chance) -> S:
    """Copy to redeal for a seat: uncommitted chance, without others' hidden answers and proposals.

    Who has answered is secret, so everybody else is asked again; if nobody is, `seat` itself.
    """
    fresh = clone(state)
    fresh.table.chance = guess(chance.below(GUESSES, "redeal"))
    _unseal(fresh, seat)
    desk = getattr(fresh.table, "proposals", None)
    if desk is not None:
        desk.hide(fresh.table.seats, seat)
    return fresh


def _unseal(state: State[Any, Any], seat: Seat | None) -> None:
    seats = state.table.seats
    steps: list[State[Any, Any] | Parked] = [state, *state.parked]
    for step in steps:
        own = {s: a for s, a in step.sealed.items() if s == seat}
        asked = {*step.waiting, *step.sealed} - own.keys()
        step.waiting, step.sealed = [s for s in seats if s in asked], own
        if not step.waiting and own:
            step.waiting, step.sealed = [s for s in seats if s in own], {}
    state.returned = [(serial, s) for serial, s in state.returned if s == seat]
