"""Rules of Medieval Mastery where they meet each other: optional rules, house rulings, the dice inside a battle."""

from __future__ import annotations

import pytest

from tests.mastery.scene import HAND, Scene, battle, rolls

TEAMS = "options: teams=2\n"
CUT = "options: cut_throat"


# --- the dice reserve inside a battle -----------------------------------------------------------------------------------


def test_knights_in_dispute_need_their_dice_while_devotion_places_one() -> None:  # MM-DIC-1, MM-DIC-3, MM-ORB-6, MM-BAT-1
    # 48 at home show on eight dice, six before B1 on one, one in A1 on the tenth: the gain comes before the losses.
    text = "a.artefacts: Devotion\nA1: Forest a 1"
    s = battle(send=6, there=6, spare=48, text=text).play("a: play card=Conflict2", "b: play card=Conflict4").until("late")
    assert s.told("gained")[-1] == {"seat": "a", "count": 0, "lost": 1, "why": "orb"}
    assert s.told("retreated") == [{"seat": "a", "lost": 2, "retreat": 4}] and s.knights("a") == 52
    s = battle(send=6, there=6, spare=47, text=text).play("a: play card=Conflict2", "b: play card=Conflict4").until("late")
    assert s.knights("a") == 52, "there was room for one on the last die"


# --- optional rules -----------------------------------------------------------------------------------------------------


def test_what_hung_on_a_place_that_mayhem_empties_is_cut_off() -> None:  # MM-OPT-10, MM-OPT-14, MM-OPT-15, MM-BAT-20
    # Nobody has won the battle, and E2's B1 is vacated: C1 behind it hung on it alone.
    text = f"{CUT} mayhem\nE1: Forest b 1\nD1: Forest b 1\nC1: City b 2\nA1: Forest b 1"
    s = battle(send=3, there=2, text=text, chance={"mayhem": rolls(1, 1, 1, 1, 1)})
    s.play("a: play card=Conflict5", "b: play card=Conflict2").until("late")
    assert s.land("B1") == "Forest" and s.land("C1") == "City b 2"
    assert [f["slot"] for f in s.told("cut_off")] == ["A1"]


def test_what_hung_on_an_arena_is_cut_off_when_its_roll_ends_the_battle() -> None:  # MM-OPT-10, MM-TER-5, MM-AMB-20
    text = f"{CUT}\nE1: Forest b 1\nD1: Forest b 1\nC1: City b 2\nA1: Forest b 1"
    s = battle("Arena", send=1, there=1, text=text, chance={"arena": rolls(3, 3)})
    assert s.step == "late" and s.land("B1") == "Arena" and s.land("A1") == "Forest"
    held = battle("Arena", send=1, there=2, text=text, chance={"arena": rolls(3, 3)})
    assert held.land("B1") == "Arena b 1" and held.land("A1") == "Forest b 1", "one is left there"


def test_a_castle_that_is_stormed_rolls_first() -> None:  # MM-OPT-8, MM-OPT-13
    zones = f"options: siege mayhem\nB1: Forest a 1\nD1: Forest a 1\na: knights=6\na.hand: {HAND}\nb.hand: {HAND}\n"
    s = Scene(zones, "a b", {"mayhem": rolls(1, 1, 1, 1, 1, 2)}).play("a: march target=E2 knights=6")
    s.play("a: play card=Conflict5", "b: play card=Conflict2").until("late")
    assert s.winners == ["a"] and s.told("mayhem")[0]["dead"] == 5, "one is enough"


def test_an_ally_may_break_what_works_for_his_own_side() -> None:  # MM-OPT-4, MM-FRA-4, MM-FRA-9
    text = f"{TEAMS}a.artefacts: Rage\nc.hand: Fracture\nd.hand: Fracture"
    s = battle(text=text, seats="a b c d", slot="C1")
    assert s.asked == ["b", "c", "d"] and s.ids("plan", "first", "c") == {"pass", "Rage"}
    s.play("b: pass", "c: plan first=Rage", "d: pass")
    assert not s.up("Rage") and s.pile("c") == ["Fracture"] and s.scores == (4, 3)


@pytest.mark.parametrize("ruling", ["after", "before"])
def test_a_castle_counts_as_eight_whatever_counts_in_the_arena(ruling: str) -> None:  # MM-OPT-6, MM-OPT-7, MM-AMB-19
    zones = f"options: siege\nB1: Forest a 1\nD1: Forest a 1\na: knights=6\nb: knights=2\na.hand: {HAND}\nb.hand: {HAND}\n"
    s = Scene(zones + f"rulings: MM-AMB-19={ruling}", "a b").play("a: march target=E2 knights=6")
    assert s.scores == (6, 8)


# --- house rulings with optional rules ----------------------------------------------------------------------------------


def allied(ruling: str) -> Scene:
    """Lord a attacks b, 7 to 8; c helps a, d helps b."""
    text = f"{TEAMS}c.hand: {HAND}\nd.hand: {HAND}\nrulings: {ruling}"
    s = battle(text=text, seats="a b c d", slot="C1")
    return s.play("a: play card=Conflict3", "b: play card=Conflict5")


def test_a_final_pass_binds_each_ally_for_himself() -> None:  # MM-AMB-25, MM-OPT-5
    s = allied("MM-AMB-25=final").play("a: pass", "b: pass", "c: support cards=[Support2]")
    assert s.asked == ["d"]
    s.play("d: support cards=[Support1]")
    assert s.asked == ["c"], "a and b have passed for good"
    s.play("c: pass", "d: pass")
    assert s.told("result")[0]["winner"] == "b"
    s = allied("MM-AMB-25=open").play("a: pass", "b: pass", "c: support cards=[Support2]", "d: support cards=[Support1]")
    assert s.asked == ["a"]


def test_an_ally_who_has_passed_for_good_isnt_asked_again() -> None:  # MM-AMB-25, MM-OPT-5
    s = allied("MM-AMB-25=final").play("a: pass", "b: pass", "c: pass", "d: support cards=[Support1]")
    assert s.asked == ["d"], "he alone hasn't passed"
    s = allied("MM-AMB-25=open").play("a: pass", "b: pass", "c: pass", "d: support cards=[Support1]")
    assert s.asked == ["a"]


def test_the_defender_begins_a_level_support_with_his_allies_after_him() -> None:  # MM-AMB-24, MM-OPT-5
    text = f"{TEAMS}c.hand: {HAND}\nd.hand: {HAND}\nrulings: MM-AMB-24=defender"
    s = battle(text=text, seats="a b c d", slot="C1").play("a: play card=Conflict2", "b: play card=Conflict3")
    assert s.scores == (6, 6) and s.asked == ["b"]
    s.play("b: pass")
    assert s.asked == ["c"]


@pytest.mark.parametrize(("ruling", "winners"), [("first", ["a", "c"]), ("after", [])])
def test_the_marshlands_and_the_points_of_a_team(ruling: str, winners: list[str]) -> None:  # MM-AMB-41, MM-OPT-3
    lands = "C3: City a 1\nD3: City a 1\nD4: Fortress a 1\nE3: Fortress a 1\n"
    lands += "A1: Fort c 1\nC2: Shrine c 1\nC4: Cave c 1\nB3: Forest c 1\n"
    zones = f"{TEAMS}a: knights=3\nB2: Marshlands\n{lands}rulings: MM-AMB-41={ruling}"
    s = Scene(zones, "a b c d").play("a: march target=B2 knights=1")
    assert s.winners == winners and s.land("B2") == ("Marshlands a 1" if winners else "Marshlands")
    assert Scene(zones, "a b c d").play("a: march target=B2 knights=2").winners == ["a", "c"]


def test_a_lone_knight_whom_the_marshlands_spare_carries_supply() -> None:  # MM-AMB-44, MM-OPT-10
    zones = f"{CUT}\na: knights=3\nC1: Forest a 2\nB1: Marshlands\n"
    s = Scene(zones + "rulings: MM-AMB-44=spared").play("a: march target=B1 knights=1")
    assert s.supplied("a") == {"B1", "C1"} and s.told("cut_off") == []
    s = Scene(zones + "rulings: MM-AMB-44=lost").play("a: march target=B1 knights=1")
    assert [f["slot"] for f in s.told("cut_off")] == ["C1"]


def test_fear_meets_who_is_left_in_the_arena_whatever_counts_for_the_score() -> None:  # MM-AMB-19, MM-SCP-8
    for ruling, scores in (("after", (4, 4)), ("before", (4, 4))):
        text = f"a.artefacts: Fear\nrulings: MM-AMB-19={ruling}"
        s = battle("Arena", send=3, there=4, text=text, chance={"arena": rolls(2, 5)}).until("conflict")
        assert s.scores == scores
    text = "a.artefacts: Fear\nrulings: MM-AMB-19=before"
    s = battle("Arena", send=2, there=5, text=text, chance={"arena": rolls(5, 2)}).until("conflict")
    assert s.scores == (4, 5), "the rival's knights now, against those who came"


def test_a_crown_is_used_again_in_the_late_window_unless_it_was_negated() -> None:  # MM-AMB-10, MM-CRN-3, MM-ART-1
    zones = (
        "a: knights=3\na.artefacts: Fury\na.hand: Conflict2, Ambush\nb.hand: Fracture\nB1: Forest\nrulings: MM-AMB-10=window"
    )
    for answer, again in (("pass", True), ("plan first=Fury", False)):
        s = Scene(zones).play("a: crown", f"b: {answer}")
        if again:
            s.play("a: keep")
        assert "crown" not in s.options(), "once a window"
        s.play("a: march target=B1 knights=1")
        assert ("crown" in s.options()) == again


def test_the_fixed_order_binds_each_window_for_itself() -> None:  # MM-AMB-5, MM-AMB-10
    zones = "a: knights=6\na.artefacts: Fury\na.hand: CallToArms, Conflict2\nB1: Forest\n"
    s = Scene(zones + "rulings: MM-AMB-5=fixed MM-AMB-10=window")
    s.play("a: crown").until("discard").play("a: keep")
    assert "call" not in s.options()
    s.play("a: march target=B1 knights=1")
    assert {"call", "crown"} <= s.options(), "a window of its own"
    s.play("a: crown").until("discard").play("a: keep")
    assert s.asked == ["b"], "neither card nor crown is left to use"


def test_the_crown_of_order_brings_back_a_discard_of_the_setup_at_once() -> None:  # MM-AMB-33, MM-SET-8, MM-CRN-8
    for ruling in ("any", "own"):
        s = Scene(f"turn: 1\na.artefacts: Order\na.discard: Authority@0\nrulings: MM-AMB-33={ruling}")
        assert s.ids("crown", "card") == {"Authority"}


def test_only_an_orb_that_works_can_be_broken_where_the_house_says_so() -> None:  # MM-AMB-38, MM-FRA-5
    for ruling, aims in (("any", ["Greed", "Brutality"]), ("applies", ["Greed"])):
        text = f"a.artefacts: Greed\nb.artefacts: Brutality\nrulings: MM-AMB-38={ruling}"
        s = battle(text=text).play("a: play card=Conflict5", "b: play card=Conflict2").until("fracture")
        assert s.ask().about["aims"] == aims, "both are for the winner, who is a"


def test_a_card_is_discarded_before_points_win_where_the_house_says_so() -> None:  # MM-AMB-41, MM-TER-8
    lands = "C1: City a 1\nC3: City a 1\nB2: Fortress a 1\nD1: Fortress a 1\n"
    zones = f"a: knights=3\na.hand: Ambush\n{lands}A1: Ruins\nrulings: MM-AMB-41="
    assert Scene(zones + "first").play("a: march target=A1 knights=1").winners == ["a"]
    s = Scene(zones + "after").play("a: march target=A1 knights=1")
    assert s.winners == [] and s.step == "discard"
    s.play("a: discard card=Ambush")
    assert s.winners == ["a"] and s.pile("a") == ["Ambush"]


def test_a_crown_that_is_turned_on_itself_can_be_negated() -> None:  # MM-CRN-2, MM-CRN-5, MM-AMB-49, MM-FRA-3
    s = Scene("a.artefacts: Corruption\nb.hand: Fracture").play("a: crown artefact=Corruption", "b: plan first=Corruption")
    assert s.told("negated") and not s.told("corrupted") and not s.up("Corruption") and s.pile("b") == ["Fracture"]
