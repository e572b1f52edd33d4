"""Every rule of Medieval Mastery is named by a case, or in a test here that asserts something."""

from __future__ import annotations

from pathlib import Path

from tests.rule_ids import listed, missing

HERE = Path(__file__).parent
CASES = sorted((HERE.parent / "cases" / "mastery").glob("*.case"))
ELSEWHERE = [HERE.parent / "service/games/test_lobby.py", HERE.parent / "workers/test_windows.py"]
"""What is the service's to do: the choice of a colour, windows that close at their deadline alone."""
IDS = listed(HERE / "rule_ids.txt")
AREAS = "MM-[A-Z]+"


def test_the_list_has_every_id_once() -> None:
    assert len(IDS) == len(set(IDS)) == 342


def test_every_rule_is_named_by_a_test_or_a_case() -> None:
    files = [p for p in HERE.glob("test_*.py") if p != Path(__file__)] + CASES + ELSEWHERE
    left = missing([id for id in IDS if "-EX-" not in id], files, AREAS)
    assert not left, f"{len(left)} rules are named by no test: {', '.join(left)}"


def test_every_worked_example_is_a_case() -> None:
    left = missing([id for id in IDS if "-EX-" in id], CASES, AREAS)
    assert not left, f"{len(left)} examples are no case: {', '.join(left)}"
