"""Field visibility, from which views and redealing are derived.

    class Player(msgspec.Struct):
        seat: Seat
        coins: Seen[int] = 5                # everybody
        hand: Own[list[str]] = []           # its owner; the others see how many
        vow: Own[str] = ""                  # its owner

    class Table(msgspec.Struct):
        seats: list[Seat]                   # the kernel's fields (`procedure.Table`) need none
        players: dict[Seat, Player]         # structs: see their fields
        deck: Counted[list[str]] = []       # nobody; everybody sees how many
        under: Hidden[list[str]] = []       # nobody, nor how many

    class March(Procedure):                 # only annotated fields are shown; others are public information
        seat: Seat = ""                     # the owner: a field, or a property
        legs: Plan[list[str]] = []          # its owner; redealing for others clears it
        ahead: Plan[dict[Seat, str]] = {}   # a mapping by seats: each keeps their own

        def known_legs(table, reader) -> list[str]:   # the part that the reader knows, if a step needs it
            return self.legs[:1]

Values in a mapping by seats belong to their seat; structs in one have a field `seat`. Every table field must be annotated. A
game's own `redeal` calls `forget` last. Hidden values are redealt from one pool, so they must be of one kind;
`Annotated[list[str], OWN.of("army")]` names another pool.
"""

from __future__ import annotations

import types
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Annotated, Any, TypeVar

import msgspec

from engine.core.asks import Seat
from engine.core.chance import Chance
from engine.core.procedure import AnyState, Procedure, Unfinished, copy_for

T = TypeVar("T")

ALL, OWNER, NOBODY = "all", "owner", "nobody"
KERNEL = ("seats", "chance", "outcome", "news", "rulings", "proposals")
"""Table fields of the kernel."""


@dataclass(frozen=True)
class Sight:
    """Visibility of a field; `counted`: others see the count; `pool`: redealt with."""

    who: str
    counted: bool = False
    pool: str = ""

    def of(self, pool: str) -> Sight:
        return replace(self, pool=pool)


SEEN, OWN, COUNTED, HIDDEN = Sight(ALL), Sight(OWNER, True), Sight(NOBODY, True), Sight(NOBODY)
PLAN = Sight(OWNER, pool="(plan)")
Seen = Annotated[T, SEEN]
"""Everybody sees it."""
Own = Annotated[T, OWN]
"""Its owner sees it; of a list, others see the count."""
Counted = Annotated[T, COUNTED]
"""Nobody sees it; everybody sees the count."""
Hidden = Annotated[T, HIDDEN]
"""Nobody sees it, nor the count."""

Plan = Annotated[T, PLAN]
"""Its owner sees it; redealing for others clears it. For procedures' fields."""


@dataclass(frozen=True)
class Zone:
    name: str
    type: Any
    sight: Sight | None
    """None for structs; see their fields."""
    parts: Mapping[str, Zone]
    by: str = ""
    """How structs are held: by `seat` or `key`, in a `list`, or "" for one."""
    made: type[msgspec.Struct] | None = None
    """Type of its structs."""


@dataclass(frozen=True)
class Sights:
    kind: Any
    table: Mapping[str, Zone]
    stack: Mapping[type[Any], Mapping[str, Zone]]


def sights(kind: Any) -> Sights:
    """Read the visibility of `State[Table, Procedures]`. Raises Unfinished for an unannotated table field."""
    table, _ = typing.get_args(kind)
    stack = {p: _zones(p, strict=False) for p in procedures(kind)}
    return Sights(kind, {k: z for k, z in _zones(table).items() if k not in KERNEL}, stack)


def procedures(kind: Any) -> tuple[type[Procedure], ...]:
    _, held = typing.get_args(kind)
    return typing.get_args(held) if isinstance(held, types.UnionType) else (held,)


def _zones(struct: type[msgspec.Struct], strict: bool = True) -> dict[str, Zone]:
    hints = typing.get_type_hints(struct, include_extras=True)
    zones = (_zone(struct, name, hints[name], strict) for name in struct.__struct_fields__)
    return {zone.name: zone for zone in zones if zone is not None}


def _zone(struct: type[msgspec.Struct], name: str, hint: Any, strict: bool) -> Zone | None:
    said = [x for x in getattr(hint, "__metadata__", ()) if isinstance(x, Sight)]
    plain = hint.__origin__ if hasattr(hint, "__metadata__") else hint
    if said or name in (*KERNEL, "seat"):
        return Zone(name, plain, said[-1] if said else SEEN, {})
    args = [a for a in typing.get_args(plain) if a is not type(None)]
    held = args[-1] if args else plain
    if isinstance(held, type) and issubclass(held, msgspec.Struct):
        by = {dict: "key", list: "list"}.get(typing.get_origin(plain) or plain, "")
        if by == "key" and "seat" in held.__struct_fields__:
            by = "seat"
        return Zone(name, plain, None, _zones(held, strict), by, held)
    if strict:
        raise Unfinished(
            f"{struct.__name__}.{name}: it doesn't say who sees it. Write Seen[…], Own[…], Counted[…] or Hidden[…] "
            "around its type; see engine/core/visibility.py."
        )
    return None


# --- views ------------------------------------------------------------------------------------------------------------


def view(game: str, known: Sights, state: AnyState, seat: Seat | None) -> dict[str, Any]:
    """View for `seat` (None: spectator), as plain data. Unseen lists become counts, other unseen values are left out."""
    table = state.table
    shown = _struct(table, known.table, Look(seat, frozenset(table.seats)))
    doing = []
    for procedure in state.stack:
        zones = known.stack[type(procedure)]
        if zones:
            told = _struct(procedure, zones, Look(seat, frozenset(table.seats)))
            doing.append({"what": type(procedure).__name__.lower(), **told})
    return {"game": game, "seat": seat, **shown, "doing": doing, "outcome": msgspec.to_builtins(table.outcome)}


@dataclass(frozen=True)
class Look:
    """A reader's permissions."""

    reader: Seat | None
    seats: frozenset[Seat]
    owner: Seat = ""
    everything: bool = False

    def at(self, owner: Seat) -> Look:
        return replace(self, owner=owner)

    def sees(self, sight: Sight) -> bool:
        return self.everything or sight.who == ALL or (sight.who == OWNER and bool(self.owner) and self.owner == self.reader)


class Unseen:
    """Redacted value; `count` is a list's length, None if hidden too."""

    def __init__(self, count: int | None) -> None:
        self.count = count


def shown(value: Any, zone: Zone, look: Look) -> Any:
    assert zone.sight is not None
    if look.sees(zone.sight):
        return value
    counted = zone.sight.counted and isinstance(value, (list, tuple, dict))
    return Unseen(len(value) if counted else None)


def by_seat(value: Any, look: Look) -> bool:
    """Whether a mapping's values have their own owners."""
    return isinstance(value, dict) and not look.owner and bool(value) and value.keys() <= look.seats


def _struct(struct: Any, zones: Mapping[str, Zone], look: Look) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, zone in zones.items():
        value = getattr(struct, name)
        if zone.sight is None:
            told[name] = parts(value, zone, look)
        elif zone.sight.who == OWNER and by_seat(value, look):
            each = {s: _plain(shown(v, zone, look.at(s))) for s, v in value.items()}
            told[name] = {s: v for s, v in each.items() if v is not None}
        else:
            plain = _plain(shown(value, zone, look))
            if plain is not None or look.sees(zone.sight):
                told[name] = plain
    return told


def _plain(value: Any) -> Any:
    if isinstance(value, Unseen):
        return value.count
    return msgspec.to_builtins(value)


def parts(value: Any, zone: Zone, look: Look) -> Any:
    if zone.by in ("seat", "key"):
        return {k: _struct(v, zone.parts, look.at(k) if zone.by == "seat" else look) for k, v in value.items()}
    if zone.by == "list":
        return [_struct(v, zone.parts, look) for v in value]
    return _struct(value, zone.parts, look) if value is not None else None


# --- re-dealing -------------------------------------------------------------------------------------------------------


def redeal(known: Sights, state: AnyState, seat: Seat | None, chance: Chance) -> AnyState:
    """A copy with values hidden from `seat` redealt within their pool."""
    fresh: AnyState = copy_for(state, seat, chance)
    look = Look(seat, frozenset(fresh.table.seats))
    places = list(_places(fresh.table, known.table, look))
    for procedure in fresh.stack:
        places += _places(procedure, known.stack[type(procedure)], look)
    told = _told(fresh.table)
    pools: dict[str, list[Any]] = {}
    kept: list[list[Any]] = []
    for name, owner, pieces, _ in places:
        kept.append([piece for piece in pieces if _counted_off(told.get(owner), piece)])
        pools.setdefault(name, []).extend((Counter(pieces) - Counter(kept[-1])).elements())
    for pool in pools.values():
        pool.sort(key=str)
        chance.shuffle(pool, "redeal")
    for (name, _, pieces, put), known_here in zip(places, kept, strict=True):
        put([*known_here, *(pools[name].pop() for _ in pieces[len(known_here) :])])
    return forget(fresh, seat)


def _told(table: Any) -> dict[Seat, Counter[Any]]:
    """Holder -> pieces shown to the reader by proposals."""
    told: dict[Seat, Counter[Any]] = {}
    for proposal in getattr(getattr(table, "proposals", None), "open", ()):
        for seat, pieces in proposal.reveals().items():
            told[seat] = told.get(seat, Counter()) | Counter(pieces)
    return told


def _counted_off(told: Counter[Any] | None, piece: Any) -> bool:
    if not told or not told[piece]:
        return False
    told[piece] -= 1
    return True


S = TypeVar("S", bound=AnyState)


def forget(state: S, seat: Seat | None) -> S:
    """Clear others' plans in a redealt state."""
    for frame in state.stack:
        kind: type[Procedure] = type(frame)
        for name in plans(kind):
            value = getattr(frame, name)
            if isinstance(value, dict) and value and value.keys() <= {*state.table.seats}:
                setattr(frame, name, {s: planned for s, planned in value.items() if s == seat})
            elif seat is None or getattr(frame, "seat", "") != seat:
                setattr(frame, name, known_of(frame, name, state.table, seat))
    return state


def known_of(frame: Procedure, name: str, table: Any, reader: Seat | None) -> Any:
    """Known part of another's plan: `known_FIELD`, else the field's default."""
    known = getattr(frame, f"known_{name}", None)
    return known(table, reader) if known is not None else getattr(type(frame)(), name)


@lru_cache(maxsize=256)
def plans(kind: Any) -> tuple[str, ...]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return tuple(f for f in kind.__struct_fields__ if PLAN in getattr(hints[f], "__metadata__", ()))


Place = tuple[str, Seat, list[Any], Callable[[list[Any]], None]]
"""Pool, owner ("": none), pieces here, setter."""


def _places(struct: Any, zones: Mapping[str, Zone], look: Look) -> Iterator[Place]:
    for name, zone in zones.items():
        value = getattr(struct, name)
        if zone.sight is None:
            yield from _places_in(value, zone, look)
        elif zone.sight is PLAN:
            continue  # cleared by `forget`
        elif isinstance(value, dict):  # redeal values, not the mapping
            owned = zone.sight.who == OWNER and by_seat(value, look)
            for key in value:
                own = look.at(key) if owned else look
                if not own.sees(zone.sight):
                    yield from _place(value[key], zone, own.owner, _setter(value.__setitem__, key))
        elif not look.sees(zone.sight):
            yield from _place(value, zone, look.owner, _setter(setattr, struct, name))


def _places_in(value: Any, zone: Zone, look: Look) -> Iterator[Place]:
    if zone.by in ("seat", "key"):
        for key, part in value.items():
            yield from _places(part, zone.parts, look.at(key) if zone.by == "seat" else look)
    else:
        for part in value if zone.by == "list" else [value] if value is not None else []:
            yield from _places(part, zone.parts, look)


def _setter(put: Callable[..., None], *at: Any) -> Callable[[Any], None]:
    return lambda value: put(*at, value)


def _place(value: Any, zone: Zone, owner: Seat, put: Callable[[Any], None]) -> Iterator[Place]:
    assert zone.sight is not None
    if isinstance(value, list):
        yield zone.sight.pool, owner, value, put
    elif value not in (None, ""):
        yield zone.sight.pool, owner, [value], lambda pieces: put(pieces[0])


def redealer(known: Sights) -> Callable[[AnyState, Seat | None, Chance], AnyState]:
    """A game's `redeal`. Raises Unfinished for hidden values that can't be redealt."""
    for where in (known.table, *known.stack.values()):
        for zone in _hidden(where):
            held = [a for a in typing.get_args(zone.type) if a is not type(None)] or [zone.type]
            if held[-1] not in (str, int) and typing.get_origin(held[-1]) is not list:
                raise Unfinished(
                    f"{zone.name}: it is hidden, but {zone.type} are no pieces (str or int) that could be dealt anew. "
                    "Give the Game a redeal of its own."
                )
    return partial(redeal, known)


def _hidden(zones: Mapping[str, Zone]) -> Iterator[Zone]:
    for zone in zones.values():
        if zone.sight is None:
            yield from _hidden(zone.parts)
        elif zone.sight not in (SEEN, PLAN):
            yield zone
