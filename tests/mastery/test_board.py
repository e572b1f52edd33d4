"""What the board reckons for pages and letters out of a view, a form and what is filled in."""

from __future__ import annotations

import pytest

from engine.core import procedure
from engine.core.asks import read
from engine.games import game_called
from engine.mastery.face.board import Board, Chart, sort
from engine.mastery.rules.table import target
from engine.ui.forms import Form, describe
from tests.mastery.scene import NAMES, Scene, battle, rolls

GAME = game_called("mastery")
RICH = "a: knights=6\nA1: City a 1\nC1: City a 1\nD1: Fortress a 1\nB2: Cave a 1\nB1: Forest\n"
"""Lord a has 11 of 13 points."""


def form_of(s: Scene, seat: str) -> Form:
    return describe(GAME, procedure.ask_of(s.state, seat), NAMES, s.state.serial)


def board(s: Scene, seat: str | None, filled: str = "") -> Board:
    """The board of a seat with the question that it is asked, if there is one."""
    made = GAME.face.board(
        s.seen(seat), form_of(s, seat) if seat in s.asked and seat else None, read(filled) if filled else None
    )
    assert isinstance(made, Board)
    return made


# --- the map ----------------------------------------------------------------------------------------------------------


def test_a_realm_ends_where_another_holds_the_next_place() -> None:  # MM-GEN-1, MM-GEN-2
    chart = Chart(Scene("a: knights=6\nB1: City a 1\nB2: Fort b 1").seen(None)["map"])
    assert chart.rim("A2") == [0, 1, 2, 4, 5], "the castle of a touches B1 at its lower left"
    assert chart.rim("B1") == [1, 2, 3, 4, 5]
    assert len(chart.rim("B2")) == 6 and chart.rim("C2") == chart.rim("A1") == [], "a lake and a vacant place have none"


def test_supply_runs_over_edges_once_and_over_lakes_from_every_shore() -> None:  # MM-SUP-1, MM-SUP-2
    def runs(text: str) -> list[tuple[str, bool]]:
        return [(b.seat, b.ford) for b in Chart(Scene(text).seen(None)["map"]).bridges]

    assert runs("B1: City a 1") == [("a", False)], "castle and B1; one shore of the lake alone is no way"
    assert sorted(runs("B1: City a 1\nD2: Fort a 1")) == [("a", False), ("a", True), ("a", True)]
    assert runs("D2: Fort a 1") == [], "what is cut off supplies nothing"
    lake = "B1: City a 1\nB2: City b 1\n"
    assert [s for s, ford in runs(lake) if ford] == [], "shores of two lords join nobody's realm"


def test_a_bridge_lies_across_its_edge() -> None:  # MM-MAP-1
    chart = Chart(Scene("B1: City a 1").seen(None)["map"])
    (bridge,), castle, land = chart.bridges, chart.places["A2"], chart.places["B1"]
    x1, y1, x2, y2 = bridge.ends
    assert abs((x1 + x2) - (castle.x + land.x)) < 0.2 and abs((y1 + y2) - (castle.y + land.y)) < 0.2


def test_a_place_has_a_sign_for_what_it_does_and_for_unusual_room() -> None:  # MM-TER-3, MM-TER-9
    chart = Chart(Scene("B1: Homelands a 1\nB2: Cave\nC1: City\nD1: Battlefield").seen(None)["map"])
    signs = [chart.signs(slot) for slot in ("B1", "B2", "C1", "D1", "A2", "C2")]
    assert signs == [[], ["room"], ["DEFENDER_PLUS_1", "PLACE_1_KNIGHT_IN_CASTLE"], ["room"], [], []]


def test_each_lord_has_the_corner_nearest_to_his_castle() -> None:  # MM-MAP-4
    four = board(Scene("", "a b c d"), None)
    at = {seat: four.chart.named[lord["slot"]] for seat, lord in four.lords.items()}
    for seat, corner in four.corners.items():
        assert (corner[0] == "t") == (at[seat]["r"] < 0) and (corner[1] == "l") == (2 * at[seat]["q"] + at[seat]["r"] < 0)
    for n in range(2, 7):
        corners = board(Scene("", " ".join("abcdef"[:n])), None).corners
        assert len(set(corners.values())) == n and list(corners) == list("abcdef"[:n])
    assert list(four.chart.corners(["B1", "B4"])) == ["tl", "tr"], "wherever their castles stand"
    assert list(four.chart.corners(["B1", "B1"])) == ["tl", "br"], "where two would share one"


def test_the_frame_holds_every_hex_and_rows_are_half_a_hex_apart() -> None:  # MM-MAP-1
    for n in range(2, 7):
        chart = Chart(Scene("", " ".join("abcdef"[:n])).seen(None)["map"])
        spots, frame = chart.places.values(), chart.frame
        assert (round(frame.left, 1), frame.top) == (min(p.x for p in spots), min(p.y for p in spots))
        assert (round(frame.right, 1), frame.bottom) == (max(p.x for p in spots), max(p.y for p in spots))
        widths = {sum(cell.gap + 2 for cell in row.cells) + row.gap for row in chart.rows}
        assert len(widths) == 1, "every row has as many columns"
        assert [cell.seen["slot"] for row in chart.rows for cell in row.cells] == [s["slot"] for s in chart.map]


def test_a_map_that_is_broader_or_longer_than_those_of_the_box_is_drawn_otherwise() -> None:  # MM-MAP-7
    def rows(wide: int, high: int) -> list[dict[str, object]]:
        return [
            {"slot": f"{'ABCDEFGHIJ'[r]}{q}", "q": q - r // 2, "r": r, "kind": "territory"}
            for r in range(high)
            for q in range(wide)
        ]

    kinds = [(Chart(rows(*size)).frame.broad, Chart(rows(*size)).frame.fine) for size in ((8, 5), (13, 3), (4, 10), (2, 3))]
    assert kinds == [(True, False), (True, True), (False, True), (False, False)]
    for seats in ("a b", "a b c", "a b c d", "a b c d e", "a b c d e f"):
        frame = board(Scene("", seats), None).chart.frame
        assert not frame.broad and not frame.fine


# --- lords ------------------------------------------------------------------------------------------------------------


def test_points_are_a_lords_own_his_allies_and_nobodys_yet() -> None:  # MM-VIC-1, MM-OPT-3
    assert board(Scene("B1: City a 1\nA1: Fort a 1"), None).pips("a") == (5, 0, 8)
    s = Scene("options: teams=2\nC3: City a 1\nB2: Fort c 1", "a b c d")
    ally = next(x for x in s.seen(None)["lords"] if x["seat"] == "a")["team"][1]
    land = {"a": 3, "c": 2}
    own, allied, left = board(s, None).pips("a")
    assert (own, allied, left) == (3, land.get(ally, 0), target(s.table) - 3 - land.get(ally, 0))


def test_lords_of_a_team_stand_together() -> None:  # MM-OPT-3
    def sides(text: str) -> list[list[str]]:
        return [[lord["seat"] for lord in side] for side in board(Scene(text, "a b c d"), None).sides]

    assert sides("options: teams=2") == [["a", "c"], ["b", "d"]]
    assert sides("") == [["a"], ["b"], ["c"], ["d"]]


def test_nobody_is_on_turn_when_the_game_is_over() -> None:  # MM-VIC-2
    s = Scene(RICH + "A3: Fort")
    assert board(s, "a").on_turn == "a" and board(s, "a").crowned is None
    s.play("a: march target=A3 knights=2")
    assert s.winners == ["a"] and board(s, "a").on_turn is None and board(s, None).winners == ["a"]


def test_a_small_map_begins_at_the_battle_or_the_own_castle() -> None:  # MM-BAT-5
    calm = Scene(RICH)
    assert (
        board(calm, "a").centre == calm.table.lords["a"].slot
        and board(calm, None).centre == ""
        and not board(calm, "a").winners
    )
    fought = battle("Forest", 2, 5)
    assert fought.table.dispute is not None and board(fought, "a").centre == fought.table.dispute.slot


def test_lands_come_in_the_order_of_the_map() -> None:  # MM-GEN-2
    seen = board(Scene("D2: Fort a 1\nB1: City a 2\nA1: Fort b 1"), None)
    assert [s["slot"] for s in seen.lands("a")] == ["B1", "D2"]
    assert sorted(seen.tiled("a")) == [("B1", "City", 2), ("D2", "Fort", 1)]


# --- battle -----------------------------------------------------------------------------------------------------------


def test_when_scores_are_level_the_defender_leads() -> None:  # MM-BAT-15
    for send, there, leads in ((4, 3, "a"), (3, 3, "b"), (3, 4, "b")):
        fight = board(battle(send=send, there=there), "a").fight
        assert fight is not None
        assert (fight.leads["seat"], fight.level) == (leads, send == there)
        assert fight.trails["seat"] != leads and fight.against("a")["seat"] == fight.defender["seat"] == "b"


def test_after_a_reversal_the_winner_leads_and_wins_by_nothing() -> None:  # MM-OPT-14
    chance = {"mayhem": rolls(1, 1, 1, 2, 3, 4, 5)}
    s = battle(send=3, there=4, text="options: mayhem\na.artefacts: Resurgence", chance=chance)
    s.play("a: play card=Conflict5", "b: play card=Conflict2").until("fracture")
    assert s.scores == (8, 6) and s.battle.reversed
    fight = board(s, None).fight
    assert fight is not None and (fight.leads["seat"], fight.seen["winner"], fight.seen["margin"]) == ("b", "b", 0)


@pytest.mark.parametrize(
    ("orbs", "falls", "left"), [("", 2, 1), ("b.artefacts: Brutality", 3, 0), ("a.artefacts: Brutality", 2, 1)]
)
def test_those_who_fall_are_counted_with_brutality(orbs: str, falls: int, left: int) -> None:  # MM-ORB-2, MM-RET-1
    s = battle(send=3, there=4, text=orbs).play("a: play card=Conflict3", "b: play card=Conflict4")
    fight = board(s, None).fight
    assert s.step == "support" and fight is not None and (fight.falling, bool(fight.brutal)) == (falls, falls > 2)
    assert s.until("late").knights("a") == left


def test_conflict_cards_are_sealed_until_both_are_shown() -> None:  # MM-BAT-9, MM-BAT-10
    s = battle()
    one = board(s, None).fight
    assert one is not None and one.laid == "sealed"
    s.play("a: play card=Conflict5")
    again = board(s, None).fight
    assert again is not None and again.laid == "sealed", "of one who has chosen nobody learns it"
    s.play("b: play card=Conflict2")
    shown = board(s, None).fight
    assert shown is not None and shown.laid == "shown" and shown.leads["seat"] == "a" and not shown.supportless


def test_in_the_mountains_no_support_follows() -> None:  # MM-TER-4
    fight = board(battle("Mountains"), "a").fight
    assert fight is not None and fight.supportless


def test_support_is_reckoned_from_the_side_that_one_is_for() -> None:  # MM-BAT-12, MM-BAT-13
    s = battle(send=4, there=3).play("a: play card=Conflict2", "b: play card=Conflict5")
    assert s.asked == ["a"] and s.scores == (6, 8)
    backing = board(s, "a").backing
    assert backing is not None and board(s, "b").backing is None
    assert (backing.own["seat"], backing.other["score"]) == ("a", 8)
    assert backing.then == {"Support1": 7, "Support2": 8} and backing.worth == {"Support1": 1, "Support2": 2}


# --- what is asked ----------------------------------------------------------------------------------------------------


def test_an_advance_meets_a_battle_or_takes_a_place() -> None:  # MM-ADV-2, MM-BAT-5, MM-VIC-2, MM-TER-7
    s = Scene("a: knights=6\nb.artefacts: Loyalty\nA1: Fort b 2\nA3: Marshlands\nB1: City a 1\nC1: City")
    mine = board(s, "a")
    assert set(mine.clashes) == {"A1"} and set(mine.clashes) | {t.seen["slot"] for t in mine.takings} == set(mine.aims)
    assert (mine.clashes["A1"].meets, mine.clashes["A1"].plus) == (2 + 1 + 1, 0), "the Fort and Loyalty"
    assert mine.clashes["A1"].scores(5) == (5, 4)
    by = {t.seen["slot"]: t for t in mine.takings}
    assert (by["A3"].sinks, by["A3"].wins, by["A3"].points) == (True, False, 4)
    assert (by["C1"].sinks, by["C1"].wins, by["C1"].points) == (False, False, 6)
    # One leads there before cards, keeps one alive in the Marshlands, and against a place that is held too well all go.
    assert {slot: mine.presets[slot] for slot in ("A1", "A3", "C1")} == {"A1": 5, "A3": 2, "C1": 1}
    assert board(Scene("a: knights=4\nb.artefacts: Loyalty\nA1: Fort b 2\nB1: City a 1"), "a").presets["A1"] == 4
    assert not board(Scene("a: knights=0\nB1: City a 4"), "a").presets, "nobody is there"
    assert board(s, "b").aims == [] == board(s, None).aims and board(s, "b").clashes == {}
    rich = {t.seen["slot"]: (t.points, t.wins) for t in board(Scene(RICH + "A3: Fort"), "a").takings}
    assert rich["A3"] == (13, True) and rich["B1"] == (12, False)


def test_a_march_that_is_filled_in_has_its_aim_and_its_knights() -> None:  # MM-ADV-1
    s = Scene("a: knights=6\nB1: City b 1")
    filled = board(s, "a", "march target=B1 knights=2")
    assert filled.target is not None and (filled.target["slot"], filled.sent) == ("B1", 2)
    assert board(s, "a", "end").target is board(s, "a").target is None and board(s, "a").sent == ""


def test_cards_of_a_hand_that_a_verb_plays_now() -> None:  # MM-RES-1
    s = Scene("a: knights=6\na.hand: CallToArms, Conflict5, Fracture, TacticalAdvance\nb.artefacts: Fury, Rage, Greed")
    assert board(s, "a").at_once == ["CallToArms", "TacticalAdvance", "Fracture"] and board(s, "a").fractures == 1
    s.play("a: call")
    assert "CallToArms" not in board(s, "a").at_once
    assert board(Scene("b.hand: CallToArms"), "b").at_once == [], "it isn't asked"


def test_what_is_put_in_order_is_not_told_beside_it() -> None:  # MM-CRN-7, MM-DEC-8
    deck = "a.deck: Ambush, Conflict3, Support1, Conflict5, Fracture"
    s = Scene(f"a: knights=6\na.hand: Conflict2\na.artefacts: Insight, Rage, Greed\n{deck}").play("a: crown")
    while s.ask().kind != "arrange":
        s.default()
    mine = board(s, "a")
    assert mine.arranged == ["Ambush", "Conflict3", "Support1", "Conflict5"] and mine.known == {}
    assert mine.asks_of_decks(form_of(s, "a")) and not mine.asks_of_decks(None)
    s.default("a")
    assert board(s, "a").known == {"a": ["Ambush", "Conflict3", "Support1", "Conflict5"]} and board(s, "b").known == {}


def test_what_is_in_question_lies_in_a_window() -> None:  # MM-FRA-3, MM-FRA-9
    s = Scene("a: knights=6\na.artefacts: Fury, Rage, Greed\na.hand: Conflict2\nb.hand: Fracture").play("a: crown")
    assert s.step == "fracture" or s.ask().kind == "fracture"
    seen = board(s, "b")
    assert [a["name"] for a in seen.questioned] == ["Fury"] and seen.crown_window is not None
    assert [d["what"] for d in seen.doings] == ["crown"], "the window is told with its crown"
    assert seen.crowned == "a" and seen.fractures == 1


def test_artefacts_are_gathered_by_lord_where_they_are_many() -> None:  # MM-CRN-5
    crowns = "a.artefacts: Corruption, Rage, Greed\nb.artefacts: Fury, Loyalty, Brutality\nc.artefacts: Order, Fear, Devotion"
    s = Scene(f"a: knights=6\n{crowns}", "a b c")
    (field,) = (f for o in form_of(s, "a").options if o.id == "crown" for f in o.fields if f.name == "artefact")
    found = board(s, "a").gathered(field)
    assert set(found) == {"a", "b", "c"} and found["b"] == ["Fury", "Loyalty", "Brutality"]
    (march,) = (f for o in form_of(s, "a").options if o.id == "march" for f in o.fields if f.name == "target")
    assert board(s, "a").gathered(march) == {}, "places are no artefacts"


def test_cards_have_the_kind_that_the_data_file_says() -> None:  # MM-RES-1, MM-BAT-9
    cards = ("Conflict2", "Ambush", "Support2", "Fracture", "Authority", "CallToArms", "TacticalAdvance")
    assert [sort(c) for c in cards] == ["arms", "arms", "support", "break", "crown", "crown", "crown"]
    assert (sort("Conflict7"), sort("Support3")) == ("arms", "support"), "of a host's own file"


def test_a_spectator_has_no_hand_and_nothing_to_choose() -> None:  # MM-HID-1
    seen = board(Scene("b.hand: Fracture"), None)
    assert seen.me is None and seen.verbs == seen.aims == [] and seen.clashes == {} and seen.backing is None
    assert seen.crown is None
