"""Lessons: the view of a seat in a position without a match or rows. Progress is in the session cookie; `service.store.tallies`
counts all browsers' steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session

from engine.core.asks import Answer, Seat, write
from engine.game import Game
from engine.games import GAMES
from engine.play import lessons as played
from engine.play.lessons import Scene
from engine.play.match import OFFER
from engine.text.lessons import Lesson, Lessons, Step
from service.common.messages import sentence
from service.errors import NotFound
from service.games import lobby
from service.log.entries import EventRecord
from service.seat import seat_view
from service.seat.seat_view import Rows, SeatView
from service.store import tallies
from service.store.models import Match, MatchStatus, SeatRow, SeatStatus, now

NAMES = ("Alys", "Drogo", "Emma", "Fulk", "Gerda", "Hugh")
"""Players' names, the reader's first."""
BOT = "steady"
TALLY = "lesson "
"""Prefix of the step counters."""


@dataclass(frozen=True)
class Course:
    game: Game
    lessons: Lessons
    number: int
    """From 1."""

    @property
    def lesson(self) -> Lesson:
        return self.lessons.all[self.number - 1]

    @property
    def is_last(self) -> bool:
        return self.number == len(self.lessons.all)

    def said(self, key: str) -> str:
        """A text of the lesson; "" if it has none."""
        return self.lessons.said(self.lesson, key)

    def step(self, n: int) -> Step | None:
        """Step `n`, from 1; None at the lesson's end. Raises NotFound beyond it."""
        steps = self.lesson.steps
        if not 1 <= n <= len(steps) + 1:
            raise NotFound(sentence("There is no such lesson."))
        return steps[n - 1] if n <= len(steps) else None


def of_game(name: str) -> tuple[Game, Lessons]:
    """A game with its lessons. Raises NotFound if it has none."""
    game = GAMES.get(name)
    if game is None or game.face.lessons is None:
        raise NotFound(sentence("There is no such lesson."))
    return game, game.face.lessons


def courses(name: str) -> list[Course]:
    game, lessons = of_game(name)
    return [Course(game, lessons, n) for n in range(1, len(lessons.all) + 1)]


def course(name: str, number: int) -> Course:
    """A game's lesson by its number. Raises NotFound."""
    game, lessons = of_game(name)
    if not 1 <= number <= len(lessons.all):
        raise NotFound(sentence("There is no such lesson."))
    return Course(game, lessons, number)


def offered() -> list[Game]:
    return [game for game in GAMES.values() if game.face.lessons is not None]


def tally_of(course: Course, step: Step) -> str:
    return f"{TALLY}{course.game.name} {course.lesson.id} {step.id}"


def steps_done(session: Session) -> dict[str, list[tuple[str, list[int]]]]:
    """Game title -> lessons as (title, browsers by step)."""
    counts = tallies.counted(session, TALLY)
    found: dict[str, list[tuple[str, list[int]]]] = {}
    for game in offered():
        for course in courses(game.name):
            steps = [counts.get(tally_of(course, step), 0) for step in course.lesson.steps]
            found.setdefault(game.title, []).append((course.said("title"), steps))
    return found


def scene(course: Course, n: int) -> Scene:
    return played.at(course.game, course.lesson, n)


def answered(scene: Scene, step: Step, serial: int, kind: str, answer: Answer) -> bool:
    """Play an answer to a question (serial > 0), power (0) or proposal (< 0); returns whether it was the expected one. Raises
    Refused.
    """
    offer = kind if serial <= OFFER else ""
    given = played.vetted(scene, offer, -serial if offer else 0, answer)
    tried = offer == step.offer and write(given) == write(played.to_try(scene, step))
    played.answer(scene, offer, -serial if offer else 0, given)
    played.go_on(scene)
    return tried


def view_of(course: Course, scene: Scene) -> SeatView:
    """The seat's view, built from unstored rows."""
    game, lesson, state = course.game, course.lesson, scene.state
    id, seats, last = f"lesson-{game.name}-{course.number}", state.table.seats, len(scene.told) - 1
    match = Match(
        id=id,
        name=course.said("title"),
        game=game.name,
        host_id="",
        status=MatchStatus.RUNNING,
        seats=len(seats),
        practice=True,
        seed=b"lesson",
        snapshot=game.rules.encode(state),
        snapshot_n=last,
        serial=state.serial,
        head="",
        started_at=now(),
    )
    rows = [
        SeatRow(
            match_id=id, seat=seat, colour=colour, name=name, status=SeatStatus.TAKEN, bot="" if seat == lesson.seat else BOT
        )
        for seat, colour, name in zip(seats, lobby.COLOURS, names(seats, lesson.seat).values(), strict=False)
    ]
    told = [
        EventRecord(n, event.kind, dict(event.facts), list(event.only) if event.only is not None else None, list(event.but), "")
        for n, events in reversed([*enumerate(scene.told)])
        for event in reversed(events)
    ]
    return seat_view.build(match, state, lesson.seat, rows, Rows(), told, max(0, scene.since - 1), "", heads=True)


def names(seats: list[Seat], own: Seat) -> Mapping[Seat, str]:
    others = iter(NAMES[1:])
    return {seat: NAMES[0] if seat == own else next(others) for seat in seats}
