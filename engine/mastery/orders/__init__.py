"""Standing orders of Medieval Mastery (MM-STO): what an order answers in its owner's place.

An order is a function of the position, as its owner knows it, to an answer, or to None where it leaves the decision to him
(MM-ASY-3). Nothing here changes a position.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from engine.asks import Answer, Ask, NotUnderstood, Seat, read, settled, write
from engine.game import Book
from engine.mastery.battle import Battle
from engine.mastery.fracture import Window
from engine.mastery.orders import battles, script, settings, words
from engine.mastery.orders.fractures import fracture
from engine.mastery.table import held
from engine.mastery.turn import Turn
from engine.mastery.view import MasteryState
from engine.procedure import ask_of

__all__ = ["BOOK"]

IN_FORCE = "STO-8+"
"""A turn script whose turn has begun."""


def asks(state: MasteryState, seat: Seat) -> list[Ask]:
    """How each order is set."""
    return settings.asks(state.table, seat)


def answer(state: MasteryState, seat: Seat, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """What the orders answer to the seat's open ask; `state` is as the seat knows it."""
    ask = ask_of(state, seat)
    found = _particular(state, seat, ask, {id: order for id, order in orders.items() if order.option != "off"})
    away = orders.get("STO-11")
    if found is None and away is not None and away.option == "on":
        return ask.default
    return found


def _particular(state: MasteryState, seat: Seat, ask: Ask, orders: Mapping[str, Answer]) -> Answer | None:
    table = state.table
    battle = next((p for p in reversed(state.stack) if isinstance(p, Battle)), None)
    frame = state.stack[-1]
    match ask.kind:
        case "fracture" if isinstance(frame, Window):
            return fracture(table, frame, battle, seat, orders)
        case "match":
            return battles.match(ask, orders.get("STO-4"))
        case "conflict" if battle is not None and "STO-2" in orders:
            return battles.conflict(table, battle, seat, orders["STO-2"])
        case "support" if battle is not None:
            return battles.support(table, battle, seat, orders)
        case "discard":
            return battles.discard(table, ask, orders)
        case "verdict" if "STO-6" in orders:
            return script.verdict(ask, orders["STO-6"])
        case "arrange" if "STO-7" in orders:
            return script.arrange(ask, orders["STO-7"])
        case "early" | "late":
            wish = orders.get(IN_FORCE) or orders.get("STO-8")
            return script.act(table, seat, ask, wish) if wish is not None else None
        case _:
            return None


def after(state: MasteryState, seat: Seat, answered: Sequence[str], orders: Mapping[str, str]) -> dict[str, str]:
    """A script moves on with its turn and ends with it (STO-8); passing ahead ends with the next own turn (STO-9)."""
    kept, table = dict(orders), state.table
    own = [deed.partition(":") for deed in answered if deed.startswith(("early:", "late:"))]
    if own:
        kept.pop("STO-9", None)
        for _, _, deed in own:
            _move_on(state, seat, deed, kept)
        if any(deed == "end" for _, _, deed in own) or table.active != seat:
            kept.pop(IN_FORCE, None)
            _count_down(kept)
    elif table.active != seat:
        kept.pop(IN_FORCE, None)
    return kept


def _move_on(state: MasteryState, seat: Seat, deed: str, kept: dict[str, str]) -> None:
    text = kept.pop(IN_FORCE, None) or kept.pop("STO-8", None)
    if text is None:
        return
    try:
        further = script.forward(state.table, seat, read(text), deed)
    except NotUnderstood:
        return
    if further is not None:
        kept[IN_FORCE] = write(further)


def _count_down(kept: dict[str, str]) -> None:
    """An absence is over after its turns (STO-11)."""
    try:
        away = read(kept.get("STO-11", "off"))
    except NotUnderstood:
        return
    if away.option == "on":
        left = int(away.pick("turns")[1:] or "1") - 1
        kept["STO-11"] = f"on turns=t{left}"
        if not left:
            del kept["STO-11"]


def coming(state: MasteryState, seat: Seat) -> list[Ask]:
    """What may be asked of the seat while its own position stays as it is: the first step of its own turn."""
    table, lord = state.table, state.table.lords[seat]
    if table.outcome is not None or not table.active or table.active == seat:
        return []
    used, knights, turn = table.crown_used, lord.knights, table.turn
    table.crown_used, lord.knights = False, knights + table.data.constants["place_knights_per_turn"]
    table.turn += 1
    try:
        made = Turn(seat=seat).ask_early(table, seat)
        # Fields are made when they are read, so they are read while the table is as it will be then.
        return [settled(made)]
    finally:
        table.crown_used, lord.knights, table.turn = used, knights, turn


def stance(state: MasteryState, seat: Seat) -> str:
    """A fingerprint of the seat's own position: an answer in advance holds while it is the same."""
    table, lord = state.table, state.table.lords[seat]
    placed = table.data.constants["place_knights_per_turn"] if table.active == seat else 0
    own = [
        sorted(lord.hand),
        lord.knights - placed,
        [(slot, table.lands[slot].knights) for slot in held(table, seat)],
        [a.up for a in lord.artefacts()],
    ]
    return hashlib.sha256(msgspec.json.encode(own)).hexdigest()[:16]


BOOK = Book(
    asks=asks,
    prefix="sto_",
    labels=words.LABELS,
    about=words.about,
    vet=settings.vet,
    answer=answer,
    after=after,
    preset=settings.PRESET,
    coming=coming,
    stance=stance,
)
