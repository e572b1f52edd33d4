"""Lessons: their data holds together, and everything legal in them is explained."""

from __future__ import annotations

import random
import re

import pytest

from engine.bots.random import answer_at_random
from engine.core import offers, procedure
from engine.core.asks import Answer, Ask, NotUnderstood, Refused, read
from engine.game import Game, Trait
from engine.games import GAMES
from engine.language.words import _read
from engine.play import lessons
from engine.play.match import OFFER
from engine.text.lessons import ANY, Lesson, Lessons, Other, Step
from engine.ui.forms import Form, NumberField, RowsField, describe

OF_ALL = ("title", "about", "end")
MOST_CLICKS = 8
LONGEST_NOTE = 230
DRAWN = 12
"""Answers drawn at random for each question of a step."""


def lessons_of(game: Game) -> Lessons:
    assert game.face.lessons is not None
    return game.face.lessons


GAMES_WITH = [game for game in GAMES.values() if game.face.lessons is not None]
ALL = [pytest.param(game, lesson, id=f"{game.name}-{lesson.id}") for game in GAMES_WITH for lesson in lessons_of(game).all]


def asked(scene: lessons.Scene, step: Step) -> tuple[Ask, int]:
    """What a step asks, and its number as forms have it."""
    state, seat = scene.state, scene.lesson.seat
    if not step.offer:
        return procedure.ask_of(state, seat), state.serial
    number = lessons.number_of(scene, step.offer)
    listed = dict([*offers.proposals(state, seat), *offers.own(state, seat)])
    powers = scene.game.rules.powers.open(state, seat)
    return (listed[number], -number) if number else (next(a for a in powers if a.kind == step.offer), OFFER)


def form_of(scene: lessons.Scene, step: Step) -> Form:
    ask, serial = asked(scene, step)
    return describe(scene.game, ask, {}, serial)


def clicks(form: Form, answer: Answer, folded: bool) -> int:
    """Presses that the answer takes: pick what isn't filled in already, on the board or in a list, or open the verb; send it.

    Steppers begin at the usual number, or where a place is picked at one.
    """
    option = form.option(answer.option)
    assert option is not None
    default = read(form.default)
    usual = default.values if default.option == answer.option else {}
    found = 0
    for field in option.fields:
        value = answer.values.get(field.name)
        if isinstance(field, NumberField):
            found += max(0, abs(int(str(value)) - field.usual) - 1) if value is not None else 0
        elif isinstance(field, RowsField) and isinstance(value, list):
            found += sum(stepped(cell) for row in value if isinstance(row, dict) for cell in row.values())
        elif value is not None and value != usual.get(field.name):
            found += len(value) if isinstance(value, list) else 1
    return (found or bool(option.fields and len(form.options) > 1)) + 1 + folded


def stepped(cell: object) -> int:
    """Presses for a cell of a row: a stepper begins at one, and a row's first number is one."""
    return max(0, cell - 1) if isinstance(cell, int) else len(cell) if isinstance(cell, list) else 1


def test_every_complete_game_has_six_lessons() -> None:
    for game in GAMES.values():
        if Trait.COMPLETE in game.rules.checks.traits:
            assert game.face.lessons is not None, f"{game.title} has no lessons"
    for game in GAMES_WITH:
        assert len(lessons_of(game).all) == 6
        assert len({lesson.id for lesson in lessons_of(game).all}) == 6
        steps = [step for lesson in lessons_of(game).all for step in lesson.steps]
        assert any(step.letter for step in steps), f"no lesson of {game.title} reads a letter"
        assert game.rules.offerless or any(lesson.id == "bargain" for lesson in lessons_of(game).all), game.title


@pytest.mark.parametrize(("game", "lesson"), ALL)
def test_a_lesson_is_played_to_its_end_in_few_presses(game: Game, lesson: Lesson) -> None:
    presses = 0
    for n, step in enumerate(lesson.steps, 1):
        scene = lessons.at(game, lesson, n)
        presses += clicks(form_of(scene, step), read(step.answer), folded=bool(step.offer)) + step.letter
    lessons.at(game, lesson, len(lesson.steps) + 1)
    assert presses <= MOST_CLICKS


@pytest.mark.parametrize(("game", "lesson"), ALL)
def test_a_lesson_says_all_that_it_can_be_asked_for_and_nothing_else(game: Game, lesson: Lesson) -> None:
    words = lessons_of(game)
    wanted = {*OF_ALL}
    for step in lesson.steps:
        assert step.id not in OF_ALL
        wanted |= {step.id, f"{step.id}-done", *(other.say for other in step.others)}
        wanted |= {f"{step.id}-letter"} if step.letter else set()
        assert len(words.said(lesson, step.id)) <= LONGEST_NOTE, step.id
        assert len(re.findall(r"[.?!](?:\s|$)", words.said(lesson, step.id))) <= 3, step.id
    there = {*_read(words.package, "lessons")[lesson.id]}
    assert wanted <= there
    assert there - wanted <= {f"{step.id}-else" for step in lesson.steps}


@pytest.mark.parametrize(("game", "lesson"), ALL)
def test_every_legal_answer_is_played_and_explained(game: Game, lesson: Lesson) -> None:
    for n, step in enumerate(lesson.steps, 1):
        scene = lessons.at(game, lesson, n)
        assert {(other.offer, read(other.when).option) for other in step.others} <= {
            (kind, given.option) for kind, _, given in drawn(scene)
        }
        for kind, number, given in drawn(scene):
            again = lessons.at(game, lesson, n)
            try:
                vetted = lessons.vetted(again, kind, number, given)
                lessons.answer(again, kind, number, vetted)
            except Refused:
                continue
            lessons.go_on(again)
            if kind == step.offer and vetted == lessons.to_try(scene, step):
                continue
            assert lessons_of(game).explained(lesson, step, vetted, kind)


def drawn(scene: lessons.Scene) -> list[tuple[str, int, Answer]]:
    """Answers to all that the seat may answer: each option of it, and some at random."""
    state, seat = scene.state, scene.lesson.seat
    listed = [("", 0, procedure.ask_of(state, seat))] if seat in state.waiting else []
    listed += [(ask.kind, 0, ask) for ask in scene.game.rules.powers.open(state, seat)]
    listed += [(ask.kind, number, ask) for number, ask in [*offers.proposals(state, seat), *offers.own(state, seat)]]
    rng, found = random.Random(7), []
    for kind, number, ask in listed:
        found += [(kind, number, ask.default)]
        for option in ask.options:
            alone = Ask(ask.seat, ask.kind, (option,), Answer(option.id))
            found += [(kind, number, answer_at_random(alone, rng)) for _ in range(DRAWN if option.fields else 1)]
    return found


def test_an_explanation_covers_an_option_and_some_of_its_values() -> None:
    few = Other("march knights=3", "few")
    assert few.covers(read("march target=B3 knights=3"))
    assert not few.covers(read("march target=B3 knights=4")) and not few.covers(read("tactical target=B3 knights=3"))


def test_an_explanation_of_the_step_comes_first_then_one_for_all_steps_then_what_is_left() -> None:
    found = lessons_of(GAMES["ortus"])
    lesson = found.all[0]
    step = lesson.steps[0]
    assert found.explained(lesson, step, read("end")) == found.said(lesson, "castle-end")
    assert found.explained(lesson, step, read("concede sure=yes")) == found.words.text(ANY, "gave-up")
    assert found.explained(lesson, step, read("queue"), "concession") == found.words.text(ANY, "gave-up")
    assert found.explained(lesson, step, read("recruit")) == found.said(lesson, "castle-else")


def test_words_for_all_steps_are_all_used() -> None:
    for game in GAMES_WITH:
        found = lessons_of(game)
        assert {*_read(found.package, "lessons")} <= {ANY, *(lesson.id for lesson in found.all)}
        assert {*_read(found.package, "lessons").get(ANY, {})} == {other.say for other in found.others}


def test_a_lesson_that_never_asks_its_seat_is_refused() -> None:
    game = GAMES["mastery"]
    lesson = lessons_of(game).all[0]
    with pytest.raises(NotUnderstood, match="isn't asked"):
        lessons.begin(game, Lesson("broken", lesson.position, lesson.steps, skips=("early", "late")))
