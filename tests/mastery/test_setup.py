"""Set-up: seats, tiles, artefacts, decks, first knights and first cards (MM-SET, MM-RND-2, MM-DEC-1, 2)."""

from __future__ import annotations

import json
from typing import TypeVar

import pytest

from engine.core import procedure
from engine.core.asks import NotLegal, NotUnderstood, Refused, read
from engine.core.chance import Chance
from engine.games import game_called
from engine.mastery.face.view import MasteryState
from engine.mastery.rules.maps import own_data
from engine.mastery.rules.pieces import TEXT, Slot, data_hash, lore_of
from engine.mastery.rules.setup import fresh_table, start_knights
from engine.mastery.rules.table import Land
from tests.mastery.scene import script

GAME = game_called("mastery")
T = TypeVar("T")
SEATS = list("abcdef")


def begun(n: int, chance: dict[str, list[str]] | None = None, **options: object) -> MasteryState:
    """A game at its first ask."""
    state = setup_state(n, chance, **options)
    procedure.begin(state)
    return state


def setup_state(n: int, chance: dict[str, list[str]] | None = None, **options: object) -> MasteryState:
    state: MasteryState = GAME.rules.setup(SEATS[:n], options, script(chance))
    return state


def no_authority(n: int) -> dict[str, list[str]]:
    """Five harmless cards on top of every deck."""
    return {f"deck-{s}": ["Conflict2 Conflict3 Conflict4 Conflict5 Support1"] for s in SEATS[:n]}


def test_two_to_six_lords_choose_options_before_the_start() -> None:  # MM-SET-1, MM-DEC-1
    for n in range(2, 7):
        assert len(begun(n).table.lords) == n
    for n in (1, 7):
        with pytest.raises(NotUnderstood, match=f"Medieval Mastery is for 2 to 6 lords, not {n}."):
            GAME.rules.setup([*SEATS, "g"][:n], {}, Chance("x"))
    ask = GAME.rules.variants.ask(4)
    assert (ask.kind, ask.rule) == ("variant", "MM-DEC-1")
    assert [f.name for f in ask.options[0].fields] == ["rules", "allegiance", "seating"]
    assert [f.name for f in GAME.rules.variants.ask(5).options[0].fields] == ["rules", "seating"]
    base = GAME.rules.variants.read(4, ask.default, "")
    assert base["seating"] == "random" and "rules" not in base and "allegiance" not in base, "the base game by default"
    chosen = read("play rules=[cut_throat,mayhem] allegiance=teams_of_2 seating=fixed")
    options = GAME.rules.variants.read(4, chosen, "")
    assert (options["rules"], options["allegiance"], options["seating"]) == (["cut_throat", "mayhem"], 2, "fixed")
    assert GAME.rules.variants.write(4, options) == chosen


@pytest.mark.parametrize("rules", [[], ["castle_siege"], ["cut_throat"], ["skirmish"], ["mayhem"], ["mayhem", "castle_siege"]])
def test_a_game_is_played_by_the_options_that_were_chosen(rules: list[str]) -> None:  # MM-SET-1, MM-OPT-1
    on = setup_state(2, rules=rules).table.options
    names = {"castle_siege": on.siege, "cut_throat": on.cut_throat, "skirmish": on.skirmish, "mayhem": on.mayhem}
    assert {name for name, is_on in names.items() if is_on} == set(rules) and on.teams == 0
    assert setup_state(4, rules=rules[:0], allegiance=2).table.options.teams == 2


def test_unknown_options_are_refused() -> None:  # MM-DEC-1
    with pytest.raises(NotUnderstood) as refusal:
        begun(2, None, dragons=True)
    said = "Medieval Mastery has no option “dragons”; it has: allegiance, data, own, rules, seating."
    assert str(refusal.value) == said
    with pytest.raises(
        NotUnderstood, match=r"The optional rules are: castle_siege, cut_throat, skirmish, mayhem, and Allegiance."
    ):
        begun(2, None, rules=["rain"])


def test_tiles_are_dealt_by_value_and_the_rest_leaves_the_game() -> None:  # MM-SET-2
    for n in range(2, 7):
        table = begun(n).table
        dealt = [land.tile for land in table.lands.values()]
        assert len(dealt) == 5 * n
        for slot, land in table.lands.items():
            assert table.data.tiles[land.tile].value == table.map.slots[slot].value
        assert all(dealt.count(t.type) <= t.copies for t in table.data.tiles.values())
        seen = GAME.rules.view(begun(n), None)["map"]
        assert all(s["tile"] for s in seen if s["kind"] == "territory"), "face up, for everybody"


def test_seats_are_drawn_unless_the_host_fixes_them() -> None:  # MM-SET-3
    drawn = begun(4, {"seats": ["c a d b"]}).table
    assert drawn.order == ["b", "d", "a", "c"]
    assert [drawn.lords[s].slot for s in drawn.order] == list(drawn.map.castles)
    fixed = begun(4, None, seating="fixed").table
    assert fixed.order == ["a", "b", "c", "d"] and fixed.lords["c"].slot == "F4"
    # MM-MAP-4: clockwise, the first seat at the castle whose label sorts first
    assert [fixed.lords[seat].slot for seat in fixed.order] == ["B1", "B4", "F4", "F1"]
    assert "seats" not in fixed.chance.drawn


def test_castles_are_handed_out_in_the_order_of_the_data_file() -> None:  # MM-CMP-7
    table = begun(3, None, seating="fixed").table
    assert [table.lords[s].castle for s in "abc"] == ["Nivernais", "Touraine", "Anjou"]


def test_everybody_gets_one_crown_one_sceptre_and_one_orb_face_up() -> None:  # MM-SET-4
    chance = {"crowns": ["Order Fury"], "sceptres": ["Rage Fear"], "orbs": ["Greed Devotion"]}
    state = begun(2, chance, seating="fixed")
    assert [a.name for a in state.table.lords["a"].artefacts()] == ["Order", "Rage", "Greed"]
    assert [a.name for a in state.table.lords["b"].artefacts()] == ["Fury", "Fear", "Devotion"]
    assert all(a.up for lord in state.table.lords.values() for a in lord.artefacts())
    shown = [a["name"] for a in GAME.rules.view(state, None)["lords"][0]["artefacts"]]
    assert shown == ["Order", "Rage", "Greed"]
    six = begun(6).table
    assert len({a.name for lord in six.lords.values() for a in lord.artefacts()}) == 18


def test_seats_castles_and_artefacts_are_told_to_all() -> None:  # MM-SET-3, MM-SET-4, MM-CMP-7
    state = setup_state(3)
    told = [(e.kind, e.facts) for e in procedure.begin(state) if e.kind in ("seated", "invested") and e.seen_by(None)]
    invested = [
        {"seat": s, "castle": lord.castle, "slot": lord.slot, "artefacts": [a.name for a in lord.artefacts()]}
        for s, lord in ((s, state.table.lords[s]) for s in state.table.order)
    ]
    assert told == [("seated", {"order": state.table.order}), *(("invested", facts) for facts in invested)]
    assert all(len(facts["artefacts"]) == 3 for facts in invested)


def test_decks_are_shuffled_and_the_discard_piles_begin_empty() -> None:  # MM-SET-5
    table = setup_state(2).table
    for lord in table.lords.values():
        assert (len(lord.hand), len(lord.deck), lord.discard) == (0, 18, [])
        assert sorted(lord.deck) != lord.deck and sorted(lord.deck) == table.data.deck()
        assert table.chance.drawn[f"deck-{lord.seat}"] == 1
    assert table.lords["a"].deck != table.lords["b"].deck


def test_ten_dice_of_which_the_first_knights_take_one_a_place() -> None:  # MM-SET-6
    lord = GAME.rules.view(begun(2, {"tiles-1": ["Forest Forest Village Village"]}, seating="fixed"), None)["lords"][0]
    assert (lord["dice"] + lord["reserve"], lord["dice"]) == (10, 1 if lord["knights"] <= 6 else 2)


@pytest.mark.parametrize(
    ("tiles", "castle", "homes"),
    [
        ("Forest Forest Village Village", 6, {}),
        ("Homelands Forest", 3, {"A1": 3}),
        ("Homelands Homelands", 2, {"A1": 2, "A3": 2}),
    ],
)
def test_six_knights_are_spread_over_the_castle_and_its_homelands(  # MM-SET-7, MM-TER-9
    tiles: str, castle: int, homes: dict[str, int]
) -> None:
    state = setup_state(2, {"tiles-1": [tiles + (" Village Village" if "Homelands" in tiles else "")]}, seating="fixed")
    start_knights(state.table)
    assert state.table.lords["a"].knights == castle
    assert {s: x.knights for s, x in state.table.lands.items() if x.holder == "a"} == homes
    assert state.table.lords["b"].knights == 6


def test_homelands_away_from_castles_start_vacant() -> None:  # MM-SET-7
    table = setup_state(5, {"tiles-1": ["Forest Homelands"]}, seating="fixed").table
    slots = [s for s, land in table.lands.items() if land.tile == "Homelands"]
    assert slots[0] == "A3" and "A1" not in table.map.near["A3"]
    table = setup_state(2, None, seating="fixed").table
    for land in table.lands.values():
        land.tile = "Homelands"
    start_knights(table)
    assert {s for s, land in table.lands.items() if land.holder == ""} == {"C1", "C3"}, "C1 and C3 touch no castle"


def own_map(*slots: tuple[str, int, int, str, int]) -> str:
    """A host's map for two lords."""
    rows = [{"slot": s, "q": q, "r": r, "kind": kind, "value": value} for s, q, r, kind, value in slots]
    return own_data(json.dumps({"slots": rows}), 2)


def test_homelands_beside_two_castles_give_to_neither_and_many_share_evenly() -> None:  # MM-AMB-46
    between = own_map(("A1", 0, 0, "castle", 0), ("A2", 1, 0, "territory", 1), ("A3", 2, 0, "castle", 0))
    table = fresh_table(["a", "b"], {"own": between, "seating": "fixed"}, script({"tiles-1": ["Homelands"]}))
    start_knights(table)
    assert table.lands["A2"].tile == "Homelands" and table.lands["A2"].holder == ""
    assert [table.lords[s].knights for s in "ab"] == [6, 6]
    ring = own_map(
        ("B2", 0, 0, "castle", 0),
        ("A1", 0, -1, "territory", 1),
        ("A2", 1, -1, "territory", 1),
        ("B1", -1, 0, "territory", 1),
        ("C1", -1, 1, "territory", 1),
        ("B3", 1, 0, "territory", 2),
        ("B4", 2, 0, "territory", 2),
        ("B5", 3, 0, "castle", 0),
    )
    table = fresh_table(["a", "b"], {"own": ring, "seating": "fixed"}, Chance("x"))
    for slot in ("A1", "A2", "B1", "C1"):
        table.lands[slot].tile = "Homelands"
    start_knights(table)
    assert [table.lands[s].knights for s in ("A1", "A2", "B1", "C1")] == [1, 1, 1, 1], "6 // 5 each"
    assert table.lords["a"].knights == 2, "and the rest in the castle"


def test_five_cards_and_an_authority_among_them_is_played_at_once() -> None:  # MM-SET-8
    chance = no_authority(2) | {"deck-a": ["Conflict2 Authority Conflict4 Conflict5 Support1 Ambush Fracture"]}
    table = begun(2, chance, seating="fixed").table
    lord = table.lords["a"]
    assert sorted(lord.hand) == ["Ambush", "Conflict2", "Conflict4", "Conflict5", "Fracture", "Support1"]
    assert (len(lord.deck), [(d.card, d.turn) for d in lord.discard]) == (11, [("Authority", 0)])
    other = table.lords["b"]
    assert (len(other.hand), len(other.deck), len(other.discard)) == (5, 13, 0)


def test_the_first_is_drawn_and_points_count_from_the_start() -> None:  # MM-SET-9
    chance = no_authority(3) | {"first-player": ["1"], "tiles-1": ["Homelands Homelands"]}
    state = begun(3, chance, seating="fixed")
    assert (state.table.first, state.table.active, state.waiting) == ("b", "b", ["b"])
    fresh = setup_state(3, chance, seating="fixed")
    assert [e.facts for e in procedure.begin(fresh) if e.kind == "first"] == [{"seat": "b"}], "all are told"
    procedure.play(state, "b", read("end"))
    assert state.table.active == "c", "clockwise"
    shown = {lord["seat"]: lord["points"] for lord in GAME.rules.view(state, None)["lords"]}
    homes = {land.holder for land in state.table.lands.values() if land.tile == "Homelands" and land.holder}
    assert homes and all(shown[s] >= 1 for s in homes)


class Noted(Chance):
    """Chance that notes what it draws for."""

    notes: list[str] = []

    def shuffle(self, cards: list[T], purpose: str, last: int | None = None) -> None:
        self.notes.append(purpose)
        super().shuffle(cards, purpose, last)

    def below(self, n: int, purpose: str) -> int:
        self.notes.append(purpose)
        return super().below(n, purpose)


def test_the_draws_of_set_up_come_in_their_order() -> None:  # MM-RND-2
    chance = Noted("x")
    state = GAME.rules.setup(list("abc"), {}, chance)
    procedure.begin(state)
    decks = [f"deck-{s}" for s in state.table.order]
    assert chance.notes == ["seats", "tiles-1", "tiles-2", "tiles-3", "crowns", "sceptres", "orbs", *decks, "first-player"]
    dealt = setup_state(2, {"tiles-3": ["City Battlefield"], "tiles-1": ["Ruins Forest Village Ruins"]}).table.lands
    threes = [s.slot for s in lore_of("").maps[2] if isinstance(s, Slot) and s.value == 3]
    assert [dealt[s].tile for s in threes] == ["City", "Battlefield"], "in the order of the data file"
    assert [dealt[s].tile for s in ("A1", "A3", "E1", "E3")] == ["Ruins", "Forest", "Village", "Ruins"]


def test_a_header_with_impossible_teams_is_refused() -> None:  # MM-DEC-1
    for n, teams, said in (
        (5, 2, "Allegiance is for 4 or 6 lords; 5 can't form teams of equal size."),
        (4, 3, "4 lords can't form teams of 3; a team of equal size has 2."),
        (6, 4, "6 lords can't form teams of 4; a team of equal size has 2 or 3."),
    ):
        with pytest.raises(NotLegal) as refusal:
            begun(n, None, allegiance=teams)
        assert str(refusal.value) == said
    with pytest.raises(Refused, match=r"Allegiance and Castle Siege exclude each other; choose one of the two."):
        begun(4, None, allegiance=2, rules=["castle_siege"])


def test_of_odd_options_the_beginning_is_quoted() -> None:  # MM-DEC-1
    letters = "abcdefghijklmnopqrstuvwxyzabcdefghi"
    with pytest.raises(NotUnderstood, match=f"no option “{letters[:30]}”"):
        begun(2, None, **{letters: True})
    with pytest.raises(NotLegal, match=r"teams of 12345; "):
        begun(4, None, allegiance=1234567)


def test_castles_come_from_the_file_that_a_game_is_played_by() -> None:  # MM-CMP-7, MM-DAT-3
    data = json.loads(TEXT)
    own = json.dumps(data | {"castles": data["castles"][::-1]})
    table = fresh_table(["a", "b"], {"own": own, "seating": "fixed"}, Chance("x"))
    assert [table.lords[s].castle for s in "ab"] == ["Bourbonnais", "Berry"]
    assert table.lore == own and all(land.tile in table.data.tiles for land in table.lands.values())


def test_whoever_says_nothing_of_the_seating_leaves_it_to_chance() -> None:  # MM-DEC-1, MM-SET-3
    assert GAME.rules.variants.read(2, read("play"), "") == {"seating": "random", "data": data_hash()}


def test_with_homelands_all_around_every_knight_stays_in_the_castle() -> None:  # MM-AMB-46, MM-GEN-2
    around = {"A1": (0, -1), "A2": (1, -1), "B1": (-1, 0), "B3": (1, 0), "C1": (-1, 1), "C2": (0, 1)}
    ring = [(slot, q, r, "territory", 1) for slot, (q, r) in around.items()]
    own = own_map(("B2", 0, 0, "castle", 0), *ring, ("B4", 2, 0, "territory", 2), ("B5", 3, 0, "castle", 0))
    # Games that began before it was mended go on with Homelands that are held by nobody's knights.
    for ruled, holder in ((None, ""), ({}, "a")):
        table = fresh_table(["a", "b"], {"own": own, "seating": "fixed"}, Chance("x"), ruled)
        for slot in around:
            table.lands[slot].tile = "Homelands"
        start_knights(table)
        assert table.lords["a"].knights == 6 and all(table.lands[x] == Land("Homelands", holder, 0) for x in around), (
            "6 // 7 is none"
        )
