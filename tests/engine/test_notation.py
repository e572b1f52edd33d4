"""The notation that is derived from a table: each line as it is written, as a reader sees it, and as it is read back."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.core.asks import Answer, NotUnderstood, Seat
from engine.core.chance import Chance
from engine.core.procedure import Done, Next, Outcome, Parked, Procedure, State
from engine.core.rulings import Ruling
from engine.core.visibility import Counted, Hidden, Own, Seen, sights
from engine.text.notation import Lines, of_table

RULINGS = {"R-1": Ruling("R-1", "What a die is for", {"coin": "A coin", "two": "Two coins"}, "coin", "coin")}


class Hill(msgspec.Struct):
    tower: Seen[bool] = False
    trap: Hidden[str] = ""


class Lord(msgspec.Struct):
    seat: Seat
    coins: Seen[int] = 5
    hand: Own[list[str]] = []
    vow: Own[str] = ""
    ready: Seen[bool] = False


class Realm(msgspec.Struct):
    seats: list[Seat]
    chance: Chance
    lords: dict[Seat, Lord]
    banner: Seen[str]
    days: Seen[list[int]] = []
    pairs: Seen[list[list[int]]] = []
    tags: Seen[list[str]] = []
    year: Seen[int | None] = None
    hills: dict[str, Hill] = {}
    keep: Hill | None = None
    bids: Own[dict[Seat, int]] = {}
    deck: Counted[list[str]] = []
    omen: Hidden[str] = ""
    outcome: Outcome | None = None
    news: list[Any] = []
    rulings: dict[str, str] = {}


class Walk(Procedure):
    seat: Seat = ""
    miles: int = 0

    def begin(self, table: Realm) -> Next:
        return Done(table.seats[0])


class Feast(Procedure):
    def begin(self, table: Realm) -> Next:
        return Done(table.seats[1])


Kind = State[Realm, Walk | Feast]
NOTATION = of_table("realm", sights(Kind), RULINGS)
WRITE, SEEN = NOTATION.whole, NOTATION.seen


def realm() -> State[Realm, Walk | Feast]:
    lords = {"a": Lord("a", 7, ["Fox", "Fox", "Owl"], "silence", True), "b": Lord("b", hand=["Hen"])}
    hills = {"H1": Hill(True, "pit"), "H2": Hill()}
    table = Realm(["a", "b"], Chance("s3cret", {"die": 2}), lords, "Or", [3, 14], [[1, 2], []], ["wet", "cold"], 1429, hills)
    table.keep, table.bids, table.deck, table.omen = Hill(trap="net"), {"a": 3, "b": 0}, ["Cat"], "comet"
    table.rulings, table.outcome = {"R-1": "two"}, Outcome(("a", "b"), "points")
    state = Kind(table, [Walk(step="begin", seat="a", miles=3), Feast(step="begin")], 9, ["b"], {"a": Answer("go", {"n": 1})})
    state.parked, state.returned, state.opened = [Parked(1, 8, ["a"], {})], [(7, "b")], 6
    return state


SHOWN = """realm: 1
seats: a b
rulings: R-1=two
a.coins: 7
a.hand: Fox, Fox, Owl
a.vow: silence
a.ready: yes
b.coins: 5
b.hand: ?1
b.ready: no
banner: Or
days: 3, 14
pairs: [[1,2],[]]
tags: wet, cold
year: 1429
hills: {"H1":{"tower":true},"H2":{"tower":false}}
keep: {"tower":false}
a.bids: 3
deck: ?1
outcome: a,b points
"""


def test_a_reader_is_shown_each_line_that_is_his_or_everybodys() -> None:
    assert SEEN(realm(), "a") == SHOWN
    hidden = {"a.hand: Fox, Fox, Owl": "a.hand: ?3", "a.vow: silence\n": "", "a.bids: 3\n": ""}
    spectators = SHOWN
    for own, shown in hidden.items():
        spectators = spectators.replace(own, shown)
    assert SEEN(realm(), None) == spectators


def test_with_all_secrets_a_position_is_whole_and_read_back_the_same() -> None:
    state = realm()
    parked = '[{"depth":1,"serial":8,"waiting":["a"],"sealed":{}}]'
    changed = {
        "b.hand: ?1": "b.hand: Hen\nb.vow: -",
        '{"H1":{"tower":true},"H2":{"tower":false}}': '{"H1":{"tower":true,"trap":"pit"},"H2":{"tower":false,"trap":""}}',
        'keep: {"tower":false}': 'keep: {"tower":false,"trap":"net"}',
        "a.bids: 3": "a.bids: 3\nb.bids: 0",
        "deck: ?1": "deck: Cat\nomen: comet",
    }
    text = SHOWN
    for shown, all_ in changed.items():
        text = text.replace(shown, all_)
    lines = WRITE(state).splitlines()
    assert lines[: text.count("\n")] == text.splitlines()
    assert lines[text.count("\n") :] == [
        'chance: s3cret {"die":2}',
        'stack: {"type":"Walk","step":"begin","came":"","seat":"a","miles":3}',
        'stack: {"type":"Feast","step":"begin","came":""}',
        'asked: 9 ["b"] {"a":{"option":"go","values":{"n":1}}}',
        f'beside: {{"parked":{parked},"returned":[[7,"b"]],"opened":6}}',
    ]
    assert NOTATION.read(WRITE(state)) == state and WRITE(NOTATION.read(WRITE(state))) == WRITE(state)


def test_what_is_left_out_is_as_in_a_fresh_table_and_what_it_needs_is_empty() -> None:
    state = NOTATION.read("seats: a b")
    assert state.table == Realm(["a", "b"], Chance(""), {"a": Lord("a"), "b": Lord("b")}, "", rulings={"R-1": "coin"})
    assert (state.stack, state.serial, state.waiting, state.sealed) == ([], 0, [], {})
    assert (state.parked, state.returned, state.opened) == ([], [], 0)


def test_values_are_read_as_people_write_them() -> None:
    table = NOTATION.read(
        'realm: 1\nseats: a b\na.hand : 2 Fox, Owl*2 # the four\nb.hand: ["Hen","red Cock"]\na.vow: -\nb.vow: to the grave\n'
        "a.ready: yes\ndays: [4]\npairs: [[5]]\nyear: null\nbanner: -\nkeep: null\nb.bids: 4\ndeck:\nomen: x\n"
    ).table
    assert (table.lords["a"].hand, table.lords["b"].hand) == (["Fox", "Fox", "Owl", "Owl"], ["Hen", "red Cock"])
    assert (table.lords["a"].vow, table.lords["b"].vow, table.lords["a"].ready) == ("", "to the grave", True)
    assert (table.days, table.pairs, table.year, table.banner, table.keep) == ([4], [[5]], None, "", None)
    assert (table.bids, table.deck, table.omen) == ({"b": 4}, [], "x")


def test_where_a_position_stands_may_be_written_by_hand() -> None:
    state = NOTATION.read("seats: a b\nstack: Walk begin seat=b miles=4\nstack: Feast begin\nchance: - {}\n")
    assert state.stack == [Walk(step="begin", seat="b", miles=4), Feast(step="begin")] and state.waiting == []
    asked = NOTATION.read('seats: a b\nasked: 4 ["a"] {}\nbeside: {"opened":3}\n')
    assert (asked.serial, asked.waiting, asked.opened, asked.stack) == (4, ["a"], 3, [])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "The text isn't a position; it begins with `realm: 1` and `seats: a b c`."),
        ("realm: 2\n", "Line 1: notation version 2 is unknown; this is version 1."),
        ("realm: 1\nyear: 3\n", "Line 2: "),
        ("seats: a b\nyear: 3\ndays: 1\nyear: 4\n", "Line 4: “year” is there twice; "),
        ("seats: a b\nyaer: 3\n", "Line 2: there is no zone “yaer”; there are: banner, bids, days, deck, hills, keep, lords, "),
        ("seats: a b\na.deck: x\n", "Line 2: there is no zone “deck”; there are: bids, coins, hand, ready, vow."),
        ("seats: a b\na.hnad: x\n", "Line 2: there is no zone “hnad”; there are: bids, coins, hand, ready, vow"),
        ("seats: a b\na.seat: b\n", "Line 2: there is no zone “seat”; there are: bids, coins, hand, ready, vow."),
        ("seats: a b\nc.hand: x\n", "Line 2: there is no seat “c”; there are: a, b"),
        ("seats: a b\na.ready: perhaps\n", "Line 2 can't be read: “a.ready: perhaps” (KeyError: 'perhaps')."),
        ("seats: a b\nyear: soon\n", "Line 2 can't be read: “year: soon” (DecodeError: "),
        (
            "seats: a b\nstack: Dance begin\n",
            "Line 2 can't be read: “stack: Dance begin” (ValidationError: Invalid value 'Dance'",
        ),
        ("seats: a b\nrulings: R-1=three\n", "Line 2: "),
    ],
)
def test_what_can_not_be_read_is_told_with_its_line(text: str, fault: str) -> None:
    with pytest.raises(NotUnderstood) as refusal:
        NOTATION.read(text)
    assert str(refusal.value).startswith(fault)


def test_long_names_are_quoted_as_far_as_they_help() -> None:
    long = "z" * 50
    with pytest.raises(NotUnderstood, match=f"notation version {long[:20]} is unknown"):
        NOTATION.read(f"realm: {long}")
    for text, quoted in (
        (f"seats: a b\n{long}: 1", long[:30]),
        (f"seats: a b\n{long}.hand: 1", long[:20]),
        (f"seats: a b\na.{long}: 1", long[:30]),
    ):
        with pytest.raises(NotUnderstood, match=f"“{quoted}”"):
            NOTATION.read(text)


def test_a_game_with_zones_of_its_own_reads_them_between_the_lines_that_all_have() -> None:
    lines, own = Lines("realm", RULINGS, Kind), list[tuple[str, str]]()
    lines.read(
        "realm: 1\nseats: b a\nmap: H1 # H2\nnote: a # b\nrulings: R-1=two\noutcome: b last\n",
        lambda *it: own.append(it),
        ("map",),
    )
    assert own == [("map", "H1 # H2"), ("note", "a")] and lines.given == {"map", "note"}
    assert (lines.seats, lines.rulings, lines.outcome) == (["b", "a"], {"R-1": "two"}, Outcome(("b",), "last"))
    table = Realm(["b", "a"], Chance("?"), {}, "")
    state = lines.state(table, lambda: [Feast()])
    assert state.table is table and (table.rulings, table.outcome, table.chance) == ({"R-1": "two"}, lines.outcome, Chance(""))
    assert state.stack == [Feast()], "it doesn't say where it stands"
    lines.asked = (3, ["a"], {})
    assert lines.state(table, lambda: [Feast()]).stack == [], "nothing is under way, and it says so"
