"""Hidden information: what each may see of hands, decks, choices and looks (MM-HID)."""

from __future__ import annotations

import json
from typing import Any

from engine.core import procedure
from engine.core.asks import Answer, read
from engine.core.chance import Chance
from engine.games import game_called
from engine.mastery.face.view import STEPS
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.pieces import TEXT
from tests.mastery.scene import HAND, NAMES, Scene, battle, rolls

GAME = game_called("mastery")


def lord_seen(s: Scene, reader: str | None, seat: str) -> dict[str, Any]:
    found: dict[str, Any] = next(x for x in s.seen(reader)["lords"] if x["seat"] == seat)
    return found


def test_a_hand_is_its_owners_and_its_size_is_public() -> None:  # MM-HID-1, MM-AMB-48
    s = Scene("a.hand: Conflict5, Fracture, Ambush\nb.hand: Support2, CallToArms")
    assert s.seen("a")["own"]["hand"] == ["Ambush", "Conflict5", "Fracture"]
    for reader in ("a", "b", None):
        assert lord_seen(s, reader, "a")["hand"] == 3 and lord_seen(s, reader, "b")["hand"] == 2
    for reader in ("b", None):
        assert "Fracture" not in json.dumps(s.seen(reader)) and "own" not in s.seen(None)
    assert "a.hand: ?3" in GAME.rules.notation.seen(
        s.state, "b"
    ) and "a.hand: Ambush, Conflict5, Fracture" in GAME.rules.notation.seen(s.state, "a")


def test_of_a_deck_the_size_is_public_and_the_order_nobodys() -> None:  # MM-HID-2, MM-AMB-48
    s = Scene("a.deck: Conflict5, Ambush, Support1")
    for reader in ("a", "b", None):
        assert lord_seen(s, reader, "a")["deck"] == 3
        assert "a.deck: ?3" in GAME.rules.notation.seen(s.state, reader)
        assert "Ambush" not in json.dumps(s.seen(reader))


def test_piles_and_cards_in_play_are_public_with_their_stamps() -> None:  # MM-HID-3, MM-AMB-47
    s = battle(text="a.discard: Ambush@0, CallToArms@0\nturn: 3").play("a: play card=Conflict5", "b: play card=Conflict2")
    for reader in ("a", "b", None):
        assert lord_seen(s, reader, "a")["discard"] == [{"card": "Ambush", "turn": 0}, {"card": "CallToArms", "turn": 0}]
        assert s.seen(reader)["doing"][-1]["in_play"] == {"a": ["Conflict5"], "b": ["Conflict2"]}
    assert "a.discard: Ambush@0, CallToArms@0" in GAME.rules.notation.seen(s.state, "b")


def test_the_map_is_public_with_all_that_follows_from_it() -> None:  # MM-HID-4
    zones = "a: knights=7\na.artefacts: Fury, Rage@3, Greed\nB1: City a 2\nD2: Fort a 1\ncrown: used"
    s = Scene(zones)
    for reader in ("a", "b", None):
        assert s.seen(reader)["order"] == ["a", "b"]
        seen = lord_seen(s, reader, "a")
        assert (seen["team"], seen["team_points"]) == (["a"], 5)
        assert (seen["knights"], seen["on_map"], seen["points"], seen["dice"], seen["reserve"]) == (7, 10, 5, 4, 6)
        assert (seen["lands"], seen["unsupplied"]) == (["B1", "D2"], []), "D2 by the lake C2"
        assert [(a["name"], a["up"], a["down"]) for a in seen["artefacts"]] == [
            *(("Fury", True, None), ("Rage", False, 3), ("Greed", True, None)),
        ]
        assert s.seen(reader)["crown_used"] is True and s.seen(reader)["target"] == 13
    cut = lord_seen(Scene("D2: Fort a 1"), None, "a")
    assert cut["unsupplied"] == ["D2"]


def test_knights_that_attack_are_on_the_map() -> None:  # MM-HID-4, MM-BAT-1
    s = battle(send=4, there=3, spare=2)
    assert s.table.dispute is not None
    assert (lord_seen(s, None, "a")["on_map"], lord_seen(s, None, "b")["on_map"]) == (6, 3)


def test_of_drawn_cards_others_learn_the_number_and_authority_when_it_is_played() -> None:  # MM-HID-5
    zones = f"a: knights=4\nB1: Forest b 3\nb.hand: {HAND}\na.hand: Conflict2, Conflict3\n"
    s = Scene(zones + "a.deck: Authority, Ambush, Support1, Conflict4, Conflict5").play("a: march target=B1 knights=4")
    assert [line for line in s.heard("b") if "drew" in line or "Authority" in line] == [
        *("Lord A drew 3 cards.", "Lord A showed Authority for 2 cards more.", "Lord A drew 2 cards."),
    ]
    assert "Lord A drew Ambush, Authority and Support +1." in s.heard("a") and "Lord A drew 3 cards." not in s.heard("a")


def test_a_conflict_choice_is_secret_until_the_reveal() -> None:  # MM-HID-6
    s = battle().play("a: play card=Conflict5")
    for reader in ("b", None):
        assert s.seen(reader) == battle().seen(reader), "nor that a has chosen"
    s.play("b: play card=Conflict4")
    assert "Lord A showed Conflict 5, Lord B Conflict 4." in s.heard(None)
    assert GAME.rules.audience("conflict", "a", read("play card=Conflict5")) == ("a",)


def test_of_insight_others_learn_that_it_happened() -> None:  # MM-HID-7
    zones = "a.artefacts: Insight\na.hand: Conflict2\na.deck: Ambush, Conflict3\na.discard: Support1@0, Support2@0"
    s = Scene(zones).play("a: crown")
    said = "Lord A looked at the top 4 cards of their deck. The shuffled discard pile went under the deck first."
    assert said in s.heard("b") and said not in s.heard("a")
    assert any(line.startswith("Lord A looked at Ambush, Conflict 3, ") for line in s.heard("a"))
    order = ",".join(reversed(s.ask("a").default.some("cards")))
    s.play(f"a: arrange cards=[{order}]")
    assert s.seen("a")["own"]["known"] == {"a": order.split(",")}
    assert s.events[-1].facts == {"seat": "a"} and "Lord A put the cards back on top in their own order." in s.heard("b")
    assert s.seen("b")["own"]["known"] == {} and GAME.rules.audience("arrange", "a", read("arrange")) == ("a",)


def test_what_prosperity_sees_is_its_users_alone() -> None:  # MM-HID-8
    zones = "a.artefacts: Prosperity\na.hand: Conflict2\nb.deck: Conflict5, Ambush\nc.hand: "
    s = Scene(zones, "a b c").play("a: crown lord=b")
    assert "Lord B’s top card was Conflict 5." in s.heard("a")
    for reader in ("b", "c", None):
        assert "Lord A looked at Lord B’s top card." in s.heard(reader)
        assert "Conflict 5" not in " ".join(s.heard(reader)) and "Conflict5" not in json.dumps(s.seen(reader))
    s.play("a: leave")
    assert s.seen("a")["own"]["known"] == {"b": ["Conflict5"]} and s.seen("b")["own"]["known"] == {}
    gone = Scene(zones, "a b c").play("a: crown lord=b", "a: remove")
    assert "Lord A discarded Lord B’s top card, Conflict 5." in gone.heard("c")


def test_every_discard_is_shown() -> None:  # MM-HID-9
    s = Scene("a.artefacts: Fury\na.hand: Conflict2, Ambush").play("a: crown", "a: discard card=Ambush")
    assert "Lord A discarded Ambush." in s.heard("b")
    s = battle(text="a.artefacts: Influence", chance={"random-discard": ["0"]}).play("b: pass")
    assert "Lord B lost Ambush, picked at random." in s.heard(None)


def test_plans_and_who_has_answered_are_nobodys_business() -> None:  # MM-HID-10
    zones = "c.hand: Conflict2\nd.hand: Fracture\na.artefacts: Rage"
    before = battle(text=zones, seats="a b c d", slot="C1")
    s = battle(text=zones, seats="a b c d", slot="C1").play("d: plan first=Rage", "b: pass")
    for reader in ("a", "b", "c", None):
        assert s.seen(reader) == before.seen(reader)
        assert GAME.rules.notation.seen(s.state, reader) == GAME.rules.notation.seen(before.state, reader)
    dealt = GAME.rules.redeal(s.state, "c", Chance("other"))
    assert dealt.waiting == ["b", "c", "d"] and dealt.sealed == {}, "for c nobody has answered"
    for answer in ("pass", "plan first=Rage"):
        assert GAME.rules.audience("fracture", "b", read(answer)) == ("b",)
    assert "asked" not in GAME.rules.notation.seen(s.state, "c")


def test_dice_are_for_all_to_see() -> None:  # MM-HID-11
    s = battle("Arena", 3, 3, chance={"arena": rolls(2, 5), "ambush": rolls(4)}).play(
        "a: play card=Ambush", "b: play card=Conflict2"
    )
    for reader in ("a", "b", None):
        told = s.heard(reader)
        assert "In the Arena Lord A rolled 2, Lord B 5; Lord A lost a knight." in told
        assert "Lord A showed Ambush (4), Lord B Conflict 2." in told
    assert all(GAME.words.tell(e, NAMES, None) for e in s.log)


PEEK = """
a.artefacts: Prosperity
a.hand: Conflict2, Conflict3
b.artefacts: Insight
b.deck: Conflict5, Ambush, Support1, Support2, Conflict4
"""


def peeked(text: str = "", artefact: str = "Insight") -> Scene:
    """Lord a has seen the top card of b's deck, and it is b's turn."""
    s = Scene(PEEK.replace("Insight", artefact) + "b.hand: Conflict2\n" + text)
    s.play("a: crown lord=b", "b: pass", "a: leave", "a: end")
    assert s.seen("a")["own"]["known"] == {"b": ["Conflict5"]}
    return s


def test_what_is_known_of_a_deck_is_kept_until_it_may_be_otherwise() -> None:  # MM-HID-12
    # Until somebody else looks at it by Insight: the order may have changed, and no view tells whether it did.
    changed, same = peeked().play("b: crown", "a: pass"), peeked().play("b: crown", "a: pass")
    changed.play("b: arrange cards=[Ambush,Conflict5,Support1,Support2]")
    same.play("b: arrange")
    for s in (changed, same):
        assert s.seen("a")["own"]["known"] == {}
        s.play("b: end")
        assert s.table.active == "a"
    assert changed.seen("a") == same.seen("a")
    assert changed.seen("b")["own"]["known"] == {"b": ["Ambush", "Conflict5", "Support1", "Support2"]}
    # Until the card is drawn.
    s = peeked("b: knights=3\nD1: Forest a 1\na: knights=9")
    s.play("b: march target=D1 knights=3")
    assert s.seen("a")["own"]["known"] == {}
    # Until it is discarded.
    twice = peeked().play("b: end", "a: crown lord=b", "b: pass", "a: remove")
    assert twice.pile("b") == ["Conflict5"] and twice.seen("a")["own"]["known"] == {}
    # Until the deck is shuffled.
    s = peeked("b.discard: CallToArms@0", "Order").play("b: crown card=CallToArms", "a: pass")
    assert s.seen("a")["own"]["known"] == {} and len(s.deck("b")) == 6


def test_one_who_knows_a_top_card_finds_it_in_every_guess_at_the_position() -> None:  # MM-HID-12
    s = peeked()
    tops = {GAME.rules.redeal(s.state, "a", Chance(f"guess {i}")).table.lords["b"].deck[-1] for i in range(8)}
    assert tops == {"Conflict5"}
    others = {GAME.rules.redeal(s.state, None, Chance(f"guess {i}")).table.lords["b"].deck[-1] for i in range(12)}
    assert len(others) > 1


def test_a_card_whose_effect_goes_on_lies_open_for_all() -> None:  # MM-HID-3
    s = Scene(f"a: knights=4\nb.hand: {HAND}\na.hand: {HAND}, TacticalAdvance\nB1: Forest b 3")
    s.play("a: tactical target=B1 knights=4")
    for i in range(6):
        dealt = GAME.rules.redeal(s.state, "b", Chance(f"guess {i}")).table.lords["a"]
        assert "TacticalAdvance" not in [*dealt.hand, *dealt.deck], "its only copy has been shown"
    procedure.play(s.state, "a", read("play card=Conflict5"))


def test_a_battle_under_way_says_which_of_its_nine_steps_it_is_at() -> None:  # MM-BAT
    s = battle()
    assert s.seen(None)["doing"][-1]["number"] == 4
    s.play("a: play card=Conflict5", "b: play card=Conflict2")
    assert s.step == "support" and s.seen("b")["doing"][-1]["number"] == 5


def test_every_step_of_a_battle_has_its_number() -> None:
    assert STEPS.keys() == Battle.steps.keys() and set(STEPS.values()) == set(range(1, 10))


def place(s: Scene, label: str) -> dict[str, Any]:
    found: dict[str, Any] = next(x for x in s.seen(None)["map"] if x["slot"] == label)
    return found


def test_a_place_is_shown_with_all_that_lies_there() -> None:  # MM-HID-4
    s = battle("Grasslands", text="a.artefacts: Fury, Rage, Greed\nb.artefacts: Influence, Brutality, Corruption", spare=2)
    on_the_way = {"attacker": "a", "knights": 4}
    assert place(s, "A2") == {
        **{"slot": "A2", "q": 1, "r": -2, "kind": "castle", "holder": "a", "knights": 2, "castle": s.lord("a").castle},
    }
    assert place(s, "B1") == {
        **{"slot": "B1", "q": 0, "r": -1, "kind": "territory", "tile": "Grasslands", "value": 1, "capacity": 6},
        **{"abilities": ["ATTACKER_PLUS_1"], "holder": "b", "knights": 3, "supplied": False, "dispute": on_the_way},
    }
    assert place(s, "C1") == {
        **{"slot": "C1", "q": -1, "r": 0, "kind": "territory", "tile": "Forest", "value": 1, "capacity": 6},
        **{"abilities": [], "holder": None, "knights": 0, "supplied": False},
    }
    assert place(s, "C2") == {"slot": "C2", "q": 0, "r": 0, "kind": "lake"}
    assert place(Scene("B1: Fort a 2"), "B1")["supplied"] is True


def test_an_artefact_is_shown_with_what_it_does_and_when() -> None:  # MM-HID-4, MM-CMP-8
    seen = lord_seen(Scene("a.artefacts: Fury, Rage@3, Greed"), "b", "a")["artefacts"]
    assert seen[:2] == [
        {
            **{"name": "Fury", "type": "crown", "when": "own turn, once", "effect": "MAY_DISCARD_1", "use": "use:Fury"},
            **{"up": True, "down": None},
        },
        {
            **{"name": "Rage", "type": "sceptre", "when": "attacking", "effect": "SCORE_PLUS_1", "use": "use:Rage"},
            **{"up": False, "down": 3},
        },
    ]


def test_what_is_under_way_is_open_to_all() -> None:  # MM-HID-3, MM-HID-4, MM-FRA-1
    zones = "a.artefacts: Corruption, Fear, Greed\nb.artefacts: Fury, Influence, Brutality\na.hand: Conflict2\nb.hand: Fracture"
    crown = Scene(zones).play("a: crown artefact=Influence")
    for reader in ("a", "b", None):
        assert crown.seen(reader)["doing"] == [
            {"what": "crown", "seat": "a", "artefact": "Corruption", "target": "Influence", "lord": "", "card": ""},
            {"what": "window", "window": "crown", "aims": ["Corruption"], "start": "a"},
        ]
        assert crown.seen(reader)["phase"] is None
    look = Scene("a.artefacts: Prosperity\na.hand: Conflict2\nb.deck: Conflict5, Ambush").play("a: crown lord=b")
    assert look.seen("b")["doing"] == [
        {"what": "crown", "seat": "a", "artefact": "Prosperity", "target": "", "lord": "b", "card": ""}
    ]
    fight = battle("Grasslands").play("a: play card=Conflict5", "b: play card=Conflict2")
    (doing,) = fight.seen("b")["doing"]
    sides = doing.pop("sides")
    assert doing == {
        **{"what": "battle", "attacker": "a", "defender": "b", "slot": "B1", "siege": False, "sinks": False, "number": 5},
        **{"in_play": {"a": ["Conflict5"], "b": ["Conflict2"]}, "winner": None, "margin": 5, "brutal": ""},
    }
    assert sides[0] == {
        **{"seat": "a", "base": 4, "bonus": 1, "conflict": 5, "card": "Conflict5", "support": 0, "score": 10},
        **{"played": ["Conflict5"], "there": 4, "added": [("Grasslands", 1)]},
    }
    assert (sides[1]["seat"], sides[1]["score"], sides[1]["card"]) == ("b", 5, "Conflict2")


def test_who_may_support_sees_where_each_card_would_leave_the_score() -> None:  # MM-DEC-15, MM-BAT-11
    s = battle().play("a: play card=Conflict5", "b: play card=Conflict2")
    assert s.asked == ["b"] and s.seen("b")["own"]["support"] == {"for": "b", "then": {"Support1": 6, "Support2": 7}}
    assert "support" not in s.seen("a")["own"], "who isn't asked has nothing to choose"
    s.play("b: pass")
    assert s.seen("a")["own"]["support"] == {"for": "a", "then": {"Support1": 10, "Support2": 11}}


def test_the_end_is_open_to_all_with_who_has_won_and_how() -> None:  # MM-HID-4, MM-VIC-2
    lands = "B1: City a 1\nB2: City a 1\nC1: Fortress a 1\nC3: Fortress a 1"
    s = Scene(f"a: knights=6\nA1: Village\n{lands}")
    assert s.seen("b")["outcome"] is None
    s.play("a: march target=A1 knights=1")
    assert s.seen("b")["outcome"] == {"winners": ("a",), "how": "points"} and s.seen(None)["active"] == "a"


def test_a_conquest_under_way_is_open_to_all() -> None:  # MM-HID-4, MM-DEC-20
    s = Scene("a: knights=6\nA1: Ruins\na.hand: Conflict2").play("a: march target=A1 knights=2").until("discard")
    assert s.seen("b")["doing"] == [{"what": "conquest", "seat": "a", "slot": "A1"}]


def test_authority_is_in_no_hand_that_is_guessed_at() -> None:  # MM-RES-2, MM-HID-1
    s = Scene(f"a.hand: {HAND}\nb.hand: {HAND}")
    for i in range(40):
        guess = GAME.rules.redeal(s.state, "a", Chance(f"guess {i}")).table.lords["b"]
        assert "Authority" not in guess.hand and "Authority" in guess.deck


def test_a_lord_is_shown_with_all_that_is_counted_of_him() -> None:  # MM-HID-4, MM-DIC-2, MM-SUP-1
    zones = "turn: 3\na: knights=7\na.hand: Conflict2, Ambush\na.deck: Conflict5\na.discard: Ambush@0, CallToArms@2\n"
    s = Scene(zones + "a.artefacts: Fury, Rage, Greed\nB1: City a 2\nE1: Fort a 1")
    seen = lord_seen(s, "b", "a")
    assert len(seen.pop("artefacts")) == 3
    assert seen == {
        **{"seat": "a", "castle": s.lord("a").castle, "slot": "A2", "knights": 7, "on_map": 10, "lands": ["B1", "E1"]},
        **{"unsupplied": ["E1"], "points": 5, "team": ["a"], "team_points": 5, "dice": 4, "reserve": 6, "hand": 2, "deck": 1},
        **{"discard": [{"card": "Ambush", "turn": 0}, {"card": "CallToArms", "turn": 2}], "discarded": 2},
    }


def test_a_battle_that_is_decided_shows_its_winner_and_by_how_much() -> None:  # MM-HID-4, MM-BAT-14
    s = battle("Ruins", 5, 3).play("a: play card=Conflict5", "b: play card=Conflict2").until("discard")
    told = s.told("result")[-1]
    assert told["winner"] == "a" and s.told("result")[-1]["scores"] == [10, 5]
    fights = [d for d in s.seen("b")["doing"] if d["what"] == "battle"]
    assert [(d["winner"], d["margin"]) for d in fights] in ([("a", 5)], [])


def test_authority_is_counted_with_the_cards_of_its_lord() -> None:  # MM-RES-2, MM-CMP-2
    counts = GAME.rules.checks.conserved(Scene(f"a.hand: {HAND}").state)
    assert counts["Authority of a"] == counts["Authority of b"] == 1
    assert counts["cards of a"] == 18 and counts["dice of a"] == 10 and counts["artefacts"] == 6


def test_a_castle_that_can_be_stormed_counts_nothing_for_whoever_storms_it() -> None:  # MM-OPT-8, MM-DEC-12
    chain = "B1: Forest a 1\nC1: Forest a 1\nD1: Forest a 1\nE1: Forest a 2"
    s = Scene(f"options: siege\na: knights=9\na.hand: Conflict2\nb: knights=2\n{chain}")
    clashes = s.seen("a")["own"]["clashes"]
    assert "E2" in clashes and clashes["E2"]["value"] == 0 and clashes["E2"]["wins"] is True


def test_the_table_is_shown_with_whose_turn_it_is_and_by_what_rules() -> None:  # MM-HID-4, MM-OPT-1
    s = Scene("order: b a\nfirst: b\nturn: 4\ncrown: used\noptions: siege mayhem\na.hand: CallToArms")
    seen = {k: v for k, v in s.seen("a").items() if k not in ("map", "lords", "own")}
    assert seen == {
        **{"game": "mastery", "seat": "a", "turn": 4, "active": "a", "first": "b", "phase": "early", "crown_used": True},
        **{"n": 2, "order": ["b", "a"], "target": 13, "doing": [], "outcome": None},
        "options": {"teams": 0, "siege": True, "cut_throat": False, "skirmish": False, "mayhem": True},
    }
    s.play("a: march")
    assert s.step == "late" and s.seen(None)["phase"] == "late" and s.seen(None)["seat"] is None


def test_a_castle_that_is_stormed_counts_as_eight() -> None:  # MM-OPT-6, MM-DEC-12
    chain = "B1: Forest a 1\nC1: Forest a 1\nD1: Forest a 1\nE1: Forest a 2"
    s = Scene(f"options: siege\na: knights=9\nb: knights=2\nb.artefacts: Vigour\n{chain}")
    clash = s.seen("a")["own"]["clashes"]["E2"]
    assert (clash["defender"], clash["knights"], clash["matching"], clash["defence"]) == ("b", 8, [], [])


def test_who_chooses_a_conflict_card_sees_what_it_makes_of_his_score_and_not_what_support_would_do() -> None:  # MM-DEC-15
    s = battle(a="Conflict5, Ambush, Conflict5, Support1, Support2", seats="a b c")
    own = {"hand": ["Ambush", "Conflict5", "Conflict5", "Support1", "Support2"], "known": {}}
    laid = {"Conflict5": [9, 9], "Ambush": [5, 10]}
    assert s.step == "conflict" and s.seen("a")["own"] == {**own, "conflict": laid}
    assert "conflict" not in s.seen("c")["own"]
    s.play("a: play card=Ambush")
    assert s.seen("a")["own"] == {**own, "conflict": laid}, "a sealed answer changes nothing"


def test_once_the_last_round_is_over_no_window_is_open() -> None:  # MM-AMB-56, MM-VIC-5
    s = Scene("turn: 12\nactive: b\nfirst: a\nC1: City a 1\nrulings: MM-AMB-56=6").play("b: end")
    assert s.winners == ["a"] and s.seen("a")["phase"] is None and s.seen("a")["doing"] == []
    assert s.seen(None)["turns"] == 12 and "turns" not in Scene("C1: City a 1").seen(None), "how many were agreed on"


def test_an_artefact_of_a_file_of_ones_own_is_shown_by_what_it_does() -> None:  # MM-DAT-3, MM-HID-4
    own = json.dumps(json.loads(TEXT.replace("SCEPTRE_RAGE", "SCEPTRE_WRATH")))
    s = Scene(f"lore: {own}\na.artefacts: Fury, Wrath, Greed")
    shown = {a["name"]: a for a in lord_seen(s, None, "a")["artefacts"]}
    assert shown["Wrath"] == {
        **{"name": "Wrath", "type": "sceptre", "when": "attacking", "effect": "SCORE_PLUS_1"},
        **{"use": None, "up": True, "down": None},
    }
    assert shown["Greed"]["use"] == "use:Greed"


def test_who_has_answered_keeps_his_own_answer_in_every_guess() -> None:  # MM-HID-10
    s = battle().play("a: play card=Conflict5")
    own, other = (GAME.rules.redeal(s.state, seat, Chance("guess")) for seat in "ab")
    assert (own.waiting, own.sealed) == (["b"], {"a": Answer("play", {"card": "Conflict5"})})
    assert (other.waiting, other.sealed) == (["a", "b"], {})


def test_of_a_deck_that_he_knows_nothing_of_a_lord_guesses_every_card() -> None:  # MM-HID-12
    s = Scene(f"a.hand: {HAND}\nb.hand: {HAND}\nb.known: b@1")
    tops = {GAME.rules.redeal(s.state, "a", Chance(f"guess {i}")).table.lords["b"].deck[-1] for i in range(12)}
    assert len(tops) > 2


def test_what_is_counted_of_a_battle_under_way_leaves_nothing_out() -> None:  # MM-CMP-1, MM-HID-3
    s = battle(text="b.discard: Fracture@0").play("a: play card=Conflict5", "b: play card=Conflict2")
    assert GAME.rules.checks.conserved(s.state) == {
        **{"tiles": 10, "artefacts": 6},
        **{"cards of a": 18, "Authority of a": 1, "dice of a": 10},
        **{"cards of b": 18, "Authority of b": 1, "dice of b": 10},
    }


def test_whose_answers_are_open_to_all() -> None:  # MM-HID-7, MM-HID-8, MM-HID-10
    for kind, answer in (("early", "march"), ("late", "end"), ("match", "yes"), ("support", "pass"), ("discard", "keep")):
        assert GAME.rules.audience(kind, "a", read(answer)) is None
    for answer in ("leave", "remove"):
        assert GAME.rules.audience("verdict", "a", read(answer)) is None, "what becomes of the card shows anyway"
    for kind, answer in (("conflict", "play card=Ambush"), ("fracture", "pass"), ("arrange", "arrange cards=[Ambush]")):
        assert GAME.rules.audience(kind, "a", read(answer)) == ("a",)


def test_of_a_battle_that_is_cleaned_up_no_card_is_in_play() -> None:  # MM-BAT-19, MM-HID-3
    s = battle()
    s.battle.played = {}
    (shown,) = s.seen(None)["doing"]
    assert [side["played"] for side in shown["sides"]] == [[], []] and shown["in_play"] == {}


def test_in_a_position_that_a_rival_reads_a_closed_pile_shows_its_top_alone() -> None:  # MM-AMB-47
    pile = "a.discard: Ambush@0, Conflict3@3, Conflict2@5"
    for ruled, shown in (("", pile), ("\nrulings: MM-AMB-47=top", "a.discard: Conflict2@5")):
        s = Scene(f"turn: 7\n{pile}{ruled}")
        assert f"\n{shown}\n" in GAME.rules.notation.seen(s.state, "b") and f"\n{pile}\n" in GAME.rules.notation.whole(s.state)


def test_an_artefact_that_a_position_leaves_out_is_face_down_since_no_turn() -> None:  # MM-ART-2
    seen = Scene("a.artefacts: Fury@1, Rage, Greed").seen("a")["lords"]
    assert seen[0]["artefacts"][0]["down"] == 1
    assert {(artefact["up"], artefact["down"]) for artefact in seen[1]["artefacts"]} == {(False, None)}
