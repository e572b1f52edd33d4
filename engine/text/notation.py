"""Position notation derived from a table's struct: one line `key: value` for each field.

    masks: 1
    seats: a b
    round: 2
    deck: Fox, Owl
    a.coins: 5
    a.hand: 2 Fox, Owl

Mappings by seat are listed by seat, `a.hand`. Flags are `yes` and `no`, an empty text `-`, nested values JSON; `?2` hides two
items. Missing lines are as in a fresh table. `stack: Round play seat=a` is a procedure, `rulings: R-1=coin` its rulings. Games
with their own zones write and parse those only, between `head` and `foot` and by `Lines`.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine.core import rulings
from engine.core.asks import SEATS, Answer, NotUnderstood, Refused, Seat, refuse_if
from engine.core.chance import Chance
from engine.core.procedure import AnyState, Outcome, Parked, State, Unfinished
from engine.core.rulings import Rulings
from engine.core.visibility import Look, Sights, Unseen, Zone, by_seat, parts, shown
from engine.language.words import say

S = TypeVar("S")
LONGEST = 1_000_000
"""Most bytes of a position or case file."""
MOST_ALIKE = 1000
VERBATIM = ("stack", "chance", "asked", "beside")
"""Machine-written values, without `#` comments."""


class Beside(msgspec.Struct):
    parked: list[Parked] = []
    returned: list[tuple[int, Seat]] = []
    opened: int = 0


def as_json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def hidden(items: list[str], shown: bool) -> str:
    """A list of items, or only their number, `?3`."""
    if shown:
        return ", ".join(items)
    return f"?{len(items)}" if items else ""


def tail(state: State[Any, Any]) -> Iterator[str]:
    chance = state.table.chance
    yield f"chance: {chance.secret or '-'} {as_json(chance.drawn)}"
    for procedure in state.stack:
        yield f"stack: {as_json(procedure)}"
    yield f"asked: {state.serial} {as_json(state.waiting)} {as_json(state.sealed)}"
    if state.parked or state.returned or state.opened:
        yield f"beside: {as_json(Beside(state.parked, state.returned, state.opened))}"


def each_line(text: str, take: Callable[[str], None], verbatim: tuple[str, ...] = VERBATIM) -> None:
    """Call `take` for each line. Raises NotUnderstood with the line's number."""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip() if raw.lstrip().startswith(verbatim) else raw.split("#")[0].strip()
        if line:
            try:
                take(line)
            except NotUnderstood as problem:
                raise NotUnderstood(say("position.line", line=number, reason=problem.said)) from None
            except Exception as problem:  # malformed values raise anything
                facts = {"line": number, "text": line[:60], "problem": said(problem)}
                raise NotUnderstood(say("position.line_not_read", **facts)) from None


def said(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}".partition("\n")[0][:120].encode("utf-8", "replace").decode()


def put_together(make: Callable[[], S]) -> S:
    """Build from all lines. Raises NotUnderstood if inconsistent."""
    try:
        return make()
    except Refused:
        raise
    except Exception as problem:  # an impossible position
        raise NotUnderstood(say("position.not_together", problem=said(problem))) from None


def blamed(read: Callable[[str], S], text: str) -> S:
    """Parse, finding an inconsistent line by bisection. Raises NotUnderstood."""
    try:
        return read(text)
    except NotUnderstood as problem:
        fault = problem.said
        lines = text.splitlines()
        if fault.code in ("position.line", "position.line_not_read") or _fault(read, "") == fault:
            raise
        # Invariant: `good` lines are consistent, `bad` lines aren't.
        good, bad = 0, len(lines)
        while bad - good > 1:
            middle = (good + bad) // 2
            so = _fault(read, "\n".join(lines[:middle])) == fault
            good, bad = (good, middle) if so else (middle, bad)
        raise NotUnderstood(say("position.line_breaks", line=bad, reason=fault)) from None


def _fault(read: Callable[[str], Any], text: str) -> object:
    try:
        read(text)
    except NotUnderstood as problem:
        return problem.said
    return None


def read_text(file: Path) -> str:
    """Read a position or case file. Raises NotUnderstood."""
    try:
        with open(file, "rb") as opened:
            data = opened.read(LONGEST + 1)
    except OSError as problem:
        raise NotUnderstood(say("position.no_file", file=str(file), problem=problem.strerror or str(problem))) from None
    refuse_if(len(data) > LONGEST, "position.too_long", file=str(file), most=LONGEST)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotUnderstood(say("position.no_text", file=str(file))) from None


def read_seats(value: str) -> list[Seat]:
    """Parse seats: `a b c`. Raises NotUnderstood."""
    seats = value.split()
    if not seats or len(set(seats)) < len(seats) or not set(seats) <= set(SEATS):
        raise NotUnderstood(say("position.no_seats", text=value[:30]))
    return seats


def pair(line: str) -> tuple[str, str]:
    """Split a line `key: value`. Raises NotUnderstood."""
    key, colon, value = (part.strip() for part in line.partition(":"))
    refuse_if(not colon, "position.no_pair", text=line[:60])
    return key, value


def split(value: str) -> list[str]:
    """Parse a list: `2 Land, Church` or `Land*2` repeat an item; spaces in names are dropped."""
    items: list[str] = []
    for part in value.split(","):
        word = part.strip()
        if not word:
            continue
        times = 1
        if found := re.fullmatch(r"(\d+)\s+(.+)", word):
            times, word = int(found[1]), found[2]
        elif found := re.fullmatch(r"(.+)\*(\d+)", word):
            word, times = found[1], int(found[2])
        refuse_if(times > MOST_ALIKE, "position.too_many", text=part.strip()[:40], most=MOST_ALIKE)
        items += [word.replace(" ", "")] * times
    return items


def read_outcome(value: str) -> Outcome:
    """Parse `a,b points`."""
    winners, _, how = value.partition(" ")
    return Outcome(tuple(w for w in winners.split(",") if w), how)


def read_chance(value: str) -> Chance:
    """Parse the secret and JSON of the draws so far."""
    secret, _, drawn = value.partition(" ")
    return Chance("" if secret == "-" else secret, msgspec.json.decode(drawn or "{}", type=dict[str, int]))


Asked = tuple[int, list[Seat], dict[Seat, Answer]]


def read_asked(value: str) -> Asked:
    serial, waiting, sealed = value.split(" ", 2)
    return int(serial), msgspec.json.decode(waiting), msgspec.json.decode(sealed, type=dict[str, Answer])


# --- games' notations -------------------------------------------------------------------------------------------------


PLAIN = (str, int, bool)


def head(game: str, known: Rulings, state: AnyState) -> Iterator[str]:
    yield f"{game}: 1"
    yield f"seats: {' '.join(state.table.seats)}"
    if known:
        yield f"rulings: {rulings.write(known, state.table.rulings)}"


def foot(state: AnyState, everything: bool) -> Iterator[str]:
    """Outcome, and with `everything` the rest of the state."""
    outcome = state.table.outcome
    if outcome is not None:
        yield f"outcome: {','.join(outcome.winners)} {outcome.how}"
    if everything:
        yield from tail(state)


LinesOf = Callable[[Any, Seat | None, bool], Iterable[str]]


@dataclass(frozen=True)
class Notation:
    """A game's positions as text: writing and parsing."""

    lines: LinesOf
    """State, seat, whether with all secrets -> lines; without, redacted for the seat (None: spectator)."""
    read: Callable[[str], AnyState]
    """Parse a position. Raises NotUnderstood with the line."""

    def whole(self, state: AnyState) -> str:
        return "\n".join(self.lines(state, None, True)) + "\n"

    def seen(self, state: AnyState, seat: Seat | None) -> str:
        return "\n".join(self.lines(state, seat, False)) + "\n"


Take = Callable[[str, str], None]


class Lines:
    """Parser of all games' lines: seats, rulings, outcome, chance, stack, open asks."""

    def __init__(self, game: str, known: Rulings, kind: Any) -> None:
        self.game, self.known, self.kind = game, known, kind
        self.procedures = typing.get_args(kind)[1]
        self.seats: list[Seat] = []
        self.rulings: dict[str, str] = rulings.defaults(known)
        self.outcome: Outcome | None = None
        self.chance = Chance("")
        self.stack: list[Any] = []
        self.asked: Asked | None = None
        self.beside = Beside()
        self.given: set[str] = set()

    def read(self, text: str, own: Take, verbatim: tuple[str, ...] = ()) -> None:
        """Parse; `own` takes the game's lines. Raises NotUnderstood with the line."""
        each_line(text, lambda line: self._line(*pair(line), own), (*VERBATIM, *verbatim))
        refuse_if(not self.seats, "notation.no_position", game=self.game)

    def _line(self, key: str, value: str, own: Take) -> None:
        match key:
            case self.game:
                refuse_if(value != "1", "notation.version", game=self.game, version=value[:20])
            case "seats":
                self.seats = read_seats(value)
            case "rulings":
                self.rulings = rulings.read(self.known, value)
            case "outcome":
                self.outcome = read_outcome(value)
            case "chance":
                self.chance = read_chance(value)
            case "stack":
                self.stack.append(self._procedure(value))
            case "asked":
                self.asked = read_asked(value)
            case "beside":
                self.beside = msgspec.json.decode(value, type=Beside)
            case _:
                refuse_if(not self.seats, "notation.seats_first")
                refuse_if(key in self.given, "notation.twice", key=key[:30])
                self.given.add(key)
                own(key, value)

    def _procedure(self, value: str) -> Any:
        if value.startswith("{"):
            return msgspec.json.decode(value, type=self.procedures)
        kind, step, *fields = value.split()
        own = dict(field.split("=", 1) for field in fields)
        return msgspec.convert({"type": kind, "step": step, **own}, self.procedures, strict=False)

    def state(self, table: Any, by_hand: Callable[[], list[Any]] = list) -> AnyState:
        """Build the state; `by_hand`: its stack if the text has none."""
        table.rulings, table.chance, table.outcome = self.rulings, self.chance, self.outcome
        stack = self.stack if self.stack or self.asked is not None else by_hand()
        found: AnyState = self.kind(table, stack, *(self.asked or ()))
        found.parked, found.returned, found.opened = self.beside.parked, self.beside.returned, self.beside.opened
        return found


class _OfTable:
    def __init__(self, game: str, sights: Sights, known: Rulings) -> None:
        self.game, self.sights, self.known = game, sights, known
        self.made = typing.get_args(sights.kind)[0]
        self.kinds: dict[str, Any] = {}
        """Type of each zone that is listed by seat, by name."""
        for zone in sights.table.values():
            for name, part in zone.parts.items() if zone.by == "seat" else ():
                if name in self.kinds or name in sights.table:
                    raise Unfinished(f"{self.made.__name__}: two fields are called {name}; call one of them otherwise.")
                if name != "seat":  # it prefixes each line
                    self.kinds[name] = part.type
            if zone.sight is not None and typing.get_origin(zone.type) is dict:
                self.kinds[zone.name] = typing.get_args(zone.type)[-1]

    def lines(self, state: AnyState, seat: Seat | None, everything: bool) -> Iterator[str]:
        yield from head(self.game, self.known, state)
        look = Look(seat, frozenset(state.table.seats), everything=everything)
        for zone in self.sights.table.values():
            yield from self._zone(getattr(state.table, zone.name), zone, look)
        desk = getattr(state.table, "proposals", None)
        if everything and desk is not None and (desk.open or desk.counted):
            yield f"proposals: {as_json(state.table.proposals)}"
        yield from foot(state, everything)

    def _zone(self, value: Any, zone: Zone, look: Look) -> Iterator[str]:
        if zone.by == "seat":
            for seat, struct in value.items():
                for part in zone.parts.values():
                    text = _written(getattr(struct, part.name), part, look.at(seat))
                    if text is not None and part.name != "seat":
                        yield f"{seat}.{part.name}: {text}".rstrip()
        elif by_seat(value, look):
            for seat, one in value.items():
                text = _written(one, zone, look.at(seat))
                if text is not None:
                    yield f"{seat}.{zone.name}: {text}".rstrip()
        else:
            text = _written(value, zone, look)
            if text is not None:
                yield f"{zone.name}: {text}".rstrip()

    def read(self, text: str) -> AnyState:
        """Parse a position. Raises NotUnderstood with the line."""
        lines, values = Lines(self.game, self.known, self.sights.kind), dict[str, Any]()

        def take(key: str, value: str) -> None:
            seat, dot, name = key.partition(".")
            if key == "proposals":
                values[key] = msgspec.json.decode(value, type=typing.get_type_hints(self.made)[key])
                return
            if not dot:
                zone = self.sights.table.get(key)
                if zone is None:
                    raise NotUnderstood(say("notation.no_zone", zone=key[:30], zones=sorted(self.sights.table)))
                values[key] = _value(value, zone.type)
                return
            refuse_if(seat not in lines.seats, "notation.no_seat", seat=seat[:20], seats=lines.seats)
            refuse_if(name not in self.kinds, "notation.no_zone", zone=name[:30], zones=sorted(self.kinds))
            values.setdefault(seat + ".", {})[name] = _value(value, self.kinds[name])

        lines.read(text, take)
        return put_together(lambda: lines.state(self._table(lines, values)))

    def _table(self, lines: Lines, values: dict[str, Any]) -> Any:
        made = {"seats": lines.seats, "chance": lines.chance}
        made |= {key: value for key, value in values.items() if key == "proposals"}
        for zone in self.sights.table.values():
            if zone.by == "seat":
                own = {s: {k: v for k, v in values.get(s + ".", {}).items() if k in zone.parts} for s in lines.seats}
                made[zone.name] = {s: _filled(zone.made, {"seat": s, **own[s]}) for s in lines.seats}
                continue
            under = {s: values[s + "."][zone.name] for s in lines.seats if zone.name in values.get(s + ".", {})}
            if under or zone.name in values:
                made[zone.name] = values.get(zone.name, under)
        return _filled(self.made, made)


def of_table(game: str, sights: Sights, known: Rulings) -> Notation:
    """Derive the notation. Raises Unfinished."""
    derived = _OfTable(game, sights, known)
    return Notation(derived.lines, derived.read)


def _filled(struct: Any, values: dict[str, Any]) -> Any:
    known = {f.name: f for f in msgspec.structs.fields(struct)}
    hints = typing.get_type_hints(struct)
    for name, f in known.items():
        if f.required and name not in values:
            values[name] = (typing.get_origin(hints[name]) or hints[name])()
    return struct(**{k: v for k, v in values.items() if k in known})


def _written(value: Any, zone: Zone, look: Look) -> str | None:
    """Serialise a field; None if the reader may not see it."""
    if zone.sight is None:
        return as_json(parts(value, zone, look))
    seen = shown(value, zone, look)
    if isinstance(seen, Unseen):
        return hidden([""] * seen.count, False) if seen.count is not None else None
    if isinstance(seen, bool):
        return "yes" if seen else "no"
    if isinstance(seen, str):
        return seen or "-"
    if isinstance(seen, list) and all(type(item) in PLAIN for item in seen):
        return ", ".join(map(str, seen))
    return as_json(seen)


def _value(text: str, kind: Any) -> Any:
    origin = typing.get_origin(kind) or kind
    if origin is bool:
        return {"yes": True, "no": False}[text]
    if origin is str:
        return "" if text == "-" else text
    if origin is list and not text.startswith(("[", "{")):
        return msgspec.convert(split(text), kind, strict=False)
    return msgspec.json.decode(text, type=kind)
