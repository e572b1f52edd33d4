"""Forms: asks as plain data with words."""

from __future__ import annotations

import json

from engine import procedure
from engine.asks import Answer, Ask, Assign, Choice, Number, Option, Order, PickOne, PickSome, choices
from engine.forms import NumberField, OneField, describe, picked, read_form, said, schema, stored
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
    assert read_form(json.loads(json.dumps(form))) == described


def test_the_form_of_an_open_ask_answers_it() -> None:
    from engine.chance import Chance
    from tests.toy_game import setup

    state = setup(["a", "b"], {}, Chance("form"))
    procedure.begin(state)
    form = describe(FAIR, procedure.ask_of(state, "a"), NAMES, state.serial)
    number, ware = form.options[1].fields
    assert isinstance(number, NumberField) and isinstance(ware, OneField)
    answer = Answer(form.options[1].id, {number.name: number.most, ware.name: ware.choices[0].id})
    assert procedure.vet(state, "a", answer) == answer


def test_a_form_has_a_schema_and_every_type_of_field_its_own() -> None:
    found = schema()
    assert found["$ref"] == "#/$defs/Form"
    fields = found["$defs"]["FormOption"]["properties"]["fields"]["items"]
    assert sorted(fields["discriminator"]["mapping"]) == ["assign", "number", "one", "order", "rows", "some"]
    assert found["$defs"]["NumberField"]["required"] == ["type", "name", "label", "least", "most", "usual", "share"]


def test_a_form_keeps_what_was_added_to_it_and_the_rest_of_shared_numbers() -> None:
    ask = Ask("a", "bid", (Option("go", (Number("n", 0, 9, 2),), rest=4),), Answer("go"))
    form = stored(describe(FAIR, ask, NAMES, 7))
    assert form["options"][0]["rest"] == {"now": 4, "label": "Rest"} and "fate" not in form
    again = read_form({**form, "fate": "You lose."})
    assert again.fate == "You lose." and again.options[0].rest


def test_an_answer_is_said_in_the_words_of_its_form() -> None:
    fields = (
        PickSome("wares", (Choice("ale", 3),), 0, 3),
        Assign("to", choices(["x", "y"]), choices(["b"])),
        Number("n", 0, 9),
    )
    form = describe(FAIR, Ask("a", "bid", (Option("go", fields),), Answer("go")), NAMES, 7)
    answer = Answer("go", {"wares": ["ale", "ale", "rye"], "to": {"x": "b", "y": "c"}, "n": 4})
    assert said(form, answer) == "Go: 2 × ale, rye; x → Bob, y → c; 4"
    assert said(form, Answer("go")) == "Go" and said(form, Answer("stay", {"n": 1})) == "stay n=1"
    assert picked(form.options[0].fields[0], []) == ""
