"""Rows: lists of small forms in an answer, checked, written, read, drawn at random and told."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bots.random import answer_at_random
from engine.bots.rows import sampled
from engine.core.asks import (
    LIMIT,
    Answer,
    Ask,
    Assign,
    Choice,
    NotLegal,
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
    Simple,
    Total,
    check,
    choices,
    read,
    read_ask,
    settled,
    stored,
    write,
)
from engine.ui.forms import Form, RowsField, describe, picked, said
from engine.ui.forms import stored as stored_form
from tests.toy_game import FAIR

LORDS = ("Blaye", "Charolles", "Dreux")
MOVES = Rows(
    "moves",
    (
        PickOne("group", choices(["F1", "F2", "F3"])),
        PickSome("to", choices(LORDS), 0, 2),
        Number("knights", 0, 4, 1),
        PickOne("why", choices(["raid", "rest"]), optional=True),
    ),
    1,
    3,
    (Total("knights", 6, 1),),
    (Shared(("group",), choices(["F1", "F2", "F3"])), Shared(("to",), (Choice("Blaye", 1), Choice("Charolles", 2)))),
)


def ask(*fields: Any) -> Ask:
    return Ask("a", "march", (Option("go", tuple(fields)), Option("stay")), Answer("stay"), "T-1")


def checked(rows: Any) -> Any:
    return check(ask(MOVES), Answer("go", {"moves": rows})).values.get("moves")


# --- checking ---------------------------------------------------------------------------------------------------------


def test_each_row_becomes_canonical_and_rows_keep_their_order() -> None:
    given_ = [{"knights": "2", "to": ["Charolles", "Blaye"], "group": "F2"}, {"group": ["F1"], "why": ""}]
    assert checked(given_) == [
        {"group": "F2", "to": ["Blaye", "Charolles"], "knights": 2},
        {"group": "F1", "knights": 1},
    ]
    assert [list(row) for row in checked(given_)] == [["group", "to", "knights"], ["group", "knights"]]


F1, F2, F3 = ({"group": f"F{n}"} for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("rows", "refusal", "sentence"),
    [
        (None, NotLegal, "“moves” is empty; it takes from 1 to 3."),
        ([], NotLegal, "“moves” is empty; it takes from 1 to 3."),
        ([F1, F2, F3, F1], NotLegal, "“moves” has 4 lines; it takes from 1 to 3."),
        ("F1", NotUnderstood, "“moves” takes a list such as [(a=x,b=2),(a=y)], not a word."),
        ({"group": "F1"}, NotUnderstood, "“moves” takes a list such as [(a=x,b=2),(a=y)], not pairs."),
        (["F1"], NotUnderstood, "“moves” takes a list such as [(a=x,b=2),(a=y)], not a list."),
        ([F1] * (LIMIT + 1), NotUnderstood, f"“moves” has {LIMIT + 1} entries; no answer has more than {LIMIT}."),
        ([F1, {}], NotLegal, "Line 2: “group” needs a choice. Open to you: F1, F2, F3."),
        ([F1, {"group": "F9"}], NotLegal, "Line 2: “group” can't be “F9”. Open to you: F1, F2, F3."),
        (
            [{"group": "F1", "go": "x"}],
            NotUnderstood,
            "Line 1: A row has no field “go”; it has: group, to, knights, why.",
        ),
        ([{"group": "F1", "knights": "many"}], NotUnderstood, "Line 1: “knights” takes a whole number, not “many”."),
        ([{"group": "F1", "to": [{"x": "y"}]}], NotUnderstood, "Line 1: “to” takes a list of choices, not a list."),
        ([F1, F1], NotLegal, "Line 2: This makes 2 of “F1”; you can pick at most 1 in all."),
        (
            [{"group": "F1", "to": ["Blaye"]}, F2, {"group": "F3", "to": ["Blaye"]}],
            NotLegal,
            "Line 3: This makes 2 of “Blaye”; you can pick at most 1 in all.",
        ),
        (
            [F3, {"group": "F1", "knights": 4}, {"group": "F2", "knights": 2}],
            NotLegal,
            "Line 3: This brings “knights” to 7 in all; it must be from 1 to 6.",
        ),
        (
            [{"group": "F1", "knights": 0}],
            NotLegal,
            "“knights” adds up to 0; it must be from 1 to 6.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_number_of_its_row(rows: Any, refusal: type[Refused], sentence: str) -> None:
    with pytest.raises(refusal) as refused:
        checked(rows)
    assert str(refused.value) == sentence


def test_what_all_rows_owe_is_said_of_all_rows() -> None:
    owed = Rows("r", (PickOne("x", choices("ab")),), 0, 3, (), (Shared(("x",), (Choice("a", 2, 1),)),))
    assert check(ask(owed), read("go r=[(x=a),(x=b),(x=a)]"))
    with pytest.raises(NotLegal) as refused:
        check(ask(owed), read("go r=[(x=b)]"))
    assert str(refused.value) == "“a” is picked 0 times in all; it needs at least 1."


def test_targets_and_several_fields_share_too() -> None:
    field = Rows(
        "r",
        (PickOne("x", choices("ab"), optional=True), Assign("to", choices("ij"), choices("ab"), optional=True)),
        0,
        3,
        (),
        (Shared(("x", "to"), choices("ab")),),
    )
    assert check(ask(field), read("go r=[(x=a),(to={i>b})]"))
    with pytest.raises(NotLegal, match="Line 2"):
        check(ask(field), read("go r=[(x=a),(to={i>b,j>a})]"))


def test_a_row_of_which_nothing_needs_to_be_said_may_be_empty() -> None:
    quiet = Rows("r", (PickOne("x", choices("ab"), optional=True),), 0, 2)
    rows: list[Row] = [{}, {"x": "a"}]
    answer = check(ask(quiet), Answer("go", {"r": rows}))
    assert answer.values == {"r": rows} and write(answer) == "go r=[(),(x=a)]" and read(write(answer)) == answer
    assert check(ask(quiet), Answer("go")).values == {}


def test_an_answer_gives_its_rows_as_answers_of_their_own() -> None:
    answer = read("go moves=[(group=F1,to=[Blaye],knights=2),(group=F2)] x=[a] y={a>b}")
    first, second = answer.rows("moves")
    assert (first.pick("group"), first.some("to"), first.number("knights")) == ("F1", ["Blaye"], 2)
    assert second.pick("group") == "F2" and second.option == "go"
    assert answer.rows("x") == answer.rows("y") == answer.rows("no") == [] and answer.some("moves") == []


def test_an_ask_with_rows_is_kept_as_data_and_read_back() -> None:
    question = ask(MOVES)
    assert read_ask(json.loads(json.dumps(stored(question)))) == settled(question)


# --- text -------------------------------------------------------------------------------------------------------------


def test_rows_are_text_in_round_brackets() -> None:
    rows: list[Row] = [{"group": "F1", "to": ["Blaye", "Blaye", "Dreux"]}, {"n": -2, "of": {"a": "b"}}]
    answer = Answer("go", {"moves": rows, "x": 3})
    line = "go moves=[(group=F1,to=[Blaye*2,Dreux]),(n=-2,of={a>b})] x=3"
    assert write(answer) == line and read(line) == answer


@pytest.mark.parametrize(
    "text",
    [
        "go moves=[(group=F1,to=[Blaye,Dreux]),(group=F2,knights=2)]",
        "go  moves=[ (group=F1, to=[Blaye, Dreux]) , (group=F2, knights=2) ]",
        "go moves=[(group=F1 to=[Blaye,Dreux]),\t(group=F2 knights=2)]",
        "go moves=[(group=F1,to=[ Blaye,\n Dreux ]),(group=F2,knights=2,)]",
    ],
)
def test_rows_are_read_as_people_write_them(text: str) -> None:
    assert read(text).values == {"moves": [{"group": "F1", "to": ["Blaye", "Dreux"]}, {"group": "F2", "knights": 2}]}


CELL = "can't be read; write a row's fields as field=value, field=[a,b] or field={a>b}, with commas between."
LIST = "can't be read; write rows as field=[(a=x,b=2),(a=y)]."
PART = "can't be read; write field=value, field=[a,b] or field={a>b}."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("go m=[(a=1),(b)]", f"Line 2: “b” {CELL}"),
        ("go m=[(a=1;b=2)]", None),
        ("go m=[(a=[x)]", f"Line 1: “a=[x” {CELL}"),
        ("go m=[(a=1,a=2)]", "Line 1: “a” is there twice; give it once."),
        ("go m=[(a={x})]", "Line 1: “x” can't be read as item>target."),
        ("go m=[(a=1)] m=[(a=2)]", "“m” is there twice; give it once."),
        ("go m=[(a=1)](b=2)", f"“m=[(a=1)](b=2)” {LIST}"),
        ("go m=[(a=(b=1))]", f"“m=[(a=(b=1))]” {LIST}"),
        ("go m=[(a=1), b=2]", f"“m=[(a=1),” {LIST}"),
        ("go m=[x,(a=1)]", f"“m=[x,(a=1)]” {PART}"),
        ("go m=(a=1)", None),
    ],
)
def test_rows_that_cannot_be_read_are_refused_with_a_sentence(text: str, sentence: str | None) -> None:
    if sentence is None:
        assert not read(text).rows("m") or read(text).rows("m")[0].pick("a") != "1"
        return
    with pytest.raises(NotUnderstood) as refused:
        read(text)
    assert str(refused.value) == sentence


WORDS = st.from_regex(r"(?!-[0-9]+$)[A-Za-z_:./#+-][A-Za-z0-9_:./#+-]{0,12}", fullmatch=True)
"""Ids as `engine.core.asks.Choice` has them: never a bare whole number, of which `-1` is one."""
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
CELLS = st.one_of(
    WORDS, st.integers(-999_999_999, 999_999_999), st.lists(WORDS, max_size=6), st.dictionaries(WORDS, WORDS, max_size=4)
)
ROWS = st.lists(st.dictionaries(NAMES, CELLS, max_size=4), min_size=1, max_size=5)


@given(WORDS, st.dictionaries(NAMES, st.one_of(CELLS, ROWS), max_size=4))
def test_every_answer_with_rows_survives_being_written_and_read(option: str, values: dict[str, Any]) -> None:
    answer = Answer(option, values)
    assert read(write(answer)) == answer
    assert write(read(write(answer))) == write(answer)


@given(st.text("go m=[](),{}>a1 *\n", max_size=60))
def test_no_brackets_break_the_reader(text: str) -> None:
    try:
        answer = read("go " + text)
    except NotUnderstood as refusal:
        assert str(refusal).endswith(".")
    else:
        assert read(write(answer)) == answer


def test_a_long_text_is_read_in_no_time() -> None:
    for text in (
        "m=[(" * 4_000,
        "m=[" + "(a=b)," * 3_000,
        "m=[(a=" + "[" * 15_000,
        "m=[(" + "a=b " * 4_000,
        "m=[(" + " " * 19_000,
    ):
        try:
            read("go " + text)
        except NotUnderstood as refusal:
            assert str(refusal).endswith(".")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=6,
)
NEAR = st.lists(st.fixed_dictionaries({"group": st.sampled_from(["F1", "F2", "F9"])}, optional={"to": JSON, "knights": JSON}))


@given(JSON | NEAR)
def test_no_value_breaks_the_check(value: Any) -> None:
    question = ask(MOVES)
    try:
        answer = check(question, Answer("go", {"moves": value}))
    except Refused as refusal:
        assert str(refusal).endswith(".")
    else:
        assert check(question, answer) == answer and read(write(answer)) == answer


# --- at random --------------------------------------------------------------------------------------------------------


@st.composite
def fields(draw: st.DrawFn) -> Rows:
    """Rows of every kind of field, which share what they draw from and have sums; at least one row can always be."""
    ids = list("abcde")[: draw(st.integers(3, 5))]
    least, most = 0, draw(st.integers(1, 4))
    inner: list[Simple] = [
        PickOne("one", choices(ids), optional=draw(st.booleans())),
        PickSome("some", choices(ids), 0, draw(st.integers(0, 3))),
        Number("n", draw(st.integers(0, 1)), draw(st.integers(2, 4))),
        Order("order", choices("xyz")),
        Assign("to", choices("ij"), choices(ids), optional=True, distinct=draw(st.booleans())),
    ]
    kept = tuple(f for f in inner if f.name in ("one", "n") or draw(st.booleans()))
    shared = Shared(("one", "some", "to"), tuple(Choice(id, draw(st.integers(1, 3))) for id in ids[: draw(st.integers(0, 5))]))
    return Rows("r", kept, least, most, (Total("n", draw(st.integers(1, 6))),), (shared,))


@given(fields(), st.integers(0, 1000))
def test_random_rows_are_legal(field: Rows, seed: int) -> None:
    question = Ask("a", "march", (Option("go", (field,)),), Answer("go"))
    answer = answer_at_random(question, random.Random(seed))
    assert read(write(check(question, answer))) == check(question, answer)


def test_one_of_several_is_drawn_as_a_sample_of_one_would_be() -> None:
    """So that random games are what they were."""
    question = Ask("a", "spend", (Option("go", (PickSome("cards", choices("pqrst"), 1, 1),)),), Answer("go"))
    for seed in range(50):
        rng = random.Random(seed)
        rng.random()  # for the option
        assert answer_at_random(question, random.Random(seed)).some("cards") == rng.sample(list("pqrst"), 1)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 1000))
def test_some_of_many_are_drawn_as_a_sample_would_be(many: int, k: int, seed: int) -> None:
    """And in its order."""
    of, drawn, rng = [f"F{n}" for n in range(many)], random.Random(seed), random.Random(seed)
    assert sampled(of, min(k, many), drawn) == rng.sample(of, min(k, many))
    assert drawn.getstate() == rng.getstate()


def test_cells_are_drawn_one_after_the_other() -> None:
    """As a form of single fields would be, so that random games are what they were."""
    row = (PickOne("to", choices("pqrst")), Number("maa", 2, 9), PickSome("lords", choices("xyz"), 1, 3))
    question = Ask("a", "march", (Option("go", (Rows("moves", row, 2, 2),)),), Answer("go"))
    rng = random.Random(7)
    rng.random(), rng.randint(2, 2)  # for the option, and for the number of rows
    expected = []
    for _ in range(2):
        to, maa = "pqrst"[int(rng.random() * 5)], rng.randint(2, 9)
        n = 1 + int(rng.random() * 3)
        expected.append({"to": to, "maa": maa, "lords": sorted(rng.sample("xyz", n))})
    assert answer_at_random(question, random.Random(7)).values["moves"] == expected


def test_random_rows_come_in_all_numbers_and_pay_what_they_owe() -> None:
    rng, found = random.Random(4), set()
    question = Ask("a", "march", (Option("go", (MOVES,)),), Answer("stay"))
    owed = Rows(
        "r",
        (PickOne("x", choices("abc")), Number("n", 0, 3)),
        2,
        2,
        (Total("n", 6, 5),),
        (Shared(("x",), (Choice("c", 1, 1),)),),
    )
    for _ in range(200):
        found.add(len(check(question, answer_at_random(question, rng)).rows("moves")))
        last = Ask("a", "march", (Option("go", (owed,)),), Answer("go"))
        assert check(last, answer_at_random(last, rng))
    assert found == {1, 2, 3}


# --- forms ------------------------------------------------------------------------------------------------------------


def test_a_form_has_the_rows_with_labels_sums_and_what_they_share() -> None:
    form = describe(FAIR, ask(MOVES), {"a": "Ann"}, 3)
    assert msgspec.convert(json.loads(json.dumps(stored_form(form))), Form) == form
    (field,) = form.options[0].fields
    assert isinstance(field, RowsField) and [f.type for f in field.fields] == ["one", "some", "number", "one"]
    plain = stored_form(form)["options"][0]["fields"][0]
    assert (plain["type"], plain["least"], plain["most"], plain["label"]) == ("rows", 1, 3, "Moves")
    assert plain["totals"] == [{"field": "knights", "label": "Knights", "least": 1, "most": 6}]
    assert plain["shared"][1]["choices"] == [
        {"id": "Blaye", "label": "Blaye", "most": 1, "least": 0},
        {"id": "Charolles", "label": "Charolles", "most": 2, "least": 0},
    ]


def test_rows_are_said_in_words_with_their_numbers() -> None:
    form = describe(FAIR, ask(MOVES), {}, 3)
    answer = read("go moves=[(group=F1,to=[Blaye,Dreux],knights=2),(group=F9)]")
    assert said(form, answer) == "Go: 1. Group: F1, To: Blaye, Dreux, Knights: 2; 2. Group: F9"
    assert picked(form.options[0].fields[0], ["F1"]) == picked(form.options[0].fields[0], []) == ""
