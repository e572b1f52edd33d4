"""Ids that are made of parts: what is written is read back as the same parts."""

from __future__ import annotations

import pytest

from engine.core.asked import order_kind
from engine.mastery.rules import ids
from engine.mastery.rules.ids import Id


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (ids.knights_in("C2"), Id("in", of="C2")),
        (ids.knights_in("D12"), Id("in", of="D12")),
        (ids.without("Rage"), Id("without", of="rage")),
        ("defend_3", Id("defend_3")),
        ("target", Id("target")),
        ("first", Id("first")),
        ("_2", Id("_2")),
    ],
)
def test_names_of_fields_are_read_as_they_are_written(name: str, parts: Id) -> None:
    assert ids.read_field(name) == parts


@pytest.mark.parametrize(
    ("choice", "parts"),
    [
        (ids.lord("b"), Id("lord", of="b")),
        (ids.amount("knights", 3), Id("knights", n=3)),
        (ids.amount("points", 12), Id("points", n=12)),
        (ids.amount("turns", 10), Id("turns", n=10)),
        (ids.amount("value", 2), Id("value", n=2)),
        (ids.teams(3), Id("teams", n=3)),
        ("pass", Id("pass")),
        ("vacant", Id("vacant")),
        ("", Id("")),
    ],
)
def test_choices_are_read_as_they_are_written(choice: str, parts: Id) -> None:
    assert ids.read_choice(choice) == parts


@pytest.mark.parametrize(
    ("id", "kind"),
    [
        (ids.order(ids.FRACTURES, "crown"), "sto_1_crown"),
        (ids.order(ids.DISCARDS, "tile"), "sto_5_tile"),
        (ids.ALLIES, "sto_10"),
        (ids.IN_FORCE, "sto_8+"),
    ],
)
def test_an_order_is_set_by_an_ask_named_after_it(id: str, kind: str) -> None:
    assert order_kind(id) == kind


def test_labels_are_sorted_by_row_and_place() -> None:
    labels = ["D12", "A10", "A2", "B1"]
    assert sorted(labels, key=ids.by_label) == ["A2", "A10", "B1", "D12"]
    assert all(map(ids.is_label, labels)) and not any(map(ids.is_label, ("", "A", "a1", "A123", "1A", "A1 ", "A²", "Ä1")))


def test_things_of_the_data_file_have_ids_of_their_own() -> None:
    assert (ids.camel("CALL_TO_ARMS"), ids.camel("CONFLICT_5"), ids.of_artefact("CROWN_FURY")) == (
        *("CallToArms", "Conflict5", "Fury"),
    )


def test_the_use_of_an_artefact_has_an_id() -> None:
    assert ids.use("Rage") == "use:Rage" and ids.read_use("use:Rage") == "Rage" and ids.read_use("Rage") == ""


def test_what_an_id_is_made_of_may_have_the_sign_that_parts_it() -> None:
    assert ids.of_artefact("ORB_OLD_OAK") == "OldOak"
    assert ids.by_label("B") == ("B", 0), "what is no label is sorted by its text"
