"""Data files in a package's folder `lore`."""

from __future__ import annotations

import json
import pkgutil


def text(package: str, name: str) -> str:
    """Read a UTF-8 file. Raises FileNotFoundError. Uses pkgutil: importlib.resources takes longer to import than to read most
    files.
    """
    found = pkgutil.get_data(package, f"lore/{name}")
    assert found is not None
    return found.decode()


def days(package: str) -> dict[str, dict[str, list[float]]]:
    """Load `tempo.json`: see `engine.game.Face.days`."""
    found: dict[str, dict[str, list[float]]] = json.loads(text(package, "tempo.json"))
    return found
