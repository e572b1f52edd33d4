"""Standing orders of Ortus (rules 14.2): answers from the owner's view; None asks him (OR-DEC-4)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from engine.core.asked import Asked, By, by
from engine.core.asks import Answer, Ask, Seat, settled
from engine.core.procedure import ask_of
from engine.game import Orders, Sheet, layout
from engine.ortus.face.view import OrtusState
from engine.ortus.orders import politics, settings, spoils, turns, words
from engine.ortus.orders.defence import defend
from engine.ortus.rules import roles
from engine.ortus.rules.combat import Battle
from engine.ortus.rules.table import Table
from engine.ortus.rules.turn import Turn

FREE_ABSORBERS = Answer("on", {"damage": "free"})
"""Initial SO-06."""


def answer(state: OrtusState, seat: Seat, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """The orders' answer; `state` is the seat's view (OR-DEC-4)."""
    on = {"SO-06": FREE_ABSORBERS} | {id: order for id, order in orders.items() if order.option != "off"}
    frame, plan = state.stack[-1], on.get(IN_FORCE) or on.get("SO-20")
    if plan is not None and isinstance(frame, Battle) and frame.attacker == seat:
        on |= dict.fromkeys(PLANNED, plan)
    asked = Asked(state, ask_of(state, seat), on, late)
    found = ANSWERS[asked.ask.kind](asked) if asked.ask.kind in ANSWERS else None
    if found is None and asked.ask.rule in settings.SMALL:
        small = on["SO-22"].option if "SO-22" in on else settings.small(state.table)
        found = asked.ask.default if small == settings.SETTLED else None
    return politics.passing(asked.ask) if found is None and "SO-01" in on else found


_hits, _losses = by("SO-06", spoils.hits), by("SO-09", spoils.losses)
ANSWERS: Mapping[str, By[Table]] = {
    "allies": by("SO-02", politics.allies),
    "commit": by("SO-04", politics.commit),
    "counter": by("SO-03", politics.commit),
    "defend": by("SO-05", defend),
    "attacker_hits": _hits,
    "defender_hits": lambda asked: (_hits if asked.ask.rule == "D-45" else _losses)(asked),
    "give_properties": _losses,
    "give_armies": _losses,
    "ransom": by("SO-07", spoils.ransom),
    "church": by("SO-08", turns.church),
    "spoils": spoils.take,
    "attach": by("SO-11", spoils.attached),
    "vikings": by("SO-12", turns.vikings),
    "enter": by("SO-13", turns.joust),
    "levy": by("SO-16", turns.levy),
    "turn": turns.turn,
    "deck": by("SO-21", turns.deck),
    "role": by("SO-17", turns.role),
    "bid": by("SO-17", turns.bid),
    "canterbury": by("SO-18", turns.toll),
    "church_asset": by("SO-19", turns.church_asset),
}
"""Ask kind -> its answer."""
PLANNED = frozenset(("SO-06", "SO-07", "SO-10", "SO-11"))
"""Orders that a battle plan replaces (SO-20)."""
IN_FORCE = "SO-20+"
"""A battle plan in use."""


def after(state: OrtusState, seat: Seat, answered: Sequence[str], orders: Mapping[str, str]) -> dict[str, str]:
    """Drop a used battle plan (SO-20), and all orders of an Earl who is out."""
    if not state.table.earls[seat].alive:
        return {}
    kept = dict(orders)
    if "SO-20" in kept and any(given.partition(" ")[0] == "turn:attack" for given in answered):
        kept[IN_FORCE] = kept.pop("SO-20")
    if not any(isinstance(p, Battle) and p.attacker == seat for p in state.stack):
        kept.pop(IN_FORCE, None)
    earl = state.table.earls[seat]
    for id in () if roles.unsettled(state.table, earl) else settings.FOREIGN.get(earl.role, ()):
        kept.pop(id, None)
    return kept


def coming(state: OrtusState, seat: Seat) -> list[Ask]:
    table = state.table
    earl = table.earls[seat]
    if not earl.alive or table.outcome is not None or not table.round or table.active == seat:
        return []
    # Shallow copy: shared parts aren't changed.
    then = replace(table, action_used=False, earls={**table.earls, seat: replace(earl, turns=earl.turns + 1)})
    # Evaluate lazy fields now, before the table changes.
    return [settled(Turn(seat=seat).ask_turn(then, seat))]


def stance(state: OrtusState, seat: Seat) -> str:
    """Hash of the seat's position; a change voids answers in advance."""
    earl = state.table.earls[seat]
    own = [
        sorted(earl.hand),
        [(f.number, f.anchor, f.lord, f.properties) for f in earl.fiefs],
        earl.towers,
        [(m.number, m.card, m.garrison) for m in earl.mercenaries],
        sorted(earl.reserve),
        sorted(earl.banners),
        len(earl.deck),
        state.table.king == seat,
    ]
    if earl.role:
        own.append([earl.role, earl.loyal, earl.assets, state.table.canterbury == seat])
    return hashlib.sha256(msgspec.json.encode(own)).hexdigest()[:16]


LAYOUT = layout("engine.ortus")


def preset_too(state: OrtusState) -> Mapping[str, str]:
    if not state.table.roles:
        return {}
    return {**LAYOUT.more["roles"], **LAYOUT.more.get(state.table.roles, {})}


BOOK = Orders(
    asks=lambda state, seat: settings.asks(state.table, seat),
    sheet=Sheet(prefix="so_", labels=words.LABELS, words=words.ORDERS, layout=LAYOUT),
    vet=settings.vet,
    answer=answer,
    gives=turns.gives,
    after=after,
    preset=LAYOUT.preset,
    brisk=LAYOUT.brisk,
    preset_too=preset_too,
    coming=coming,
    stance=stance,
)
