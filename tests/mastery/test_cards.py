"""Hands, decks and piles: drawing, Authority, reshuffling, discarding (MM-GEN-4, MM-RES, MM-BAT-6, 7, MM-RND-4)."""

from __future__ import annotations

from engine.mastery.rules.cards import draw, draw_to
from tests.mastery.scene import HAND, TWICE, Scene, battle

FULL = "a: knights=4\nB1: Forest b 3\nb.hand: " + HAND + "\n"
"""Lord a attacks; what b does with cards is settled."""


def attack(text: str, chance: dict[str, list[str]] | None = None) -> Scene:
    return Scene(FULL + text, "a b", chance).play("a: march target=B1 knights=4")


def test_playing_discarding_destroying_and_restoring() -> None:  # MM-GEN-4
    s = Scene("a.hand: CallToArms, Fracture\na.artefacts: Fury\nb.artefacts: Rage", "a b")
    s.play("a: call")
    assert s.kinds()[-2:] == ["played", "gained"] and s.stamps("a") == [("CallToArms", 1)], "shown, applied, on the pile"
    s.play("a: fracture artefact=Rage")
    assert not s.up("Rage")
    s.play("a: crown", "a: end")
    assert s.table.active == "b"
    s.play("b: end")
    assert s.up("Rage") and "Lord B restored the Sceptre of Rage." in s.heard(None)


def test_a_resource_card_is_revealed_applied_and_discarded_without_response() -> None:  # MM-RES-1
    s = Scene("a.hand: CallToArms\nb.hand: Fracture\na.artefacts: Fury, Rage, Greed", "a b").play("a: call")
    assert s.asked == ["a"] and s.step == "early", "b is not asked anything"
    assert "Lord A played Call to Arms." in s.heard("b")
    assert s.hand("b") == ["Fracture"]


def test_authority_is_played_when_the_draw_is_finished() -> None:  # MM-RES-2
    deck = "Conflict2, Authority, Conflict3, Support1, Support2, Ambush"
    s = attack(f"a.hand: Conflict4, Conflict5\na.deck: {deck}\na.discard: Fracture")
    assert s.hand("a") == ["Conflict2", "Conflict3", "Conflict4", "Conflict5", "Support1", "Support2"]
    assert s.deck("a") == ["Ambush"] and s.pile("a") == ["Authority", "Fracture"]
    assert [f["count"] for f in s.told("drew")] == [3, 2] and s.told("authority") == [{"seat": "a", "count": 2}]
    assert s.stamps("a")[-1] == ("Authority", 1)


def test_authority_stays_out_of_the_reshuffle_of_its_own_draw() -> None:  # MM-AMB-28, MM-RES-2
    text = "a.hand: Conflict4, Conflict5, Support1, Support2\na.deck: Authority\na.discard: Conflict2@0, Conflict3@0, Ambush@0"
    s = attack(text, {"deck-a": ["Conflict3 Ambush"]})
    assert s.hand("a") == ["Ambush", "Conflict3", "Conflict4", "Conflict5", "Support1", "Support2"]
    assert s.deck("a") == ["Conflict2"] and s.stamps("a") == [("Authority", 1)]


def test_a_card_may_come_round_again() -> None:  # MM-RES-7
    hand = TWICE + "a.hand: CallToArms, CallToArms\na: knights=0"
    s = Scene(hand).play("a: call", "a: call")
    assert s.knights("a") == 4 and s.pile("a") == ["CallToArms", "CallToArms"], "there is no limit for a turn"


def test_each_side_draws_up_to_five_the_attacker_first() -> None:  # MM-BAT-6
    decks = "a.deck: Conflict2, Conflict3, Conflict4, Support1\nb.deck: Support2, Conflict5, Ambush"
    s = Scene("a: knights=4\nB1: Forest b 3\na.hand: Conflict2\nb.hand: Conflict3, Support1\n" + decks)
    s.play("a: march target=B1 knights=4")
    assert [(f["seat"], f["count"]) for f in s.told("drew")] == [("a", 4), ("b", 3)]
    zones = "a: knights=4\nB1: Forest b 3\nb.hand: Conflict3, Support1\nb.deck: Ambush, Ambush, Conflict4\n"
    s = Scene(zones + "a.hand: " + HAND)
    s.play("a: march target=B1 knights=4")
    assert s.told("drew") == [{"seat": "b", "count": 3}]
    assert s.hand("b") == ["Ambush", "Ambush", "Conflict3", "Conflict4", "Support1"]


def test_with_five_or_more_nothing_is_drawn_and_nothing_discarded() -> None:  # MM-AMB-29, MM-BAT-6
    for hand in ("Conflict2, Conflict3, Conflict4, Conflict5, Ambush", HAND):
        s = battle(a=hand)
        assert s.told("drew") == [] and len(s.hand("a")) == len(hand.split(", "))


def test_an_empty_deck_is_made_of_the_discard_pile_when_a_card_is_needed() -> None:  # MM-BAT-7, MM-AMB-30
    text = "a.hand: Conflict2, Support1\na.deck: Conflict5\na.discard: Conflict3@1, Conflict4@1, Ambush@1"
    s = attack(text, {"deck-a": ["Ambush Conflict4"]})
    assert s.hand("a") == ["Ambush", "Conflict2", "Conflict4", "Conflict5", "Support1"]
    assert (s.deck("a"), s.pile("a")) == (["Conflict3"], [])
    assert s.told("reshuffled") == [{"seat": "a", "count": 3}]
    s = attack("a.hand: Conflict2, Support1, Ambush, Conflict4\na.deck: Conflict5\na.discard: Conflict3@1")
    assert s.deck("a") == [] and s.pile("a") == ["Conflict3"], "not before the next one is needed"
    s = attack("a.hand: Conflict2\na.deck: Conflict5\na.discard: ")
    assert s.hand("a") == ["Conflict2", "Conflict5"] and s.told("reshuffled") == [], "both empty: drawing stops"


def test_cards_in_play_are_in_no_reshuffle() -> None:  # MM-AMB-27, MM-ORB-8
    text = "a: knights=4\na.artefacts: Greed\na.hand: Conflict5, Support2, Fracture, CallToArms, Conflict4\na.deck: Conflict2\n"
    text += "a.discard: Conflict3@1, Ambush@1, Support1@1\nB1: Forest b 3\nb.hand: " + HAND
    s = Scene(text).play("a: march target=B1 knights=4", "a: play card=Conflict5", "b: play card=Conflict2")
    s.play("b: pass", "a: support cards=[Support2]", "b: pass", "a: pass")
    assert s.step == "fracture"
    s.play("b: pass")
    assert s.told("reshuffled") == [{"seat": "a", "count": 3}], "neither Conflict 5 nor Support 2 is in it"
    assert len(s.hand("a")) == 6 and sorted(s.hand("a") + s.deck("a")) == sorted(
        ["Fracture", "CallToArms", "Conflict4", "Conflict2", "Conflict3", "Ambush", "Support1"]
    )
    assert s.stamps("a") == [("Conflict5", 1), ("Support2", 1)], "they come to the pile at the end"
    assert s.told("result")[0]["margin"] == 6, "11 to 5: what the orb did never changes it"


def test_there_is_no_draw_step_and_no_limit_to_a_hand() -> None:  # MM-TRN-7
    s = Scene("a.hand: " + HAND + ", Conflict2, Conflict3\nb.hand: Conflict2")
    s.play("a: end", "b: end")
    assert s.table.turn == 3 and (len(s.hand("a")), len(s.hand("b"))) == (9, 1) and s.told("drew") == []


def test_a_random_discard_is_uniform_over_the_sorted_hand() -> None:  # MM-RND-4, MM-SCP-9
    hand = "Conflict5, Ambush, Support1, Ambush, CallToArms, Conflict2"
    in_order = ["Ambush", "Ambush", "CallToArms", "Conflict2", "Conflict5", "Support1"]
    for index, card in enumerate(in_order):
        s = battle(text="a.artefacts: Influence", b=hand, chance={"random-discard": [str(index)]}).play("b: pass")
        assert s.told("lost_card") == [{"seat": "b", "card": card}]
        assert s.stamps("b") == [(card, 1)] and len(s.hand("b")) == 5
        assert sum(line.endswith(", picked at random.") and line.startswith("Lord B lost ") for line in s.heard(None)) == 1


def test_an_empty_hand_loses_nothing_at_random() -> None:  # MM-SCP-9
    s = battle(text="a.artefacts: Influence\nb.deck: \nb.discard: ", b="")
    assert s.told("lost_card") == [] and s.told("sceptre_discard") == [{"seat": "a", "artefact": "Influence", "rival": "b"}]
    assert s.told("nobody_could") == [{"what": "sceptre"}]


def test_draws_stop_where_there_is_nothing_to_draw() -> None:  # MM-AMB-30
    s = Scene("a.hand: Conflict2\na.deck: Authority\na.discard: ")
    draw_to(s.table, "a", 5)
    assert s.hand("a") == ["Conflict2"] and s.pile("a") == ["Authority"], "Authority finds nothing to draw"
    draw(s.table, "a", 2)
    assert s.hand("a") == ["Conflict2"] and s.pile("a") == ["Authority"] and s.deck("a") == []
