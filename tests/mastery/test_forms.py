"""What every form of Medieval Mastery offers, and the public facts that it is worded from (MM-DEC, MM-STO)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from engine.core.asks import Answer, Ask, Refused
from engine.core.views import Event
from engine.games import game_called
from engine.mastery import score
from engine.mastery.face import variant
from engine.mastery.face.facts import facts
from engine.mastery.face.narrate import field_label, open_label, option_label, tell, title_of, word
from engine.mastery.rules.table import target, team
from tests.mastery.scene import NAMES, Scene, battle
from tests.shape import shape

GAME = game_called("mastery")
HELD = "a: knights=6\na.hand: {hand}\na.artefacts: Vitality\nb.artefacts: Rage\nB1: Forest a 2\nD1: City a 1\nB2: Forest b 2\n"
"""Lord a holds B1 beside his castle, and D1 behind B1; b has come in between."""


def test_what_every_standing_order_can_say() -> None:  # MM-STO-1 to 11
    s = Scene("order: a c b d\noptions: teams=2\na.hand: Conflict2", "a b c d")
    told = [shape(ask) for ask in GAME.orders.asks(s.state, "a")]
    assert "\n".join(told) + "\n" == (Path(__file__).parent / "order_forms.txt").read_text("utf-8")
    assert {ask.seat for ask in GAME.orders.asks(s.state, "a")} == {"a"}


def test_what_the_early_window_offers() -> None:  # MM-DEC-3, MM-TRN-4
    s = Scene(HELD.format(hand="CallToArms, TacticalAdvance, Fracture, Conflict2"))
    unit = "    in_b1 1..6 (2)\n    in_d1 1..6 (1)\n    target=A1|A3|B2|C1|C3|D2|E1?\n    knights 0..6 (None)\n"
    assert shape(s.ask()) == (
        f"early MM-DEC-3: end\n  march rest 6\n{unit}    then=end?\n  tactical rest 6\n{unit}"
        "  call\n  crown\n  fracture\n    artefact=Rage\n  end"
    )


def test_a_form_about_knights_is_worded_from_where_they_stand() -> None:  # MM-DEC-11, MM-SUP-1
    s = Scene(HELD.format(hand="Conflict2") + "E3: Forest a 3")
    assert (s.ask().about["crown"], s.ask().about["points"]) == ("Vitality", "5")
    assert s.ask().about["owners"] == {x.name: seat for seat in "ab" for x in s.lord(seat).artefacts()}
    for ask in (s.ask(), s.play("a: crown").until("redistribute").ask()):
        assert (ask.about["castle"], ask.about["slot"]) == ("6", "A2")
        assert ask.about["lands"] == {"B1": "2", "D1": "1", "E3": "3 cut"}
        assert ask.about["castles"] == {"A2": "a", "E2": "b"}
        assert ask.about["tiles"] == {slot: land.tile for slot, land in s.table.lands.items()}


def test_who_owns_fear_is_asked_about_it_with_the_window_or_alone() -> None:  # MM-DEC-13, MM-DEC-14, MM-ASY-4
    sceptres = "a.artefacts: Fear\nb.artefacts: Vigour\nc.hand: Fracture, Conflict2"
    s = battle("Forest", 2, 5, sceptres, b="Conflict2, Fracture", seats="a b c")
    assert shape(s.ask("b")) == (
        "fracture MM-DEC-13: pass\n  pass\n    match=yes|no?\n"
        "  plan\n    first=pass|Fear?\n    without_vigour=pass|Fear?\n    match=yes|no?"
    )
    assert s.ask("b").about == {
        "what": "sceptre",
        "aims": ["Fear", "Vigour"],
        "owners": {"Fear": "a", "Vigour": "b"},
        "seat": "a",
        "attacker": "a",
        "defender": "b",
        "aimed": "",
        "broken": ["Vigour"],
        "open": "standing",
        "works": ["Fear", "Vigour"],
        "artefact": "Vigour",
        "own": "5",
        "other": "2",
    }
    assert shape(s.ask("c")) == (
        "fracture MM-DEC-13: pass\n  pass\n  plan\n    first=pass|Fear|Vigour?\n"
        "    without_fear=pass|Vigour?\n    without_vigour=pass|Fear?"
    )
    assert "artefact" not in s.ask("c").about
    alone = battle("Forest", 2, 5, "a.artefacts: Fear", a="Conflict2", b="Conflict2, Fracture", seats="a b c")
    assert shape(alone.ask("a")) == "fracture MM-DEC-14: yes\n  yes\n  no"
    assert (alone.ask("a").about["what"], alone.ask("b").about["what"]) == ("match", "sceptre")


def test_a_host_chooses_rules_teams_and_seating() -> None:  # MM-DEC-1
    rules = "rules[0..4]=castle_siege|cut_throat|skirmish|mayhem"
    assert shape(variant.ask(6)) == (
        f"variant MM-DEC-1: play seating=random\n  play\n    {rules}\n"
        "    allegiance=teams_of_2|teams_of_3?\n    seating=random|fixed?"
    )
    assert shape(variant.ask(4)).split("\n")[3] == "    allegiance=teams_of_2?"
    assert variant.ask(4).seat == "" and "allegiance" not in shape(variant.ask(5))
    assert variant.write(4, {}) == Answer("play", {"seating": "random"}), "games that are older than the choice of seating"


def test_what_may_be_answered_before_the_own_turn_begins() -> None:  # MM-ASY-6
    s = Scene("a: knights=6\nb: knights=4\nb.hand: Conflict2\na.hand: Conflict2\nb.artefacts: Fury\nturn: 2\n")
    assert GAME.orders.coming(s.state, "a") == [], "it is his turn"
    (ask,) = GAME.orders.coming(s.state, "b")
    assert (ask.seat, ask.kind) == ("b", "early")
    assert ask.option("march").rest == 4 + 3, "with the knights that will be placed"
    assert "knights 0..6" in shape(ask)
    s.table.crown_used = True
    assert any(option.id == "crown" for option in GAME.orders.coming(s.state, "b")[0].options), "each turn has its own"
    won = Scene("a: knights=3\nC1: City a 1\nC3: City a 1\nB2: Fortress a 1\nD1: Fortress a 1\nA1: Village")
    won.play("a: march target=A1 knights=1")
    assert won.winners == ["a"] and GAME.orders.coming(won.state, "b") == []


def test_in_a_window_on_a_crown_the_crown_works() -> None:  # MM-DEC-7, MM-AMB-38
    s = Scene("a.artefacts: Corruption\na.hand: Conflict2\nb.artefacts: Rage\nb.hand: Fracture, Conflict2", "a b c")
    about = s.play("a: crown artefact=Rage").ask("b").about
    assert (about["what"], about["aims"], about["works"]) == ("crown", ["Corruption"], ["Corruption"])
    assert (about["seat"], about["aimed"], about["attacker"], about["defender"]) == ("a", "b", "", "")


def test_why_a_card_may_be_discarded_is_said() -> None:  # MM-DEC-10, MM-DEC-20
    s = Scene("a.artefacts: Fury\na.hand: Conflict2\nb.hand: Conflict2").play("a: crown").until("discard")
    assert s.ask().about == {"why": "crown", "artefact": "Fury"}
    assert shape(s.ask()) == "discard MM-DEC-10: keep\n  keep\n  discard\n    card=Conflict2"
    s = Scene("a: knights=3\na.hand: Conflict2, 2 Conflict3\nB1: Ruins").play("a: march target=B1 knights=2")
    assert s.ask().about == {"why": "tile", "tile": "Ruins", "slot": "B1"}
    assert shape(s.ask()) == "discard MM-DEC-20: keep\n  keep\n  discard\n    card=Conflict2|Conflict3*2"


def test_homelands_say_that_they_share_the_first_knights() -> None:  # MM-TER-1, MM-HID-2
    s = Scene("B1: Homelands\nB2: Arena\nA1: Village")
    shown = {m["slot"]: m.get("abilities") for m in s.seen("a")["map"]}
    assert [shown[x] for x in ("B1", "B2")] == [["START_KNIGHTS"], ["ARENA_ROLL"]]


def test_a_host_is_refused_what_excludes_each_other() -> None:  # MM-OPT-1, MM-DEC-1
    chosen = Answer("play", {"rules": ["castle_siege"], "allegiance": "teams_of_2", "seating": "fixed"})
    with pytest.raises(Refused):
        GAME.rules.variants.read(4, chosen, "")


def test_a_question_about_a_fracture_that_says_less_is_asked_as_of_crowns() -> None:  # MM-DEC-13
    """Games that are under way were asked by what didn't say yet which artefact works how."""
    ask = battle("Forest", 2, 5, "a.artefacts: Fear", a="Conflict2", b="Conflict2, Fracture", seats="a b c").ask("a")
    older = {k: v for k, v in ask.about.items() if k not in ("what", "works")}
    as_of_crowns = msgspec.structs.replace(ask, facts={**older, "what": "crown", "works": []})
    assert title_of(msgspec.structs.replace(ask, facts=older), NAMES) == title_of(as_of_crowns, NAMES)
    assert title_of(as_of_crowns, NAMES).startswith("Break ")
    broken = battle("Forest", 2, 5, "a.artefacts: Rage\nb.artefacts: Loyalty\nc.hand: Conflict2, Fracture", seats="a b c").ask(
        "c"
    )
    left_open = msgspec.structs.replace(broken, facts={k: v for k, v in broken.about.items() if k != "open"})
    assert field_label(left_open, "plan", "without_rage", NAMES) == "If Sceptre of Rage is already broken"
    assert open_label(left_open, "plan", "without_rage", NAMES) == "Pass"


def test_the_crown_of_an_option_is_called_by_its_name() -> None:  # MM-DEC-3
    ask = Scene("a.artefacts: Order\na.discard: Ambush@0").ask("a")
    assert option_label(ask, "crown", NAMES) == "Use your Crown of Order"


def test_an_answer_in_advance_holds_while_the_own_position_is_the_same() -> None:  # MM-STO-10
    """The fingerprint is kept with the answer: as long as it always was, and another for each thing that is one's own."""
    own = "a: knights={}\na.hand: {}\na.artefacts: {}\nB1: Forest a {}\nb.artefacts: Rage\n"
    here = Scene(own.format(6, "Conflict2", "Fury", 2)).state
    first = GAME.orders.stance(here, "a")
    assert len(first) == 16 and first == GAME.orders.stance(Scene(own.format(6, "Conflict2", "Fury", 2)).state, "a")
    others = (
        (5, "Conflict2", "Fury", 2),
        (6, "Conflict3", "Fury", 2),
        (6, "Conflict2", "Fury@1", 2),
        (6, "Conflict2", "Fury", 3),
    )
    for other in others:
        assert GAME.orders.stance(Scene(own.format(*other)).state, "a") != first, other


def test_the_score_of_a_lord_is_that_of_his_team() -> None:  # MM-VIC-1, MM-VIC-2
    alone = Scene("B1: City a 2")
    assert score(alone.state, "a") == (alone.points("a"), target(alone.table)) and alone.points("a") > 0
    teams = Scene("order: a c b d\noptions: teams=2\nC3: City a 1", "a b c d")
    mates = team(teams.table, "a")
    assert len(mates) == 2
    assert {score(teams.state, s) for s in mates} == {(sum(map(teams.points, mates)), target(teams.table))}


def test_a_sign_has_a_word_of_its_option_below_it() -> None:  # MM-DEC-3
    assert (GAME.words.labels.short("march"), GAME.words.labels.short("tactical"), GAME.words.labels.short("gather")) == (
        "March",
        "Advance",
        "",
    )


def test_what_is_broken_first_is_numbered_where_a_second_may_follow() -> None:  # MM-DEC-13
    def label(**facts: list[str]) -> str:
        return field_label(Ask("a", "fracture", (), Answer("pass"), facts=facts), "plan", "first", NAMES)

    one, two = label(aims=["Fear"], broken=[]), label(aims=["Fear", "Rage"], broken=["Rage"])
    assert one != two and label(aims=["Fear", "Rage"], broken=[]) == one and label(aims=["Fear"], broken=["Rage"]) == two


def test_what_the_rules_of_a_game_say_is_there_to_be_shown() -> None:  # MM-CMP-1
    told = facts()
    assert sum(card["copies"] for card in told["cards"]) == 18
    assert {card["id"] for card in told["cards"]} >= {"Fracture", "CallToArms"}


def test_an_ability_is_called_by_its_words() -> None:  # MM-TER-1
    assert word("START_KNIGHTS", NAMES) == "shares the starting knights"


def test_who_goes_home_without_a_loss_is_told_so() -> None:  # MM-RET-2
    event = Event("retreated", {"seat": "a", "slot": "A3", "lost": 0, "retreat": 3})
    assert tell(event, NAMES, None) == "Lord A took 3 knights home."


def test_to_keep_is_said_of_a_card_and_of_knights_in_words_of_their_own() -> None:  # MM-CRN-3, MM-CRN-8
    card = Scene("a.artefacts: Fury\na.hand: Conflict2\nb.hand: Conflict2").play("a: crown").until("discard")
    knights = Scene("a: knights=2\na.artefacts: Vitality\na.hand: Conflict2\nb.hand: \nB1: Forest a 5").play("a: crown")
    told = [option_label(s.ask("a"), "keep", NAMES) for s in (card, knights)]
    assert told == ["Keep all cards", "Leave them where they are"]


def test_the_public_facts_name_tiles_and_options_as_pages_ask_for_them() -> None:  # MM-CMP-6, MM-OPT-1
    told = facts()
    assert told["options"] == [{"allegiance": 2}, {"rules": ["castle_siege", "cut_throat", "skirmish", "mayhem"]}]
    city = next(tile for tile in told["tiles"] if tile["id"] == "City")
    assert city == {"id": "City", "value": 3, "capacity": 6, "abilities": city["abilities"]}
    assert told["points"] == 13 and {"id": "Rage", "use": "use:Rage"} in told["regalia"]


@pytest.mark.parametrize(("stamp", "offered"), [(3, True), (4, True), (5, False)])
def test_what_may_be_answered_ahead_counts_turns_to_the_own_next(stamp: int, offered: bool) -> None:  # MM-ASY-6, MM-AMB-33
    """Of three b is the last to come: turn 7. By this ruling a card is old that came to the pile up to the own last turn."""
    s = Scene(
        f"turn: 5\nactive: c\nrulings: MM-AMB-33=own\nb.artefacts: Order\nb.discard: Ambush@{stamp}\nb.hand: Conflict2", "a b c"
    )
    (ask,) = GAME.orders.coming(s.state, "b")
    assert any(option.id == "crown" for option in ask.options) is offered
    usual = Scene(f"turn: 5\nactive: c\nb.artefacts: Order\nb.discard: Ambush@{stamp}\nb.hand: Conflict2", "a b c")
    assert any(option.id == "crown" for option in GAME.orders.coming(usual.state, "b")[0].options), "old since any turn before"


def test_an_answer_in_advance_holds_though_the_knights_of_the_turn_were_placed() -> None:  # MM-STO-10, MM-TRN-3
    s = Scene("a: knights=3\nactive: b\na.hand: Conflict2")
    before = GAME.orders.stance(s.state, "a")
    s.play("b: end")
    assert s.asked == ["a"] and s.knights("a") == 6 and GAME.orders.stance(s.state, "a") == before


def test_the_facts_of_the_box_name_each_card_with_its_use() -> None:  # MM-CMP-2, MM-CMP-3
    cards = {card.pop("id"): card for card in facts()["cards"]}
    assert cards["Conflict2"] == {"copies": 2, "value": 2, "use": "conflict"}
    assert cards["Ambush"] == {"copies": 2, "value": 0, "use": "ambush"}
    assert cards["Support2"] == {"copies": 2, "value": 2, "use": "support"}
    assert cards["Fracture"] == {"copies": 1, "value": 0, "use": "Fracture"}
