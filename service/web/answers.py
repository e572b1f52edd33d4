"""From a posted form to an Answer: the inverse of `templates/forms.html`. What the form's fields can't hold is refused."""

from __future__ import annotations

from flask_babel import gettext
from werkzeug.datastructures import MultiDict

from engine.asks import LIMIT, Answer, NotUnderstood, Value, read
from engine.forms import AssignField, Form, FormField, NumberField, OneField, OrderField, SomeField

KNOWN = frozenset(("csrf_token", "key", "serial", "kind", "option", "answer"))
LONGEST = 200
"""Characters in one field; ids are far shorter."""
LONGEST_TEXT = 20_000


def number(data: MultiDict[str, str], name: str) -> int:
    """A hidden whole number of the form. Raises NotUnderstood."""
    raw = data.get(name, "")
    if not (raw.isascii() and raw.isdigit()) or len(raw) > 9:
        raise NotUnderstood(gettext("The form's “%(name)s” is missing or broken; open the page again.", name=name))
    return int(raw)


def once(data: MultiDict[str, str], name: str, longest: int = LONGEST) -> str:
    """A field that stands there at most once, trimmed; empty when absent. Raises NotUnderstood."""
    values = data.getlist(name)
    if len(values) > 1:
        raise NotUnderstood(gettext("The form has “%(name)s” %(n)s times; once is right.", name=name[:40], n=len(values)))
    text = values[0].strip() if values else ""
    if len(text) > longest:
        raise NotUnderstood(gettext("“%(name)s” is longer than any answer to it.", name=name[:40]))
    return text


def parse(data: MultiDict[str, str], form: Form | None) -> Answer:
    """The answer in the posted data, read by the ask's form. A form may also carry the answer as one line of text.

    Raises NotUnderstood for fields that are unknown, repeated, or of the wrong shape, and for an option that isn't there.
    """
    text = once(data, "answer", LONGEST_TEXT)
    if text:
        _no_strangers(data, set())
        return read(text)
    chosen = once(data, "option")
    option = form.option(chosen) if form else None
    if option is None:
        # It may have been open on an older page: let the engine say why it is not.
        if not chosen or not chosen.replace("_", "").isalnum():
            raise NotUnderstood(gettext("The form names no option; open the page again and choose one."))
        return Answer(chosen)
    values: dict[str, Value] = {}
    inputs: set[str] = set()
    for field in option.fields:
        value = _value(data, field, inputs)
        if value not in ("", [], {}):
            values[field.name] = value
    _no_strangers(data, inputs)
    return Answer(chosen, values)


def _no_strangers(data: MultiDict[str, str], inputs: set[str]) -> None:
    for name in data:
        if name not in KNOWN and name not in inputs:
            raise NotUnderstood(gettext("The form has a field “%(name)s” that does not belong there.", name=name[:40]))


def _value(data: MultiDict[str, str], field: FormField, inputs: set[str]) -> Value:
    name = f"f_{field.name}"
    match field:
        case OneField() | NumberField():
            inputs.add(name)
            return once(data, name)
        case SomeField():
            return _some(data, name, field, inputs)
        case OrderField():
            n = sum(c.most for c in field.choices)
            names = [f"{name}__{i}" for i in range(1, n + 1)]
            inputs.update(names)
            return [v for v in (once(data, x) for x in names) if v]
        case AssignField():
            pairs: dict[str, str] = {}
            for item in field.items:
                inputs.add(f"{name}__{item.id}")
                target = once(data, f"{name}__{item.id}")
                if target:
                    pairs[item.id] = target
            return pairs


def _some(data: MultiDict[str, str], name: str, field: SomeField, inputs: set[str]) -> list[str]:
    picks: list[str] = []
    for choice in field.choices:
        input = f"{name}__{choice.id}"
        inputs.add(input)
        raw = once(data, input)
        if raw in ("", "0"):
            continue
        if not (raw.isascii() and raw.isdigit()) or len(raw) > 4 or int(raw) > LIMIT:
            raise NotUnderstood(gettext("“%(label)s” takes a number, not “%(raw)s”.", label=choice.label, raw=raw[:20]))
        picks += [choice.id] * int(raw)
    return picks
