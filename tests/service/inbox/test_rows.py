"""Rows in a reply: a line each below the answer, as mail programs and people write and break them."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bots.random import answer_at_random
from engine.core.asks import (
    Answer,
    Ask,
    NotUnderstood,
    Number,
    Option,
    PickOne,
    PickSome,
    Refused,
    Rows,
    check,
    choices,
    read,
    write,
)
from engine.ui.forms import Form, FormOption, RowsField, describe
from engine.ui.heard import example, row_example, row_in_words, with_row
from service.inbox import answers
from service.post.rendering import render
from tests.toy_game import FAIR

MOVES = Rows(
    "moves",
    (PickOne("group", choices(["F1", "F2"])), PickSome("to", choices(["Blaye", "Dreux"]), 0, 2), Number("knights", 0, 4, 1)),
    0,
    4,
)
GIFTS = Rows("gifts", (PickOne("ware", choices(["ale", "rye"])),), 0, 2)
ASK = Ask(
    "a",
    "march",
    (Option("march", (MOVES,)), Option("both", (GIFTS, MOVES)), Option("stay"), Option("leave", (GIFTS,), grave=True)),
    Answer("stay"),
)
FORM = describe(FAIR, ASK, {}, 3)


def answered(reply: str) -> str:
    """What a reply is taken for."""
    return write(answers.parse(FORM, reply.splitlines()))


TWO = "march moves=[(group=F1,to=[Blaye,Dreux]),(group=F2,knights=3)]"


@pytest.mark.parametrize(
    "reply",
    [
        TWO,
        "march moves=[(group=F1, to=[Blaye, Dreux]), (group=F2, knights=3)]",
        "march moves=[(group=F1, to=[Blaye,\n  Dreux]), (group=F2,\nknights=3)]\nBest, Anna",
        "march\n- group=F1 to=[Blaye,Dreux]\n- group=F2 knights=3",
        "march\n- group=F1, to=[Blaye, Dreux]\n* group=F2, knights=3\n\nBest\n- Anna",
        "march\n1. group=F1 to=[Blaye,\nDreux]\n2) group=F2\nknights=3\nBest wishes",
        "1\n- group=F1 to=[Blaye,Dreux]\n- group=F2 knights=3",
        "mar\n• group=F1 to=[Blaye,Dreux]\n– group=F2 knights=3",
        "march moves=[(group=F1,to=[Blaye,Dreux])]\n- group=F2 knights=3",
        "march\nmoves:\n- group=F1 to=[Blaye,Dreux]\n- group=F2 knights=3",
        "march\n- F1, Blaye, Dreux\n- F2, 3 knights",
        "1: F1, Blaye, Dreux\n- F2 with 3 knights",
    ],
)
def test_rows_are_read_as_they_come(reply: str) -> None:
    assert answered(reply) == TWO


def test_what_stands_below_an_answer_without_rows_is_no_part_of_it() -> None:
    assert answered("stay\n\n- group=F1") == "stay" and answered("stay\nBest wishes\n- Anna") == "stay"
    assert answered("march\n\n- group=F1") == "march" and answered("march") == "march"
    for reply in ("stay\n- group=F1", "march\nGood luck!\n- group=F1", "stay\nif the others do"):
        with pytest.raises(NotUnderstood):
            answered(reply)


def test_rows_of_several_fields_have_their_names_above_them() -> None:
    reply = "both\ngifts:\n- ware=ale\n- ware=rye\nmoves:\n- group=F1"
    assert answered(reply) == "both gifts=[(ware=ale),(ware=rye)] moves=[(group=F1)]"
    with pytest.raises(NotUnderstood, match=r"Before them goes a line with one of these: gifts:, moves:"):
        answered("both\n- ware=ale")


def test_a_row_that_can_not_be_read_is_named_by_its_number() -> None:
    with pytest.raises(NotUnderstood, match="Line 2: “to Blaye” can't be read"):
        answered("march\n- group=F1\n- to Blaye")
    with pytest.raises(NotUnderstood, match="Line 2: “Blaye” can't be read"):
        answered("march moves=[(group=F1),(Blaye)]")
    with pytest.raises(NotUnderstood, match="we ask twice"):
        answered("leave\n- ware=ale")
    for reply in ("1", "march to Blaye"):
        with pytest.raises(NotUnderstood, match=r"“March” needs more: Moves\. Write march in the first line, .* - F1"):
            answered(reply)
    with pytest.raises(NotUnderstood, match=r"but not the words after the number\. Reply like this: 1: F1"):
        answered("1: Blaye, three knights")


@pytest.mark.parametrize(
    ("reply", "row"),
    [
        ("1: F1, Blaye", "group=F1,to=[Blaye]"),
        ("1. f2", "group=F2"),
        ("March: F2, Dreux, 3 knights", "group=F2,to=[Dreux],knights=3"),
    ],
)
def test_a_single_row_may_be_in_words(reply: str, row: str) -> None:
    assert answered(reply) == f"march moves=[({row})]"


@pytest.mark.parametrize("reply", ["1: F1, F2", "2: F1", "1: F1, Bourg", "1: F1 or F2", "1: F1?", "1: F1\n- Blaye, Dreux"])
def test_words_that_may_be_two_rows_or_none_are_not_guessed(reply: str) -> None:
    with pytest.raises(NotUnderstood):
        answered(reply)


def shown(form: Form, fits: Callable[[Answer], bool] | None = None) -> dict[str, object]:
    """What a letter with this form is made of."""

    def fill(option: FormOption) -> Answer | None:
        return with_row(option, fits)

    of_question = {"form": form, "link": "http://x", "deadline": None, "late": False, "replies": True, "game": "none"}
    return of_question | {
        "example": lambda option: example(form, option, fill),
        "row_example": lambda option, rows: row_example(option, rows, fill),
    }


def test_a_letter_shows_a_row_that_the_rules_allow() -> None:
    """Of a marriage: the first couple that may marry, in the words that a reply is read by."""
    couple = Rows("suits", (PickOne("lord", choices(["Lambert", "Henri"])), PickOne("other", choices(["Isabelle"]))), 1, 1)
    form = describe(FAIR, Ask("a", "court", (Option("propose", (couple,)), Option("pass")), Answer("pass")), {}, 3)

    def fits(answer: Answer) -> bool:
        return answer.rows("suits")[0].pick("lord") == "Henri"

    context = shown(form, fits)
    text, html = render("_question", "txt", context), render("_question", "html", context)
    assert "by reply: 1: Henri, Isabelle\n" in text and "<code>1: Henri, Isabelle</code>" in html and "…" not in text
    said = [write(answers.parse(form, [line])) for line in ("1: Henri, Isabelle", "1: Isabelle, Lambert")]
    assert said == ["propose suits=[(lord=Henri,other=Isabelle)]", "propose suits=[(lord=Lambert,other=Isabelle)]"]


@pytest.mark.parametrize(
    ("number", "most", "line", "row"),
    [
        (Number("n", 1, 4, 1), 4, "2 mill, sigy", {"what": "mill", "at": "sigy", "n": 2}),
        (Number("n", 1, 4, 1), 1, "mill, sigy", {"what": "mill", "at": "sigy"}),
        (Number("n", 1, 1, 1), 4, "mill, sigy", {"what": "mill", "at": "sigy"}),
        (Number("knights", 0, 4, 1), 4, "mill, sigy, 2 Knights", {"what": "mill", "at": "sigy", "knights": 2}),
    ],
)
def test_an_example_of_a_row_has_a_number_where_the_rules_allow_two(
    number: Number, most: int, line: str, row: dict[str, object]
) -> None:
    """In front, where its label is `How many`; left out where two are too many."""
    things = Rows("items", (PickOne("what", choices(["mill"])), PickOne("at", choices(["sigy"])), number), 1, 1)
    form = describe(FAIR, Ask("a", "buy", (Option("buy", (things,)),), Answer("buy")), {}, 3)
    (option,) = form.options
    (rows,) = option.fields
    assert isinstance(rows, RowsField)
    labels = {"what": "What", "at": "Where", "n": "How many", "knights": "Knights"}
    named = [msgspec.structs.replace(one, label=labels[one.name]) for one in rows.fields]
    rows = msgspec.structs.replace(rows, fields=named)
    option = msgspec.structs.replace(option, fields=[rows])

    def fits(answer: Answer) -> bool:
        return all(given.number(number.name) <= most for given in answer.rows("items") if number.name in given.values)

    def filled(one: FormOption) -> Answer | None:
        return with_row(one, fits)

    assert row_example(option, rows, filled) == f"- {line}"
    assert row_in_words(rows, line) == row
    assert row_in_words(rows, "mill, sigy, 1 Knight") == {**row, "knights": 1} or number.name != "knights"


def test_whatever_can_be_answered_can_be_written_a_row_a_line() -> None:
    rng = random.Random(8)
    for _ in range(200):
        answer = check(ASK, answer_at_random(ASK, rng))
        if answer.option != "both":
            continue
        lines = ["both"]
        for name in ("gifts", "moves"):
            given_ = [write(Answer("-", dict(row.values))) for row in answer.rows(name)]
            lines += [f"{name}:", *given_] if given_ else []
        assert answered("\n".join(lines)) == write(answer)


@given(st.lists(st.text("march-*1. group=F,[]()\n", max_size=20), max_size=8))
def test_no_lines_break_the_reader(lines: list[str]) -> None:
    try:
        answer = answered("\n".join(["march", *lines]))
    except Refused as refusal:
        assert str(refusal)
    else:
        assert read(answer)


def test_the_letter_lists_what_stands_in_a_row_and_how_to_reply() -> None:
    context = shown(FORM)
    text, html = render("_question", "txt", context), render("_question", "html", context)
    assert "       Moves (0-4), in each row:\n         - Group: F1 | F2\n         - To (0-2): Blaye | Dreux\n" in text
    assert "write march in the first line, then a line for each row:\n\n  - F1\n" in text
    assert "write leave in the first line" not in text, "what is grave isn't answered by mail"
    assert "Moves (0–4): Group: F1, F2 · To (0–2): Blaye, Dreux · " in html
    assert "<code>- F1</code>" in html
    assert "To reply" not in render("_question", "txt", {**context, "replies": False})
