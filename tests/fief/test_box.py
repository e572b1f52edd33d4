"""What is in the box and on the board (chapters CMP, MAP, SET), and what chance is asked."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from engine.core import procedure
from engine.core.asks import Answer, NotUnderstood
from engine.core.chance import Chance
from engine.fief import FIEF, setup
from engine.fief.rules.realm import pieces
from engine.fief.rules.realm.pieces import lore_of
from tests.fief import wild

LORE = lore_of()
BOARD = {
    "blaye": "beaujeu la_salle blaye charolles",
    "bourg": "bourg villeneuve la_bussiere st_vivien",
    "epervier": "sennecy lepervier chateauneuf",
    "tournus": "tournus belleville pugnac",
    "st_gerome": "st_gerome st_medard st_andre",
    "sigy": "sigy marcamps st_ciers",
    "mazilles": "mazilles st_andromy",
    "st_paul": "st_paul les_essarts",
}
SEES = {
    1: "blaye la_salle charolles sennecy lepervier st_medard villeneuve",
    2: "tournus chateauneuf mazilles st_andromy",
    3: "st_gerome belleville pugnac st_andre la_bussiere",
    4: "bourg st_vivien les_essarts marcamps",
    5: "sigy st_paul st_ciers beaujeu",
}
ROADS = """
beaujeu-la_salle beaujeu-st_ciers la_salle-blaye la_salle-sennecy blaye-charolles charolles-lepervier charolles-villeneuve
sennecy-lepervier lepervier-chateauneuf chateauneuf-mazilles mazilles-belleville mazilles-st_andromy belleville-pugnac
pugnac-tournus tournus-st_andromy pugnac-st_gerome st_andromy-st_medard st_medard-villeneuve st_medard-st_gerome
st_gerome-st_andre st_andre-la_bussiere la_bussiere-bourg bourg-villeneuve bourg-st_vivien st_vivien-st_paul
st_paul-les_essarts st_paul-sigy sigy-st_ciers st_ciers-marcamps marcamps-les_essarts les_essarts-villeneuve
"""


def test_each_player_has_his_counters() -> None:  # FF-CMP-1, FF-AMB-2
    per = LORE.per_player
    assert [per[k] for k in ("men_at_arms", "knights", "siege_engines", "diplomacy")] == [13, 8, 2, 3]


def test_what_all_share() -> None:  # FF-CMP-2, FF-CMP-3, FF-AMB-3
    assert Counter(p.female for p in LORE.people.values()) == {False: 12, True: 6}
    assert (LORE.shared["stronghold_or_city"], LORE.shared["mills"], len(LORE.relics)) == (12, 15, 5)
    assert (len(LORE.lands), len(LORE.sees), LORE.kinds["cardinal"].count) == (8, 5, 3)


def test_the_fortune_and_disaster_deck() -> None:  # FF-CMP-4
    assert Counter(LORE.fortune_deck()) == {
        "bountiful_harvest": 5, "good_weather": 5, "taxes": 5, "uprising": 4, "secret_passage": 3, "assassination": 1,
        "justice": 1, "ambush": 1, "heavy_rain": 4, "famine": 4, "plague": 2,
    }  # fmt: skip
    backs = Counter(LORE.back(card) for card in LORE.fortune_deck())
    assert backs == {"fortune": 25, "disaster": 10}


def test_the_lords_deck() -> None:  # FF-CMP-5
    deck = Counter(LORE.lords_deck())
    assert len(LORE.lords_deck()) == 22 and deck["cardinal"] == 3 and deck["d_arc"] == 1
    assert {LORE.back(card) for card in deck} == {"lords"} and all(n == 1 for id, n in deck.items() if id in LORE.people)


def test_the_faces_of_the_battle_die() -> None:  # FF-CMP-6, FF-AMB-1
    assert LORE.dice == {"found": (0, 1, 1, 2, 2, 3), "book": (1, 1, 1, 2, 2, 3)}
    table = wild.fresh(3, "die", battle_die="book").table
    assert set(table.battle_dice(60, "test")) == {1, 2, 3}
    assert set(wild.fresh(3, "die").table.battle_dice(60, "test")) == {0, 1, 2, 3}


@pytest.mark.parametrize("seats", [3, 6])
def test_fewer_players_have_the_same_decks(seats: int) -> None:  # FF-CMP-9, FF-AMB-5, FF-P3-1, FF-SET-2
    table = setup("abcdef"[:seats], {}, Chance("decks")).table
    assert Counter(table.fortune_deck) == Counter(LORE.fortune_deck()) and Counter(table.lords_deck) == Counter(
        LORE.lords_deck()
    )
    assert table.fortune_deck != sorted(table.fortune_deck) and table.lords_deck != sorted(table.lords_deck)
    assert not table.fortune_pile and not table.lords_pile and not table.track


def test_every_village_lies_in_one_fief_and_one_bishopric() -> None:  # FF-MAP-1, FF-MAP-2, FF-MAP-3
    assert {id: set(land.villages) for id, land in LORE.lands.items()} == {id: set(v.split()) for id, v in BOARD.items()}
    assert {n: set(see.villages) for n, see in LORE.sees.items()} == {n: set(v.split()) for n, v in SEES.items()}
    assert [see.principal for see in LORE.sees.values()] == ["blaye", "tournus", "st_gerome", "bourg", "sigy"]
    prices = [land.title_price for land in LORE.lands.values()]
    assert [2 * len(land.villages) for land in LORE.lands.values()] == prices
    assert len(LORE.sites) == 24


def test_the_roads() -> None:  # FF-MAP-1, FF-MAP-4
    told = {frozenset(road.split("-")) for road in ROADS.split()}
    assert {frozenset((a, b)) for a, near in LORE.roads.items() for b in near} == told and len(told) == 31


def test_a_host_s_own_map_is_played_on() -> None:  # FF-MAP-5
    data = json.loads(pieces.MAP)
    for land in data["fiefs"]:
        land["title_price"] = 1
    roads = data["roads"] + [["bourg", "tournus"]]
    own = json.dumps({"fiefs": data["fiefs"], "roads": roads})
    assert "tournus" in lore_of(own).roads["bourg"] and lore_of(own).lands["bourg"].title_price == 1
    with pytest.raises(NotUnderstood, match="Gotham"):
        lore_of(json.dumps({"roads": [*data["roads"], ["bourg", "Gotham"]]}))


@pytest.mark.parametrize("options", [{"rounds": -1}, {"battle_die": "loaded"}, {"snow": True}])
def test_options_that_there_are_not(options: dict[str, Any]) -> None:  # FF-SET-7
    with pytest.raises(NotUnderstood):
        setup("abc", options, Chance("options"))


@pytest.mark.parametrize("seats", ["ab", "abcdefg"])
def test_three_to_six_play(seats: str) -> None:  # FF-SET-1
    with pytest.raises(NotUnderstood):
        setup(seats, {}, Chance("seats"))


def test_the_first_player_is_drawn_and_all_found_in_turn_order() -> None:  # FF-SET-1, FF-SET-5, FF-SET-6
    firsts = set()
    for n in range(12):
        state = wild.fresh(4, f"first/{n}")
        firsts.add(state.table.first)
        assert state.waiting == [state.table.first] and state.table.phase == "setup"
    assert len(firsts) > 1
    for seat in state.table.in_order():
        assert state.waiting == [seat]
        procedure.play(state, seat, procedure.ask_of(state, seat).default)
    assert state.table.round == 1 and state.table.phase in ("1a", "2a")
    assert not any(p.titles for p in state.table.lords.values())


def test_dice_are_rolled_when_all_that_precedes_them_is_chosen() -> None:  # FF-ASY-8
    text = "fief: 1\nseats: a b c\nphase: 6a\nArthur: a blaye on=charolles\nblaye: b\nblaye.a: 2 maa on charolles\n"
    state = FIEF.rules.notation.read(text + "blaye.b: 2 maa\nblaye.c: 1 maa on la_salle\n")
    procedure.begin(state)
    drawn = state.table.chance.below
    rolled: list[str] = []

    class Watched(Chance):
        def below(self, n: int, purpose: str) -> int:
            rolled.append(purpose)
            drew: int = drawn(n, purpose)
            return drew

    state.table.chance = Watched("dice")
    procedure.play(state, "a", Answer("attack", {"at": "blaye", "against": ["b"]}))
    assert not rolled
    procedure.play(state, "c", Answer("neutral"))
    assert rolled == ["battle/attack", "battle/defence"]


def test_any_number_of_tax_markers_may_lie() -> None:  # FF-CMP-8, FF-AMB-4
    text = "fief: 1\nseats: a b c\nphase: 2c\na.hand: 3 taxes\nOthon: a blaye pope bishop=1 fief=bourg fief=sigy\n"
    state = FIEF.rules.notation.read(text + "".join(f"{p}: b tournus bishop={n}\n" for p, n in (("Henri", 2), ("Eric", 3))))
    procedure.begin(state)
    for levy in ("Othon/pope/all", "Othon/fief/bourg", "Othon/fief/sigy"):
        procedure.play(state, "a", Answer("tax", {"levy": levy}))
    assert sum(len(tax.sees) or 1 for tax in state.table.taxes) == 5


@pytest.mark.parametrize(("said", "hidden"), [("yes yes yes", True), ("yes no yes", False)])
def test_purses_are_hidden_where_all_agree(said: str, hidden: bool) -> None:  # FF-SET-7, D-SET-0
    state = setup("abc", {"hidden_deniers": True}, Chance("purses"))
    procedure.begin(state)
    assert state.waiting == ["a", "b", "c"] and procedure.ask_of(state, "a").default == Answer("no")
    for seat, answer in zip("abc", said.split(), strict=True):
        procedure.play(state, seat, Answer(answer))
    assert state.table.options.hidden_deniers is hidden and state.waiting == [state.table.first]
    assert ("deniers" in FIEF.rules.view(state, "a")["families"]["b"]) is not hidden
