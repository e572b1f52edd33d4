"""The story of a finished game: who led, what changed it, how it ended; for each reader, and cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from engine.core.views import Event
from engine.games import GAMES
from engine.play import ending
from engine.play.ending import Chapter, Course
from service.log import packing, results, story
from service.log.results import Standing
from service.log.story import Lead, leads, own_place, told_leads
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import EntryRow, EventRow, MatchStatus
from tests.service.conftest import Players

NAMES = {"a": "Alys", "b": "Bert", "c": "Cecily"}


def played(levels: Mapping[str, Sequence[int]]) -> Course:
    """A game of Ortus with these Fiefs at the end of each Round, which begins with the entry of its tenfold number."""
    n = len(levels["a"])
    earls = {seat: SimpleNamespace(alive=True, fiefs=[0] * own[-1]) for seat, own in levels.items()}
    state: Any = SimpleNamespace(table=SimpleNamespace(earls=earls, round=n))
    chapters = [Chapter(10 * (i + 1), Event("round", {"number": i + 1})) for i in range(n)]
    return Course(state, 10 * (n + 1), chapters, levels, [])


def row(n: int, kind: str, **facts: Any) -> EventRow:
    return EventRow(match_id="m", n=n, i=0, kind=kind, facts=facts, only_seats=None, but_seats=[])


def told(levels: Mapping[str, Sequence[int]], *rows: EventRow, reader: str = "c") -> story.Story:
    course = played(levels)
    chosen = story.decisive(GAMES["ortus"], course, rows)
    return story.story(GAMES["ortus"], course, [(one, NAMES) for one in chosen], NAMES, reader, "UTC")


def text(found: story.Story) -> list[str]:
    return [" ".join(one.words for one in paragraph) for paragraph in found.paragraphs]


def test_it_says_who_led_who_took_the_lead_and_how_it_ended() -> None:
    levels = {"a": [1, 3, 3, 2, 1], "b": [1, 1, 1, 3, 3], "c": [1, 1, 1, 0, 0]}
    fell = row(41, "removed", seat="c", how="anchors", to="b")
    end = row(58, "removed", seat="a", how="deck"), row(59, "won", seat="b")
    found = told(levels, row(24, "crowned", seat="a"), fell, *end)
    assert found.ending == "Bert won: all other Earls are out."
    assert text(found) == [
        "Alys led from Round 2 to Round 3, at best with 3 Fiefs. Alys became King! All displayed Banners are gone.",
        "In Round 4 Bert took the lead and kept it. Cecily had no Castle or Palace left and is out of the game.",
        "Alys had no card left to draw and is out of the game.",
    ]
    assert [(one.n, one.chapter) for one in found.turns] == [(24, 1), (41, 3), (58, 4)]
    assert found.short == text(found), "a letter has the first and the last sentence of each paragraph"


@pytest.mark.parametrize(
    ("levels", "reader", "said"),
    [
        ({"a": [1, 2, 2], "b": [1, 1, 1]}, "a", ["In Round 2 you took the lead and kept it."]),
        ({"a": [2, 2, 2], "b": [1, 1, 1]}, "a", ["You led from the first day to the last."]),
        ({"a": [2, 2, 2], "b": [1, 1, 1]}, "b", ["Alys led from the first day to the last."]),
        (
            {"a": [2, 2, 1], "b": [1, 1, 2]},
            "a",
            ["You led from Round 1 to Round 2, at best with 2 Fiefs.", "Bert went ahead only in Round 3, at the very end."],
        ),
        (
            {"a": [1, 1, 2], "b": [1, 1, 1]},
            "b",
            ["For a long time nobody was ahead.", "Alys went ahead only in Round 3, at the very end."],
        ),
        ({"a": [1, 1], "b": [1, 1]}, "", ["Nobody ever came out ahead of all the others."]),
        ({"a": [2, 1], "b": [1, 1]}, "", ["Alys was ahead in Round 1, with 2 Fiefs."]),
        ({"a": [1], "b": [0]}, "b", ["Alys went ahead only in Round 1, at the very end."]),
    ],
)
def test_each_course_of_a_game_has_its_words(levels: Mapping[str, Sequence[int]], reader: str, said: list[str]) -> None:
    assert text(told(levels, reader=reader)) == said


def test_those_who_led_together_are_named_the_reader_first() -> None:
    levels = {"a": [0, 2, 2, 0], "b": [0, 2, 2, 0], "c": [0, 0, 0, 3], "d": [0, 0, 0, 0]}
    names, course = {**NAMES, "d": "Drogo"}, played(levels)
    found = story.story(GAMES["ortus"], course, [], names, "b", "UTC")
    assert text(found)[0] == "You and Alys led from Round 2 to Round 3, at best with 2 Fiefs."
    assert leads(course) == [Lead(("a", "b"), 1, 2), Lead(("c",), 3, 3)]
    assert told_leads(course) == (Lead(("a", "b"), 1, 2), Lead(("c",), 3, 3))


def test_more_than_half_of_a_table_leads_nobody() -> None:
    assert leads(played({"a": [2, 2], "b": [2, 2], "c": [0, 3]})) == [Lead(("c",), 1, 1)]


def test_an_entry_tells_of_a_seat_once_but_of_each_who_falls() -> None:
    rows = [row(5, "fell", seat="a", fief=1, cards=[]), row(5, "removed", seat="a", how="anchors")]
    rows.append(row(5, "removed", seat="b", how="anchors"))
    assert [(one.kind, one.facts["seat"]) for one in results.turning(GAMES["ortus"], rows)] == [
        ("removed", "a"),
        ("removed", "b"),
    ]


def test_without_a_course_the_turning_points_stand_alone() -> None:
    turns = [(row(5, "crowned", seat="a"), NAMES), (row(9, "won", seat="a"), NAMES)]
    found = story.story(GAMES["ortus"], None, turns, NAMES, "a", "UTC")
    assert found.ending == "Alys won: all other Earls are out." and [one.n for one in found.turns] == [5]
    assert story.story(GAMES["ortus"], None, [], NAMES, "a", "UTC") == story.Story("", [])


def test_ones_own_place_is_said_to_who_lost_a_game_that_somebody_won() -> None:
    def at(seat: str, place: int, joint: bool = False, won: bool = False) -> Standing:
        return Standing(seat, seat, won, None, place=place, joint=joint)

    table = [at("a", 1, won=True), at("b", 2, True), at("c", 2, True)]
    assert own_place(table, "b") == "You came joint second." and own_place(table, "a") == own_place(table, "") == ""
    assert own_place([at("a", 1), at("b", 2)], "b") == "", "nobody won"


def test_places_follow_victory_points_and_who_fell_last() -> None:
    course = played({"a": [3], "b": [0], "c": [0], "d": [3]})
    names = {seat: seat for seat in "abcd"}
    falls = [row(1, "removed", seat="c", how="deck"), row(2, "removed", seat="b", how="deck")]
    assert course.state is not None
    for earl in course.state.table.earls.values():
        earl.towers, earl.legacy = [], 0
    course.state.table.roles = "none"
    found = results.standings(GAMES["ortus"], course.state, names, ["d"], falls)
    assert [(one.seat, one.place, one.joint) for one in found] == [
        ("d", 1, False),
        ("a", 2, False),
        ("b", 3, False),
        ("c", 4, False),
    ]
    assert [one.reason for one in found] == ["3 Fiefs", "3 Fiefs", "no card left to draw", "no card left to draw"]


# --- the cached course ------------------------------------------------------------------------------------------------


def test_a_games_course_is_replayed_once_also_from_a_packed_log(
    over: Players, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays = list[object]()
    plain = ending.course

    def counted(*log: Any) -> Course:
        replays.append(log)
        return plain(*log)

    monkeypatch.setattr(ending, "course", counted)
    results.COURSES.clear()
    with open_session(settings) as session:
        first = results.course(session, over.match(session))
        assert first is not None and results.course(session, over.match(session)) is first and len(replays) == 1
    with transaction(settings) as session:
        assert packing.pack(session, over.match_id)
    results.COURSES.clear()
    with open_session(settings) as session:
        again = results.course(session, over.match(session))
    assert again is not None and (again.levels, again.figures) == (first.levels, first.figures) and len(replays) == 2


def test_a_running_game_has_no_course(over: Players, settings: Settings) -> None:
    results.COURSES.clear()
    with open_session(settings) as session:
        match = over.match(session)
        match.status = MatchStatus.RUNNING
        assert results.course(session, match) is None
        match.status, match.header = MatchStatus.FINISHED, None
        assert results.course(session, match) is None
        session.rollback()


def test_a_log_that_cannot_be_replayed_has_no_course_and_is_reported(
    over: Players, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_log: object) -> Course:
        raise KeyError("a rule that fails")

    results.COURSES.clear()
    monkeypatch.setattr(ending, "course", broken)
    with open_session(settings) as session:
        assert session.get(EntryRow, (over.match_id, 1)) is not None
        assert results.course(session, over.match(session)) is None
    said = capsys.readouterr()
    assert "can't be replayed" in said.out + said.err
