"""Forms: asks as plain data with words."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from engine.core import procedure
from engine.core.asks import (
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
    Row,
    Rows,
    Shared,
    Total,
    Value,
    choices,
)
from engine.core.procedure import Shut
from engine.language.words import Catalogue, Message, plain, say
from engine.text.labels import order_labels, shortened
from engine.ui.forms import (
    AssignField,
    Form,
    FormChoice,
    FormField,
    FormOption,
    FormShared,
    FormShut,
    FormTotal,
    NumberField,
    OneField,
    OrderField,
    Rest,
    RowsField,
    SomeField,
    apart,
    by_seat,
    choices_of,
    day_of,
    describe,
    hindered,
    is_dated,
    limits,
    picked,
    row_pattern,
    said,
    stored,
    with_parts,
    worded,
)
from tests.toy_game import FAIR

NAMES = {"a": "Ann", "b": "Bob"}


def test_every_kind_of_field_has_its_bounds_and_labels() -> None:
    fields = (
        PickOne("one", choices(["a"]), optional=True),
        PickSome("some", (Choice("x", 3, 1),), 1, 2),
        Number("number", 0, 9),
        Order("order", choices(["x", "y"])),
        Assign("assign", choices(["i"]), choices(["b"]), optional=True, distinct=True),
    )
    ask = Ask("a", "bid", (Option("go", fields), Option("leave", grave=True)), Answer("leave"), "T-01", {"pot": 3})
    described = describe(FAIR, ask, NAMES, 7)
    form = stored(described)
    assert {k: form[k] for k in ("seat", "kind", "rule", "serial", "title", "default", "about")} == {
        "seat": "a",
        "kind": "bid",
        "rule": "T-01",
        "serial": 7,
        "title": "Ann: bid?",
        "default": "leave",
        "about": {"pot": 3},
    }
    go, leave = form["options"]
    assert leave == {"id": "leave", "label": "Leave", "grave": True, "fields": []}
    assert go["fields"] == [
        {
            "name": "one",
            "label": "One",
            "type": "one",
            "choices": [{"id": "a", "label": "Ann", "most": 1, "least": 0}],
            "optional": True,
        },
        {
            "name": "some",
            "label": "Some",
            "type": "some",
            "choices": [{"id": "x", "label": "x", "most": 3, "least": 1}],
            "least": 1,
            "most": 2,
        },
        {"name": "number", "label": "Number", "type": "number", "least": 0, "most": 9, "usual": 0, "share": False},
        {
            "name": "order",
            "label": "Order",
            "type": "order",
            "choices": [{"id": i, "label": i, "most": 1, "least": 0} for i in "xy"],
        },
        {
            "name": "assign",
            "label": "Assign",
            "type": "assign",
            "items": [{"id": "i", "label": "i", "most": 1, "least": 0}],
            "targets": [{"id": "b", "label": "Bob", "most": 1, "least": 0}],
            "optional": True,
            "distinct": True,
        },
    ]
    assert msgspec.convert(json.loads(json.dumps(form)), Form) == described


def test_the_form_of_an_open_ask_answers_it() -> None:
    from engine.core.chance import Chance
    from tests.toy_game import setup

    state = setup(["a", "b"], {}, Chance("form"))
    procedure.begin(state)
    form = describe(FAIR, procedure.ask_of(state, "a"), NAMES, state.serial)
    number, ware = form.options[1].fields
    assert isinstance(number, NumberField) and isinstance(ware, OneField)
    answer = Answer(form.options[1].id, {number.name: number.most, ware.name: ware.choices[0].id})
    assert procedure.vet(state, "a", answer) == answer


def test_a_form_keeps_what_was_added_to_it_and_the_rest_of_shared_numbers() -> None:
    ask = Ask("a", "bid", (Option("go", (Number("n", 0, 9, 2),), rest=4),), Answer("go"))
    form = stored(describe(FAIR, ask, NAMES, 7))
    assert form["options"][0]["rest"] == {"now": 4, "label": "Rest"} and "fate" not in form
    again = msgspec.convert({**form, "fate": "You lose."}, Form)
    assert again.fate == "You lose." and again.options[0].rest


def test_an_answer_is_said_in_the_words_of_its_form() -> None:
    fields = (
        PickSome("wares", (Choice("ale", 3),), 0, 3),
        Assign("to", choices(["x", "y"]), choices(["b"])),
        Number("n", 0, 9),
    )
    form = describe(FAIR, Ask("a", "bid", (Option("go", fields),), Answer("go")), NAMES, 7)
    answer = Answer("go", {"wares": ["ale", "ale", "rye"], "to": {"x": "b", "y": "c"}, "n": 4})
    assert said(form, answer) == "Go: 2 × ale, rye; x → Bob, y → c; N: 4"
    assert said(form, Answer("go")) == "Go" and said(form, Answer("stay", {"n": 1})) == "stay n=1"
    assert picked(form.options[0].fields[0], []) == ""


FORM = Form(
    "a",
    "march",
    "T-00",
    7,
    "March",
    "stay",
    {},
    [
        FormOption("stay", "Stay at home", False, []),
        FormOption(
            "go",
            "Go out",
            False,
            [
                OneField("ware", "What to carry", [FormChoice("ale", "A cask of ale", 1, 0)], False),
                RowsField(
                    "moves",
                    "Who goes where",
                    [OneField("to", "Where to", [FormChoice("tours", "Tours", 1, 0)], False)],
                    0,
                    2,
                    [FormTotal("knights", "Knights", 0, 5), FormTotal("maa", "Men-at-Arms", 2, 4)],
                    [
                        FormShared(
                            ["who"], [FormChoice("x", "Hugh", 1, 0), FormChoice("y", "Odo", 1, 0), FormChoice("z", "Guy", 3, 1)]
                        )
                    ],
                ),
            ],
        ),
    ],
)


def reworded(facts: dict[str, object], word: Callable[[str], str] = lambda _: "") -> dict[str, object]:
    """The facts of a refusal of the kernel in the words of the form; that it is the same refusal otherwise."""
    code = "ask.x"
    refused = NotLegal(Message(code, facts))
    found = worded(FORM, refused, word)
    assert type(found) is NotLegal and found.said.code == code
    assert refused.said == Message(code, facts), "what is kept keeps its ids"
    return found.said.facts


def test_a_refusal_of_the_kernel_is_said_in_the_words_of_the_form() -> None:
    named = {"ware": "What to carry", "to": "Where to", "moves": "Who goes where", "strange": "strange"}
    for id, label in named.items():
        assert reworded({"field": id, "of": id, "fields": [id, "ware"]}) == {
            "field": label,
            "of": label,
            "fields": [label, "What to carry"],
        }
    for key in ("value", "choice", "item", "target", "open", "option", "options"):
        assert reworded({key: ["ale", "tours*2", "go", "rye"]}) == {key: ["A cask of ale", "Tours*2", "Go out", "rye"]}

    def card(id: str) -> str:
        return f"the card {id}" if id == "c9" else ""

    assert reworded({"value": "c9*3", "open": ["c8", "ale"]}, card) == {
        "value": "the card c9*3",
        "open": ["c8", "A cask of ale"],
    }
    kept: dict[str, object] = {"n": 3, "shape": "ale", "id": "go", "value": 4}
    assert reworded(kept) == kept
    inner = {"code": "ask.not_that", "facts": {"field": "ware", "value": "ale", "n": "ale"}}
    outer = {"code": "ask.not_that", "facts": {"field": "What to carry", "value": "A cask of ale", "n": "ale"}}
    assert reworded({"reason": inner, "other": {"field": "ware"}}) == {"reason": outer, "other": {"field": "ware"}}


def test_other_refusals_are_said_as_they_are() -> None:
    for told in (Message("fair.five", {"field": "ware"}), plain("ask. ware")):
        refused = NotUnderstood(told)
        assert worded(FORM, refused, lambda _: "x") is refused
    assert type(worded(FORM, NotUnderstood(Message("ask.x", {})), lambda _: "x")) is NotUnderstood


def test_what_binds_rows_together_is_said() -> None:
    rows = FORM.options[1].fields[1]
    assert isinstance(rows, RowsField)
    assert limits(rows) == "Knights: at most 5; Men-at-Arms: from 2 to 4; Hugh, Odo: each at most 1; Guy: from 1 to 3"
    assert limits(replace(rows, totals=[], shared=[])) == ""
    assert limits(replace(rows, totals=[])) == "Hugh, Odo: each at most 1; Guy: from 1 to 3"
    assert limits(replace(rows, shared=[])) == "Knights: at most 5; Men-at-Arms: from 2 to 4"


def test_a_single_row_has_no_limit_on_what_it_can_only_pick_once() -> None:
    brides = [FormChoice("ann", "Ann", 1, 0), FormChoice("bea", "Bea", 1, 0)]
    rows = RowsField("rows", "Proposals", [OneField("to", "Marries", brides, False)], 1, 1, [], [FormShared(["to"], brides)])
    assert limits(rows) == ""
    assert limits(replace(rows, most=2)) == "Ann, Bea: each at most 1"
    owed = [replace(brides[0], least=1), brides[1]]
    assert limits(replace(rows, shared=[FormShared(["to"], owed)])) == "Ann: exactly 1; Bea: at most 1"
    twice = [SomeField("to", "Marries", brides, 1, 2)]
    assert limits(replace(rows, fields=twice)) == "Ann, Bea: each at most 1"


def test_targets_stand_by_the_seat_that_each_names() -> None:
    def field(*ids: str) -> OneField:
        return OneField("target", "Target", [FormChoice(id, id, 1, 0) for id in ids], False)

    ids = ["siege:b:F1", "raid:b:F1", "tower:c", "b", "siege:c:F2"]
    found = by_seat(field(*ids), "abc", 4)
    assert [(seat, [c.id for c in choices]) for seat, choices in found] == [
        ("b", ["siege:b:F1", "raid:b:F1", "b"]),
        ("c", ["tower:c", "siege:c:F2"]),
    ]
    assert by_seat(field(*ids), "abc", 5) == [], "few enough to stand in one line"
    assert by_seat(field(*ids, "vikings"), "abc", 4) == [], "one that names no seat would be lost"
    assert by_seat(field("siege:b:F1", "raid:b:F1"), "abc", 1) == [], "nothing to tell apart"


def test_pairs_are_said_in_words_and_what_the_form_lacks_by_its_id() -> None:
    ale, bob = FormChoice("ale", "Ale", 1, 0), FormChoice("b", "Bob", 1, 0)
    to = AssignField("to", "To whom", [ale], [bob], True, False)
    assert picked(to, {"ale": "b", "ink": "c"}) == "Ale → Bob, ink → c"
    assert picked(to, {}) == ""


CELLS = RowsField(
    "moves",
    "Who goes where",
    [
        OneField("to", "Where to", [FormChoice("tours", "Tours", 1, 0)], False),
        SomeField("who", "Who", [FormChoice("x", "Hugh", 1, 0)], 0, 1),
        OrderField("order", "In which order", [FormChoice("x", "Hugh", 1, 0)]),
        AssignField("under", "Under whom", [FormChoice("x", "Hugh", 1, 0)], [FormChoice("y", "Odo", 1, 0)], False, False),
        NumberField("knights", "Knights", 0, 5, 0, False),
    ],
    0,
    2,
    [],
    [],
)


def test_a_row_is_written_with_dots_for_what_is_to_be_filled_in() -> None:
    assert row_pattern(CELLS) == "to=… who=[…] order=[…] under={…>…} knights=…"


def test_everything_that_can_be_named_in_a_row_is_found_there() -> None:
    assert [c.id for c in choices_of(CELLS)] == ["tours", "x", "x", "x", "y"]


def test_what_rows_share_is_called_as_their_option_calls_it() -> None:
    """A label may depend on the option: what is sent and what is left behind have words of their own."""
    who = (Choice("x"), Choice("y"))
    rows = Rows("moves", (PickSome("who", who, 0, 2),), 0, 2, shared=(Shared(("who",), who),))
    ask = Ask("a", "bid", (Option("go", (rows,)), Option("leave", (rows,))), Answer("leave"))
    words = dataclasses.replace(FAIR.words.labels, choice=lambda _ask, option, field, id, _names: f"{option} {field} {id}")
    form = describe(dataclasses.replace(FAIR, words=dataclasses.replace(FAIR.words, labels=words)), ask, NAMES, 7)
    for option in form.options:
        (field,) = option.fields
        assert isinstance(field, RowsField) and field.shared == [
            FormShared(["who"], [FormChoice(id, f"{option.id} who {id}", 1, 0) for id in "xy"])
        ]


MONTHS = [FormChoice(f"m{n}", f"Month {n}", 1, 0) for n in range(1, 13)]
DAY: list[FormField] = [
    NumberField("day", "Day", 1, 31, 1, False),
    OneField("month", "Month", MONTHS, False),
    NumberField("year", "Year", 2026, 2030, 2026, False),
]


def test_a_day_of_the_calendar_is_put_together_and_taken_apart() -> None:
    until = FormOption("until", "Until", False, DAY)
    assert is_dated(until)
    assert not is_dated(FormOption("until", "Until", False, DAY[:2])) and not is_dated(FormOption("x", "x", False, []))
    eleven = OneField("month", "Month", MONTHS[:11], False)
    assert not is_dated(FormOption("until", "Until", False, [DAY[0], eleven, DAY[2]]))
    assert apart(until, "2026-12-04") == {"day": 4, "month": "m12", "year": 2026}
    assert day_of(until, {"day": 4, "month": "m12", "year": 2026}) == "2026-12-04"
    assert day_of(until, {"day": "4", "month": "m1", "year": "2027"}) == "2027-01-04"
    values: list[dict[str, Value]] = [
        {"day": 4, "month": "m12"},
        {"day": 4, "year": 2026},
        {"day": "", "month": "m1", "year": 9},
    ]
    for value in (*values, {}):
        assert day_of(until, value) == ""


class Words(Catalogue):
    """A catalogue that words whatever it is asked for, but for one thing."""

    def text(self, section: str, key: str, *_facts: Any) -> str:
        return f"{section} {key}"

    def has(self, section: str, key: str) -> bool:
        return (section, key) == ("verb", "march")


def test_an_order_is_worded_by_its_id_its_options_and_its_fields() -> None:
    labels = order_labels(
        Words("engine"), lambda ask, name: f"{ask.rule} {name}", lambda name, id, names: f"{name} {id} {names['a']}"
    )
    ask = Ask("a", "t_01", (Option("on"),), Answer("on"), "T-01")
    assert labels.title(ask, NAMES) == "title T-01" and labels.option(ask, "on", NAMES) == "option on"
    assert labels.field(ask, "on", "cards", NAMES) == "T-01 cards"
    assert labels.choice(ask, "on", "cards", "x", NAMES) == "cards x Ann"


def test_a_label_is_short_where_the_catalogue_has_a_word_for_it() -> None:
    assert shortened(Words("engine"))("march") == "verb march" and shortened(Words("engine"))("call") == ""


def test_what_can_not_be_done_now_is_said_with_what_hinders_it() -> None:
    ask = Ask("a", "bid", (Option("pass"), Option("bid")), Answer("pass"), "T-01", {"round": 2})
    words = dataclasses.replace(
        FAIR.words.labels,
        title=lambda ask, names: f"{names[ask.seat]}, bid!",
        heading=lambda ask, names: f"Bid as {names[ask.seat]}",
        option=lambda ask, option, names: f"{option} of {ask.kind} by {names[ask.seat]}",
        short=lambda option: {"bid": "Bid!", "sell": "Sell!"}.get(option, ""),
    )
    game = dataclasses.replace(FAIR, words=dataclasses.replace(FAIR.words, labels=words))
    lacks = say("exchange.lacks", seat="b", what="coin", n=3, has=1)
    shut = [Shut("sell", "pass", lacks), Shut("call", "", plain("Nobody is there."))]
    found = hindered(game, ask, shut, NAMES)
    assert found == [
        FormShut("sell", "sell of bid by Ann", lacks.text(NAMES), "pass", "Sell!"),
        FormShut("call", "call of bid by Ann", "Nobody is there.", ""),
    ]
    assert "Bob" in found[0].why
    form = describe(game, ask, NAMES, 3)
    assert (form.title, form.heading) == ("Ann, bid!", "Bid as Ann")
    assert form.options == [
        FormOption("pass", "pass of bid by Ann", False, []),
        FormOption("bid", "bid of bid by Ann", False, [], short="Bid!"),
    ]
    assert form.option("bid") == form.options[1] and form.option("sell") is None
    assert [verb.id for verb in form.verbs()] == ["pass", "bid"]
    assert [verb.id for verb in replace(form, shut=[*found, FormShut("wait", "Wait", "", "sell")]).verbs()] == [
        "call",
        "pass",
        "sell",
        "wait",
        "bid",
    ]
    assert describe(FAIR, ask, NAMES, 3).heading is UNSET


def test_labels_of_rows_are_those_of_their_option() -> None:
    gift = (PickOne("to", choices("b")), Number("coins", 1, 3))
    rows = Rows("gifts", gift, 1, 2, (Total("coins", 4, 1),), (Shared(("to",), (Choice("b", 2, 1),)),))
    ask = Ask("a", "share", (Option("split", (rows,)), Option("keep", (Number("n", 0, 4, 2),), rest=7)), Answer("keep"), "T-02")
    words = dataclasses.replace(
        FAIR.words.labels,
        field=lambda ask, option, field, names: f"{field} of {option} for {names[ask.seat]}",
        choice=lambda ask, option, field, id, names: f"{names[id]} in {field} of {option} ({ask.rule})",
    )
    split, keep = describe(
        dataclasses.replace(FAIR, words=dataclasses.replace(FAIR.words, labels=words)), ask, NAMES, 3
    ).options
    assert split.fields == [
        RowsField(
            "gifts",
            "gifts of split for Ann",
            [
                OneField("to", "to of split for Ann", [FormChoice("b", "Bob in to of split (T-02)", 1, 0)], False),
                NumberField("coins", "coins of split for Ann", 1, 3, 1, False),
            ],
            1,
            2,
            [FormTotal("coins", "coins of split for Ann", 1, 4)],
            [FormShared(["to"], [FormChoice("b", "Bob in to of split (T-02)", 2, 1)])],
        )
    ]
    assert keep.rest == Rest(7, "rest of keep for Ann") and keep.fields == [
        NumberField("n", "n of keep for Ann", 0, 4, 2, True)
    ]


def test_a_label_and_what_belongs_to_it_stand_alone_where_the_other_is_empty() -> None:
    assert [with_parts("Go", ["ale", "2"]), with_parts("Go", []), with_parts("", ["ale"]), with_parts("", [])] == [
        "Go: ale; 2",
        "Go",
        "ale",
        "",
    ]


def test_rows_are_said_one_by_one_and_ids_as_they_are() -> None:
    tours: Row = {"to": "tours", "who": ["x", "x", "y"], "knights": 3}
    none: Row = {"knights": 0}
    assert picked(CELLS, [tours, none]) == ("1. Where to: Tours, Who: 2 × Hugh, y, Knights: 3; 2. Knights: 0")
    assert picked(CELLS, "tours") == picked(CELLS, ["tours"]) == ""
    assert picked(CELLS.fields[4], 4) == "4" and picked(CELLS.fields[0], "blois") == "blois"
