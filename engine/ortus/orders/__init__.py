"""Standing orders of Ortus (rules 14.2): automatic answers for a seat.

An order maps the owner's view of the position to an answer, or None to ask him (OR-DEC-4).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from engine.asks import Answer, Ask, Seat, settled
from engine.game import Book, layout
from engine.ortus import roles
from engine.ortus.combat import Battle
from engine.ortus.orders import politics, settings, spoils, turns, words
from engine.ortus.orders.defence import cards_needed, defend, just_enough
from engine.ortus.politics import Politics, Struggle
from engine.ortus.table import Earl, Table
from engine.ortus.turn import Turn
from engine.ortus.view import OrtusState
from engine.procedure import Procedure, ask_of

__all__ = ["BOOK", "cards_needed", "just_enough"]

FREE_ABSORBERS = Answer("on", {"damage": "free"})
"""Initial SO-06."""


def asks(state: OrtusState, seat: Seat) -> list[Ask]:
    return settings.asks(state.table, seat)


def answer(state: OrtusState, seat: Seat, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """The orders' answer to the seat's ask; `state` is the seat's view (OR-DEC-4)."""
    ask = ask_of(state, seat)
    on = {id: order for id, order in orders.items() if order.option != "off"}
    at = Asked(state, state.stack[-1], state.table.earls[seat], ask, on, late)
    found = ANSWERS[ask.kind](at) if ask.kind in ANSWERS else None
    if found is None and orders.get("SO-01", Answer("off")).option == "on":
        return politics.passing(ask)
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    state: OrtusState
    frame: Procedure
    earl: Earl
    ask: Ask
    orders: Mapping[str, Answer]
    late: bool
    """At the deadline."""

    @property
    def table(self) -> Table:
        return self.state.table

    def order(self, id: str) -> Answer | None:
        """The order in force; a battle plan overrides it in a Battle its owner began."""
        plan = None
        if id in PLANNED and isinstance(self.frame, Battle) and self.frame.attacker == self.ask.seat:
            plan = self.orders.get(IN_FORCE) or self.orders.get("SO-20")
        return plan or self.orders.get(id)


def _allies(at: Asked) -> Answer | None:
    wish = at.order("SO-02")
    return politics.allies(at.table, at.frame, at.ask, wish) if wish and isinstance(at.frame, Politics) else None


def _commit(at: Asked) -> Answer | None:
    wish = at.order("SO-04" if at.ask.kind == "commit" else "SO-03")
    return politics.commit(at.table, at.frame, at.earl, at.ask, wish) if wish and isinstance(at.frame, Struggle) else None


def _defend(at: Asked) -> Answer | None:
    wish = at.order("SO-05")
    return defend(at.table, at.frame, at.earl, wish) if wish and isinstance(at.frame, Battle) else None


def _attacker_hits(at: Asked) -> Answer | None:
    if not isinstance(at.frame, Battle):
        return None
    return spoils.hits(at.frame, at.frame.attacking, at.ask, at.order("SO-06") or FREE_ABSORBERS)


def _defender_hits(at: Asked) -> Answer | None:
    if isinstance(at.frame, Battle) and at.ask.rule == "D-45":
        return spoils.hits(at.frame, at.frame.defending, at.ask, at.order("SO-06") or FREE_ABSORBERS)
    return _losses(at)


def _losses(at: Asked) -> Answer | None:
    wish = at.order("SO-09")
    return spoils.losses(at.ask, wish) if wish else None


def _ransom(at: Asked) -> Answer | None:
    wish = at.order("SO-07")
    return spoils.ransom(at.frame, at.earl, wish) if wish and isinstance(at.frame, Battle) else None


def _church(at: Asked) -> Answer | None:
    wish = at.order("SO-08")
    return turns.church(at.frame, at.ask.seat, wish) if wish and isinstance(at.frame, Battle) else None


def _spoils(at: Asked) -> Answer | None:
    if not isinstance(at.frame, Battle):
        return None
    return spoils.take(at.table, at.frame, at.earl, at.ask, at.order("SO-10"), at.order("SO-11"))


def _attach(at: Asked) -> Answer | None:
    wish = at.order("SO-11")
    return spoils.attached(at.frame, at.earl, at.ask, wish) if wish else None


def _vikings(at: Asked) -> Answer | None:
    wish = at.order("SO-12")
    return turns.vikings(at.table, at.ask.seat, wish) if wish else None


def _enter(at: Asked) -> Answer | None:
    wish = at.order("SO-13")
    return turns.joust(at.earl, at.ask, wish) if wish else None


def _levy(at: Asked) -> Answer | None:
    wish = at.order("SO-16")
    return turns.levy(at.ask, wish) if wish else None


def _turn(at: Asked) -> Answer | None:
    # A Turn under way is finished first.
    if at.order("SO-15") and isinstance(at.frame, Turn) and not at.frame.under_way:
        return Answer("concede", {"sure": "yes"})
    wish, canterbury = at.order("SO-14"), at.order("SO-18")
    if at.late:
        found = turns.turn(at.state, at.earl, at.ask, wish) if wish else None
    elif (found := turns.closing(at.table, wish) if wish else None) is None:
        return None
    if canterbury and (found is None or found.option == "end"):
        return turns.canterbury(at.ask, canterbury) or found
    return found


def _role(at: Asked) -> Answer | None:
    wish = at.order("SO-17")
    return turns.role(at.ask, wish) if wish else None


def _bid(at: Asked) -> Answer | None:
    wish = at.order("SO-17")
    return turns.bid(at.ask, wish) if wish else None


def _canterbury(at: Asked) -> Answer | None:
    wish = at.order("SO-18")
    return turns.toll(at.earl, at.ask, wish) if wish else None


def _church_asset(at: Asked) -> Answer | None:
    wish = at.order("SO-19")
    return turns.church_asset(at.ask, wish) if wish else None


def _deck(at: Asked) -> Answer | None:
    wish = at.order("SO-21")
    return Answer("deck", {"cards": wish.some("cards")}) if wish and at.late else None


ANSWERS: Mapping[str, Callable[[Asked], Answer | None]] = {
    "allies": _allies,
    "commit": _commit,
    "counter": _commit,
    "defend": _defend,
    "attacker_hits": _attacker_hits,
    "defender_hits": _defender_hits,
    "give_properties": _losses,
    "give_armies": _losses,
    "ransom": _ransom,
    "church": _church,
    "spoils": _spoils,
    "attach": _attach,
    "vikings": _vikings,
    "enter": _enter,
    "levy": _levy,
    "turn": _turn,
    "deck": _deck,
    "role": _role,
    "bid": _bid,
    "canterbury": _canterbury,
    "church_asset": _church_asset,
}
"""Ask kind -> order function."""
PLANNED = frozenset(("SO-06", "SO-07", "SO-10", "SO-11"))
"""Orders that a battle plan replaces (SO-20)."""
IN_FORCE = "SO-20+"
"""A battle plan in use."""


def after(state: OrtusState, seat: Seat, answered: Sequence[str], orders: Mapping[str, str]) -> dict[str, str]:
    """Drop a battle plan after its Battle (SO-20), and all orders of an Earl who is out."""
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
    """The first step of the seat's next Turn, asked in advance."""
    table = state.table
    earl = table.earls[seat]
    if not earl.alive or table.outcome is not None or not table.round or table.active == seat:
        return []
    # Shallow copy: shared parts aren't changed.
    then = replace(table, action_used=False, earls={**table.earls, seat: replace(earl, turns=earl.turns + 1)})
    # Evaluate lazy fields now, before the table changes.
    return [settled(Turn(seat=seat).ask_turn(then, seat))]


def stance(state: OrtusState, seat: Seat) -> str:
    """Fingerprint of the seat's position: invalidates an answer in advance."""
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


def preset_too(state: OrtusState) -> Mapping[str, str]:
    """Extra preset for games with roles."""
    if not state.table.roles:
        return {}
    return settings.ROLE_PRESET | (settings.CONTESTED_PRESET if state.table.roles == "contested" else {})


BOOK = Book(
    asks=asks,
    prefix="so_",
    labels=words.LABELS,
    words=words.ORDERS,
    layout=layout("engine.ortus"),
    about=words.about,
    vet=settings.vet,
    answer=answer,
    gives=turns.gives,
    after=after,
    preset=settings.PRESET,
    brisk=settings.BRISK,
    preset_too=preset_too,
    coming=coming,
    stance=stance,
)
