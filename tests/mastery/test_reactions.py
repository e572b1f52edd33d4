"""Who is asked about Fractures, support and the rest of a turn, by public facts and the own setting alone."""

from __future__ import annotations

import pytest

from engine.core import procedure
from engine.core.asks import read, write
from engine.core.chance import Chance
from engine.games import game_called
from engine.ui.forms import describe
from engine.ui.heard import understand
from tests.mastery.scene import HAND, NAMES, Scene, battle, rolls
from tests.mastery.test_orders import answer, window

GAME = game_called("mastery")
BEFORE = "rulings: MM-STO-12=battles\n"
LEVELS = ("concerned", "mine", "always", "never")


def said(s: Scene, march: str) -> str:
    return GAME.face.preview(s.state, "a", read(march), NAMES)


def at_level(s: Scene, seat: str, level: str) -> str:
    return answer(s, seat, **{"STO-12": level})


# --- Fractures --------------------------------------------------------------------------------------------------------


def test_a_fracture_is_asked_about_where_something_works_against_the_seat() -> None:  # MM-STO-12, MM-STO-1
    both = window("a.artefacts: Rage\nb.artefacts: Loyalty")
    assert [answer(both, x) for x in "abcd"] == ["ask", "ask", "pass", "pass"]
    idle = window("a.artefacts: Defiance\nb.artefacts: Loyalty")
    assert [answer(idle, x) for x in "abcd"] == ["ask", "pass", "pass", "pass"], "a attacks, so Defiance is idle"


def test_games_begun_before_ask_in_every_battle_of_ones_own() -> None:  # MM-STO-12
    idle = window(BEFORE + "a.artefacts: Defiance\nb.artefacts: Loyalty")
    assert [answer(idle, x) for x in "abcd"] == ["ask", "ask", "pass", "pass"]
    shipped = {ask.rule: ask.default.option for ask in GAME.orders.asks(idle.state, "b")}
    assert shipped["STO-12"] == "mine" and shipped["STO-1-orb"] == "usual"


def test_every_level_of_the_reactions_setting_for_fractures() -> None:  # MM-STO-12, MM-FRA-13
    s = window("a.artefacts: Defiance\nb.artefacts: Loyalty")
    found = {level: [at_level(s, x, level) for x in "abc"] for level in LEVELS}
    assert found == {
        "concerned": ["ask", "pass", "pass"],
        "mine": ["ask", "ask", "pass"],
        "always": ["ask", "ask", "ask"],
        "never": ["pass", "pass", "pass"],
    }
    crown = Scene("a.artefacts: Corruption\na.hand: Conflict2\nb.artefacts: Rage\nb.hand: Conflict2\nc.hand: Ambush", "a b c")
    crown.play("a: crown artefact=Rage")
    assert [[at_level(crown, x, level) for x in "bc"] for level in LEVELS] == [
        ["ask", "pass"],
        ["ask", "pass"],
        ["ask", "ask"],
        ["pass", "pass"],
    ]


def test_an_order_of_its_own_goes_before_the_reactions_setting() -> None:  # MM-STO-12, MM-STO-1
    s = window("a.artefacts: Defiance\nb.artefacts: Loyalty")
    assert answer(s, "b", STO_12="always", STO_1_sceptre="pass") == "pass"
    assert answer(s, "b", STO_12="never", STO_1_sceptre="ask") == "ask"
    assert answer(s, "b", STO_12="never", STO_1_sceptre="usual") == "pass"
    assert answer(s, "b", STO_12="always", STO_1_sceptre="usual") == "ask"


# --- support ----------------------------------------------------------------------------------------------------------


def laid(a: str, b: str, text: str = "", hand: str = HAND, ambush: int = 1) -> Scene:
    fight = battle("Forest", 4, 3, text, b=hand, chance={"ambush": rolls(ambush)})
    return fight.play(f"a: play card={a}", f"b: play card={b}")


def test_support_is_asked_for_where_it_can_still_turn_the_battle() -> None:  # MM-STO-12, MM-STO-3
    behind = laid("Conflict5", "Conflict4")
    assert behind.scores == (9, 7) and behind.asked == ["b"] and answer(behind, "b") == "ask"
    leads = behind.play("b: pass")
    assert leads.asked == ["a"] and [at_level(leads, "a", x) for x in LEVELS] == ["pass", "ask", "ask", "pass"]
    level = laid("Conflict2", "Conflict3")
    assert level.scores == (6, 6) and level.asked == ["a"] and answer(level, "a") == "ask", "a tie is for the defender"


def test_no_support_is_asked_for_that_all_can_see_comes_too_late() -> None:  # MM-STO-12, MM-ASY-5
    """b lacks 5; his four support cards are worth 6, with both +2 face up 2, and with two cards in hand 4."""
    hand = "Ambush, Conflict2, Conflict3, Conflict4, Conflict5, Support1"
    assert answer(laid("Conflict5", "Ambush", hand=hand), "b") == "ask"
    shown = laid("Conflict5", "Ambush", "b.discard: Support2, Support2", hand)
    assert shown.scores == (9, 4) and answer(shown, "b") == "pass" and at_level(shown, "b", "mine") == "ask"
    few = laid("Conflict5", "Conflict4")
    few.lord("b").hand = ["Support2"]
    few.battle.att.base += 1
    assert few.scores == (10, 7) and answer(few, "b") == "pass", "one card is 2 at the most"


def test_who_passes_unasked_does_not_depend_on_what_he_holds() -> None:  # MM-STO-12, MM-FRA-13, MM-ASY-5
    """Two worlds that differ in hands alone: everybody is asked, or passes, in both."""
    for level in ("concerned", "mine", "always", "never", ""):
        asked = []
        for hand in (HAND, "Conflict2, Conflict3, Conflict4, Conflict5, Ambush, CallToArms, Fracture"):
            s = window(f"a.artefacts: Rage\nb.artefacts: Vigour\nb.hand: {hand}\nc.hand: {hand.split(', ')[-1]}")
            given = {"STO-12": level} if level else {}
            fractures = [answer(s, x, **given) for x in "abc"]
            fight = laid("Conflict5", "Conflict4", hand=hand)
            asked.append([*fractures, answer(fight, "b", **given)])
        assert asked[0] == asked[1], level


def test_where_a_pass_is_final_who_leads_is_asked_too() -> None:  # MM-STO-12, MM-AMB-25
    s = laid("Conflict5", "Conflict4", "rulings: MM-AMB-25=final").play("b: support cards=[Support1]")
    assert s.asked == ["a"] and s.scores == (9, 8) and answer(s, "a") == "ask"


def test_allies_are_asked_where_the_cards_of_their_side_could_turn_it() -> None:  # MM-STO-12, MM-OPT-5, MM-STO-10
    text = f"order: a b c d\noptions: teams=2\nc.hand: {HAND}\nd.hand: {HAND}"
    s = battle("Forest", 4, 3, text, seats="a b c d", slot="C1").play("a: play card=Conflict5", "b: play card=Conflict4")
    assert s.asked == ["b"]
    s.play("b: pass")
    assert s.asked == ["c"] and [at_level(s, "c", x) for x in LEVELS] == ["pass", "ask", "ask", "pass"], "a leads"
    s.play("c: pass")
    assert s.asked == ["d"] and answer(s, "d") == "ask", "b is behind"


# --- support settled with the conflict card ---------------------------------------------------------------------------


def settled(a: str, b: str, text: str = "") -> Scene:
    return battle("Forest", 4, 3, text).play(f"a: play card={a}", f"b: play card={b}")


def test_support_may_be_settled_with_the_conflict_card() -> None:  # MM-ASY-3, MM-DEC-16, MM-DEC-15
    s = settled("Conflict4 support=min", "Conflict4 support=min")
    cards = [(e.facts["seat"], *e.facts["cards"]) for e in s.log if e.kind == "supported"]
    assert cards == [("b", "Support1"), ("a", "Support1"), ("b", "Support2"), ("a", "Support2")], "8-7, each just enough"
    assert (s.step, s.land("B1")) == ("late", "Forest a 4"), "11-10, and nobody was asked"


@pytest.mark.parametrize(
    ("b", "cards", "asked"),
    [("support=pass", [], ["a"]), ("support=all", ["Support1", "Support2"], ["a"]), ("", [], ["b"])],
)
def test_what_is_settled_is_played_and_who_has_settled_nothing_is_asked(b: str, cards: list[str], asked: list[str]) -> None:
    # MM-ASY-3, MM-DEC-16
    s = settled("Conflict5", f"Conflict4 {b}")
    assert s.step == "support" and s.asked == asked
    assert [e.facts["cards"] for e in s.log if e.kind == "supported"] == ([cards] if cards else [])


def test_settled_support_is_a_secret_of_its_lord() -> None:  # MM-HID-10, MM-ASY-3
    s = settled("Conflict5", "Conflict4 support=min")
    assert s.battle.plans == {"b": "min"}
    for reader, kept in (("a", {}), ("b", {"b": "min"}), (None, {})):
        dealt = GAME.rules.redeal(s.state, reader, Chance("x"))
        assert dealt.stack[-1].plans == kept
        notation = GAME.rules.notation
        assert notation is not None
        assert ('"b":"min"' in "\n".join(notation.lines(s.state, reader, False))) is bool(kept)


def test_nothing_can_be_settled_where_no_support_is_possible() -> None:  # MM-DEC-16, MM-TER-4, MM-ASY-5
    assert set(battle().fields("play", "a")) == {"card", "support"}
    assert set(battle("Mountains").fields("play", "a")) == {"card"}
    shown = "b.discard: Support1, Support1, Support2, Support2"
    bare = battle(text=shown, b="Conflict2, Conflict3, Conflict4, Conflict5, Ambush")
    assert set(bare.fields("play", "b")) == {"card"} and set(bare.fields("play", "a")) == {"card", "support"}
    none = battle(b="Support1, Support2, CallToArms, Fracture, TacticalAdvance")
    assert not none.fields("none", "b"), "all will see that he has no conflict card"
    assert set(battle(text="rulings: MM-DEC-16=asked").fields("play", "a")) == {"card"}


def test_one_card_at_a_time_is_settled_too() -> None:  # MM-AMB-26, MM-ASY-3
    s = settled("Conflict5", "Conflict4 support=all", "rulings: MM-AMB-26=one")
    assert [e.facts["cards"] for e in s.log if e.kind == "supported"] == [["Support2"]] and s.asked == ["a"]
    s.play("a: pass")
    assert [e.facts["cards"] for e in s.log if e.kind == "supported"] == [["Support2"], ["Support1"]]


# --- the rest of a turn -----------------------------------------------------------------------------------------------

QUIET = "rulings: MM-DEC-4=battle\na: knights=6\na.hand: {hand}\na.artefacts: Vitality\nb.hand: {theirs}\nB1: Forest"


def quiet(hand: str = "TacticalAdvance, CallToArms", theirs: str = "", held: str = "") -> Scene:
    return Scene(QUIET.format(hand=hand, theirs=theirs) + held)


@pytest.mark.parametrize("hand", ["TacticalAdvance, CallToArms", "Conflict2", ""])
def test_a_march_without_a_battle_ends_the_turn_whatever_its_lord_holds(hand: str) -> None:  # MM-DEC-4, MM-ASY-5
    s = quiet(hand)
    assert "Your turn is over" in said(s, "march target=B1 knights=2")
    assert s.play("a: march target=B1 knights=2").asked == ["b"]
    s = quiet(hand)
    assert "over" not in said(s, "march target=B1 knights=2 then=more")
    assert (s.play("a: march target=B1 knights=2 then=more").step, s.asked) == ("late", ["a"])


def test_after_a_battle_the_late_window_opens_unless_it_was_waived() -> None:  # MM-DEC-4, MM-TRN-2
    both = ("a: play card=Conflict5 support=pass", "b: play card=Conflict2 support=pass")
    s = quiet(HAND, HAND, " b 1")
    assert "over" not in said(s, "march target=B1 knights=4")
    assert s.play("a: march target=B1 knights=4", *both).step == "late"
    assert quiet(HAND, HAND, " b 1").play("a: march target=B1 knights=4 then=end", *both).asked == ["b"]


def test_a_late_tactical_advance_and_a_late_crown_may_end_the_turn() -> None:  # MM-DEC-4, MM-RES-4, MM-CRN-10
    def late() -> Scene:
        return quiet().play("a: march target=B1 knights=2 then=more")

    assert late().play("a: tactical target=B2 knights=1").asked == ["b"]
    assert late().play("a: tactical target=B2 knights=1 then=more").step == "late"
    assert late().play("a: crown then=end", "a: keep").asked == ["b"]
    assert late().play("a: crown", "a: keep").step == "late"
    early = quiet()
    assert set(early.fields("tactical")) == {"target", "knights"} and not early.fields("crown"), "the march is to come"


def test_games_begun_before_open_the_late_window_after_every_march() -> None:  # MM-DEC-4
    s = Scene(QUIET.replace("MM-DEC-4=battle", "MM-DEC-4=always").format(hand="TacticalAdvance", theirs=""))
    assert s.ids("march", "then") == {"end"}
    s.play("a: march target=B1 knights=2")
    assert s.step == "late" and "then" not in s.fields("tactical") | s.fields("crown")


def test_a_script_goes_on_after_a_quiet_march() -> None:  # MM-DEC-4, MM-STO-8
    s = quiet()
    script = "on steps=[(deed=march,slot=B1,knights=k2),(deed=call)]"
    assert answer(s, "a", STO_8=script) == "march target=B1 knights=2 then=more"
    assert procedure.ask_of(s.state, "a").default.option == "end"


# --- replies by mail --------------------------------------------------------------------------------------------------


def reply(s: Scene, seat: str, line: str) -> str:
    heard = understand(describe(GAME, s.ask(seat), NAMES, 1), line)
    return write(heard.answer) if heard.answer is not None else ""


def test_a_reply_needs_no_word_about_what_may_be_left_open() -> None:  # MM-DEC-15, MM-DEC-16, MM-DEC-4
    s = battle()
    assert [reply(s, "a", line) for line in ("Conflict 5", "ambush", "play Conflict 2")] == [
        "play card=Conflict5",
        "play card=Ambush",
        "play card=Conflict2",
    ]
    assert reply(s, "a", "Conflict 4, all that I hold") == "play card=Conflict4 support=all"
    late = quiet().play("a: march target=B1 knights=2 then=more")
    label = next(o.label for o in describe(GAME, late.ask("a"), NAMES, 1).options if o.id == "crown")
    assert reply(late, "a", label) == "crown"
