"""The recorded games of `tests/games/recorded/`: lists, logs and results.

    python -m tests.recorded            # plays what the lists name and has no log yet
    python -m tests.recorded ortus      # of one game

`GAME.toml` lists a game a line: what `engine.tools.recording.Plan` takes. Its log is `GAME/NAME.jsonl.xz`, its hash and
result a line of `results.txt`. Logs are never written again: bots change, and what was recorded is the promise that rules and
rulings stay.
"""

from __future__ import annotations

import lzma
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.games import GAMES
from engine.play import match as matches
from engine.play.match import Match
from engine.tools import recording
from engine.tools.recording import Plan
from tests.ortus.idle import measured

FOLDER = Path(__file__).with_name("games") / "recorded"
RESULTS = FOLDER / "results.txt"


@dataclass(frozen=True)
class Recorded:
    game: str
    name: str
    plan: Plan
    decides: tuple[str, ...] = ()
    """Rulings by whose other values the log wouldn't hold."""

    @property
    def file(self) -> Path:
        return FOLDER / self.game / f"{self.name}.jsonl.xz"

    @property
    def id(self) -> str:
        return f"{self.game}/{self.name}"

    def lines(self) -> list[str]:
        return lzma.decompress(self.file.read_bytes()).decode().splitlines()


@cache
def listed() -> list[Recorded]:
    """All games of all lists."""
    return [
        one(game, name, facts)
        for game in GAMES
        if (FOLDER / f"{game}.toml").is_file()
        for name, facts in tomllib.loads((FOLDER / f"{game}.toml").read_text("utf-8")).items()
    ]


def one(game: str, name: str, facts: dict[str, Any]) -> Recorded:
    """A line of a list. Raises TypeError for an unknown key."""
    words = {key: str(facts.pop(key, "")) for key in ("bots", "rulings", "decides", "file")}
    rulings = dict(word.split("=") for word in words["rulings"].split())
    file = (FOLDER / words["file"]).read_text("utf-8") if words["file"] else ""
    bots = words["bots"].split(",") if words["bots"] else ["random"]
    plan = Plan(bots=bots, rulings=rulings, file=file, **facts)
    return Recorded(game, name, plan, tuple(words["decides"].split()))


def results() -> dict[str, str]:
    """Game and name -> last hash, reason and winners, as text."""
    lines = RESULTS.read_text("utf-8").splitlines() if RESULTS.exists() else []
    return dict(line.split(" ", 1) for line in lines)


def result(lines: Sequence[str]) -> str:
    """`HASH REASON WINNERS` of a whole log."""
    last = matches.read_entry(len(lines), lines[-1])
    _, _, winners, how = (last.move or "").split()
    return f"{last.hash} {how.removeprefix('how=')} {winners.removeprefix('winners=').strip('[]') or '-'}"


def record(one: Recorded) -> Match:
    """Play a listed game. Raises Refused."""
    return recording.play(measured(GAMES[one.game]), one.plan)


def write(one: Recorded, match: Match) -> str:
    """Write a log and its result; returns the result. Raises FileExistsError for a log that is there."""
    text = recording.text(match)
    verdict = matches.verify(text.splitlines())
    assert verdict.holds, verdict.sentence
    one.file.parent.mkdir(parents=True, exist_ok=True)
    with one.file.open("xb") as file:
        file.write(lzma.compress(text.encode(), preset=9))
    found = result(text.splitlines())
    with RESULTS.open("a", encoding="utf-8", newline="\n") as file:
        file.write(f"{one.id} {found}\n")
    return found


def main(games: Sequence[str]) -> None:
    for game in listed():
        if game.file.exists() or (games and game.game not in games):
            continue
        print(game.id, write(game, record(game)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
