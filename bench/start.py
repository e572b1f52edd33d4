"""Benchmark: CPU time of short commands next to an empty Python process.

python bench/start.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

from bench.figures import figure, machine

ROOT = Path(__file__).resolve().parents[1]
LOG = ROOT / "tests" / "games" / "ortus" / "6-earls-last-falls-by-deck.jsonl"
"""300 entries."""
WRIT = [sys.executable, "-m", "service.ops.cli"]
COMMANDS = {
    "python": [sys.executable, "-c", "pass"],
    "writ verify": [*WRIT, "verify", str(LOG)],
    "writ --help": [*WRIT, "--help"],
    "writ host --help": [*WRIT, "host", "--help"],
    "writ up --help": [*WRIT, "up", "--help"],
    "writ games": [*WRIT, "games"],
}


COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Environment with bytecode caching, as when installed."""


def cpu(command: list[str]) -> float:
    """CPU seconds of a command."""
    before = os.times()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, env=COMPILED)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    machine()
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for command in COMMANDS.values():
        cpu(command)  # fills the bytecode cache
    for _ in range(given.rounds):
        for name, command in COMMANDS.items():
            taken[name].append(cpu(command))
    base = statistics.median(taken["python"])
    for name, found in taken.items():
        figure(
            "start",
            statistics.median(found),
            "s of CPU",
            command=name,
            least=round(min(found), 3),
            most=round(max(found), 3),
            python_alone=round(base, 3),
        )


if __name__ == "__main__":
    main()
