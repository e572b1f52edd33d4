"""Turn scripts (STO-8), and answers for Prosperity and Insight (STO-6, STO-7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.core.asked import Asked, by
from engine.core.asks import Answer, Seat, Value
from engine.mastery.rules import ids
from engine.mastery.rules.pieces import FRACTURE
from engine.mastery.rules.table import Table, capacity, held, on_border, points, supplied
from engine.mastery.rules.turn import Turn

AT, POINTS, SLOT = ids.AT, "then", "was"
"""State of a script in force: next step, initial points, last target."""
KEPT = {"yes": 1, "needed": 1, "keep_2": 2, "keep_3": 3}
"""Gathering mode -> knights left in each territory."""


def act(asked: Asked[Table]) -> Answer | None:
    return by(ids.IN_FORCE if ids.IN_FORCE in asked.orders else ids.SCRIPT, _next)(asked)


def _next(asked: Asked[Table], script: Answer) -> Answer | None:
    """Next step's answer; a stopped or impossible one takes its branch (MM-STO-8, MM-ASY-2)."""
    for step in script.rows("steps")[max(script.number(AT), 1) - 1 :]:
        stops = stopped(asked.table, asked.seat, script, step, asked.frame(Turn).fought)
        answer = None if stops else _answer(asked, step)
        if answer is not None:
            return answer
        match step.pick("branch"):
            case "skip":
                continue
            case "end":
                return Answer("end")
            case _:
                return None
    return Answer("end")


def stopped(table: Table, seat: Seat, script: Answer, step: Answer, fought: str) -> bool:
    """Whether a stop condition holds (MM-STO-8). `fought`: result of the turn's last battle."""
    stops = step.some("stops")
    if "crown" in stops and table.lords[seat].crown.down == table.turn:
        return True
    if "battle" in stops and _lost(table, seat, script, fought):
        return True
    if "points" in stops and POINTS in script.values and points(table, seat) != script.number(POINTS):
        return True
    slot = step.pick("slot")
    marches = step.pick("deed") in ("march", "tactical") and slot in table.lands
    if "vacant" in stops and marches and table.lands[slot].holder:
        return True
    return "fracture" in stops and _fractured(table)


def _lost(table: Table, seat: Seat, script: Answer, fought: str) -> bool:
    """Whether the last battle was lost; a stopped one counts unless it took the place."""
    if fought in ("won", "lost", "none"):
        return fought == "lost"
    slot = script.pick(SLOT)
    return bool(slot) and table.lands[slot].holder != seat


def _fractured(table: Table) -> bool:
    lords = table.lords.values()
    if not any(d.card == FRACTURE and d.turn == table.turn for lord in lords for d in lord.discard):
        return False
    return table.ruled("MM-STO-8") == "discarded" or any(a.down == table.turn for lord in lords for a in lord.artefacts())


def _answer(asked: Asked[Table], step: Answer) -> Answer | None:
    table, seat, option = asked.table, asked.seat, step.pick("deed")
    if not asked.has(option):
        return None
    if option in ("march", "tactical"):
        on = {"then": "more"} if "more" in asked.picks(option, "then") else {}
        ways: Iterable[Answer] = (Answer(option, {**values, **on}) for values in _orders(table, seat, step))
    else:
        aim = step.pick("aim")
        named = {f.name: ids.read_choice(aim).of if f.name == "lord" else aim for f in asked.ask.option(option).fields}
        ways = (Answer(option, {name: value for name, value in named.items() if name != "then"}),)
    return next(filter(asked.legal, ways), None)


def _orders(table: Table, seat: Seat, step: Answer) -> Iterator[dict[str, Value]]:
    slot = step.pick("slot")
    room = capacity(table, slot)
    wanted = ids.read_choice(step.pick("knights") or "all")
    castle, gathered = _gathered(table, seat, step.pick("gather"), room if wanted.kind == "all" else wanted.n)
    counts = range(min(castle, room), 0, -1) if wanted.kind == "all" else [wanted.n]
    for count in counts:
        yield {**gathered, "target": slot, "knights": count}


def _gathered(table: Table, seat: Seat, how: str, wanted: int) -> tuple[int, dict[str, Value]]:
    """(castle's knights, fields) after gathering, interior territories first; `needed`: only what the advance wants."""
    castle = table.lords[seat].knights
    if not how:
        return castle, {}
    within, values, keep = supplied(table, seat), dict[str, Value](), KEPT[how]
    lands = [slot for slot in held(table, seat) if slot in within]
    for slot in sorted(lands, key=lambda s: (on_border(table, seat, s), -table.lands[s].knights)):
        there = table.lands[slot].knights
        spare = max(0, there - keep)
        if how == "needed":
            spare = min(spare, max(0, wanted - castle))
        if spare:
            values[ids.knights_in(slot)] = there - spare
            castle += spare
    return castle, values


def forward(table: Table, seat: Seat, script: Answer, answer: Answer) -> Answer | None:
    """The rest of the script after this answer."""
    at, steps, option = max(script.number(AT), 1), script.rows("steps"), answer.option
    like = [i for i, step in enumerate(steps, 1) if i >= at and step.pick("deed") == option]
    if not like:
        return None
    aims = {answer.pick(name) for name in ("target", "artefact", "card")} - {""}
    done = next((i for i in like if {steps[i - 1].pick("slot"), steps[i - 1].pick("aim")} & aims), like[0])
    slot = steps[done - 1].pick("slot")
    values = dict(script.values) | {AT: done + 1}
    values.setdefault(POINTS, points(table, seat))
    if option in ("march", "tactical") and slot in table.lands:
        values[SLOT] = slot
    return Answer("on", values)


def verdict(asked: Asked[Table], order: Answer) -> Answer:
    named = order.some("own" if asked.fact("lord") == asked.seat else "others")
    return Answer("remove" if asked.fact("card") in named else "leave")


def arrange(asked: Asked[Table], order: Answer) -> Answer:
    top = order.some("top")
    return Answer("arrange", {"cards": sorted(asked.ask.default.some("cards"), key=lambda c: top.index(c) if c in top else 0)})
