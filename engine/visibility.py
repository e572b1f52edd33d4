"""Who sees what of a table, said once beside each field; views and re-dealing follow from it.

    class Player(msgspec.Struct):
        seat: Seat
        coins: Seen[int] = 5                # everybody
        hand: Own[list[str]] = []           # its owner; the others see how many
        vow: Own[str] = ""                  # its owner

    class Table(msgspec.Struct):
        seats: list[Seat]                   # what the kernel needs (`procedure.Table`) needs no word
        players: dict[Seat, Player]         # nor does what holds other structs: their fields say it
        deck: Counted[list[str]] = []       # nobody; everybody sees how many
        under: Hidden[list[str]] = []       # nobody, nor how many

What lies in a mapping by seats belongs to the seat by whose letter it lies there; a struct that lies so has a field `seat`.
Every field of a table has to say who sees it, so that none is shown by oversight.

Of a procedure on the stack only those fields are shown that say who sees them; a field that says nothing holds only what
everybody has been told. What a player has planned and nobody has been told is a `Plan`:

    class March(Procedure):
        seat: Seat = ""                     # whose plan it is: a field, or a property
        legs: Plan[list[str]] = []          # its owner; for all others a re-deal forgets it
        ahead: Plan[dict[Seat, str]] = {}   # a mapping by seats: each keeps their own

        def known_legs(self, table, reader) -> list[str]:   # where an open step needs a part of it: what the reader knows
            return self.legs[:1]

`redeal` calls `forget` for derived games; a game with a `redeal` of its own calls it at its end.

Hidden things are dealt anew from one pool, and so they should be pieces of one kind, ids of cards say. Where there are
several kinds, each has a pool of its own: `Annotated[list[str], OWN.of("army")]`. A game whose hidden things are no pieces (a
flag that its owner alone knows) brings a `redeal` of its own.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Annotated, Any, TypeVar

import msgspec

from engine.asks import Seat
from engine.chance import Chance
from engine.procedure import AnyState, Procedure, Unfinished, copy_for

T = TypeVar("T")

ALL, OWNER, NOBODY = "all", "owner", "nobody"
KERNEL = ("seats", "chance", "outcome", "news", "rulings", "proposals")
"""Fields of a table that are the kernel's."""


@dataclass(frozen=True)
class Sight:
    """Who sees a field; whether the others see how many lie there; which pool it is dealt anew from."""

    who: str
    counted: bool = False
    pool: str = ""

    def of(self, pool: str) -> Sight:
        """The same, of a pool by that name."""
        return replace(self, pool=pool)


SEEN, OWN, COUNTED, HIDDEN = Sight(ALL), Sight(OWNER, True), Sight(NOBODY, True), Sight(NOBODY)
PLAN = Sight(OWNER, pool="(plan)")
Seen = Annotated[T, SEEN]
"""Everybody sees it."""
Own = Annotated[T, OWN]
"""Its owner sees it; of a list, the others see how many."""
Counted = Annotated[T, COUNTED]
"""Nobody sees it; everybody sees how many."""
Hidden = Annotated[T, HIDDEN]
"""Nobody sees it, nor how many."""

Plan = Annotated[T, PLAN]
"""Its owner sees it; it is no piece, and a re-deal for anybody else forgets it. For fields of procedures."""


@dataclass(frozen=True)
class Zone:
    """One field: who sees it, or what it is made of."""

    name: str
    type: Any
    """Without who sees it."""
    sight: Sight | None
    """None where it holds structs that say it themselves."""
    parts: Mapping[str, Zone]
    """The fields of the structs in it."""
    by: str = ""
    """How the structs lie in it: by `seat` or `key` in a mapping, in a `list`, or one by itself."""
    made: type[msgspec.Struct] | None = None
    """What the structs in it are."""


@dataclass(frozen=True)
class Sights:
    """Who sees what of a game's states."""

    kind: Any
    """Its `State[Table, Procedures]`."""
    table: Mapping[str, Zone]
    stack: Mapping[type[Any], Mapping[str, Zone]]
    """The fields of each procedure that say who sees them."""


def sights(kind: Any) -> Sights:
    """Read from a game's state, `State[Table, Procedures]`, who sees what.

    Raises Unfinished for a field of a table that doesn't say it.
    """
    table, _ = typing.get_args(kind)
    stack = {p: _zones(p, strict=False) for p in procedures(kind)}
    return Sights(kind, {k: z for k, z in _zones(table).items() if k not in KERNEL}, stack)


def procedures(kind: Any) -> tuple[type[Procedure], ...]:
    """The procedures of a game's state, `State[Table, Procedures]`."""
    _, held = typing.get_args(kind)
    return typing.get_args(held) if isinstance(held, types.UnionType) else (held,)


def _zones(struct: type[msgspec.Struct], strict: bool = True) -> dict[str, Zone]:
    hints = typing.get_type_hints(struct, include_extras=True)
    zones = (_zone(struct, name, hints[name], strict) for name in struct.__struct_fields__)
    return {zone.name: zone for zone in zones if zone is not None}


def _zone(struct: type[msgspec.Struct], name: str, hint: Any, strict: bool) -> Zone | None:
    """A field; None where it doesn't say who sees it, and need not. Raises Unfinished where it needs to."""
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
            "around its type; see engine/visibility.py."
        )
    return None


# --- views ------------------------------------------------------------------------------------------------------------


def view(game: str, known: Sights, state: AnyState, seat: Seat | None) -> dict[str, Any]:
    """What `seat` (None: a spectator) may know of a position, built up from what each field says: plain data.

    A list that the reader may not see is a number, anything else that he may not see is left out.
    """
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
    """Who looks, at whose things, and which keys are seats."""

    reader: Seat | None
    seats: frozenset[Seat]
    owner: Seat = ""
    everything: bool = False
    """Whether all secrets are shown."""

    def at(self, owner: Seat) -> Look:
        """The same reader's look at things of an owner."""
        return replace(self, owner=owner)

    def sees(self, sight: Sight) -> bool:
        """Whether the reader sees what is seen so, here."""
        return self.everything or sight.who == ALL or (sight.who == OWNER and bool(self.owner) and self.owner == self.reader)


class Unseen:
    """A thing that the reader may not see; of a list, how many there are (None where that is hidden too)."""

    def __init__(self, count: int | None) -> None:
        self.count = count


def shown(value: Any, zone: Zone, look: Look) -> Any:
    """What the reader sees of a field: the value, or Unseen."""
    assert zone.sight is not None
    if look.sees(zone.sight):
        return value
    counted = zone.sight.counted and isinstance(value, (list, tuple, dict))
    return Unseen(len(value) if counted else None)


def by_seat(value: Any, look: Look) -> bool:
    """Whether this is a mapping by seats, so that each thing in it has an owner of its own."""
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
    """What the reader sees of a field that holds structs, as plain data."""
    if zone.by in ("seat", "key"):
        return {k: _struct(v, zone.parts, look.at(k) if zone.by == "seat" else look) for k, v in value.items()}
    if zone.by == "list":
        return [_struct(v, zone.parts, look) for v in value]
    return _struct(value, zone.parts, look) if value is not None else None


# --- re-dealing -------------------------------------------------------------------------------------------------------


def redeal(known: Sights, state: AnyState, seat: Seat | None, chance: Chance) -> AnyState:
    """A copy of the state in which everything that `seat` can't see is dealt anew, each pool by itself."""
    fresh: AnyState = copy_for(state, seat, chance)
    look = Look(seat, frozenset(fresh.table.seats))
    places = list(_places(fresh.table, known.table, look))
    for procedure in fresh.stack:
        places += _places(procedure, known.stack[type(procedure)], look)
    pools: dict[str, list[Any]] = {}
    for name, pieces, _ in places:
        pools.setdefault(name, []).extend(pieces)
    for pool in pools.values():
        pool.sort(key=str)
        chance.shuffle(pool, "redeal")
    for name, pieces, put in places:
        put([pools[name].pop() for _ in pieces])
    return forget(fresh, seat)


S = TypeVar("S", bound=AnyState)


def forget(state: S, seat: Seat | None) -> S:
    """Blank what others have planned in a re-dealt state: every `Plan` of a procedure on the stack that isn't the seat's."""
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
    """What a reader knows of another's plan: what its `known_FIELD` says, or the field as it was before there was one."""
    known = getattr(frame, f"known_{name}", None)
    return known(table, reader) if known is not None else getattr(type(frame)(), name)


@lru_cache(maxsize=256)
def plans(kind: Any) -> tuple[str, ...]:
    """The fields of a procedure's class that are plans."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return tuple(f for f in kind.__struct_fields__ if PLAN in getattr(hints[f], "__metadata__", ()))


Place = tuple[str, list[Any], Callable[[list[Any]], None]]
"""The name of a pool, the pieces of it that lie here, how others are put here."""


def _places(struct: Any, zones: Mapping[str, Zone], look: Look) -> Iterator[Place]:
    """Where hidden pieces lie."""
    for name, zone in zones.items():
        value = getattr(struct, name)
        if zone.sight is None:
            yield from _places_in(value, zone, look)
        elif zone.sight is PLAN:
            continue  # it is forgotten
        elif isinstance(value, dict):  # what lies in it is dealt anew, each by itself, and not the mapping
            owned = zone.sight.who == OWNER and by_seat(value, look)
            for key in value:
                if not (look.at(key) if owned else look).sees(zone.sight):
                    yield from _place(value[key], zone, _setter(value.__setitem__, key))
        elif not look.sees(zone.sight):
            yield from _place(value, zone, _setter(setattr, struct, name))


def _places_in(value: Any, zone: Zone, look: Look) -> Iterator[Place]:
    if zone.by in ("seat", "key"):
        for key, part in value.items():
            yield from _places(part, zone.parts, look.at(key) if zone.by == "seat" else look)
    else:
        for part in value if zone.by == "list" else [value] if value is not None else []:
            yield from _places(part, zone.parts, look)


def _setter(put: Callable[..., None], *at: Any) -> Callable[[Any], None]:
    return lambda value: put(*at, value)


def _place(value: Any, zone: Zone, put: Callable[[Any], None]) -> Iterator[Place]:
    assert zone.sight is not None
    if isinstance(value, list):
        yield zone.sight.pool, value, put
    elif value not in (None, ""):
        yield zone.sight.pool, [value], lambda pieces: put(pieces[0])


def redealer(known: Sights) -> Callable[[AnyState, Seat | None, Chance], AnyState]:
    """`redeal` for a game. Raises Unfinished where something hidden is no piece, so that it can't be dealt anew."""
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
