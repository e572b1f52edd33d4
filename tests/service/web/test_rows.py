"""Rows in a form: what the page shows of them, its buttons without scripts, and what is read from what it posts."""

from __future__ import annotations

import random
import re

import pytest
from flask import Flask, render_template_string
from werkzeug.datastructures import MultiDict

from engine.bots.random import answer_at_random
from engine.core.asks import (
    Answer,
    Ask,
    Choice,
    NotUnderstood,
    Number,
    Option,
    Order,
    PickOne,
    PickSome,
    Refused,
    Row,
    Rows,
    Shared,
    Total,
    Value,
    check,
    choices,
    read,
    write,
)
from engine.ui.forms import Form, RowsField, describe
from service.tools import robot
from service.web import answers
from service.web.table import rows
from tests.toy_game import FAIR

LORDS = ("Blaye", "Charolles", "Dreux")
MOVES = Rows(
    "moves",
    (
        PickOne("group", choices(["F1", "F2", "F3"])),
        PickSome("to", (Choice("Blaye"), Choice("Charolles"), Choice("Dreux", 2)), 0, 3),
        Number("knights", 0, 4, 1),
        Order("first", choices("xy")),
    ),
    0,
    3,
    (Total("knights", 6),),
    (Shared(("group",), choices(["F1", "F2", "F3"])),),
)
ASK = Ask("a", "march", (Option("march", (Number("food", 0, 9), MOVES)), Option("stay")), Answer("stay"), "T-1")
HEAD = {"csrf_token": "x", "key": "k" * 20, "serial": "3", "kind": "march", "option": "march"}


@pytest.fixture
def form() -> Form:
    return describe(FAIR, ASK, {}, 3)


def shown(app: Flask, form: Form, kept: Answer | None = None) -> str:
    """The form as a page has it."""
    with app.test_request_context("/"):
        return render_template_string(
            '{% import "forms.html" as forms with context %}'
            '{{ forms.ask(form, "/g/x", "key", kept) }}{{ forms.script([form]) }}',
            form=form,
            kept=kept,
        )


def posted(page: str) -> dict[str, str]:
    """What a browser without scripts posts of the first form when nobody touches it."""
    found = robot.page_of("http://writ.test/g/x/table", 200, page.encode()).forms[0]
    return {c.name: c.value for c in found.controls if c.kind not in ("checkbox", "radio") or c.on}


def data(**more: str) -> MultiDict[str, str]:
    return MultiDict({**HEAD, **more})


# --- shown ------------------------------------------------------------------------------------------------------------


def test_rows_have_room_and_names_of_their_own(app: Flask, form: Form) -> None:
    page = shown(app, form)
    assert re.findall(r"<legend>(Row \d)</legend>", page) == ["Row 1", "Row 2"]
    assert 'name="f_moves__rows" value="2"' in page and 'name="f_moves__2__to__Dreux"' in page and "rows.js" in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r' for="([^"]+)"', page)) <= set(ids)


def test_what_was_filled_in_stands_there_again(app: Flask, form: Form) -> None:
    kept = read("march food=2 moves=[(group=F2,to=[Blaye,Dreux*2],knights=3,first=[y,x]),(group=F1,knights=0,first=[x,y])]")
    page = shown(app, form, kept)
    assert answers.parse(MultiDict(posted(page) | {"csrf_token": "x"}), form).rows("moves")[0].some("to") == [
        "Blaye",
        "Dreux",
        "Dreux",
    ]
    again = check(ASK, answers.parse(MultiDict(posted(page)), form))
    assert again == check(ASK, kept)
    assert ">Knights: 3 of 6</li>" in page and ">F1: 1 of 1</li>" in page and " hidden>F3: 0 of 1</li>" in page
    assert "Group: each choice at most once in all rows." in page


def test_whatever_can_be_answered_survives_the_page(app: Flask, form: Form) -> None:
    rng = random.Random(5)
    for _ in range(25):
        answer = check(ASK, answer_at_random(ASK, rng))
        if answer.option == "march":
            page = shown(app, form, answer)
            assert write(check(ASK, answers.parse(MultiDict(posted(page)), form))) == write(answer)


def test_so_many_rows_are_shown(form: Form) -> None:
    field = form.options[0].fields[1]
    assert isinstance(field, RowsField)
    some: Row = {"group": "F1"}
    none: Row = {}
    full: list[Value] = [[some], [some] * 2, [some] * 3, [some] * 5]
    assert [len(rows.shown(field, given)) for given in (None, "x", *full)] == [
        2,
        2,
        3,
        3,
        3,
        5,
    ]
    assert [len(rows.shown(field, given)) for given in ([none], [none] * 3, [none, some])] == [2, 3, 3]


# --- buttons ----------------------------------------------------------------------------------------------------------


ROWS = {"f_food": "2", "f_moves__rows": "3", "f_moves__1__group": "F1", "f_moves__2__group": "F2", "f_moves__2__knights": "x"}


@pytest.mark.parametrize(
    ("button", "found"),
    [
        ("add:moves", ["F1", "F2", "", ""]),
        ("drop:moves:1", ["F2", ""]),
        ("up:moves:2", ["F2", "F1", ""]),
        ("down:moves:2", ["F1", "", "F2"]),
        ("up:moves:1", ["F1", "F2", ""]),
        ("down:moves:3", ["F1", "F2", ""]),
        ("drop:moves:9", ["F1", "F2", ""]),
        ("dance:moves:1", ["F1", "F2", ""]),
        ("drop:moves", ["F1", "F2", ""]),
    ],
)
def test_a_button_changes_the_rows_and_keeps_what_was_filled_in(form: Form, button: str, found: list[str]) -> None:
    kept = answers.rearranged(data(rows=button, **ROWS), form)
    assert [row.pick("group") for row in kept.rows("moves")] == found and kept.values["food"] == "2"
    assert "x" in [row.pick("knights") for row in kept.rows("moves")], "what is no number stays there to be mended"


def test_a_button_of_rows_that_there_are_not_is_refused(form: Form) -> None:
    for button in ("add:food", "add:", "", "x" * 100):
        with pytest.raises(NotUnderstood):
            answers.rearranged(data(rows=button), form)
    with pytest.raises(NotUnderstood):
        answers.rearranged(data(rows="add:moves"), None)


# --- posted -----------------------------------------------------------------------------------------------------------


def test_rows_in_which_nothing_stands_are_left_out(form: Form) -> None:
    found = answers.parse(data(**{"f_moves__rows": "3", "f_moves__2__group": "F2", "f_moves__3__to__Dreux": ""}), form)
    assert found.values == {"moves": [{"group": "F2"}]}


@pytest.mark.parametrize(
    "more",
    [
        {"f_moves__rows": "many"},
        {"f_moves__rows": "99999"},
        {"f_moves__rows": "401"},
        {"f_moves__rows": "1", "f_moves__2__group": "F1"},
        {"f_moves__1__group": "F1"},
        {"f_moves__rows": "1", "f_moves__1__dance": "F1"},
        {"f_moves__rows": "1", "f_moves__1__to__Dreux": "many"},
        {"rows": "add:moves"},
    ],
)
def test_what_rows_can_not_hold_is_refused(form: Form, more: dict[str, str]) -> None:
    with pytest.raises(NotUnderstood):
        answers.parse(data(**more), form)


def test_a_robot_fills_rows_in_and_finds_what_fits(app: Flask, form: Form) -> None:
    page = robot.page_of(
        "http://writ.test/g/x/table", 200, shown(app, form, read("march moves=[(group=F2,knights=2)]")).encode()
    )
    rng, found, refused = random.Random(3), set(), 0
    for _ in range(60):
        filled = {**posted(page.html), **robot.fill(page, page.forms[0], rng)}
        try:
            found.add(len(check(ASK, answers.parse(MultiDict(filled), form)).rows("moves")))
        except Refused as refusal:
            assert refusal.said.facts["field"] == "moves"
            refused += 1
    assert found >= {0, 1, 2} and refused < 40


def test_the_enter_key_sends_the_form_and_moves_no_row(app: Flask, form: Form) -> None:
    page = robot.page_of("http://writ.test/", 200, shown(app, form).encode())
    first = re.search(r"<button[^>]*>", shown(app, form))
    assert first is not None and 'aria-hidden="true"' in first[0] and "formaction" not in first[0]
    assert page.forms[0].buttons[0][0] == ""
