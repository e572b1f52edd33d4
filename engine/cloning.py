"""Copies of states, fast: for players that search, and for dealing anew what a seat can't know.

A copy shares what can't change (words, numbers, frozen structs and tuples of them) and has lists, dicts and structs of its
own. How a type of struct is copied is worked out once, from its fields' types, and kept as one function.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

T = TypeVar("T")


def clone(thing: T) -> T:
    """An independent copy of a state, or of a part of one. Raises TypeError for what is no plain data."""
    copied: T = _CLONERS[type(thing)](thing)
    return copied


class _Cloners(dict[type, Callable[[Any], Any]]):
    """type -> the function that copies a value of it."""

    def __missing__(self, kind: type) -> Callable[[Any], Any]:
        if not issubclass(kind, msgspec.Struct):
            raise TypeError(f"{kind.__name__} is no part of a state")
        made = self[kind] = _of_struct(kind)
        return made


def _same(thing: T) -> T:
    return thing


_CLONERS = _Cloners(dict.fromkeys((str, int, float, bool, bytes, type(None), type(msgspec.UNSET)), _same))
_CLONERS[list] = lambda found: [_CLONERS[type(x)](x) for x in found]
_CLONERS[dict] = lambda found: {k: _CLONERS[type(v)](v) for k, v in found.items()}
_CLONERS[tuple] = lambda found: tuple([_CLONERS[type(x)](x) for x in found])
_CLONERS[set] = _CLONERS[frozenset] = lambda found: found.copy()

_FIXED = (
    inspect.StrType,
    inspect.IntType,
    inspect.FloatType,
    inspect.BoolType,
    inspect.BytesType,
    inspect.NoneType,
    inspect.LiteralType,
    inspect.EnumType,
)


def _of_struct(kind: type[msgspec.Struct]) -> Callable[[Any], Any]:
    """The function that copies structs of a type, made of one line for each field that has to be copied."""
    parts = _parts(kind)
    if not parts:
        return _same if kind.__struct_config__.frozen else methodcaller("__copy__")
    if kind.__struct_config__.frozen:
        each = ", ".join(f"{name}={parts.get(name, f'x.{name}')}" for name in kind.__struct_fields__)
        lines = [f"return kind({each})"]
    else:
        lines = ["y = x.__copy__()", *(f"y.{name} = {copied}" for name, copied in parts.items()), "return y"]
    made: dict[str, Any] = {"cloners": _CLONERS, "kind": kind}
    body = "".join(f"\n    {line}" for line in lines)
    exec(f"def cloned(x):{body}", made)  # made of names of fields alone; a third of the time of a loop over them
    cloned: Callable[[Any], Any] = made["cloned"]
    return cloned


def _parts(kind: type[msgspec.Struct]) -> dict[str, str]:
    """field -> the expression that copies it from the struct `x`; those that can be shared are left out."""
    told = inspect.type_info(kind)
    assert isinstance(told, inspect.StructType)
    copied = {f.name: _copied(f.type, f"x.{f.name}") for f in told.fields}
    return {name: expression for name, expression in copied.items() if expression}


def _copied(told: inspect.Type, what: str) -> str:
    """The expression that copies `what`, which is of that type; the empty string where it can be shared."""
    match told:
        case inspect.ListType(item_type=inner):
            one = _copied(inner, "i")
            return f"([{one} for i in {what}] if {what} else [])" if one else f"({what}.copy() if {what} else [])"
        case inspect.DictType(value_type=inner):
            one = _copied(inner, "v")
            # Most lists and mappings lie empty; a comprehension over nothing takes six times as long as looking, a copy twice.
            fresh = f"{{k: {one} for k, v in {what}.items()}}" if one else f"{what}.copy()"
            return f"({fresh} if {what} else {{}})"
        case inspect.VarTupleType(item_type=inner):
            one = _copied(inner, "i")
            return f"tuple([{one} for i in {what}])" if one else ""
        case inspect.StructType(cls=kind):
            if _parts(kind):
                return f"cloners[type({what})]({what})"
            return "" if kind.__struct_config__.frozen else f"{what}.__copy__()"
        case inspect.UnionType(types=types) if not any(_copied(each, what) for each in types):
            return ""
        case _ if isinstance(told, _FIXED):
            return ""
        case _:
            return f"cloners[type({what})]({what})"
