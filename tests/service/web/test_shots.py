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
