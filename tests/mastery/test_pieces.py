"""The box: cards, artefacts, tiles, castles, dice, and the data file that holds them (MM-CMP, MM-DAT)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from engine.core.asks import NotUnderstood
from engine.core.chance import Chance
from engine.mastery.face.notation import read
from engine.mastery.rules import pieces
from engine.mastery.rules.ids import camel
from engine.mastery.rules.pieces import SCHEMA, TEXT, data_hash, lore_of
from engine.mastery.rules.setup import fresh_table, read_options
from engine.mastery.rules.unit import most_sent
from engine.text import bounds
from tests.mastery.scene import Scene

LORE = lore_of("")
DATA: dict[str, Any] = json.loads(TEXT)
ALL_LANDS = DATA["tiles"]["territories"]


def changed(**blocks: Any) -> str:
    """The shipped data file with some of its blocks replaced."""
    return json.dumps(DATA | blocks)


def problem(text: str) -> str:
    with pytest.raises(NotUnderstood) as refusal:
        lore_of(text)
    return str(refusal.value)


def test_the_box_holds_126_cards_60_dice_and_39_tiles() -> None:  # MM-CMP-1
    assert len(LORE.deck()) == 18 and len(LORE.regalia) == 18 and 6 * 18 + 18 == 126
    assert 6 * LORE.constants["dice_per_player"] == 60
    assert (len(LORE.castles), LORE.lakes, sum(t.copies for t in LORE.tiles.values())) == (6, 3, 30)


def test_a_deck_has_four_resource_cards_one_of_each() -> None:  # MM-CMP-2, MM-AMB-4
    resources = {k.id: k.copies for k in LORE.cards.values() if k.kind == "resource"}
    assert resources == {"CallToArms": 1, "Authority": 1, "TacticalAdvance": 1, "Fracture": 1}


def test_the_other_fourteen_are_ten_conflict_and_four_support_cards() -> None:  # MM-CMP-3
    conflict = {k.id: (k.value, k.copies) for k in LORE.cards.values() if k.kind == "conflict"}
    support = {k.id: (k.value, k.copies) for k in LORE.cards.values() if k.kind == "support"}
    assert conflict == {"Conflict2": (2, 2), "Conflict3": (3, 2), "Conflict4": (4, 2), "Conflict5": (5, 2), "Ambush": (0, 2)}
    assert support == {"Support1": (1, 2), "Support2": (2, 2)}


def test_six_artefacts_of_each_type() -> None:  # MM-CMP-4
    by_type = {t: {a.id for a in LORE.regalia.values() if a.type == t} for t in ("crown", "sceptre", "orb")}
    assert by_type == {
        "crown": {"Corruption", "Fury", "Insight", "Order", "Prosperity", "Vitality"},
        "sceptre": {"Fear", "Influence", "Rage", "Vigour", "Defiance", "Loyalty"},
        "orb": {"Brutality", "Greed", "Preparation", "Cleansing", "Devotion", "Resurgence"},
    }


def test_what_only_a_picture_names_is_not_in_the_game() -> None:  # MM-AMB-2
    assert not {"Liberty", "Divinity"} & LORE.regalia.keys()
    with pytest.raises(NotUnderstood, match="there is no artefact “Liberty”"):
        read("mastery: 1\nseats: a b\na.artefacts: Liberty")


def test_fury_is_a_crown() -> None:  # MM-AMB-3
    assert (LORE.regalia["Fury"].type, LORE.regalia["Fury"].effect) == ("crown", "MAY_DISCARD_1")


def test_twelve_twelve_and_six_territories_by_value() -> None:  # MM-CMP-5
    counted: Counter[int] = Counter()
    for t in LORE.tiles.values():
        counted[t.value] += t.copies
    assert counted == {1: 12, 2: 12, 3: 6} == LORE.per_value
    assert sum(v * n for v, n in counted.items()) == 6 * 9, "nine points a lord"


def test_every_type_of_territory_as_the_table_says() -> None:  # MM-CMP-6
    place, drop, sink = ("PLACE_1_KNIGHT_IN_CASTLE",), ("MAY_DISCARD_1",), ("LOSE_1_KNIGHT_HERE",)
    table = {
        "Homelands": (1, 6, (), ()),
        "Grasslands": (1, 6, ("ATTACKER_PLUS_1",), ()),
        "Village": (1, 6, (), place),
        "Ruins": (1, 6, (), drop),
        "Marshlands": (1, 6, (), sink),
        "Forest": (1, 6, (), ()),
        "Fort": (2, 6, ("DEFENDER_PLUS_1",), ()),
        "Shrine": (2, 6, (), place),
        "Abbey": (2, 6, (), drop),
        "Cave": (2, 4, (), ()),
        "Mountains": (2, 6, ("NO_SUPPORT_CARDS",), ()),
        "Arena": (2, 6, ("ARENA_ROLL",), ()),
        "City": (3, 6, ("DEFENDER_PLUS_1",), place),
        "Fortress": (3, 6, ("DEFENDER_PLUS_1",), drop),
        "Battlefield": (3, 8, (), ()),
    }
    assert {t.type: (t.value, t.capacity, t.battle_start, t.on_conquer) for t in LORE.tiles.values()} == table
    assert {t.copies for t in LORE.tiles.values()} == {2}
    assert [t.type for t in LORE.tiles.values() if t.start_knights] == ["Homelands"]


def test_castles_have_names_and_nothing_else() -> None:  # MM-CMP-7
    assert LORE.castles == ("Nivernais", "Touraine", "Anjou", "Auvergne", "Berry", "Bourbonnais")
    one, other = Scene("a: knights=3"), Scene("a: knights=3\na.castle: Berry A2")
    assert (one.targets("a"), one.need("a")) == (other.targets("a"), other.need("a"))


def test_dice_are_counters_and_nothing_rolls_outside_arena_ambush_and_mayhem() -> None:  # MM-CMP-8
    s = Scene("a: knights=9\na.hand: Conflict5\nb.hand: Conflict4\nB1: Forest b 3").play("a: march target=B1 knights=4")
    s.until("late")
    assert not {"arena", "ambush", "mayhem"} & s.table.chance.drawn.keys()
    assert s.need("a") == 2, "4 + 5 at home are two dice, one in the forest gone"


def test_the_data_file_has_its_blocks_and_says_where_they_come_from() -> None:  # MM-DAT-1
    blocks = {"constants", "victory", "options", "deck", "artefacts", "castles", "tiles", "coordinates", "maps"}
    assert blocks <= DATA.keys() and DATA["schema"] == SCHEMA == "medieval-mastery-data/1"
    tags = {"TEXT", "DERIVED", "SOURCE", "DESIGNED"}
    assert DATA["constants"]["provenance"] in tags
    assert all(v["provenance"] in tags for v in DATA["victory"].values())
    assert all(c["provenance"] in tags for c in DATA["deck"]["cards"])
    assert all(set(t["provenance"].values()) <= tags for t in DATA["tiles"]["territories"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "The file isn't JSON: Expecting property name enclosed in double quotes in line 1."),
        ("[]", "The file isn't a data file of Medieval Mastery; one has the `schema` `medieval-mastery-data/1`."),
        (
            '{"schema": "other"}',
            "The file isn't a data file of Medieval Mastery; one has the `schema` `medieval-mastery-data/1`.",
        ),
        (
            json.dumps({k: v for k, v in DATA.items() if k != "deck"}),
            "The data file lacks something, or has it in another form: KeyError('deck').",
        ),
        (
            changed(deck={"cards": DATA["deck"]["cards"][1:]}),
            "The deck of the file has 16 cards; a deck is 18.",
        ),
        (
            changed(
                deck={"cards": [*DATA["deck"]["cards"][:-1], {"id": "FRACTION", "kind": "resource", "copies": 1}]},
            ),
            "The deck of the file has no Fracture; each deck holds it.",
        ),
        (changed(artefacts=DATA["artefacts"][1:]), "The file has 5 artefacts of type crown; there are six."),
        (
            changed(artefacts=[DATA["artefacts"][0] | {"effect": "FLY"}, *DATA["artefacts"][1:]]),
            "The file gives Corruption the effect “FLY”, which is none of the game's.",
        ),
        (changed(castles=DATA["castles"][:5]), "The file names 5 castles; there are six."),
        (
            changed(tiles=DATA["tiles"] | {"per_value": {"1": 11, "2": 12, "3": 6}}),
            "The file has 12 territories of value 1, but says 11.",
        ),
        (
            changed(
                tiles=DATA["tiles"]
                | {
                    "territories": [DATA["tiles"]["territories"][0] | {"copies": 3}, *DATA["tiles"]["territories"][1:]],
                    "per_value": {"1": 13, "2": 12, "3": 6},
                }
            ),
            "The territories of the file are not 30 in all.",
        ),
        (
            changed(
                tiles=DATA["tiles"]
                | {
                    "territories": [
                        DATA["tiles"]["territories"][0] | {"on_conquer": ["BURN"]},
                        *DATA["tiles"]["territories"][1:],
                    ]
                }
            ),
            "The file gives Homelands the ability “BURN”, which is none of the game's.",
        ),
    ],
    ids=lambda v: v[-40:] if v.endswith(".") else "file",
)
def test_a_data_file_is_checked_when_it_is_loaded(text: str, sentence: str) -> None:  # MM-DAT-2
    assert problem(text) == sentence


TERRITORY = DATA["tiles"]["territories"][0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[" * 100_000, "The file can't be read: it is nested too deeply, or has a number with too many digits."),
        ("9" * 5000, "The file can't be read: it is nested too deeply, or has a number with too many digits."),
        (
            changed(constants={k: v for k, v in DATA["constants"].items() if k != "hand_draw_to"}),
            "The file's constant hand_draw_to isn't a whole number from 0 to 100.",
        ),
        (
            changed(constants=DATA["constants"] | {"pips_per_die": 0}),
            "The file's constant pips_per_die isn't a whole number from 1 to 100.",
        ),
        (
            changed(constants=DATA["constants"] | {"place_knights_per_turn": 1_000_000}),
            "The file's constant place_knights_per_turn isn't a whole number from 0 to 100.",
        ),
        (
            changed(victory=DATA["victory"] | {"skirmish": {}}),
            "The file's `victory` has no individual of 1 or more under skirmish.",
        ),
        (
            changed(victory=DATA["victory"] | {"allegiance": {"team_of_2": 20}}),
            "The file's `victory` has no team_of_3 of 1 or more under allegiance.",
        ),
        (
            changed(tiles=DATA["tiles"] | {"per_value": {"1": 12, "2": 12}}),
            "The `per_value` of the file counts the territories of value 1, 2 and 3.",
        ),
        (
            changed(tiles=DATA["tiles"] | {"territories": [TERRITORY | {"capacity": 0}, *DATA["tiles"]["territories"][1:]]}),
            "The territory Homelands of the file has copies or a capacity that no territory can have.",
        ),
        (
            changed(deck={"cards": [DATA["deck"]["cards"][0] | {"kind": "joker"}, *DATA["deck"]["cards"][1:]]}),
            "The card Conflict2 of the file has a kind, a value or copies that no card can have.",
        ),
        (
            changed(artefacts=[DATA["artefacts"][0] | {"effect": [1]}, *DATA["artefacts"][1:]]),
            "The file gives Corruption the effect “[1]”, which is none of the game's.",
        ),
    ],
    ids=lambda v: v[-40:] if v.endswith(".") else "file",
)
def test_a_data_file_that_no_game_can_be_played_with_is_refused(text: str, sentence: str) -> None:  # MM-DAT-2
    assert problem(text) == sentence


def test_a_game_keeps_the_data_file_that_it_was_started_with() -> None:  # MM-DAT-3
    other = changed(constants=DATA["constants"] | {"place_knights_per_turn": 4})
    assert data_hash() == data_hash(TEXT) == data_hash(json.dumps(DATA, indent=7)), "the mark is of the content"
    assert data_hash(other) != data_hash()
    assert read_options({"data": data_hash()}, 2)[1] == ""
    with pytest.raises(NotUnderstood) as refusal:
        read_options({"data": data_hash(other)}, 2)
    said = "This game was started with a data file that isn't here; it can't be played with another one."
    assert str(refusal.value) == said
    table = fresh_table(["a", "b"], {"own": other, "data": data_hash(other)}, Chance("x"))
    assert table.lore == other and table.data.constants["place_knights_per_turn"] == 4


def test_the_mark_of_a_data_file_never_changes() -> None:  # MM-DAT-3
    # Games name the file that they were started with by its mark: one that is computed otherwise finds it no more.
    assert data_hash() == "49a01b2cd88569b33dbe9e16c0259d99ff4ee6f3dbb8e711091858afc4c7aa7f"
    assert data_hash('{"b": [1, "é"], "a": null}') == hashlib.sha256('{"a":null,"b":[1,"é"]}'.encode()).hexdigest()


def test_a_file_that_was_replaced_is_found_by_its_mark(  # MM-DAT-3
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, other = changed(castles=DATA["castles"][::-1]), changed(castles=[*DATA["castles"][1:], DATA["castles"][0]])
    (tmp_path / "lore").mkdir()
    (tmp_path / "lore/components-1.json").write_text(other, "utf-8")
    (tmp_path / "lore/components-2.json").write_text(older, "utf-8")
    (tmp_path / "lore/draft.json").write_text(changed(constants={}), "utf-8")
    monkeypatch.setattr(resources, "files", lambda _package: tmp_path)
    assert pieces.shipped(data_hash(older)) == older and pieces.shipped(data_hash(other)) == other
    assert pieces.shipped("") == pieces.shipped(data_hash()) == "", "today's needs no text"
    with pytest.raises(NotUnderstood):
        pieces.shipped(data_hash(changed(constants={})))


def card(**values: Any) -> str:
    """The shipped file with its first card, one of two Conflict 2, changed."""
    return changed(deck={"cards": [DATA["deck"]["cards"][0] | values, *DATA["deck"]["cards"][1:]]})


def test_what_numbers_a_card_can_have() -> None:  # MM-DAT-2
    assert lore_of(card(value=100)).cards["Conflict2"].value == 100
    assert lore_of(card(value=0)).cards["Conflict2"].value == 0
    assert lore_of(card(value="d6")).cards["Conflict2"].value == 0, "a die decides"
    none = [DATA["deck"]["cards"][0] | {"copies": 0}, DATA["deck"]["cards"][1] | {"copies": 4}, *DATA["deck"]["cards"][2:]]
    assert lore_of(changed(deck={"cards": none})).deck().count("Conflict2") == 0
    wrong = "The card Conflict2 of the file has a kind, a value or copies that no card can have."
    assert problem(card(value=101)) == problem(card(value=-1)) == problem(card(kind="joker")) == wrong
    minus = [DATA["deck"]["cards"][0] | {"copies": -1}, DATA["deck"]["cards"][1] | {"copies": 5}, *DATA["deck"]["cards"][2:]]
    assert problem(changed(deck={"cards": minus})) == wrong
    resources = {k.id: k.value for k in LORE.cards.values() if k.kind == "resource"}
    assert resources == {"CallToArms": 0, "Authority": 0, "TacticalAdvance": 0, "Fracture": 0}
    assert LORE.of_kind("support") == ["Support1", "Support2"] and "Fracture" in LORE.of_kind("resource")


def test_every_count_of_the_box_is_checked_both_ways() -> None:  # MM-DAT-2
    more = [*DATA["deck"]["cards"][:-1], DATA["deck"]["cards"][-1] | {"copies": 2}]
    assert problem(changed(deck={"cards": more})) == "The deck of the file has 19 cards; a deck is 18."
    seventh = [*DATA["artefacts"], DATA["artefacts"][0] | {"id": "CROWN_SPARE"}]
    assert problem(changed(artefacts=seventh)) == "The file has 7 artefacts of type crown; there are six."
    assert problem(changed(castles=[*DATA["castles"], {"id": "POITOU"}])) == "The file names 7 castles; there are six."
    for name in ("Authority", "CallToArms", "TacticalAdvance", "Fracture"):
        kinds = [c | ({"copies": 0} if camel(c["id"]) == name else {}) for c in DATA["deck"]["cards"]]
        spare = [kinds[0] | {"copies": 3}, *kinds[1:]]
        assert problem(changed(deck={"cards": spare})) == f"The deck of the file has no {name}; each deck holds it."
    lands = DATA["tiles"]["territories"]
    for capacity, good in ((1, True), (100, True), (101, False), (0, False)):
        text = changed(tiles=DATA["tiles"] | {"territories": [lands[0] | {"capacity": capacity}, *lands[1:]]})
        assert (lore_of(text).tiles["Homelands"].capacity == capacity) if good else problem(text)
    for least, name in ((1, "dice_per_player"), (0, "hand_draw_to")):
        assert lore_of(changed(constants=DATA["constants"] | {name: least})).constants[name] == least
        assert lore_of(changed(constants=DATA["constants"] | {name: 100})).constants[name] == 100
        assert problem(changed(constants=DATA["constants"] | {name: 101}))
        assert problem(changed(constants=DATA["constants"] | {name: least - 1}))


def test_a_file_without_a_tile_that_does_nothing_can_be_played_and_written() -> None:  # MM-DAT-4
    lands = [t | ({} if t["battle_start"] or t["on_conquer"] else {"battle_start": ["ATTACKER_PLUS_1"]}) for t in ALL_LANDS]
    own = json.dumps(json.loads(changed(tiles=DATA["tiles"] | {"territories": lands})))
    s = Scene(f"lore: {own}\na: knights=3")
    assert s.table.data.tiles[s.table.lands["B1"].tile].battle_start == ("ATTACKER_PLUS_1",)


def test_counts_values_and_capacities_are_data() -> None:  # MM-DAT-4, MM-AMB-1
    tiles = [t | ({"capacity": 3, "value": 2} if t["type"] == "CAVE" else {}) for t in DATA["tiles"]["territories"]]
    own = changed(tiles=DATA["tiles"] | {"territories": tiles})
    one_line = json.dumps(json.loads(own))
    s = Scene("lore: " + one_line + "\na: knights=6\nB1: Cave")
    assert s.refused("a: march target=B1 knights=4") == "B1 takes 3 knights of yours at most; you send 4."
    assert Scene("a: knights=6\nB1: Cave").refused("a: march target=B1 knights=4") == ""
    designed = {c["id"] for c in DATA["deck"]["cards"] if c["provenance"] == "DESIGNED"}
    assert designed == {"CONFLICT_2", "CONFLICT_3", "CONFLICT_4", "CONFLICT_5", "AMBUSH", "SUPPORT_1", "SUPPORT_2"}
    assert DATA["victory"]["allegiance_with_skirmish"]["provenance"] == "DESIGNED"


def test_how_deep_a_data_file_may_nest() -> None:  # MM-DAT-2
    def deep(lists: str, n: int) -> str:
        left, right = lists.split()
        return changed(note=json.loads(left * n + "0" + right * n))

    for brackets in ("[ ]", '{"a": }'):
        assert lore_of(deep(brackets, bounds.DEEPEST - 2)).deck() == LORE.deck()
        assert problem(deep(brackets, bounds.DEEPEST - 1)) == "The file is nested too deeply; at most 20 levels fit."


def test_a_name_that_can_not_be_written_is_refused() -> None:  # MM-DAT-2
    said = problem(changed(note=0).replace('"note"', '"no\\ud800te"'))
    assert said.startswith("The file has a broken character, 'no\\ud800te';")


def test_a_die_counts_as_many_knights_as_the_data_file_says() -> None:  # MM-DAT-4, MM-DIC-1
    own = json.dumps(json.loads(changed(constants=DATA["constants"] | {"pips_per_die": 4})))
    s = Scene("lore: " + own + "\na: knights=5\nB1: Forest a 5\nB2: Forest b 1")
    assert (s.need("a"), s.need("b")) == (2 + 2, 1)
    s.play("a: march target=B2 knights=5")
    assert s.need("a") == 2 + 2, "those in dispute too"
    tight = Scene("lore: " + own + "\na: knights=36\nA1: Battlefield\nB1: Forest a 4")
    most = [most_sent(tight.table, "a", {"B1"}, room) for room in (4, 5, 6, 7, 8)]
    assert most == [4, 4, 4, 4, 8], "40 fill ten dice: they go by whole dice"
    full = Scene("lore: " + own + "\na: knights=38\nA1: Forest")
    assert full.need("a") == 10 and full.refused("a: march target=A1 knights=2") == "", "36 take nine dice, and 2 one"
    assert "11 dice" in full.refused("a: march target=A1 knights=5")


def test_a_kind_of_which_the_file_has_no_card_has_none() -> None:  # MM-DAT-4
    assert LORE.of_kind("conflict") == ["Conflict2", "Conflict3", "Conflict4", "Conflict5", "Ambush"]
    assert LORE.of_kind("blessing") == []


def test_the_places_of_a_map_carry_the_value_that_is_dealt_there() -> None:  # MM-MAP-1, MM-MAP-7
    values = {s["slot"]: s.get("value", 0) for s in DATA["maps"]["2"]["slots"]}
    assert {s.slot: s.value for s in LORE.maps[2]} == values and set(values.values()) == {0, 1, 2, 3}


def test_cards_that_are_played_for_what_they_do_have_no_value() -> None:  # MM-CMP-2, MM-CMP-3
    assert {k.id for k in LORE.cards.values() if not k.value} == {
        *("CallToArms", "Authority", "TacticalAdvance", "Fracture", "Ambush")
    }


def test_what_homelands_are_worth_in_a_skirmish_is_data() -> None:  # MM-DAT-4, MM-OPT-11
    worth = {**DATA["victory"], "skirmish": {**DATA["victory"]["skirmish"], "homelands_value": 2}}
    own = json.dumps(json.loads(changed(victory=worth)))
    assert Scene(f"lore: {own}\noptions: skirmish\nB1: Homelands a 1").points("a") == 2
    assert Scene("options: skirmish\nB1: Homelands a 1").points("a") == 0
    del worth["skirmish"]["homelands_value"]
    own = json.dumps(json.loads(changed(victory=worth)))
    assert Scene(f"lore: {own}\noptions: skirmish\nB1: Homelands a 1").points("a") == 0, "nothing, where it isn't said"


@pytest.mark.parametrize("points", [1, 0])
def test_a_victory_is_worth_a_point_at_least(points: int) -> None:  # MM-DAT-2, MM-VIC-2
    text = changed(victory={**DATA["victory"], "base": {**DATA["victory"]["base"], "individual": points}})
    if points:
        assert lore_of(text).victory["base"]["individual"] == 1
    else:
        assert "individual" in problem(text)


def test_a_file_that_says_a_thing_twice_is_refused_with_it() -> None:  # MM-DAT-2
    assert problem('{"schema": 1, "schema": 1}') == "The file says 'schema' twice in one object; once is right."
    long = "k" * 50
    assert problem(f'{{"a": {{"{long}": 1, "b": 2, "{long}": 3}}}}') == (
        f"The file says '{long[:40]}' twice in one object; once is right."
    )


def test_half_a_character_is_quoted_as_far_as_forty_letters() -> None:  # MM-DAT-2
    assert problem('{"a": "' + "x" * 60 + '\\ud800"}') == f"The file has a broken character, '{'x' * 40}'; save it as UTF-8."


def test_a_number_that_is_far_too_great_is_refused() -> None:  # MM-DAT-2
    for number in ("1e300", "-1e300"):
        assert "too large" in problem('{"a": [' + number + "]}")


@pytest.mark.parametrize("block", ["base", "skirmish", "allegiance", "allegiance_with_skirmish"])
def test_a_file_that_leaves_out_a_way_to_win_is_refused_with_it(block: str) -> None:  # MM-DAT-2, MM-VIC-2
    text = changed(victory={k: v for k, v in DATA["victory"].items() if k != block})
    name = "team_of_2" if block.startswith("allegiance") else "individual"
    assert problem(text) == f"The file's `victory` has no {name} of 1 or more under {block}."


def test_what_a_file_has_twice_or_too_great_is_named() -> None:  # MM-DAT-2
    assert problem('{"a": 1, "b": 2, "b": 3}') == "The file says 'b' twice in one object; once is right."
    assert problem('{"a": 1000001}') == "“a” in the file has a number that is too large; at most 1000000 fits."


def test_a_territory_may_be_left_out_of_the_box_and_does_what_the_game_knows() -> None:  # MM-DAT-2, MM-CMP-6
    def lands(**of_homelands: Any) -> str:
        changed_ones = [{**t, **of_homelands} if t["type"] == "HOMELANDS" else t for t in ALL_LANDS]
        return changed(tiles=DATA["tiles"] | {"territories": changed_ones})

    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 2
    assert problem(lands(on_conquer=[letters])) == (
        f"The file gives Homelands the ability “{letters[:40]}”, which is none of the game's."
    )
    for copies, said in ((0, "value"), (-1, "copies or a capacity")):
        assert said in problem(lands(copies=copies)), "none at all is a number; what is missing then is counted"


def test_a_file_is_read_whole_as_it_stands() -> None:  # MM-DAT-1, MM-DAT-4
    lore = lore_of("\ufeff" + changed(note="read anew"))
    assert lore.cards["Authority"] == pieces.Kind("Authority", "resource", 0, 1), "what has no value counts nothing"
    assert lore.regalia["Fear"] == pieces.Regalia("Fear", "sceptre", "attacking", "MAY_MATCH_RIVAL_KNIGHTS")
    assert lore.regalia["Devotion"] == pieces.Regalia("Devotion", "orb", "lose", "PLACE_1_KNIGHT_IN_CASTLE")
    assert pieces.slots_of([{"slot": "A1", "q": 2, "r": -1, "kind": "castle"}]) == (pieces.Slot("A1", 2, -1, "castle", 0),)


def test_of_an_effect_that_is_none_the_beginning_is_quoted() -> None:  # MM-DAT-2
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 2
    odd = [*DATA["artefacts"][:-1], DATA["artefacts"][-1] | {"effect": letters}]
    said = problem(changed(artefacts=odd))
    assert letters[:40] in said and letters[:41] not in said


@pytest.mark.parametrize("half", ["\\ud800", "\\udbff", "\\udc00", "\\udfff"])
def test_every_half_of_a_character_is_refused(half: str) -> None:  # MM-DAT-2
    assert problem('{"a": "' + half + '"}').startswith(f"The file has a broken character, '{half}';")
    assert problem('{"' + half + '": 1}').startswith(f"The file has a broken character, '{half}';")
