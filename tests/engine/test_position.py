"""What positions and cases are read from: files within bounds, and what is wrong with them in one short line."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from engine.core.asks import Answer, NotUnderstood
from engine.core.procedure import Outcome
from engine.language.words import plain, say
from engine.play import cases
from engine.text.notation import (
    LONGEST,
    MOST_ALIKE,
    blamed,
    each_line,
    hidden,
    pair,
    put_together,
    read_asked,
    read_chance,
    read_outcome,
    read_seats,
    read_text,
    said,
    split,
)


def test_a_file_is_read_up_to_its_bound_and_told_where_it_is_none(tmp_path: Path) -> None:
    file = tmp_path / "long.case"
    for size in (LONGEST - 1, LONGEST):
        file.write_bytes(b"x" * size)
        assert len(read_text(file)) == size
    file.write_bytes(b"x" * (LONGEST + 1))
    with pytest.raises(NotUnderstood, match=r"long\.case"):
        read_text(file)
    file.write_bytes(b"\xef\xbb\xbfseats: a b\n")
    assert read_text(file) == "seats: a b\n", "a mark of the order of bytes is none of its letters"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(NotUnderstood, match=r"long\.case"):
        read_text(file)
    with pytest.raises(NotUnderstood, match=r"none\.case.*No such file"):
        read_text(tmp_path / "none.case")


def test_a_case_is_run_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "X.case"
    file.write_text("case: X\ngiven\nseats: a b\na.hand: Land\nmoves\na: end\nexpect\nasked: a turn\n", "utf-8")
    (fault,) = cases.run(file)
    assert fault.startswith("X: line ")
    assert cases.run(str(file)) == [fault]


def test_a_problem_is_one_short_line_that_can_be_sent() -> None:
    assert said(ValueError("first\nsecond")) == "ValueError: first"
    assert said(KeyError("x" * 200)) == "KeyError: '" + "x" * 109
    assert said(ValueError("half \ud800 of it")) == "ValueError: half ? of it"


def test_like_items_are_counted_up_to_their_bound() -> None:
    assert split(f"{MOST_ALIKE} Land") == split(f"Land*{MOST_ALIKE}") == ["Land"] * MOST_ALIKE
    for many in (f"{MOST_ALIKE + 1} Land", f"Land*{MOST_ALIKE + 1}"):
        with pytest.raises(NotUnderstood, match="too many"):
            split(many)


def test_a_dash_is_no_secret_and_draws_are_counted() -> None:
    assert read_chance('- {"joust": 2}').secret == "" and read_chance("- {}").drawn == {}
    assert read_chance('s {"joust": 2}').drawn == {"joust": 2} and read_chance("s").secret == "s"


def test_what_a_case_leaves_to_chance_is_drawn_alike_for_ever() -> None:
    """Cases that are there already hold by it."""
    text = "case: X\ngiven\nfresh: a b\nmoves\ndefault a\ndefault b\nexpect\nasked: a turn\nbegins a.hand: Monk, Land\n"
    assert cases.run_text(text) == []


def test_sealed_answers_are_read_with_the_spaces_in_them() -> None:
    sealed = {"b": Answer("go", {"to": "the old town"})}
    text = f'7 ["a"] {msgspec.json.encode(sealed).decode()}'
    assert read_asked(text) == (7, ["a"], sealed)


def test_a_line_without_a_colon_is_quoted_as_far_as_sixty_letters() -> None:
    assert pair("a.hand : 2 Land ") == ("a.hand", "2 Land")
    for length in (60, 61):
        with pytest.raises(NotUnderstood, match=r"“x{60}”"):
            pair("x" * length)


def test_lines_that_do_not_fit_together_are_refused_with_the_problem() -> None:
    def fault() -> int:
        raise KeyError("the seventh seat")

    with pytest.raises(NotUnderstood, match="the seventh seat"):
        put_together(fault)
    assert put_together(lambda: 7) == 7


def test_an_outcome_names_its_winners_and_how() -> None:
    assert read_outcome("a,b points") == Outcome(("a", "b"), "points") and read_outcome("a last") == Outcome(("a",), "last")
    assert read_outcome(" ended") == Outcome((), "ended"), "nobody has won what the table ended"


@pytest.mark.parametrize("text", ["a a", "a g", "", "a B", "ab"])
def test_seats_are_different_letters_from_a_to_f(text: str) -> None:
    with pytest.raises(NotUnderstood) as refusal:
        read_seats(text)
    assert str(refusal.value) == f"“{text}” aren't seats; they are different letters from a to f: `seats: a b c`."
    assert read_seats("b a  f") == ["b", "a", "f"]


def kings(text: str) -> list[str]:
    """A reader of a notation of courts, in which no line may be too long, and no court have two kings."""
    found = list[str]()

    def take(line: str) -> None:
        if len(line) > 20:
            raise NotUnderstood(plain("that is too long"))
        found.append(line)

    each_line(text, take)
    if not found:
        raise NotUnderstood(plain("nobody is here"))
    if found.count("king") > 1:
        raise NotUnderstood(plain("there are two kings"))
    return found


def test_what_is_wrong_with_lines_together_is_told_with_the_line_that_makes_it_so() -> None:
    assert blamed(kings, "king\nqueen\n") == ["king", "queen"]
    for text, line in (("king\nking\n", 2), ("king\nqueen\nfool\nking\nking\nmonk", 4), ("\n\nking\n\n#\nking", 6)):
        with pytest.raises(NotUnderstood) as refusal:
            blamed(kings, text)
        assert refusal.value.said == say("position.line_breaks", line=line, reason=plain("there are two kings"))
    for text, fault in (("", plain("nobody is here")), ("\n#king\n", plain("nobody is here"))):
        with pytest.raises(NotUnderstood) as refusal:
            blamed(kings, text)
        assert refusal.value.said == fault, "that is no line's fault"
    with pytest.raises(NotUnderstood) as refusal:
        blamed(kings, "king\n" + "fool " * 9 + "\nking")
    assert refusal.value.said == say("position.line", line=2, reason=plain("that is too long")), "its line is told already"


def test_lines_are_given_without_remarks_but_those_that_machines_write() -> None:
    lines = list[str]()
    each_line('  king # the old\n\n#queen\n stack: {"a":"#1"}\nmap: #2\nchance: # 3\n', lines.append)
    assert lines == ["king", 'stack: {"a":"#1"}', "map:", "chance: # 3"]
    lines.clear()
    each_line("map: #2\nstack: #1\n", lines.append, ("map",))
    assert lines == ["map: #2", "stack:"]


def test_a_line_on_which_a_reader_chokes_is_quoted_with_the_problem() -> None:
    for n in (60, 61):
        with pytest.raises(NotUnderstood) as refusal:
            each_line("\n" + "x" * n, int)  # type: ignore[arg-type]  # a reader that chokes
        problem = f"ValueError: invalid literal for int() with base 10: '{'x' * n}'"[:120]
        assert refusal.value.said == say("position.line_not_read", line=2, text="x" * 60, problem=problem)


def test_items_are_listed_or_counted_for_who_may_not_see_them() -> None:
    assert (hidden(["Land", "Church"], True), hidden(["Land", "Church"], False)) == ("Land, Church", "?2")
    assert hidden([], False) == hidden([], True) == ""


def test_items_are_read_with_their_numbers_wherever_these_stand() -> None:
    assert split("2 Land, , Church ,Royal Army*2,  3   Old Monk") == [
        "Land", "Land", "Church", "RoyalArmy", "RoyalArmy", "OldMonk", "OldMonk", "OldMonk",
    ]  # fmt: skip
    with pytest.raises(NotUnderstood) as refusal:
        split(" 1001 " + "Land" * 20)
    assert refusal.value.said == say("position.too_many", text=("1001 " + "Land" * 20)[:40], most=1000)


def test_a_file_that_is_none_is_told_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "a.case"
    with pytest.raises(NotUnderstood) as refusal:
        read_text(file)
    assert refusal.value.said == say("position.no_file", file=str(file), problem="No such file or directory")
    file.write_bytes(b"\xff")
    with pytest.raises(NotUnderstood) as refusal:
        read_text(file)
    assert refusal.value.said == say("position.no_text", file=str(file))
    file.write_bytes(b"x" * (LONGEST + 1))
    with pytest.raises(NotUnderstood) as refusal:
        read_text(file)
    assert refusal.value.said == say("position.too_long", file=str(file), most=LONGEST)


def test_values_that_are_quoted_are_cut() -> None:
    for value in ("x" * 30, "x" * 31):
        with pytest.raises(NotUnderstood) as refusal:
            read_seats(value)
        assert refusal.value.said == say("position.no_seats", text="x" * 30)
