"""What a board says of a view, part by part, and what a map of hexes is as letters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.core.asks import Answer, Ask, Option
from engine.core.views import Event
from engine.game import DERIVED
from engine.language.words import Catalogue, Missing
from engine.mastery import MASTERY
from engine.text import telling
from engine.ui.boards import Part, board, hexes_as_text
from tests.toy_game import FAIR

NAMES = {"a": "Anna", "b": "Bert", "c": "Cleo"}
VIEW: dict[str, Any] = {
    "game": "fair",
    "seat": "b",
    "outcome": None,
    "pot": 0,
    "bank": "",
    "called": False,
    "married": True,
    "to": ["a", "c"],
    "by": "c",
    "shown": [],
    "purses": {"a": 3, "b": 2},
    "round": None,
    "stock": {"wares": 4, "ale": ["ale", "furs"]},
    "doing": [{"what": "suits", "by": "a", "to": "b"}, {"what": "called"}],
    "own": {"wares": ["ale", "ink"], "coins": 5},
    "keepers": [{"seat": "c", "coins": 1, "called": True}, {"seat": "a", "coins": 2, "shown": ["dyes"]}],
}


def test_a_board_has_a_part_for_oneself_for_what_is_under_way_for_the_table_and_for_the_others() -> None:
    assert board(FAIR, VIEW, NAMES) == [
        Part("Bert (you)", [("Purses", "2"), ("Wares", "ale, ink"), ("Coins", "5")]),
        Part("Suits", [("By", "Anna"), ("To", "Bert")]),
        Part(
            "The table",
            [
                ("The stakes", "0"),
                ("Has called a game of dice", "no"),
                ("Matches made", "yes"),
                ("To", "Anna, Cleo"),
                ("By", "Cleo"),
                ("Shown", "nothing"),
                ("Wares in stock", "Wares: 4; ale: ale, furs"),
            ],
        ),
        Part("Anna", [("Purses", "3"), ("Coins", "2"), ("Shown", "dyes")]),
        Part("Cleo", [("Coins", "1"), ("Has called a game of dice", "yes")]),
    ]


def test_a_spectators_board_is_in_the_order_of_the_table_and_names_nobody_as_the_reader() -> None:
    seen = {"game": "fair", "seat": None, "keepers": VIEW["keepers"], "stock": {"a": None, "wares": [None, 2, True]}}
    assert [part.title for part in board(FAIR, seen, NAMES)] == ["The table", "Anna", "Cleo"]
    assert board(FAIR, seen, NAMES)[0].lines == [("Wares in stock", "Anna: nothing; Wares: nothing, 2, yes")]
    with pytest.raises(Missing):
        board(FAIR, {"game": "fair", "seat": None, "dragons": 1}, NAMES)


def test_cards_are_called_as_the_game_calls_them_in_the_place_where_they_lie() -> None:
    called = replace(
        FAIR, words=replace(FAIR.words, word=lambda id, names, home: f"{id} of {names.get(home, 'nobody')}", listed=DERIVED)
    )
    assert board(called, {"seat": "a", "own": {"wares": ["ale"], "shown": {"ale": "ink"}}, "pot": "ale"}, NAMES) == [
        Part("Anna (you)", [("Wares", "ale of Anna"), ("Shown", "ale of Anna: ink of Anna")]),
        Part("The table", [("The stakes", "ale of nobody")]),
    ]
    mapped = {"seat": "a", "keepers": {"b": {"seat": "b", "wares": ["ale"]}}}
    assert board(called, mapped, {"b": "Bert"}) == [Part("Bert", [("Wares", "ale of Bert")])]


def test_a_card_is_called_by_its_entry_and_by_its_id_without_one() -> None:
    word = telling.by_id(MASTERY.words.catalogue)
    assert [word(id, {}, "") for id in ("Conflict2", "Dragon")] == ["Conflict 2", "Dragon"]


STALL = """
[ask]
bid = "{seat:seat} bids {n} for what?"
sell = "{seat:seat} sells."
[heading]
bid = "Bid, {seat:seat}: {n}"
[option]
buy = "{seat:seat} buys {n}"
[field]
ware = "{n} wares of {seat:seat}"
[choice]
all = "All {n} of {seat:seat}"
[kind]
ale = "{n} cask of ale"
"""


def test_labels_are_the_entries_of_a_catalogue_with_what_the_ask_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stall" / "lore").mkdir(parents=True)
    (tmp_path / "stall" / "__init__.py").touch()
    (tmp_path / "stall" / "lore" / "words.en.toml").write_text(
        STALL,
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    words = Catalogue("stall")
    found, ask = telling.labels(words, telling.by_id(words)), Ask("a", "bid", (Option("buy"),), Answer("buy"), "R-1", {"n": 3})
    assert found.title(ask, NAMES) == "Anna bids 3 for what?"
    assert found.heading(ask, NAMES) == "Bid, Anna: 3"
    assert (found.option(ask, "buy", NAMES), found.field(ask, "buy", "ware", NAMES)) == ("Anna buys 3", "3 wares of Anna")
    assert [found.choice(ask, "buy", "ware", id, NAMES) for id in ("all", "b", "ale", "oil")] == [
        "All 3 of Anna",
        "Bert",
        "1 cask of ale",
        "oil",
    ]
    quiet = Ask("b", "sell", (), Answer("buy"), "R-2", {"seat": "c"})
    assert (found.title(quiet, NAMES), found.heading(quiet, NAMES), found.short("buy")) == ("Cleo sells.", "", "")
    assert isinstance(found, telling.Catalogued)


def test_what_lies_at_somebodys_place_is_called_as_it_is_called_there() -> None:
    found = telling.labels(FAIR.words.catalogue, lambda id, names, home: f"{id} of {names[home]}")
    assert found.choice(Ask("b", "bid", (), Answer("x")), "buy", "ware", "ink", NAMES) == "ink of Bert"


def test_an_event_is_told_by_its_entry_with_its_facts_and_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "yard" / "lore").mkdir(parents=True)
    (tmp_path / "yard" / "__init__.py").touch()
    (tmp_path / "yard" / "lore" / "words.en.toml").write_text('[event]\nsold = "{seat:seat} has sold {n}."\n', "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert telling.teller(Catalogue("yard"))(Event("sold", {"seat": "b", "n": 2}), NAMES, None) == "Bert has sold 2."


def test_a_chapter_begins_where_the_words_have_a_heading_for_the_event() -> None:
    heading = telling.chapters(FAIR.words.catalogue)
    assert (heading(Event("opening", {"year": 1429})), heading(Event("closing", {}))) == ("The fair of 1429", "")


def test_a_map_of_hexes_is_letters_in_rows_that_are_shifted_by_half_a_hex() -> None:
    places = [{"q": 1, "r": 0}, {"q": 0, "r": 0}, {"q": -1, "r": 1}, {"q": 1, "r": 1}]
    told = hexes_as_text(places, lambda s: f"{s['q']},{s['r']}\nabcdefghijkl\n-")
    assert told == (
        "     0,0       1,0\n     abcdefghi abcdefghi\n     -         -\n\n"
        "-1,1                1,1\nabcdefghi           abcdefghi\n-                   -\n"
    )
    row = [{"q": q, "r": 0} for q in range(7)]
    assert hexes_as_text(row, lambda _: "\n\n") == (" " * 60 + "\n") * 3
    assert hexes_as_text([*row, {"q": 8, "r": -2}], lambda _: "\n\n") == ""
    edge = [*row, {"q": 6, "r": 1}]
    assert hexes_as_text(edge, lambda _: "x\n\n").splitlines()[-3:] == [" " * 65 + "x", " " * 65, " " * 65]


def test_a_map_is_shifted_to_its_leftmost_hex_and_a_name_to_its_own_width() -> None:
    assert hexes_as_text([{"q": 3, "r": 2}], lambda _: "Loches is long\n1\n") == "Loches is\n1\n\n"
    rows = [{"q": 0, "r": 2}, {"q": 1, "r": 0}, {"q": 2, "r": 0}]
    named = {(0, 2): "one\ntwo\nthree", (1, 0): "Angers\n\n5", (2, 0): "Tours\nx\n"}
    assert hexes_as_text(rows, lambda s: named[s["q"], s["r"]]) == (
        "Angers    Tours\n          x\n5         \n\none\ntwo\nthree\n"
    )


def test_what_is_under_way_and_does_not_say_what_is_called_by_the_name_of_its_place() -> None:
    with pytest.raises(Missing, match="doing"):
        board(FAIR, {"seat": "b", "doing": [{"by": "a"}]}, NAMES)
