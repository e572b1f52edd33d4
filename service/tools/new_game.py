"""Creates a new game's files from `engine/tools/skeleton`, a whole game."""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path

from engine.core.asks import NotUnderstood
from engine.games import GAMES
from engine.language.words import plain
from engine.tools import skeleton

FILES = {
    "pyproject.txt": "pyproject.toml",
    "__init__.py": "{name}/__init__.py",
    "lore/words.en.toml": "{name}/lore/words.en.toml",
    "test.txt": "tests/test_{name}.py",
}
"""File of the skeleton -> file of the new game's folder."""
NAME = re.compile(r"[a-z][a-z0-9_]{1,19}")


def write(name: str, parent: Path) -> list[Path]:
    """Write a new game's files into a folder of its name. Raises NotUnderstood for an unusable name."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise NotUnderstood(
            plain(f"“{name[:30]}” is no name for a game: write 2 to 20 small letters, digits or _, a letter first.")
        )
    if name in GAMES:
        raise NotUnderstood(plain(f"There is a game called “{name}” already."))
    if importlib.util.find_spec(name) is not None:
        raise NotUnderstood(plain(f"“{name}” is the name of an installed Python module; choose another."))
    folder = parent / name
    if folder.exists():
        raise NotUnderstood(plain(f"{folder} is there already; choose another name, or another --folder."))
    words = {"skeleton": name, "Skeleton": name.replace("_", " ").title(), "SKELETON": name.upper()}
    source = Path(skeleton.__file__).parent
    written = []
    for file, target in FILES.items():
        text = (source / file).read_text("utf-8")
        for word, own in words.items():
            text = text.replace(word, own)
        path = folder / target.format(name=name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        written.append(path)
    return written
