"""Every rule of Medieval Mastery is named somewhere here or in its case files, next to what shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = HERE.parent / "cases" / "mastery"
IDS = [line for line in (HERE / "rule_ids.txt").read_text("utf-8").split("\n") if line and line[0] != "#"]
NAMED = re.compile(r"\b(MM-[A-Z]+)-(\d+)((?:(?:, | and | to |…|–)\d+\b)*)")


def named(text: str) -> set[str]:
    """The rule ids in a text; `MM-BAT-1, 2 and 5` names three, `MM-CRN-5 to 7` too."""
    found: set[str] = set()
    for area, first, more in NAMED.findall(text):
        last = int(first)
        found.add(f"{area}-{first}")
        for joint, number in re.findall(r"(, | and | to |…|–)(\d+)", more):
            n = int(number)
            found |= {f"{area}-{k}" for k in (range(last, n + 1) if joint in (" to ", "…", "–") else (n,))}
            last = n
    return found


def missing(ids: list[str], files: list[Path]) -> list[str]:
    found = set[str]().union(*(named(p.read_text("utf-8")) for p in files))
    return [id for id in ids if id not in found]


def test_ids_are_read_as_people_write_them() -> None:
    assert named("MM-BAT-1, 2 and 4") == {"MM-BAT-1", "MM-BAT-2", "MM-BAT-4"}
    assert named("MM-CRN-5 to 7; MM-DAT-2") == {"MM-CRN-5", "MM-CRN-6", "MM-CRN-7", "MM-DAT-2"}


def test_the_list_has_every_id_once() -> None:
    assert len(IDS) == len(set(IDS)) == 341


def test_every_rule_is_named_by_a_test_or_a_case() -> None:
    files = [p for p in HERE.glob("test_*.py") if p != Path(__file__)] + sorted(CASES.glob("*.case"))
    left = missing([id for id in IDS if "-EX-" not in id], files)
    assert not left, f"{len(left)} rules are named by no test: {', '.join(left)}"


@pytest.mark.skipif(not CASES.exists(), reason="the worked examples are case files that are still to come")
def test_every_worked_example_is_a_case() -> None:
    left = missing([id for id in IDS if "-EX-" in id], [*sorted(CASES.glob("*.case")), *HERE.glob("test_*.py")])
    assert not left, f"{len(left)} examples are no case: {', '.join(left)}"
