"""The data files of a package, in its folder `lore`."""

from __future__ import annotations

import pkgutil


def text(package: str, name: str) -> str:
    """The text of a file in UTF-8. Raises FileNotFoundError where there is none.

    By pkgutil, for importlib.resources takes longer to load than most games' files to read.
    """
    found = pkgutil.get_data(package, f"lore/{name}")
    assert found is not None
    return found.decode()
