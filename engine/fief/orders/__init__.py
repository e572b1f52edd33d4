"""Standing orders of Fief (FF-SO): answers from the owner's view; None asks him. Whether one answers never depends on his hand
(FF-ASY-3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.core.asked import By, by
from engine.core.asks import Answer, Ask, Seat, settled
from engine.core.procedure import Procedure, ask_of
from engine.fief.orders import battles, cards, family, losses, purchases, script, settings, triggers, words
from engine.fief.orders.asked import Asked, consent, default_if, reply
from engine.fief.rules.court.cards import Draws
from engine.fief.rules.playing import Plays
from engine.fief.rules.purchase import Purchases
from engine.fief.rules.realm.table import Table
from engine.fief.rules.setup import FiefTable
from engine.fief.rules.types import FiefState
from engine.fief.rules.war.movement import Movement
from engine.fief.rules.war.siege import Battles, Pillage
from engine.game import Orders, Sheet, layout

AWAY = "SO-24"


def in_force(table: Table, orders: Mapping[str, Answer]) -> dict[str, Answer]:
    """Orders of this round and phase, with house defaults."""
    on = {id: order for id, order in orders.items() if order.option not in ("off", "ask") and settings.holds(order, table)}
    asked = {id for id, order in orders.items() if order.option == "ask"}
    return {**{id: order for id, order in settings.shipped(table).items() if id not in asked}, **on}


def answer(state: FiefState, seat: Seat, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """The matching order's answer, or an absent player's safe default (FF-SO-24); `state` is the seat's view."""
    at = Asked(state, ask_of(state, seat), in_force(state.table, orders))
    found = ANSWERS[at.ask.kind](at) if at.ask.kind in ANSWERS else None
    return found if found is not None and at.legal(found) else _absent(at)


def _absent(at: Asked) -> Answer | None:
    return at.ask.default if AWAY in at.orders else None


ANSWERS: Mapping[str, By[FiefTable]] = {
    "village": by(settings.SETTLE, script.village),
    "stand": by("SO-9", family.stand),
    "vote": by("SO-8", family.vote),
    "discard": by("SO-14", cards.discard),
    "draw": by("SO-14", cards.draw),
    "plague": by("SO-2", losses.plague),
    "play": by("SO-15", cards.play),
    "prince": by("SO-13", family.prince),
    "host": by("SO-22", consent("lord")),
    "place": by("SO-12", family.place),
    "heir": by("SO-11", family.heir),
    "receiver": by("SO-11", family.heir),
    "bearer": by("SO-23", default_if("pass_on", "house")),  # D-REL-6: most titles
    "teeth": by("SO-23", family.teeth),
    "consent": by("SO-10", consent("consent")),
    "ransom": by("SO-21", purchases.ransom),
    "ransom_answer": by("SO-21", purchases.ransom_answer),
    "ransom_which": by("SO-21", purchases.ransom_which),
    "purchase": by("SO-16", purchases.purchase),
    "gift": by("SO-22", family.gift),
    "movement": script.movement,
    "leave": by("SO-1", family.leave),
    "battles": script.battles,
    "side": by("SO-3", battles.side),
    "muster": battles.muster,
    "losses": by("SO-2", losses.fallen),
    "battle_next": battles.battle_next,
    "captors": by("SO-4", default_if("captors", "self")),  # D-BAT-7: himself, if able
    "go_on": by("SO-4", battles.go_on),
    "shield": by("SO-6", battles.shield),
    "pillage": by("SO-18", battles.pillage),
    "window": by("SO-20", triggers.window),
    "join": triggers.join,
    "calm": by("SO-7", family.calm),
    "uprising_losses": by("SO-2", losses.fallen),
}
"""Ask kind -> its answer."""

PROPOSALS: Mapping[str, By[FiefTable]] = {
    "cession": by("SO-22", reply("village")),
    "annulment": by("SO-10", reply("annul")),
    "relic": by("SO-23", family.relic),
}
POWERS = {
    "take_relic": by("SO-23", family.use_relic),
    "eyes": by("SO-23", family.use_relic),
    "bone": by("SO-23", family.use_relic),
    "lift_siege": by("SO-17", default_if("held", "lift")),  # at any time (D-SIE-2)
}
"""Powers by order; triggers use the others."""


def answer_offer(state: FiefState, seat: Seat, ask: Ask, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """As `answer`, to a proposal."""
    at = Asked(state, ask, in_force(state.table, orders))
    found = PROPOSALS[ask.kind](at) if ask.kind in PROPOSALS else None
    return found or _absent(at)


def use(state: FiefState, seat: Seat, ask: Ask, orders: Mapping[str, Answer]) -> Answer | None:
    return POWERS.get(ask.kind, by("SO-19", triggers.use))(Asked(state, ask, in_force(state.table, orders)))


def after(state: FiefState, seat: Seat, answered: Sequence[str], orders: Mapping[str, str]) -> dict[str, str]:
    """Drop executed lists and expired orders."""
    kept = dict(orders)
    for given in answered:
        kind, _, text = given.partition(":")
        script.after(script.setting(text), kind, kept)
    return {id: text for id, text in kept.items() if not settings.over(script.setting(text), state.table)}


TURNS: Sequence[tuple[str, type[Procedure], str]] = (
    ("2a", Draws, "discard"),
    ("2c", Plays, "play"),
    ("4b", Purchases, "purchase"),
    ("5", Movement, "movement"),
    ("6a", Battles, "battles"),
    ("6b", Pillage, "pillage"),
)
"""Turns in each round: step, procedure, ask."""
STEPS = ("1a", "1b", "1c", "1d", "2a", "2b", "2c", "cp1", "3a", "4a", "4b", "5", "cp2", "6a", "6b", "cp3", "7")


def coming(state: FiefState, seat: Seat) -> list[Ask]:
    """The seat's remaining turns this round (FF-ASY-2)."""
    table = state.table
    if table.outcome is not None or table.phase not in STEPS or seat in state.waiting:
        return []
    found = []
    for step, procedure, kind in TURNS:
        if not _to_come(state, seat, step, procedure):
            continue
        frame: Procedure = procedure(left=[seat])  # type: ignore[call-arg]  # all in TURNS have `left`
        if list(frame.steps[kind].who(frame, table)):  # type: ignore[union-attr]  # the steps of TURNS ask
            ask = settled(frame.steps[kind].ask(frame, table, seat))  # type: ignore[union-attr]  # likewise
            found += [ask] if len(ask.options) > 1 else []
    return found


def _to_come(state: FiefState, seat: Seat, step: str, procedure: type[Procedure]) -> bool:
    if state.table.phase != step:
        return STEPS.index(step) > STEPS.index(state.table.phase)
    frame = next((p for p in state.stack if isinstance(p, procedure)), None)
    return frame is not None and seat in getattr(frame, "left", [])[1:]


LAYOUT = layout("engine.fief")
BOOK = Orders(
    asks=lambda state, seat: settings.asks(state.table, seat),
    sheet=Sheet(prefix="so_", labels=words.LABELS, words=words.ORDERS, layout=LAYOUT),
    vet=settings.vet,
    answer=answer,
    answer_offer=answer_offer,
    use=use,
    after=after,
    last_day=settings.last_day,
    preset=LAYOUT.preset,
    coming=coming,
    stance=lambda state, _seat: str(state.table.round),  # an advance answer is valid in this round (FF-ASY-2)
)
