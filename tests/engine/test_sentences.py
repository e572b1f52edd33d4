"""Standing orders as sentences: which words stand where, what each may be, and which setting the chosen words make."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.asks import Answer, Row, Value
from engine.language.words import Catalogue
from engine.ui.forms import (
    Form,
    FormChoice,
    FormField,
    FormOption,
    NumberField,
    OneField,
    OrderField,
    RowsField,
    SimpleField,
    SomeField,
)
from engine.ui.sentences import Day, Fixed, OrderSentence, Piece, Word, answered, sentence, warnings, words_of

WORDS = """
[sentence]
G-1 = "At the gate: {toll}; {mood} first, {guards} guards{by}.{odd}"
G-2 = "At night I {option}."
"G-2:watch" = "with {dogs} dogs. {posts}"
"G-2.posts" = "On the {wall}{who}: {men} men."
G-3 = "{posts} {gifts}, and {names}"
G-4 = "I am {option}."
"G-4:until" = "until {date}, {dogs} dogs stay"
G-6 = "I come at {date}."
G-7 = "{posts}{date}"
"G-7.posts" = "{wall} wall."

[part]
"G-1.by" = ", asked by {by}"
"*.who" = ", {who} alone"
"G-4.date" = "{day} of {month} {year}"

[word]
"G-1.toll.free" = "nobody pays"
"G-1.half" = "half of it"
"*.toll.twice" = "all of it, twice"
"G-1.toll.open" = "ask the reeve"
"G-2.option.sleep" = "sleep"
"G-2.wall.open" = "no wall"
"G-2.dogs.2" = "two"
"*.posts.open" = "Nobody."
"G-7.posts.open" = "No wall."
"G-1.by.reeve" = "the reeve"
"G-3.names.open" = "nobody else"

[warning]
G-1 = "The gate is seen by all."
"G-1.toll.half" = "Half a toll tells what you have."
"G-2.wall.north" = "The north is dark."
"""


def form_choices(*ids: str) -> list[FormChoice]:
    return [FormChoice(id, id.upper(), 1, 0) for id in ids]


def one(name: str, *ids: str, optional: bool = False) -> OneField:
    return OneField(name, name.title(), form_choices(*ids), optional)


def form(rule: str, *options: FormOption) -> Form:
    return Form("a", rule.lower(), rule, 0, f"Title of {rule}", "off", {}, [FormOption("off", "Off", False, []), *options])


TOLL = one("toll", "free", "half", "twice", "full")
BY = one("by", "reeve", "abbot", optional=True)
GUARDS = NumberField("guards", "Guards", 1, 3, 2, False)
MOOD = OrderField("mood", "Mood", [FormChoice("kind", "KIND", 1, 0), FormChoice("harsh", "HARSH", 2, 0)])
GATE = form("G-1", FormOption("on", "On", False, [TOLL, MOOD, GUARDS, BY]))
CELLS: list[SimpleField] = [one("wall", "north", "south"), one("who", "old", "young", optional=True)]
POSTS = RowsField("posts", "Posts", [*CELLS, NumberField("men", "Men", 0, 9, 4, False)], 0, 3, [], [])
DOGS = NumberField("dogs", "Dogs", 0, 2, 0, False)
NIGHT = form("G-2", FormOption("sleep", "Rest", False, []), FormOption("watch", "Watch", False, [DOGS, POSTS]))
GIFTS = SomeField("gifts", "Gifts", form_choices("ale", "bread"), 0, 2)
NAMES = SomeField("names", "Names", form_choices("x"), 0, 1)
MONTHS = OneField("month", "Month", [FormChoice(f"m{n}", f"MONTH{n}", 1, 0) for n in range(1, 13)], False)
DAY: list[FormField] = [
    NumberField("day", "Day", 1, 31, 1, False),
    MONTHS,
    NumberField("year", "Year", 2026, 2030, 2026, False),
]
AWAY = form(
    "G-4",
    FormOption("here", "Here", False, []),
    FormOption("until", "Away", False, [*DAY, DOGS]),
)
FAIR = form("G-3", FormOption("on", "On", False, [POSTS, GIFTS, NAMES]))


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    lore = tmp_path / f"gate_{tmp_path.name}" / "lore"
    lore.mkdir(parents=True)
    (lore.parent / "__init__.py").touch()
    (lore / "words.en.toml").write_text(WORDS, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return Catalogue(lore.parent.name)


def said(words: Catalogue, form: Form, answer: Answer, spare: bool = False) -> OrderSentence:
    found = sentence(words, form, answer, spare)
    assert found is not None
    return found


def placed(pieces: list[Piece]) -> dict[str, Word]:
    return {p.name: p for p in pieces if isinstance(p, Word)}


def test_an_order_without_an_entry_has_no_sentence(gate: Catalogue) -> None:
    assert sentence(gate, form("G-9", FormOption("on", "On", False, [])), Answer("on")) is None


def test_an_order_of_one_way_is_its_entry_with_a_word_for_each_field(gate: Catalogue) -> None:
    values: dict[str, Value] = {"toll": "free", "mood": ["harsh", "kind", "harsh"], "guards": 3, "by": "abbot"}
    found = said(gate, GATE, Answer("on", values))
    assert found.words == "At the gate: nobody pays; HARSH first first, 3 guards, asked by ABBOT."
    assert (found.option, found.ways) == ("on", {})
    assert found.lead[0] == "At the gate: " and found.lead[-1] == "."  # a place that is no field's is left out
    assert words_of(found) == {"toll": "free", "mood": "harsh", "guards": "3", "by": "abbot"}


def test_what_is_not_set_stands_at_its_first_choice_and_a_part_of_nothing_is_not_said(gate: Catalogue) -> None:
    for answer in (Answer("off"), Answer("on", {"by": ""}), Answer("on", {"mood": "harsh"})):
        found = said(gate, GATE, answer)
        assert found.words == "At the gate: nobody pays; KIND first first, 2 guards."
        assert words_of(found) == {"toll": "free", "mood": "kind", "guards": "2"}


def test_each_word_says_what_it_may_be(gate: Catalogue) -> None:
    words = placed(said(gate, GATE, Answer("on", {"by": "reeve", "guards": 0})).lead)
    called = [("free", "nobody pays"), ("half", "half of it"), ("twice", "all of it, twice"), ("full", "FULL")]
    assert words["toll"] == Word("toll", "Toll", "free", called), "by field, by order, by any order, by the form"
    assert words["mood"] == Word("mood", "Mood", "kind", [("kind", "KIND first"), ("harsh", "HARSH first")])
    assert words["guards"] == Word("guards", "Guards", "0", [("1", "1"), ("2", "2"), ("3", "3")])
    assert words["by"] == Word("by", "By", "reeve", [("reeve", "the reeve"), ("abbot", "ABBOT"), ("", "ask me")])
    assert words["toll"].said == "nobody pays" and words["guards"].said == "0", "a value that is no choice is said as it is"


def test_an_open_word_is_called_as_the_order_calls_it(gate: Catalogue) -> None:
    open_toll = form("G-1", FormOption("on", "On", False, [one("toll", "free", optional=True)]))
    (word,) = placed(said(gate, open_toll, Answer("on")).lead).values()
    assert (word.value, word.said) == ("", "ask the reeve")


def test_an_order_of_several_ways_has_a_word_for_the_way_and_a_tail_for_each(gate: Catalogue) -> None:
    rows: list[Row] = [{"wall": "south", "who": "old", "men": 1}, {"wall": "north"}]
    found = said(gate, NIGHT, Answer("watch", {"dogs": 2, "posts": rows}))
    assert found.words == "At night I Watch. with two dogs. On the SOUTH, OLD alone: 1 men. On the NORTH: 4 men."
    way = Word("option", "Title of G-2", "watch", [("sleep", "sleep"), ("watch", "Watch")])
    assert (found.option, found.lead) == ("watch", ["At night I ", way, "."])
    assert list(found.ways) == ["watch"] and found.ways["watch"][0] == " "
    assert words_of(found) == {
        "option": "watch", "dogs": "2", "posts.1.wall": "south", "posts.1.who": "old", "posts.1.men": "1",
        "posts.2.wall": "north", "posts.2.men": "4",
    }  # fmt: skip
    cells = placed(found.ways["watch"])
    assert cells["posts.1.wall"].choices == [("north", "NORTH"), ("south", "SOUTH"), ("", "no wall")], "a row may be given up"
    asleep = said(gate, NIGHT, Answer("sleep", {"dogs": 2}))
    assert asleep.words == "At night I sleep." and asleep.option == "sleep"
    assert words_of(asleep) == {"option": "sleep", "dogs": "0"}, "another way's fields stand as if nothing were set"
    assert said(gate, NIGHT, Answer("off")).option == "sleep", "what is off stands at its first way"


def test_rows_without_any_are_said_to_be_none_or_have_a_spare_one(gate: Catalogue) -> None:
    found = said(gate, NIGHT, Answer("watch"))
    assert found.words == "At night I Watch. with 0 dogs. Nobody." and Fixed("Nobody.") in found.ways["watch"]
    spare = said(gate, NIGHT, Answer("watch"), spare=True)
    assert spare.words == "At night I Watch. with 0 dogs. On the no wall: 4 men."
    assert words_of(spare) == {"option": "watch", "dogs": "0", "posts.1.wall": "", "posts.1.men": "4"}
    assert sentence(gate, NIGHT, Answer("watch")) == found, "a spare one is asked for"
    row: Row = {"wall": "north"}
    full = said(gate, NIGHT, Answer("watch", {"posts": [row]}), spare=True)
    assert "posts.2.wall" not in words_of(full)


def test_rows_follow_each_other_with_a_space_between_and_an_order_of_one_way_has_a_spare_one_too(gate: Catalogue) -> None:
    posts = RowsField("posts", "Posts", [one("wall", "north", "south")], 0, 3, [], [])
    walls = form("G-7", FormOption("on", "On", False, [posts]))
    choices = [("north", "NORTH"), ("south", "SOUTH"), ("", "ask me")]
    first, second = Word("posts.1.wall", "Wall", "north", choices), Word("posts.2.wall", "Wall", "south", choices)
    rows: list[Row] = [{"wall": "north"}, {"wall": "south"}]
    assert said(gate, walls, Answer("on", {"posts": rows})).lead == [first, " wall.", " ", second, " wall."]
    assert said(gate, walls, Answer("on")).lead == [Fixed("No wall.")]
    spare = [Word("posts.1.wall", "Wall", "", choices), " wall."]  # no day: the way doesn't end with one
    assert said(gate, walls, Answer("on"), spare=True).lead == spare
    assert said(gate, walls, Answer("on", {"posts": ["north"]}), spare=True).lead == spare, "what is no row is none"


def test_what_is_too_much_for_a_word_is_said_by_its_form(gate: Catalogue) -> None:
    row: Row = {"wall": "north", "men": 2}
    found = said(gate, FAIR, Answer("on", {"posts": [row], "gifts": ["ale", "bread"]}), spare=True)
    assert found.words == "1. Wall: NORTH, Men: 2 ALE, BREAD, and nobody else" and words_of(found) == {}
    assert [p for p in found.lead if isinstance(p, Fixed)][1:] == [Fixed("ALE, BREAD"), Fixed("nobody else")]
    assert said(gate, FAIR, Answer("on")).words == "Nobody. ask me, and nobody else"


def test_words_that_were_chosen_make_a_setting(gate: Catalogue) -> None:
    before = Answer("on", {"toll": "half", "mood": ["harsh", "kind", "harsh"], "guards": 3, "by": "abbot"})
    assert answered(GATE, before, {}) == before
    chosen = answered(GATE, before, {"toll": "full", "guards": "1", "by": "", "strange": "x"})
    assert chosen == Answer("on", {"toll": "full", "mood": ["harsh", "kind", "harsh"], "guards": "1"})
    for first, order in (
        ("kind", ["kind", "harsh", "harsh"]),
        ("harsh", ["harsh", "kind"]),
        ("sad", ["harsh", "kind", "harsh"]),
    ):
        assert answered(GATE, before, {"mood": first}).values["mood"] == order
    assert answered(GATE, Answer("off"), {"mood": "sad"}) == Answer("on", {"mood": ["kind", "harsh", "harsh"]})
    assert answered(GATE, Answer("off", {"toll": "half"}), {}) == Answer("on"), "of another way nothing is kept"


def test_the_way_that_was_chosen_is_taken_with_its_own_words(gate: Catalogue) -> None:
    kept: list[Row] = [{"wall": "north", "men": 2}]
    before = Answer("watch", {"dogs": 1, "posts": kept})
    assert answered(NIGHT, before, {"option": "sleep", "dogs": "2"}) == Answer("sleep")
    assert answered(NIGHT, before, {"option": "dance"}) == Answer("sleep"), "the first, where there is no such way"
    assert answered(NIGHT, before, {}) == before == answered(NIGHT, before, {"option": "watch"})
    assert answered(NIGHT, Answer("sleep"), {"option": "watch", "dogs": "1"}) == Answer("watch", {"dogs": "1"})


def test_rows_are_changed_added_and_given_up(gate: Catalogue) -> None:
    rows: list[Row] = [{"wall": "north", "who": "old", "men": 2}, {"wall": "south"}]

    def posts(given: dict[str, str], kept: list[Row] = rows) -> Value:
        copies: list[Row] = [{**row} for row in kept]
        return answered(NIGHT, Answer("watch", {"posts": copies}), given).values.get("posts", [])

    assert posts({"posts.1.men": "5"}) == [{"wall": "north", "who": "old", "men": "5"}, {"wall": "south"}]
    assert posts({"posts.1.who": ""}) == [{"wall": "north", "men": 2}, {"wall": "south"}]
    assert posts({"posts.1.wall": ""}) == [{"wall": "south"}], "without what it needs a row is no more"
    assert posts({"posts.1.wall": "", "posts.2.wall": ""}) == []
    assert posts({"posts.3.wall": "north", "posts.3.men": "0"}) == [*rows, {"wall": "north", "men": "0"}]
    assert posts({"posts.3.men": "3"}) == rows and posts({"posts.4.wall": "north"}) == rows, "no row without a wall, no fourth"
    assert posts({"posts.1.wall": "south"}, []) == [{"wall": "south"}]
    assert posts({"posts.2.wall": "south"}, []) == [{"wall": "south"}], "an empty row before it is none"
    assert posts({}, [{"men": 3}]) == [{"men": 3}], "what nobody touched stays"
    assert posts({"posts.2.wall": "south"}, [{"men": 3}]) == [{"men": 3}, {"wall": "south"}]
    assert posts({"posts.2.who": ""}) == rows, "what was open is left open"
    strange = Answer("watch", {"posts": ["north"]})
    south: Row = {"wall": "south"}
    assert answered(NIGHT, strange, {"posts.1.wall": "south"}) == Answer("watch", {"posts": [south]})
    assert rows == [{"wall": "north", "who": "old", "men": 2}, {"wall": "south"}], "and the order itself too"


def test_an_order_warns_of_what_its_answers_tell_each_once(gate: Catalogue) -> None:
    assert warnings(gate, "G-1", Answer("on", {"toll": "half"})) == [
        "The gate is seen by all.",
        "Half a toll tells what you have.",
    ]
    assert warnings(gate, "G-1", Answer("on", {"toll": "full", "mood": ["half"], "guards": 1})) == ["The gate is seen by all."]
    rows: list[Row] = [{"wall": "north"}, {"wall": "north", "men": 1}, {"wall": "south"}]
    assert warnings(gate, "G-2", Answer("watch", {"posts": rows})) == ["The north is dark."]
    assert warnings(gate, "G-2", Answer("watch", {"posts": []})) == []


def test_a_way_that_ends_with_a_day_says_the_day_and_has_one_place_for_it(gate: Catalogue) -> None:
    found = said(gate, AWAY, Answer("until", {"day": 4, "month": "m12", "year": 2026, "dogs": 1}))
    assert found.words == "I am Away. until 4 of MONTH12 2026, 1 dogs stay"
    dogs = Word("dogs", "Dogs", "1", [("0", "0"), ("1", "1"), ("2", "2")])
    assert found.ways["until"] == [" ", "until ", Day("2026-12-04", "4 of MONTH12 2026", "date"), ", ", dogs, " dogs stay"]
    assert words_of(found) == {"option": "until", "date": "2026-12-04", "dogs": "1"}


def test_a_day_of_which_a_part_is_missing_is_none(gate: Catalogue) -> None:
    whole: dict[str, Value] = {"day": 4, "month": "m12", "year": 2026}
    for missing in whole:
        kept = {name: value for name, value in whole.items() if name != missing}
        assert Day("", "") in said(gate, AWAY, Answer("until", kept)).ways["until"]


def test_a_field_that_is_called_date_is_said_as_a_field(gate: Catalogue) -> None:
    feast = form("G-6", FormOption("on", "On", False, [one("date", "easter", "advent")]))
    assert said(gate, feast, Answer("on", {"date": "advent"})).words == "I come at ADVENT."
    assert answered(feast, Answer("on"), {"date": "easter"}) == Answer("on", {"date": "easter"})


def test_a_day_that_was_chosen_makes_the_three_fields_and_without_one_they_stay(gate: Catalogue) -> None:
    before = Answer("until", {"day": 4, "month": "m12", "year": 2026, "dogs": 2})
    after = Answer("until", {"day": 31, "month": "m1", "year": 2027, "dogs": 2})
    assert answered(AWAY, before, {"date": "2027-01-31"}) == after
    assert answered(AWAY, before, {"date": ""}) == before == answered(AWAY, before, {})
    assert answered(AWAY, before, {"option": "here", "date": "2027-01-31"}) == Answer("here"), "a way without a day has none"


def test_what_comes_first_in_a_row_is_changed_like_any_first(gate: Catalogue) -> None:
    posts = RowsField("posts", "Posts", [one("wall", "north", "south"), MOOD], 0, 3, [], [])
    ranks = form("G-5", FormOption("on", "On", False, [posts]))
    row: Row = {"wall": "north", "mood": ["kind", "harsh", "harsh"]}
    turned: Row = {"wall": "north", "mood": ["harsh", "kind"]}
    assert answered(ranks, Answer("on", {"posts": [row]}), {"posts.1.mood": "harsh"}) == Answer("on", {"posts": [turned]})
    tempers = OrderField("mood", "Mood", form_choices("kind", "harsh", "sad"))
    three = form("G-5", FormOption("on", "On", False, [RowsField("posts", "Posts", [tempers], 0, 3, [], [])]))
    row, turned = {"mood": ["sad", "kind", "harsh"]}, {"mood": ["harsh", "sad", "kind"]}
    assert answered(three, Answer("on", {"posts": [row]}), {"posts.1.mood": "harsh"}) == Answer("on", {"posts": [turned]})
    begun: Row = {"wall": "south", "mood": ["harsh", "kind"]}
    given = {"posts.2.wall": "south", "posts.2.mood": "harsh"}
    assert answered(ranks, Answer("on"), given) == Answer("on", {"posts": [begun]})
    assert answered(ranks, Answer("off"), {"postscript.1.wall": "north"}) == Answer("on"), (
        "a name that only begins alike is none"
    )
