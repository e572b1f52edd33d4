"""Generic board: any view as labelled lines. Labels: section `view` of the game's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.game import Game, View
from engine.language.words import KERNEL, Missing, Names

HEAD = ("game", "seat", "outcome")
"""Keys of every view that the page shows elsewhere."""


@dataclass
class Part:
    title: str
    lines: list[tuple[str, str]] = field(default_factory=list)


def board(game: Game, view: View, names: Names) -> list[Part]:
    """Parts of a view, the reader's own first. Raises Missing."""
    table, seats, doing = Part(KERNEL.text("board", "table")), dict[str, Part](), list[Part]()
    for key, value in view.items():
        if key in HEAD:
            continue
        if key == "doing" and isinstance(value, list):
            for one in value:
                title = label(game, str(one.get("what", key)))
                doing.append(Part(title, list(_lines(game, {k: v for k, v in one.items() if k != "what"}, names))))
        elif key == "own" and isinstance(value, Mapping):
            _seat(seats, view["seat"], view, names).lines += _lines(game, value, names, view["seat"])
        elif by_seat := _by_seat(value, names):
            for seat, one in by_seat.items():
                inner = one if isinstance(one, Mapping) else {key: one}
                inner = {k: v for k, v in inner.items() if k != "seat"}
                _seat(seats, seat, view, names).lines += _lines(game, inner, names, seat)
        else:
            table.lines += _lines(game, {key: value}, names)
    own = view.get("seat")
    ordered = [seats[s] for s in sorted(seats, key=lambda s: (s != own, list(names).index(s)))]
    return [part for part in (*ordered[: own in seats], *doing, table, *ordered[own in seats :]) if part.lines]


def label(game: Game, key: str) -> str:
    """Label of a view key. Raises Missing."""
    return game.words.catalogue.text("view", key)


def _seat(seats: dict[str, Part], seat: str, view: View, names: Names) -> Part:
    if seat not in seats:
        own = seat == view.get("seat")
        seats[seat] = Part(KERNEL.text("board", "you" if own else "seat", {"name": names[seat]}))
    return seats[seat]


def _by_seat(value: Any, names: Names) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value) if value and value.keys() <= names.keys() else {}
    if isinstance(value, list) and value and all(isinstance(v, Mapping) and v.get("seat") in names for v in value):
        return {v["seat"]: v for v in value}
    return {}


def _lines(game: Game, things: Mapping[str, Any], names: Names, home: str = "") -> Iterator[tuple[str, str]]:
    for key, value in things.items():
        if value not in (None, "", {}):
            yield label(game, key), _said(game, value, names, home)


def _said(game: Game, value: Any, names: Names, home: str) -> str:
    if isinstance(value, bool):
        return KERNEL.text("board", "yes" if value else "no")
    if isinstance(value, str):
        return names[value] if value in names else game.words.word(value, names, home)
    if isinstance(value, Mapping):
        named = [{"what": _key(game, k, names, home), "value": _said(game, v, names, home)} for k, v in value.items()]
        return KERNEL.listed("semicolon", [KERNEL.text("board", "pair", pair) for pair in named])
    if isinstance(value, list):
        if value and all(isinstance(item, str) and item not in names for item in value):
            return game.words.listed(value, names, home)
        return KERNEL.listed("comma", [_said(game, item, names, home) for item in value])
    return KERNEL.text("board", "nothing") if value is None else str(value)


def _key(game: Game, key: Any, names: Names, home: str) -> str:
    key = str(key)
    if key in names:
        return names[key]
    try:
        return label(game, key)
    except Missing:
        return game.words.word(key, names, home)


WIDE, WIDEST = 5, 76
"""Text columns of half a hex, and of a line at most."""


def hexes_as_text(places: Sequence[Mapping[str, Any]], lines_of: Callable[[Mapping[str, Any]], str]) -> str:
    """Draw a hex map as text, three lines a row (`lines_of` gives each hex's); "" if too wide."""
    least, most = min(2 * s["q"] + s["r"] for s in places), max(2 * s["q"] + s["r"] for s in places)
    if (most - least + 2) * WIDE > WIDEST:
        return ""
    rows = []
    for r in sorted({s["r"] for s in places}):
        lines = ["", "", ""]
        for place in sorted((s for s in places if s["r"] == r), key=lambda s: s["q"]):
            at = (2 * place["q"] + r - least) * WIDE
            told = lines_of(place).split("\n")
            lines = [line + " " * (at - len(line)) + words[: 2 * WIDE - 1] for line, words in zip(lines, told, strict=False)]
        rows.append("".join(f"{line}\n" for line in lines))
    return "\n".join(rows)
