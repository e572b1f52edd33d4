"""Forms: asks as plain data with words."""

from __future__ import annotations

import json

from engine import procedure
from engine.asks import Answer, Ask, Assign, Choice, Number, Option, Order, PickOne, PickSome, choices
from engine.forms import describe
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
    form = describe(FAIR, ask, NAMES, 7)
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
    assert json.loads(json.dumps(form)) == form


def test_the_form_of_an_open_ask_answers_it() -> None:
    from engine.chance import Chance
    from tests.toy_game import setup

    state = setup(["a", "b"], {}, Chance("form"))
    procedure.begin(state)
    form = describe(FAIR, procedure.ask_of(state, "a"), NAMES, state.serial)
    number, ware = form["options"][1]["fields"]
    answer = Answer(form["options"][1]["id"], {number["name"]: number["most"], ware["name"]: ware["choices"][0]["id"]})
    assert procedure.vet(state, "a", answer) == answer
