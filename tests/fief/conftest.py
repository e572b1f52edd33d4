"""Fief stands in the table of games while its own tests run: it isn't offered yet."""

from __future__ import annotations

import pytest

from engine import games
from engine.fief import FIEF


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(games.GAMES, "fief", FIEF)
