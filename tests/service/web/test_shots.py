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
