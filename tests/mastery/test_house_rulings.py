"""The house rulings of Medieval Mastery: what a host may choose, each of its alternatives. The default stands unsaid."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import rulings
from engine.core.asks import read
from engine.games import GAMES
from engine.mastery.rules.battle import at_once
from engine.mastery.rules.reckoning import last_round
from engine.mastery.rules.setup import fresh_table, start_knights
from engine.tools import playout
from tests.mastery.scene import HAND, NAMES, Scene, battle, rolls, script
from tests.mastery.test_board import board

GAME = GAMES["mastery"]
HOUSE = [ruling.id for ruling in rulings.house(GAME.rules.rulings)]


def by(id: str, value: str) -> str:
    """The line of a position that is played by one ruling; none for the default."""
    return f"rulings: {id}={value}\n" if value else ""


def ahead(text: str, answer: str) -> str:
    """What is said of the first lord's answer before it counts."""
    return GAME.face.preview(Scene(text).state, "a", read(answer), NAMES)


def sides(id: str) -> list[str]:
    """The default unsaid, and what differs from it."""
    ruling = GAME.rules.rulings[id]
    return ["", *(v for v in ruling.alternatives if v != ruling.default)]


def test_there_is_enough_to_choose_and_a_mend_is_no_choice() -> None:
    assert len(HOUSE) >= 12 and not {"MM-ASY-4", "MM-ASY-5", "MM-FRA-10"} & {*HOUSE} and "MM-AMB-24" in HOUSE
    assert all(GAME.rules.rulings[id].default == GAME.rules.rulings[id].before for id in HOUSE)


# --- turns ------------------------------------------------------------------------------------------------------------


def test_in_what_order_cards_and_crown_are_used() -> None:
    # MM-AMB-5, MM-TRN-4
    text = "a: knights=4\na.hand: CallToArms, TacticalAdvance, Fracture, Conflict2\na.artefacts: Fury\nb.artefacts: Rage\n"
    for value in sides("MM-AMB-5"):
        s = Scene(text + by("MM-AMB-5", value)).play("a: call", "a: crown", "a: keep")
        cards = {"tactical", "fracture"} & s.options()
        assert bool(cards) == (value != "fixed")
        for card in ("tactical", "fracture artefact=Rage", "call"):
            assert ("At this table" in s.refused(f"a: {card}")) == (value == "fixed")
        s.play("a: march target=B1 knights=1")
        assert s.step == "late" and {"tactical", "fracture"} <= s.options(), "after the march they are open again"
        late = Scene(text.replace("CallToArms, ", "") + by("MM-AMB-5", value)).play("a: march target=B1 knights=1")
        late.play("a: crown", "a: keep")
        assert late.table.active == ("b" if value else "a"), "nothing is left to do after it"


def test_whether_a_march_has_to_move_knights() -> None:
    # MM-AMB-9, MM-RED-1
    text = "a: knights=4\nB1: Fort a 1\na.hand: TacticalAdvance, Conflict2\n"
    for value in sides("MM-AMB-9"):
        s = Scene(text + by("MM-AMB-9", value))
        for still in ("a: march", "a: march in_b1=1", "a: tactical"):
            if value:
                assert "must move somebody" in s.refused(still)
        if not value:
            assert Scene(text).play("a: march").step == "late"
        assert Scene(text + by("MM-AMB-9", value)).play("a: march in_b1=2").step == "late"


def test_how_often_a_crown_is_used() -> None:
    # MM-AMB-10, MM-CRN-1
    for value in sides("MM-AMB-10"):
        s = Scene("a: knights=4\na.artefacts: Fury\na.hand: Fracture, Conflict2\n" + by("MM-AMB-10", value))
        s.play("a: crown", "a: keep")
        assert "crown" not in s.options()
        assert s.refused("a: crown") == (
            "You have used Fury already; at this table a crown is used once before the march and once after it."
            if value
            else "You have used Fury this turn; a crown is used once in a turn."
        )
        s.play("a: march target=B1 knights=1")
        assert ("crown" in s.options()) == (value == "window")
        if value:
            s.play("a: crown", "a: keep")
            assert "crown" not in s.options(), "and once after it"


def test_whether_knights_come_on_a_lords_first_turn() -> None:
    # MM-AMB-11, MM-TRN-3
    for value in sides("MM-AMB-11"):
        text = "turn: 1\nfirst: a\na: knights=4\nb: knights=2\n" + by("MM-AMB-11", value)
        s = Scene(text).play("a: end")
        assert s.table.active == "b" and s.knights("b") == (2 if value else 5)
        s.play("b: end")
        assert s.knights("a") == 7, "on every other turn they come"


# --- battles ----------------------------------------------------------------------------------------------------------


def test_which_knights_count_in_the_arena() -> None:
    # MM-AMB-19, MM-BAT-4
    for value in sides("MM-AMB-19"):
        s = battle("Arena", 3, 4, by("MM-AMB-19", value), chance={"arena": rolls(2, 5)})
        assert s.scores == ((3, 4) if value else (2, 4)) and s.table.dispute is not None and s.table.dispute.knights == 2


def after_the_reveal(value: str, id: str) -> Scene:
    """6 against 7 with support cards in hand: the attacker has the first option."""
    s = battle("Forest", 4, 3, by(id, value))
    return s.play("a: play card=Conflict2", "b: play card=Conflict4")


def test_whether_a_pass_is_final() -> None:
    # MM-AMB-25, MM-BAT-14
    for value in sides("MM-AMB-25"):
        s = after_the_reveal(value, "MM-AMB-25")
        s.play("a: pass")
        assert s.asked == ["b"]
        s.play("b: support cards=[Support1]")
        assert s.asked == (["b"] if value else ["a"])
        if value:
            s.play("b: pass")
            assert s.told("result"), "and all have passed"


def test_how_many_support_cards_go_at_a_time() -> None:
    # MM-AMB-26, MM-BAT-13
    for value in sides("MM-AMB-26"):
        s = after_the_reveal(value, "MM-AMB-26")
        refused = s.refused("a: support cards=[Support1,Support2]")
        assert bool(refused) == (value == "one")
        if value:
            s.play("a: support cards=[Support2]", "b: pass", "a: support cards=[Support1]")
            assert s.scores == (9, 7), "one after the other they come to the same"


def test_orders_for_support_play_one_card_at_a_time_too() -> None:
    # MM-AMB-26, MM-STO-3
    for value in sides("MM-AMB-26"):
        s = after_the_reveal(value, "MM-AMB-26")
        assert at_once(s.table, ["Support1", "Support2"]) == (["Support2"] if value else ["Support1", "Support2"])


def test_whether_one_must_play_a_conflict_card() -> None:
    # MM-AMB-60, MM-BAT-9
    for value in sides("MM-AMB-60"):
        s = battle("Forest", 4, 3, by("MM-AMB-60", value))
        assert s.options("a") == ({"play", "withhold"} if value else {"play"})
        assert s.ask("a").default.option == "play"
        if value:
            s.play("a: withhold", "b: play card=Conflict2")
            assert s.scores == (4, 5) and s.told("conflict")[0]["cards"] == ["", "Conflict2"]


def test_what_a_fracture_in_a_battle_may_break() -> None:
    # MM-AMB-38, MM-FRA-4
    text = "a.artefacts: Rage\nb.artefacts: Rage\n".replace("b.artefacts: Rage", "b.artefacts: Influence")
    for value in sides("MM-AMB-38"):
        s = battle("Forest", 4, 3, text + by("MM-AMB-38", value), a=HAND + ", Fracture", b=HAND + ", Fracture")
        assert s.step == "fracture" and s.asked == (["b"] if value else ["a", "b"]), "Influence works for an attacker alone"
        idle = battle("Forest", 4, 3, "b.artefacts: Influence\n" + by("MM-AMB-38", value), a=HAND + ", Fracture")
        assert idle.step == ("conflict" if value else "fracture")


# --- conquest ---------------------------------------------------------------------------------------------------------

TWELVE = "C1: City a 1\nC3: City a 1\nB2: Fortress a 1\nD1: Fortress a 1\n"


def test_when_points_win_that_the_place_takes_away_again() -> None:
    # MM-AMB-41, MM-VIC-2
    for value in sides("MM-AMB-41"):
        text = "a: knights=3\n" + TWELVE + "A1: Marshlands\n" + by("MM-AMB-41", value)
        assert Scene(text).play("a: march target=A1 knights=1").winners == ([] if value else ["a"])
        assert Scene(text).play("a: march target=A1 knights=2").winners == ["a"], "one is left there"
        alone, two = (ahead(text, f"march target=A1 knights={n}") for n in (1, 2))
        assert two.endswith("you have 13 points, and the game is won.")
        assert (alone == two.replace("castle: 1 knight.", "castle: 2 knights.")) == (not value)
        assert alone.endswith("you still have 12 points.") == bool(value)
        marsh = next(t for t in board(Scene(text), "a").takings if t.seen["slot"] == "A1")
        assert marsh.wins and marsh.sinks == bool(value), "where it wins at once, one knight is enough"
        village = Scene(text.replace("Marshlands", "Village")).play("a: march target=A1 knights=1")
        assert village.winners == ["a"] and bool(village.told("gained")) == bool(value), "the place works before the win"


def test_what_the_marshlands_do_to_a_single_knight() -> None:
    # MM-AMB-44, MM-TER-7
    for value in sides("MM-AMB-44"):
        s = Scene("a: knights=4\nB1: Marshlands\n" + by("MM-AMB-44", value)).play("a: march target=B1 knights=1")
        assert s.land("B1") == ("Marshlands a 1" if value else "Marshlands")
        told = ahead("a: knights=4\nB1: Marshlands\n" + by("MM-AMB-44", value), "march target=B1 knights=1")
        kept = "it is yours at once; you then have 1 point."
        assert told.endswith(kept if value else "the place stays vacant, and you still have 0 points.")
        held = "a: knights=4\nB1: Marshlands b 1\n" + by("MM-AMB-44", value)
        assert f"If you win, you have {'1 point' if value else '0 points'}" in ahead(held, "march target=B1 knights=1")
        fight = Scene(held).play("a: march target=B1 knights=1")
        assert (stake := board(fight, "b").stake) is not None and stake.attacker == bool(value)
        s = Scene("a: knights=4\nB1: Marshlands\n" + by("MM-AMB-44", value)).play("a: march target=B1 knights=2")
        assert s.land("B1") == "Marshlands a 1", "of two they take one by either"


# --- crowns and piles -------------------------------------------------------------------------------------------------


def test_which_discards_the_crown_of_order_brings_back() -> None:
    # MM-AMB-33, MM-CRN-8
    text = "turn: 7\na.artefacts: Order\na.discard: Ambush@0, Conflict2@5, Conflict3@6, Conflict4@7\n"
    for value in sides("MM-AMB-33"):
        s = Scene(text + by("MM-AMB-33", value))
        assert s.ids("crown", "card") == {"Ambush", "Conflict2"} | (set() if value else {"Conflict3"})
        s.play("a: crown card=Conflict2").until("early", "late")
        assert s.told("reclaimed")[0]["card"] == "Conflict2"
    alone = Scene("turn: 7\na.artefacts: Order\na.discard: Conflict3@6\n" + by("MM-AMB-33", "own"))
    assert "crown" not in alone.options()


def test_on_whom_corruption_and_prosperity_may_be_used() -> None:
    # MM-AMB-49, MM-CRN-5, MM-CRN-9
    for value in sides("MM-AMB-49"):
        s = Scene("a.artefacts: Corruption\nb.artefacts: Rage\n" + by("MM-AMB-49", value))
        assert ("Corruption" in s.ids("crown", "artefact")) == (not value) and "Rage" in s.ids("crown", "artefact")
        s = Scene("a.artefacts: Prosperity\n" + by("MM-AMB-49", value))
        assert s.ids("crown", "lord") == ({"b"} if value else {"a", "b"})
        down = "a.artefacts: Corruption\nb.artefacts: Order@0, Rage@0, Greed@0\n"
        assert ("crown" in Scene(down + by("MM-AMB-49", value)).options()) == (not value), "nothing of others stands"


def test_whether_discard_piles_may_be_searched() -> None:
    # MM-AMB-47
    for value in sides("MM-AMB-47"):
        s = Scene("turn: 7\na.discard: Ambush@0, Conflict3@3, Conflict2@5\n" + by("MM-AMB-47", value))
        shown: dict[str, Any] = s.seen("b")["lords"][0]
        assert shown["discarded"] == 3
        assert [d["card"] for d in shown["discard"]] == (["Conflict2"] if value else ["Ambush", "Conflict3", "Conflict2"])
        assert ("Ambush@0" in GAME.rules.notation.seen(s.state, "b")) == (not value)
        assert "Ambush@0" in GAME.rules.notation.whole(s.state)


# --- set-up and the end -----------------------------------------------------------------------------------------------


def test_where_the_knights_of_mayhem_start() -> None:
    # MM-AMB-55, MM-OPT-12
    for value in sides("MM-AMB-55"):
        for rules, whole in (([], 6), (["mayhem"], 12)):
            ruled = {"MM-AMB-55": value} if value else {}
            tiles = "Homelands Homelands Village Village"
            table = fresh_table(["a", "b"], {"rules": rules, "seating": "fixed"}, script({"tiles-1": [tiles]}), ruled)
            start_knights(table)
            homes = [land for land in table.lands.values() if land.holder]
            spread = whole if value else 6
            for lord in table.lords.values():
                own = [land.knights for land in homes if land.holder == lord.seat]
                assert own == [spread // (len(own) + 1)] * len(own) and lord.knights + sum(own) == whole
            assert homes


def ended(value: str, text: str, seats: str = "a b", round: int = 6) -> Scene:
    """The last lord's last turn of a round is played."""
    n = len(seats.split())
    last = seats.split()[-1]
    return Scene(f"turn: {round * n}\nactive: {last}\nfirst: a\n{text}\n{by('MM-AMB-56', value)}", seats).play(f"{last}: end")


def test_the_short_game_ends_after_the_last_turn_of_its_last_round() -> None:
    # MM-AMB-56, MM-VIC-5
    text = "a: knights=3\nb: knights=9\nC1: City a 1\nB2: Fort b 2"
    s = ended("", text)
    assert s.winners == [] and s.table.active == "a" and last_round(s.table) == 0, "without one it goes on"
    s = ended("6", text)
    assert s.winners == ["a"] and s.table.outcome is not None and s.table.outcome.how == "last_round"
    assert [(e["seats"], e["points"], e["knights"]) for e in s.told("reckoned")] == [(["a"], 3, 4), (["b"], 2, 11)]
    assert "The last round is over: Lord A won." in s.heard(None)
    early = ended("6", text, round=5)
    assert early.winners == [] and early.told("last_round") == [{}]
    assert ended("6", text, round=4).told("last_round") == [], "it is told before the last round alone"
    for value in ("8", "10", "12"):
        assert ended(value, text).winners == [] and ended(value, text, round=int(value)).winners == ["a"]


def test_what_breaks_ties_in_the_short_game_and_how_teams_are_counted() -> None:
    # MM-AMB-56, MM-OPT-3
    level = "C1: City a 1\nC3: City b 1\n"
    assert ended("6", "a: knights=3\nb: knights=4\n" + level).winners == ["b"], "more knights on the map"
    s = ended("6", "a: knights=4\nb: knights=4\n" + level)
    assert s.winners == ["a", "b"] and "The last round is over: Lord A and Lord B won together." in s.heard(None)
    teams = "options: teams=2\nC3: City a 1\nD3: City b 1\nB2: Fort d 1\nC1: Village c 1\n"
    s = ended("6", teams, "a b c d")
    assert s.winners == ["b", "d"], "3 and 2 against 3 and 1"


# --- whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", HOUSE)
def test_every_side_of_every_ruling_plays_to_an_end(id: str) -> None:
    for value in sides(id)[1:]:
        ruled = rulings.chosen(GAME.rules.rulings, {id: value})
        for bot in ("random", GAME.bots.steward):
            tally = playout.Tally()
            options = {"rules": ["mayhem"]} if id == "MM-AMB-55" else {}
            state = playout.play_one(GAME, 2, [bot], f"{id}/{value}", tally, options, ruled)
            assert not tally.stalls and state.table.outcome is not None
