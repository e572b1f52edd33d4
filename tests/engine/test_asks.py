"""Asks: checking, writing, reading, and every refusal as a sentence that says what would be right."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.asks import (
    LIMIT,
    Answer,
    Ask,
    Assign,
    Cell,
    Choice,
    NotLegal,
    NotUnderstood,
    Number,
    Option,
    Order,
    PickOne,
    PickSome,
    Refused,
    Value,
    are_rows,
    check,
    choices,
    read,
    read_ask,
    settled,
    stored,
    write,
)

FIELDS = (
    PickOne("one", choices(["ale", "bread"])),
    PickSome("some", choices(["ale", "ale", "bread", "cloth"]), 1, 3),
    Number("count", 2, 5),
    Order("order", choices(["x", "y", "z"])),
    Assign("to", choices(["cup", "jug"]), (Choice("a"), Choice("b", 2)), distinct=True),
)
BY_NAME = {f.name: f for f in FIELDS}


def ask(*fields: Any) -> Ask:
    return Ask("a", "kind", (Option("go", tuple(fields)), Option("stay")), Answer("stay"), "T-1")


def one(name: str, value: Any) -> Any:
    """The value of a field after checking, everything else left out."""
    return check(ask(BY_NAME[name]), Answer("go", {name: value})).values.get(name)


# --- what is understood -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given_", "canonical"),
    [
        ("one", "ale", "ale"),
        ("one", ["bread"], "bread"),
        ("some", ["bread", "ale"], ["ale", "bread"]),
        ("some", "cloth", ["cloth"]),
        ("some", ["ale", "ale"], ["ale", "ale"]),
        ("count", 3, 3),
        ("count", "4", 4),
        ("count", "+5", 5),
        ("count", None, 2),
        ("count", "", 2),
        ("order", ["z", "x", "y"], ["z", "x", "y"]),
        ("order", None, ["x", "y", "z"]),
        ("order", [], ["x", "y", "z"]),
        ("to", {"jug": "b", "cup": "b"}, {"cup": "b", "jug": "b"}),
    ],
)
def test_values_become_canonical(name: str, given_: Any, canonical: Any) -> None:
    assert one(name, given_) == canonical


def test_empty_values_are_left_out() -> None:
    fields = (PickOne("one", choices(["x"]), optional=True), PickSome("some", choices(["x"]), 0, 1))
    answer = check(
        ask(*fields, Assign("to", choices(["i"]), choices(["t"]), optional=True)), Answer("go", {"one": "", "to": {"i": ""}})
    )
    assert answer == Answer("go")
    assert check(ask(*fields), Answer("go", {"some": ""})) == Answer("go")


def test_fields_come_in_the_order_of_the_ask() -> None:
    answer = check(ask(BY_NAME["one"], BY_NAME["count"]), Answer("go", {"count": 2, "one": "ale"}))
    assert list(answer.values) == ["one", "count"]


def test_an_option_builds_its_fields_only_when_they_are_read() -> None:
    built = []

    def build() -> tuple[()]:
        built.append(1)
        return ()

    lazy = Option("go", build)
    assert not built
    assert lazy.fields == () and built == [1]


def test_an_answer_gives_its_values_by_their_shapes() -> None:
    answer = Answer("go", {"one": "x", "some": ["y"], "n": 3, "to": {"i": "t"}})
    assert (answer.pick("one"), answer.some("some"), answer.number("n"), answer.assigned("to")) == ("x", ["y"], 3, {"i": "t"})
    assert (answer.pick("no"), answer.some("no"), answer.number("no"), answer.assigned("no")) == ("", [], 0, {})
    assert (answer.pick("n"), answer.some("one"), answer.number("one"), answer.assigned("one")) == ("3", [], 0, {})


def test_like_choices_are_counted_together() -> None:
    assert choices(["b", "a", "b"]) == (Choice("b", 2), Choice("a", 1))


# --- every refusal ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "refusal", "sentence"),
    [
        ("one", None, NotLegal, "“one” needs a choice. Open to you: ale, bread."),
        ("one", "eel", NotLegal, "“one” can't be “eel”. Open to you: ale, bread."),
        ("one", ["ale", "bread"], NotUnderstood, "“one” takes one choice, not a list."),
        ("one", 7, NotUnderstood, "“one” takes one choice, not a number."),
        ("one", {"ale": "x"}, NotUnderstood, "“one” takes one choice, not pairs."),
        ("one", "x" * 60, NotLegal, f"“one” can't be “{'x' * 37}…”. Open to you: ale, bread."),
        ("some", ["eel"], NotLegal, "“some” can't include “eel”. Open to you: ale*2, bread, cloth."),
        ("some", ["ale"] * 3, NotLegal, "“some” has 3 of “ale”, but at most 2 can be picked."),
        ("some", [], NotLegal, "“some” takes from 1 to 3, not 0."),
        ("some", ["ale", "ale", "bread", "cloth"], NotLegal, "“some” takes from 1 to 3, not 4."),
        ("some", 3, NotUnderstood, "“some” takes a list of choices, not a number."),
        ("some", [1], NotUnderstood, "“some” takes a list of choices, not a list."),
        ("some", ["ale"] * (LIMIT + 1), NotUnderstood, f"“some” has {LIMIT + 1} entries; no answer has more than {LIMIT}."),
        ("count", 6, NotLegal, "“count” is 6; it must be from 2 to 5."),
        ("count", -1, NotLegal, "“count” is -1; it must be from 2 to 5."),
        ("count", "many", NotUnderstood, "“count” takes a whole number, not “many”."),
        ("count", "9" * 12, NotUnderstood, "“count” takes a whole number, not “999999999999”."),
        ("count", ["2"], NotUnderstood, "“count” takes a whole number, not a list."),
        ("count", True, NotUnderstood, "“count” takes a whole number, not that."),
        ("count", 2.5, NotUnderstood, "“count” takes a whole number, not that."),
        ("order", ["x", "y"], NotLegal, "“order” must name each of these once, in your order. Open to you: x, y, z."),
        ("order", ["x", "y", "y"], NotLegal, "“order” must name each of these once, in your order. Open to you: x, y, z."),
        ("order", 1, NotUnderstood, "“order” takes a list of choices, not a number."),
        ("to", "cup", NotUnderstood, "“to” takes item>target pairs, not a word."),
        ("to", {"cup": 1}, NotUnderstood, "“to” takes item>target pairs of words."),
        ("to", {"cup": ["a"]}, NotUnderstood, "“to” takes item>target pairs of words."),
        ("to", {"pot": "a"}, NotLegal, "“to” has nothing called “pot”. Open to you: cup, jug."),
        ("to", {"cup": "c"}, NotLegal, "“to” can't put “cup” to “c”. Open to you: a, b*2."),
        ("to", {"cup": "a", "jug": "a"}, NotLegal, "“to” uses “a” 2 times; at most 1 can be used."),
        ("to", {"cup": "a"}, NotLegal, "“to” leaves out “jug”; it needs one of these. Open to you: a, b*2."),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(name: str, value: Any, refusal: type[Refused], sentence: str) -> None:
    with pytest.raises(refusal) as refused:
        one(name, value)
    assert str(refused.value) == sentence


def test_what_must_be_picked_is_named() -> None:
    with pytest.raises(NotLegal) as refused:
        check(ask(PickSome("some", (Choice("ale", 3, 2),), 0, 3)), Answer("go", {"some": ["ale"]}))
    assert str(refused.value) == "“some” has 1 of “ale”, but at least 2 must be picked."
    with pytest.raises(NotLegal) as refused:
        check(ask(PickSome("some", (Choice("ale", 3, 1), Choice("bread")), 0, 3)), Answer("go", {"some": ["bread"]}))
    assert str(refused.value) == "“some” has 0 of “ale”, but at least 1 must be picked."


def test_unknown_options_and_fields_are_refused_with_what_is_there() -> None:
    with pytest.raises(NotLegal) as refused:
        check(ask(), Answer("run"))
    assert str(refused.value) == "“run” is not open to you here. You can: go, stay."
    with pytest.raises(NotUnderstood) as unknown:
        check(ask(BY_NAME["one"]), Answer("go", {"one": "ale", "two": "x"}))
    assert str(unknown.value) == "“go” has no field “two”; it has: one."
    with pytest.raises(NotUnderstood) as none:
        check(ask(), Answer("stay", {"two": "x"}))
    assert str(none.value) == "“stay” has no field “two”; it has: no fields."


def test_long_lists_of_choices_are_cut() -> None:
    with pytest.raises(NotLegal) as refused:
        check(ask(PickOne("one", choices(f"c{i}" for i in range(20)))), Answer("go", {"one": "x"}))
    assert str(refused.value).endswith("c10, c11 ….")
    with pytest.raises(NotLegal, match="Open to you: nothing"):
        check(ask(PickOne("one", ())), Answer("go", {"one": "x"}))


def test_the_kinds_of_refusal_have_names() -> None:
    assert [NotUnderstood.kind, NotLegal.kind] == ["not understood", "not legal"]


def test_an_ask_is_kept_as_data_and_read_back() -> None:
    rest = Option("rest", (Number("n", 0, 4, 2),), rest=3)
    options = (Option("go", lambda: FIELDS), Option("leave", grave=True), rest)
    question = Ask("a", "bid", options, Answer("leave"), "T-01", {"pot": 3})
    data = json.loads(json.dumps(stored(question)))
    assert data["options"][1:] == [
        {"id": "leave", "grave": True},
        {"id": "rest", "fields": [{"type": "number", "name": "n", "least": 0, "most": 4, "usual": 2}], "rest": 3},
    ]
    assert read_ask(data) == settled(question)


# --- text -------------------------------------------------------------------------------------------------------------


def test_an_answer_is_one_line() -> None:
    answer = Answer("attack", {"target": "siege:b:F2", "some": ["F1", "K", "K"], "n": -3, "to": {"i": "F1", "j": "F2"}})
    line = "attack target=siege:b:F2 some=[F1,K*2] n=-3 to={i>F1,j>F2}"
    assert write(answer) == line
    assert read(line) == answer
    assert read("  attack   target=x ").values == {"target": "x"}
    assert read("end x=[] y={}") == Answer("end", {"x": [], "y": {}})
    assert read("end a=007").values == {"a": "007"}, "only whole numbers as people write them are numbers"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "“” is not the name of an option."),
        ("!", "“!” is not the name of an option."),
        ("end\nx=1", "“end x=1” is not the name of an option."),
        ("end what", "“what” can't be read; write field=value, field=[a,b] or field={a>b}."),
        ("end a=[x", "“a=[x” can't be read; write field=value, field=[a,b] or field={a>b}."),
        ("end A=x", "“A=x” can't be read; write field=value, field=[a,b] or field={a>b}."),
        ("end a=x a=y", "“a” is there twice; give it once."),
        ("end a={x}", "“x” can't be read as item>target."),
        ("end a={x>1,x>2}", "“x>2” can't be read as item>target."),
        ("end a=[x*0]", "“x*0” can't be read; write word*number."),
        ("end a=[x*999]", "“x*999” can't be read; write word*number."),
        ("end a=[x*]", "“x*” can't be read; write word*number."),
        ("end a=[x*²]", "“x*²” can't be read; write word*number."),
        (f"end a=[x*{'9' * 5000}]", f"“x*{'9' * 35}…” can't be read; write word*number."),
        ("e" * 20_001, "That answer is longer than any answer can be."),
    ],
)
def test_text_that_cannot_be_read_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(NotUnderstood) as refused:
        read(text)
    assert str(refused.value).replace("\n", " ") == sentence


WORDS = st.from_regex(r"[A-Za-z_:./#+-][A-Za-z0-9_:./#+-]{0,12}", fullmatch=True)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
VALUES = st.one_of(
    WORDS, st.integers(-999_999_999, 999_999_999), st.lists(WORDS, max_size=12), st.dictionaries(WORDS, WORDS, max_size=6)
)


@given(WORDS, st.dictionaries(NAMES, VALUES, max_size=5))
def test_every_answer_survives_being_written_and_read(option: str, values: dict[str, Any]) -> None:
    answer = Answer(option, values)
    assert read(write(answer)) == answer


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        answer = read(text)
    except NotUnderstood as refusal:
        assert str(refusal).endswith(".")
    else:
        assert read(write(answer)).option == answer.option


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=6,
)


@given(st.sampled_from(FIELDS), JSON | st.sampled_from(["ale", ["ale"], {"cup": "a", "jug": "b"}, 3]))
def test_no_value_breaks_the_check(field: Any, value: Any) -> None:
    question = ask(field)
    try:
        answer = check(question, Answer("go", {field.name: value}))
    except Refused as refusal:
        assert str(refusal).endswith(".")
    else:
        assert check(question, answer) == answer


def test_a_half_character_is_told_and_a_whole_one_is_not() -> None:
    with pytest.raises(NotUnderstood, match="a broken character"):
        read("deal ware=\ud800")
    with pytest.raises(NotUnderstood) as other:
        read("dé ware=x")
    assert "a broken character" not in str(other.value)


def test_a_name_that_is_no_field_is_told_before_a_wrong_value() -> None:
    question = ask(BY_NAME["one"], BY_NAME["count"])
    wrong: list[tuple[dict[str, Value], str]] = [
        ({"one": "eel", "two": "x"}, "two"),
        ({"one": "ale", "count": 9, "two": "x", "alone": "y"}, "alone"),
    ]
    for values, name in wrong:
        with pytest.raises(NotUnderstood) as refused:
            check(question, Answer("go", values))
        assert str(refused.value) == f"“go” has no field “{name}”; it has: one, count."
    with pytest.raises(NotUnderstood, match=r"“go” has no field “two”; it has: no fields\."):
        check(ask(), Answer("go", {"two": "x"}))
    with pytest.raises(NotUnderstood, match="has no field “two”"):
        check(ask(PickOne("one", choices("x"), optional=True)), Answer("go", {"two": "x"}))


def test_bounds_themselves_are_within_them() -> None:
    many = PickSome("many", (Choice("x", LIMIT),), 0, LIMIT)
    assert len(check(ask(many), Answer("go", {"many": ["x"] * LIMIT})).some("many")) == LIMIT
    assert read(f"go many=[x*{LIMIT}]").some("many") == ["x"] * LIMIT
    assert [one("count", n) for n in (2, 5, "2", "5")] == [2, 5, 2, 5]
    assert one("some", ["ale", "ale", "bread"]) == ["ale", "ale", "bread"] and one("some", ["ale"]) == ["ale"]
    for text, told in (("x" * 40, "x" * 40), ("x" * 41, "x" * 37 + "…")):
        with pytest.raises(NotLegal, match=f"“one” can't be “{told}”"):
            one("one", text)
    with pytest.raises(NotUnderstood, match="is not the name of an option"):
        read("e" * 20_000)
    zero = Number("n", 0, 3)
    assert check(ask(zero), Answer("go")) == Answer("go", {"n": 0}), "a nought is said, and nothing is not"
    assert check(ask(Number("n", 0, 9, 4)), Answer("go", {"n": ""})) == Answer("go", {"n": 4})
    assert check(ask(zero), Answer("stay")) == Answer("stay")


def test_what_is_read_is_the_readers_own_though_it_was_read_before() -> None:
    long = "go some=[ale,bread] to={cup>a} why=" + "x" * 60
    for text in ("go some=[ale,bread] to={cup>a}", long):
        first = read(text)
        first.some("some").append("eel")
        first.assigned("to")["jug"] = "b"
        assert read(text).some("some") == ["ale", "bread"] and read(text).assigned("to") == {"cup": "a"}
        assert read(text).values.keys() == first.values.keys()
    rows = read("go r=[(x=a),(x=b)]").values["r"]
    assert isinstance(rows, list) and are_rows(rows)
    rows[0]["x"] = "eel"
    assert [row.pick("x") for row in read("go r=[(x=a),(x=b)]").rows("r")] == ["a", "b"]


def test_facts_of_an_ask_are_its_own_whenever_they_are_made() -> None:
    cards, gifts = ["ale"], {"a": "b"}
    facts: dict[str, Cell] = {"cards": cards, "from": gifts, "n": 3}
    told, made = Ask("a", "k", (), Answer("x"), "", facts), Ask("a", "k", (), Answer("x"), "", lambda: facts)
    assert made.about == told.about == facts and made.about is made.about
    cards.append("eel")
    gifts["c"] = "d"
    assert made.about == told.about == {"cards": ["ale"], "from": {"a": "b"}, "n": 3}
    plain: dict[str, Cell] = {"n": 3, "who": "a"}
    assert Ask("a", "k", (), Answer("x"), "", plain).about is plain, "what can't change is not copied"


def test_an_ask_that_outlives_its_position_has_its_fields_made_and_all_the_rest() -> None:
    question = Ask("a", "bid", (Option("go", lambda: FIELDS, True, 4),), Answer("go"), "T-1", lambda: {"pot": 3})
    kept = settled(question)
    assert kept == Ask("a", "bid", (Option("go", FIELDS, True, 4),), Answer("go"), "T-1", {"pot": 3})
    assert stored(kept) == stored(question) and stored(kept)["about"] == {"pot": 3}
