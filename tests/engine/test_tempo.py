"""`writ tempo`: how waits are counted, and what is printed."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner

from engine.games import game_called
from engine.tools import tempo
from engine.tools.tempo import Spans
from service.ops.cli import main


def test_successive_asks_to_the_same_seat_are_one_wait() -> None:
    waits = tempo._Waits()
    assert [waits.new(who, "") for who in (("a",), ("a",), ("b",), ("b", "c"), ("a",))] == [True, False, True, True, True]


def test_an_own_turn_is_one_wait_however_often_it_is_taken_up_again() -> None:
    waits = tempo._Waits()
    seen = [waits.new(*x) for x in ((("a",), "a 1"), (("b",), ""), (("a",), "a 1"), (("b",), ""), (("a",), "a 2"))]
    assert seen == [True, True, False, True, True]


def test_the_preset_never_makes_a_table_wait_more_and_the_same_seed_measures_the_same() -> None:
    game = game_called("ortus")
    found: dict[str, Any] = tempo.run(game, 3, 1, "tests").as_dict()
    assert found == tempo.run(game, 3, 1, "tests").as_dict()
    assert found["waits_per_turn_preset"] <= found["waits_per_turn"]
    assert found["asks_per_turn_preset"] <= found["asks_per_turn"]


def test_the_command_prints_one_line_of_json() -> None:
    args = ["tempo", "--game", "ortus", "--seats", "2", "--games", "2", "--bots", "steady,steady", "--pace", "quick"]
    ran = CliRunner().invoke(main, args)
    assert ran.exit_code == 0 and ran.output.count("\n") == 1
    found = json.loads(ran.output)
    figures = {"asks_per_turn", "waits_per_turn", "asks_per_game", "waits_per_game", "rounds_per_game", "days_per_game"}
    assert {figure + way for figure in figures for way in ("", "_preset", "_advance")} <= found.keys()
    assert found["days_median"] == found["days_per_game"]  # of two games
    assert (found["bots"], found["pace"]) == (["steady", "steady"], "quick")
    assert found["waits_per_game_preset"] >= found["rounds_per_game_preset"] > 0


def test_a_bot_that_there_is_not_is_refused_with_a_sentence() -> None:
    ran = CliRunner().invoke(main, ["tempo", "--games", "1", "--bots", "nobody"])
    assert ran.exit_code and "steady" in ran.output + str(ran.exception)


# --- the people -------------------------------------------------------------------------------------------------------


def test_the_zones_stand_round_the_table_by_chance_and_none_is_there_more_often() -> None:
    """Were it always one way round, every game would be measured at three turns a day, or every one at six."""
    orders = {tuple(tempo.zones_of("abcdef", f"game {n}").values()) for n in range(20)}
    assert len(orders) > 10
    assert all(order.count(zone) == 2 for order in orders for zone in tempo.ZONES)
    assert tempo.zones_of("abcdef", "game") == tempo.zones_of("abcdef", "game")


def test_people_answer_when_they_read_their_mail_and_a_visit_goes_on() -> None:
    people = tempo.People("abc", Spans(), 0.0, "reading")
    assert tempo.zones_of("abc", "reading") == {"a": 0, "b": -6, "c": 9}
    assert not people.wait_for("a", turn=True)
    assert 7 <= people.now <= 8  # the first mail of the day, in a's zone
    before = people.now
    people.wait_for("a", turn=True)
    assert people.now == before
    people.wait_for("b", turn=True)  # six hours behind
    assert 13 <= people.now <= 14


def test_those_who_are_asked_together_are_waited_for_once() -> None:
    people = tempo.People("abc", Spans(), 0.0, "mail")
    people.wait_for("abc", turn=True)
    alone = [tempo.People("abc", Spans(), 0.0, "mail") for _ in "abc"]
    for one, seat in zip(alone, "abc", strict=True):
        one.wait_for(seat, turn=True)
    assert people.now <= max(one.now for one in alone) + 1


def test_who_misses_a_question_is_waited_for_until_it_falls() -> None:
    for span, turn in ((25.0, True), (13.0, False)):
        people = tempo.People("a", Spans(), 1.0, "mail")
        people.now = 10.0
        assert people.wait_for("a", turn) == {"a"}
        assert people.now == 10.0 + span or (people.now - 1) % 24 == tempo.QUIET[1]


def test_a_missed_question_falls_in_nobodys_sleep() -> None:
    """The deadline doesn't, and neither does the end of the grace and the time bank after it."""
    for began in range(24):
        people = tempo.People("a", Spans(), 1.0, "asleep")
        (zone,) = tempo.zones_of("a", "asleep").values()
        people.now = float(began)
        people.wait_for("a", turn=False)
        assert tempo.QUIET[1] <= (people.now + zone) % 24 < tempo.QUIET[0]


def test_time_that_is_saved_is_waited_for_later() -> None:
    people = tempo.People("a", Spans(bank=24.0, saved=1.0), 0.0, "mail")
    people.wait_for("a", turn=True)
    people.now += 1
    people.missing = 1.0
    began = people.now
    people.wait_for("a", turn=True)
    assert people.now - began > 25 + 15


def test_a_turn_that_is_missed_is_played_by_the_clock() -> None:
    """Nobody reads any mail: every Turn ends by its default, and the decks run out."""
    tally = tempo.run(game_called("ortus"), 2, 1, "asleep", missing=1.0).plain
    assert tally.rounds == [20] and tally.hostile == 0
    assert tally.days[0] >= 20
