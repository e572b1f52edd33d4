"""The pictures of `make shots` can be made: of every page and letter that it is to show."""

from __future__ import annotations

import pytest

from service.settings import Settings
from tests import shots
from tests.tables import TITLES, games


@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize("moment", TITLES)
def test_a_letter_of_every_moment_can_be_shown(settings: Settings, game: str, moment: str) -> None:
    html = shots.letter(settings, game, moment)
    assert ("writ verify" in html) is (moment == "end")
    assert len(html) > 5000


def test_a_letter_lists_targets_by_whose_they_are(settings: Settings) -> None:
    html = shots.letter(settings, "ortus", "middle")
    against_alys = html.split("<strong>Alys:</strong>")[1].split("<br>")[0]
    assert against_alys.count("target=") == 4 and "3 more on your page" in against_alys


def test_what_gives_the_game_up_stands_apart_from_the_ways_to_answer(settings: Settings) -> None:
    html = shots.letter(settings, "ortus", "middle")
    ways = html.partition('class="ways"')[2].partition("</table>")[0]
    assert "option=end" in ways and "option=concede" not in ways
    assert html.index("Answer on your page") < html.index("option=concede")


@pytest.mark.parametrize("moment", ["middle", "fight"])
def test_fiefs_of_a_letter_leave_no_hole(settings: Settings, moment: str) -> None:
    """Four stand two by two, and not three and one."""
    html = shots.letter(settings, "ortus", moment)
    four = html.partition("The table in Round")[2].partition(">Alys<")[2].partition(">Baldwin<")[0]
    rows = [row.count(">Fief ") for row in four.split("<tr>")]
    assert [n for n in rows if n] == [2, 2]


def test_nobody_is_on_turn_in_a_game_that_is_over(settings: Settings) -> None:
    assert "on Turn" in shots.letter(settings, "ortus", "middle") and "on Turn" not in shots.letter(settings, "ortus", "end")
