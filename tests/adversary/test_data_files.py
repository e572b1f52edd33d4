"""Files of a host's own, and every other text that people give: whatever is in them, a sentence and no error."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.asks import Answer, Refused, check, read
from engine.core.chance import Chance
from engine.core.procedure import begin
from engine.games import GAMES
from engine.mastery.rules.maps import own_data
from engine.mastery.rules.pieces import TEXT

MASTERY = GAMES["mastery"]
WHOLE: dict[str, Any] = json.loads(TEXT)
MAP: dict[str, Any] = {"slots": WHOLE["maps"]["2"]["slots"]}
NASTY = (
    "Infinity",
    "-Infinity",
    "NaN",
    "1e999",
    "-1e999",
    "1e15",
    "1" + "0" * 400,
    "9" * 5000,
    '"\\ud800"',
    '"\\udfff\\ud800"',
    "[" * 2000 + "]" * 2000,
    "[" * 50 + "]" * 50,
    '{"a":1,"a":2}',
    "null",
    "true",
    "[]",
    "{}",
    '""',
    "-1",
    "1.5",
    '"x"',
    '"\\u0000"',
)
"""What stands in the place of a value, as JSON."""


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all parts of a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, part in inner for p in places(part, (*path, key)))]


def with_put(value: Any, path: tuple[Any, ...], nasty: str) -> str:
    """The JSON of a value with something else in one place."""
    mark = "@@here@@"
    if not path:
        return nasty
    copied = json.loads(json.dumps(value))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = mark
    return json.dumps(copied).replace(f'"{mark}"', nasty)


def try_out(text: str) -> str:
    """Take a file in as the lobby does; the refusal, or nothing where a game can be set up and begun by it."""
    try:
        ask = MASTERY.rules.variants.ask(2)
        options = MASTERY.rules.variants.read(2, check(ask, Answer("play", {"seating": "fixed"})), text)
        json.dumps(options, ensure_ascii=False).encode()
        begin(MASTERY.rules.setup(["a", "b"], options, Chance("x")))
    except Refused as refusal:
        assert str(refusal).encode() and len(str(refusal)) < 600
        return str(refusal)
    return ""


@pytest.mark.parametrize("whole", [WHOLE, MAP], ids=["data", "map"])
@pytest.mark.parametrize("nasty", NASTY, ids=range(len(NASTY)))
def test_nothing_in_any_place_of_a_file_is_more_than_refused(whole: dict[str, Any], nasty: str) -> None:
    found = places(whole)
    some = random.Random(nasty).sample(found, min(len(found), 20))
    told = [try_out(with_put(whole, path, nasty)) for path in some]
    print(f"{len(told)} files, {sum(map(bool, told))} refused")


@pytest.mark.soak
@pytest.mark.parametrize("whole", [WHOLE, MAP], ids=["data", "map"])
def test_nothing_in_every_place_of_a_file_is_more_than_refused(whole: dict[str, Any]) -> None:
    told = [try_out(with_put(whole, path, nasty)) for path in places(whole) for nasty in NASTY]
    print(f"{len(told)} files, {sum(map(bool, told))} refused")


def test_the_files_themselves_are_taken_with_or_without_a_mark_of_their_order() -> None:
    for text in (TEXT, json.dumps(MAP), "\ufeff" + json.dumps(MAP)):
        assert try_out(text) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"slots": Infinity}', "“Infinity” where a number belongs"),
        ('{"slots": [NaN]}', "“NaN” where a number belongs"),
        ('{"slots": [1e999]}', "a number that is too large"),
        ('{"slots": ["\\ud800"]}', "a broken character"),
        ('{"\\udc00": []}', "a broken character"),
        ('{"slots": [], "slots": []}', "'slots' twice in one object"),
        ("[" * 30 + "]" * 30, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 10_000, "too many digits"),
        ("{", "isn't JSON"),
    ],
)
def test_a_file_that_can_not_be_is_refused_with_what_is_wrong(text: str, words: str) -> None:
    assert words in try_out(text)


@settings(max_examples=100, deadline=None)
@given(ANYTHING)
def test_no_json_breaks_the_reader(value: Any) -> None:
    try_out(json.dumps(value))
    try_out(json.dumps({"slots": value}))
    try_out(json.dumps({"schema": WHOLE["schema"], "maps": value}))
    try_out(json.dumps({**WHOLE, "maps": {"2": value}}))


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(), max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    try_out(text)
    with_refusals(lambda: own_data(text, 2))
    with_refusals(lambda: read(text))
    with_refusals(lambda: read("play x=" + text))


def with_refusals(deed: Any) -> None:
    try:
        deed()
    except Refused as refusal:
        str(refusal).encode()


def test_half_a_character_is_no_answer() -> None:
    with pytest.raises(Refused, match="a broken character"):
        read("deck cards=[\ud800]")
