"""What every game's narration needs: message catalogues, names, lists in words."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import resources

from engine.asks import Seat

Names = Mapping[Seat, str]
Catalogue = dict[str, dict[str, str]]


def catalogue(package: str, file: str) -> Catalogue:
    """The sections of a game's message catalogue: `lore/words.en.toml` of its package, say."""
    return tomllib.loads(resources.files(package).joinpath(file).read_text("utf-8"))


def name(seat: Seat, names: Names) -> str:
    """A seat's name; its letter where nobody has told one."""
    return names.get(seat, seat.upper())


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def counted(words: Iterable[str], nothing: str) -> str:
    """Words as a list, like ones counted: `2 Knight, Vassal`; `nothing` for no words."""
    times = Counter(words)
    return ", ".join(w if n == 1 else f"{n} {w}" for w, n in times.items()) or nothing
