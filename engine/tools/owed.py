"""What a game owes, and what it could add: `writ games --check`.

Plays random games of every size and says everything that is asked or told, so that a missing word, an illegal default or an
offer that can't be accepted is found before a table meets it.
"""

from __future__ import annotations

import dataclasses
import random
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine import boards, offers, procedure
from engine.asks import Ask, Refused
from engine.chance import Chance
from engine.forms import Form, choices_of, describe
from engine.game import AnyState, Game, copy
from engine.match import check_offer, run_offer
from engine.procedure import Asking
from engine.telling import Catalogued
from engine.tools import fuzz
from engine.tools.playout import LONGEST, SEATS
from engine.views import Event
from engine.visibility import procedures
from engine.words import lacking

MOVES = 150
"""Least moves to play for each number of seats."""
LOOK = 7
"""Moves between checks of position, copies and redeals."""

TOOLS = Path(__file__).parent
KERNEL = TOOLS.parent

OPTIONAL: Mapping[str, str] = {
    "audience": "who sees an answer in the log when it is played; now its seat alone",
    "board": "data for a board of its own, drawn by templates/NAME/board.html; now the view is listed",
    "bots": "players who play to win; now all bots, and the steward of an absent player, play at random",
    "bounded": "optional rules that bring games at random to an end",
    "build": "decks that players build before the game",
    "chapters": "the events that can begin a chapter of the journal; now any with a word in [chapter]",
    "conserved": "counts that no move may change, checked by `writ fuzz`",
    "days": "how long a game takes, shown before it is joined; measured by `writ tempo`",
    "digest": "one log line for several answers",
    "drawn": "events with a drawing next to the sentence (templates/NAME/told.html)",
    "dull": "events of every turn, told last in letters",
    "facts": "data for its own pages",
    "falls": "the event by which a seat is out of the game",
    "fate": "a warning before a grave default is played",
    "forecast": "what an answer will do, drawn on the board",
    "hagglers": "bots that use powers and answer offers; now they use none, and let offers end",
    "held": "a seat's public standing as data",
    "holding": "a seat's public standing in words, where there are no points",
    "hostile": "events of hostile acts, told before others",
    "keeps": "what a seat keeps for a rematch",
    "list_words": "lists of cards in words; now one by one, with commas",
    "names": "names that a host's file gives to things",
    "offers": "powers: what a seat may do at any time, such as a private offer",
    "orders": "standing orders, which answer for their seat and spare it letters",
    "parleys": "limits of private messages",
    "places": "places on the board that a log line lights up",
    "preview": "what an answer will surely do, before it is sent",
    "ranking": "places during the game and after it",
    "rematch": "what carries over to a rematch",
    "round_of": "the number of the round, in lists of games",
    "rules": "the newest log version; rule changes are rulings",
    "rulings": "house rulings, and rules that changed",
    "score": "points, in lists of games and in the standings",
    "secrets": "words that no other seat's texts may hold, for the contract tests",
    "shows": "events that reveal hidden things on purpose",
    "switch": "tabs for a question with many choices",
    "take_offer": "what a power does",
    "traits": "what the game lacks on purpose, for the contract tests",
    "turn_of": "which questions share one turn's time",
    "turning": "events that decide the game, told in its story",
    "variants": "optional rules for the host",
    "vet_offer": "refusals of a power that its fields can't express",
    "windows": "questions whose quick answer would tell something",
}
"""Member of `Game` -> what it brings."""
WORDS: Mapping[str, str] = {
    "heading": "the headline of the letter that asks it",
    "subject": "its letter's subject; public facts only",
}
"""Optional section of the words -> what its entries bring."""


def faults(game: Game, listed: bool = True) -> list[str]:
    """Sentences on what a game owes: words, legal defaults, offers that can be accepted, an end.

    `listed`: it has no board of its own, so that its views are listed, which needs words.
    """
    found: list[str] = []
    with lacking() as missing:
        for seats in range(game.least, game.most + 1):
            found = found or list(_at(game, seats, listed))
        for words in _unspoken(game):
            missing.setdefault(words, f"{game.words}: there is no entry “{words}”.")
    return [*missing.values(), *found]


def brings(game: Game) -> list[tuple[str, str]]:
    """Members of `Game` and sections of words that a game doesn't use, with what they would bring."""
    found = [(name, text) for name, text in OPTIONAL.items() if unused(game, name)]
    for section, text in WORDS.items():
        lacks = [kind for kind in kinds(game) if not game.words.has(section, kind)]
        if lacks:
            found.append((f"[{section}] {', '.join(lacks)}", text))
    return found


def kinds(game: Game) -> list[str]:
    """Kinds of its questions and proposals."""
    steps = [name for kind in procedures(game.state) for name, step in kind.steps.items() if isinstance(step, Asking)]
    return list(dict.fromkeys([*steps, *offers.kinds(game.state)]))


def unused(game: Game, name: str) -> bool:
    """Whether a member of a game is the default."""
    field = next(field for field in dataclasses.fields(Game) if field.name == name)
    usual = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
    return bool(getattr(game, name) == usual)


def _unspoken(game: Game) -> Iterator[str]:
    """Titles of questions that weren't met in play."""
    if isinstance(game.labels, Catalogued):
        yield from (f"ask.{kind}" for kind in kinds(game) if not game.words.has("ask", kind))


def _at(game: Game, seats: int, listed: bool) -> Iterator[str]:
    moves, number = 0, 0
    while moves < MOVES:
        number += 1
        try:
            moves += _play(game, seats, number, listed)
        except Refused as refusal:
            yield f"{seats} seats: an answer that must be legal is refused: {refusal}"
            return
        except Exception as error:  # any error is a finding
            yield f"{seats} seats: {_where(error)}{type(error).__name__}: {error}"
            return


def _where(error: Exception) -> str:
    """Innermost line that isn't the kernel's: `skeleton/__init__.py, line 12, in take: `."""
    frames = traceback.extract_tb(error.__traceback__)
    played = next(at for at, frame in enumerate(frames) if frame.name == _play.__name__)
    own = [frame for frame in frames[played:] if Path(frame.filename).parent != KERNEL and Path(frame.filename).parent != TOOLS]
    return f"{own[-1].filename}, line {own[-1].lineno}, in {own[-1].name}: " if own else ""


def _play(game: Game, seats: int, number: int, listed: bool) -> int:
    """Play a game at random, and say all of it; returns its moves. Raises what the game raises, or Fault."""
    rng = random.Random(f"owed/{game.name}/{seats}/{number}")
    first = game.setup(SEATS[:seats], game.variants.read(seats, fuzz.drawn(game, seats, rng), ""), Chance(str(number)), None)
    names = {seat: seat.upper() for seat in first.table.seats}
    asked: set[tuple[str, ...]] = set()
    used: set[tuple[str, str]] = set()
    moves = 0
    for state, news in fuzz.played(game, first, rng):
        moves += 1
        _tell(game, state, news, names)
        for reader in (None, *state.table.seats) if listed else ():
            boards.board(game, game.view(state, reader), names)
        for ask, proposal in _open(game, state):
            if proposal:
                check_offer(game, state, ask.seat, ask.kind, ask.default, proposal)
            key = (ask.seat, ask.kind, *(option.id for option in ask.options))
            if key not in asked:
                asked.add(key)
                _check_ids(describe(game, ask, names, -proposal))
        for ask in [ask for seat in state.table.seats for ask in offers.powers(state, game.offers(state, seat))]:
            if (ask.seat, ask.kind) not in used:
                used.add((ask.seat, ask.kind))
                _check_circle(game, state, ask)
        if moves % LOOK == 0:
            fuzz.look(game, state)
        if moves > LONGEST:
            raise fuzz.Fault(f"there is no end after {moves} moves of players without aim")
    return moves


def _check_ids(form: Form) -> None:
    """Raise Fault for choices that a log can't tell from numbers."""
    for option in form.options:
        for field in option.fields:
            for choice in choices_of(field):
                if choice.id.isdecimal():
                    raise fuzz.Fault(
                        f"“{choice.id}” is a choice of {form.kind}; a bare number is no id: call it c{choice.id}, say"
                    )


def _check_circle(game: Game, state: AnyState, ask: Ask) -> None:
    """Raise Fault if more seats learn of a power's use than of what it proposes. Tries the power's default."""
    tried, before = copy(game, state), {p.number for p in offers.on(state.table)}
    try:
        answer = check_offer(game, tried, ask.seat, ask.kind, ask.default)
    except Refused:
        return
    run_offer(game, tried, ask.seat, ask.kind, answer)
    known = game.audience(ask.kind, ask.seat, answer)
    for proposal in offers.on(tried.table):
        if proposal.number in before or proposal.only is None:
            continue
        if known is None or not {*known} <= {*proposal.only}:
            raise fuzz.Fault(
                f"only {', '.join(proposal.only)} know of the proposal {proposal.kind}, but more see the use of {ask.kind} "
                "in the log: return the same seats from Game.audience"
            )


def _tell(game: Game, state: AnyState, news: list[Event], names: dict[str, str]) -> None:
    for event in news:
        for reader in (None, *state.table.seats):
            if event.seen_by(reader):
                game.tell(event, names, reader)
        game.chapter(event)


def _open(game: Game, state: AnyState) -> Iterator[tuple[Ask, int]]:
    for seat in state.table.seats if state.table.outcome is None else ():
        if seat in state.waiting:
            yield procedure.ask_of(state, seat), 0
        yield from ((ask, 0) for ask in offers.powers(state, game.offers(state, seat)))
        yield from ((ask, number) for number, ask in [*offers.proposals(state, seat), *offers.own(state, seat)])
