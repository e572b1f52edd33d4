"""Crowns: announcing, the chance to negate, the effects (MM-CRN, MM-DEC-6, 8 to 11)."""

from __future__ import annotations

import pytest

from engine.core.asks import Answer
from tests.mastery.scene import HAND, Scene, battle


def crown(name: str, text: str = "", seats: str = "a b", chance: dict[str, list[str]] | None = None) -> Scene:
    """Lord a owns the crown, and nobody has a card with which to negate it."""
    return Scene(f"a.artefacts: {name}\n{text}", seats, chance)


def test_a_crown_is_used_in_the_owners_windows_once() -> None:  # MM-CRN-1, MM-AMB-10
    s = crown("Fury", "a.hand: CallToArms, Conflict2")
    s.play("a: crown", "a: keep")
    assert "crown" not in s.options()
    s.play("a: march")
    assert s.step == "late" and "crown" not in s.options(), "once over both windows"
    assert s.refused("a: crown") == "You have used Fury this turn; a crown is used once in a turn."
    s.play("a: end")
    assert "crown" not in s.options(), "never in the turn of another"
    s = crown("Fury", "a.hand: CallToArms, Conflict2").play("a: end", "b: end")
    assert "crown" in s.options(), "optional, and there again next turn"


def test_no_crown_during_a_battle() -> None:  # MM-CRN-1
    s = battle(text="a.artefacts: Fury")
    assert s.step == "conflict" and s.options("a") == {"play"}


def test_announce_then_window_then_effect() -> None:  # MM-CRN-2
    s = crown("Corruption", "b.artefacts: Rage\nb.hand: Conflict2\na.hand: Conflict2").play("a: crown artefact=Rage")
    assert s.kinds() == ["crown"] and s.step == "fracture" and s.up("Rage"), "not yet applied"
    assert s.table.crown_used
    s.play("b: pass")
    assert s.kinds()[:3] == ["crown", "no_fracture", "corrupted"] and s.down("Rage") == 1
    s = crown("Corruption", "b.artefacts: Rage\nb.hand: Fracture\na.hand: Conflict2").play("a: crown artefact=Rage")
    s.play("b: plan first=Corruption")
    assert s.kinds() == ["crown", "fractured", "negated"] and s.up("Rage") and s.down("Corruption") == 1


def test_a_negated_crown_is_used() -> None:  # MM-CRN-3, MM-AMB-35
    s = crown("Fury", "b.hand: Fracture\na.hand: Conflict2").play("a: crown", "b: plan first=Fury")
    assert s.step == "early" and s.hand("a") == ["Conflict2"]
    assert s.refused("a: crown") == "You have used Fury this turn; a crown is used once in a turn."
    assert "The Crown of Fury was destroyed before it worked." in s.heard("b")


def test_what_is_said_with_the_crown_and_what_after_the_window() -> None:  # MM-CRN-4, MM-AMB-34, MM-DEC-6
    assert set(crown("Corruption", "b.artefacts: Rage").fields("crown")) == {"artefact"}
    assert set(crown("Prosperity").fields("crown")) == {"lord"}
    assert set(crown("Order", "a.discard: Ambush@0").fields("crown")) == {"card"}
    for name in ("Fury", "Insight", "Vitality"):
        assert crown(name).fields("crown") == {}
    s = crown("Order", "a.discard: Ambush@0\nb.hand: Conflict2\na.hand: Conflict2").play("a: crown card=Ambush")
    assert s.told("crown")[0]["card"] == "Ambush" and "Lord A used the Crown of Order to bring back Ambush." in s.heard("b")
    assert crown("Order").options() == {"march", "end"}, "Order needs a card of an earlier turn"
    assert crown("Order").refused("a: crown") == "Order has nothing to work on now."


def test_corruption_destroys_any_face_up_artefact() -> None:  # MM-CRN-5
    s = crown("Corruption, Loyalty, Greed@1", "b.artefacts: Order, Rage@1, Devotion\na.hand: Conflict2")
    assert s.ids("crown", "artefact") == {"Corruption", "Loyalty", "Order", "Devotion"}
    s.play("a: crown artefact=Order")
    assert s.down("Order") == 1 and s.told("corrupted") == [{"seat": "a", "artefact": "Order", "owner": "b"}]


def test_corruption_and_prosperity_may_be_turned_on_oneself() -> None:  # MM-AMB-49, MM-AMB-39
    s = crown("Corruption, Loyalty", "a.hand: Conflict2").play("a: crown artefact=Loyalty")
    assert s.down("Loyalty") == 1
    s = crown("Corruption", "a.hand: Conflict2").play("a: crown artefact=Corruption")
    assert s.down("Corruption") == 1
    s = crown("Prosperity", "a.hand: Conflict2\na.deck: Ambush, Conflict3", "a b c")
    assert s.ids("crown", "lord") == {"a", "b", "c"}
    s.play("a: crown lord=a", "a: remove")
    assert s.pile("a") == ["Ambush"] and s.deck("a") == ["Conflict3"]


def test_fury_discards_a_card_of_the_own_hand_or_none() -> None:  # MM-CRN-6, MM-DEC-10
    s = crown("Fury", "a.hand: Conflict2, Fracture, Ambush").play("a: crown")
    assert s.ask().rule == "MM-DEC-10" and s.ask().default == Answer("keep")
    assert s.ids("discard", "card") == {"Conflict2", "Fracture", "Ambush"}
    s.play("a: discard card=Fracture")
    assert s.stamps("a") == [("Fracture", 1)] and "Lord A discarded Fracture." in s.heard("b")
    s = crown("Fury", "a.hand: Conflict2").play("a: crown", "a: keep")
    assert s.hand("a") == ["Conflict2"] and s.pile("a") == []
    s = crown("Fury", "a.hand: \na.deck: Ambush").play("a: crown")
    assert s.step == "early" and s.table.crown_used, "with an empty hand there is nothing to ask"


def test_insight_reorders_the_top_four() -> None:  # MM-CRN-7, MM-DEC-8
    s = crown("Insight", "a.hand: Conflict2\na.deck: Ambush, Conflict3, Support1, Conflict5, Fracture").play("a: crown")
    assert s.ask().rule == "MM-DEC-8"
    assert s.ask().default == Answer("arrange", {"cards": ["Ambush", "Conflict3", "Support1", "Conflict5"]}), "unchanged"
    s.play("a: arrange cards=[Conflict5,Support1,Ambush,Conflict3]")
    assert s.told("arranged") == [{"seat": "a"}], "that he did, and nothing of the cards"
    assert s.deck("a") == ["Conflict5", "Support1", "Ambush", "Conflict3", "Fracture"]
    assert s.told("insight") == [{"seat": "a", "count": 4, "under": False}]


def test_insight_with_a_short_deck_puts_the_shuffled_pile_under_it() -> None:  # MM-CRN-7
    text = "a.hand: Conflict2\na.deck: Ambush, Conflict3\na.discard: Support1@0, Support2@1, Conflict4@1"
    s = crown("Insight", text, chance={"deck-a": ["Conflict4 Support2 Support1"]}).play("a: crown")
    assert s.told("insight_own") == [
        {"seat": "a", "count": 4, "under": True, "cards": ["Ambush", "Conflict3", "Conflict4", "Support2"]},
    ]
    s.play("a: arrange")
    assert s.deck("a") == ["Ambush", "Conflict3", "Conflict4", "Support2", "Support1"] and s.pile("a") == []
    s = crown("Insight", "a.hand: Conflict2\na.deck: Ambush, Ambush, Conflict3, Conflict4\na.discard: Fracture@0").play(
        "a: crown"
    )
    assert s.told("insight")[0]["under"] is False and s.pile("a") == ["Fracture"], "four are enough"


def test_insight_looks_at_what_there_is() -> None:  # MM-AMB-32
    s = crown("Insight", "a.hand: Conflict2\na.deck: Ambush\na.discard: Conflict3@0").play("a: crown")
    assert s.ask().default.some("cards") == ["Ambush", "Conflict3"]
    s = crown("Insight", "a.hand: Conflict2\na.deck: \na.discard: ").play("a: crown")
    assert s.step == "early" and s.told("insight") == [{"seat": "a", "count": 0, "under": False}]


def test_order_shuffles_an_old_discard_into_the_deck() -> None:  # MM-CRN-8
    text = "turn: 6\na.hand: Conflict2\na.deck: Fracture, Ambush\na.discard: Ambush@3, CallToArms@6"
    s = crown("Order", text, chance={"deck-a": ["Ambush Fracture Ambush"]})
    assert s.ids("crown", "card") == {"Ambush"}
    s.play("a: crown card=Ambush")
    assert s.deck("a") == ["Ambush", "Fracture", "Ambush"] and s.stamps("a") == [("CallToArms", 6)]
    assert s.table.chance.drawn == {} and s.told("reclaimed") == [{"seat": "a", "card": "Ambush"}]


def test_order_takes_the_older_of_two_like_cards() -> None:  # MM-CRN-8
    text = "turn: 6\na.hand: Conflict2\na.deck: Fracture\na.discard: Ambush@6, Ambush@3"
    s = crown("Order", text).play("a: crown card=Ambush")
    assert s.stamps("a") == [("Ambush", 6)] and sorted(s.deck("a")) == ["Ambush", "Fracture"]
    assert s.table.chance.drawn == {"deck-a": 1}


@pytest.mark.parametrize(("stamp", "there"), [(0, True), (4, True), (5, True), (6, False)])
def test_an_earlier_turn_is_any_below_the_current_one(stamp: int, there: bool) -> None:  # MM-AMB-33
    s = crown("Order", f"turn: 6\na.hand: Conflict2\na.discard: Ambush@{stamp}")
    assert ("crown" in s.options()) is there, "that of another lord just before, and set-up"


def test_prosperity_looks_at_the_top_card_of_a_deck() -> None:  # MM-CRN-9, MM-DEC-9
    text = "a.hand: Conflict2\nb.hand: Conflict2\nb.deck: Conflict5, Ambush"
    s = crown("Prosperity", text).play("a: crown lord=b", "b: pass")
    assert (s.ask().rule, s.ask().default, s.ask().about["card"]) == ("MM-DEC-9", Answer("leave"), "Conflict5")
    assert s.options() == {"leave", "remove"}
    left = crown("Prosperity", text).play("a: crown lord=b", "b: pass", "a: leave")
    assert left.deck("b") == ["Conflict5", "Ambush"] and left.told("left") == [{"seat": "a", "lord": "b"}]
    s.play("a: remove")
    assert s.deck("b") == ["Ambush"] and s.stamps("b") == [("Conflict5", 1)]
    assert "Lord A discarded Lord B’s top card, Conflict 5." in s.heard(None)


def test_prosperity_on_an_empty_deck() -> None:  # MM-AMB-31, MM-CRN-9
    text = "a.hand: Conflict2\nb.hand: Conflict2\nb.deck: \nb.discard: Ambush@0, Conflict5@0"
    s = crown("Prosperity", text, chance={"deck-b": ["Conflict5"]}).play("a: crown lord=b", "b: pass", "a: remove")
    assert s.told("reshuffled") == [{"seat": "b", "count": 2}]
    assert (s.deck("b"), s.stamps("b")) == (["Ambush"], [("Conflict5", 1)])
    s = crown("Prosperity", "a.hand: Conflict2\nb.hand: Conflict2\nb.deck: \nb.discard: ").play("a: crown lord=b", "b: pass")
    assert s.told("nothing_there") == [{"seat": "a", "lord": "b"}] and s.step == "early"


def test_vitality_is_one_further_redistribution() -> None:  # MM-CRN-10, MM-DEC-11
    text = f"a: knights=6\na.hand: {HAND}\nB1: Forest a 3"
    s = crown("Vitality", text).play("a: march in_b1=1 target=B2 knights=6", "a: crown")
    assert s.ask().rule == "MM-DEC-11" and s.ask().default == Answer("keep")
    assert set(s.fields("redistribute")) == {"in_b1", "in_b2"}, "and no advance"
    assert s.refused("a: redistribute in_b2=1 in_b1=7") == "B1 takes 6 knights of yours at most, not 7."
    s.play("a: redistribute in_b2=3 in_b1=2")
    assert (s.knights("a"), s.land("B1"), s.land("B2")) == (4, "Forest a 2", "Forest a 3"), "castle 2, 1 and 6 before"
    assert s.told("redistributed")[-1]["why"] == "crown"
    early = crown("Vitality", text).play("a: crown", "a: redistribute in_b1=2")
    assert early.knights("a") == 7 and "in_b1" in early.fields("march"), "that of the main unit is still to come"


def test_vitality_may_be_announced_with_nothing_to_redistribute() -> None:  # MM-DEC-6, MM-AMB-9
    # Only Order and Corruption need something to work on; a redistribution may change nothing, and may draw a Fracture.
    s = crown("Vitality", "a: knights=3\na.hand: Conflict2\nb.hand: Fracture").play("a: crown")
    assert s.asked == ["b"]
    s.play("b: pass")
    assert s.table.crown_used and s.hand("b") == ["Fracture"]
    assert s.step == "early", "nobody is asked what has one answer only"


def test_what_has_one_answer_only_is_not_asked() -> None:  # MM-ASY-5
    s = crown("Insight", "a.hand: Conflict2\nb.hand: \na.deck: Ambush").play("a: crown")
    assert s.step == "early" and "Lord A looked at Ambush, from the top." in s.heard("a")
    assert s.seen("a")["own"]["known"] == {"a": ["Ambush"]}
    s = crown("Insight", "a.hand: Conflict2\nb.hand: \na.deck: Ambush, Ambush").play("a: crown")
    assert s.step == "arrange", "that they are alike is his to know"
    s = crown("Vitality", "a.hand: Conflict2\nb.hand: \nD2: Fort a 1").play("a: crown")
    assert s.step == "early", "D2 is cut off"
    older = crown("Vitality", "rulings: MM-ASY-5=asked\na.hand: Conflict2\nb.hand: ").play("a: crown")
    assert older.step == "redistribute", "in a game that began when it was asked"
    older = crown("Insight", "rulings: MM-ASY-5=asked\na.hand: Conflict2\nb.hand: \na.deck: Ambush").play("a: crown")
    assert older.step == "arrange"


def test_the_owner_has_no_target_in_his_own_window() -> None:  # MM-AMB-36, MM-FRA-3
    s = crown("Fury", "a.hand: Fracture\nb.hand: Conflict2\nc.hand: Conflict3", "a b c").play("a: crown")
    assert s.asked == ["b", "c"] and s.ids("plan", "first", "b") == {"pass", "Fury"}


def test_who_knows_more_of_his_deck_than_insight_shows_knows_it_still() -> None:  # MM-CRN-7, MM-HID-12
    s = Scene("a.artefacts: Insight\na.hand: \na.known: a@6, b@2\nb.hand: ").play("a: crown").until("arrange")
    assert s.lord("a").known == {"a": 6}, "and what b knew may lie elsewhere now"


def test_what_is_told_of_a_crown_names_whom_it_concerns() -> None:  # MM-CRN-4, MM-CRN-5
    s = Scene("a.artefacts: Corruption\na.hand: Conflict2\nb.artefacts: Rage\nb.hand: Conflict2").play("a: crown artefact=Rage")
    told = {"seat": "a", "artefact": "Corruption", "effect": "DESTROY_ANY_1_ARTEFACT", "target": "Rage", "owner": "b"}
    assert s.told("crown") == [{**told, "lord": "", "card": ""}]
    s = Scene("a.artefacts: Fury\na.hand: Conflict2\nb.hand: Conflict2").play("a: crown")
    assert (s.told("crown")[0]["target"], s.told("crown")[0]["owner"]) == ("", "")


def test_of_a_deck_without_a_card_insight_knows_nothing() -> None:  # MM-CRN-7, MM-HID-12
    s = Scene("a.artefacts: Insight\na.hand: Conflict2\na.deck: \nb.hand: ").play("a: crown")
    assert s.told("insight")[0] == {"seat": "a", "count": 0, "under": False} and s.lord("a").known == {}


def test_it_is_told_whose_crown_is_negated() -> None:  # MM-CRN-2, MM-CRN-3
    s = crown("Fury", "a.hand: Conflict2\nb.hand: Fracture").play("a: crown", "b: plan first=Fury")
    assert s.told("negated") == [{"seat": "a", "artefact": "Fury"}] and s.step == "early" and s.table.crown_used


def test_prosperity_takes_nothing_from_what_was_known_already() -> None:  # MM-CRN-9, MM-HID-12
    text = "a.hand: Conflict2\nb.hand: Conflict2\nb.deck: Conflict5, Ambush, Conflict3\nb.known: a@3"
    s = crown("Prosperity", text).play("a: crown lord=b", "b: pass")
    assert s.lord("b").known == {"a": 3}
    s.play("a: remove")
    assert s.told("removed") == [{"seat": "a", "lord": "b", "card": "Conflict5"}] and s.lord("b").known == {"a": 2}


def test_whom_a_removed_card_leaves_knowing_nothing() -> None:  # MM-CRN-9, MM-HID-12
    for known, left in (("a@1, b@2", {"b": 1}), ("b@1, a@2", {"a": 1})):
        text = f"a.hand: Conflict2\nb.hand: Conflict2\nb.deck: Conflict5, Ambush, Conflict3\nb.known: {known}"
        s = crown("Prosperity", text).play("a: crown lord=b", "b: pass", "a: remove")
        assert s.lord("b").known == left


def test_the_form_of_vitality_leaves_the_castle_the_rest() -> None:  # MM-CRN-10, MM-RED-2
    s = crown("Vitality", "a: knights=2\na.hand: Conflict2\nb.hand: \nB1: Cave a 3").play("a: crown")
    assert s.step == "redistribute" and s.ask().option("redistribute").rest == 2
    assert s.refused("a: redistribute in_b1=4") == ""
    two = crown("Vitality", "a: knights=0\na.hand: Conflict2\nb.hand: \nB1: Forest a 2\nB2: Forest a 2").play("a: crown")
    assert two.refused("a: redistribute in_b1=3") == (
        "Your territories would have 5 knights, but there are 4 with the castle's; take 1 away somewhere."
    )
