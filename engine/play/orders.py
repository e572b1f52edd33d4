"""Standing orders: answers for a seat from what it may know.

An order is set by answering its own Ask, and stored as text. Without an answer by order, the seat is asked (OR-DEC-4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from engine.core import procedure
from engine.core.asks import Answer, Ask, NotUnderstood, PickOne, Refused, Seat, read, settled, write
from engine.core.asks import check as check_answer
from engine.core.chance import Chance
from engine.game import AnyState, Game
from engine.language.words import say
from engine.play import match as matches
from engine.play.match import Entry, Header

Orders = Mapping[str, str]
"""Order's id (`SO-05`) to setting."""


def check(game: Game, state: AnyState, seat: Seat, id: str, answer: Answer) -> str:
    """Canonical text of a setting. Raises Refused for an unknown order or impossible setting."""
    ask = next((a for a in game.orders.asks(state, seat) if a.rule == id), None)
    if ask is None:
        raise NotUnderstood(say("order.none_such", id=id[:20]))
    return write(_checked(game, ask, answer))


def _checked(game: Game, ask: Ask, answer: Answer) -> Answer:
    answer = check_answer(ask, answer)
    game.orders.vet(ask.rule, answer)
    return answer


def preset(game: Game, state: AnyState | None = None) -> dict[str, str]:
    """Recommended orders; with `state`, also for its optional rules."""
    return {**game.orders.preset, **(game.orders.preset_too(state) if state is not None else {})}


def asking(game: Game, state: AnyState, seat: Seat) -> dict[str, str]:
    """Settings that make orders ask if they answer by default."""
    ids = [ask.rule for ask in game.orders.asks(state, seat) if ask.default.option != "off"]
    return {id: game.orders.sheet.layout.ask.get(id, "ask") for id in ids}


def answer(game: Game, state: AnyState, seat: Seat, orders: Orders, chance: Chance, late: bool = False) -> Answer | None:
    """The orders' answer; None: ask. `late`: at the deadline.

    Computed on a redealt position, so it can't leak; then validated in the true one.
    """
    return _answer(game, state, game.rules.redeal(state, seat, chance), seat, settings(orders), late)


def _answer(game: Game, state: AnyState, dealt: AnyState, seat: Seat, set_: Mapping[str, Answer], late: bool) -> Answer | None:
    found = game.orders.answer(dealt, seat, set_, late)
    return procedure.legal(state, seat, found) if found is not None else None


def of_house(game: Game, state: AnyState, seat: Seat, orders: Orders, given: Answer, chance: str, late: bool = False) -> bool:
    """Whether `given` is a house default, not the seat's own order's. `chance`: seed for redealing."""
    dealt = game.rules.redeal(state, seat, Chance(chance))
    if _answer(game, state, dealt, seat, {}, late) != given:
        return False
    set_ = settings(orders)
    # An order set to the house's default counts as the seat's own, if another setting would answer differently.
    for ask in game.orders.asks(state, seat):
        if ask.rule in orders and ask.default.option != "off":
            others = ({**set_, ask.rule: other} for other in _settings_of(game, ask))
            if any(_answer(game, state, dealt, seat, changed, late) != given for changed in others):
                return False
    return True


def _settings_of(game: Game, ask: Ask) -> Iterator[Answer]:
    for option in ask.options:
        picks = [(field.name, choice.id) for field in option.fields if isinstance(field, PickOne) for choice in field.choices]
        for values in ({}, *({name: id} for name, id in picks)):
            try:
                yield _checked(game, ask, Answer(option.id, dict(values)))
            except Refused:
                continue


def answer_offer(
    game: Game, state: AnyState, seat: Seat, ask: Ask, number: int, orders: Orders, chance: Chance, late: bool = False
) -> Answer | None:
    """As `answer`, to a proposal."""
    found = game.orders.answer_offer(game.rules.redeal(state, seat, chance), seat, ask, settings(orders), late)
    return matches.legal_offer(game, state, seat, ask.kind, found, number) if found is not None else None


def use(game: Game, state: AnyState, seat: Seat, ask: Ask, orders: Orders, chance: Chance) -> Answer | None:
    if game.orders.use is None:
        return None
    found = game.orders.use(game.rules.redeal(state, seat, chance), seat, ask, settings(orders))
    return matches.legal_offer(game, state, seat, ask.kind, found) if found is not None else None


def settings(orders: Orders) -> dict[str, Answer]:
    """Parse orders; an invalid one is off."""
    found = {}
    for id, text in orders.items():
        try:
            found[id] = read(text)
        except Refused:
            continue
    return found


def of_day(game: Game, orders: Orders, day: date) -> dict[str, str]:
    """Drop orders that expired before `day`."""
    past = {id for id, order in settings(orders).items() if (last := game.orders.last_day(id, order)) and last < day}
    return {id: text for id, text in orders.items() if id not in past}


UNASKED = frozenset((matches.ORDER, "advance", "house"))
"""`via` of answers that nobody was asked for."""


@dataclass(frozen=True)
class Tried:
    """Dry run of orders against one answer."""

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
    """Totals: asks and seconds of waiting, actual and with the orders."""

    asked: int = 0
    left: int = 0
    waited: int = 0
    left_waiting: int = 0
    tried: Sequence[Tried] = ()


def dry_run(header: Header, seed: bytes, entries: Iterable[Entry], seat: Seat, orders: Orders, since: int = 0) -> DryRun:
    """Evaluate orders on past answers from entry `since`, redealt."""
    match = matches.start(header, seed)
    chance, tried = Chance("dry run"), list[Tried]()
    opened, serial, before = header.created, match.state.serial, header.created
    for entry in matches.standing(entries):
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
