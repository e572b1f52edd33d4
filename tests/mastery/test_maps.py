"""Layouts: the shipped ones, and a host's own (MM-MAP-5 to 7)."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from engine.core import procedure
from engine.core.asks import NotUnderstood, read
from engine.core.chance import Chance
from engine.games import game_called
from engine.mastery.rules.maps import check_map, geography, own_data, survey
from engine.mastery.rules.pieces import TEXT, Slot, data_hash, lore_of

GAME = game_called("mastery")
LORE = lore_of("")
Place = tuple[int, int]
SIZES = range(2, 7)


# --- the shipped layouts ----------------------------------------------------------------------------------------------


def around(place: Place) -> list[Place]:
    q, r = place
    return [(q + 1, r), (q + 1, r - 1), (q, r - 1), (q - 1, r), (q - 1, r + 1), (q, r + 1)]


def layout(n: int) -> dict[Place, Slot]:
    return {(s.q, s.r): s for s in LORE.maps[n]}


def kind(s: Slot) -> str:
    return str(s.value) if s.kind == "territory" else s.kind


def joined(places: set[Place]) -> bool:
    """Whether one can go from any of them to any other."""
    groups = [{p} for p in places]
    while True:
        pair = next(
            ((a, b) for i, a in enumerate(groups) for b in groups[i + 1 :] if any(x in b for p in a for x in around(p))), None
        )
        if pair is None:
            return len(groups) == 1
        groups = [g for g in groups if g not in pair] + [pair[0] | pair[1]]


@pytest.mark.parametrize("n", SIZES)
def test_properties_of_the_shipped_layouts(n: int) -> None:  # MM-MAP-5
    slots = layout(n)
    land = {p for p, s in slots.items() if s.kind == "territory"}
    assert joined(set(slots)) and joined(land), "also without castles and lakes"
    for place, s in slots.items():
        beside = sorted(kind(slots[x]) for x in around(place) if x in slots)
        if s.kind == "castle":
            assert beside == (["1", "1", "2", "2"] if n == 2 else ["1", "1", "2"])
            assert len(beside) < 6, "on the rim"
        elif s.kind == "lake":
            assert len(beside) == 6 and "lake" not in beside
        elif s.value == 1:
            assert beside.count("castle") <= 1
    assert check_map(LORE, LORE.maps[n], n) == [], "not even odd"


@pytest.mark.parametrize("together", [(2, 2, 2), (3, 3), (2, 4)])
def test_one_box_lays_out_several_games(together: tuple[int, ...]) -> None:  # MM-MAP-5
    slots = [s for n in together for s in LORE.maps[n]]
    counts = {k: sum(kind(s) == k for s in slots) for k in ("castle", "lake", "1", "2", "3")}
    assert (counts["castle"], counts["1"], counts["2"], counts["3"]) == (6, 12, 12, 6) and counts["lake"] <= 3


def symmetries(n: int) -> list[Callable[[Place], Place]]:
    """The rotations and mirrors that map a layout on itself, about its middle (in thirds and sixths, so scaled up)."""
    slots = layout(n)
    count, sq, sr = len(slots), sum(q for q, _ in slots), sum(r for _, r in slots)
    whole = {(q * count - sq, r * count - sr): kind(s) for (q, r), s in slots.items()}

    def turned(times: int, mirrored: bool) -> Callable[[Place], Place]:
        def move(place: Place) -> Place:
            q, r = place
            if mirrored:
                q, r = q + r, -r
            for _ in range(times):
                q, r = -r, q + r
            return q, r

        return move

    moves = [turned(t, m) for t in range(6) for m in (False, True)]
    return [move for move in moves if {move(p): k for p, k in whole.items()} == whole]


@pytest.mark.parametrize(("n", "count"), [(2, 4), (3, 6), (4, 4), (5, 2), (6, 12)])
def test_symmetry(n: int, count: int) -> None:  # MM-MAP-6
    slots = layout(n)
    moves = symmetries(n)
    assert len(moves) == count
    size, sq, sr = len(slots), sum(q for q, _ in slots), sum(r for _, r in slots)
    castles = {(q * size - sq, r * size - sr) for (q, r), s in slots.items() if s.kind == "castle"}
    orbits = {frozenset(move(c) for move in moves) for c in castles}
    assert len(orbits) == (1 if n != 5 else 3), "all castles alike; with five there is one mirror"


def advances(n: int, castle: str) -> dict[str, int]:
    """How many advances away each territory is, over an empty map: next to it, or across one lake."""
    land = geography("", n)
    steps: dict[str, int] = {}
    queue: deque[tuple[str, int]] = deque([(castle, 0)])
    while queue:
        at, count = queue.popleft()
        near = set(land.near[at])
        if at != castle:
            near |= {y for x in land.near[at] if land.lake(x) for y in land.near[x]}
        for x in sorted(near):
            if land.slots[x].kind == "territory" and x not in steps:
                steps[x] = count + 1
                queue.append((x, count + 1))
    return steps


def test_with_five_each_castle_has_nine_points_nearest_to_it() -> None:  # MM-MAP-6
    land = geography("", 5)
    away = {c: advances(5, c) for c in land.castles}
    worth = dict.fromkeys(land.castles, Fraction(0))
    for label in land.territories():
        least = min(steps[label] for steps in away.values())
        nearest = [c for c, steps in away.items() if steps[label] == least]
        for c in nearest:
            worth[c] += Fraction(land.slots[label].value, len(nearest))
    assert list(worth.values()) == [9, 9, 9, 9, 9]


def test_with_five_the_castles_lie_so_far_apart() -> None:  # MM-MAP-6
    land = geography("", 5)
    at = {c: (land.slots[c].q, land.slots[c].r) for c in land.castles}

    def far(a: Place, b: Place) -> int:
        q, r = a[0] - b[0], a[1] - b[1]
        return max(abs(q), abs(r), abs(q + r))

    nearest = [sorted(far(at[c], at[d]) for d in land.castles if d != c)[:2] for c in land.castles]
    assert nearest == [[3, 4], [4, 4], [4, 4], [3, 4], [3, 3]]


# --- a host's own -----------------------------------------------------------------------------------------------------


def row(label: str, q: int, r: int, kind: str, value: int = 0) -> dict[str, Any]:
    return {"slot": label, "q": q, "r": r, "kind": kind} | ({"value": value} if value else {})


LINE = [
    *(row("A1", 0, 0, "castle"), row("A2", 1, 0, "territory", 1), row("A3", 2, 0, "territory", 2)),
    *(row("A4", 3, 0, "territory", 1), row("A5", 4, 0, "castle")),
]
"""The smallest good map for two: castle, three territories, castle."""


def problem(data: object, n: int = 2) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(NotUnderstood) as refusal:
        own_data(data if isinstance(data, str) else json.dumps(data), n)
    return str(refusal.value)


def odd(slots: list[dict[str, Any]], n: int = 2) -> list[str]:
    lore = lore_of(own_data(json.dumps({"slots": slots}), n))
    return [str(sentence) for sentence in check_map(lore, lore.maps[n], n)]


def changed(at: int, **values: Any) -> dict[str, Any]:
    """The line with one slot changed; None takes a key out."""
    slots = [dict(s) for s in LINE]
    slots[at] = {k: v for k, v in (slots[at] | values).items() if v is not None}
    return {"slots": slots}


def test_a_map_of_ones_own_is_played_on() -> None:  # MM-MAP-7
    own = own_data(json.dumps({"slots": LINE}), 2)
    assert odd(LINE) == [] and json.loads(own)["maps"] == {"2": {"slots": LINE}}
    assert own_data(own, 2) == own, "and the whole file that comes of it is one itself"
    assert '"slots":[{"kind":"castle","q":0,"r":0,"slot":"A1"},' in own, "spelled without spaces"
    chosen = GAME.rules.variants.read(2, read("play seating=fixed"), json.dumps({"slots": LINE}))
    assert chosen["own"] == own and chosen["data"] == data_hash(own)
    state = GAME.rules.setup(["a", "b"], chosen, Chance("x"))
    procedure.begin(state)
    assert {m["slot"] for m in GAME.rules.view(state, None)["map"]} == {"A1", "A2", "A3", "A4", "A5"}
    assert [state.table.lords[s].slot for s in "ab"] == ["A1", "A5"]
    told = GAME.rules.variants.tell(chosen)
    assert told[-1] == f"Played with the host’s own map or data file ({data_hash(own)[:12]})."


def test_a_whole_data_file_may_come_too() -> None:  # MM-MAP-7, MM-DAT-2
    data = json.loads(TEXT)
    assert lore_of(own_data(TEXT, 3)).maps.keys() == {3}, "with the one map that is needed"
    assert problem(data | {"maps": {"3": data["maps"]["3"]}}) == (
        "The file has no map for 2 players; its `maps` has none called “2”."
    )
    assert problem(data | {"castles": []}) == "The file names 0 castles; there are six."
    assert (
        problem({"maps": {}})
        == "The file isn't a data file of Medieval Mastery; one has the `schema` `medieval-mastery-data/1`."
    )


LABELLED = "a label is like A1 or D12."


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("{", "The file isn't JSON: Expecting property name enclosed in double quotes in line 1."),
        ("[1, 2]", "The file isn't a map; a map has `slots`, a whole data file has `maps`."),
        ('"slots"', "The file isn't a map; a map has `slots`, a whole data file has `maps`."),
        ("{}", "The file isn't a map; a map has `slots`, a whole data file has `maps`."),
        (
            {"slots": []},
            "The map's `slots` isn't a list of slots; each is like {slot: A1, q: 0, r: -2, kind: castle}.",
        ),
        (
            {"slots": [row("A1", 0, 0, "castle")] * 101},
            "The map's `slots` isn't a list of slots; each is like {slot: A1, q: 0, r: -2, kind: castle}.",
        ),
        ({"slots": ["A1"]}, "Slot 1 of the map isn't an object with slot, q, r and kind."),
        (changed(1, slot="a2"), f"Slot 2 of the map has the label “a2”; {LABELLED}"),
        (changed(1, slot="A"), f"Slot 2 of the map has the label “A”; {LABELLED}"),
        (changed(1, slot="A1234"), f"Slot 2 of the map has the label “A1234”; {LABELLED}"),
        (changed(1, slot="Ä2"), f"Slot 2 of the map has the label “Ä2”; {LABELLED}"),
        (changed(1, slot=None), f"Slot 2 of the map has the label “None”; {LABELLED}"),
        (changed(2, q="x"), "Slot A3 needs a whole number q from -50 to 50."),
        (changed(2, q=1.5), "Slot A3 needs a whole number q from -50 to 50."),
        (changed(2, r=51), "Slot A3 needs a whole number r from -50 to 50."),
        (changed(2, r=True), "Slot A3 needs a whole number r from -50 to 50."),
        (changed(2, kind="sea"), "Slot A3 is a “sea”; a slot is a castle, a lake or a territory."),
        (changed(2, kind=None), "Slot A3 is a “None”; a slot is a castle, a lake or a territory."),
        (changed(2, value=4), "Territory A3 has the value 4; it is 1, 2 or 3."),
        (changed(2, value=None), "Territory A3 has the value None; it is 1, 2 or 3."),
        (changed(2, slot="A2"), "Two slots of the map are called A2; each needs a label of its own."),
        (changed(2, q=1), "A3 and A2 lie on the same place (1, 0)."),
        (changed(4, kind="lake"), "The map has 1 castle, but 2 play; it needs one for each."),
        (changed(2, kind="castle"), "The map has 3 castles, but 2 play; it needs one for each."),
        (
            {"slots": [*LINE, *(row(f"B{i}", i, 1, "territory", 3) for i in range(7))]},
            "The map has 7 territories of value 3; the box has 6.",
        ),
        (
            {"slots": [*LINE, *(row(f"B{i}", i, 1, "territory", 1) for i in range(11))]},
            "The map has 13 territories of value 1; the box has 12.",
        ),
        (
            {"slots": [*LINE, *(row(f"B{i}", i, 1, "territory", 2) for i in range(12))]},
            "The map has 13 territories of value 2; the box has 12.",
        ),
        (
            {"slots": [*LINE, *(row(f"B{i}", i, 1, "lake") for i in range(4))]},
            "The map has 4 lakes; the box has 3.",
        ),
        (
            {"slots": [row("A1", 0, 0, "castle"), row("A2", 1, 0, "lake"), row("A3", 2, 0, "castle")]},
            "The map has no territory at all.",
        ),
        (
            {"slots": [*LINE, row("A10", 20, 0, "territory", 1), row("A9", 21, 0, "territory", 1)]},
            "The map has a hole in it: A9 can't be reached from A1.",
        ),
        (changed(4, q=5), "The map has a hole in it: A5 can't be reached from A1."),
        (
            {"slots": [*LINE[:4], row("A5", -1, 0, "castle")]},
            "The castles A1 and A5 touch; there must be land or water between castles.",
        ),
        (
            {"slots": [*LINE[:4], row("A5", 4, 0, "lake"), row("A6", 5, 0, "castle")]},
            "The castle A6 touches no territory; no knight could leave it.",
        ),
    ],
    ids=lambda v: v[:44] if isinstance(v, str) and v.endswith(".") else "file",
)
def test_a_map_that_will_not_do_is_refused_with_a_sentence(data: object, sentence: str) -> None:  # MM-MAP-7
    assert problem(data) == sentence


def test_what_is_merely_odd_is_only_said() -> None:  # MM-MAP-7
    assert odd([*LINE, row("B1", 0, 1, "lake")]) == [
        "A lake touches the castle A1.",
        "The castles have different surroundings.",
    ]
    lakes = [*LINE, row("B1", 2, 1, "lake"), row("B2", 1, 1, "lake")]
    assert odd(lakes) == ["The lake B1 touches another lake.", "The lake B2 touches another lake."]
    between = [row("A1", 0, 0, "castle"), row("A2", 1, 0, "territory", 1), row("A3", 2, 0, "castle")]
    assert odd(between) == ["The territory A2 touches two castles."]
    assert odd([*LINE, row("B1", 0, 1, "territory", 3)]) == ["The castles have different surroundings."]


def test_what_is_odd_about_a_map_is_told_to_the_table() -> None:  # MM-MAP-7
    chosen = GAME.rules.variants.read(2, read("play"), json.dumps({"slots": [*LINE, row("B1", 0, 1, "lake")]}))
    assert GAME.rules.variants.tell(chosen)[-2:] == [
        "A lake touches the castle A1.",
        "The castles have different surroundings.",
    ]
    assert len(GAME.rules.variants.tell(GAME.rules.variants.read(2, read("play"), json.dumps({"slots": LINE})))) == 1
    assert GAME.rules.variants.tell(GAME.rules.variants.read(2, read("play"), "")) == []


FAR = [(f"D{i}", 30 + i % 3, i // 3, "territory") for i in range(9)]


@pytest.mark.parametrize(
    ("slots", "seats"),
    [
        # Far from the origin, and with most of its land on one side: clockwise is about the middle of the map.
        (
            [("D1", 20, 33, "castle"), ("A2", 22, 30, "castle"), ("A1", 20, 30, "castle"), ("D2", 21, 33, "castle")],
            ["A1", "A2", "D2", "D1"],
        ),
        # A2 sorts before A10, and a later row after both, wherever they lie.
        ([("A10", 0, 0, "castle"), ("A2", 0, 3, "castle"), ("B1", 3, 0, "castle")], ["A2", "A10", "B1"]),
        # Far to the right lies most of the land: the angles are about the middle of all of it.
        (
            [("A1", 17, 6, "castle"), ("B1", 13, 1, "castle"), ("C1", 17, 0, "castle"), *FAR],
            ["A1", "B1", "C1"],
        ),
        # Around a middle that is far from the origin.
        (
            [
                *(("A1", 13, 10, "castle"), ("A2", 10, 13, "castle"), ("A3", 7, 13, "castle")),
                *(("A4", 7, 10, "castle"), ("A5", 10, 7, "castle"), ("A6", 13, 7, "castle")),
            ],
            ["A1", "A2", "A3", "A4", "A5", "A6"],
        ),
        # All castles on one side of the map.
        ([("C9", 1, 0, "castle"), ("C3", 1, 2, "castle"), *((f"D{i}", 5 + i, 0, "territory") for i in range(9))], ["C3", "C9"]),
    ],
)
def test_seats_go_clockwise_about_the_middle_of_any_map(  # MM-MAP-4
    slots: list[tuple[str, int, int, str]], seats: list[str]
) -> None:
    assert survey(tuple(Slot(*s) for s in slots)).castles == tuple(seats)


def test_a_map_without_a_castle_has_no_seats() -> None:  # MM-MAP-4, MM-MAP-7
    assert survey((Slot("A1", 0, 0, "territory", 1),)).castles == ()


def test_the_bounds_of_a_map_are_within() -> None:  # MM-MAP-7
    far = [{**s, "q": s["q"] + 46, "r": 50} for s in LINE]
    assert odd(far) == []
    assert problem({"slots": [{**s, "q": s["q"] - 51} for s in LINE]}) == "Slot A1 needs a whole number q from -50 to 50."
    near = [{**s, "q": s["q"] - 50, "r": -50} for s in LINE]
    assert odd(near) == []
    many = [row(f"{chr(65 + i // 10)}{i % 10}", i % 10, i // 10, "lake") for i in range(100)]
    assert problem({"slots": many}).startswith("The map has 0 castles"), "a hundred slots are read"


def test_a_map_is_checked_again_when_a_game_is_set_up() -> None:  # MM-MAP-7
    own = json.loads(own_data(json.dumps({"slots": LINE}), 2))
    own["maps"]["2"]["slots"][4]["q"] = 7
    with pytest.raises(NotUnderstood) as refusal:
        GAME.rules.setup(["a", "b"], {"own": json.dumps(own)}, Chance("x"))
    assert str(refusal.value) == "The map has a hole in it: A5 can't be reached from A1."
    with pytest.raises(NotUnderstood) as refusal:
        GAME.rules.setup(["a", "b", "c"], {"own": json.dumps(own)}, Chance("x"))
    assert str(refusal.value) == "The host's own data file has no map for 3 players."
    with pytest.raises(NotUnderstood) as refusal:
        GAME.rules.setup(["a", "b"], {"own": 5}, Chance("x"))
    assert str(refusal.value) == "The host's own data file is text."


def test_a_file_of_ones_own_is_kept_as_it_is_spelled() -> None:  # MM-MAP-7, MM-DAT-3
    own = own_data(json.dumps({**json.loads(own_data(json.dumps({"slots": LINE}), 2)), "title": "Le château"}), 2)
    assert "Le château" in own and own_data(own, 2) == own


def test_a_file_of_ones_own_has_one_spelling_whatever_its_order() -> None:  # MM-DAT-3
    own = own_data(json.dumps({"slots": LINE}), 2)
    turned = dict(reversed(json.loads(own).items()))
    assert json.dumps(turned) != json.dumps(json.loads(own)) and own_data(json.dumps(turned), 2) == own


@pytest.mark.parametrize("odd", [{"slot": "Nowhere"}, {"kind": "swamp"}, {"q": 51}, {"r": -51}])
def test_a_slot_that_can_t_lie_on_a_map_is_refused(odd: dict[str, Any]) -> None:  # MM-MAP-7
    slots = LORE.maps[2]
    check_map(LORE, slots, 2)
    changed = Slot(**{**{f: getattr(slots[0], f) for f in slots[0].__struct_fields__}, **odd})
    with pytest.raises(NotUnderstood, match=changed.slot):
        check_map(LORE, (changed, *slots[1:]), 2)


LETTERS = "Abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (changed(1, slot=LETTERS), f"Slot 2 of the map has the label “{LETTERS[:20]}”; {LABELLED}"),
        (changed(1, kind=LETTERS), f"Slot A2 is a “{LETTERS[:20]}”; a slot is a castle, a lake or a territory."),
        (changed(1, value=LETTERS), f"Territory A2 has the value {LETTERS[:10]}; it is 1, 2 or 3."),
        ('{"slots": NaN}', "The file has “NaN” where a number belongs; write a number with digits."),
    ],
)
def test_of_what_will_not_do_on_a_map_the_beginning_is_quoted(data: object, sentence: str) -> None:  # MM-MAP-7
    assert problem(data) == sentence


def test_a_castle_has_no_value_and_a_slot_no_more_than_belongs_to_it() -> None:  # MM-MAP-7
    slots = [{**LINE[0], "value": 2, "colour": "red"}, *LINE[1:]]
    assert json.loads(own_data(json.dumps({"slots": slots}), 2))["maps"]["2"]["slots"] == LINE


def laid(**values: Any) -> tuple[Slot, ...]:
    """The shipped map for two with the territory B1 changed."""
    return tuple(
        Slot(**{**{f: getattr(s, f) for f in s.__struct_fields__}, **values}) if s.slot == "B1" else s for s in LORE.maps[2]
    )


@pytest.mark.parametrize(
    ("slots", "sentence"),
    [
        (laid(value=4), "Territory B1 has the value 4; it is 1, 2 or 3."),
        (laid(value=0), "Territory B1 has the value 0; it is 1, 2 or 3."),
        (LORE.maps[6] * 3, "The map has 111 slots; at most 100 fit."),
        (laid(slot="A2"), "Two slots of the map are called A2; each needs a label of its own."),
        (laid(q=1, r=-2), "B1 and A2 lie on the same place (1, -2)."),
    ],
)
def test_a_map_of_a_whole_file_is_looked_at_slot_by_slot(slots: tuple[Slot, ...], sentence: str) -> None:  # MM-MAP-7
    with pytest.raises(NotUnderstood) as refusal:
        check_map(LORE, slots, 2)
    assert str(refusal.value) == sentence


def test_the_bounds_of_a_slot_lie_within() -> None:  # MM-MAP-7
    for far in ({"q": 50}, {"r": 50}, {"q": -50}, {"r": -50}):
        with pytest.raises(NotUnderstood, match="hole"):
            check_map(LORE, laid(**far), 2)
    for outside in ({"q": 51}, {"r": 51}, {"q": -51}, {"r": -51}, {"slot": "B100"}, {"kind": "sea"}):
        with pytest.raises(NotUnderstood) as refusal:
            check_map(LORE, laid(**outside), 2)
        label = str(outside.get("slot", "B1"))
        assert str(refusal.value).startswith(
            f"The slot “{label}” of the map has a label, a kind or a place that no slot can have"
        )


def test_a_game_goes_on_with_the_file_that_it_began_with_alone() -> None:  # MM-DAT-3, MM-MAP-7
    own = own_data(json.dumps({"slots": LINE}), 2)
    GAME.rules.setup(["a", "b"], {"own": own, "data": data_hash(own)}, Chance("x"))
    with pytest.raises(NotUnderstood) as refusal:
        GAME.rules.setup(["a", "b"], {"own": own, "data": data_hash("")}, Chance("x"))
    assert str(refusal.value) == "The host's own data file is not the one that this game was started with."


def test_the_lakes_of_the_box_may_all_lie_on_one_map() -> None:  # MM-MAP-7, MM-CMP-1
    three = [row("B1", 2, 1, "lake"), row("B2", 3, -1, "lake"), row("B3", 1, 1, "lake")]
    assert len(odd([*LINE, *three])) == len(odd([*LINE, *three[:2]])) + 2, "two of them touch"


def test_of_a_slot_s_long_label_the_beginning_is_quoted() -> None:  # MM-MAP-7
    with pytest.raises(NotUnderstood, match=f"“{LETTERS[:20]}”"):
        check_map(LORE, laid(slot=LETTERS), 2)
