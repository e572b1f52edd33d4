"""A turn by order: the script of STO-8, and the looks of Prosperity and Insight (STO-6, STO-7)."""

from __future__ import annotations

from engine.asks import Answer, Ask, Seat, Value
from engine.mastery import ids
from engine.mastery.crowns import effect_of
from engine.mastery.pieces import FRACTURE
from engine.mastery.table import Table, capacity, held, points, supplied

AT, POINTS, SLOT = ids.AT, "then", "was"
"""What a script in force remembers: its next step, the points when it began, where it marched last."""


def act(table: Table, seat: Seat, ask: Ask, script: Answer) -> Answer | None:
    """The next step of the script as an answer; None where it says to stop and ask."""
    for step in script.rows("steps")[max(script.number(AT), 1) - 1 :]:
        answer = None if stopped(table, seat, script, step) else _deed(table, seat, ask, step)
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


def stopped(table: Table, seat: Seat, script: Answer, step: Answer) -> bool:
    """Whether a stop condition of the step holds (MM-STO-8)."""
    stops, lord = step.some("stops"), table.lords[seat]
    if "crown" in stops and table.crown_used and not lord.crown.up:
        return True
    if "battle" in stops and script.pick(SLOT) and table.lands[script.pick(SLOT)].holder != seat:
        return True
    if "points" in stops and POINTS in script.values and points(table, seat) != script.number(POINTS):
        return True
    slot = step.pick("slot")
    marches = step.pick("deed") in ("march", "tactical") and slot in table.lands
    if "vacant" in stops and marches and table.lands[slot].holder:
        return True
    played = (d for other in table.lords.values() for d in other.discard)
    return "fracture" in stops and any(d.card == FRACTURE and d.turn == table.turn for d in played)


def _deed(table: Table, seat: Seat, ask: Ask, step: Answer) -> Answer | None:
    deed, aim = step.pick("deed"), step.pick("aim")
    if not any(o.id == deed for o in ask.options):
        return None
    match deed:
        case "march" | "tactical":
            return Answer(deed, _orders(table, seat, step))
        case "fracture":
            return Answer(deed, {"artefact": aim})
        case "crown":
            match effect_of(table, seat):
                case "DESTROY_ANY_1_ARTEFACT":
                    return Answer(deed, {"artefact": aim})
                case "LOOK_TOP_1_KEEP_OR_DISCARD":
                    return Answer(deed, {"lord": ids.read_choice(aim).of})
                case "SHUFFLE_IN_1_OLD_DISCARD":
                    return Answer(deed, {"card": aim})
                case _:
                    return Answer(deed)
        case _:
            return Answer(deed)


def _orders(table: Table, seat: Seat, step: Answer) -> dict[str, Value]:
    """The unit of a step: gather what can be spared first, if it says so, then advance."""
    slot, castle = step.pick("slot"), table.lords[seat].knights
    values: dict[str, Value] = {}
    if step.pick("gather"):
        within = supplied(table, seat)
        for own in held(table, seat):
            if own in within:
                castle += table.lands[own].knights - 1
                values[ids.knights_in(own)] = 1
    wanted = ids.read_choice(step.pick("knights") or "all")
    most = capacity(table, slot) if slot in table.map.slots else 0
    values |= {"target": slot, "knights": min(castle, most) if wanted.kind == "all" else wanted.n}
    return values


def forward(table: Table, seat: Seat, script: Answer, deed: str) -> Answer | None:
    """The script after its owner has done something in his turn; None when it is at its end."""
    at, steps = max(script.number(AT), 1), script.rows("steps")
    done = next((i for i, step in enumerate(steps, 1) if i >= at and step.pick("deed") == deed), None)
    if done is None or deed == "end":
        return None
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
    """Leave them, or put the highest of a list on top (STO-7)."""
    seen = ask.default.some("cards")
    top = order.some("top")
    if order.option == "keep":
        return ask.default
    return Answer("arrange", {"cards": sorted(seen, key=lambda c: top.index(c) if c in top else len(top))})
