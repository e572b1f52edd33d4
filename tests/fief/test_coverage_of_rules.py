"""Every rule of Fief is named by a case, or in a test here that asserts something; but for a list that may only shrink."""

from __future__ import annotations

from pathlib import Path

from tests.rule_ids import listed, missing

HERE = Path(__file__).parent
CASES = sorted((HERE.parent / "cases" / "fief").glob("*.case"))
IDS = listed(HERE / "rule_ids.txt")
AREAS = "FF-[A-Z0-9]+"


def test_the_list_has_every_id_once() -> None:
    assert len(IDS) == len(set(IDS)) == 544


def test_what_no_test_names_is_listed_and_nothing_else() -> None:
    files = [p for p in HERE.glob("test_*.py") if p != Path(__file__)] + CASES
    left = missing([id for id in IDS if "-EX-" not in id], files, AREAS)
    told = listed(HERE / "not_yet.txt")
    assert left == told, f"shown by now: {sorted({*told} - {*left})}; shown no longer: {sorted({*left} - {*told})}"


def test_every_worked_example_is_a_case() -> None:
    left = missing([id for id in IDS if "-EX-" in id], CASES, AREAS)
    assert not left, f"{len(left)} examples are no case: {', '.join(left)}"
