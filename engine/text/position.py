"""Position notation shared by all games: lines `key: value`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine.core.asks import SEATS, Answer, NotUnderstood, Refused, Seat
from engine.core.chance import Chance
from engine.core.procedure import Outcome, Parked, State
from engine.language.words import Message, say

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


def outcome_line(outcome: Outcome | None) -> Iterator[str]:
    if outcome is not None:
        yield f"outcome: {','.join(outcome.winners)} {outcome.how}"


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
        if _told(fault) or _fault(read, "") == fault:
            raise
        # Invariant: `good` lines are consistent, `bad` lines aren't.
        good, bad = 0, len(lines)
        while bad - good > 1:
            middle = (good + bad) // 2
            so = _fault(read, "\n".join(lines[:middle])) == fault
            good, bad = (good, middle) if so else (middle, bad)
        raise NotUnderstood(say("position.line_breaks", line=bad, reason=fault)) from None


def _told(fault: object) -> bool:
    return isinstance(fault, Message) and fault.code in ("position.line", "position.line_not_read")


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
    if len(data) > LONGEST:
        raise NotUnderstood(say("position.too_long", file=str(file), most=LONGEST))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotUnderstood(say("position.no_text", file=str(file))) from None


def read_seats(value: str) -> list[Seat]:
    """Raises NotUnderstood."""
    seats = value.split()
    if not seats or len(set(seats)) < len(seats) or not set(seats) <= set(SEATS):
        raise NotUnderstood(say("position.no_seats", text=value[:30]))
    return seats


def pair(line: str) -> tuple[str, str]:
    """Raises NotUnderstood."""
    key, colon, value = (part.strip() for part in line.partition(":"))
    if not colon:
        raise NotUnderstood(say("position.no_pair", text=line[:60]))
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
        if times > MOST_ALIKE:
            raise NotUnderstood(say("position.too_many", text=part.strip()[:40], most=MOST_ALIKE))
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
