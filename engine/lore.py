"""The data files of a package, in its folder `lore`."""

from __future__ import annotations

import json
import pkgutil


def text(package: str, name: str) -> str:
    """The text of a file in UTF-8. Raises FileNotFoundError where there is none.

    By pkgutil, for importlib.resources takes longer to load than most games' files to read.
    """
    found = pkgutil.get_data(package, f"lore/{name}")
    assert found is not None
    return found.decode()


def days(package: str) -> dict[str, dict[str, list[float]]]:
    """What games of simulated people took, as `tempo.json` has it: see `engine.game.Game.days`."""
    found: dict[str, dict[str, list[float]]] = json.loads(text(package, "tempo.json"))
    return found
