"""Every game: asking, offering, showing and looking ahead leave the position as it is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import msgspec
import pytest

from engine.bots.random import answer_at_random
from engine.core import procedure
from engine.core.asks import Ask, Refused
from engine.core.views import Event
from engine.game import AnyState, Game
from tests.contract.walk import NAMES, form, fresh, readers, standing, walk, walk_with


def read_all(look: Callable[..., Iterable[object]], *given: object) -> list[object]:
    """Everything that this gives."""
    return list(look(*given))


def fields_of(look: Callable[..., Iterable[Ask]], *given: object) -> list[object]:
    """The fields of every option of the asks that this gives."""
    return [option.fields for ask in look(*given) for option in ask.options]


def looked_at(game: Game, state: AnyState, rng: random.Random) -> Iterator[tuple[str, Callable[[], object]]]:
    """Everything by which a position is looked at, with a name for it."""
    step, frame, table = procedure.open_step(state), state.stack[-1], state.table
    yield f"who_{step.name}", partial(read_all, step.who, frame, table)
    for seat in state.waiting:
        ask = step.ask(frame, table, seat)
        yield f"ask_{step.name}", partial(step.ask, frame, table, seat)
        for option in ask.options:
            yield f"fields of {ask.kind}.{option.id}", partial(getattr, option, "fields")
        answer = answer_at_random(ask, rng)
        for name, check in (("vet", step.vet), ("explain", step.explain)):
            if check is not None:
                yield f"{name}_{step.name}", partial(check, frame, table, seat, answer)
        yield f"preview of {ask.kind}.{answer.option}", partial(game.face.preview, state, seat, answer, NAMES)
        yield f"form of {ask.kind}", partial(form, game, state, seat)
    for seat in table.seats:
        yield "offers", partial(fields_of, lambda s, of: [ask for ask, _ in standing(game, s, of)], state, seat)
        yield "coming", partial(fields_of, game.orders.coming, state, seat)
        yield "orders", partial(fields_of, game.orders.asks, state, seat)
        yield "stance", partial(game.orders.stance, state, seat)
        yield "turn", partial(game.rules.turn_of, state, seat)
        yield "secrets", partial(game.rules.checks.secrets, state, seat)
    for reader in readers(state):
        yield "view", partial(game.rules.view, state, reader)
        yield "position", partial(game.rules.notation.seen, state, reader)
    yield "position", partial(game.rules.notation.whole, state)
    yield "conserved", partial(game.rules.checks.conserved, state)


def parts(thing: object, found: dict[int, msgspec.Struct]) -> dict[int, msgspec.Struct]:
    """All structs of a state, by identity."""
    if isinstance(thing, msgspec.Struct):
        found[id(thing)] = thing
        for name in thing.__struct_fields__:
            parts(getattr(thing, name), found)
    elif isinstance(thing, (list, tuple)):
        for item in thing:
            parts(item, found)
    elif isinstance(thing, dict):
        for item in thing.values():
            parts(item, found)
    return found


@contextmanager
def guarded(state: AnyState) -> Iterator[list[str]]:
    """Note every attribute of the state that is set meanwhile, be it put back again or not."""
    own, noted = parts(state, {}), list[str]()

    def set_and_note(self: object, name: str, value: object) -> None:
        if id(self) in own:
            noted.append(f"{type(self).__name__}.{name}")
        msgspec.Struct.__setattr__(self, name, value)

    with pytest.MonkeyPatch.context() as patched:
        for kind in {type(part) for part in own.values()}:
            if not kind.__struct_config__.frozen:
                patched.setattr(kind, "__setattr__", set_and_note)
        yield noted


def changes(game: Game, state: AnyState, rng: random.Random) -> Iterator[str]:
    """What changes the position though it should only look."""
    before = game.rules.encode(state)
    for name, look in looked_at(game, state, rng):
        with guarded(state) as noted, suppress(Refused):
            look()
        if noted or game.rules.encode(state) != before:
            yield f"{name}: {noted}"
            return


def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have every part of a step that only looks compare the table and its own procedure while games are played."""
    noted: list[str] = []

    def watching(name: str, look: Callable[..., Any]) -> Callable[..., Any]:
        def watch(frame: Any, table: Any, *rest: Any) -> Any:
            before = msgspec.msgpack.encode((frame, table))
            try:
                return look(frame, table, *rest)
            finally:
                if msgspec.msgpack.encode((frame, table)) != before:
                    noted.append(f"{type(frame).__module__}.{type(frame).__name__}.{name}")

        return watch

    for kind in procedure.Procedure.__subclasses__():
        steps: dict[str, procedure.Step] = dict(kind.steps)
        for name, step in steps.items():
            if isinstance(step, procedure.Asking):
                looks = {part: getattr(step, part) for part in ("who", "ask", "vet", "explain")}
                watched: dict[str, Any] = {p: watching(f"{p}_{name}", look) for p, look in looks.items() if look}
                steps[name] = msgspec.structs.replace(step, **watched)
        monkeypatch.setattr(kind, "steps", steps)
    return noted


def test_looking_at_a_position_changes_nothing(game: Game) -> None:
    for n in (game.rules.seats[0], game.rules.seats[-1]):
        match, rng = fresh(game, n, 70 + n), random.Random(70 + n)
        for i, _ in enumerate(walk(match, rng, stop=120)):
            if i % 2 and match.state.waiting:
                assert list(changes(game, match.state, rng)) == []


def test_no_part_of_a_step_but_take_changes_anything(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = watched(monkeypatch)
    for n in (game.rules.seats[0], game.rules.seats[-1]):
        for _ in walk(fresh(game, n, 70 + n), random.Random(70 + n), stop=300):
            pass
    for _ in walk_with(fresh(game, game.rules.seats[-1], 71), game.bots.steward, random.Random(71), stop=200):
        pass
    assert sorted(set(noted)) == []


def boxes(thing: object) -> dict[int, object]:
    """The lists and tables that can change in a thing, by identity."""
    found: dict[int, object] = {}
    left = [thing]
    while left:
        one = left.pop()
        if isinstance(one, msgspec.Struct):
            left += [getattr(one, name) for name in one.__struct_fields__]
        elif isinstance(one, (list, tuple, dict)):
            left += one.values() if isinstance(one, dict) else one
            if not isinstance(one, tuple):
                found[id(one)] = one
    return found


def shared(game: Game, state: AnyState, events: Iterable[Event]) -> Iterator[str]:
    """What is asked or told with a list that is the position's own: it changes under whoever keeps the words for later."""
    own = boxes((state.table, state.stack)).keys()
    step, frame = procedure.open_step(state), state.stack[-1]
    asked = [step.ask(frame, state.table, seat) for seat in state.waiting]
    asked += [ask for seat in state.table.seats for ask, _ in standing(game, state, seat)]
    for ask in asked:
        if not own.isdisjoint(boxes((ask.about, ask.default.values))):
            yield f"{ask.kind}: {ask.about} {ask.default.values}"
    for event in events:
        if not own.isdisjoint(boxes(event.facts)):
            yield f"{event.kind}: {event.facts}"


def test_nothing_asked_or_told_is_a_list_of_the_positions_own(game: Game) -> None:
    for n in (game.rules.seats[0], game.rules.seats[-1]):
        match = fresh(game, n, 80 + n)
        for step in walk(match, random.Random(80 + n), stop=2000):
            if match.state.waiting:
                assert list(shared(game, match.state, step.events)) == []
