"""House rulings in a form."""

from __future__ import annotations

from werkzeug.datastructures import MultiDict

from service.web import context

RULING = "ruling:"
"""Prefix of their fields' names."""


def split(form: MultiDict[str, str]) -> tuple[MultiDict[str, str], dict[str, str]]:
    """Split a form into other fields, and rulings by id."""
    rest = MultiDict((k, v) for k, v in form.items(multi=True) if not k.startswith(RULING))
    names = [name for name in form if name.startswith(RULING)]
    given = context.fields(MultiDict((k, v) for k, v in form.items(multi=True) if k in names), **dict.fromkeys(names, 40))
    return rest, {name.removeprefix(RULING): value for name, value in given.items()}
