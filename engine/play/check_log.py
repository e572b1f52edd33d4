"""Checks an uploaded log in a subprocess: `python -m engine.play.check_log CPU MEMORY ENTRIES`, the log on standard input. CPU
(seconds) and MEMORY (bytes) are kernel resource limits. Writes a `Checked` as JSON.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from typing import Any

import msgspec

from engine.core.asks import Refused, read
from engine.games import SHIPPED
from engine.play import match as matches

LONGEST_ANSWER = 16_000_000
"""Bytes that the asking process has to read at most; a log of 1.5 MB gives about two."""


class Checked(msgspec.Struct, frozen=True):
    """Result: a sentence of `Verdict.said`, or the limit that the log broke; a sound log's events too."""

    holds: bool = False
    said: dict[str, Any] = {}
    limit: str = ""
    """`entries`, `memory`, or `game` for one that isn't shipped."""
    line: int = 0
    """Number of the line that isn't text."""
    redacted: bool = False
    """Whether moves are left out."""
    header: str = ""
    seed: str = ""
    """Hex."""
    winners: list[str] = []
    how: str = ""
    entries: list[tuple[Any, ...]] = []
    """Values of `match.Entry` in its order."""
    events: list[tuple[int, int, str, dict[str, Any], list[str] | None, list[str]]] = []
    """Entry, number within it, kind, facts, `only`, `but`."""


def limit(cpu: int, memory: int) -> None:
    """Set resource limits: CPU seconds from now, then SIGXCPU; bytes of address space."""
    spent = math.ceil(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (spent + cpu, spent + cpu + 1))
    if sys.platform != "darwin":  # which doesn't enforce it, and refuses small ones
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check(data: bytes, most: int) -> Checked:
    """Check a stranger's log of at most `most` entries: format, shipped game, chain, every move."""
    lines: list[str] = []
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n") if data else [], 1):
        if number > most + 1:
            return Checked(limit="entries")
        try:
            lines.append(line.decode())
        except UnicodeDecodeError:
            return Checked(line=number)
    try:
        if lines and matches.read_header(lines[0]).game not in SHIPPED:
            return Checked(limit="game")
    except Refused:
        pass  # `verify` gives the reason
    verdict = matches.verify(lines)
    if not verdict.holds:
        return Checked(said=verdict.said.stored(), redacted=any(b'"move":null' in line for line in data.split(b"\n")))
    header, entries = matches.read_log(lines)
    revealed = read(entries[-1].move or "")
    match = matches.start(header, bytes.fromhex(revealed.pick("seed")))
    told = [(0, match.opening), *((entry.n, events) for entry, events in matches.follow(match, entries, trusted=True))]
    return Checked(
        holds=True,
        said=verdict.said.stored(),
        header=lines[0],
        seed=match.seed.hex(),
        winners=[*verdict.winners],
        how=revealed.pick("how"),
        entries=[msgspec.structs.astuple(entry) for entry in entries],
        events=[
            (n, i, one.kind, one.facts, None if one.only is None else [*one.only], [*one.but])
            for n, events in told
            for i, one in enumerate(events)
        ],
    )


def main() -> None:
    cpu, memory, most = map(int, sys.argv[1:])
    limit(cpu, memory)
    try:
        found = msgspec.json.encode(check(sys.stdin.buffer.read(), most))
        if len(found) > LONGEST_ANSWER:
            raise MemoryError
    except MemoryError:
        found = msgspec.json.encode(Checked(limit="memory"))
    sys.stdout.buffer.write(found)


if __name__ == "__main__":
    main()
