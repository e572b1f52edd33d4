"""What every game has by itself: copies of its states, and the lists of cards that players build."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from engine.core.asks import Answer, Ask, NotLegal, NotUnderstood, Option, Value, write
from engine.core.chance import Chance
from engine.core.procedure import begin
from engine.game import DERIVED, Layout, Powers, Variants, choice_of, copy, labels_of, layout, options_of
from engine.games import GAMES, _Games, game_called, game_of_position
from engine.language import lore
from engine.ortus import ORTUS
from tests.toy_game import FAIR


def test_a_copy_of_a_state_is_equal_and_its_own() -> None:
    state = ORTUS.rules.setup(["a", "b"], {}, Chance("copy"))
    begin(state)
    other = copy(ORTUS, state)
    assert other == state
    other.table.earls["a"].hand.append("Land/a")
    assert other != state and "Land/a" not in state.table.earls["a"].hand


def test_a_list_of_cards_is_played_in_the_order_of_the_rules() -> None:
    build = ORTUS.rules.build
    assert build is not None
    assert write(build.answer({"Banner": 1, "Land": 2, "Dragon": 3})) == "deck cards=[Land*2,Banner]"
    assert {size: build.of_size(size).size for size in (22, 24, 23)} == {22: 22, 24: 24, 23: 24}
    sizes = {seat: found.size for seat in "ab" if (found := build.for_seat({}, seat)) is not None}
    assert sizes == {"a": 24, "b": 24}
    assert {sum(ready.cards.values()) for ready in build.all_ready} == {22, 24}


def test_a_game_without_optional_rules_has_one_way_to_be_played() -> None:
    assert Variants().ask(3) == Ask("", "variant", (Option("play"),), Answer("play"))


def test_a_game_is_made_when_it_is_first_asked_for_and_once() -> None:
    games = _Games({"ortus": "engine.ortus:ORTUS"})
    assert games["ortus"] is ORTUS and games["ortus"] is ORTUS


def test_the_table_of_games_is_a_mapping_of_those_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    games = _Games({"ortus": "engine.ortus:ORTUS"})
    games["other"] = ORTUS
    assert (list(games), len(games), "other" in games, "chess" in games) == (["ortus", "other"], 2, True, False)
    del games["other"]
    assert "other" not in games and games.get("other") is None


def test_a_game_is_called_by_its_name_and_a_version_that_it_has() -> None:
    assert game_called("ortus") is game_called("ortus", 1) is ORTUS
    for name, rules, told in (
        ("chess" * 20, None, f"There is no game called “{('chess' * 20)[:40]}”; there is: {', '.join(GAMES)}."),
        ("ortus", 0, "Ortus Regni has no rules version 0 here; this program plays all up to 1. Take a newer one."),
        ("ortus", 2, "Ortus Regni has no rules version 2 here; this program plays all up to 1. Take a newer one."),
    ):
        with pytest.raises(NotUnderstood) as refusal:
            game_called(name, rules)
        assert str(refusal.value) == told


def test_a_position_says_on_its_first_line_whose_it_is() -> None:
    assert game_of_position("\n  # mastery: 1\n ortus : 1 # fief\nfief: 1\n") is ORTUS
    for text, told in (
        ("# ortus: 1\n\n", "The text is empty; a position starts with a line such as `ortus: 1`."),
        ("seats: a b\nortus: 1\n", "There is no game called “seats”"),
    ):
        with pytest.raises(NotUnderstood) as refusal:
            game_of_position(text)
        assert str(refusal.value).startswith(told)


def test_what_a_choice_of_optional_rules_leaves_open_is_as_in_the_base_game() -> None:
    game = replace(FAIR, rules=replace(FAIR.rules, variants=replace(FAIR.rules.variants, bounded="play rounds=1")))
    cases: list[tuple[str, bool, dict[str, Value], dict[str, Any]]] = [
        ("", False, {"rounds": 3}, {}),
        ("", True, {"rounds": 1}, {"rounds": 1}),
        ("play rules=[poor]", False, {"rounds": 3, "rules": ["poor"]}, {"poor": True}),
        ("play rules=[poor]", True, {"rounds": 1, "rules": ["poor"]}, {"rounds": 1, "poor": True}),
        ("play rounds=2", True, {"rounds": 2}, {"rounds": 2}),
    ]
    for choice, aimless, values, options in cases:
        assert choice_of(game, 3, choice, aimless) == Answer("play", values)
        assert options_of(game, 3, choice, aimless) == options
    assert choice_of(game, 3, "") == Answer("play", {"rounds": 3}) and options_of(game, 3, "") == {}
    with pytest.raises(NotLegal, match="“start” is not open to you here"):
        choice_of(game, 3, "start rounds=2")


def test_an_order_is_labelled_by_its_book_where_that_has_labels() -> None:
    own = replace(FAIR.words.labels, title=lambda _ask, _names: "An order")
    game = replace(FAIR, orders=replace(FAIR.orders, sheet=replace(FAIR.orders.sheet, labels=own)))
    order, question = Ask("a", "order_trade", (), Answer("off")), Ask("a", "bid", (), Answer("pass"))
    assert (labels_of(game, order), labels_of(game, question)) == (own, FAIR.words.labels)
    assert labels_of(FAIR, order) is FAIR.words.labels


def test_cards_are_listed_by_their_names_or_as_the_game_lists_them() -> None:
    game = replace(
        FAIR, words=replace(FAIR.words, word=lambda id, names, home: f"{id} of {names.get(home, 'nobody')}", listed=DERIVED)
    )
    assert game.words.listed(["ale", "ink"], {"a": "Ann"}, "a") == "ale of Ann, ink of Ann"
    assert game.words.listed(["ale"], {"a": "Ann"}, "") == "ale of nobody"
    counted = replace(game, words=replace(game.words, listed=lambda ids, names, home: f"{len(list(ids))} of {names[home]}"))
    assert counted.words.listed(["ale", "ink"], {"a": "Ann"}, "a") == "2 of Ann"


def test_a_game_says_who_keeps_an_absent_seat_and_whether_anything_stands_open_beside_its_asks() -> None:
    assert FAIR.bots.steward == "random" and ORTUS.bots.steward == list(ORTUS.bots.players)[-1] != "random"
    plain = replace(FAIR, rules=replace(FAIR.rules, powers=Powers()))
    state = FAIR.rules.setup(["a", "b"], {}, Chance("x"))
    assert plain.rules.offerless and not FAIR.rules.offerless
    assert plain.rules.powers.open(state, "a") == [] and plain.words.note("bid", {"pass"}, 2) == ""
    with pytest.raises(NotLegal, match="“levy” is not open to you just now"):
        plain.rules.powers.use(state, "a", "levy", Answer("x"))


def test_a_note_of_a_first_match_speaks_of_no_option_that_cannot_be_chosen() -> None:
    note = ORTUS.words.note
    assert "found a Fief" in note("turn", {"castle", "end"}, 2) and "found" not in note("turn", {"place", "end"}, 2) != ""
    assert note("no_such_kind", {"castle"}, 2) == ""


def test_the_page_of_orders_is_laid_out_as_the_games_lore_says() -> None:
    laid = tomllib.loads(lore.text("engine.ortus", "orderbook.toml"))
    assert layout("engine.ortus") == Layout(**laid) != Layout()
