"""What Fief shows of a position, a map and a log, and what comes of answers, is as `recorded/face.json.xz` holds it; see
`tests/fief/face.py`.

After a change that was meant to change it, record it again, after the cases:

    WRIT_TELL_ANEW=1 .venv/bin/python -m pytest tests/fief/test_cases.py tests/fief/test_face.py
"""

from __future__ import annotations

from engine.fief.face.chart import chart_of
from tests.fief.face import difference, face, load, outcomes, plain, settings, told, walked


def test_a_position_is_shown_as_recorded() -> None:
    given = settings(load().orders)
    for position in load().positions:
        assert not difference(position.face, face(position, given), position.name)


def test_answers_to_a_position_are_refused_or_played_as_recorded() -> None:
    for position in load().positions:
        assert not difference(position.came, outcomes(position), position.name)


def test_games_under_rulings_at_random_go_as_recorded() -> None:
    given = settings(load().orders)
    for walk in load().walks:
        assert not difference(walk.came, walked(walk, given), walk.name)


def test_a_host_s_map_is_drawn_as_recorded() -> None:
    for n, board in enumerate(load().maps):
        assert not difference(board.chart, plain(chart_of(board.own)), f"map {n}")


def test_a_log_is_told_and_merged_as_recorded() -> None:
    for log in load().logs:
        assert not difference(log.told, told(log.answers), log.case)


def test_a_difference_is_named_by_its_path() -> None:
    recorded = {"lords": [{"at": "blaye"}, {"at": "sigy"}], "n": 1}
    assert difference(recorded, {"lords": [{"at": "blaye"}, {"at": "sigy"}], "n": 1}) == ""
    assert difference(recorded, {**recorded, "lords": [{"at": "blaye"}, {"at": "bourg"}]}) == (
        '/lords/1/at: recorded "sigy", now "bourg"'
    )
    assert difference(recorded, {"lords": recorded["lords"]}, "case 3") == 'case 3/n: recorded 1, now "nothing"'
    assert difference([1], [1, 2], "x") == "x: recorded [1], now [1, 2]"
