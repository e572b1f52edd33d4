"""Every case file holds: the worked examples of the rules, and rules by themselves, as positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import cases
from tests.rule_ids import listed

FOLDER = Path(__file__).parents[1] / "cases" / "fief"
FILES = sorted(FOLDER.glob("*.case"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_case_holds(file: Path) -> None:
    assert cases.run(file) == []


def test_every_example_has_its_case() -> None:
    assert {f.stem for f in FILES if "-EX-" in f.stem} == {f"FF-EX-{n}" for n in range(1, 115)}


def test_every_case_is_called_by_a_rule() -> None:
    assert {f.stem for f in FILES} <= set(listed(Path(__file__).parent / "rule_ids.txt"))
