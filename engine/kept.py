"""Asks as plain data without a word: what a row keeps of a question, so that it is put into words for whoever reads it.

`engine.forms` makes the words, and lays out the same things for pages; here is just enough to have the ask again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.asks import Ask, Assign, Choice, Field, Number, Option, Order, PickOne, PickSome, read, write

Kept = dict[str, Any]
"""What `keep` makes: plain data, as JSON has it."""


def keep(ask: Ask) -> Kept:
    """The ask as plain data, its fields included; `read_ask` gives it back."""
    kept: Kept = {
        "seat": ask.seat,
        "kind": ask.kind,
        "default": write(ask.default),
        "options": [_option(o) for o in ask.options],
    }
    if ask.rule:
        kept["rule"] = ask.rule
    if ask.about:
        kept["about"] = dict(ask.about)
    return kept


def read_ask(kept: Mapping[str, Any]) -> Ask:
    """The ask that was kept. Raises LookupError, ValueError or TypeError for what is none."""
    return Ask(
        seat=kept["seat"],
        kind=kept["kind"],
        options=tuple(_read_option(o) for o in kept["options"]),
        default=read(kept["default"]),
        rule=kept.get("rule", ""),
        about=kept.get("about", {}),
    )


def _option(option: Option) -> Kept:
    kept: Kept = {"id": option.id}
    if fields := option.fields:
        kept["fields"] = [_field(f) for f in fields]
    if option.grave:
        kept["grave"] = True
    if option.rest is not None:
        kept["rest"] = option.rest
    return kept


def _read_option(kept: Mapping[str, Any]) -> Option:
    fields = tuple(_read_field(f) for f in kept.get("fields", ()))
    return Option(kept["id"], fields, kept.get("grave", False), kept.get("rest"))


def _field(f: Field) -> Kept:
    match f:
        case PickOne():
            return {"type": "one", "name": f.name, "choices": _choices(f.choices), "optional": f.optional}
        case PickSome():
            return {"type": "some", "name": f.name, "choices": _choices(f.choices), "least": f.least, "most": f.most}
        case Number():
            return {"type": "number", "name": f.name, "least": f.least, "most": f.most, "usual": f.usual}
        case Order():
            return {"type": "order", "name": f.name, "choices": _choices(f.choices)}
        case Assign():
            items, targets = _choices(f.items), _choices(f.targets)
            kept: Kept = {"type": "assign", "name": f.name, "items": items, "targets": targets}
            return kept | {"optional": f.optional, "distinct": f.distinct}


def _read_field(kept: Mapping[str, Any]) -> Field:
    name = kept["name"]
    match kept["type"]:
        case "one":
            return PickOne(name, _read_choices(kept["choices"]), kept["optional"])
        case "some":
            return PickSome(name, _read_choices(kept["choices"]), kept["least"], kept["most"])
        case "number":
            return Number(name, kept["least"], kept["most"], kept["usual"])
        case "order":
            return Order(name, _read_choices(kept["choices"]))
        case "assign":
            targets = _read_choices(kept["targets"])
            return Assign(name, _read_choices(kept["items"]), targets, kept["optional"], kept["distinct"])
        case other:
            raise ValueError(f"There is no field of the type “{other}”.")


def _choices(choices: tuple[Choice, ...]) -> list[Any]:
    """Each as its id, where there is but one of it that needn't be picked; else with its bounds."""
    return [c.id if (c.most, c.least) == (1, 0) else [c.id, c.most, c.least] for c in choices]


def _read_choices(kept: list[Any]) -> tuple[Choice, ...]:
    return tuple([Choice(c) if isinstance(c, str) else Choice(*c) for c in kept])
