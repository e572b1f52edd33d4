"""Loss orders (FF-SO-2): battles, Plague, Uprisings."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.asks import Answer, Number, PickSome, Seat, Value
from engine.fief.orders.asked import Asked

UNITS = ("other_maa", "own_maa", "other_knights", "own_knights")
"""Troop classes in default order of loss (D-BAT-5)."""
KEEP_MAA = ("other_knights", "own_knights", "other_maa", "own_maa")


def order_of(order: Answer) -> Sequence[str]:
    match order.pick("keep"):
        case "maa":
            return KEEP_MAA
        case "order":
            return order.some("units")
        case _:
            return UNITS


def knights_first(order: Answer) -> bool:
    units = order_of(order)
    return units.index("own_knights") < units.index("own_maa")


def fallen(at: Asked, order: Answer) -> Answer:
    """D-BAT-5, D-UPR-4: the legal set with most of the first classes; then the dying Lords."""
    values: dict[str, Value] = {}
    seats = {f.name: f.most for f in at.ask.options[0].fields if isinstance(f, Number)}
    held = {(name.partition("_")[2], name.partition("_")[0]): most for name, most in seats.items()}
    possible = [tuple(int(n) for n in pair.split("+")) for pair in at.ask.listed("sets")]
    taken = max((_taken(order, at.seat, held, maa, knights) for maa, knights in possible), key=lambda found: found[0])[1]
    values |= {f"{kind}_{seat}": n for (seat, kind), n in taken.items()}
    dead = next((f for f in at.ask.options[0].fields if isinstance(f, PickSome)), None)
    if dead is not None:
        values["lords"] = list(_dying(order, [c.id for c in dead.choices], dead.most))
    return Answer("lose", values)


Held = dict[tuple[Seat, str], int]


def _taken(order: Answer, seat: Seat, held: Held, maa: int, knights: int) -> tuple[list[int], Held]:
    left, taken, counts = {"maa": maa, "knights": knights}, Held(), []
    for unit in order_of(order):
        whose, _, kind = unit.partition("_")
        counts.append(0)
        for (owner, what), most in held.items():
            if what == kind and (owner == seat) == (whose == "own"):
                n = min(left[kind], most)
                taken[owner, what] = n
                left[kind] -= n
                counts[-1] += n
    return counts, taken


def _dying(order: Answer, lords: list[str], dead: int) -> list[str]:
    named = [row.pick("lord") for row in order.rows("die")]
    return [*(id for id in named if id in lords), *(id for id in lords if id not in named)][:dead]


def plague(at: Asked, order: Answer) -> Answer:
    """D-PLG-1: fewest or most Knights per village."""
    most = knights_first(order)
    fields = [f for f in at.ask.options[0].fields if isinstance(f, Number)]
    return Answer("lose", {f.name: f.most if most else f.least for f in fields})
