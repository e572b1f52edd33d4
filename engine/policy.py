"""Policies: who answers without being asked, as bots, queued answers, standing orders and the clock do.

A policy gets the position that its seat knows, and no other. It redeals what the seat can't know, so its answers can't leak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from engine import match as matches
from engine import offer_policy, orders, procedure
from engine.address import Key
from engine.asks import Ask, Refused, Seat, read
from engine.chance import Chance
from engine.game import AnyState, Game
from engine.hidden import Given

UNATTENDED = ("bot", "clock")
"""`via` of answers without a player's will."""


@dataclass(frozen=True)
class Sitter:
    """What answers for a seat, and what its player has left behind."""

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


@dataclass(frozen=True)
class Timed:
    """Times of an open question or proposal, and the answer kept back for it, as text: it may be older than the code."""

    due: datetime | None = None
    falls: datetime | None = None
    """When the default is played; None: never."""
    kept: str = ""
    """The move of the answer kept back; "" for none."""
    via: str = ""
    kept_to: datetime | None = None


@dataclass(frozen=True)
class Clock:
    """Times of a run, and how the table wants them to be used."""

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
        """Whether a deadline has passed."""
        return any(timed.falls is not None and timed.falls <= at for timed in self.asked.values())


@dataclass(frozen=True)
class Mind:
    """A seat, what it knows, and randomness of its own."""

    game: Game
    known: AnyState
    seat: Seat
    chance: Chance

    def below(self, purpose: str) -> str:
        """A fresh seed."""
        return str(self.chance.below(1 << 32, purpose))


def default(mind: Mind) -> Given:
    """The safe default by the seat's knowledge."""
    return Given(procedure.ask_of(mind.known, mind.seat).default, "clock", matches.DEFAULT)


def bot(mind: Mind, name: str, mark: str) -> Given:
    """A bot's answer to the question, or the default if that is illegal."""
    seen = mind.game.redeal(mind.known, mind.seat, mind.chance)
    try:
        answer = procedure.vet(mind.known, mind.seat, mind.game.bots[name](seen, mind.seat, mind.chance))
    except Refused:
        answer = procedure.ask_of(mind.known, mind.seat).default
    return Given(answer, "bot", mark)


def bot_offer(mind: Mind, name: str, mark: str, ask: Ask, number: int) -> Given | None:
    """A bot's answer to a proposal, or use of a power (number 0); None to pass."""
    answer = offer_policy.said(mind.game, name, mind.known, mind.seat, ask, number, mind.chance)
    return Given(answer, "bot", mark) if answer is not None else None


def order(mind: Mind, set_: orders.Orders, late: bool = False) -> Given | None:
    """The standing orders' answer to the question, or the house's default; None: ask. An illegal one counts as none."""
    seed = mind.below("order")
    try:
        found = orders.answer(mind.game, mind.known, mind.seat, set_, Chance(seed), late)
        if found is None:
            return None
        house = orders.of_house(mind.game, mind.known, mind.seat, set_, found, seed, late)
        return Given(procedure.vet(mind.known, mind.seat, found), "house" if house else matches.ORDER)
    except Refused:
        return None


def order_offer(mind: Mind, set_: orders.Orders, ask: Ask, number: int, late: bool = False) -> Given | None:
    """The orders' answer to a proposal; None: it stands open."""
    found = orders.haggle(mind.game, mind.known, mind.seat, ask, number, set_, mind.chance, late)
    return Given(found, matches.ORDER) if found is not None else None


def order_power(mind: Mind, set_: orders.Orders, ask: Ask) -> Given | None:
    """The orders' use of a power; None: don't."""
    found = orders.use(mind.game, mind.known, mind.seat, ask, set_, mind.chance)
    return Given(found, matches.ORDER) if found is not None else None


def legal(mind: Mind, move: str, via: str) -> Given | None:
    """An answer from before, if it is still legal."""
    try:
        return Given(procedure.vet(mind.known, mind.seat, read(move)), via)
    except Refused:
        return None


def unchanged(mind: Mind, queued: Mapping[str, Any]) -> bool:
    """Whether the seat's position is what it was when it queued this answer in advance."""
    return bool(queued["stance"] == orders.stance(mind.game, mind.known, mind.seat))


def advance(mind: Mind, queued: Mapping[str, Any], offer: tuple[Ask, int] | None = None) -> Given:
    """An answer queued in advance, to the question or a proposal. Raises Refused if it no longer fits."""
    answer = read(queued["move"])
    if offer is None:
        return Given(procedure.vet(mind.known, mind.seat, answer), "advance")
    ask, number = offer
    return Given(matches.check_offer(mind.game, mind.known, mind.seat, ask.kind, answer, number), "advance")
