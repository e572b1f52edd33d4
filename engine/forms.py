"""Asks as plain data with words: what pages, letters, the API and the reply parser are made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.asks import Answer, Ask, Assign, Choice, Field, Number, Option, Order, PickOne, PickSome, Seat, Value, write
from engine.game import Game, labels_of
from engine.words import Labels

Form = dict[str, Any]


def describe(game: Game, ask: Ask, names: Mapping[Seat, str], serial: int) -> Form:
    """The ask as plain data, every label in words.

    Keys: `seat`, `kind`, `rule`, `serial`, `title`, `default` (the safe answer as text), `about`, and `options`: a list
    of `id`, `label`, `grave` (ask twice), `fields`, and `rest` (`now`, `label`) where numbers share a sum; a field has `name`,
    `type` (`one`, `some`, `number`, `order`, `assign`), `label` and its bounds and choices.
    """
    return {
        "seat": ask.seat,
        "kind": ask.kind,
        "rule": ask.rule,
        "serial": serial,
        "title": labels_of(game, ask).title(ask, names),
        "default": write(ask.default),
        "about": dict(ask.about),
        "options": [_option(labels_of(game, ask), ask, option, names) for option in ask.options],
    }


def _option(labels: Labels, ask: Ask, option: Option, names: Mapping[Seat, str]) -> Form:
    fields = [_field(labels, ask, option, f, names) for f in option.fields]
    form = {"id": option.id, "label": labels.option(ask, option.id, names), "grave": option.grave, "fields": fields}
    if option.rest is not None:
        form["rest"] = {"now": option.rest, "label": labels.field(ask, option.id, "rest", names)}
    return form


def _field(labels: Labels, ask: Ask, option: Option, f: Field, names: Mapping[Seat, str]) -> Form:
    def shown(choices: tuple[Choice, ...]) -> list[Form]:
        return [
            {"id": c.id, "label": labels.choice(ask, option.id, f.name, c.id, names), "most": c.most, "least": c.least}
            for c in choices
        ]

    form: Form = {"name": f.name, "label": labels.field(ask, option.id, f.name, names)}
    match f:
        case PickOne():
            form |= {"type": "one", "choices": shown(f.choices), "optional": f.optional}
        case PickSome():
            form |= {"type": "some", "choices": shown(f.choices), "least": f.least, "most": f.most}
        case Number():
            form |= {
                "type": "number",
                "least": f.least,
                "most": f.most,
                "usual": f.least if f.usual is None else f.usual,
                "share": f.usual is not None,
            }
        case Order():
            form |= {"type": "order", "choices": shown(f.choices)}
        case Assign():
            form |= {
                "type": "assign",
                "items": shown(f.items),
                "targets": shown(f.targets),
                "optional": f.optional,
                "distinct": f.distinct,
            }
    return form


def said(form: Form, answer: Answer) -> str:
    """An answer to the form in words: the option, and what is picked in its fields. Ids that it lacks stay as they are."""
    option = next((o for o in form["options"] if o["id"] == answer.option), None)
    if option is None:
        return write(answer)
    parts = [picked(field, answer.values.get(field["name"])) for field in option["fields"]]
    return ": ".join(filter(None, (option["label"], "; ".join(filter(None, parts)))))


def picked(field: Form, value: Value | None) -> str:
    """What is picked in a field, in words; empty for nothing."""
    if value is None or value in ("", [], {}):
        return ""
    labels: dict[str, str] = {c["id"]: c["label"] for key in ("choices", "items", "targets") for c in field.get(key, [])}
    if isinstance(value, dict):
        return ", ".join(f"{labels.get(k, k)} → {labels.get(v, v)}" for k, v in value.items())
    if isinstance(value, list):
        counted = {v: value.count(v) for v in value}
        return ", ".join(labels.get(v, v) if n == 1 else f"{n} × {labels.get(v, v)}" for v, n in counted.items())
    return labels.get(str(value), str(value))
