"""Events with their audiences. A partly secret fact is two events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine.core.asks import Seat


class Event(msgspec.Struct, frozen=True, gc=False):
    """A sentence's kind and facts: public, `only` for some seats, or for all `but` some."""

    kind: str
    facts: dict[str, Any] = {}
    only: tuple[Seat, ...] | None = None
    but: tuple[Seat, ...] = ()

    def __post_init__(self) -> None:
        # Copy lists, which may belong to the position and change later.
        facts = self.facts
        for name, fact in facts.items():
            kind = type(fact)
            if kind is list or kind is dict:
                facts[name] = fact.copy()

    def seen_by(self, seat: Seat | None) -> bool:
        if self.only is not None:
            return seat in self.only
        return seat is None or seat not in self.but


class _Unheard(list[Event]):
    def append(self, _event: Event, /) -> None:
        pass


UNHEARD: list[Event] = _Unheard()
"""A null sink for playouts; rules may skip building events for it."""


# --- comparing and merging views --------------------------------------------------------------------------------------

NAMED_BY = ("slot", "id", "seat", "name", "what")
"""Fields that identify an item of a list, best first."""


def changed(before: Any, after: Any) -> Iterator[str]:
    """Ids that differ: keys, identified items, and texts in lists."""
    if before == after:
        return
    if isinstance(before, list) and isinstance(after, list):
        had, has = (Counter(x for x in items if isinstance(x, str)) for items in (before, after))
        yield from (had - has) + (has - had)
        before, after = _by_name(before), _by_name(after)
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            if before.get(key) != after.get(key):
                yield str(key)
                yield from changed(before.get(key), after.get(key))


def _by_name(items: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for i, item in enumerate(items):
        if isinstance(item, dict):
            found[next((str(item[name]) for name in NAMED_BY if item.get(name)), f"#{i}")] = item
        elif isinstance(item, list):
            found[f"#{i}"] = item
    return found


def merged(views: Sequence[Any]) -> Any:
    """Merge views of several readers, the public one first. A list wins over its length, a longer list over a shorter one.
    `seat` and `own` stay the first's.
    """
    first = views[0]
    if all(view == first for view in views):  # most parts of a view are the same for everybody
        return first
    if any(isinstance(view, dict) for view in views):
        dicts = [view for view in views if isinstance(view, dict)]
        keys = dict.fromkeys(key for view in dicts for key in view)
        kept = [key for key in keys if key not in ("seat", "own") or key in dicts[0]]
        return {
            key: dicts[0][key] if key in ("seat", "own") else merged([view[key] for view in dicts if key in view])
            for key in kept
        }
    if any(isinstance(view, list) for view in views):
        lists = [view for view in views if isinstance(view, list)]
        longest = max(lists, key=len)
        if all(len(view) == len(longest) for view in lists):
            return [merged(items) for items in zip(*lists, strict=True)]
        return longest
    return next((view for view in views if view is not None), first)
