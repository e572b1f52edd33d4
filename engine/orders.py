"""Standing orders: policies that answer asks for a seat, from what the seat may know.

An order is set by answering its own Ask and stored as text. Its answers are validated like any; where it has none, the seat is
asked (OR-DEC-4). Games define orders in their `Book`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from engine import match as matches
from engine import procedure
from engine.asks import Answer, Ask, NotUnderstood, PickOne, Refused, Seat, read, settled, write
from engine.asks import check as check_answer
from engine.chance import Chance
from engine.game import AnyState, Game
from engine.match import Entry, Header
from engine.words import say

Orders = Mapping[str, str]
"""Order's id (`SO-05`) to setting."""


def asks(game: Game, state: AnyState, seat: Seat) -> list[Ask]:
    """Asks by which the seat sets orders; `rule` is the order's id."""
    return game.orders.asks(state, seat)


def check(game: Game, state: AnyState, seat: Seat, id: str, answer: Answer) -> str:
    """The setting in canonical text. Raises Refused for an order that doesn't exist or a setting that can't be."""
    ask = next((a for a in asks(game, state, seat) if a.rule == id), None)
    if ask is None:
        raise NotUnderstood(say("order.none_such", id=id[:20]))
    answer = check_answer(ask, answer)
    game.orders.vet(id, answer)
    return write(answer)


def preset(game: Game, state: AnyState | None = None) -> dict[str, str]:
    """Recommended orders; with `state`, also for its optional rules."""
    return {**game.orders.preset, **(game.orders.preset_too(state) if state is not None else {})}


def answer(game: Game, state: AnyState, seat: Seat, orders: Orders, chance: Chance, late: bool = False) -> Answer | None:
    """The orders' answer to the seat's ask; None: ask. `late`: at the deadline.

    Computed on a redealt position, so it can't leak; then validated in the true one.
    """
    found = game.orders.answer(game.redeal(state, seat, chance), seat, settings(orders), late)
    if found is None:
        return None
    try:
        return procedure.vet(state, seat, found)
    except Refused:
        return None


def of_house(game: Game, state: AnyState, seat: Seat, orders: Orders, given: Answer, chance: str, late: bool = False) -> bool:
    """Whether `given` is a default of the house that no order of the seat influenced.

    `chance`: seed for redealing.
    """
    if answer(game, state, seat, {}, Chance(chance), late) != given:
        return False
    # An order set to the house's default counts as the seat's own, if another setting would answer differently.
    for ask in asks(game, state, seat):
        if ask.rule in orders and ask.default.option != "off":
            others = ({**orders, ask.rule: other} for other in _settings_of(game, state, seat, ask))
            if any(answer(game, state, seat, changed, Chance(chance), late) != given for changed in others):
                return False
    return True


def _settings_of(game: Game, state: AnyState, seat: Seat, ask: Ask) -> Iterator[str]:
    for option in ask.options:
        picks = [(field.name, choice.id) for field in option.fields if isinstance(field, PickOne) for choice in field.choices]
        for values in ({}, *({name: id} for name, id in picks)):
            try:
                yield check(game, state, seat, ask.rule, Answer(option.id, dict(values)))
            except Refused:
                continue


def haggle(
    game: Game, state: AnyState, seat: Seat, ask: Ask, number: int, orders: Orders, chance: Chance, late: bool = False
) -> Answer | None:
    """What the seat's orders answer to a proposal, given with its number; None where it stands open to the seat itself."""
    found = game.orders.haggle(game.redeal(state, seat, chance), seat, ask, settings(orders), late)
    if found is None:
        return None
    try:
        return matches.check_offer(game, state, seat, ask.kind, found, number)
    except Refused:
        return None


def use(game: Game, state: AnyState, seat: Seat, ask: Ask, orders: Orders, chance: Chance) -> Answer | None:
    """The orders' use of a power; None: don't."""
    if game.orders.use is None:
        return None
    found = game.orders.use(game.redeal(state, seat, chance), seat, ask, settings(orders))
    if found is None:
        return None
    try:
        return matches.check_offer(game, state, seat, ask.kind, found)
    except Refused:
        return None


def settings(orders: Orders) -> dict[str, Answer]:
    """The orders, parsed; one that can't be parsed counts as off."""
    found = {}
    for id, text in orders.items():
        try:
            found[id] = read(text)
        except Refused:
            continue
    return found


def of_day(game: Game, orders: Orders, day: date) -> dict[str, str]:
    """The orders without those whose last day is over on `day`, the owner's date."""
    past = {id for id, order in settings(orders).items() if (last := game.orders.last_day(id, order)) and last < day}
    return {id: text for id, text in orders.items() if id not in past}


def after(game: Game, state: AnyState, seat: Seat, answered: Sequence[str], orders: Orders) -> dict[str, str]:
    """Orders that stay after the answers, `kind:answer`."""
    return game.orders.after(state, seat, answered, orders)


def coming(game: Game, state: AnyState, seat: Seat) -> list[Ask]:
    """Asks that may follow while the seat's position is unchanged, to be answered in advance."""
    return game.orders.coming(state, seat)


def stance(game: Game, state: AnyState, seat: Seat) -> str:
    """Hash of the seat's position."""
    return game.orders.stance(state, seat)


UNASKED = frozenset((matches.ORDER, "advance", "house"))
"""`via` of answers that nobody was asked for."""


@dataclass(frozen=True)
class Tried:
    """A seat's past answer, and what given orders would have answered."""

    n: int
    """Entry's number."""
    ask: Ask
    given: Answer
    ordered: Answer | None
    """None: would have been asked."""
    asked: bool
    """Whether the player was asked."""
    seconds: int
    """Answer time."""

    @property
    def same(self) -> bool:
        return self.ordered == self.given


@dataclass(frozen=True)
class DryRun:
    """Totals of a dry run: asks and seconds of waiting, actual and with the orders."""

    asked: int = 0
    left: int = 0
    waited: int = 0
    left_waiting: int = 0
    tried: Sequence[Tried] = ()


def dry_run(header: Header, seed: bytes, entries: Iterable[Entry], seat: Seat, orders: Orders, since: int = 0) -> DryRun:
    """Evaluate orders against the seat's past answers from entry `since`, on redealt positions."""
    match = matches.start(header, seed)
    chance, tried = Chance("dry run"), list[Tried]()
    opened, serial, before = header.created, match.state.serial, header.created
    for entry in entries:
        state = match.state
        if state.serial != serial:
            opened, serial = before, state.serial
        own = entry.actor == seat and entry.serial == state.serial and entry.move is not None
        if own and entry.n >= since and seat in state.waiting:
            ordered = answer(match.game, state, seat, orders, chance)
            given, ask = read(entry.move or ""), settled(procedure.ask_of(state, seat))
            seconds = _between(opened, entry.at)
            tried.append(Tried(entry.n, ask, given, ordered, entry.via not in UNASKED, seconds))
        matches.apply(match, entry, trusted=True)
        before = entry.at
    asked, left = [t for t in tried if t.asked], [t for t in tried if t.ordered is None]
    return DryRun(len(asked), len(left), sum(t.seconds for t in asked), sum(t.seconds for t in left), tuple(tried))


def _between(begin: str, end: str) -> int:
    try:
        return max(0, round((datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()))
    except ValueError:
        return 0
