"""What every game's narration needs: message catalogues, names, lists in words."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources

from engine.asks import Ask, Seat

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


@dataclass(frozen=True)
class Labels:
    """How asks read."""

    title: Callable[[Ask, Names], str]
    """ask, names of the seats -> the question as a sentence."""
    option: Callable[[Ask, str, Names], str]
    """ask, option id, names -> the option as a person reads it."""
    field: Callable[[Ask, str, str, Names], str]
    """ask, option id, field name, names -> the field's label; for the name `rest`, where the rest of shared numbers lies."""
    choice: Callable[[Ask, str, str, str, Names], str]
    """ask, option id, field name, choice id, names -> the choice as a person reads it."""


def order_labels(words: Catalogue, field: Callable[[Ask, str], str], choice: Callable[[str, str, Names], str]) -> Labels:
    """How asks that set standing orders read: by a catalogue with the sections `title` (by id) and `option`."""
    return Labels(
        title=lambda ask, _names: words["title"][ask.rule],
        option=lambda _ask, option, _names: words["option"][option],
        field=lambda ask, _option, name, _names: field(ask, name),
        choice=lambda _ask, _option, name, id, names: choice(name, id, names),
    )
