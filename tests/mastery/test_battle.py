"""Battle: its nine steps, sceptres, orbs, losses and retreat (MM-BAT, MM-SCP, MM-ORB, MM-RET, MM-DEC-14 to 16, 19)."""

from __future__ import annotations

import pytest

from engine.core.asks import Answer
from engine.games import game_called
from engine.mastery.rules.table import Land
from tests.mastery.scene import HAND, NAMES, Scene, battle, rolls


def fight(
    tile: str, send: int, there: int, a: str, b: str, text: str = "", chance: dict[str, list[str]] | None = None, spare: int = 0
) -> Scene:
    """A battle with these conflict cards in which everybody passes otherwise."""
    s = battle(tile, send, there, text, chance=chance, spare=spare).until("conflict")
    return s.play(f"a: play card={a}", f"b: play card={b}").until("late")


def test_only_attacker_and_defender_take_part_and_the_place_is_the_defenders_meanwhile() -> None:  # MM-BAT-1, MM-AMB-18
    s = battle("City", text="c.hand: Conflict2\nB2: Forest b 1", seats="a b c")
    assert s.asked == ["a", "b"]
    assert s.points("b") == 4 and s.points("a") == 0 and s.land("B1") == "City b 3"
    shown = next(m for m in s.seen(None)["map"] if m["slot"] == "B1")
    assert shown["dispute"] == {"attacker": "a", "knights": 4} and shown["holder"] == "b"
    cut = Scene(
        "a: knights=4\na.hand: " + HAND + "\nb.hand: " + HAND + "\nC4: Forest b 1\nC3: City b 1\nB2: Forest a 1", "a b c d"
    )
    assert cut.supplied("b") == {"C3", "C4"}
    cut.play("a: march target=C3 knights=4")
    assert cut.supplied("b") == {"C3", "C4"}, "no cut-off in the middle of a battle"


def test_nine_steps_in_their_order() -> None:  # MM-BAT-2, MM-GEN-5
    text = "a.artefacts: Rage, Brutality\na: knights=4\na.hand: Conflict5, Support1\nb.hand: " + HAND + "\nB1: City b 5"
    text += "\na.deck: Conflict2, Conflict3, Conflict4, Ambush"
    s = Scene(text).play("a: march target=B1 knights=4", "b: pass", "a: play card=Conflict5", "b: play card=Conflict2")
    s.play("b: pass", "a: support cards=[Support1]", "b: pass", "a: pass", "b: pass")
    steps = [k for k in s.kinds() if not k.endswith("_own")]
    assert steps[:16] == [
        "attacked",
        *("score", "drew", "no_fracture", "sceptre_plus", "conflict", "score"),
        *("support_passed", "supported", "score", "support_passed", "support_passed", "result"),
        *("no_fracture", "orb", "killed"),
    ]
    assert steps[16:19] == ["retreated", "conquered", "gained"]


# --- step 1 -----------------------------------------------------------------------------------------------------------


def test_in_the_arena_both_roll_and_the_lower_loses_a_knight() -> None:  # MM-BAT-3, MM-TER-5
    s = battle("Arena", 3, 4, chance={"arena": rolls(2, 5)})
    assert s.scores == (2, 4)
    assert s.told("arena") == [{"attacker": "a", "defender": "b", "rolls": [2, 5], "losers": ["a"]}]
    assert battle("Arena", 3, 4, chance={"arena": rolls(5, 2)}).scores == (3, 3)
    assert battle("Arena", 3, 4, chance={"arena": rolls(4, 4)}).scores == (2, 3), "equal: both"


def test_the_base_is_what_stands_there_after_the_arena() -> None:  # MM-BAT-4, MM-AMB-19
    s = battle("Arena", 3, 4, chance={"arena": rolls(2, 5)})
    assert (s.battle.att.base, s.battle.dfd.base) == (2, 4)
    assert battle(send=5, there=2).scores == (5, 2)


@pytest.mark.parametrize(
    ("tile", "scores"),
    [("Grasslands", (5, 3)), ("Fort", (4, 4)), ("City", (4, 4)), ("Fortress", (4, 4)), ("Forest", (4, 3)), ("Cave", (4, 3))],
)
def test_what_the_territory_adds(tile: str, scores: tuple[int, int]) -> None:  # MM-BAT-5, MM-TER-1, MM-TER-2
    assert battle(tile, 4, 3).scores == scores


# --- step 3 -----------------------------------------------------------------------------------------------------------


def test_sceptres_come_after_their_window_and_every_time() -> None:  # MM-BAT-8, MM-SCP-1
    s = battle(text="a.artefacts: Rage", a=HAND + ", TacticalAdvance", spare=6)
    assert s.step == "fracture" and s.scores == (4, 3)
    s.play("b: pass")
    assert s.scores == (5, 3)
    twice = Scene(
        f"a: knights=12\na.artefacts: Rage\na.hand: TacticalAdvance, {HAND}\nb.hand: {HAND}\nB1: Forest b 1\nB2: Forest b 1"
    )
    twice.play("a: tactical target=B1 knights=6").until("early").play("a: march target=B2 knights=5").until("late")
    assert len(twice.told("sceptre_plus")) == 2, "it is not used up"


@pytest.mark.parametrize(
    ("artefacts", "scores"),
    [
        ("a.artefacts: Rage", (5, 3)),  # MM-SCP-4
        ("b.artefacts: Rage", (4, 3)),
        ("b.artefacts: Loyalty", (4, 4)),  # MM-SCP-7
        ("a.artefacts: Loyalty", (4, 3)),
    ],
)
def test_rage_attacking_and_loyalty_defending(artefacts: str, scores: tuple[int, int]) -> None:  # MM-SCP-4, MM-SCP-7
    assert battle(text=artefacts).until("conflict").scores == scores


def test_fear_matches_the_rivals_knights_when_attacking() -> None:  # MM-SCP-2, MM-DEC-14
    s = battle(send=2, there=5, text="a.artefacts: Fear").play("b: pass")
    assert s.asked == ["a"] and s.ask().rule == "MM-DEC-14" and s.ask().default == Answer("yes")
    assert "Sceptre of Fear: fight as 5, not 2?" in _title(s)
    assert battle(send=2, there=5, text="a.artefacts: Fear").play("b: pass", "a: yes").scores == (5, 5)
    assert battle(send=2, there=5, text="a.artefacts: Fear").play("b: pass", "a: no").scores == (2, 5), "may"
    more = battle(send=5, there=2, text="a.artefacts: Fear").play("b: pass")
    assert more.ask().default == Answer("no"), "where it raises the own score, else not"
    assert battle(send=3, there=3, text="a.artefacts: Fear").play("b: pass").step == "conflict", "makes no difference"
    assert battle(send=2, there=5, text="b.artefacts: Fear").until("conflict").told("matched") == [], "attacking only"


def _title(s: Scene, seat: str = "") -> str:
    return game_called("mastery").words.labels.title(s.ask(seat), {"a": "Lord A", "b": "Lord B"})


def test_vigour_does_so_when_defending() -> None:  # MM-SCP-5
    s = battle(send=5, there=2, text="b.artefacts: Vigour").play("a: pass")
    assert s.asked == ["b"] and s.ask().default == Answer("yes")
    assert s.play("b: yes").scores == (5, 5)
    assert battle(send=2, there=5, text="a.artefacts: Vigour").until("conflict").scores == (2, 5)


def test_influence_and_defiance_cost_the_rival_a_card() -> None:  # MM-SCP-3, MM-SCP-6
    s = battle(text="a.artefacts: Influence").play("b: pass")
    assert (len(s.hand("a")), len(s.hand("b")), len(s.pile("b"))) == (7, 6, 1)
    s = battle(text="b.artefacts: Defiance").play("a: pass")
    assert (len(s.hand("a")), len(s.hand("b")), len(s.pile("a"))) == (6, 7, 1)
    s = battle(text="a.artefacts: Defiance\nb.artefacts: Influence").until("conflict")
    assert (len(s.hand("a")), len(s.hand("b"))) == (7, 7), "the roles do not match"


def test_matching_replaces_the_base_and_leaves_the_rest() -> None:  # MM-SCP-8
    s = battle("Grasslands", 2, 5, "a.artefacts: Fear, Greed").play("b: pass", "a: yes")
    assert s.scores == (6, 5) and (s.battle.att.base, s.battle.att.bonus) == (5, 1)
    assert s.table.dispute is not None and s.table.dispute.knights == 2 and s.need("a") == 1
    s.play("a: play card=Conflict2", "b: play card=Conflict4").until("late")
    assert s.told("retreated") == [{"seat": "a", "lost": 1, "retreat": 1}], "8 to 9; real knights are lost and go home"
    arena = battle("Arena", 2, 5, "a.artefacts: Fear", chance={"arena": rolls(6, 1)}).play("b: pass", "a: yes")
    assert arena.scores == (4, 4), "the rival's knights after the roll"


def test_fear_against_vigour_compares_real_knights() -> None:  # MM-AMB-21
    s = battle(send=5, there=2, text="a.artefacts: Fear\nb.artefacts: Vigour")
    assert s.asked == ["a", "b"], "both at once"
    assert s.default("b", "a").scores == (5, 5)
    swapped = battle(send=5, there=2, text="a.artefacts: Fear\nb.artefacts: Vigour")
    swapped.play("a: pass match=yes", "b: pass match=yes")
    assert swapped.scores == (2, 5), "each with the other's real number"


def test_a_question_about_a_battle_says_how_it_stands_for_its_reader() -> None:  # MM-DEC-15, MM-DEC-16
    s = battle("Fort", 4, 3, seats="a b c")
    for seat, own, other, rival in (("a", "4", "4", "b"), ("b", "4", "4", "a")):
        about = s.ask(seat).about
        assert (about["own"], about["other"], about["rival"]) == (own, other, rival)
        assert (about["attacker"], about["defender"], about["slot"], about["tile"]) == ("a", "b", "B1", "Fort")
    s.play("a: play card=Conflict2", "b: play card=Conflict5")
    about = s.ask("a").about
    assert (about["own"], about["other"], about["for"]) == ("6", "9", "a")
    labels = game_called("mastery").words.labels
    assert labels.title(s.ask("a"), NAMES) == "You trail 6 to 9 at Fort (B1). Add support?"
    assert labels.option(s.ask("a"), "pass", NAMES) == "Wait (you are asked again if anyone adds a card)"
    s.play("a: support cards=[Support2]")
    about = s.ask("b").about
    assert (about["own"], about["other"], about["for"]) == ("9", "8", "b")
    assert labels.title(s.ask("b"), NAMES) == "You lead 9 to 8 at Fort (B1). Add support?"
    level = battle("Fort", 4, 3, seats="a b c").play("a: play card=Conflict4", "b: play card=Conflict4")
    assert labels.title(level.ask(level.asked[0]), NAMES) in (
        "8 all at Fort (B1), and Lord B wins a tie. Add support?",
        "8 all at Fort (B1), and you win a tie. Add support?",
    )
    bare = battle(a="Conflict2, Conflict3, Conflict4, Conflict5, Ambush").play(
        "a: play card=Conflict2", "b: play card=Conflict5"
    )
    assert bare.asked == ["a"] and bare.options() == {"pass"}
    assert labels.option(bare.ask("a"), "pass", NAMES) == "Pass (you hold no support card)"
    assert "no support card" in bare.refused("a: support cards=[Support1]") and "support card" not in bare.refused("a: march")


def test_it_is_said_why_a_tie_is_won_and_who_falls_in_the_arena() -> None:  # MM-BAT-15, MM-TER-5
    s = battle(send=4, there=3).play("a: play card=Conflict3", "b: play card=Conflict4", "a: pass", "b: pass")
    assert "The scores were level, so Lord B won as the defender." in s.heard("a")
    s = battle(send=4, there=3).play("a: play card=Conflict3", "b: play card=Conflict2", "b: pass", "a: pass")
    assert "Lord A won by 2." in s.heard("a")
    both = battle("Arena", 3, 3, chance={"arena": rolls(4, 4)})
    assert "In the Arena Lord A rolled 4, Lord B 4; each lost a knight." in both.heard(None)


# --- step 4 -----------------------------------------------------------------------------------------------------------


def test_both_choose_a_conflict_card_sealed_and_reveal_together() -> None:  # MM-BAT-9, MM-DEC-15
    s = battle()
    assert s.asked == ["a", "b"] and s.ask("a").rule == "MM-DEC-15"
    assert _title(s, "a").startswith("You fight for Forest (B1), 4 to 3.")
    assert _title(s, "b").startswith("You fight for Forest (B1), 3 to 4.")
    s.play("b: play card=Conflict4")
    assert s.events == [] and s.seen("a")["doing"][-1]["sides"][1]["card"] is None, "sealed"
    s.play("a: play card=Conflict2")
    assert s.told("conflict") == [{"seats": ["a", "b"], "cards": ["Conflict2", "Conflict4"], "rolls": []}]
    assert s.scores == (6, 7)
    assert "Lord A showed Conflict 2, Lord B Conflict 4." in s.heard(None)


def test_who_holds_a_conflict_card_must_play_one() -> None:  # MM-AMB-60, MM-BAT-9
    s = battle()
    assert s.options("a") == {"play"} and s.refused("a: none") == "“none” is not open to you here. You can: play."
    bare = battle(b="Support1, Support1, Support2, Support2, CallToArms")
    assert bare.options("b") == {"none"} and bare.ask("b").default == Answer("none")
    bare.play("a: play card=Conflict2", "b: none")
    assert bare.scores == (6, 3) and bare.told("conflict")[0]["cards"] == ["Conflict2", ""]
    assert "Lord A showed Conflict 2, Lord B no conflict card." in bare.heard(None)


def test_an_ambush_is_worth_a_die_rolled_at_the_reveal() -> None:  # MM-BAT-10
    s = battle(send=3, there=4, chance={"ambush": rolls(6, 2)})
    s.play("b: play card=Ambush")
    assert "ambush" not in s.table.chance.drawn
    s.play("a: play card=Ambush")
    assert s.scores == (9, 6) and s.told("conflict")[0]["rolls"] == [["a", 6], ["b", 2]], "the attacker's first"
    assert "Lord A showed Ambush (6), Lord B Ambush (2)." in s.heard(None)


# --- step 5 -----------------------------------------------------------------------------------------------------------


def shown(send: int, there: int, a: str, b: str, tile: str = "Forest", ruled: str = "attacker") -> Scene:
    """A battle after the reveal; hands left open."""
    return battle(tile, send, there, f"rulings: MM-AMB-24={ruled}").play(f"a: play card={a}", f"b: play card={b}")


def test_no_support_in_the_mountains() -> None:  # MM-BAT-11, MM-TER-4
    s = shown(5, 4, "Conflict3", "Conflict4", "Mountains")
    assert s.told("no_support") == [{}] and "support_passed" not in s.kinds()
    (result,) = s.told("result")
    assert (result["winner"], result["loser"], result["margin"], result["scores"]) == ("b", "a", 1, [8, 8])


def test_the_lower_score_has_the_first_option_and_the_attacker_when_level() -> None:  # MM-BAT-12, MM-AMB-24
    assert shown(4, 3, "Conflict5", "Conflict2").asked == ["b"]
    assert shown(4, 3, "Conflict2", "Conflict5").asked == ["a"]
    assert shown(4, 3, "Conflict2", "Conflict3").asked == ["a"], "6 to 6"


def test_by_another_ruling_it_is_the_defender_when_level() -> None:  # MM-AMB-24
    assert shown(4, 3, "Conflict2", "Conflict3", ruled="defender").asked == ["b"]
    assert shown(4, 3, "Conflict2", "Conflict5", ruled="defender").asked == ["a"], "the lower score is first all the same"


def test_an_option_is_any_number_of_cards_or_a_pass_and_options_alternate() -> None:  # MM-BAT-13, MM-AMB-26, MM-DEC-16
    s = shown(4, 3, "Conflict5", "Conflict2")
    assert s.ask().rule == "MM-DEC-16" and s.ask().default == Answer("pass") and s.scores == (9, 5)
    s.play("b: support cards=[Support1,Support2]")
    assert s.scores == (9, 8) and s.asked == ["a"]
    assert s.told("supported") == [{"seat": "b", "cards": ["Support1", "Support2"]}]
    s.play("a: support cards=[Support2]")
    assert s.scores == (11, 8) and s.asked == ["b"]
    assert s.options("b") == {"pass"} and s.refused("b: support cards=[Support1]") == (
        "You hold no support card, so you can only pass."
    )


def test_two_passes_in_a_row_end_it_and_one_is_not_final() -> None:  # MM-BAT-14, MM-AMB-25
    s = shown(4, 3, "Conflict5", "Conflict4").play("b: pass", "a: support cards=[Support1]")
    assert s.asked == ["b"] and s.scores == (10, 7)
    s.play("b: support cards=[Support1,Support2]", "a: pass", "b: pass")
    assert s.step != "support" and s.told("result")[0]["scores"] == [10, 10]


# --- step 6 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("send", "there", "a", "b", "winner", "margin"),
    [
        (5, 1, "Conflict5", "Conflict2", "a", 7),
        (2, 3, "Conflict2", "Conflict4", "b", 3),
        (4, 3, "Conflict3", "Conflict4", "b", 1),
    ],
)
def test_the_higher_total_wins_by_the_difference(  # MM-BAT-15
    send: int, there: int, a: str, b: str, winner: str, margin: int
) -> None:
    (result,) = fight("Forest", send, there, a, b).told("result")
    assert (result["winner"], result["margin"]) == (winner, margin)


def test_a_tie_is_the_defenders_by_one() -> None:  # MM-BAT-15
    s = fight("Forest", 4, 3, "Conflict3", "Conflict4")
    assert s.told("result")[0]["scores"] == [7, 7] and s.told("retreated") == [{"seat": "a", "lost": 1, "retreat": 3}]
    assert s.land("B1") == "Forest b 3" and s.knights("a") == 3


# --- step 7 -----------------------------------------------------------------------------------------------------------


def test_orbs_of_winner_and_loser_apply_after_their_window() -> None:  # MM-BAT-16, MM-ORB-1
    text = "a.artefacts: Brutality\nb.artefacts: Devotion"
    s = fight("Forest", 4, 3, "Conflict3", "Conflict3", text)
    assert [f["artefact"] for f in s.told("orb")] == ["Brutality", "Devotion"], "both in one battle, the attacker's first"
    kinds = s.kinds()
    assert kinds.index("result") < kinds.index("no_fracture") < kinds.index("orb") < kinds.index("retreated")
    lost = fight("Forest", 2, 5, "Conflict3", "Conflict3", text)
    assert lost.told("orb") == [], "a has lost, b has won"


def test_brutality_takes_one_more_knight_from_the_loser_there() -> None:  # MM-ORB-2
    s = fight("Forest", 5, 4, "Conflict3", "Conflict3", "a.artefacts: Brutality\nb: knights=2")
    assert s.told("killed") == [{"seat": "b", "count": 1}] and s.told("retreated") == [{"seat": "b", "lost": 1, "retreat": 2}]
    assert s.knights("b") == 4
    lone = fight("Forest", 3, 1, "Conflict2", "Conflict3", "a.artefacts: Brutality")
    assert lone.told("killed") == [{"seat": "b", "count": 1}] and lone.told("retreated") == [], "nobody left"
    defending = fight("Forest", 4, 5, "Conflict3", "Conflict4", "b.artefacts: Brutality")
    assert defending.told("result")[0]["margin"] == 2 and defending.knights("a") == 1, "4 - 1 - 2"


def test_greed_and_resurgence_draw_to_six() -> None:  # MM-ORB-3, MM-ORB-7
    hand, deck = "Conflict5, Conflict2, Conflict2, Fracture, CallToArms", "Ambush, Support1, Support2, Conflict3"
    text = f"a: knights=4\na.artefacts: Greed\na.hand: {hand}\na.deck: {deck}\nB1: Forest b 3\nb.hand: {HAND}"
    s = Scene(text).play("a: march target=B1 knights=4", "a: play card=Conflict5", "b: play card=Conflict2").until("late")
    assert s.sizes("a") == (6, 2, 1) and s.told("drew") == [{"seat": "a", "count": 2}]
    text = f"a: knights=2\na.artefacts: Resurgence\na.hand: {hand}\na.deck: {deck}\nB1: Forest b 5\nb.hand: {HAND}"
    s = Scene(text).play("a: march target=B1 knights=2", "a: play card=Conflict2", "b: play card=Conflict5").until("late")
    assert s.sizes("a") == (6, 2, 1)
    s = Scene(text.replace("Resurgence", "Greed")).play("a: march target=B1 knights=2", "a: play card=Conflict2")
    assert s.play("b: play card=Conflict5").until("late").sizes("a") == (4, 4, 1), "Greed is for the winner"


def test_preparation_and_cleansing_may_discard_a_card() -> None:  # MM-ORB-4, MM-ORB-5, MM-DEC-19
    text = "a.artefacts: Preparation\nb.artefacts: Cleansing"
    s = battle(text=text).play("a: play card=Conflict5", "b: play card=Conflict2", "b: pass", "a: pass", "a: pass", "b: pass")
    assert s.asked == ["a", "b"] and s.ask("a").rule == "MM-DEC-19" and s.ask("b").default == Answer("keep")
    s.play("b: discard card=Ambush", "a: discard card=Support1")
    assert s.stamps("a")[0] == ("Support1", 1) and s.stamps("b")[0] == ("Ambush", 1)
    assert [f["seat"] for f in s.told("discarded")] == ["a", "b"], "the attacker's first"
    lost = battle(send=1, there=6, text=text).play("a: play card=Conflict2", "b: play card=Conflict5").until("late")
    assert lost.told("kept_all") == [], "a has not won, b has not lost"


def test_devotion_brings_the_loser_a_knight() -> None:  # MM-ORB-6
    s = fight("Forest", 4, 3, "Conflict5", "Conflict2", "b.artefacts: Devotion\nb: knights=2")
    assert s.knights("b") == 3 and {"seat": "b", "count": 1, "lost": 0, "why": "orb"} in s.told("gained")
    assert "Devotion sent Lord B 1 knight." in s.heard(None)


def test_cards_in_play_are_nowhere_and_orbs_leave_the_margin_alone() -> None:  # MM-ORB-8
    s = battle(text="a.artefacts: Brutality", send=5, there=5).play("a: play card=Conflict5", "b: play card=Conflict3")
    s.play("b: pass", "a: pass")
    assert s.step == "fracture" and s.battle.margin == 2 and s.pile("a") == [] and len(s.hand("a")) == 6 and s.whole("a") == 18
    s.play("b: pass")
    assert s.told("result")[0]["margin"] == 2 and s.told("retreated") == [{"seat": "b", "lost": 2, "retreat": 2}], "5 - 1 - 2"


# --- steps 8 and 9 ----------------------------------------------------------------------------------------------------


def test_the_loser_loses_the_margin_there_and_no_more() -> None:  # MM-RET-1
    s = fight("Forest", 5, 1, "Conflict5", "Conflict2", "b: knights=4\nB2: Forest b 3")
    assert s.told("retreated") == [{"seat": "b", "lost": 1, "retreat": 0}], "a margin of 7, one knight there"
    assert s.knights("b") == 4 and s.land("B2") == "Forest b 3", "knights elsewhere are never touched"


def test_survivors_go_home_from_anywhere_and_the_winner_loses_nothing() -> None:  # MM-RET-2, MM-AMB-59
    s = fight("Forest", 4, 6, "Conflict5", "Conflict2", "b: knights=1")
    assert s.supplied("b") == set(), "B1 was far from b's castle, without supply"
    assert s.told("result")[0]["margin"] == 1 and s.knights("b") == 6 and s.land("B1") == "Forest a 4"


def test_lost_knights_go_to_the_reserve() -> None:  # MM-RET-3
    s = fight("Forest", 4, 3, "Conflict3", "Conflict4")
    lord = s.seen(None)["lords"][0]
    assert (lord["on_map"], lord["dice"], lord["reserve"]) == (3, 1, 9)


def test_an_attacker_who_wins_takes_the_ground() -> None:  # MM-BAT-17, MM-GEN-3
    s = fight("City", 5, 2, "Conflict5", "Conflict2", spare=1)
    assert s.land("B1") == "City a 5" and s.points("a") == 3 and s.knights("a") == 2, "1 left, and 1 by the City"
    kinds = s.kinds()
    assert kinds.index("retreated") < kinds.index("conquered") < kinds.index("gained")
    assert s.table.dispute is None


def test_a_defender_who_wins_has_conquered_nothing() -> None:  # MM-BAT-18, MM-GEN-3
    s = fight("City", 2, 5, "Conflict2", "Conflict5", "b: knights=0")
    assert s.land("B1") == "City b 5" and s.knights("b") == 0, "no ability"
    assert s.told("held") == [{"seat": "b", "slot": "B1"}] and "conquered" not in s.kinds()


def test_cards_in_play_go_to_their_owners_and_the_turn_goes_on() -> None:  # MM-BAT-19
    s = battle(text="turn: 9").play("a: play card=Conflict5", "b: play card=Conflict2")
    s.play("b: support cards=[Support2]", "a: pass", "b: pass")
    assert s.stamps("a") == [("Conflict5", 9)] and s.stamps("b") == [("Conflict2", 9), ("Support2", 9)]
    assert s.asked == ["a"] and s.step == "late"


@pytest.mark.parametrize(
    ("send", "there", "dice", "land", "points"),
    [(1, 3, (4, 4), "Arena b 2", (0, 2)), (1, 1, (3, 3), "Arena", (0, 0)), (4, 1, (5, 3), "Arena a 4", (2, 0))],
)
def test_the_arena_may_end_the_battle(  # MM-BAT-20, MM-AMB-20
    send: int, there: int, dice: tuple[int, int], land: str, points: tuple[int, int]
) -> None:
    text = "a.artefacts: Rage, Greed\nb.artefacts: Loyalty, Devotion"
    s = battle("Arena", send, there, text, a="CallToArms", chance={"arena": rolls(*dice)})
    assert s.land("B1") == land and (s.points("a"), s.points("b")) == points
    assert not {"drew", "no_fracture", "orb", "result", "conflict"} & set(s.kinds())
    assert s.step == "late" and s.hand("a") == ["CallToArms"], "the turn goes on"
    left = {"Arena b 2": [0, 2], "Arena": [0, 0], "Arena a 4": [4, 0]}[land]
    assert s.told("battle_stopped") == [{"attacker": "a", "defender": "b", "left": left}]


def test_what_is_told_of_the_scores_names_both_sides() -> None:  # MM-BAT-3, MM-BAT-9
    s = battle().play("a: play card=Conflict5", "b: play card=Conflict2")
    sides = {"attacker": "a", "defender": "b"}
    assert s.told("score") == [
        {"why": "territory", **sides, "scores": [4, 3]},
        {"why": "conflict", **sides, "scores": [9, 5]},
    ]


def test_the_turn_hears_how_the_battle_ended() -> None:  # MM-BAT-16
    won = battle().play("a: play card=Conflict5", "b: play card=Conflict2").until("late")
    lost = battle("Battlefield", 2, 8).play("a: play card=Conflict2", "b: play card=Conflict5").until("late")
    none = battle("Arena", 1, 1, chance={"arena": rolls(3, 3)}).until("late")
    assert [s.state.stack[-1].came for s in (won, lost, none)] == ["won", "lost", "stopped"]


def test_a_side_that_holds_nothing_fights_without_a_card() -> None:  # MM-BAT-9, MM-ASY-5
    s = battle(b="", text="b.deck: ").until("conflict")
    assert s.asked == ["a"]
    s.play("a: play card=Conflict5")
    assert s.told("conflict") == [{"seats": ["a", "b"], "cards": ["Conflict5", ""], "rolls": []}]


def test_in_older_games_fear_is_used_by_default_only_where_it_helps() -> None:  # MM-DEC-14, MM-ASY-4
    text = "rulings: MM-ASY-4=after\na.artefacts: Fear\nb.artefacts: Vigour"
    s = battle("Forest", 4, 3, text).until("match")
    assert sorted(s.asked) == ["a", "b"]
    assert [s.ask(x).default for x in "ab"] == [Answer("no"), Answer("yes")]
    assert [s.ask(x).rule for x in "ab"] == ["MM-DEC-14"] * 2


def test_what_a_battle_came_to_is_told_with_both_sides() -> None:  # MM-BAT-15, MM-HID-4
    s = battle().play("a: play card=Conflict5", "b: play card=Conflict2", "b: pass", "a: pass")
    assert s.told("result") == [
        {"winner": "a", "loser": "b", "margin": 4, "scores": [9, 5], "attacker": "a", "defender": "b"},
    ]


def test_an_orb_by_which_one_may_discard_is_told_by_what_is_discarded() -> None:  # MM-ORB-3, MM-DEC-19
    s = battle(text="a.artefacts: Preparation").play("a: play card=Conflict5", "b: play card=Conflict2").until("discard")
    assert s.step == "discard" and s.told("orb") == []


def test_a_place_that_nobody_holds_after_the_arena_is_as_if_nobody_ever_had() -> None:  # MM-BAT-20, MM-TER-5
    s = battle("Arena", 1, 1, chance={"arena": rolls(3, 3)})
    assert s.table.lands["B1"] == Land("Arena", "", 0)


def test_in_older_games_fear_is_asked_about_with_both_numbers() -> None:  # MM-DEC-14, MM-ASY-4
    s = battle(send=2, there=5, text="a.artefacts: Fear\nrulings: MM-ASY-4=after").play("b: pass")
    assert s.ask("a").about == {"artefact": "Fear", "own": "2", "other": "5", "rival": "b"}


def test_who_holds_no_conflict_card_says_so() -> None:  # MM-DEC-15, MM-BAT-9
    s = battle(b="Support1, Support2, CallToArms, TacticalAdvance, Fracture", text="b.deck: Authority")
    ask = s.ask("b")
    assert (ask.rule, ask.kind, [option.id for option in ask.options]) == ("MM-DEC-15", "conflict", ["none"])
