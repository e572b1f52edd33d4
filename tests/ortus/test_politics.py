"""Politics (rules 9): what no worked example shows of Treachery, Intrigue and the Struggle."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.ortus import ORTUS
from tests.ortus.scene import Scene

DECKS = "a.deck: 3 Land, 6 MarketTown\nb.deck: 3 Land, 6 MarketTown\nc.deck: 3 Land, 6 MarketTown\n"
BOARD = """
a.F1: Palace (-) {}
b.F1: Palace (-) {}
b.F2: Castle (Champion) {Land, Church/a}
c.F1: Palace (-) {}
"""


def scene(text: str) -> Scene:
    return Scene(BOARD + DECKS + text)


# --- the attempt ------------------------------------------------------------------------------------------------------


def test_only_treachery_and_intrigue_are_politics() -> None:
    # OR-POL-1: Banquets, Banners, Emissaries and the rest ask nobody for Allies.
    for deed in ("banquet", "display", "emissary card=Vassal/a"):
        s = scene("a.hand: Banquet, Banner, Vassal\nb.hand: 3 Allies")
        s.play(f"a: {deed}")
        assert s.asked == ["a"] and s.step == "turn"
    for card, aim in (("treachery", "hand:b"), ("intrigue", "properties:b:F2")):
        s = scene("a.hand: Treachery, Intrigue\nb.hand: Allies")
        s.play(f"a: {card} aim={aim}")
        assert s.asked == ["b"] and s.step == "allies"


def test_an_attempt_names_everything_and_is_public() -> None:
    # OR-POL-2: the card, the attempt, the target and the object; the card leaves the Hand face up.
    s = scene("a.hand: Treachery").play("a: treachery aim=lord:b:F2")
    declared = next(e for e in s.events if e.kind == "politics")
    assert declared.facts == {"seat": "a", "target": "b", "card": "Treachery", "aim": "lord", "number": 2}
    assert declared.only is None and declared.but == ()
    assert s.earl("a").hand == []
    assert s.refused("b: allies")  # an empty Hand is not even asked
    assert "needs the card in your Hand" in scene("a.hand: Land").refused("a: treachery aim=hand:b")


def test_nobody_attempts_anything_against_himself() -> None:
    # OR-AMB-42, OR-POL-2
    s = scene("a.hand: Treachery, Intrigue\na.F2: Castle (Vassal) {Land}\na.M1: Mercenary (Knight)\na.reserve: Knight")
    aims = s.ids("treachery", "aim") | s.ids("intrigue", "aim")
    assert aims and {aim.split(":")[1] for aim in aims} == {"b"}
    for line in (
        "treachery aim=mercenary:a:1",
        "intrigue aim=armies:a",
        "intrigue aim=properties:a:F2",
        "treachery aim=lord:a:F2",
    ):
        assert "Open to you" in s.refused(f"a: {line}")


def test_without_allies_the_attempt_succeeds_and_the_card_is_discarded() -> None:
    # OR-POL-3, OR-STR-1: no Allies, no Struggle.
    s = scene("a.hand: Treachery, 3 Vassal\nb.hand: Land").play("a: treachery aim=lord:b:F2", "b: decline")
    assert s.told("no_allies") and not s.told("vassal") and not s.told("struggle_over")
    assert s.fiefs("b") == ["1: Palace/b (-) {}"] and s.pile("a") == ["Church/a", "Treachery/a"]
    assert s.asked == ["a"] and s.step == "turn" and s.table.action_used  # OR-ACT-3


def test_only_the_target_answers_and_once() -> None:
    # OR-POL-4, OR-AMB-44: third Earls add neither Allies nor Vassals, and a second Allies is never asked for.
    s = scene("a.hand: Treachery, 2 Vassal\nb.hand: 2 Allies, Vassal\nc.hand: Allies, 3 Vassal\nc.F2: Castle (Vassal) {}")
    asked = [(s.play("a: treachery aim=lord:b:F2").asked[0], s.step)]
    lines = ("b: allies", "a: commit vassal=hand:Vassal/a", "b: commit vassal=hand:Vassal/b")
    asked += [(s.play(line).asked[0], s.step) for line in lines]
    s.play("a: commit vassal=hand:Vassal/a")
    assert asked == [("b", "allies"), ("a", "commit"), ("b", "counter"), ("a", "commit")]
    assert s.earl("b").hand == ["Allies/b"], "the defender still holds a card, so he was asked and could only pass"
    assert s.step == "counter" and s.options("b") == {"pass"}
    s.play("b: pass")
    assert s.step == "turn" and s.fiefs("b") == ["1: Palace/b (-) {}"]


def test_allies_are_never_an_action() -> None:
    # OR-POL-5
    s = scene("a.hand: 2 Allies")
    assert "not open to you" in s.refused("a: allies")
    assert s.options() == {"tower", "end", "concede"}


def test_a_target_is_asked_even_when_he_holds_no_allies() -> None:
    # OR-INFO-8, OR-DEC-6: only hidden facts leave him no choice.
    s = scene("a.hand: Treachery\nb.hand: Land").play("a: treachery aim=hand:b")
    assert s.asked == ["b"] and s.options() == {"decline"}
    assert s.refused("b: allies") == "You have no Allies in your Hand to call."


def test_who_has_no_vassal_left_sees_what_a_struggle_takes() -> None:
    # OR-STR-3, OR-STR-4
    s = scene("a.hand: Treachery, Vassal, Land\nb.hand: Allies, Vassal").play("a: treachery aim=lord:b:F2", "b: allies")
    s.play("a: commit vassal=hand:Vassal/a", "b: commit vassal=hand:Vassal/b")
    assert s.asked == ["a"] and s.step == "commit" and s.options() == {"pass"}
    why = "You have no Vassal left, neither as a Lord nor in your Hand."
    assert s.refused("a: commit vassal=hand:Vassal/a") == why


def test_a_target_whose_hand_is_publicly_empty_is_not_asked() -> None:
    # OR-DEC-5
    s = scene("a.hand: Treachery").play("a: treachery aim=lord:b:F2")
    assert s.asked == ["a"] and s.step == "turn" and s.told("assassinated")


# --- Treachery --------------------------------------------------------------------------------------------------------


def test_any_lord_of_another_earl_can_be_assassinated() -> None:
    # OR-TRE-1: Abbots are Lords; an Anchor without a Lord is no aim.
    s = scene("a.hand: Treachery\nb.F3: Castle (Monk) {}\nc.F2: Castle (Prince) {}")
    assert s.ids("treachery", "aim") == {"lord:b:F2", "lord:b:F3", "lord:c:F2"}


def test_a_hand_can_be_damaged_only_while_it_holds_a_card() -> None:
    # OR-TRE-2, OR-AMB-41
    s = scene("a.hand: Treachery\nb.hand: Land")
    assert {"hand:b"} == {aim for aim in s.ids("treachery", "aim") if aim.startswith("hand")}
    assert s.refused("a: treachery aim=hand:c")


def test_assassination_spares_the_fief_of_a_prince_only() -> None:
    # OR-TRE-4
    for lord in ("Vassal", "Champion", "Monk"):
        s = Scene(BOARD.replace("(Champion)", f"({lord})") + "a.hand: Treachery").play("a: treachery aim=lord:b:F2")
        assert s.fiefs("b") == ["1: Palace/b (-) {}"]
        assert s.pile("b") == sorted(["Castle/b", "Land/b", f"{lord}/b"])
    s = Scene(BOARD.replace("(Champion)", "(Prince)") + "a.hand: Treachery").play("a: treachery aim=lord:b:F2")
    assert s.fiefs("b")[1] == "2: Castle/b (-) {Land/b, Church/a}" and s.pile("b") == ["Prince/b"]
    s = Scene("a.F1: Palace (-) {}\na.hand: Treachery\nb.F1: Palace (Prince) {}\nc.F1: Palace (-) {}")
    s.play("a: treachery aim=lord:b:F1")
    assert s.fiefs("b") == ["1: Palace/b (-) {}"] and s.earl("b").alive, "his last Fief stands, too"


@pytest.mark.parametrize(("hand", "lost"), [("Land", 1), ("Land, Church", 2), ("Land, Church, Monk, Banner", 2)])
def test_hand_damage_takes_two_cards_or_what_there_is(hand: str, lost: int) -> None:
    # OR-TRE-5, OR-AMB-41
    s = scene(f"a.hand: Treachery\nb.hand: {hand}").play("a: treachery aim=hand:b", "b: decline")
    (shown,) = s.told("hand_damaged")
    assert len(shown["cards"]) == lost and s.pile("b") == sorted(shown["cards"])  # shown to all (OR-INFO-2)
    assert len(s.earl("b").hand) == hand.count(",") + 1 - lost


def test_the_cards_of_a_damaged_hand_are_picked_at_random() -> None:
    # OR-RNG-1, OR-TRE-5: every pair is as likely as any other.
    lost: Counter[tuple[str, ...]] = Counter()
    for seed in range(600):
        s = scene(f"a.hand: Treachery\nb.hand: Land, Church, Monk, Banner\nchance: seed{seed} {{}}")
        lost[tuple(s.play("a: treachery aim=hand:b", "b: decline").pile("b"))] += 1
    assert len(lost) == 6 and s.table.chance.drawn == {"treachery-hand": 1}
    assert sum((n - 100) ** 2 / 100 for n in lost.values()) < 20.52  # chi-square, 5 degrees of freedom, 1 in 1000


def test_a_removed_mercenary_takes_his_garrison_along() -> None:
    # OR-TRE-3, OR-TRE-6
    s = scene("a.hand: Treachery\nb.M1: Mercenary (-)\nb.M2: Mercenary (Knight)")
    s.play("a: treachery aim=mercenary:b:2")
    assert s.pile("b") == ["Mercenary/b"] and s.table.army.discard == ["Knight"]
    assert [m.number for m in s.earl("b").mercenaries] == [1]


def test_treachery_can_remove_an_earl() -> None:
    # OR-TRE-7
    s = Scene("a.F1: Palace (-) {}\nb.F1: Palace (Champion) {}\nc.F1: Palace (-) {}\na.hand: Treachery")
    s.play("a: treachery aim=lord:b:F1")
    assert not s.earl("b").alive and s.told("removed") == [{"seat": "b", "how": "anchors", "to": "a"}]


def test_treachery_captures_nothing_and_is_no_combat() -> None:
    # OR-TRE-8
    s = scene("a.hand: Treachery").play("a: treachery aim=lord:b:F2")
    assert not s.table.white and s.fiefs("a") == ["1: Palace/a (-) {}"]


# --- Intrigue ---------------------------------------------------------------------------------------------------------


def test_intrigue_aims_at_properties_armies_and_mercenaries_only() -> None:
    # OR-INT-1, 2, 3 and 7: never Anchors, Lords, Hands, Towers, Banners, garrisons, the King Card or the Royal Army.
    s = scene(
        "a.hand: Intrigue\nb.hand: Land\nb.towers: 2 Monk\nb.reserve: Knight\nb.M1: Mercenary (Knight)\n"
        "c.towers: Land\nking: b [Knight, Infantry]"
    )
    s.earl("c").banners = ["Banner/c"]
    assert s.ids("intrigue", "aim") == {"properties:b:F2", "armies:b", "mercenary:b:1"}
    s.play("a: intrigue aim=armies:b", "b: decline")
    assert s.earl("a").reserve == ["Knight"] and sorted(s.table.royal) == ["Infantry", "Knight"]
    assert s.earl("b").mercenaries[0].garrison == "Knight"


def test_a_small_fief_loses_what_it_has_without_a_choice() -> None:
    # OR-INT-4, OR-AMB-43, OR-DEC-5; the Anchor and its Lord stay (OR-INT-1).
    s = scene("a.hand: Intrigue").play("a: intrigue aim=properties:b:F2")
    assert s.asked == ["a"] and s.step == "turn"
    assert s.fiefs("b")[1] == "2: Castle/b (Champion/b) {}"
    assert s.fiefs("a") == ["1: Palace/a (-) {Land/b, Church/a}"]
    assert s.earl("a").reserve == []  # OR-AMB-12: a stolen Land draws nothing


def test_the_target_gives_exactly_two_of_three_properties() -> None:
    # OR-INT-4, OR-AMB-43, D-34
    s = Scene(BOARD.replace("{Land, Church/a}", "{Land, Church/a, Cathedral}") + "a.hand: Intrigue\na.F2: Castle (-) {}")
    s.play("a: intrigue aim=properties:b:F2")
    assert s.asked == ["b"] and s.step == "give_properties"
    assert "exactly 2" in s.refused("b: give properties=[Land/b]")
    assert "exactly 2" in s.refused("b: give properties=[Land/b,Church/a,Cathedral/b]")
    s.play("b: give properties=[Land/b,Cathedral/b]")
    assert s.asked == ["a"] and s.step == "attach"  # D-35
    assert "leaves out" in s.refused("a: attach attach={Land/b>F1}")
    s.play("a: attach attach={Land/b>F1,Cathedral/b>F2}")
    assert s.fiefs("a") == ["1: Palace/a (-) {Land/b}", "2: Castle/a (-) {Cathedral/b}"]
    assert s.table.cathedral_holder() == "a"


def test_properties_that_are_all_alike_are_not_asked_about() -> None:
    # OR-DEC-5: like cards of one owner in one Fief count as one answer.
    s = Scene(BOARD.replace("{Land, Church/a}", "{Land, Land, Land}") + "a.hand: Intrigue")
    s.play("a: intrigue aim=properties:b:F2")
    assert s.step == "turn" and s.fiefs("b")[1] == "2: Castle/b (Champion/b) {Land/b}"


def test_the_target_gives_two_of_three_army_cards_and_only_the_two_see_them() -> None:
    # OR-INT-5, OR-INFO-3, OR-AMB-49, D-36
    s = scene("a.hand: Intrigue\nb.reserve: Infantry, Knight, Knight").play("a: intrigue aim=armies:b")
    assert s.asked == ["b"] and s.step == "give_armies"
    assert "exactly 2" in s.refused("b: give armies=[Knight]")
    s.play("b: give armies=[Infantry,Knight]")
    assert sorted(s.earl("a").reserve) == ["Infantry", "Knight"] and s.earl("b").reserve == ["Knight"]
    open_, secret = (next(e for e in s.events if e.kind == kind) for kind in ("armies_stolen", "armies_stolen_own"))
    assert secret.only == ("a", "b") and secret.facts["cards"] == ["Infantry", "Knight"]
    assert "cards" not in open_.facts and open_.facts["count"] == 2
    assert [open_.seen_by(x) for x in ("a", "b", "c", None)] == [False, False, True, True]


def test_a_reserve_of_one_or_two_is_taken_whole() -> None:
    # OR-INT-5
    s = scene("a.hand: Intrigue\nb.reserve: Infantry, Knight").play("a: intrigue aim=armies:b")
    assert s.step == "turn" and s.earl("b").reserve == [] and len(s.earl("a").reserve) == 2


def test_a_reserve_that_is_privately_all_alike_is_asked_about_all_the_same() -> None:
    # OR-DEC-6
    s = scene("a.hand: Intrigue\nb.reserve: 3 Knight").play("a: intrigue aim=armies:b")
    assert s.asked == ["b"]


def test_a_stolen_mercenary_serves_the_thief() -> None:
    # OR-INT-3, OR-INT-6
    s = scene("a.hand: Intrigue\na.M1: Mercenary (-)\nb.M1: Mercenary (Knight)").play("a: intrigue aim=mercenary:b:1")
    assert [(m.number, m.card, m.garrison) for m in s.earl("a").mercenaries] == [
        (1, "Mercenary/a", None),
        (2, "Mercenary/b", "Knight"),
    ]
    assert s.earl("b").mercenaries == []


# --- the Struggle -----------------------------------------------------------------------------------------------------


def struggle(text: str, aim: str = "lord:b:F2") -> Scene:
    return scene(text).play(f"a: treachery aim={aim}", "b: allies")


def test_allies_unanswered_defeat_the_attempt() -> None:
    # OR-STR-2, OR-STR-6, OR-AMB-45: passing at 0 to 0 ends it, and only the two played cards are discarded.
    s = struggle("a.hand: Treachery, Vassal\nb.hand: Allies, Vassal").play("a: pass")
    assert s.told("struggle_over") == [{"seat": "a", "target": "b", "won": False}]
    assert (s.pile("a"), s.pile("b")) == (["Treachery/a"], ["Allies/b"])
    assert s.earl("a").hand == ["Vassal/a"] and s.earl("b").hand == ["Vassal/b"] and s.step == "turn"


def test_the_defender_who_passes_after_a_vassal_loses() -> None:
    # OR-STR-1, OR-STR-3: one against none is more.
    s = struggle("a.hand: Treachery, Vassal\nb.hand: Allies, Vassal").play("a: commit vassal=hand:Vassal/a", "b: pass")
    assert s.told("struggle_over")[0]["won"] and s.fiefs("b") == ["1: Palace/b (-) {}"]
    assert s.pile("a") == ["Church/a", "Treachery/a", "Vassal/a"]


def test_vassals_come_one_at_a_time_from_hand_or_anchor_and_once_each() -> None:
    # OR-STR-4: Champions and Princes don't count, nor do Vassals as Towers.
    s = struggle(
        "a.hand: Treachery, Vassal, Champion, Prince\na.F2: Castle (Vassal) {}\na.towers: Vassal\nb.hand: Allies, Vassal"
    )
    assert s.ids("commit", "vassal") == {"hand:Vassal/a", "lord:F2"}
    s.play("a: commit vassal=lord:F2", "b: commit vassal=hand:Vassal/b")
    assert s.ids("commit", "vassal") == {"hand:Vassal/a"}
    assert [v["id"] for v in s.told("vassal")] == ["lord:F2", "hand:Vassal/b"]  # revealed one by one


def test_a_struggle_holds_the_vassals_of_hands_until_it_is_over() -> None:
    # OR-STR-4, OR-STR-5: they have left the Hand and lie in no pile yet; a Vassal Lord stays in his Anchor.
    s = struggle("a.hand: Treachery, 2 Vassal\na.F2: Castle (Vassal) {}\nb.hand: Allies, Vassal, Land")
    everything = ORTUS.rules.checks.conserved(s.state)
    s.play("a: commit vassal=lord:F2", "b: commit vassal=hand:Vassal/b", "a: commit vassal=hand:Vassal/a")
    struggle_, attempt = s.state.stack[-1], s.state.stack[-2]
    assert struggle_.held() == ["Vassal/a", "Vassal/b"] and attempt.held() == ["Treachery/a", "Allies/b"]
    assert (s.earl("a").hand, s.earl("b").hand) == (["Vassal/a"], ["Land/b"]) and s.pile("a") == s.pile("b") == []
    assert s.fiefs("a")[1] == "2: Castle/a (Vassal/a) {}"
    assert ORTUS.rules.checks.conserved(s.state) == everything
    s.play("b: pass")
    assert s.told("struggle_over")[0]["won"] and ORTUS.rules.checks.conserved(s.state) == everything


def test_a_vassal_is_not_promised_twice() -> None:
    # OR-STR-4
    s = struggle("a.hand: Treachery, Vassal\na.F2: Castle (Vassal) {}\nb.hand: Allies")
    assert "each commits once" in s.refused("a: commit vassal=lord:F2 further=[lord:F2]")


def test_equal_numbers_cost_the_attacker_his_vassal_lords() -> None:
    # OR-STR-5, OR-AMB-46: the defender wins ties; his committed Vassal Lords stay, the attacker's are discarded.
    s = struggle("a.hand: Treachery, Vassal\na.F2: Castle (Vassal) {Land}\nb.F3: Castle (Vassal) {}\nb.hand: Allies")
    s.play("a: commit vassal=lord:F2", "b: commit vassal=lord:F3", "a: pass")
    assert s.fiefs("a")[1] == "2: Castle/a (-) {Land/a}", "the Anchor and its Fief are untouched"
    assert s.fiefs("b")[2] == "3: Castle/b (Vassal/b) {}"
    assert s.pile("a") == ["Treachery/a", "Vassal/a"] and s.pile("b") == ["Allies/b"]


def test_the_winning_attacker_keeps_his_vassal_lords() -> None:
    # OR-STR-5
    s = struggle("a.hand: Treachery, Vassal\na.F2: Castle (Vassal) {}\nb.F3: Castle (Vassal) {}\nb.hand: Allies, Land")
    s.play("a: commit vassal=lord:F2", "b: commit vassal=lord:F3", "a: commit vassal=hand:Vassal/a", "b: pass")
    assert s.fiefs("a")[1] == "2: Castle/a (Vassal/a) {}" and s.fiefs("b")[-1] == "3: Castle/b (-) {}"
    assert s.pile("a") == ["Church/a", "Treachery/a", "Vassal/a"]


def test_the_aimed_at_vassal_lord_falls_once_with_his_fief() -> None:
    # OR-STR-7, OR-AMB-47
    s = Scene(BOARD.replace("(Champion)", "(Vassal)") + "a.hand: Treachery, 2 Vassal\nb.hand: Allies, Land")
    s.play("a: treachery aim=lord:b:F2", "b: allies", "a: commit vassal=hand:Vassal/a", "b: commit vassal=lord:F2")
    s.play("a: commit vassal=hand:Vassal/a", "b: pass")
    assert s.pile("b") == ["Allies/b", "Castle/b", "Land/b", "Vassal/b"] and s.fiefs("b") == ["1: Palace/b (-) {}"]


def test_struggle_discards_come_before_hand_damage_and_played_cards_after() -> None:
    # OR-STR-8, OR-TRE-5, OR-AMB-48: the Vassals have left the Hand, so nothing is left to damage (OR-AMB-41).
    s = struggle("a.hand: Treachery, 2 Vassal\nb.hand: Allies, Vassal", "hand:b")
    s.play("a: commit vassal=hand:Vassal/a", "b: commit vassal=hand:Vassal/b", "a: commit vassal=hand:Vassal/a")
    assert s.told("hand_damaged") == [{"seat": "b", "cards": []}]
    assert s.kinds().index("struggle_over") < s.kinds().index("hand_damaged")
    assert s.pile("b") == ["Allies/b", "Vassal/b"]
    assert s.earl("b").discard == ["Vassal/b", "Allies/b"], "the Struggle's cards first, the played ones last"


def test_a_crown_check_comes_after_the_elimination() -> None:
    # OR-STR-8, OR-KING-7
    s = Scene(
        "a.F1: Palace (-) {}\nb.F1: Palace (Champion) {}\nc.F1: Palace (-) {}\n"
        "a.hand: Treachery\na.banners: 2 Banner\nb.banners: Banner"
    ).play("a: treachery aim=lord:b:F1")
    order = [k for k in s.kinds() if k in ("assassinated", "removed", "crowned")]
    assert order == ["assassinated", "removed", "crowned"] and s.table.king == "a"


def test_further_vassals_can_be_promised_in_secret() -> None:
    # D-31, D-32, OR-DEC-7: what was promised is committed without asking, as long as it is needed.
    s = struggle("a.hand: Treachery, 3 Vassal\nb.hand: Allies, 2 Vassal")
    s.play("a: commit vassal=hand:Vassal/a further=[hand:Vassal/a*2]")
    assert s.asked == ["b"]
    s.play("b: commit vassal=hand:Vassal/b further=[hand:Vassal/b]")
    assert s.step == "turn"
    assert [v["seat"] for v in s.told("vassal")] == ["a", "b", "a", "b", "a"]
    assert s.told("struggle_over")[0]["won"]


def test_who_publicly_cannot_commit_is_not_asked() -> None:
    # OR-DEC-5: no Hand and no Vassal Lord left.
    s = struggle("a.hand: Treachery\nb.hand: Allies")
    assert s.step == "turn" and s.told("struggle_over") == [{"seat": "a", "target": "b", "won": False}]
    s = struggle("a.hand: Treachery, Land\nb.hand: Allies")
    assert s.asked == ["a"] and s.options() == {"pass"}, "a Hand might hide a Vassal"
