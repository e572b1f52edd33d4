"""Every case file holds: the worked examples of the rules as positions, and others named after a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.play import cases

FOLDER = Path(__file__).parents[1] / "cases" / "mastery"
FILES = sorted(FOLDER.glob("*.case"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_case_holds(file: Path) -> None:
    assert cases.run(file) == []


def test_every_example_has_its_case() -> None:
    assert {f.stem for f in FILES if "-EX-" in f.stem} == {f"MM-EX-{n}" for n in range(1, 55)}
