"""A turn by order: the script of STO-8, and the looks of Prosperity and Insight (STO-6, STO-7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from engine.asks import Answer, Ask, Seat, Value
from engine.mastery import ids
from engine.mastery.crowns import effect_of
from engine.mastery.pieces import FRACTURE
from engine.mastery.table import Table, capacity, held, on_border, points, supplied

AT, POINTS, SLOT = ids.AT, "then", "was"
"""What a script in force remembers: its next step, the points when it began, where it marched last."""


Legal = Callable[[Answer], bool]
"""Whether an answer to the open ask is legal."""
KEPT = {"yes": 1, "needed": 1, "keep_2": 2, "keep_3": 3}
"""How a step gathers, and how many knights it leaves in every territory."""


def act(table: Table, seat: Seat, ask: Ask, script: Answer, legal: Legal, fought: str) -> Answer | None:
    """The next step of the script as an answer; None where it says to stop and ask.

    `fought` says how the last battle of the turn ended. A step that stops, or that can't be done as it stands, takes its
    branch (MM-STO-8, MM-ASY-2).
    """
    for step in script.rows("steps")[max(script.number(AT), 1) - 1 :]:
        answer = None if stopped(table, seat, script, step, fought) else _deed(table, seat, ask, step, legal)
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
    """Whether a stop condition of the step holds (MM-STO-8)."""
    stops, lord = step.some("stops"), table.lords[seat]
    if "crown" in stops and table.crown_used and not lord.crown.up:
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
    """Whether the last battle was lost. One that ended before it was decided is, where it didn't bring the place."""
    if fought in ("won", "lost", "none"):
        return fought == "lost"
    slot = script.pick(SLOT)
    return bool(slot) and table.lands[slot].holder != seat


def _fractured(table: Table) -> bool:
    """Whether a Fracture has come to a discard pile this turn, and an artefact has been broken: one played does both."""
    lords = table.lords.values()
    if not any(d.card == FRACTURE and d.turn == table.turn for lord in lords for d in lord.discard):
        return False
    return table.ruled("MM-STO-8") == "discarded" or any(a.down == table.turn for lord in lords for a in lord.artefacts())


def _deed(table: Table, seat: Seat, ask: Ask, step: Answer, legal: Legal) -> Answer | None:
    """What a step does, if it can be done."""
    deed = step.pick("deed")
    if not any(o.id == deed for o in ask.options):
        return None
    if deed in ("march", "tactical"):
        ways: Iterable[Answer] = (Answer(deed, values) for values in _orders(table, seat, step))
    else:
        ways = (Answer(deed, _aimed(table, seat, deed, step.pick("aim"))),)
    return next((answer for answer in ways if legal(answer)), None)


def _aimed(table: Table, seat: Seat, deed: str, aim: str) -> dict[str, Value]:
    if deed == "fracture":
        return {"artefact": aim}
    if deed != "crown":
        return {}
    match effect_of(table, seat):
        case "DESTROY_ANY_1_ARTEFACT":
            return {"artefact": aim}
        case "LOOK_TOP_1_KEEP_OR_DISCARD":
            return {"lord": ids.read_choice(aim).of}
        case "SHUFFLE_IN_1_OLD_DISCARD":
            return {"card": aim}
        case _:
            return {}


def _orders(table: Table, seat: Seat, step: Answer) -> Iterator[dict[str, Value]]:
    """The unit of a step, gathered as it says, then the advance: with all that can go, the most first."""
    slot = step.pick("slot")
    room = capacity(table, slot)
    wanted = ids.read_choice(step.pick("knights") or "all")
    castle, gathered = _gathered(table, seat, step.pick("gather"), room if wanted.kind == "all" else wanted.n)
    counts = range(min(castle, room), 0, -1) if wanted.kind == "all" else [wanted.n]
    for count in counts:
        yield {**gathered, "target": slot, "knights": count}


def _gathered(table: Table, seat: Seat, how: str, wanted: int) -> tuple[int, dict[str, Value]]:
    """The knights in the castle when what can be spared has come home, and the fields that say so.

    What lies behind the borders is spared first; `needed` takes no more than the advance wants.
    """
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
    """The script after its owner has done something in his turn; None when it is at its end.

    It goes on behind the step that named what he did; those before it took their branch.
    """
    at, steps, deed = max(script.number(AT), 1), script.rows("steps"), answer.option
    like = [i for i, step in enumerate(steps, 1) if i >= at and step.pick("deed") == deed]
    if not like:
        return None
    aims = {answer.pick(name) for name in ("target", "artefact", "card")} - {""}
    done = next((i for i in like if {steps[i - 1].pick("slot"), steps[i - 1].pick("aim")} & aims), like[0])
    slot = steps[done - 1].pick("slot")
    values = dict(script.values) | {AT: done + 1}
    values.setdefault(POINTS, points(table, seat))
    if deed in ("march", "tactical") and slot in table.lands:
        values[SLOT] = slot
    return Answer("on", values)


def verdict(ask: Ask, order: Answer) -> Answer:
    """Discard the named cards, on the own deck or on others' (STO-6)."""
    named = order.some("own" if ask.about["lord"] == ask.seat else "others")
    return Answer("remove" if ask.about["card"] in named else "leave")


def arrange(ask: Ask, order: Answer) -> Answer:
    """Put the highest of a list on top; where there is no list they stay as they lie (STO-7)."""
    top = order.some("top")
    return Answer("arrange", {"cards": sorted(ask.default.some("cards"), key=lambda c: top.index(c) if c in top else 0)})
