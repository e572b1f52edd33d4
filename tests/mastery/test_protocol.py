"""The asynchronous protocol: asks, rounds, deadlines, chance (MM-ASY, MM-DEC, MM-RND-1, 3)."""

from __future__ import annotations

import random

import pytest

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.asks import Answer, NotLegal, Refused, read, write
from engine.core.chance import Chance
from engine.games import game_called
from engine.play import orders
from engine.play.match import Entry, apply
from tests.contract.walk import fresh
from tests.mastery.scene import HAND, NAMES, Scene, battle, rolls

GAME = game_called("mastery")
AT = "2026-01-01T00:00:00Z"


def test_an_answer_to_an_ask_that_is_over_is_refused() -> None:  # MM-ASY-1
    match = fresh(GAME, 2, 1)
    serial, seat = match.state.serial, match.state.waiting[0]
    match.play(seat, Answer("end"), AT, "web")
    assert match.state.serial == serial + 1, "every ask has a number of its own"
    other = match.state.waiting[0]
    stale = Entry(len(match.entries) + 1, AT, other, "early", serial, "", "", "", match.head, "", "end", "web")
    before = GAME.rules.encode(match.state)
    with pytest.raises(NotLegal) as refusal:
        apply(match, stale)
    assert str(refusal.value) == f"Entry 2 answers “early” no. {serial}, which was not open then."
    with pytest.raises(Refused, match="There is no question for you right now"):
        procedure.vet(match.state, seat, Answer("end"))
    assert GAME.rules.encode(match.state) == before


def test_one_order_may_carry_a_whole_turn_and_halts_where_it_cannot_go_on() -> None:  # MM-ASY-2
    s = Scene("a: knights=3\na.hand: CallToArms, TacticalAdvance, Conflict2\nB1: Village")
    wish = {"STO-8": "on steps=[(deed=call),(deed=march,slot=B1,knights=k2),(deed=tactical,slot=B2,knights=all)]"}
    played = follow(s, "a", wish)
    assert played == ["call", "march", "tactical", "end"]
    assert (s.land("B1"), s.land("B2"), s.knights("a")) == ("Village a 2", "Forest a 4", 0)
    halted = Scene("a: knights=3\na.hand: CallToArms, Conflict2\nB1: Village")
    assert follow(halted, "a", wish) == ["call", "march"], "no Tactical Advance in hand: it asks"
    assert halted.asked == ["a"] and halted.step == "late"


def follow(s: Scene, seat: str, wish: dict[str, str]) -> list[str]:
    """Let a seat's orders answer as long as they do, in its own turn; what they did."""
    kept, deeds = dict(wish), []
    while s.asked == [seat]:
        answer = orders.answer(GAME, s.state, seat, kept, Chance("x"))
        if answer is None:
            break
        kind = s.step
        s.events = procedure.play(s.state, seat, answer)
        s.log += s.events
        deeds.append(answer.option)
        kept = GAME.orders.after(s.state, seat, [f"{kind}:{write(answer)}"], kept)
    return deeds


def test_what_is_lodged_ahead_is_used_only_where_it_is_legal() -> None:  # MM-ASY-3
    listed = "[Conflict5,Ambush,Conflict4,Conflict3,Conflict2]"
    order = {"STO-2": "on when=[defend] " + " ".join(f"{x}={listed}" for x in ("attack", "defend", "attack_3", "defend_3"))}
    s = battle(b="Conflict2, Conflict3, Support1, Support1, CallToArms")
    assert orders.answer(GAME, s.state, "b", order, Chance("x")) == Answer("play", {"card": "Conflict3"}), "the first held"
    assert orders.answer(GAME, s.state, "a", order, Chance("x")) is None, "not for attacking: ask"
    assert s.ask("a").default == Answer("play", {"card": "Conflict5"}), "and at last the default"
    gone = Scene("a: knights=3\nB1: Village b 1")
    wish = {"STO-8": "on steps=[(deed=march,slot=E1,knights=k2)]"}
    assert orders.answer(GAME, gone.state, "a", wish, Chance("x")) is None, "out of reach: not legal, so ask"


def test_in_games_begun_before_fear_and_vigour_have_a_round_of_their_own() -> None:  # MM-ASY-4
    text = "rulings: MM-ASY-4=after\na.artefacts: Fear, Preparation\nb.artefacts: Vigour, Cleansing"
    s = battle("Ruins", 3, 4, text, seats="a b")
    assert s.step == "fracture" and set(s.fields("plan", "a")) == {"first"}
    s.default("a", "b")
    assert s.step == "match" and s.asked == ["a", "b"] and s.ask("a").default == Answer("yes")
    assert s.play("a: no", "b: no").scores == (3, 4) and not s.told("matched"), "who says no is no match"
    told = [(f["seat"], f["base"]) for f in s.told("not_matched")]
    assert told == [("a", 3), ("b", 4)]
    one = battle("Ruins", 3, 4, text, seats="a b").default("a", "b").play("a: yes", "b: no")
    assert one.scores == (4, 4) and [f["seat"] for f in one.told("matched")] == ["a"]


def test_fear_and_vigour_are_decided_in_one_round_with_the_fractures() -> None:  # MM-ASY-4, MM-DEC-14
    text = "a.artefacts: Fear\nb.artefacts: Vigour\nc.hand: Conflict2"
    s = battle("Forest", 3, 5, text, a=HAND + ", Fracture", seats="a b c")
    assert s.asked == ["a", "b", "c"] and s.ids("pass", "match", "a") == {"yes", "no"}
    assert s.fields("pass", "c") == {} and set(s.fields("plan", "b")) == {"first", "without_vigour", "match"}
    assert GAME.words.labels.field(s.ask("a"), "pass", "match", NAMES) == "Sceptre of Fear: fight as 5, not 3"
    assert GAME.words.labels.open(s.ask("a"), "pass", "match", NAMES) == "Yes"
    s.play("a: plan first=Vigour match=no", "b: pass match=yes", "c: pass")
    assert s.step == "conflict" and s.scores == (3, 5) and s.down("Vigour") == 1
    assert [e.kind for e in s.log if "match" in e.kind] == ["not_matched"], "of what is broken nothing is told"
    usual = battle("Forest", 3, 5, text, seats="a b c").play("a: pass", "b: pass", "c: pass")
    assert usual.scores == (5, 5), "left open: where it raises the own score"
    alone = battle("Forest", 3, 5, "a.artefacts: Fear\nb.discard: Fracture@0\nc.hand: ", seats="a b c")
    assert alone.asked == ["a"] and alone.options("a") == {"yes", "no"} and alone.ask("a").default == Answer("yes")
    assert GAME.words.labels.title(alone.ask("a"), NAMES) == "Sceptre of Fear: fight as 5, not 3?"
    alone.play("a: no")
    assert alone.scores == (3, 5) and "no_fracture" not in alone.kinds()
    assert alone.told("nobody_could") == [{"what": "sceptre"}]


def test_where_a_sceptre_can_make_no_difference_nobody_is_asked_and_it_is_said() -> None:  # MM-DEC-14
    s = battle("Forest", 4, 4, "a.artefacts: Fear\nb.discard: Fracture@0")
    assert s.step == "conflict" and "not_matched" not in s.kinds()
    assert "Lord A’s Sceptre of Fear made no difference." in s.heard(None)


def test_the_rounds_of_a_battle() -> None:  # MM-ASY-4
    text = "a.artefacts: Fear, Preparation\nb.artefacts: Loyalty, Cleansing\nc.hand: Conflict2"
    s = battle("Ruins", 3, 4, text, seats="a b c")
    rounds = []
    while s.step not in ("late", "early"):
        rounds.append((s.step, list(s.asked)))
        s.default(*s.asked)
    assert rounds == [
        ("fracture", ["a", "b", "c"]),
        ("conflict", ["a", "b"]),
        *(("support", ["a"]), ("support", ["b"])),
        ("fracture", ["a", "b", "c"]),
    ], "b has won, by Loyalty: neither orb applies, nothing is conquered"
    s = battle("Ruins", 6, 4, text, seats="a b c").until("conflict").play("a: play card=Conflict5", "b: play card=Conflict2")
    rounds = []
    while s.step not in ("late", "early"):
        rounds.append((s.step, list(s.asked)))
        s.default(*s.asked)
    assert rounds[-2:] == [("discard", ["a", "b"]), ("discard", ["a"])], "orbs, then the Ruins"


def test_waiting_depends_on_public_facts_only() -> None:  # MM-ASY-5
    bare = battle(b="Support1, Support1, Support2, Support2, CallToArms")
    assert bare.asked == ["a", "b"], "b holds no conflict card and is waited for all the same"
    conflicts = ", ".join(f"{c}@0, {c}@0" for c in ("Conflict2", "Conflict3", "Conflict4", "Conflict5", "Ambush"))
    spent = battle(b="Support1, Support1, Support2, Support2, CallToArms", text=f"b.discard: {conflicts}")
    assert spent.asked == ["a"], "all ten lie face up before him"
    assert battle(b="", text="b.deck: \nb.discard: ").asked == ["a"], "no hand"
    s = battle(b="Conflict2, Conflict3, Conflict4, Conflict5, Ambush").play("a: play card=Conflict5", "b: play card=Conflict2")
    assert s.asked == ["b"] and s.options() == {"pass"}, "asked for support though he holds none"
    supports = "b.discard: Support1@0, Support1@0, Support2@0, Support2@0"
    s = battle(b="Conflict2, Conflict3, Conflict4, Conflict5, Ambush", text=supports)
    assert s.play("a: play card=Conflict5", "b: play card=Conflict2").asked == ["a"], "all can see that there is none"


def test_the_late_window_is_asked_by_public_facts_too() -> None:  # MM-ASY-5, MM-DEC-4
    cards = "CallToArms@0, TacticalAdvance@0, Fracture@0"
    s = Scene(f"a.hand: Conflict2\na.discard: {cards}").play("a: march")
    assert s.table.active == "b", "every card that could be played lies open"
    s = Scene("a.hand: Conflict2\na.discard: CallToArms@0, TacticalAdvance@0").play("a: march")
    assert s.step == "late" and s.options() == {"end"}, "the Fracture might be in hand"
    s = Scene(f"a.hand: Conflict2\na.artefacts: Fury\na.discard: {cards}").play("a: march")
    assert s.step == "late" and s.options() == {"crown", "end"}


def test_a_deadline_plays_the_default_and_hides_it_where_answers_are_hidden() -> None:  # MM-ASY-6
    match = fresh(GAME, 2, 2)
    seat = match.state.waiting[0]
    match.play(seat, procedure.ask_of(match.state, seat).default, AT, "clock", "default")
    assert match.entries[-1].mark == "default", "the log says so for the steps of the own turn"
    for kind, answer, shown in (
        ("early", "end", True),
        ("late", "end", True),
        ("support", "pass", True),
        ("match", "yes", True),
        ("discard", "keep", True),
        ("verdict", "leave", True),
        ("verdict", "remove", True),
        ("redistribute", "keep", True),
        ("fracture", "pass", False),
        ("conflict", "play card=Conflict5", False),
        ("arrange", "arrange", False),
    ):
        assert GAME.rules.audience(kind, seat, read(answer)) == (None if shown else (seat,)), kind


def test_a_seat_that_answers_all_by_default_keeps_its_position() -> None:  # MM-ASY-7, MM-AMB-57
    s = Scene("a: knights=2\na.hand: CallToArms, Fracture, Ambush\na.artefacts: Fury, Rage@0\nB1: City a 2\nb.artefacts: Order")
    for _ in range(3):
        while s.asked == ["a"]:
            s.default()
        s.play("b: end")
    assert s.knights("a") == 2 + 9 and s.land("B1") == "City a 2" and len(s.hand("a")) == 3 and s.pile("a") == []
    assert s.up("Rage") and s.up("Order")
    away = {"STO-11": "on turns=t10"}
    assert orders.answer(GAME, s.state, "a", away, Chance("x")) == Answer("end")


# --- decisions --------------------------------------------------------------------------------------------------------


def test_windows_default_to_going_on() -> None:  # MM-DEC-3, MM-DEC-4
    s = Scene("a.hand: CallToArms, TacticalAdvance, Fracture\na.artefacts: Fury\nb.artefacts: Rage")
    assert s.ask().default == Answer("end")
    s.play("a: march")
    assert s.ask().default == Answer("end")
    s.default()
    assert s.hand("a") == ["CallToArms", "Fracture", "TacticalAdvance"] and s.up("Rage") and s.up("Fury")


def test_own_turn_fractures_and_crowns_are_parts_of_a_window() -> None:  # MM-DEC-5, MM-DEC-6
    s = Scene("a.hand: Fracture\na.artefacts: Corruption\nb.artefacts: Rage, Greed@0")
    assert {o: set(s.fields(o)) for o in ("fracture", "crown")} == {"fracture": {"artefact"}, "crown": {"artefact"}}
    assert s.refused("a: fracture") == "“artefact” needs a choice. Open to you: Rage."
    assert s.refused("a: crown artefact=Greed") == "“artefact” can't be “Greed”. Open to you: Corruption, Rage."


def test_a_unit_is_asked_for_with_the_turn_and_defaults_to_none() -> None:  # MM-DEC-11, MM-DEC-12
    s = Scene("a: knights=5\nB1: Forest a 3\na.hand: CallToArms").play("a: march")
    assert (s.knights("a"), s.land("B1")) == (5, "Forest a 3") and "redistributed" not in s.kinds()


@pytest.mark.parametrize(
    ("hand", "card"),
    [
        ("Conflict2, Conflict3, Ambush, Support1, Support1", "Ambush"),
        ("Conflict4, Ambush, Support1, Support1, Support2", "Conflict4"),
        (HAND, "Conflict5"),
        ("Conflict2, Conflict3, Support1, Support2, Support2", "Conflict3"),
        ("Conflict2, Support1, Support1, Support2, Support2", "Conflict2"),
    ],
)
def test_the_default_conflict_card_is_the_first_of_5_4_ambush_3_2(hand: str, card: str) -> None:  # MM-DEC-15
    s = battle(b=hand)
    assert s.ask("b").default == Answer("play", {"card": card})
    assert s.ids("play", "card", "b") == {c for c in hand.split(", ") if not c.startswith("Support")}


def test_defaults_spend_no_card_and_use_no_crown() -> None:  # MM-DEC-7, MM-DEC-13, MM-DEC-16 to 20
    text = "a.artefacts: Rage, Preparation\nb.artefacts: Loyalty, Cleansing\n"
    s = battle("Ruins", 6, 2, text, a=HAND + ", Fracture", b=HAND + ", Fracture").until("late")
    assert s.pile("a") == ["Conflict5"] and s.pile("b") == ["Conflict5"], (
        "the conflict cards that rules force, and nothing else"
    )
    assert s.told("support_passed") and s.told("kept_all") and s.told("fractured") == []


def test_standing_orders_may_change_at_any_time_and_hold_for_asks_to_come() -> None:  # MM-DEC-21
    s = battle(text="a.artefacts: Rage")
    before = GAME.rules.encode(s.state)
    text = orders.check(GAME, s.state, "b", "STO-1-sceptre", read("pass"))
    assert GAME.rules.encode(s.state) == before and s.asked == ["b"], "no move, no event, nothing in the position"
    assert orders.answer(GAME, s.state, "b", {"STO-1-sceptre": text}, Chance("x")) == Answer("pass")


def test_nothing_else_is_ever_decided() -> None:  # MM-DEC-21, MM-GEN-6
    made = {"early", "late", "fracture", "arrange", "verdict", "discard", "redistribute", "match", "conflict", "support"}
    asked = set()
    for seed in range(6):
        match = fresh(GAME, 3, seed)
        rng = random.Random(seed)
        for _ in range(400):
            if not match.state.waiting:
                break
            seat = match.state.waiting[0]
            asked.add(procedure.ask_of(match.state, seat).kind)
            procedure.play(match.state, seat, legal_at_random(match.state, seat, rng))
    assert asked <= made and {"early", "fracture", "conflict", "support"} <= asked


# --- chance -----------------------------------------------------------------------------------------------------------


def test_chance_is_drawn_when_an_event_resolves_not_when_an_answer_comes() -> None:  # MM-RND-1
    def course(*first: str) -> tuple[bytes, dict[str, int]]:
        s = battle(
            text="a.artefacts: Influence\nb.artefacts: Defiance\nc.hand: Conflict2\nd.hand: Ambush", seats="a b c d", slot="C1"
        )
        drawn = dict(s.table.chance.drawn)
        s.play(*first[:-1])
        assert s.table.chance.drawn == drawn, "nothing while one answer is out"
        s.play(first[-1])
        s.play(
            *(
                ("a: play card=Ambush", "b: play card=Ambush")
                if first[0] < "c"
                else ("b: play card=Ambush", "a: play card=Ambush")
            )
        )
        return GAME.rules.encode(s.state), s.table.chance.drawn

    one = course("a: pass", "b: pass", "c: pass", "d: pass")
    two = course("d: pass", "c: pass", "b: pass", "a: pass")
    assert one == two and one[1] == {"random-discard": 2, "ambush": 2}


def test_the_attacker_draws_before_the_defender() -> None:  # MM-RND-3
    s = battle("Arena", 4, 4, chance={"arena": rolls(6, 1), "ambush": rolls(5, 2)}).play(
        "b: play card=Ambush", "a: play card=Ambush"
    )
    assert s.told("arena")[0]["rolls"] == [6, 1] and s.told("conflict")[0]["rolls"] == [["a", 5], ["b", 2]]
    empty = "a.deck: \na.discard: Support1@0, Support1@0\nb.deck: \nb.discard: Support2@0, Support2@0"
    s = battle(a="Conflict2, Conflict3, Conflict4", b="Conflict2, Conflict3, Conflict4", text=empty)
    assert [f["seat"] for f in s.told("reshuffled")] == ["a", "b"]
    s = battle(text="options: mayhem", chance={"mayhem": rolls(1, 2, 3, 4)}).play(
        "a: play card=Conflict5", "b: play card=Conflict2"
    )
    assert s.until("late").told("mayhem")[0]["rolls"] == [1, 2, 3, 4], "from left to right"
