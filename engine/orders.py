"""Standing orders: a policy that answers an ask for its seat, from what the seat may know.

An order is set by answering an Ask of its own, and kept as that answer's text. What it answers is vetted like any answer; what
it can't answer, or not legally, is asked (OR-DEC-4). The game's own orders are in its `Book`.
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
"""Id of an order (`SO-05`) to its setting."""


def asks(game: Game, state: AnyState, seat: Seat) -> list[Ask]:
    """Every order that the seat can set, as the Ask by which it is set; the rule's id is the order's."""
    return game.orders.asks(state, seat)


def check(game: Game, state: AnyState, seat: Seat, id: str, answer: Answer) -> str:
    """The setting in canonical text. Raises Refused for an order that doesn't exist or a setting that can't be.

    A setting that is written as it was once is taken too.
    """
    ask = next((a for a in asks(game, state, seat) if a.rule == id), None)
    if ask is None:
        raise NotUnderstood(say("order.none_such", id=id[:20]))
    answer = check_answer(ask, game.orders.renewed(id, answer))
    game.orders.vet(id, answer)
    return write(answer)


def preset(game: Game, state: AnyState | None = None) -> dict[str, str]:
    """The orders that new players are offered; with those for a match's optional rules, where its state is given."""
    return {**game.orders.preset, **(game.orders.preset_too(state) if state is not None else {})}


def answer(game: Game, state: AnyState, seat: Seat, orders: Orders, chance: Chance, late: bool = False) -> Answer | None:
    """What the seat's orders answer to its open ask, or None where it is to be asked. `late`: at the deadline.

    The orders see the position re-dealt for the seat, so they can't use what it doesn't know; what they make of a guess is
    vetted in the true position.
    """
    found = game.orders.answer(game.redeal(state, seat, chance), seat, settings(game, orders), late)
    if found is None:
        return None
    try:
        return procedure.vet(state, seat, found)
    except Refused:
        return None


def of_house(game: Game, state: AnyState, seat: Seat, orders: Orders, given: Answer, chance: str, late: bool = False) -> bool:
    """Whether an answer that `answer` gave is a default of the house, and none of the orders that the seat has set bears on it.

    `chance`: a seed for re-dealing.
    """
    if answer(game, state, seat, {}, Chance(chance), late) != given:
        return False
    # Set to what the house has anyway, an order is the seat's own, if another setting of it would answer otherwise.
    for ask in asks(game, state, seat):
        if ask.rule in orders and ask.default.option != "off":
            others = ({**orders, ask.rule: other} for other in _settings_of(game, state, seat, ask))
            if any(answer(game, state, seat, changed, Chance(chance), late) != given for changed in others):
                return False
    return True


def _settings_of(game: Game, state: AnyState, seat: Seat, ask: Ask) -> Iterator[str]:
    """What an order could stand at: each of its ways, with each choice of each plain field."""
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
    found = game.orders.haggle(game.redeal(state, seat, chance), seat, ask, settings(game, orders), late)
    if found is None:
        return None
    try:
        return matches.check_offer(game, state, seat, ask.kind, found, number)
    except Refused:
        return None


def use(game: Game, state: AnyState, seat: Seat, ask: Ask, orders: Orders, chance: Chance) -> Answer | None:
    """How the seat's orders use a power of its own now; None where they leave it alone."""
    if game.orders.use is None:
        return None
    found = game.orders.use(game.redeal(state, seat, chance), seat, ask, settings(game, orders))
    if found is None:
        return None
    try:
        return matches.check_offer(game, state, seat, ask.kind, found)
    except Refused:
        return None


def settings(game: Game, orders: Orders) -> dict[str, Answer]:
    """The orders, read, as they are written today; one that can't be read any more, of older rules, is as if it were off."""
    found = {}
    for id, text in orders.items():
        try:
            found[id] = game.orders.renewed(id, read(text))
        except Refused:
            continue
    return found


def of_day(game: Game, orders: Orders, day: date) -> dict[str, str]:
    """The orders without those whose last day is over on `day`, the owner's date."""
    past = {id for id, order in settings(game, orders).items() if (last := game.orders.last_day(id, order)) and last < day}
    return {id: text for id, text in orders.items() if id not in past}


def after(game: Game, state: AnyState, seat: Seat, answered: Sequence[str], orders: Orders) -> dict[str, str]:
    """The orders that go on after the seat has given answers, `kind:answer`; those that have had their day are gone."""
    return game.orders.after(state, seat, answered, orders)


def coming(game: Game, state: AnyState, seat: Seat) -> list[Ask]:
    """What may be asked of the seat while its own position stays as it is: for answers given in advance."""
    return game.orders.coming(state, seat)


def stance(game: Game, state: AnyState, seat: Seat) -> str:
    """A fingerprint of the seat's own position."""
    return game.orders.stance(state, seat)


UNASKED = frozenset((matches.ORDER, "advance", "house"))
"""How an answer comes for which nobody was asked."""


@dataclass(frozen=True)
class Tried:
    """A question that was put to a seat: what it answered, and what some orders would have."""

    n: int
    """The entry that holds the answer."""
    ask: Ask
    given: Answer
    ordered: Answer | None
    """None: the seat would have been asked."""
    asked: bool
    """Whether its player was."""
    seconds: int
    """From the entry before it was asked to the one that holds its answer."""

    @property
    def same(self) -> bool:
        return self.ordered == self.given


@dataclass(frozen=True)
class DryRun:
    """How often a seat was asked, and how often it would have been with some orders; and for how long the table waited for it,
    in seconds."""

    asked: int = 0
    left: int = 0
    waited: int = 0
    left_waiting: int = 0
    tried: Sequence[Tried] = ()


def dry_run(header: Header, seed: bytes, entries: Iterable[Entry], seat: Seat, orders: Orders, since: int = 0) -> DryRun:
    """What the orders would have answered in place of the seat's own answers from entry `since` on.

    Tells nothing but what the seat knows: each is thought out in the position of then, re-dealt for the seat.
    """
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
    """Seconds between two moments of a log; none where one has no time."""
    try:
        return max(0, round((datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()))
    except ValueError:
        return 0
