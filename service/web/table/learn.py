"""Lessons: a game's list, and steps with the real form and board."""

from __future__ import annotations

from typing import Any

import css_inline
from flask import Blueprint, Response, redirect, render_template, request
from flask import session as cookie

from engine.core.asks import Answer, Refused
from engine.play.lessons import Scene
from engine.text.lessons import Lesson
from engine.ui.forms import said
from service.common.messages import sentence
from service.errors import NotFound
from service.games import lessons
from service.games.lessons import Course
from service.post import letters, rendering
from service.seat import seat_view, submissions
from service.seat.seat_view import SeatView
from service.store import tallies
from service.table import practice
from service.web import answers, context, request_metrics
from service.web.answers import Asked
from service.web.context import Page
from service.web.people.mailbox import framed
from service.web.security import limiter
from service.web.table import seat_page

bp = Blueprint("learn", __name__)
STEP = "/learn/<id:game>/<int:number>/<int:n>"


def done(game: str, lesson: Lesson) -> int:
    known: dict[str, dict[str, int]] = cookie.get(context.LEARNT, {})
    return min(int(known.get(game, {}).get(lesson.id, 0)), len(lesson.steps))


def _note(course: Course, n: int) -> None:
    game, lesson = course.game.name, course.lesson
    if n <= done(game, lesson):
        return
    known: dict[str, dict[str, int]] = cookie.get(context.LEARNT, {})
    cookie[context.LEARNT] = known | {game: known.get(game, {}) | {lesson.id: n}}
    cookie.permanent = True
    with context.writing() as session:
        tallies.count(session, lessons.tally_of(course, lesson.steps[n - 1]))


@bp.get("/learn/<id:game>")
def overview(game: str) -> Page:
    rows = [(course, done(game, course.lesson)) for course in lessons.courses(game)]
    return render_template("pages/lessons.html", game=rows[0][0].game, rows=rows, may_sit=may_sit())


def may_sit() -> bool:
    return practice.allowed(context.settings(), context.me() or context.guest())


@bp.get("/learn/<id:game>/<int:number>")
def lesson(game: str, number: int) -> Page:
    """Redirect to the first step not done; a finished lesson begins again."""
    course = lessons.course(game, number)
    n = done(game, course.lesson)
    return redirect(f"/learn/{game}/{number}/{1 if n == len(course.lesson.steps) else n + 1}", 303)


@bp.get(STEP)
@limiter.limit("600 per hour")
def step(game: str, number: int, n: int) -> Page:
    """A step: its letter, if it has one, else the table; after the last step, the lesson's end."""
    course = lessons.course(game, number)
    found = course.step(n)
    if found is not None and found.letter:
        return render_template("pages/lesson_letter.html", course=course, n=n, step=found)
    return _show(course, n, lessons.scene(course, n))


@bp.get(f"{STEP}/table")
@bp.get(f"{STEP}/<any(answer, preview, rows, sum):_pressed>")
def table(game: str, number: int, n: int, _pressed: str = "") -> Page:
    """The table of a step, also at the URLs of its forms, to which relative links lead."""
    course = lessons.course(game, number)
    return _show(course, n, lessons.scene(course, n))


@bp.get(f"{STEP}/letter")
def letter(game: str, number: int, n: int) -> Response:
    """The letter that asks a step's question, except for its links."""
    course = lessons.course(game, number)
    course.step(n)
    view = lessons.view_of(course, lessons.scene(course, n))
    more = letters.clock_of(None) | {
        "base_url": "",
        "club": context.settings().club,
        "leave": "",
        "replies": False,
        "set_zone": "",
    }
    told = seat_view.letter_context(view, f"/learn/{game}/{number}/{n}/table", **more)
    return framed(css_inline.inline(rendering.render("turn", "html", told), keep_at_rules=True))


def _show(
    course: Course,
    n: int,
    scene: Scene,
    fault: str = "",
    kept: Answer | None = None,
    asked: Asked | None = None,
    **more: Any,
) -> Page:
    """Render the table; `kept` fills the form of `asked`, by default the question."""
    found = course.step(n)
    page = seat_page.render_forms(
        "pages/lesson.html",
        lessons.view_of(course, scene),
        kept,
        asked,
        found is not None,
        course=course,
        step=found,
        n=n,
        address=f"/learn/{course.game.name}/{course.number}/{n}",
        fault=fault,
        may_sit=may_sit(),
        **{"confirm": None, "forecast": None, "other": "", "label": "", **more},
    )
    return (page, 422) if fault else page


@bp.post(f"{STEP}/preview")
@limiter.limit("1200 per minute")
def preview(game: str, number: int, n: int) -> Page:
    """Show an answer's effect; one without fields is played at once."""
    course, scene = _asking(game, number, n)
    view, given, asked = lessons.view_of(course, scene), None, None
    try:
        asked = answers.asked(request.form)
        form = view.form_for(*asked)
        given = answers.parse(request.form, form)
        option = form.option(given.option) if form is not None else None
        if form is None or option is None or not option.fields:
            return _play(course, n, scene, view)
        found = submissions.preview(view, submissions.vet_for(view, *asked, given))
    except Refused as refusal:
        return _refused(course, n, scene, view, refusal, given, asked)
    confirm = seat_page.to_confirm(asked, form, given, found.words)
    return _show(course, n, scene, kept=given, asked=asked, confirm=confirm, forecast=found)


@bp.post(f"{STEP}/answer")
@limiter.limit("1200 per minute")
def answer(game: str, number: int, n: int) -> Page:
    """Play an answer: the expected one leads to the next step, any other is explained on the resulting board."""
    course, scene = _asking(game, number, n)
    return _play(course, n, scene, lessons.view_of(course, scene))


def _play(course: Course, n: int, scene: Scene, view: SeatView) -> Page:
    found, given, asked = course.lesson.steps[n - 1], None, None
    try:
        asked = answers.asked(request.form)
        form = view.form_for(*asked)
        given = answers.parse(request.form, form)
        label = said(form, given) if form is not None else given.option
        tried = lessons.answered(scene, found, *asked, given)
    except Refused as refusal:
        return _refused(course, n, scene, view, refusal, given, asked)
    if tried:
        return _next(course, n)
    other = course.lessons.explained(course.lesson, found, given, asked.kind if asked.is_offer else "")
    return _show(course, n, scene, other=other, label=label)


@bp.post(f"{STEP}/on")
@limiter.limit("1200 per minute")
def on(game: str, number: int, n: int) -> Page:
    course, _ = _asking(game, number, n)
    return _next(course, n)


def _next(course: Course, n: int) -> Page:
    _note(course, n)
    return redirect(f"/learn/{course.game.name}/{course.number}/{n + 1}", 303)


@bp.post(f"{STEP}/rows")
@bp.post(f"{STEP}/sum")
@limiter.limit("1200 per minute")
def rows(game: str, number: int, n: int) -> Page:
    course, scene = _asking(game, number, n)
    view, asked = lessons.view_of(course, scene), None
    try:
        asked = answers.asked(request.form)
        form = view.form_for(*asked)
        read_ = answers.rearranged if "rows" in request.form else answers.parse
        return _show(course, n, scene, kept=read_(request.form, form), asked=asked)
    except Refused as refusal:
        return _refused(course, n, scene, view, refusal, None, asked)


@bp.post(f"{STEP}/ahead")
@limiter.limit("1200 per minute")
def look_ahead(game: str, number: int, n: int) -> Page:
    return seat_page.look_ahead(lessons.view_of(*_asking(game, number, n)))


def _asking(game: str, number: int, n: int) -> tuple[Course, Scene]:
    course = lessons.course(game, number)
    if course.step(n) is None:
        raise NotFound(sentence("There is no such lesson."))
    return course, lessons.scene(course, n)


def _refused(
    course: Course, n: int, scene: Scene, view: SeatView, refusal: Refused, given: Answer | None, asked: Asked | None
) -> Page:
    request_metrics.refused(refusal)
    return _show(course, n, scene, seat_page.fault_of(view, refusal, given, asked), given, asked)
