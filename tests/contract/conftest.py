"""Every test here that takes `game` runs once for each game, and once for each of the toys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.game import Game
from engine.games import GAMES
from tests.toy_court import COURT
from tests.toy_game import FAIR

TOYS = {FAIR.name: FAIR, COURT.name: COURT}
ALL = {**GAMES, **TOYS}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "soak" not in str(config.getoption("markexpr")):
        for item in items:
            if item.get_closest_marker("soak"):
                item.add_marker(pytest.mark.skip(reason="a soak run; choose it with -m soak"))


@pytest.fixture(autouse=True, scope="package")
def toy_is_playable() -> Iterator[None]:
    """The toys stand in the one table of games while these tests run."""
    GAMES.update(TOYS)
    yield
    for name in TOYS:
        del GAMES[name]


@pytest.fixture(params=ALL.values(), ids=list(ALL), scope="session")
def game(request: pytest.FixtureRequest) -> Game:
    chosen: Game = request.param
    return chosen
