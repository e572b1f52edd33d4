"""Standing orders in general: settings that are refused, and the dry run."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date

import pytest

from engine.core.asks import Answer, NotUnderstood, read
from engine.core.chance import Chance
from engine.games import game_called
from engine.play import orders
from engine.ui.forms import choices_of, describe
from tests.contract.walk import fresh, header_for, walk
from tests.ortus.scene import Scene

GAME = game_called("ortus")


def test_an_order_that_does_not_exist_is_refused_with_its_name() -> None:
    with pytest.raises(NotUnderstood, match="no standing order “SO-99”"):
        orders.check(GAME, fresh(GAME, 2, 1).state, "a", "SO-99", Answer("on"))


def test_a_dry_run_counts_the_same_twice_and_tells_who_would_have_been_asked_less() -> None:
    match = fresh(GAME, 3, 5)
    for _ in walk(match, random.Random(5), taken=0, stop=200):
        pass
    header, seed = header_for(GAME, 3, 5)
    none = orders.dry_run(header, seed, match.entries, "a", {})
    some = orders.dry_run(header, seed, match.entries, "a", orders.preset(GAME))
    assert none.asked == some.asked > 0 and none.left > some.left
    assert some == orders.dry_run(header, seed, match.entries, "a", orders.preset(GAME))


def test_a_dry_run_counts_from_the_entry_it_is_told() -> None:
    match = fresh(GAME, 3, 5)
    for _ in walk(match, random.Random(5), taken=0, stop=200):
        pass
    header, seed = header_for(GAME, 3, 5)
    assert orders.dry_run(header, seed, match.entries, "a", {}, since=len(match.entries) + 1) == orders.DryRun(0, 0)


def test_the_words_of_an_order_are_those_of_its_own_fields() -> None:
    form = {a.rule: describe(GAME, a, {}, 0) for a in GAME.orders.asks(Scene("a.hand: Land").state, "a")}
    armies = [f.label for id in ("SO-02", "SO-09") for f in form[id].options[1].fields if f.name == "armies"]
    assert armies == ["Army Cards", "Army Cards"]
    (first,) = [f for f in form["SO-09"].options[1].fields if f.name == "give_order"]
    assert (first.label, choices_of(first)[0].label) == ("Properties, the first to go first", "Church")


def test_an_order_calls_the_others_by_their_names() -> None:
    state = Scene("a.hand: Land").state
    (form,) = (describe(GAME, a, {"b": "Bert"}, 0) for a in GAME.orders.asks(state, "a") if a.rule == "SO-12")
    named = {c.id: c.label for f in form.options[2].fields for c in choices_of(f)}
    assert named["earl:b"] == "Bert" and named["any"] == "any"


def test_what_the_house_answers_is_its_own_until_its_owner_sets_the_order_that_answers() -> None:
    """SO-06 stands at free absorbers when a game begins: a Hand Champion takes the damage, and nobody is asked."""
    text = "a.F1: Palace (-) {}\na.hand: Champion\na.M1: Mercenary (-)\na.M2: Mercenary (-)\nb.F1: Palace (Vassal) {}\n"
    s = Scene(text + "battle: NB\n").play(
        "a: attack target=siege:b:F1 hand=[Champion/a] others=[mercenary:1,mercenary:2]", "b: field lords=[lord:F1]"
    )
    assert s.step == "attacker_hits"
    found = orders.answer(GAME, s.state, "a", {}, Chance("x"))
    assert found == Answer("hit", {"cards": ["hand:Champion/a"]})
    assert orders.of_house(GAME, s.state, "a", {}, found, "x")
    assert orders.of_house(GAME, s.state, "a", {"SO-01": "on", "SO-16": "on levy=Knight"}, found, "x")
    assert not orders.of_house(GAME, s.state, "a", {"SO-06": "on damage=free"}, found, "x"), "it is set, be it to the same"
    assert not orders.of_house(GAME, s.state, "a", {}, Answer("hit", {"cards": ["mercenary:1"]}), "x")


@pytest.mark.parametrize("name", ["ortus", "mastery", "fief"])
def test_who_wants_to_be_asked_everything_is_and_the_house_answers_nothing(name: str) -> None:
    game = game_called(name)
    match, by_house = fresh(game, 3, 6), 0
    asking = {
        seat: {
            id: orders.check(game, match.state, seat, id, read(order))
            for id, order in orders.asking(game, match.state, seat).items()
        }
        for seat in "abc"
    }
    assert all(asking.values())
    for _ in walk(match, random.Random(6), taken=0, stop=400):
        for seat in match.state.waiting:
            by_house += orders.answer(game, match.state, seat, {}, Chance("x")) is not None
            assert orders.answer(game, match.state, seat, asking[seat], Chance("x")) is None, match.state.stack[-1].step
    assert by_house, "without these settings the house does answer some"


def test_an_order_holds_through_its_last_day() -> None:
    def last_day(id: str, order: Answer) -> date | None:
        return date(2026, 3, 9) if (id, order) == ("SO-01", Answer("on")) else None

    game = replace(GAME, orders=replace(GAME.orders, last_day=last_day))
    kept = {"SO-01": "on", "SO-08": "on as_neither=NB"}
    assert orders.of_day(game, kept, date(2026, 3, 9)) == orders.of_day(GAME, kept, date(2030, 1, 1)) == kept
    assert orders.of_day(game, kept, date(2026, 3, 10)) == {"SO-08": "on as_neither=NB"}
