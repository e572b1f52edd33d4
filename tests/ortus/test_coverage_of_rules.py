"""Every rule of the base game is named somewhere under tests/, next to what shows it."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
IDS = [line for line in (Path(__file__).parent / "rule_ids.txt").read_text("utf-8").split("\n") if line and line[0] != "#"]
NAMED = re.compile(r"\b(OR-[A-Z]+|DEF|D)-(\d+)((?:(?:, | and | to |…|–)\d+\b)*)")


def named(text: str) -> set[str]:
    """The rule ids in a text; `OR-POL-1, 2 and 5` names three, `D-41 to 43` too."""
    found: set[str] = set()
    for area, first, more in NAMED.findall(text):
        last = int(first)
        found.add(f"{area}-{first}")
        for joint, number in re.findall(r"(, | and | to |…|–)(\d+)", more):
            n = int(number)
            found |= {f"{area}-{k}" for k in (range(last, n + 1) if joint in (" to ", "…", "–") else (n,))}
            last = n
    return found


def test_ids_are_read_as_people_write_them() -> None:
    assert named("OR-POL-1, 2 and 4, D-30 to 32") == {"OR-POL-1", "OR-POL-2", "OR-POL-4", "D-30", "D-31", "D-32"}
    assert named("OR-BAT-4…6; DEF-2") == {"OR-BAT-4", "OR-BAT-5", "OR-BAT-6", "DEF-2"}


def test_the_list_has_every_id_once() -> None:
    assert len(IDS) == len(set(IDS)) > 250


def test_every_rule_is_named_by_a_test_or_a_case() -> None:
    files = [p for kind in ("*.py", "*.case") for p in TESTS.rglob(kind) if p != Path(__file__)]
    found = set[str]().union(*(named(p.read_text("utf-8")) for p in files))
    missing = [id for id in IDS if id not in found]
    assert not missing, f"{len(missing)} rules are named by no test: {', '.join(missing)}"
