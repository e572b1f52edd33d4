"""Standing orders of Ortus Regni (rules 14.2): what an order answers in its owner's place.

An order is a function of the position, as its owner knows it, to an answer, or to None where it leaves the decision to him
(OR-DEC-4). Nothing here changes a position.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from engine.asks import Answer, Ask, Seat, settled
from engine.game import Book
from engine.ortus.combat import Battle
from engine.ortus.orders import politics, settings, spoils, turns, words
from engine.ortus.orders.defence import cards_needed, defend, just_enough
from engine.ortus.politics import Politics, Struggle
from engine.ortus.turn import Turn
from engine.ortus.view import OrtusState
from engine.procedure import ask_of

__all__ = ["BOOK", "cards_needed", "just_enough"]

FREE_ABSORBERS = Answer("on", {"damage": "free"})
"""What SO-06 stands at when a game begins."""


def asks(state: OrtusState, seat: Seat) -> list[Ask]:
    """How each order is set."""
    return settings.asks(state.table, seat)


def answer(state: OrtusState, seat: Seat, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """What the orders answer to the seat's open ask; `state` is as the seat knows it (OR-DEC-4)."""
    ask = ask_of(state, seat)
    found = _particular(state, seat, ask, {id: order for id, order in orders.items() if order.option != "off"}, late)
    if found is None and orders.get("SO-01", Answer("off")).option == "on":
        return politics.passing(ask)
    return found


def _particular(state: OrtusState, seat: Seat, ask: Ask, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    table, frame = state.table, state.stack[-1]
    earl = table.earls[seat]
    plan = None
    if isinstance(frame, Battle) and frame.attacker == seat:
        plan = orders.get(IN_FORCE) or orders.get("SO-20")

    def order(id: str) -> Answer | None:
        """The battle plan goes before the standing order."""
        return plan if plan is not None and id in PLANNED else orders.get(id)

    match ask.kind:
        case "allies" if isinstance(frame, Politics) and (wish := order("SO-02")):
            return politics.allies(table, frame, ask, wish)
        case "commit" if isinstance(frame, Struggle) and (wish := order("SO-04")):
            return politics.commit(table, frame, earl, ask, wish)
        case "counter" if isinstance(frame, Struggle) and (wish := order("SO-03")):
            return politics.commit(table, frame, earl, ask, wish)
        case "defend" if isinstance(frame, Battle) and (wish := order("SO-05")):
            return defend(table, frame, earl, wish)
        case "attacker_hits" if isinstance(frame, Battle):
            return spoils.hits(frame, frame.attacking, ask, order("SO-06") or FREE_ABSORBERS)
        case "defender_hits" if isinstance(frame, Battle) and ask.rule == "D-45":
            return spoils.hits(frame, frame.defending, ask, order("SO-06") or FREE_ABSORBERS)
        case "defender_hits" | "give_properties" | "give_armies" if wish := order("SO-09"):
            return spoils.losses(ask, wish)
        case "ransom" if isinstance(frame, Battle) and (wish := order("SO-07")):
            return spoils.ransom(frame, earl, wish)
        case "church" if isinstance(frame, Battle) and (wish := order("SO-08")):
            return turns.church(frame, seat, wish)
        case "spoils" if isinstance(frame, Battle):
            return spoils.take(frame, earl, ask, order("SO-10"), order("SO-11"))
        case "attach" if wish := order("SO-11"):
            return spoils.attached(earl, ask, wish)
        case "vikings" if wish := order("SO-12"):
            return turns.vikings(table, seat, wish)
        case "enter" if wish := order("SO-13"):
            return turns.joust(earl, ask, wish)
        case "levy" if wish := order("SO-16"):
            return turns.levy(ask, wish)
        case "turn" if order("SO-15"):
            return Answer("concede", {"sure": "yes"})
        case "turn" if late and (wish := order("SO-14")):
            return turns.turn(earl, ask, wish)
        case "deck" if late and (wish := order("SO-21")):
            return Answer("deck", {"cards": wish.some("cards")})
        case _:
            return None


PLANNED = frozenset(("SO-06", "SO-07", "SO-10", "SO-11"))
"""What a battle plan bundles (SO-20)."""


IN_FORCE = "SO-20+"
"""A battle plan whose Battle has begun."""


def after(state: OrtusState, seat: Seat, answered: Sequence[str], orders: Mapping[str, str]) -> dict[str, str]:
    """A battle plan ends with its Battle (SO-20), and every order with its Earl."""
    if not state.table.earls[seat].alive:
        return {}
    kept = dict(orders)
    if "turn:attack" in answered and "SO-20" in kept:
        kept[IN_FORCE] = kept.pop("SO-20")
    if not any(isinstance(p, Battle) and p.attacker == seat for p in state.stack):
        kept.pop(IN_FORCE, None)
    return kept


def coming(state: OrtusState, seat: Seat) -> list[Ask]:
    """What may be asked of the seat while its own position stays as it is: the first step of its own Turn."""
    table = state.table
    earl = table.earls[seat]
    if not earl.alive or table.outcome is not None or not table.start or table.active == seat:
        return []
    # The table as it will be then: a shallow copy, for nothing is changed that the two share.
    then = replace(table, action_used=False, earls={**table.earls, seat: replace(earl, turns=earl.turns + 1)})
    # Fields are made when they are read, so they are read now: until then this table may have gone on.
    return [settled(Turn(seat=seat).ask_turn(then, seat))]


def stance(state: OrtusState, seat: Seat) -> str:
    """A fingerprint of the seat's own position: an answer in advance holds while it is the same."""
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
    return hashlib.sha256(msgspec.json.encode(own)).hexdigest()[:16]


BOOK = Book(
    asks=asks,
    prefix="so_",
    labels=words.LABELS,
    about=words.about,
    vet=settings.vet,
    answer=answer,
    after=after,
    preset=settings.PRESET,
    coming=coming,
    stance=stance,
)
