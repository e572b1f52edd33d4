"""What a game owes and could add: `writ games --check`. Random games find missing words, illegal defaults and dead offers."""

from __future__ import annotations

import dataclasses
import inspect
import random
import traceback
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

from engine.core import offers, procedure
from engine.core.asks import SEATS, Ask, Refused
from engine.core.chance import Chance
from engine.core.procedure import Asking
from engine.core.views import Event
from engine.core.visibility import procedures
from engine.game import AnyState, Game, copy
from engine.language import lore
from engine.language.words import lacking
from engine.play import match
from engine.play.match import check_offer, legal_offer, run_offer
from engine.text.telling import Catalogued
from engine.tools import fuzz
from engine.tools.playout import LONGEST
from engine.ui import boards
from engine.ui.forms import Form, choices_of, describe

MOVES = 150
"""Least moves to play for each number of seats."""
LOOK = 7
"""Moves between checks of position, copies and redeals."""

KERNEL = {Path(inspect.getfile(one)).parent for one in (lacking, Ask, Game, Form, match, Catalogued, fuzz)}

_BRING = lore.table("engine.tools", "optional.toml", dict[str, dict[str, str]])
OPTIONAL, WORDS = _BRING["members"], _BRING["words"]
"""Member of `Game`, and optional section of the words -> what it brings."""


def faults(game: Game, listed: bool = True) -> list[str]:
    """Faults of a game: missing words, illegal defaults, unacceptable offers, no end.

    `listed`: its board is the generic one, whose views need words.
    """
    found: list[str] = []
    with lacking() as missing:
        for seats in game.rules.seats:
            found = found or list(_at(game, seats, listed))
        for words in _unspoken(game):
            missing.setdefault(words, f"{game.words.catalogue}: there is no entry “{words}”.")
    return [*missing.values(), *found]


def brings(game: Game) -> list[tuple[str, str]]:
    """Unused members of `Game` and sections of words, and what each brings."""
    found = [(name, text) for name, text in OPTIONAL.items() if unused(game, name)]
    for section, text in WORDS.items():
        lacks = [kind for kind in kinds(game) if not game.words.catalogue.has(section, kind)]
        if lacks:
            found.append((f"[{section}] {', '.join(lacks)}", text))
    return found


def kinds(game: Game) -> list[str]:
    steps = [name for kind in procedures(game.rules.state) for name, step in kind.steps.items() if isinstance(step, Asking)]
    return list(dict.fromkeys([*steps, *offers.kinds(game.rules.state)]))


def unused(game: Game, name: str) -> bool:
    *parts, last = name.split(".")
    part = reduce(getattr, parts, game)
    field = next(field for field in dataclasses.fields(part) if field.name == last)
    usual = field.default_factory() if callable(field.default_factory) else field.default
    return bool(getattr(part, last) == usual)


def _unspoken(game: Game) -> Iterator[str]:
    words = game.words.catalogue
    if isinstance(game.words.labels, Catalogued):
        yield from (f"ask.{kind}" for kind in kinds(game) if not words.has("ask", kind))
    yield from (f"figure.{figure.key}" for figure in game.face.figures if not words.has("figure", figure.key))


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
    """Innermost line outside the kernel: `skeleton/__init__.py, line 12, in take: `."""
    frames = traceback.extract_tb(error.__traceback__)
    played = next(at for at, frame in enumerate(frames) if frame.name == _play.__name__)
    own = [frame for frame in frames[played:] if Path(frame.filename).parent not in KERNEL]
    return f"{own[-1].filename}, line {own[-1].lineno}, in {own[-1].name}: " if own else ""


def _play(game: Game, seats: int, number: int, listed: bool) -> int:
    """Play a random game with all wording; returns its moves. Raises what the game raises, or Fault."""
    rng = random.Random(f"owed/{game.name}/{seats}/{number}")
    options = game.rules.variants.read(seats, fuzz.drawn(game, seats, rng), "")
    first, second = (game.rules.setup(SEATS[:seats], options, Chance(str(number)), None) for _ in range(2))
    same = random.Random()
    same.setstate(rng.getstate())
    names = {seat: seat.upper() for seat in first.table.seats}
    asked: set[tuple[str, ...]] = set()
    used: set[tuple[str, str]] = set()
    moves = 0
    # The twin is asked less often: it differs if a question changes the table, too.
    for (state, news), (twin, _) in zip(fuzz.played(game, first, rng), fuzz.played(game, second, same), strict=False):
        if state != twin:
            raise fuzz.Fault(
                "the same seed and answers led to two different positions: take every random choice from `chance`, and "
                "change the table only where an answer is taken, never in a question, a list of powers or a board"
            )
        moves += 1
        _tell(game, state, news, names)
        for reader in (None, *state.table.seats) if listed else ():
            boards.board(game, game.rules.view(state, reader), names)
        for ask, proposal in _open(game, state):
            if proposal:
                check_offer(game, state, ask.seat, ask.kind, ask.default, proposal)
            key = (ask.seat, ask.kind, *(option.id for option in ask.options))
            if key not in asked:
                asked.add(key)
                _check_ids(describe(game, ask, names, -proposal))
        for ask in [ask for seat in state.table.seats for ask in offers.powers(state, game.rules.powers.open(state, seat))]:
            if (ask.seat, ask.kind) not in used:
                used.add((ask.seat, ask.kind))
                _check_circle(game, state, ask)
        if moves % LOOK == 0:
            fuzz.look(game, state)
        if moves > LONGEST:
            raise fuzz.Fault(f"there is no end after {moves} moves of players without aim")
    if state.table.outcome is None:
        raise fuzz.Fault(
            "nobody is asked any more, but the game has no end: set table.outcome before the last procedure is done"
        )
    return moves


def _check_ids(form: Form) -> None:
    """Raise Fault for choices that a log can't distinguish from numbers."""
    for option in form.options:
        for field in option.fields:
            for choice in choices_of(field):
                if choice.id.isdecimal():
                    raise fuzz.Fault(
                        f"“{choice.id}” is a choice of {form.kind}; a bare number is no id: call it c{choice.id}, say"
                    )


def _check_circle(game: Game, state: AnyState, ask: Ask) -> None:
    """Raise Fault if more seats learn of a power's use than of its proposal."""
    tried, before = copy(game, state), {p.number for p in offers.on(state.table)}
    answer = legal_offer(game, tried, ask.seat, ask.kind, ask.default)
    if answer is None:
        return
    news = run_offer(game, tried, ask.seat, ask.kind, answer)
    known = game.rules.audience(ask.kind, ask.seat, answer)
    for proposal in offers.on(tried.table):
        if proposal.number in before or proposal.only is None:
            continue
        if known is None or not {*known} <= {*proposal.only}:
            raise fuzz.Fault(
                f"only {', '.join(proposal.only)} know of the proposal {proposal.kind}, but more see the use of {ask.kind} "
                "in the log: return the same seats from Rules.audience"
            )
        for event in news:
            if any(event.seen_by(reader) for reader in (None, *state.table.seats) if reader not in proposal.only):
                raise fuzz.Fault(
                    f"only {', '.join(proposal.only)} know of the proposal {proposal.kind}, but more are told of "
                    f"“{event.kind}”: give table.tell the same seats as `only`"
                )


def _tell(game: Game, state: AnyState, news: list[Event], names: dict[str, str]) -> None:
    for event in news:
        for reader in (None, *state.table.seats):
            if event.seen_by(reader):
                game.words.tell(event, names, reader)
        game.words.chapter(event)


def _open(game: Game, state: AnyState) -> Iterator[tuple[Ask, int]]:
    for seat in state.table.seats if state.table.outcome is None else ():
        if seat in state.waiting:
            yield procedure.ask_of(state, seat), 0
        yield from ((ask, 0) for ask in offers.powers(state, game.rules.powers.open(state, seat)))
        yield from ((ask, number) for number, ask in [*offers.proposals(state, seat), *offers.own(state, seat)])
