"""Replies as people write them, to questions of all games: what is friendly is understood, and nothing is played in doubt."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from engine.core.asks import Answer, Refused, write
from engine.ui.forms import Form, FormChoice, FormOption, SomeField
from engine.ui.heard import Heard, example, understand, ways
from service.inbox import answers, quoting, second_thoughts

HERE = Path(__file__).parent
ASKED = msgspec.json.decode((HERE / "asked.json").read_bytes(), type=dict[str, Form])
CORPUS = [
    tuple(part.strip(" ") for part in line.split(" | "))
    for line in (HERE / "replies.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def played(name: str, reply: str) -> str:
    """What a reply to a question plays; empty where it comes back."""
    lines = reply.replace("\\n", "\n").strip().split("\n")
    try:
        answer = answers.parse(ASKED[name], lines[: quoting.ends(lines, ())], ("Anna of Ely",))
    except Refused as refusal:
        assert str(refusal)
        return ""
    # A word that is no option is refused where the answer is queued.
    return write(answer) if ASKED[name].option(answer.option) is not None else ""


@pytest.mark.parametrize(("name", "reply", "answer"), CORPUS)
def test_a_reply_is_understood_or_comes_back(name: str, reply: str, answer: str) -> None:
    assert played(name, reply) == ("" if answer in ("?", "~") else answer)


def test_nine_friendly_forms_of_ten_are_understood_and_none_is_taken_for_another() -> None:
    counted = Counter[str]()
    for name, reply, answer in CORPUS:
        found = played(name, reply)
        what = "doubtful" if answer == "?" else "friendly"
        counted[f"{what}, {'refused' if not found else 'right' if found == answer else 'wrong'}"] += 1
    print(dict(counted))
    assert len(CORPUS) >= 150 and len({name.split()[0] for name, _, _ in CORPUS}) == 3
    assert not any(n for what, n in counted.items() if what.endswith("wrong"))
    assert not counted["doubtful, right"]
    friendly = counted["friendly, right"] + counted["friendly, refused"]
    assert counted["friendly, right"] >= 0.9 * friendly


@pytest.mark.parametrize("name", ASKED)
def test_the_examples_of_a_letter_are_read_as_they_are_meant(name: str) -> None:
    form = ASKED[name]
    for option in form.options:
        said = example(form, option)
        assert not said or played(name, said).partition(" ")[0] == option.id
        assert "=" not in said, "these are all written in words"
        assert understand(form, str(form.options.index(option) + 1)).option == option


def test_after_a_number_and_a_colon_a_choice_precedes_another_option_of_its_name() -> None:
    known = ASKED["ortus turn"]
    towers = msgspec.structs.replace(
        known.options[0], fields=[SomeField("cards", "Cards", [FormChoice("Banner/c", "Banner", 1, 0)], 1, 1)]
    )
    form = msgspec.structs.replace(known, options=[towers, FormOption("banner", "Display a Banner", False, [], short="Banner")])
    assert example(form, towers) == "1: Banner"
    assert understand(form, "1: Banner").answer == Answer("tower", {"cards": ["Banner/c"]})
    assert understand(form, "2: Banner").answer == Answer("banner")
    for doubtful in ("1 Banner", "1. Banner", "1: Banner?", "1: Display a Banner", "7: Banner"):
        assert understand(form, doubtful).answer is None


def test_no_and_a_number_is_the_option_only_if_both_name_it() -> None:
    known = ASKED["fief draw"]
    for options, number in ((["yes", "no"], 2), (["no", "yes"], 1), (["yes", "no", "none"], 2)):
        form = msgspec.structs.replace(known, options=[FormOption(id, id.capitalize(), False, []) for id in options])
        for n in range(1, len(options) + 1):
            for said in (f"No {n}", f"no, {n}", f"No {n}."):
                assert understand(form, said).answer == (Answer("no") if n == number else None)


def test_a_small_question_tells_all_that_can_be_written() -> None:
    assert ways(ASKED["mastery support"]) == ["pass", "+1", "+2"]
    assert ways(ASKED["fief draw"]) == ["A Fortune card", "A Lords card", "Draw no more"]
    assert ways(ASKED["ortus turn"]) == []


def test_greetings_are_skipped_but_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """To look whether a greeting is an option takes milliseconds: 16,000 of them took ten seconds."""
    form, looked = ASKED["fief draw"], list[str]()

    def counted(form: Form, line: str) -> Heard:
        looked.append(line)
        return understand(form, line)

    monkeypatch.setattr(second_thoughts, "understand", counted)
    for lines, left in (
        (["Hi", "", "1"], ["1"]),
        (["", "Hello Bert,", "Hi", "1", "x"], ["1", "x"]),
        (["1", "2"], ["1", "2"]),
        (["Hi", ""], ["Hi", ""]),
        (["", ""], ["", ""]),
    ):
        assert second_thoughts.without_greeting(form, lines) == left
    looked.clear()
    assert second_thoughts.without_greeting(form, ["Hi"] * 16_000 + ["1"])[:1] == ["Hi"], "that is no answer, and comes back"
    assert len(looked) == second_thoughts.MOST_GREETINGS


def test_what_is_not_understood_is_answered_with_the_two_nearest() -> None:
    with pytest.raises(Refused, match=r"Did you mean “\d\. [^”]*”, “\d\. [^”]*”\?") as refused:
        answers.parse(ASKED["ortus turn"], ["put in a Lord now"])
    assert "“4. Install a Lord”" in str(refused.value)
