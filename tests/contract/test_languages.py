"""Every game: what it says comes from its catalogues alone, so that it can be said in another language."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.bots.random import answer_at_random
from engine.core import procedure
from engine.core.asks import Answer, Refused
from engine.game import AnyState, Game
from engine.games import GAMES
from engine.language.i18n import made_up, speaking
from engine.ui.forms import Form, choices_of, describe
from tests.contract.walk import fresh, readers, standing, walk, walk_with
from tests.marked import PseudoLocale

NAMES = dict(zip("abcdef", "123456", strict=True))
"""Names without letters, so that every letter comes of a catalogue."""
PLACE = re.compile(r"\b[A-Z][0-9]{1,2}\b")
"""What stands printed on a map, `C2`: it is called so in every language."""


def foreign(text: str) -> str:
    """English text as it is in a language that has no letter of ours."""
    return re.sub(r"[A-Za-z]", "ж", text)


def told(form: Form) -> Iterator[str]:
    yield form.title
    yield form.heading or ""
    yield form.public or ""
    for option in form.options:
        yield option.label
        for field in option.fields:
            yield field.label
            yield from (choice.label for choice in choices_of(field))
        if option.rest:
            yield option.rest.label


def looked_ahead(game: Game, state: AnyState, rng: random.Random) -> Iterator[str]:
    for seat in state.waiting:
        ask = procedure.ask_of(state, seat)
        yield from told(describe(game, ask, NAMES, 0))
        yield game.face.preview(state, seat, ask.default, NAMES)
        try:
            yield game.face.preview(state, seat, procedure.vet(state, seat, answer_at_random(ask, rng)), NAMES)
        except Refused as refusal:
            yield shown(refusal)
        for option in ("attack", "place", "nonsense"):
            try:
                procedure.vet(state, seat, Answer(option))
            except Refused as refusal:
                yield shown(refusal)
    for seat in state.table.seats:
        for ask in [*(ask for ask, _ in standing(game, state, seat)), *game.orders.coming(state, seat)]:
            yield from told(describe(game, ask, NAMES, 0))


def shown(refusal: Refused) -> str:
    """A refusal without the ids that it quotes."""
    facts = str(refusal.said.stored())
    return " ".join(word for word in re.findall(r"[A-Za-z]\w*", refusal.said.text(NAMES)) if word not in facts)


def english(texts: Iterator[str]) -> list[str]:
    return sorted({text for text in texts if re.search("[A-Za-z]", PLACE.sub("", text))})


@pytest.fixture(params=GAMES.values(), ids=list(GAMES))
def game(request: pytest.FixtureRequest) -> Game:
    """A game that people play; the toy has no catalogue."""
    found: Game = request.param
    return found


@contextmanager
def foreign_spoken() -> Iterator[None]:
    with made_up("xx", PseudoLocale(foreign)), speaking("xx"):
        yield


@pytest.fixture(autouse=True)
def another_language() -> Iterator[None]:
    with foreign_spoken():
        yield


def test_events_questions_and_previews_are_said_in_the_language_spoken(game: Game) -> None:
    match, rng = fresh(game, game.rules.seats[-1], 80), random.Random(80)
    found: set[str] = set()
    for step in walk(match, rng, stop=300):
        found.update(english(game.words.tell(e, NAMES, r) for e in step.events for r in readers(match.state) if e.seen_by(r)))
        found.update(english(game.words.chapter(e) for e in step.events))
        found.update(english(looked_ahead(game, match.state, rng)))
    for step in walk_with(fresh(game, game.rules.seats[0], 81), game.bots.steward, random.Random(81), stop=200):
        found.update(english(game.words.tell(e, NAMES, r) for e in step.events for r in (None, step.seat) if e.seen_by(r)))
    assert sorted(found) == []


def test_what_stands_around_a_game_is_said_in_the_language_spoken(game: Game) -> None:
    state = fresh(game, game.rules.seats[-1], 82).state
    texts = [str(x) for r in game.rules.rulings.values() for x in (r.about, *r.alternatives.values())]
    for ask in game.orders.asks(state, "a"):
        texts += [*told(describe(game, ask, NAMES, 0)), game.orders.sheet.about(ask.rule)]
    texts += (
        told(describe(game, game.rules.variants.ask(game.rules.seats[-1]), NAMES, 0)) if game.rules.variants.tell({}) else []
    )
    if game.rules.build is not None:
        build = game.rules.build
        texts += [str(build.about), *map(str, build.names.values()), *map(str, build.uses.values())]
        texts += [str(heading) for heading, _ in build.groups]
        texts += [str(x) for ready in build.ready for x in (ready.name, ready.words)]
    assert english(iter(texts)) == []
