"""Artefacts and Fracture: own turn, windows, plans (MM-ART, MM-FRA, MM-DEC-5, 7, 13, 18)."""

from __future__ import annotations

from engine.core.asks import Answer, Option
from engine.core.chance import Chance
from engine.games import game_called
from engine.mastery.rules.fracture import Window
from engine.play import orders
from tests.mastery.scene import HAND, NAMES, TWICE, Scene, battle

GAME = game_called("mastery")
FOUR = "a b c d"


def clash(sceptres: str, hands: str = "", more: str = "", chance: dict[str, list[str]] | None = None, lore: str = "") -> Scene:
    """Lord a attacks b at C1 with 4 against 3, of four; everybody else holds one Conflict 2, or what `hands` says."""
    held = dict(pair.split("=") for pair in hands.split())
    rows = "".join(f"{s}.hand: {held.get(s, 'Conflict2').replace('+', ', ')}\n" for s in "cd")
    a, b = (HAND + (", Fracture" if held.get(s) == "Fracture" else "") for s in "ab")
    return battle(text=rows + sceptres + "\n" + more, a=a, b=b, seats=FOUR, slot="C1", chance=chance, lore=lore)


# --- artefacts --------------------------------------------------------------------------------------------------------


def test_a_face_down_artefact_does_nothing_and_is_no_target() -> None:  # MM-ART-1, MM-AMB-38
    s = clash("a.artefacts: Rage@1\nb.artefacts: Loyalty@1")
    assert s.step == "conflict" and s.scores == (4, 3), "no window either"
    s = Scene("a.hand: Fracture\nb.artefacts: Order@0, Rage, Greed@0")
    assert s.ids("fracture", "artefact") == {"Rage"}
    s = Scene("a.artefacts: Fury@0\na.hand: Conflict2")
    assert "crown" not in s.options()


def test_destroying_stamps_the_turn() -> None:  # MM-ART-2
    s = Scene("turn: 7\na.hand: Fracture\nb.artefacts: Rage").play("a: fracture artefact=Rage")
    assert s.down("Rage") == 7
    assert "Lord A played Fracture and destroyed Lord B’s Sceptre of Rage." in s.heard(None)
    assert next(a for a in s.seen(None)["lords"][1]["artefacts"] if a["name"] == "Rage")["down"] == 7


def test_what_holds_is_applied_without_being_asked() -> None:  # MM-ART-3, MM-AMB-23, MM-GEN-6, MM-AMB-58
    s = clash("a.artefacts: Rage, Brutality\nb.artefacts: Loyalty, Devotion").play("b: pass", "a: pass", "c: pass", "d: pass")
    assert s.scores == (5, 4) and [f["artefact"] for f in s.told("sceptre_plus")] == ["Rage", "Loyalty"]
    s.play("a: play card=Conflict3", "b: play card=Conflict2").until("fracture")
    for seat in list(s.asked):
        s.play(f"{seat}: pass")
    assert [f["artefact"] for f in s.told("orb")] == ["Brutality", "Devotion"], "nobody was asked whether"


def test_the_attackers_effect_comes_first() -> None:  # MM-ART-4, MM-AMB-22, MM-RND-3
    s = battle(text="a.artefacts: Influence\nb.artefacts: Defiance", chance={"random-discard": ["0", "6"]})
    s.play("a: pass", "b: pass")
    assert s.told("sceptre_discard") == [
        {"seat": "a", "artefact": "Influence", "rival": "b"},
        {"seat": "b", "artefact": "Defiance", "rival": "a"},
    ]
    assert s.told("lost_card") == [{"seat": "b", "card": "Ambush"}, {"seat": "a", "card": "Support2"}]


# --- Fracture ---------------------------------------------------------------------------------------------------------


def test_fracture_destroys_anothers_artefact_negates_it_and_is_discarded() -> None:  # MM-FRA-1
    s = clash("a.artefacts: Rage", "b=Fracture").play("b: plan first=Rage", "c: pass", "d: pass")
    assert s.scores == (4, 3) and s.told("sceptre_plus") == [], "negated"
    assert s.down("Rage") == 1 and s.stamps("b") == [("Fracture", 1)]


def test_the_own_turn_mode_takes_any_artefact_of_another_and_has_no_response() -> None:  # MM-FRA-2, MM-DEC-5
    text = "a.hand: Fracture, Conflict2\na.artefacts: Fury\nb.artefacts: Order, Rage, Greed\nc.artefacts: Corruption\n"
    s = Scene(text + "b.hand: Fracture\nc.hand: Fracture", "a b c")
    assert s.ids("fracture", "artefact") == {"Order", "Rage", "Greed", "Corruption"}
    s.play("a: fracture artefact=Greed")
    assert s.asked == ["a"] and s.step == "early" and s.down("Greed") == 1
    late = Scene(text, "a b c").play("a: march", "a: fracture artefact=Order")
    assert late.step == "late" and late.down("Order") == 1


def test_the_crown_window_goes_round_from_the_owner_for_that_crown_alone() -> None:  # MM-FRA-3, MM-DEC-7
    text = "active: b\nb.artefacts: Corruption\nd.artefacts: Fury, Rage, Greed\n"
    s = Scene(text + "".join(f"{x}.hand: Fracture\n" for x in "abcd"), FOUR).play("b: crown artefact=Greed")
    assert s.asked == ["a", "c", "d"] and s.ask("a").rule == "MM-DEC-7" and s.ask("a").default == Answer("pass")
    assert s.ids("plan", "first", "d") == {"pass", "Corruption"}
    s.play("c: pass", "a: plan first=Corruption", "d: plan first=Corruption")
    assert s.pile("d") == ["Fracture"] and s.hand("a") == ["Fracture"], "b, c, d, a: d came before a"
    assert s.up("Greed")


def test_the_sceptre_window_is_for_all_on_the_participants_sceptres() -> None:  # MM-FRA-4, MM-DEC-13
    s = clash("a.artefacts: Rage\nb.artefacts: Loyalty\nc.artefacts: Fear")
    assert s.asked == ["a", "b", "c", "d"] and s.ask("c").rule == "MM-DEC-13"
    assert s.ids("plan", "first", "c") == {"pass", "Rage", "Loyalty"}, "c's own sceptre is no target, nor in this battle"
    assert s.ids("plan", "first", "a") == {"pass", "Loyalty"} and s.ids("plan", "first", "b") == {"pass", "Rage"}
    s = clash("a.artefacts: Defiance")
    assert s.step == "fracture" and s.ids("plan", "first", "b") == {"pass", "Defiance"}, "though it would not apply now"
    s = clash("c.artefacts: Fear")
    assert s.step == "conflict" and "nobody_could" not in s.kinds(), "no participant's is up: there is no window"


def test_a_sceptre_that_does_not_apply_may_be_hit() -> None:  # MM-AMB-38
    s = clash("a.artefacts: Defiance", "c=Fracture")
    s.play("b: pass", "c: plan first=Defiance", "d: pass")
    assert s.down("Defiance") == 1


def test_the_orb_window_likewise() -> None:  # MM-FRA-5, MM-DEC-18
    s = clash("a.artefacts: Brutality\nb.artefacts: Greed", "d=Fracture")
    s.play("a: play card=Conflict5", "b: play card=Conflict2").until("fracture")
    assert s.asked == ["a", "b", "c", "d"] and s.ask("d").rule == "MM-DEC-18"
    assert s.ids("plan", "first", "d") == {"pass", "Brutality", "Greed"}, "Greed would not apply: b has lost"
    s.play("a: pass", "b: pass", "c: pass", "d: plan first=Brutality")
    assert s.told("killed") == [] and s.told("orb") == [] and s.down("Brutality") == 1


def test_one_chance_each_and_a_card_is_kept_when_its_target_is_gone() -> None:  # MM-FRA-6, MM-AMB-37
    s = clash("a.artefacts: Rage", "b=Fracture c=Fracture d=Fracture+Fracture", lore=TWICE)
    s.play("b: plan first=Rage", "c: plan first=Rage", "d: plan first=Rage")
    assert s.told("fractured") == [{"seat": "b", "artefact": "Rage", "owner": "a"}]
    assert s.hand("c") == ["Fracture"] and s.hand("d") == ["Fracture", "Fracture"]
    two = clash("a.artefacts: Rage\nb.artefacts: Loyalty", "d=Fracture+Fracture", lore=TWICE)
    two.play("a: pass", "b: pass", "c: pass", "d: plan first=Rage without_rage=Loyalty without_loyalty=Rage")
    assert two.told("fractured") == [{"seat": "d", "artefact": "Rage", "owner": "a"}], "one, though two are in hand"
    assert two.up("Loyalty") and two.hand("d") == ["Fracture"]


def test_who_has_two_of_them_is_asked_until_both_lie_in_his_pile() -> None:  # MM-FRA-9, MM-FRA-15
    for pile, asked in (("", ["b"]), ("Fracture@1", ["b"]), ("Fracture@1, Fracture@1", [])):
        s = Scene(f"{TWICE}a.artefacts: Fury\na.hand: Ambush\nb.hand: Conflict2\nb.discard: {pile}").play("a: crown")
        assert (s.asked if s.step == "fracture" else []) == asked


def test_nobody_has_a_second_chance() -> None:  # MM-FRA-7
    s = clash("a.artefacts: Rage\nb.artefacts: Loyalty", "a=Fracture d=Fracture")
    assert s.refused("a: plan without_rage=Loyalty"), "a's chance is the first: nothing can be gone"
    s.play("a: pass", "b: pass", "c: pass", "d: plan first=Rage")
    assert s.told("fractured") == [{"seat": "d", "artefact": "Rage", "owner": "a"}]
    assert s.up("Loyalty") and "Fracture" in s.hand("a"), "a's chance was first, when nothing was gone"


def test_no_fracture_while_a_unit_is_made() -> None:  # MM-FRA-8
    s = Scene("a: knights=5\na.artefacts: Rage, Greed\na.hand: Conflict2\nb.hand: Fracture\nB1: Forest a 2")
    s.play("a: march in_b1=1 target=B2 knights=3")
    assert s.kinds() == ["redistributed", "advanced", "conquered"] and s.hand("b") == ["Fracture"]


def test_who_is_asked_follows_from_public_facts() -> None:  # MM-FRA-9, MM-FRA-15
    s = clash("a.artefacts: Rage", "c=Conflict2 d=", "c.discard: Fracture@0\nd.hand: ")
    assert s.asked == ["b"], "a owns it, c's Fracture lies in his pile, d has no hand"
    s = clash("a.artefacts: Rage", "", "b.discard: Fracture\nc.discard: Fracture\nd.discard: Fracture")
    assert s.step == "conflict" and s.told("nobody_could") == [{"what": "sceptre"}]
    assert s.told("nobody_could") or s.told("no_fracture")


def test_all_are_asked_alike_for_a_plan_of_every_case() -> None:  # MM-FRA-10, MM-AMB-40
    s = clash("a.artefacts: Rage\nb.artefacts: Loyalty", "c=Fracture")

    def shape(seat: str) -> dict[str, set[str]]:
        return {name: s.ids("plan", name, seat) for name in s.fields("plan", seat)}

    whole = {"first": {"pass", "Rage", "Loyalty"}, "without_rage": {"pass", "Loyalty"}, "without_loyalty": {"pass", "Rage"}}
    assert shape("c") == shape("d") == whole, "c holds a Fracture, d does not"
    assert shape("a") == {"first": {"pass", "Loyalty"}}, "nobody has a chance before a"
    assert shape("b") == {"first": {"pass", "Rage"}, "without_loyalty": {"pass", "Rage"}}
    assert (s.ask("c").about["attacker"], s.ask("c").about["defender"]) == ("a", "b")
    assert s.ask("c").about == s.ask("d").about and s.options("c") == s.options("d") == {"pass", "plan"}
    one = clash("a.artefacts: Rage")
    assert set(one.fields("plan", "c")) == {"first"}


def test_a_plan_has_cells_for_what_can_have_happened_alone() -> None:  # MM-FRA-10
    both = "a.artefacts: Rage\nb.artefacts: Loyalty"
    s = clash(both)
    assert set(s.fields("plan", "b")) == {"first", "without_loyalty"}, "a may have broken Loyalty, and not his own Rage"
    spent = clash(both, "", "a.discard: Fracture@0\nb.discard: Fracture@0")
    assert set(spent.fields("plan", "c")) == {"first"} and set(spent.fields("plan", "d")) == {*s.fields("plan", "c")}
    alone = clash(both, "", "b.discard: Fracture@0")
    assert set(alone.fields("plan", "c")) == {"first", "without_loyalty"}, "nobody before c could have broken Rage"
    older = clash(both, "", "rulings: MM-FRA-10=pass")
    assert set(older.fields("plan", "a")) == {"first", "without_rage"}


def test_an_empty_plan_is_refused() -> None:  # MM-FRA-10
    s = clash("a.artefacts: Fear\nb.artefacts: Vigour")
    said = "Your plan breaks nothing; name an artefact to break, or pass."
    assert s.refused("c: plan") == said and s.refused("b: plan match=yes") == said
    assert not s.refused("c: plan first=pass") and not s.refused("c: plan without_fear=Vigour")
    assert not clash("a.artefacts: Rage", "", "rulings: MM-FRA-10=pass").refused("c: plan"), "as in games begun before"


def test_what_a_plan_leaves_open_is_what_it_named_first_if_that_stands() -> None:  # MM-FRA-10
    both = "a.artefacts: Rage\nb.artefacts: Loyalty"
    s = clash(both, "b=Fracture d=Fracture").play("a: pass", "b: plan first=Rage", "c: pass", "d: plan first=Loyalty")
    assert [(f["seat"], f["artefact"]) for f in s.told("fractured")] == [("b", "Rage"), ("d", "Loyalty")]
    s = clash(both, "b=Fracture d=Fracture").play("a: pass", "b: plan first=Rage", "c: pass", "d: plan first=Rage")
    assert [(f["seat"], f["artefact"]) for f in s.told("fractured")] == [("b", "Rage")], "it stands no longer"
    s = clash(both, "b=Fracture d=Fracture")
    s.play("a: pass", "b: plan first=Rage", "c: pass", "d: plan first=Loyalty without_rage=pass")
    assert len(s.told("fractured")) == 1, "a pass that is said is a pass"
    older = clash(both, "b=Fracture d=Fracture", "rulings: MM-FRA-10=pass")
    older.play("a: pass", "b: plan first=Rage", "c: pass", "d: plan first=Loyalty")
    assert len(older.told("fractured")) == 1


def test_a_plan_says_in_words_what_is_meant_where_it_is_left_open() -> None:  # MM-FRA-10, MM-AMB-38
    both = "a.artefacts: Rage\nb.artefacts: Vigour"
    ask = clash(both).ask("c")
    assert GAME.words.labels.title(ask, NAMES) == (
        "Break Lord A’s Sceptre of Rage or Lord B’s Sceptre of Vigour with a Fracture?"
    )
    assert GAME.words.labels.title(clash(both).ask("a"), NAMES) == "Break Lord B’s Sceptre of Vigour with a Fracture?"
    assert GAME.words.labels.field(ask, "plan", "first", NAMES) == "If nothing is broken yet"
    assert GAME.words.labels.open(ask, "plan", "first", NAMES) == "Break nothing"
    assert GAME.words.labels.field(ask, "plan", "without_rage", NAMES) == "If Sceptre of Rage is already broken"
    assert GAME.words.labels.open(ask, "plan", "without_rage", NAMES) == "As above, if that still stands"
    older = clash(both, "", "rulings: MM-FRA-10=pass").ask("c")
    assert GAME.words.labels.open(older, "plan", "without_rage", NAMES) == "Pass"
    idle = clash("a.artefacts: Loyalty").ask("c")
    assert GAME.words.labels.open(idle, "plan", "first", NAMES) == "Choose one", "an empty plan is refused"
    told = GAME.words.labels.choice(idle, "plan", "first", "Loyalty", NAMES)
    assert told == "Lord A’s Sceptre of Loyalty (no effect here)"
    assert GAME.words.labels.field(idle, "plan", "first", NAMES) == "Which artefact"


def test_plans_are_played_out_clockwise() -> None:  # MM-FRA-11
    both = "a.artefacts: Rage\nb.artefacts: Loyalty"
    s = clash(both, "a=Fracture b=Fracture c=Fracture d=Fracture")
    s.play("d: plan without_rage=pass without_loyalty=Rage", "c: plan first=Loyalty without_rage=Loyalty")
    s.play("b: plan first=Rage", "a: pass")
    assert [(f["seat"], f["artefact"]) for f in s.told("fractured")] == [("b", "Rage"), ("c", "Loyalty")]
    assert s.hand("d") == ["Fracture"], "the cell for both gone does not exist"
    s = clash(both, "d=Fracture").play("a: pass", "b: plan first=Rage", "c: plan first=Rage", "d: plan first=Loyalty")
    assert [(f["seat"], f["artefact"]) for f in s.told("fractured")] == [("d", "Loyalty")], "b and c hold none: a pass, unseen"
    assert "Rage" not in str([e.facts for e in s.log if e.kind in ("fractured", "no_fracture")])


def test_all_is_published_at_the_closing_and_plans_never() -> None:  # MM-FRA-12
    s = clash("a.artefacts: Rage", "c=Fracture")
    s.play("b: plan first=Rage", "c: plan first=Rage")
    assert s.events == [] and "fractured" not in s.kinds(), "nothing while d is to answer"
    s.play("d: pass")
    assert [e.kind for e in s.events if e.kind in ("fractured", "no_fracture")] == ["fractured"]
    s = clash("a.artefacts: Rage").play("b: plan first=Rage", "c: pass", "d: pass")
    assert s.told("no_fracture") == [{"what": "sceptre"}] and "" in s.heard("c")


def test_waiting_depends_on_policies_never_on_hands() -> None:  # MM-FRA-13
    def answered(held: str, policy: str) -> Answer | None:
        s = clash("a.artefacts: Rage", f"c={held}")
        return orders.answer(GAME, s.state, "c", {"STO-1-sceptre": policy}, Chance("x"))

    for held in ("Fracture", "Conflict2"):
        assert answered(held, "ask") is None, "waited for, whatever he holds"
        assert answered(held, "pass") == Answer("pass")
        assert answered(held, "rules rules=[(artefact=Rage,plan=use)] otherwise=pass") == Answer("plan", {"first": "Rage"})


def test_a_window_closes_when_all_have_answered() -> None:  # MM-FRA-14
    s = clash("a.artefacts: Rage").play("d: pass", "b: pass")
    assert s.asked == ["c"] and s.step == "fracture"
    s.default("c")
    assert s.step == "conflict"
    again = clash("a.artefacts: Rage").default("b", "c", "d")
    assert again.step == "conflict" and again.up("Rage"), "at a deadline everybody passes"


def test_own_artefacts_are_never_targets_of_fracture() -> None:  # MM-AMB-39
    s = Scene("a.hand: Fracture\na.artefacts: Fury, Rage, Greed\nb.artefacts: Order")
    assert s.ids("fracture", "artefact") == {"Order"}


def test_before_a_battle_is_decided_nobody_has_lost_it() -> None:  # MM-FRA-4
    assert Window(attacker="a", defender="b").loser == ""
    assert [Window(attacker="a", defender="b", winner=w).loser for w in "ab"] == ["b", "a"]


def test_in_a_window_on_orbs_those_work_whose_owner_has_won_or_lost() -> None:  # MM-DEC-18, MM-AMB-38
    s = battle(text="a.artefacts: Greed\nb.artefacts: Devotion", a=f"{HAND}, Fracture", b=f"{HAND}, Fracture", seats="a b c")
    s.play("a: play card=Conflict5", "b: play card=Conflict2", "b: pass", "a: pass")
    assert s.step == "fracture" and s.ask("a").about["works"] == ["Greed", "Devotion"], "a has won by it, and b has lost"
    other = battle(
        text="a.artefacts: Devotion\nb.artefacts: Greed", a=f"{HAND}, Fracture", b=f"{HAND}, Fracture", seats="a b c"
    )
    other.play("a: play card=Conflict5", "b: play card=Conflict2", "b: pass", "a: pass")
    assert other.ask("a").about["works"] == []
    for orbs, works in (("a.artefacts: Devotion\nb.artefacts: Greed", ["Devotion", "Greed"]), ("b.artefacts: Devotion", [])):
        held = battle(text=orbs, a=f"{HAND}, Fracture", b=f"{HAND}, Fracture", seats="a b c")
        held.play("a: play card=Conflict2", "b: play card=Conflict5", "a: pass", "b: pass")
        assert held.ask("a").about["works"] == works, "b has won by it, and a has lost"


def test_who_is_asked_for_a_fracture_alone_passes_without_a_word_more() -> None:  # MM-FRA-9, MM-ASY-4
    s = battle(text="a.artefacts: Rage\nb.artefacts: Loyalty", seats="a b")
    assert s.ask("b").option("pass") == Option("pass"), "no field"


def test_who_is_asked_for_fear_alone_may_use_it_to_his_harm() -> None:  # MM-DEC-14, MM-SCP-2
    for said, scores in (("yes", (2, 2)), ("no", (5, 2))):
        s = battle(send=5, there=2, text="a.artefacts: Fear").play("b: pass")
        assert s.ask().default == Answer("no") and s.play(f"a: {said}").scores == scores
