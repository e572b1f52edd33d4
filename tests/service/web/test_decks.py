"""House decks, decks of one's own, the form that builds them."""

from __future__ import annotations

import re

import pytest

from engine.ortus.rules.pieces import KINDS
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import DECK


def deck_path(owner: Visitor) -> str:
    found = re.search(r'href="(/decks/[0-9a-f]{32})"', owner.page("/decks"))
    assert found is not None
    return found[1]


def test_house_decks_are_shown_to_all(anna: Visitor, app: object) -> None:
    page = anna.page("/decks")
    for name in ("The Steward", "The Marshal", "The Schemer", "The Pilgrim", "The Pretender", "The Northman"):
        assert name in page
    assert 'value="5"' in anna.page("/decks/new?from=marshal"), "the form starts from the house deck"
    assert anna.get("/decks/new?from=nothing").status_code == 404
    assert anna.get("/decks/new?from=marshal&from=steward").status_code == 400


def test_the_form_has_a_labelled_field_for_each_of_the_fifteen_types(anna: Visitor) -> None:
    page = anna.page("/decks/new")
    for kind in KINDS:
        assert f'for="deck-{kind}"' in page and f'name="{kind}"' in page


def test_a_deck_is_kept_changed_renamed_and_deleted(anna: Visitor) -> None:
    anna.post("/decks/new", DECK | {"name": "First"})
    path = deck_path(anna)
    anna.post(path, DECK | {"name": "First", "Land": "2", "Monk": "2"})
    assert 'id="deck-Monk" name="Monk" min="0" max="6" step="1" value="2"' in anna.page(path)
    anna.post(path, DECK | {"name": "Second"})
    page = anna.page("/decks")
    assert "Second" in page and ">First<" not in page
    assert anna.get(path).status_code == 404
    anna.post(deck_path(anna) + "/delete")
    assert "None yet" in anna.page("/decks")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Land": "2"}, "23"),
        ({"Land": "4"}, "25"),
        ({"Vassal": "7", "Castle": "0", "Land": "2"}, "7 of Vassal"),
        ({"Land": "-3"}, "whole number"),
        ({"Land": "3.0"}, "whole number"),
        ({"Land": "٣"}, "whole number"),
        ({"Land": "9999"}, "whole number"),
        ({"name": ""}, "name of the deck is empty"),
        ({"name": "x" * 41}, "41 characters"),
    ],
)
def test_a_deck_that_is_none_gets_a_sentence_and_keeps_what_was_typed(
    anna: Visitor, change: dict[str, object], words: str
) -> None:
    found = anna.post("/decks/new", DECK | {"name": "Mine"} | change)
    assert found.status_code == 422
    assert words in found.text and 'role="alert"' in found.text
    assert 'name="Prince" min="0" max="6" step="1" value="2"' in found.text
    assert "None yet" in anna.page("/decks")


def test_a_deck_is_added_up_without_keeping_it(anna: Visitor) -> None:
    for change, said in (
        ({}, "24 of 24 cards: the deck is full."),
        ({"Land": "2"}, "23 of 24 cards: 1 to go."),
        ({"Land": "9"}, "30 of 24 cards: 6 too many. Land: 6 at most."),
    ):
        found = anna.post("/decks/new", DECK | {"name": "Mine", "game": "ortus", "sum": "1"} | change)
        assert found.status_code == 200 and 'role="alert"' not in found.text
        assert said in " ".join(found.text.split()) and 'value="Mine"' in found.text
    found = anna.post("/decks/new", DECK | {"name": "Mine", "sum": "1", "Land": "x"})
    assert found.status_code == 422 and "whole number" in found.text
    assert "None yet" in anna.page("/decks")


def test_decks_are_their_owner_s_alone(anna: Visitor, bert: Visitor) -> None:
    anna.post("/decks/new", DECK | {"name": "Secret plan"})
    path = deck_path(anna)
    for found in (bert.get(path), bert.post(path, DECK | {"name": "x"}), bert.post(path + "/delete")):
        assert found.status_code == 404 and "Secret plan" not in found.text
    assert "Secret plan" in anna.page("/decks")
