"""The report of mutants, and its list of those that change nothing."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.mutants.report import LIST, Change, function_of, functions, report, reviewed
from tests.tables import complete

ROOT = Path(__file__).parents[2]
KNOWN = reviewed(LIST.read_text("utf-8"))

MUTATED = """
@wrapped
def double(n):
    return n * 2

def x_double__mutmut_orig(n):
    return n * 2

def x_double__mutmut_1(n):
    return n / 2

def x_double__mutmut_2(n):
    return n * 3

class Pile:
    def xǁPileǁtop__mutmut_orig(self):
        if self.cards:
            return self.cards[-1]

    def xǁPileǁtop__mutmut_1(self):
        if self.cards or True:
            return self.cards[-1]
"""
RESULTS = {"engine.sums.x_double__mutmut_1": 0, "engine.sums.x_double__mutmut_2": 1, "engine.sums.xǁPileǁtop__mutmut_1": 0}
LISTED = """
# A remark.

engine.sums.Pile.top
- if self.cards:
+ if self.cards or True:
why: a pile is never
empty.
"""


def test_a_list_is_read_with_its_reasons() -> None:
    changed = Change("engine.sums.Pile.top", ("if self.cards:",), ("if self.cards or True:",))
    assert reviewed(LISTED) == {changed: "a pile is never empty."}
    for bad in ("engine.sums.Pile.top\n- if a:\n+ if b:", "engine.sums.Pile.top\nwhy: nothing changes."):
        with pytest.raises(ValueError, match=r"engine.sums.Pile.top: an equivalent mutant has lines"):
            reviewed(bad)


def test_a_mutant_is_named_after_its_function() -> None:
    assert function_of("engine.ortus.xǁEarlǁin_hand__mutmut_12") == "engine.ortus.Earl.in_hand"
    assert function_of("engine.ortus.rules.turn.x__fief__mutmut_1") == "engine.ortus.rules.turn._fief"


def test_the_report_counts_by_module_and_shows_who_survived(tmp_path: Path) -> None:
    folder = tmp_path / "engine"
    folder.mkdir()
    (folder / "sums.py").write_text(MUTATED, "utf-8")
    (folder / "sums.py.meta").write_text(json.dumps({"exit_code_by_key": RESULTS}), "utf-8")
    lines = report(tmp_path, {}).split("\n")
    assert [line.split() for line in lines[:3]] == [
        ["module", "killed", "equivalent", "survived", "untested", "not", "run"],
        ["engine.sums", "1", "0", "2", "0", "0"],
        ["all", "1", "0", "2", "0", "0"],
    ]
    assert (
        lines[3].startswith("33.3 % of 3 mutants")
        and "engine.sums.double    (mutmut show engine.sums.x_double__mutmut_1)" in lines
    )
    assert lines[lines.index("- return n * 2") + 1] == "+ return n / 2"
    known = report(tmp_path, reviewed(LISTED)).split("\n")
    assert known[1].split() == ["engine.sums", "1", "1", "1", "0", "0"] and known[3].startswith("50.0 % of 2")
    assert "Pile" not in "\n".join(known)


@pytest.mark.parametrize("changed", KNOWN, ids=lambda c: c.function)
def test_what_is_listed_as_equivalent_still_stands_in_the_source(changed: Change) -> None:
    parts = changed.function.split(".")
    paths = [(n, ROOT.joinpath(*parts[:n])) for n in range(len(parts) - 1, 1, -1)]
    files = [(n, file) for n, path in paths for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()]
    n, source = files[0]
    lines = functions(source.read_text("utf-8"))[".".join(parts[n:])]
    assert set(changed.gone) <= set(lines), f"{changed.function} has been rewritten: look at it anew"


def test_the_mutants_of_every_game_are_run_against_its_tests() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    selection = settings["pytest_add_cli_args_test_selection"]
    assert {f"tests/{game}" for game in complete()} <= {*selection} and settings["only_mutate"] == ["engine/*"]
    without = [entry.partition("=")[2].partition("::") for entry in selection if entry.startswith("--")]
    assert [file for file, _, _ in without if not (ROOT / file).is_file()] == []
    assert all(f"def {test}(" in (ROOT / file).read_text("utf-8") for file, _, test in without if test)
