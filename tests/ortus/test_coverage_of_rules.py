"""Every rule is named by a case, or in a test that asserts something: a name elsewhere doesn't count."""

from __future__ import annotations

from pathlib import Path

from tests.rule_ids import listed, missing, named, shown

TESTS = Path(__file__).parents[1]
IDS = listed(Path(__file__).parent / "rule_ids.txt")
AREAS = "OR-[A-Z]+|DEF|D"


def test_ids_are_read_as_people_write_them() -> None:
    assert named("OR-POL-1, 2 and 4, D-30 to 32", AREAS) == {"OR-POL-1", "OR-POL-2", "OR-POL-4", "D-30", "D-31", "D-32"}
    assert named("OR-BAT-4…6; DEF-2", AREAS) == {"OR-BAT-4", "OR-BAT-5", "OR-BAT-6", "DEF-2"}


NAMES = """
'''OR-POL-1'''
# OR-POL-2

def helper():
    '''OR-POL-3'''
    assert True

def test_nothing():
    play()  # OR-POL-4

@pytest.mark.parametrize("id", ["OR-POL-5"])
def test_something(id):
    # OR-POL-6
    assert play(id)  # OR-POL-7

# OR-POL-8
def test_refused():
    with pytest.raises(Refused):
        play()  # OR-POL-9
"""


def test_a_name_alone_shows_no_rule(tmp_path: Path) -> None:
    file = tmp_path / "test_names.py"
    file.write_text(NAMES, "utf-8")
    assert named(shown(file), AREAS) == {"OR-POL-5", "OR-POL-6", "OR-POL-7", "OR-POL-9"}
    case = tmp_path / "a.case"
    case.write_text("case: OR-EX-1\nrules: OR-POL-1, 2\nshows: OR-POL-3\ngiven\n  seats: a b\n# OR-POL-4\n", "utf-8")
    assert named(shown(case), AREAS) == {"OR-EX-1", "OR-POL-1", "OR-POL-2"}


def test_the_list_has_every_id_once() -> None:
    assert len(IDS) == len(set(IDS)) > 250


def test_every_rule_is_named_by_a_test_or_a_case() -> None:
    others = (Path(__file__), TESTS / "rule_ids.py")
    files = [p for kind in ("*.py", "*.case") for p in TESTS.rglob(kind) if p not in others]
    left = missing(IDS, files, AREAS)
    assert not left, f"{len(left)} rules are named by no test: {', '.join(left)}"
