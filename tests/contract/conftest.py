"""Every test here that takes `game` runs once for each game, and once for the toy game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.game import Game
from engine.games import GAMES
from tests.toy_game import FAIR

ALL = {**GAMES, FAIR.name: FAIR}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "soak" not in str(config.getoption("markexpr")):
        for item in items:
            if item.get_closest_marker("soak"):
                item.add_marker(pytest.mark.skip(reason="a soak run; choose it with -m soak"))


@pytest.fixture(autouse=True, scope="package")
def toy_is_playable() -> Iterator[None]:
    """The toy game stands in the one table of games while these tests run."""
    GAMES[FAIR.name] = FAIR
    yield
    del GAMES[FAIR.name]


@pytest.fixture(params=ALL.values(), ids=list(ALL), scope="session")
def game(request: pytest.FixtureRequest) -> Game:
    chosen: Game = request.param
    return chosen
