"""Random player, used by fuzzers and benchmarks."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.bots.rows import drawn_between, rows_at_random, sampled
from engine.core import procedure
from engine.core.asks import Answer, Ask, Assign, Field, Number, Option, Order, PickOne, PickSome, Refused, Rows, Seat, Value
from engine.core.chance import Chance
from engine.core.procedure import AnyState

TRIES = 8
"""Draws until the safe default is played, where the procedure refuses."""


def answer_at_random(ask: Ask, rng: random.Random) -> Answer:
    """A uniformly random option and values; avoids grave options."""
    options: Sequence[Option] = ask.options
    for o in options:
        if o.grave:
            options = [o for o in options if not o.grave] or options
            break
    option = options[int(rng.random() * len(options))]
    fields = option.fields
    if not fields:
        return Answer(option.id)
    values: dict[str, Value] = {}
    # Usual values are often kept, all together, because they tend to depend on one another.
    left = None
    for f in fields:
        if type(f) is Number and f.usual is not None:
            left = rng.random() < 0.7
            break
    for f in fields:
        if left and type(f) is Number and f.usual is not None:
            continue
        value = _DRAWN[type(f)](f, rng)
        if value or type(value) is int:
            values[f.name] = value
    return Answer(option.id, values)


OPEN = 0.25
"""Probability of leaving an optional choice empty."""


def _one(f: PickOne, rng: random.Random) -> str:
    """Only optional fields draw twice, so seeds give the same answers elsewhere."""
    if f.optional and (not f.choices or rng.random() < OPEN):
        return ""
    return f.choices[int(rng.random() * len(f.choices))].id


def _order(f: Order, rng: random.Random) -> list[str]:
    ids = [c.id for c in f.choices for _ in range(c.most)]
    rng.shuffle(ids)
    return ids


def _some(f: PickSome, rng: random.Random) -> list[str]:
    must: list[str] = []
    may: list[str] = []
    for c in f.choices:
        if c.least:
            must += [c.id] * c.least
        if c.most == 1 and not c.least:
            may.append(c.id)
        else:
            may += [c.id] * (c.most - c.least)
    least, most = max(f.least, len(must)), min(f.most, len(must) + len(may))
    n = least if least == most else least + int(rng.random() * (most - least + 1))
    must += sampled(may, n - len(must), rng)
    if len(must) < 2:
        return must
    order = [c.id for c in f.choices]
    return sorted(must, key=order.index)


def _assign(f: Assign, rng: random.Random) -> dict[str, str]:
    left: dict[str, int] = {c.id: c.most for c in f.targets}
    pairs: dict[str, str] = {}
    for item in f.items:
        if f.optional and rng.random() < 0.5:
            continue
        open_ = [t for t, n in left.items() if n] if f.distinct else list(left)
        if not open_:
            break
        target = open_[int(rng.random() * len(open_))]
        left[target] -= 1
        pairs[item.id] = target
    return pairs


_DRAWN: Mapping[type[Field], Callable[[Any, random.Random], Any]] = {
    PickOne: _one,
    PickSome: _some,
    Number: lambda f, rng: drawn_between(f.least, f.most, rng),
    Order: _order,
    Assign: _assign,
    Rows: lambda f, rng: rows_at_random(f, rng, _DRAWN),
}
"""Generators by field type."""


def legal_at_random(state: AnyState, seat: Seat, rng: random.Random, ask: Ask | None = None) -> Answer:
    """Draw until the procedure accepts; else the safe default."""
    ask, frame = ask or procedure.ask_of(state, seat), state.stack[-1]
    vet = frame.steps[frame.step].vet
    if vet is None:
        return answer_at_random(ask, rng)
    for _ in range(TRIES):
        answer = answer_at_random(ask, rng)
        try:
            vet(frame, state.table, seat, answer)
        except Refused:
            continue
        return answer
    return ask.default


def play_at_random(state: AnyState, seat: Seat, chance: Chance) -> Answer:
    return legal_at_random(state, seat, random.Random(chance.below(1 << 30, "random-bot")))
