"""Lessons over HTTP: by the form and the letter's link to a table, with other answers on the way, and what is counted."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from sqlmodel import select

from engine.core.asks import Answer, read
from engine.text.lessons import Step
from engine.ui.forms import AssignField, Form, FormField, NumberField, OrderField, RowsField, SomeField
from service.games import lessons
from service.games.lessons import Course
from service.seat.seat_view import SeatView
from service.settings import Settings
from service.store.database import open_session
from service.store.models import Account, Match, SeatRow, Tally
from service.web import create_app
from tests.service.web.conftest import Visitor

New = Callable[..., Visitor]
GAMES = [game.name for game in lessons.offered()]


def view_at(course: Course, n: int) -> SeatView:
    return lessons.view_of(course, lessons.scene(course, n))


def form_of(view: SeatView, step: Step) -> Form:
    """The form that a step's answer to try belongs to."""
    if not step.offer:
        assert view.form is not None
        return view.form
    return next(form for form in [*view.proposals, *view.offers] if form.kind == step.offer)


def filled(form: Form, given: Answer) -> dict[str, object]:
    """What a browser sends for the answer."""
    option = form.option(given.option)
    assert option is not None
    found: dict[str, object] = {"key": "0" * 16, "serial": form.serial, "kind": form.kind, "option": given.option}
    for field in option.fields:
        found |= inputs(f"f_{field.name}", field, given.values.get(field.name))
    return found


def inputs(name: str, field: FormField, value: object) -> dict[str, object]:
    """A field's inputs; what the answer leaves open is as the page fills it in."""
    match field, value:
        case NumberField(), None if "__" not in name:
            return {name: field.usual}
        case _, None:
            return {}
        case RowsField(), list() as rows:
            found: dict[str, object] = {f"{name}__rows": len(rows)}
            for n, row in enumerate(rows, 1):
                for cell in field.fields:
                    found |= inputs(f"{name}__{n}__{cell.name}", cell, row.get(cell.name))
            return found
        case SomeField(), list() as picks:
            return {f"{name}__{pick}": picks.count(pick) for pick in picks}
        case OrderField(), list() as picks:
            return {f"{name}__{n}": pick for n, pick in enumerate(picks, 1)}
        case AssignField(), dict() as pairs:
            return {f"{name}__{item}": target for item, target in pairs.items()}
    return {name: value}


def other_than(course: Course, n: int, step: Step) -> dict[str, object] | None:
    """A legal answer to the question that isn't the one to try, as a browser sends it; None without one."""
    form = view_at(course, n).form
    if form is None:
        return None
    plain = [Answer(option.id) for option in form.options if not option.fields]
    tried = (given for given in [*plain, read(form.default)] if str(given.option) != read(step.answer).option or step.offer)
    return next((filled(form, given) for given in tried), None)


@pytest.mark.parametrize("game", GAMES)
def test_lessons_are_followed_by_their_forms_and_letters_to_their_ends(game: str, visitor: New, settings: Settings) -> None:
    guest, courses = visitor(), lessons.courses(game)
    for course in courses:
        assert course.said("title") in html.unescape(guest.page(f"/learn/{game}"))
        follow(guest, course)
    with open_session(settings) as session:
        steps = sum(len(course.lesson.steps) for course in courses)
        assert [tally.n for tally in session.exec(select(Tally))] == [1] * steps, "each counted once"
        assert not session.exec(select(Match)).all() and not session.exec(select(SeatRow)).all(), "no rows remain"
        assert not session.exec(select(Account)).all(), "nobody is registered"


def follow(guest: Visitor, course: Course) -> None:
    """Do every step of a lesson with the answer to try; before the first, another legal answer."""
    begin, steps = f"/learn/{course.game.name}/{course.number}", course.lesson.steps
    assert guest.get(begin).location == f"{begin}/1"
    other = other_than(course, 1, steps[0])
    if other is not None:
        answered = guest.post(f"{begin}/1/answer", other)
        assert answered.status_code == 200 and "Try another way" in answered.text, answered.text
    for n, step in enumerate(steps, 1):
        page = guest.page(f"{begin}/{n}")
        if step.letter:
            assert course.said(f"{step.id}-letter") in html.unescape(page)
            (link, *_) = re.findall(rf'href="({begin}/{n}/table[^"]*)"', guest.page(f"{begin}/{n}/letter"))
            page = guest.page(html.unescape(link))
        assert course.said(step.id) in html.unescape(page), "the note"
        found = guest.post(f"{begin}/{n}/answer", filled(form_of(view_at(course, n), step), read(step.answer)), follow=False)
        assert found.status_code == 303, html.unescape(found.text)
        assert found.location == f"{begin}/{n + 1}"
    assert guest.get(begin).location == f"{begin}/1", "a finished lesson begins again"
    end = html.unescape(guest.page(f"{begin}/{len(steps) + 1}"))
    assert course.said("end") in end and "Play against bots" in end


def test_one_goes_on_after_another_answer_and_comes_back_to_where_one_stopped(visitor: New) -> None:
    guest = visitor()
    assert guest.post("/learn/mastery/1/1/on", follow=False).location == "/learn/mastery/1/2"
    assert guest.get("/learn/mastery/1").location == "/learn/mastery/1/2"


def test_the_last_step_seats_one_at_a_table(visitor: New) -> None:
    page = visitor().page("/learn/mastery/6/2")
    assert 'action="/try"' in page and 'name="game" value="mastery"' in page and "Next lesson" not in page


def test_where_guests_are_closed_the_way_leads_to_open_games(settings: Settings) -> None:
    closed = settings.model_copy(update={"guests": 0})
    assert "/games/open?game=mastery" in Visitor(create_app(closed).test_client(), closed).page("/learn/mastery/6/2")


def test_what_was_done_is_kept_in_the_browser_and_counted_once(visitor: New, settings: Settings) -> None:
    guest = visitor()
    guest.post("/learn/mastery/1/1/on", follow=False)
    guest.post("/learn/mastery/1/1/on", follow=False)
    assert "1 of 2 steps" in guest.page("/learn/mastery")
    assert "of 2 steps" not in visitor().page("/learn/mastery")
    visitor().post("/learn/mastery/1/1/on", follow=False)
    with open_session(settings) as session:
        assert lessons.steps_done(session)["Medieval Mastery"][0] == ("Take a land", [2, 0])


def test_what_was_done_outlives_signing_in_and_not_signing_out(visitor: New) -> None:
    guest = visitor("gerda@example.org")
    guest.post("/learn/mastery/1/1/on", follow=False)
    guest.sign_in("Gerda")
    assert "1 of 2 steps" in guest.page("/learn/mastery")
    guest.post("/sign-out", {"where": "here"})
    assert "of 2 steps" not in guest.page("/learn/mastery")


def test_what_is_illegal_is_refused_on_the_step(visitor: New) -> None:
    guest, course = visitor(), lessons.course("mastery", 1)
    form = view_at(course, 1).form
    assert form is not None
    found = guest.post("/learn/mastery/1/1/answer", filled(form, read("march target=A2 knights=60")))
    assert found.status_code == 422 and course.said("village") in html.unescape(found.text)
    ahead = guest.post("/learn/mastery/1/1/ahead", filled(form, read("march target=A2 knights=3")))
    assert ahead.status_code == 200 and ahead.text.strip()
    shown = guest.post("/learn/mastery/1/1/preview", filled(form, read("march target=A2 knights=3")))
    assert shown.status_code == 200 and "Yes, do it" in shown.text
    assert "march" in guest.page("/learn/mastery/1/1/preview?option=march&target=A2"), "links of that page lead back"


def test_a_lone_row_is_refused_without_its_number_as_at_a_table(visitor: New) -> None:
    guest, form = visitor(), view_at(lessons.course("fief", 1), 1).form
    assert form is not None
    sent = filled(form, read("move moves=[(lords=[Quentin],maa=60,to=st_andromy)]"))
    refused = html.unescape(guest.post("/learn/fief/1/1/answer", sent).text).partition('role="alert"')[2].partition("</p>")[0]
    ahead = (
        html.unescape(guest.post("/learn/fief/1/1/ahead", sent).text).partition('data-into="fault">')[2].partition("</p>")[0]
    )
    assert refused and ahead and "no. 1" not in refused + ahead


def test_a_plain_option_is_played_at_once(visitor: New) -> None:
    form = view_at(lessons.course("mastery", 1), 1).form
    assert form is not None
    found = visitor().post("/learn/mastery/1/1/preview", filled(form, read("end")))
    assert found.status_code == 200 and "Try another way" in found.text


@pytest.mark.parametrize(
    "path",
    ["/learn/chess", "/learn/mastery/7", "/learn/mastery/0", "/learn/mastery/1/4", "/learn/mastery/1/0", "/learn/mastery/9/1"],
)
def test_there_is_nothing_behind_the_last_lesson_or_step(path: str, visitor: New) -> None:
    assert visitor().get(path).status_code == 404


def test_the_end_of_a_lesson_takes_no_answer(visitor: New) -> None:
    assert visitor().post("/learn/mastery/1/3/on").status_code == 404
