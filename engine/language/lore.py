"""Data files in a package's folder `lore`."""

from __future__ import annotations

import json
import pkgutil
import tomllib
from typing import TypeVar

import msgspec

T = TypeVar("T")


def text(package: str, name: str) -> str:
    """Read a UTF-8 file, with pkgutil: importlib.resources takes longer to import than to read most files. Raises
    FileNotFoundError.
    """
    found = pkgutil.get_data(package, f"lore/{name}")
    assert found is not None
    return found.decode()


def table(package: str, name: str, kind: type[T]) -> T:
    """Load a TOML file as a struct or mapping."""
    return msgspec.convert(tomllib.loads(text(package, name)), kind)


def days(package: str) -> dict[str, dict[str, list[float]]]:
    """Load `tempo.json`: see `engine.game.Face.days`."""
    found: dict[str, dict[str, list[float]]] = json.loads(text(package, "tempo.json"))
    return found
