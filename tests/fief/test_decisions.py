"""Every question of Fief is a row of the table of decisions, and every row is a question or a part of one."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import fief
from engine.core.asks import Ask
from engine.fief import FIEF
from engine.fief.rules.court.elections import BISHOP, KING, POPE, Election
from tests.contract.walk import fresh, standing, walk, walk_with

ROWS = [line.split() for line in Path(__file__).with_name("decisions.txt").read_text("utf-8").splitlines()[1:]]
ASKED = {row[0] for row in ROWS if len(row) == 1}
"""Those that are questions of their own; the others are fields or options of these, or the table's, whatever is played."""
CODE = Path(fief.__file__).parent


def written() -> set[str]:
    """The rows that stand in the code as those of questions."""
    found = {f"D-{office}-{n}" for office in ("BIS", "POP", "KNG") for n in (1, 2)}  # these are put together
    for file in CODE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"D-[A-Z]{3}-\d", node.value):
                found.add(node.value)
    return found


def asks(n: int, number: int, bot: str = "") -> Iterator[Ask]:
    """All that is asked and stands open in a game."""
    match, rng = fresh(FIEF, n, number), random.Random(number)
    for step in walk_with(match, bot, rng, 400) if bot else walk(match, rng, 0.2, 400):
        yield step.ask
        for seat in match.state.table.seats:
            yield from (ask for ask, _ in standing(FIEF, match.state, seat))


def test_the_code_asks_what_the_table_of_decisions_has_and_nothing_else() -> None:  # FF-D-1
    assert len(ROWS) == len({row[0] for row in ROWS}) == 76
    assert {row[1] for row in ROWS if len(row) > 1} <= ASKED | {"table"}
    assert written() == ASKED
    offices = {Election(office=office)._row(n) for office in (BISHOP, POPE, KING) for n in (1, 2)}
    assert offices <= ASKED and len(offices) == 6


@pytest.mark.parametrize(("n", "number", "bot"), [(3, 1, ""), (6, 2, ""), (4, 3, "steady")])
def test_every_question_of_a_game_bears_a_row_of_the_table(n: int, number: int, bot: str) -> None:  # FF-D-1
    found = {(ask.kind, ask.rule) for ask in asks(n, number, bot)}
    assert len(found) > 12 and {rule for _, rule in found} <= ASKED, sorted(found)
