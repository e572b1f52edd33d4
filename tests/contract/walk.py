"""Random walks through matches of any game: what the contract tests are made of."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.bots.random import answer_at_random, legal_at_random
from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, Refused, Seat
from engine.core.chance import Chance, commitment
from engine.core.rulings import defaults
from engine.core.views import Event
from engine.game import AnyState, Game, options_of
from engine.play.match import FORMAT, Header, Match, SeatInfo, start
from engine.ui.forms import Form, describe

AT = "1429-07-17T09:00:00Z"
LIMIT = 20_000
"""No match of any game takes more moves."""
NAMES = dict(zip("abcdef", ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay"), strict=True))


def header_for(game: Game, n: int, number: int, aimless: bool = True) -> tuple[Header, bytes]:
    """The header and the seed of match `number` of a game with `n` seats, bounded or not."""
    seed = f"seed of match {number}".encode()
    seats = [SeatInfo(s, NAMES[s], f"{number:04x}{i:02x}") for i, s in enumerate("abcdef"[:n])]
    ruled, options = defaults(game.rules.rulings), options_of(game, n, "", aimless)
    return Header(FORMAT, f"m{number}", game.name, game.rules.version, options, seats, commitment(seed), AT, ruled), seed


@dataclass
class Step:
    """One accepted answer: who, what, to which ask, and what happened. `offer` is the kind of an offer, or nothing; a proposal
    has a `number`.

    Options build their fields when they are read, so those of `ask` are stale once the answer is played.
    """

    seat: Seat
    answer: Answer
    ask: Ask
    events: list[Event]
    offer: str = ""
    number: int = 0


def fresh(game: Game, n: int, number: int, aimless: bool = True) -> Match:
    """A match at its first ask; one that ends whoever plays it, where it is `aimless`."""
    return start(*header_for(game, n, number, aimless))


def walk(match: Match, rng: random.Random, taken: float = 0.05, stop: int = LIMIT) -> Iterator[Step]:
    """Play at random to the end (or for `stop` steps), yielding after every step. Any asked seat may be the next to answer."""
    game, state = match.game, match.state
    for _ in range(stop):
        if not state.waiting:
            return
        if rng.random() < taken:
            step = _take_offer(match, rng)
            if step is not None:
                yield step
                continue
        seat = rng.choice(state.waiting)
        ask = procedure.ask_of(state, seat)
        answer = legal_at_random(state, seat, rng)
        yield Step(seat, answer, ask, match.play(seat, answer, AT, "bot"))
    assert stop < LIMIT, f"{game.name}: a match at random must end; what goes on for {LIMIT} moves?"


def walk_with(match: Match, bot: str, rng: random.Random, stop: int = LIMIT) -> Iterator[Step]:
    """Let a bot play all seats, each by what it may know: longer and richer matches than random ones."""
    game, state, chance = match.game, match.state, Chance(bot)
    play = game.bots.players[bot]
    for _ in range(stop):
        if not state.waiting:
            return
        seat = rng.choice(state.waiting)
        ask = procedure.ask_of(state, seat)
        answer = play(game.rules.redeal(state, seat, chance), seat, chance)
        yield Step(seat, answer, ask, match.play(seat, answer, AT, "bot"))
    assert stop < LIMIT, f"{game.name}: a match of {bot} bots must end; have the bot do something that brings the end nearer"


class Sample:
    """Picks positions of random matches: the first `each` of every kind of question, offer and event, and one in `every`.

    To look at a position takes much longer than to play; the soak runs look at all of them.
    """

    def __init__(self, each: int, every: int) -> None:
        self.each, self.every, self.met = each, every, Counter[str]()

    def takes(self, match: Match, step: Step) -> bool:
        kinds = {"", f"offer {step.offer}", f"question {match.ask_kind()}", *(f"event {event.kind}" for event in step.events)}
        self.met.update(kinds)
        return self.met[""] % self.every == 0 or any(self.met[kind] <= self.each for kind in kinds)


def _take_offer(match: Match, rng: random.Random) -> Step | None:
    """Answer something that stands open beside the questions, any of it; None where there is nothing, or it is refused."""
    game, state = match.game, match.state
    open_ = [(ask, number) for seat in state.table.seats for ask, number in standing(game, state, seat)]
    if not open_:
        return None
    ask, number = rng.choice(open_)
    answer = answer_at_random(ask, rng)
    try:
        return Step(ask.seat, answer, ask, match.play_offer(ask.seat, ask.kind, answer, AT, "page", number), ask.kind, number)
    except Refused:
        return None


def standing(game: Game, state: AnyState, seat: Seat) -> list[tuple[Ask, int]]:
    """All that stands open to a seat beside the questions: its powers (number 0), and proposals to it and by it."""
    powers = offers.powers(state, game.rules.powers.open(state, seat))
    proposed = [*offers.proposals(state, seat), *offers.own(state, seat)]
    return [(ask, 0) for ask in powers] + [(ask, number) for number, ask in proposed]


def finished(game: Game, n: int, number: int) -> Match:
    """A whole random match, revealed."""
    match = fresh(game, n, number)
    for _ in walk(match, random.Random(number)):
        pass
    match.reveal(AT)
    return match


def brings_cards(game: Game, kind: str) -> bool:
    """Whether asks of this kind bring cards into the game, as building a deck does: what is conserved is counted after them."""
    return game.rules.build is not None and game.rules.build.kind == kind


def readers(state: AnyState) -> list[Seat | None]:
    """Everybody who may look: the seats, and a spectator."""
    return [*state.table.seats, None]


def form(game: Game, state: AnyState, seat: Seat) -> Form:
    """The described form of a seat's open ask."""
    return describe(game, procedure.ask_of(state, seat), NAMES, state.serial)


def refused(state: AnyState, seat: Seat, answer: Answer) -> str:
    """The sentence with which an answer is refused; the empty string if it is legal."""
    try:
        procedure.vet(state, seat, answer)
    except Refused as refusal:
        return str(refusal)
    return ""
