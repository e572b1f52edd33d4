"""A turn: its steps and windows, resource cards, restoring (MM-TRN, MM-RES-3 to 6, MM-RST, MM-DEC-3, 4)."""

from __future__ import annotations

from engine.games import game_called
from tests.mastery.scene import HAND, TWICE, Scene, battle

GAME = game_called("mastery")


def test_nine_steps_in_four_phases() -> None:  # MM-TRN-1, MM-TRN-2
    text = "active: c\na: knights=3\na.hand: CallToArms, TacticalAdvance, Conflict2\na.artefacts: Fury@0\nb.artefacts: Rage@1"
    s = Scene(text, "a b c").play("c: end")
    assert s.kinds()[:2] == ["turn", "gained"] and s.step == "early", "PLACE, then EARLY"
    s.play("a: call", "a: march target=B1 knights=2")
    assert s.step == "late", "MAIN, then LATE"
    s.play("a: tactical target=B2 knights=1", "a: end")
    assert s.kinds() == [
        *("turn", "gained", "played", "gained", "advanced", "conquered", "played", "advanced", "conquered"),
        *("restored", "turn", "gained"),
    ]
    assert s.told("restored") == [{"seat": "a", "artefacts": ["Fury"]}], "RESTORE is of the active lord alone"
    assert s.table.active == "b", "then the next seat clockwise"


def test_three_knights_every_turn_the_first_included() -> None:  # MM-TRN-3, MM-AMB-11
    s = Scene("a: knights=4\nb: knights=0\nfirst: a", "a b").play("a: march target=B1 knights=4")
    assert s.knights("a") == 0, "a castle may be left empty"
    s.until("early")
    assert s.table.active == "b" and s.knights("b") == 3
    s.play("b: end")
    assert s.knights("a") == 3
    assert "Lord A placed 3 knights in their castle." in s.heard("b")


def test_cards_and_crown_come_in_any_order_in_a_window() -> None:  # MM-TRN-4, MM-AMB-5, MM-DEC-3
    text = "a.hand: CallToArms, TacticalAdvance, Fracture, Conflict2\na.artefacts: Fury\nb.artefacts: Rage"
    s = Scene(text)
    assert s.ask().rule == "MM-DEC-3"
    assert s.options() == {"march", "tactical", "call", "crown", "fracture", "end"}
    s.play("a: crown", "a: keep", "a: call", "a: fracture artefact=Rage", "a: tactical")
    assert s.step == "early" and s.options() == {"march", "end"}, "each as often as it is there"
    other = Scene(text).play("a: tactical", "a: fracture artefact=Rage", "a: crown", "a: keep", "a: call")
    assert other.options() == {"march", "end"}


def test_the_same_in_the_late_window() -> None:  # MM-TRN-4, MM-DEC-4
    text = "a.hand: CallToArms, TacticalAdvance, Fracture, Conflict2\na.artefacts: Fury\nb.artefacts: Rage"
    s = Scene(text).play("a: march")
    assert (s.step, s.ask().rule) == ("late", "MM-DEC-4")
    assert s.options() == {"tactical", "call", "crown", "fracture", "end"}
    s.play("a: fracture artefact=Rage", "a: crown", "a: discard card=Conflict2", "a: call")
    assert s.options() == {"tactical", "end"}


def test_a_unit_is_one_order() -> None:  # MM-TRN-5, MM-AMB-6, MM-FRA-8
    s = Scene("a: knights=3\na.hand: CallToArms, Fracture\nb.artefacts: Rage\nB1: Forest a 3")
    assert set(s.fields("march")) == {"in_b1", "target", "knights", "then"}, "both halves in one"
    s.play("a: march in_b1=1 target=B2 knights=5")
    assert s.kinds() == ["redistributed", "advanced", "conquered"] and s.step == "late"


def test_a_redistribution_not_made_is_forfeited() -> None:  # MM-TRN-6
    s = Scene("a: knights=3\na.hand: CallToArms\nB1: Forest a 3").play("a: march target=B2 knights=1")
    assert s.refused("a: march in_b1=1") == ("You have marched this turn; only a Tactical Advance lets you march once more.")


def test_turns_are_counted_and_stamp_what_happens() -> None:  # MM-TRN-8
    text = "turn: 4\nactive: b\nb.hand: CallToArms\na.artefacts: Rage\nc.hand: Fracture"
    s = Scene(text, "a b c").play("b: call")
    assert s.stamps("b") == [("CallToArms", 4)]
    s.play("b: end").play("c: fracture artefact=Rage")
    assert (s.table.turn, s.down("Rage"), s.stamps("c")) == (5, 5, [("Fracture", 5)])
    s.play("c: end")
    assert s.table.turn == 6 and s.told("turn")[-1] == {"seat": "a", "number": 6, "round": 2, "opens": False}


def test_nobody_is_eliminated() -> None:  # MM-TRN-9
    s = battle(there=1, send=6).play("a: play card=Conflict5", "b: play card=Conflict2").until("late").play("a: end")
    assert s.table.active == "b" and s.points("b") == 0
    assert s.knights("b") == 3 and s.refused("b: march target=D1 knights=3") == ""


# --- resource cards ---------------------------------------------------------------------------------------------------


def test_call_to_arms_brings_two_knights_in_either_window() -> None:  # MM-RES-3
    s = Scene(TWICE + "a: knights=1\na.hand: CallToArms, CallToArms").play("a: call")
    assert s.knights("a") == 3 and s.told("gained") == [{"seat": "a", "count": 2, "lost": 0, "why": "card"}]
    s.play("a: march", "a: call")
    assert s.knights("a") == 5
    assert Scene("a.hand: Conflict2").refused("a: call") == "You hold no Call to Arms."


def test_tactical_advance_is_a_unit_at_once() -> None:  # MM-RES-4, MM-AMB-7
    s = Scene("a: knights=6\na.hand: TacticalAdvance, CallToArms\na.artefacts: Fury")
    s.play("a: crown", "a: keep", "a: tactical target=B1 knights=2")
    assert s.step == "early" and s.land("B1") == "Forest a 2", "back in the same window"
    assert "march" in s.options(), "the normal unit is still to come"
    assert "crown" not in s.options(), "the crown is not renewed"
    s.play("a: march target=B2 knights=2")
    assert s.land("B2") == "Forest a 2" and s.stamps("a") == [("TacticalAdvance", 1)]
    assert Scene("a.hand: Conflict2").refused("a: tactical") == "You hold no Tactical Advance."


def test_attack_look_attack() -> None:  # MM-AMB-7
    text = f"a: knights=12\na.hand: TacticalAdvance, {HAND}\nb.hand: {HAND}, Conflict2\nB1: Forest b 1\nB2: Forest b 1"
    s = (
        Scene(text)
        .play("a: tactical target=B1 knights=6")
        .play("a: play card=Conflict5", "b: play card=Conflict2")
        .until("early")
    )
    assert s.land("B1") == "Forest a 6"
    s.play("a: march target=B2 knights=6", "a: play card=Conflict4", "b: play card=Conflict2").until("late")
    assert s.land("B2") == "Forest a 6" and s.told("result")[1]["scores"] == [10, 3]


def test_tactical_advance_is_on_the_pile_when_its_unit_is_over() -> None:  # MM-RES-1, MM-GEN-4, MM-RES-4
    # As with Authority, effect first, then the pile: a reshuffle inside the unit's battle does not include it.
    text = "a: knights=6\na.hand: TacticalAdvance, Conflict5, Conflict4\na.deck: \na.discard: Conflict2@0, Support1@0\n"
    s = Scene(text + f"b.hand: {HAND}\nB1: Forest b 1").play("a: tactical target=B1 knights=6")
    assert s.hand("a") == ["Conflict2", "Conflict4", "Conflict5", "Support1"], "there was nothing else to draw"
    assert s.deck("a") == [] and s.pile("a") == [] and s.whole("a") == 5
    s.play("a: play card=Conflict5", "b: play card=Conflict2").until("early")
    assert s.pile("a") == ["Conflict5", "TacticalAdvance"]


def test_a_tactical_advance_is_held_to_the_rules_of_a_unit_in_either_window() -> None:  # MM-ADV-4, MM-RES-4, MM-DEC-4
    text = "a: knights=3\na.hand: TacticalAdvance, Conflict2"
    for s in (Scene(text, "a b c"), Scene(text, "a b c").play("a: march target=B1 knights=1")):
        before = GAME.rules.encode(s.state)
        target = "B2" if s.step == "late" else "B1"
        for bad in (f"target={target}", "knights=1", f"target={target} knights=9"):
            assert s.refused(f"a: tactical {bad}"), (s.step, bad)
        assert GAME.rules.encode(s.state) == before
        assert not s.refused(f"a: tactical target={target} knights=1")
        assert s.step == ("late" if target == "B2" else "early")


def test_a_late_tactical_advance_gives_one_unit_and_the_main_one_is_gone() -> None:  # MM-AMB-8
    s = Scene("a: knights=6\na.hand: TacticalAdvance, CallToArms").play("a: march", "a: tactical target=B1 knights=1")
    assert s.step == "late" and s.options() == {"call", "end"}


def test_an_own_turn_fracture_is_one_of_the_resource_cards() -> None:  # MM-RES-5
    s = Scene("a.hand: Fracture\nb.artefacts: Order, Rage, Greed@3")
    assert s.ids("fracture", "artefact") == {"Order", "Rage"}
    assert Scene("a.hand: Conflict2\nb.artefacts: Rage").refused("a: fracture artefact=Rage") == "You hold no Fracture."
    assert "fracture" not in Scene("a.hand: Fracture\na.artefacts: Rage").options(), "no face-up artefact of another"


def test_no_resource_card_can_be_played_inside_a_unit() -> None:  # MM-RES-6
    s = battle(a=HAND + ", CallToArms, TacticalAdvance, Fracture", text="b.artefacts: Corruption")
    assert s.step == "conflict" and s.options("a") == {"play"}
    assert s.ids("play", "card", "a") == {"Conflict2", "Conflict3", "Conflict4", "Conflict5", "Ambush"}
    s.play("a: play card=Conflict2", "b: play card=Conflict3")
    assert s.options("a") == {"pass", "support"} and s.ids("support", "cards", "a") == {"Support1", "Support2"}


def test_turns_are_counted_in_rounds() -> None:  # MM-TRN-8, MM-SET-9
    s = Scene("turn: 1", "a b c")
    for _ in range(7):
        s.play(f"{s.asked[0]}: end")
    told = [(f["number"], f["seat"], f["round"], f["opens"]) for f in s.told("turn")]
    assert told == [
        *((2, "b", 1, False), (3, "c", 1, False), (4, "a", 2, True), (5, "b", 2, False)),
        *((6, "c", 2, False), (7, "a", 3, True), (8, "b", 3, False)),
    ]
    opening = [e for e in s.log if e.kind == "turn"]
    assert [GAME.words.chapter(e) for e in opening[:3]] == ["", "", "Round 2"]


# --- the end of a turn ------------------------------------------------------------------------------------------------


def test_what_was_destroyed_earlier_is_restored_at_the_end_of_the_own_turn() -> None:  # MM-RST-1
    s = Scene("turn: 5\na.artefacts: Fury@4, Rage@5, Greed@1").play("a: end")
    assert (s.up("Fury"), s.up("Rage"), s.up("Greed")) == (True, False, True), "this turn's waits for the next"
    s.play("b: end", "a: end")
    assert s.up("Rage") and s.told("restored")[-1] == {"seat": "a", "artefacts": ["Rage"]}


def test_a_restored_crown_is_for_the_next_turn() -> None:  # MM-RST-2
    s = Scene("turn: 5\na.artefacts: Fury@3\na.hand: CallToArms\nb.hand: Conflict2")
    assert "crown" not in s.options()
    assert s.refused("a: crown") == "Fury is face down, so you can't use it now."
    s.play("a: end")
    assert s.table.active == "b" and s.up("Fury"), "the turn is over when it comes up"


def test_restoring_is_automatic_public_and_free() -> None:  # MM-RST-3
    s = Scene("turn: 5\na.artefacts: Fury@3, Rage@2\na: knights=3\na.hand: Conflict2").play("a: end")
    assert "Lord A restored the Crown of Fury and the Sceptre of Rage." in s.heard(None)
    assert s.knights("a") == 3 and s.hand("a") == ["Conflict2"]


def test_the_steps_of_a_turn_share_its_clock_and_those_of_a_battle_do_not() -> None:  # MM-ASY-1
    game = game_called("mastery")
    s = Scene("turn: 3\na: knights=4\na.hand: CallToArms, Conflict2\nB1: Forest")
    assert game.rules.turn_of(s.state, "a") == "turn 3" and game.rules.turn_of(s.state, "b") == ""
    s.play("a: march target=B1 knights=2")
    assert s.step == "late" and game.rules.turn_of(s.state, "a") == "turn 3"
    fight = battle()
    assert fight.asked == ["a", "b"] and game.rules.turn_of(fight.state, "a") == game.rules.turn_of(fight.state, "b") == ""
