"""Rules as procedures on a stack: run until somebody must be asked, or the game is over.

A procedure is a small struct with named steps. A step is either

* automatic: a method `NAME(table) -> Next` that returns what is next; or
* an asking step: `who_NAME(table)` names the seats to ask (cheap: it builds no form), `ask_NAME(table, seat)` builds one
  seat's Ask, and `take_NAME(table, answers)` takes the answers and returns what is next. It is called when the last
  answer is in, so answers of several seats are sealed until then. When `who_NAME` names nobody (a publicly forced
  answer, say), `take_NAME` is called at once with no answers. A step listed in `each` takes every answer by itself as it
  comes, and is left when it returns another step; its `who_NAME` names those who still have to answer. It may return
  `Again` to ask somebody once more, or a `Call` that goes on with the same step: the others are asked nothing anew.
  `vet_NAME(table, seat, answer)`, where there is one, refuses what fields can't say; `explain_NAME(table, seat, answer)`
  may raise NotLegal with a better sentence for an answer that the fields refused, which it sees as it was given. Neither
  changes anything. `verbs_NAME(table, seat)` names all that the step may ever offer the seat, in the rule book's order:
  what isn't open now is shown with the reason that `explain_NAME` gives for it (`shut`).

The steps are bound once, when the class is made: `steps` is the table that kernel, bots and tests read. What only begins to
be a step, or has a part that belongs to none, fails there, at import, with a sentence. A public method that isn't said to
return `Next` is no step, and what a step shares with others begins with `_`.

What is next: the name of a step, a `Call` (a sub-procedure first, then a step), or a `Done` with a word for the caller.

What changes the table outside its open step (an offer that is taken; see `engine.offers`) leaves that step its number. If
it brings a procedure of its own, the step is parked beneath. Either way it is looked at again afterwards: answers that lie
sealed and no longer fit go back to their seats, the rest stay sealed, and nobody else is asked anew.
The whole state, stack included, is plain typed data: it can be saved, copied, compared and printed. A field that is added
to any part of it has a default, which stands for what was before there was the field; see `engine.rulings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from engine.asks import About, Answer, Ask, NotLegal, Option, Refused, Seat, check
from engine.chance import GUESSES, Chance, guess
from engine.cloning import clone
from engine.views import UNHEARD, Event
from engine.words import Sentence, say


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


class Unfinished(TypeError):
    """A part of a game that doesn't fit together, a procedure's steps say: a mistake of who wrote it."""


class Automatic(msgspec.Struct, frozen=True):
    """A step that asks nobody: procedure, table -> what is next."""

    name: str
    run: Callable[[Any, Any], Next]


class Asking(msgspec.Struct, frozen=True):
    """A step that asks; its parts are given the procedure first, then the table, and what the module's text says."""

    name: str
    who: Callable[[Any, Any], Iterable[Seat]]
    ask: Callable[[Any, Any, Seat], Ask]
    take: Callable[[Any, Any, dict[Seat, Answer]], Next]
    vet: Callable[[Any, Any, Seat, Answer], None] | None
    explain: Callable[[Any, Any, Seat, Answer], None] | None
    each: bool
    """Whether it takes every answer by itself as it comes."""
    again: Callable[[Any, Any], bool] | None = None
    """Whether it is put to all anew, now that something was done beside it."""
    verbs: Callable[[Any, Any, Seat], Iterable[str]] | None = None
    """All options that it may ever offer the seat, in the rule book's order."""


Step = Automatic | Asking

PARTS = {"who": 2, "ask": 3, "take": 3, "vet": 4, "explain": 4, "again": 2, "verbs": 3}
"""The parts of an asking step, and how many arguments each is given."""


class Procedure(msgspec.Struct, tag=True):
    """Base of all procedures: where it stands, and what its last sub-procedure ended with.

    `came` is to be read in the step that the `Call` names: an offer's procedure may leave its own word later.
    """

    each: ClassVar[frozenset[str]] = frozenset()
    freezes: ClassVar[bool] = False
    """Whether nothing that stands open beside the questions can be taken until it is done."""
    steps: ClassVar[Mapping[str, Step]] = {}
    """Every step by its name."""

    step: str = "begin"
    came: str = ""

    def waits(self, table: Any, seat: Seat, kind: str) -> bool:  # noqa: ARG002  (for those that say it of some)
        """Whether a power of that kind, or an answer of the seat to such a proposal, has to wait for a safe point, until this
        procedure has gone on. Depends on what everybody can see."""
        return self.freezes

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.steps = _bind(cls)


def _bind(cls: type[Procedure]) -> dict[str, Step]:
    """The steps of a class. Raises Unfinished for one that can't be run."""
    asking: dict[str, dict[str, Any]] = {}  # step -> part -> method
    steps: dict[str, Step] = {}
    methods = {k: v for base in reversed(cls.__mro__) for k, v in vars(base).items() if issubclass(base, Procedure)}
    for name, method in methods.items():
        if not isinstance(method, FunctionType) or name.startswith("_"):
            continue
        part, _, step = name.partition("_")
        if step and part in PARTS:
            _expect(cls, name, method, PARTS[part])
            asking.setdefault(step, {})[part] = method
        elif _is_next(method.__annotations__.get("return")):
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


def _is_next(annotation: object) -> bool:
    """Whether it says `Next`: as text where annotations are kept as such, else as the type itself."""
    return str(annotation).rpartition(".")[2] == "Next" or annotation == Next


def _expect(cls: type[Procedure], name: str, method: FunctionType, arguments: int) -> None:
    if method.__code__.co_argcount != arguments:
        given = ", ".join(("self", "table", "seat or answers", "answer")[:arguments])
        raise Unfinished(f"{cls.__name__}, step “{name}”: it takes other arguments than a step is given: {given}.")


class Call(msgspec.Struct, frozen=True, gc=False):
    """Run `sub` first; go on with the step `then` when it is done."""

    sub: Procedure
    then: str


class Done(msgspec.Struct, frozen=True, gc=False):
    """The procedure is over; `word` is left for the caller in its `came`."""

    word: str = ""


class Again(msgspec.Struct, frozen=True):
    """Of a step listed in `each`: ask some seats once more in the same question, or whoever has just answered."""

    seats: tuple[Seat, ...] = ()


Next = str | Call | Done | Again


class Parked(msgspec.Struct):
    """An open step that something interrupted. It goes on when the stack is back at its depth."""

    depth: int
    serial: int
    waiting: list[Seat]
    sealed: dict[Seat, Answer]


class State(msgspec.Struct, Generic[T, P]):
    """A whole position: the table, the stack of procedures, whom the game waits for, and sealed answers so far."""

    table: T
    stack: list[P]
    serial: int = 0
    """Counts the asking steps that were opened; an ask's number, so that a stale answer is known as one."""
    waiting: list[Seat] = []
    """Seats that still have to answer the open step."""
    sealed: dict[Seat, Answer] = {}
    returned: list[tuple[int, Seat]] = []
    """Sealed answers that no longer fitted, by step and seat: they went back, and stay shut for ever."""
    parked: list[Parked] = []
    """Open steps that something interrupted, the deepest first."""
    opened: int = 0
    """The highest number of a step, where one with a lower number is open again."""


AnyState = State[Any, Any]

MOST_STEPS = 20_000
"""Automatic steps between two asks; the games take some hundreds at the most."""


class Endless(RuntimeError):
    """A run of the rules that would not end."""


def advance(state: State[Any, Any]) -> None:
    """Run automatic steps until somebody must be asked or the game is over. Raises Endless where that never comes."""
    table, stack = state.table, state.stack
    for _ in range(MOST_STEPS):
        if table.outcome is not None or not stack:
            state.waiting, state.sealed, state.parked = [], {}, []
            return
        frame = stack[-1]
        step: Step = frame.steps[frame.step]
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
    """Take up the step that was parked here; whether it still asks somebody. One that is gone from the stack is dropped."""
    parked = state.parked.pop()
    if parked.depth != len(state.stack):
        return False
    state.opened = max(state.opened, state.serial)
    state.serial, state.sealed = parked.serial, parked.sealed
    return _looked_at_again(state)


def _looked_at_again(state: State[Any, Any]) -> bool:
    """Vet what lies sealed for the open step once more, and see who is asked now; if nobody, the step is taken."""
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
    """See to the open step, and run on, after something outside it has changed the table, or pushed procedures on a stack that
    was `depth` deep."""
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
    """Whether what stands open to a seat beside the questions has to wait for a safe point."""
    return any(frame.waits(state.table, seat, kind) for frame in state.stack)


def open_step(state: State[Any, Any]) -> Asking:
    """The step that is open while the game waits for somebody."""
    frame: Procedure = state.stack[-1]
    step = frame.steps[frame.step]
    assert type(step) is Asking
    return step


def one_by_one(state: State[Any, Any]) -> bool:
    """Whether the open step takes every answer by itself as it comes; else all of them wait for the last."""
    return open_step(state).each


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
        raise NotLegal(say("play.not_asked"))
    frame = state.stack[-1]
    step: Asking = frame.steps[frame.step]  # as `open_step`; this is asked at every move
    return step.ask(frame, state.table, seat)


def vet(state: State[Any, Any], seat: Seat, answer: Answer, ask: Ask | None = None) -> Answer:
    """`answer` in canonical form if it is legal now; changes nothing. Raises Refused with a sentence if it is not.

    `ask` is the seat's open ask, where it is at hand.
    """
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


class Shut(NamedTuple):
    """A verb of the open step that can't be done now, and why."""

    id: str
    after: str
    """The verb that stands before it, open or not; empty for the first."""
    why: Sentence


def shut(state: State[Any, Any], seat: Seat, ask: Ask) -> list[Shut]:
    """What the open step would offer the seat at another time, in the rule book's order, each with what hinders it now.

    `ask` is the seat's open ask. It says no more than a refusal would if the seat tried.
    """
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
    """Play one answer and run on; what happened, as events. `trusted` skips the check: for logs that were checked once.

    It is checked against `ask`, the seat's open ask, where that is at hand. Raises Refused, with the state unchanged, when
    the answer isn't legal.
    """
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
    """Run a fresh state to its first ask; what happened, as events."""
    advance(state)
    return heard(state.table)


def heard(table: Table) -> list[Event]:
    """What has happened since it was last asked; nothing where nobody listens (`UNHEARD`)."""
    news = table.news
    if news is not UNHEARD:
        table.news = []
    return news


def yes_no(seat: Seat, kind: str, rule: str, default: str = "no", about: About | None = None) -> Ask:
    """An ask with the two options `yes` and `no`."""
    return Ask(seat, kind, (Option("yes"), Option("no")), Answer(default), rule, about or {})


S = TypeVar("S", bound=State[Any, Any])


def copy_for(state: S, seat: Seat | None, chance: Chance) -> S:
    """A copy to deal anew for `seat`: with other chance, which nobody has committed, and without what others have sealed or
    proposed behind its back.

    Who has answered is a secret too, so all the others are to be asked again; where nobody else is, `seat` itself.
    """
    fresh = clone(state)
    fresh.table.chance = guess(chance.below(GUESSES, "redeal"))
    _unseal(fresh, seat)
    desk = getattr(fresh.table, "proposals", None)  # see `engine.offers`
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
