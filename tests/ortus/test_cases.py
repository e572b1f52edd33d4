"""Every case file holds: the worked examples of the rules, as positions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.ortus.rules import combat, joust
from engine.play import cases

FOLDER = Path(__file__).parents[1] / "cases" / "ortus"
FILES = sorted(FOLDER.glob("*.case"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_case_holds(file: Path) -> None:
    assert cases.run(file) == []


def no_castle_of_three(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(combat, "strength", lambda _anchor: 3)


def nobody_exempt(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(joust, "is_exempt", lambda _earl: False)


def champion_as_prince_alone(patch: pytest.MonkeyPatch) -> None:
    true = joust.rank
    patch.setattr(joust, "rank", lambda tilter, dealt: true("Prince" if tilter == "Champion" else tilter, dealt))


@pytest.mark.parametrize(
    ("case", "mutant"),
    [("OR-OBJ-4", no_castle_of_three), ("OR-JOU-3", nobody_exempt), ("OR-JOU-9", champion_as_prince_alone)],
)
def test_cases_find_a_rule_that_is_broken(
    case: str, mutant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant(monkeypatch)
    assert cases.run(FOLDER / f"{case}.case")


@pytest.mark.parametrize("two", list(itertools.combinations(sorted(joust.RANKS), 2)), ids=str)
def test_no_two_joust_hands_can_be_swapped(
    two: tuple[tuple[int, int], tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    swapped = {**joust.RANKS, one: joust.RANKS[other], other: joust.RANKS[one]}
    monkeypatch.setattr(joust, "RANKS", swapped)
    assert cases.run(FOLDER / "OR-JOU-9.case")
