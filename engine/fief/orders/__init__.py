"""Standing orders of Fief (FF-SO): automatic answers for a seat.

An order maps the owner's view of the position to an answer, or None to ask him. Whether it answers depends on public facts
only, never on his hand (FF-ASY-3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.asks import Answer, Ask, NotUnderstood, Seat, read, settled
from engine.fief.cards import Draws
from engine.fief.movement import Movement
from engine.fief.orders import (
    battles,
    cards,
    church,
    family,
    losses,
    passage,
    purchases,
    relics,
    script,
    settings,
    sieges,
    triggers,
    words,
)
from engine.fief.orders.asked import Asked
from engine.fief.playing import Plays
from engine.fief.purchase import Purchases
from engine.fief.siege import Battles, Pillage
from engine.fief.table import Table
from engine.fief.types import FiefState
from engine.game import Book, layout
from engine.procedure import Procedure, ask_of

__all__ = ["BOOK"]

AWAY = "SO-24"


def asks(state: FiefState, seat: Seat) -> list[Ask]:
    return settings.asks(state.table, seat)


def in_force(table: Table, orders: Mapping[str, Answer]) -> dict[str, Answer]:
    """Orders active in this round and phase, with house defaults."""
    on = {id: order for id, order in orders.items() if order.option not in ("off", "ask") and settings.holds(order, table)}
    asked = {id for id, order in orders.items() if order.option == "ask"}
    return {**{id: order for id, order in settings.SHIPPED.items() if id not in asked}, **on}


def answer(state: FiefState, seat: Seat, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """The orders' answer to the seat's ask; `state` is the seat's view."""
    ask = ask_of(state, seat)
    return _answered(Asked(state, state.table, state.stack[-1], ask, in_force(state.table, orders)))


def _answered(at: Asked) -> Answer | None:
    """The matching order's answer, or an absent player's safe default (FF-SO-24)."""
    found = ANSWERS[at.ask.kind](at) if at.ask.kind in ANSWERS else None
    if found is None or not at.legal(found):
        return at.ask.default if at.order(AWAY) is not None else None
    return found


ANSWERS: Mapping[str, Callable[[Asked], Answer | None]] = {
    "village": script.village,
    "stand": church.stand,
    "vote": church.vote,
    "discard": cards.discard,
    "draw": cards.draw,
    "plague": losses.plague,
    "play": cards.play,
    "prince": family.prince,
    "host": family.host,
    "place": family.place,
    "heir": family.heir,
    "receiver": family.heir,
    "bearer": relics.bearer,
    "teeth": relics.teeth,
    "consent": church.consent,
    "ransom": purchases.ransom,
    "ransom_answer": purchases.ransom_answer,
    "ransom_which": purchases.ransom_which,
    "purchase": purchases.purchase,
    "gift": family.gift,
    "movement": script.movement,
    "leave": passage.leave,
    "battles": script.battles,
    "side": battles.side,
    "muster": battles.muster,
    "losses": losses.battle,
    "battle_next": battles.battle_next,
    "captors": battles.captors,
    "go_on": battles.go_on,
    "shield": battles.shield,
    "pillage": sieges.pillage,
    "window": triggers.window,
    "join": triggers.join,
    "calm": church.calm,
    "uprising_losses": losses.uprising,
}
"""Ask kind -> order function."""

PROPOSALS: Mapping[str, Callable[[Asked], Answer | None]] = {
    "cession": family.cession,
    "annulment": church.annulment,
    "relic": relics.proposal,
}


def haggle(state: FiefState, seat: Seat, ask: Ask, orders: Mapping[str, Answer], late: bool) -> Answer | None:
    """The orders' answer to a proposal, or an absent player's safe outcome."""
    at = Asked(state, state.table, state.stack[-1], ask, in_force(state.table, orders))
    found = PROPOSALS[ask.kind](at) if ask.kind in PROPOSALS else None
    return found or (ask.default if at.order(AWAY) is not None else None)


def use(state: FiefState, seat: Seat, ask: Ask, orders: Mapping[str, Answer]) -> Answer | None:
    """The orders' use of a power at a safe point."""
    table, on = state.table, in_force(state.table, orders)
    if ask.kind == "lift_siege":
        return sieges.lift(ask, on.get("SO-17"))
    if ask.kind in ("take_relic", "eyes", "bone"):
        return relics.use(table, seat, ask, on.get("SO-23"))
    return triggers.use(table, seat, ask, on.get("SO-19"))


def after(state: FiefState, seat: Seat, answered: Sequence[str], orders: Mapping[str, str]) -> dict[str, str]:
    """Drop executed lists and expired orders."""
    kept = dict(orders)
    for given in answered:
        kind, _, text = given.partition(":")
        script.after([_read(text)], kind, kept)
    return {id: text for id, text in kept.items() if not settings.over(_read(text), state.table)}


def _read(text: str) -> Answer:
    try:
        return read(text)
    except NotUnderstood:
        return Answer("off")


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
    """The seat's remaining turns this round, asked in advance (FF-ASY-2)."""
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


def stance(state: FiefState, seat: Seat) -> str:
    """Validity key of an answer in advance: its round (FF-ASY-2)."""
    return str(state.table.round)


BOOK = Book(
    asks=asks,
    prefix="so_",
    labels=words.LABELS,
    words=words.ORDERS,
    layout=layout("engine.fief"),
    about=words.about,
    vet=settings.vet,
    answer=answer,
    haggle=haggle,
    use=use,
    after=after,
    last_day=settings.last_day,
    preset=settings.PRESET,
    coming=coming,
    stance=stance,
)
