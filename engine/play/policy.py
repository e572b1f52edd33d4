"""Policies: bots, queued answers, standing orders and the clock.

A policy gets only what its seat knows, and redeals the rest, so its answers can't leak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from engine.core import procedure
from engine.core.asks import Answer, Ask, Refused, Seat, read
from engine.core.chance import Chance
from engine.game import AnyState, Game
from engine.play import match as matches
from engine.play import orders
from engine.play.hidden import Given
from engine.text.address import Key

UNATTENDED = ("bot", "clock")
"""`via` of answers without a player's will."""
MOST = 6
"""Most powers used per open question by a bot or a standing order, so that mutual reactions end."""


@dataclass(frozen=True)
class Sitter:
    """Who answers for a seat, and answers its player left."""

    name: str = ""
    owned: bool = True
    """Whether a player has the seat."""
    bot: str = ""
    """The bot, or the steward of an absent player; "": nobody."""
    steward: bool = False
    orders: Mapping[str, str] = field(default_factory=dict)
    """Standing orders: id -> setting."""
    today: date | None = None
    """The player's date, by which orders expire; None: they don't."""
    prepared: Mapping[str, str] = field(default_factory=dict)
    """Answers from before the start: ask kind -> move."""
    advance: Sequence[Mapping[str, Any]] = ()
    """Answers in advance: `id`, `kind`, `move`, `ask`, and `stance`, the hash of the seat's position then."""
    missed: int = 0
    """Deadlines missed in a row."""


def deserted(kept: Sequence[bool]) -> bool:
    """Whether stewards wait: if they keep all players' seats (`kept`), nobody is there to play."""
    return bool(kept) and all(kept)


@dataclass(frozen=True)
class Timed:
    """Times of an open question or proposal. The kept answer is text: it may be older than the code."""

    due: datetime | None = None
    falls: datetime | None = None
    """When the default is played; None: never."""
    kept: str = ""
    """The move of the answer kept back; "" for none."""
    via: str = ""
    kept_to: datetime | None = None


@dataclass(frozen=True)
class Clock:
    """Times of a run, and the table's use of them."""

    asked: Mapping[Key, Timed] = field(default_factory=dict)
    """What was put to players before the run."""
    since: tuple[int, datetime] | None = None
    """Number and opening of the question before the run."""
    decent: bool = False
    """Whether answers by order are given after a decent pause."""
    late_windows: bool = False
    """Whether windows close at their deadline only."""
    steward_after: int = 1 << 30
    """Deadlines missed in a row before a steward keeps the seat."""

    def fallen(self, at: datetime) -> bool:
        return any(timed.falls is not None and timed.falls <= at for timed in self.asked.values())


@dataclass(frozen=True)
class Mind:
    game: Game
    known: AnyState
    seat: Seat
    chance: Chance


def default(mind: Mind) -> Given:
    return Given(procedure.ask_of(mind.known, mind.seat).default, "clock", matches.DEFAULT)


def bot(mind: Mind, name: str, mark: str) -> Given:
    """A bot's answer, or the default if illegal."""
    seen = mind.game.rules.redeal(mind.known, mind.seat, mind.chance)
    try:
        answer = procedure.vet(mind.known, mind.seat, mind.game.bots.players[name](seen, mind.seat, mind.chance))
    except Refused:
        answer = procedure.ask_of(mind.known, mind.seat).default
    return Given(answer, "bot", mark)


def bot_offer(mind: Mind, name: str, mark: str, ask: Ask, number: int) -> Given | None:
    """As `offer_of`, marked as a bot's."""
    answer = offer_of(mind.game, name, mind.known, mind.seat, ask, number, mind.chance)
    return Given(answer, "bot", mark) if answer is not None else None


def offer_of(game: Game, bot: str, state: AnyState, seat: Seat, ask: Ask, number: int, chance: Chance) -> Answer | None:
    """A bot's answer to a proposal, or its use of a power (number 0); None to pass."""
    think = game.bots.offer_policies.get(bot)
    found = think(game.rules.redeal(state, seat, chance), seat, ask, chance) if think is not None else None
    if found is not None:
        found = matches.legal_offer(game, state, seat, ask.kind, found, number)
    return found or (ask.default if number else None)


def order(mind: Mind, set_: orders.Orders, late: bool = False) -> Given | None:
    """An order's answer, or the house's default, if legal."""
    seed = str(mind.chance.below(1 << 32, "order"))
    try:
        found = orders.answer(mind.game, mind.known, mind.seat, set_, Chance(seed), late)
        if found is None:
            return None
        house = not set_ or orders.of_house(mind.game, mind.known, mind.seat, set_, found, seed, late)
        return Given(found, "house" if house else matches.ORDER)
    except Refused:
        return None


def order_offer(mind: Mind, set_: orders.Orders, ask: Ask, number: int, late: bool = False) -> Given | None:
    """As `order`, to a proposal."""
    found = orders.answer_offer(mind.game, mind.known, mind.seat, ask, number, set_, mind.chance, late)
    return Given(found, matches.ORDER) if found is not None else None


def order_power(mind: Mind, set_: orders.Orders, ask: Ask) -> Given | None:
    found = orders.use(mind.game, mind.known, mind.seat, ask, set_, mind.chance)
    return Given(found, matches.ORDER) if found is not None else None


def legal(mind: Mind, move: str, via: str) -> Given | None:
    try:
        return Given(procedure.vet(mind.known, mind.seat, read(move)), via)
    except Refused:
        return None


def advance(mind: Mind, queued: Mapping[str, Any], offer: tuple[Ask, int] | None = None) -> Given:
    """A queued answer. Raises Refused if it no longer fits."""
    answer = read(queued["move"])
    if offer is None:
        return Given(procedure.vet(mind.known, mind.seat, answer), "advance")
    ask, number = offer
    return Given(matches.check_offer(mind.game, mind.known, mind.seat, ask.kind, answer, number), "advance")
