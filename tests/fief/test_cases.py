"""Every case file holds, and each of its events is as recorded: the worked examples, and rules by themselves.

After a change that was meant to change events, questions or positions, record them again

    WRIT_TELL_ANEW=1 .venv/bin/python -m pytest tests/fief/test_cases.py

and read the difference that git shows before you keep it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.play import cases
from tests.fief.recorded import FOLDER as RECORDED
from tests.fief.recorded import Record, stays
from tests.rule_ids import listed

FOLDER = Path(__file__).parents[1] / "cases" / "fief"
FILES = sorted(FOLDER.glob("*.case"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_case_holds(file: Path) -> None:
    record = Record(file.read_text("utf-8"))
    assert cases.run(file, record.watch) == []
    changed = stays(RECORDED / f"{file.stem}.txt", record.lines)
    assert not changed, "what happens has changed:\n" + "\n".join(changed)


def test_every_example_has_its_case() -> None:
    assert {f.stem for f in FILES if "-EX-" in f.stem} == {f"FF-EX-{n}" for n in range(1, 115)}


def test_every_case_is_called_by_a_rule() -> None:
    assert {f.stem for f in FILES} <= set(listed(Path(__file__).parent / "rule_ids.txt"))


def test_every_record_has_its_case() -> None:
    assert {f.stem for f in RECORDED.glob("*.txt")} == {f.stem for f in FILES}
