"""Plays lessons, without log or database. A step starts after the model answers to earlier ones, so it can be tried alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.core import offers, procedure
from engine.core.asks import Answer, NotUnderstood, Seat, read
from engine.core.views import Event
from engine.game import AnyState, Game
from engine.language.words import plain
from engine.play.cases import Scripted
from engine.play.match import check_offer, run_offer
from engine.text.lessons import Lesson, Step
from engine.text.notation import split

MOST_ANSWERS = 60
"""Most answers of other seats between two steps."""
MOST_REPLIES = 12
"""As above, after another answer than the one to try: the seat may never be asked again."""


@dataclass
class Scene:
    game: Game
    lesson: Lesson
    state: AnyState
    told: list[list[Event]] = field(default_factory=list)
    """Events, an answer each, oldest first; those before the first answer are at 0."""
    since: int = 0
    """Index of the last answer of the lesson's seat."""


def begin(game: Game, lesson: Lesson) -> Scene:
    """The position at the first step. Raises NotUnderstood."""
    state = game.rules.notation.read(f"{game.name}: 1\n{lesson.position}")
    script = {purpose: [split(draw) for draw in draws] for purpose, draws in lesson.chance.items()}
    state.table.chance = Scripted("lesson", {}, script)
    # A position inside a shared step would ask all its seats again.
    scene = Scene(game, lesson, state, [[] if state.waiting else procedure.begin(state)])
    _play_on(scene, lesson.before)
    return scene


def at(game: Game, lesson: Lesson, n: int) -> Scene:
    """The position at step `n`, from 1; beyond the last, at the end."""
    scene = begin(game, lesson)
    for step in lesson.steps[: n - 1]:
        answer(scene, step.offer, number_of(scene, step.offer), read(step.answer))
        _play_on(scene, step.then)
    return scene


def number_of(scene: Scene, kind: str) -> int:
    """Number of a proposal that the seat can answer or withdraw, else 0."""
    seat = scene.lesson.seat
    listed = [*offers.proposals(scene.state, seat), *offers.own(scene.state, seat)]
    return next((number for number, ask in listed if kind and ask.kind == kind), 0)


def answer(scene: Scene, kind: str, number: int, given: Answer) -> None:
    """Play the seat's answer, to the question if `kind` is empty. Raises Refused without changes."""
    scene.since = len(scene.told)
    scene.told.append(_play(scene, scene.lesson.seat, kind, number, given))


def vetted(scene: Scene, kind: str, number: int, given: Answer) -> Answer:
    if kind:
        return check_offer(scene.game, scene.state, scene.lesson.seat, kind, given, number)
    return procedure.vet(scene.state, scene.lesson.seat, given)


def to_try(scene: Scene, step: Step) -> Answer:
    return vetted(scene, step.offer, number_of(scene, step.offer), read(step.answer))


def go_on(scene: Scene) -> None:
    """Give safe defaults until the lesson's seat is asked."""
    _until_asked(scene, scene.lesson.seat, MOST_REPLIES)


def _play_on(scene: Scene, lines: Sequence[str]) -> None:
    for line in lines:
        who, _, text = line.partition(": ")
        seat, _, kind = who.removeprefix("offer ").partition(" ")
        if not kind:
            _need_asked(scene, seat)
        number = next((n for n, ask in offers.proposals(scene.state, seat) if kind and ask.kind == kind), 0)
        scene.told.append(_play(scene, seat, kind, number, read(text)))
    _need_asked(scene, scene.lesson.seat)


def _need_asked(scene: Scene, seat: Seat) -> None:
    if not _until_asked(scene, seat, MOST_ANSWERS):
        raise NotUnderstood(plain(f"Lesson {scene.lesson.id}: after {MOST_ANSWERS} answers {seat} isn't asked."))


def _until_asked(scene: Scene, seat: Seat, most: int) -> bool:
    """Give safe defaults until the seat is asked what the lesson doesn't skip; whether it is."""
    state = scene.state
    for _ in range(most):
        if not state.waiting or (seat in state.waiting and state.stack[-1].step not in scene.lesson.skips):
            return True
        first = state.waiting[0]
        scene.told.append(_play(scene, first, "", 0, procedure.ask_of(state, first).default))
    return False


def _play(scene: Scene, seat: Seat, kind: str, number: int, given: Answer) -> list[Event]:
    if not kind:
        return procedure.play(scene.state, seat, given)
    checked = check_offer(scene.game, scene.state, seat, kind, given, number)
    return run_offer(scene.game, scene.state, seat, kind, checked, number)
