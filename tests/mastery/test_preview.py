"""What an answer will surely do, in words, before it counts; and that it comes so. Marches are in test_unit.py."""

from __future__ import annotations

from engine.core.asks import read
from engine.games import game_called
from tests.mastery.scene import NAMES, Scene, battle


def ahead(s: Scene, seat: str, answer: str) -> str:
    return game_called("mastery").face.preview(s.state, seat, read(answer), NAMES)


def test_what_is_played_in_the_own_turn_is_foretold_where_nobody_can_answer_it() -> None:  # MM-RES-1, MM-DIC-3, MM-FRA-1
    s = Scene("a: knights=6\na.hand: CallToArms, Fracture\nb.artefacts: Rage")
    assert ahead(s, "a", "call") == "In your castle: 8 knights."
    told = ahead(s, "a", "fracture artefact=Rage")
    assert told == "Lord B’s Sceptre of Rage is face down until the end of their next turn."
    s.play("a: fracture artefact=Rage").play("a: call")
    assert s.knights("a") == 8 and not s.lord("b").sceptre.up
    s.play("a: end")
    assert ahead(s, "b", "end") == "You won’t march this turn. Your turn is over; Sceptre of Rage can be used again."
    assert s.play("b: end").lord("b").sceptre.up
    full = Scene("a: knights=59\na.hand: CallToArms")
    assert ahead(full, "a", "call") == "In your castle: 60 knights. You have no die left for 1 knight more."
    full.play("a: call")
    assert full.knights("a") == 60
    late = Scene("a: knights=2\na.hand: CallToArms\nB1: Forest").play("a: march target=B1 knights=1")
    assert ahead(late, "a", "end") == "Your turn is over."


def test_only_what_leaves_out_the_march_waives_it() -> None:  # MM-DEC-3, 4
    s = Scene("a: knights=4\na.hand: CallToArms\nB2: Forest\nB1: Forest a 1")

    def waived(line: str) -> bool:
        return game_called("mastery").face.waives(s.state, "a", read(line))

    lines = ("end", "march", "march target=B2 knights=1", "march in_b1=2", "call")
    assert [waived(line) for line in lines] == [True, True, False, False, False]
    s.play("a: march target=B2 knights=1")
    assert s.state.stack[-1].step == "late" and not waived("end")


def test_a_crown_is_foretold_with_what_may_still_break_it() -> None:  # MM-CRN-1, 2
    s = Scene("a: knights=2\na.artefacts: Insight")
    assert ahead(s, "a", "crown") == (
        "Once on your turn: look at the top four cards of your deck and put them in order. "
        "A Fracture may break it before it works; either way you can’t use it again this turn."
    )


def test_what_is_decided_of_a_crown_that_works_is_foretold() -> None:  # MM-DEC-8, 9, 10, 11
    s = Scene("a: knights=2\na.artefacts: Insight\na.deck: Ambush, Conflict3\na.hand: Conflict2").play("a: crown")
    assert ahead(s, "a", "arrange cards=[Ambush,Conflict3]") == "From the top: Ambush, Conflict 3."
    s = Scene("a: knights=2\na.artefacts: Prosperity\nb.deck: Ambush, Conflict3\na.hand: Conflict2").play("a: crown lord=b")
    top = s.lord("b").deck[-1]
    called = {"Ambush": "Ambush", "Conflict3": "Conflict 3"}[top]
    assert ahead(s, "a", "leave") == f"{called} stays on top of Lord B’s deck, and you know it."
    assert ahead(s, "a", "remove") == f"{called} goes face up to Lord B’s discard pile."
    s = Scene("a: knights=2\na.artefacts: Fury\na.hand: Conflict2, Ambush").play("a: crown")
    assert ahead(s, "a", "keep") == "You keep 2 cards."
    assert ahead(s, "a", "discard card=Ambush") == "Ambush goes face up to your discard pile; you keep 1 card."
    s = Scene("a: knights=3\na.artefacts: Vitality\na.hand: Conflict2\nB1: Forest a 2").play("a: crown")
    assert ahead(s, "a", "keep") == "All knights stay where they are."
    assert ahead(s, "a", "redistribute in_b1=1") == "In your castle: 4 knights."


def test_a_plan_is_foretold_as_far_as_the_own_hand_goes() -> None:  # MM-FRA-11, MM-DEC-14
    s = Scene("a: knights=2\na.artefacts: Fury\na.hand: Conflict2\nb.hand: Conflict2\nc.hand: Fracture", "a b c").play(
        "a: crown"
    )
    assert ahead(s, "b", "pass") == ahead(s, "c", "pass") == "You break nothing."
    assert ahead(s, "b", "plan first=Fury") == "You hold no Fracture: you break nothing, and nobody learns it."
    assert ahead(s, "c", "plan first=Fury") == "", "somebody may be before him"
    s = battle(send=2, there=5, text="a.artefacts: Fear")
    while "yes" not in s.options():
        s.play("b: pass")
    assert ahead(s, "a", "yes") == "You fight as 5, unless a Fracture breaks the sceptre."
    assert ahead(s, "a", "no") == "You fight as 2."


def test_the_own_card_of_a_conflict_is_foretold_and_the_other_is_not() -> None:  # MM-BAT-9, 10
    s = battle(send=4, there=3, a="Conflict5, Ambush, Support1", b="Conflict2, Conflict3")
    assert ahead(s, "a", "play card=Conflict5") == "Then you have 9, against 3 and Lord B’s card."
    assert ahead(s, "a", "play card=Ambush") == "The die brings you to 5 to 10, against 3 and Lord B’s card."


def test_a_pass_says_whether_the_battle_ends_by_it() -> None:  # MM-BAT-14, 15
    s = battle(send=4, there=3, a="Conflict2, Support1", b="Conflict5, Support2, Support1")
    s.play("a: play card=Conflict2", "b: play card=Conflict5")
    assert s.scores == (6, 8) and s.asked == ["a"]
    assert ahead(s, "a", "pass") == "Lord B may play next; if nobody does, it ends 6 to 8, attacker first."
    s.play("a: support cards=Support1", "b: pass")
    assert ahead(s, "a", "pass") == "It ends 7 to 8, attacker first: Lord B wins by 1."
    s.play("a: pass")
    assert s.told("result")[0]["margin"] == 1
