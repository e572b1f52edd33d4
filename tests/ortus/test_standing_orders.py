"""Standing orders of Ortus Regni (rules 14.2), one by one: what they answer, and when they leave it to their owner."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.bots.random import legal_at_random
from engine.core.asks import Answer, Ask, Choice, PickOne, PickSome, Refused, Row, Rows, read, write
from engine.core.chance import Chance
from engine.core.procedure import ask_of, begin, play, vet
from engine.ortus import ORTUS, setup
from engine.ortus.face.view import OrtusState
from engine.ortus.orders import words
from engine.ortus.orders.politics import CLASSES, threat
from engine.ortus.rules.pieces import strength
from engine.ortus.rules.turn import Turn
from engine.play import orders
from engine.play.match import replay
from engine.ui.forms import RowsField, choices_of, describe
from tests.contract.walk import AT, fresh
from tests.ortus.scene import Scene

LAND = "a.F1: Palace (Champion) {3 Land}\na.reserve: K, K, I\n"
TREACHERY = "a.hand: Treachery, Intrigue, 3 Vassal\n"


def given(s: Scene, seat: str, late: bool = False, **settings: str) -> str:
    """What the orders answer to the seat's ask; empty where it is asked."""
    before = ORTUS.rules.encode(s.state)
    chosen = {id.replace("_", "-"): text for id, text in settings.items()}
    for id, text in chosen.items():
        orders.check(ORTUS, s.state, seat, id.rstrip("+"), read(text))
    found = orders.answer(ORTUS, s.state, seat, chosen, Chance("guess"), late)
    assert ORTUS.rules.encode(s.state) == before, "an order changed the position"
    return write(found) if found is not None else ""


def test_passing_is_given_at_once_only_where_it_is_all_there_is() -> None:  # SO-01, OR-DEC-6
    s = Scene(TREACHERY + "b.hand: Land\nb.F2: Castle (Vassal) {}").play("a: treachery aim=lord:b:F2")
    assert given(s, "b") == "" and given(s, "b", SO_01="on") == "decline"
    s = Scene(TREACHERY + "b.hand: Allies\nb.F2: Castle (Vassal) {}").play("a: treachery aim=lord:b:F2")
    assert given(s, "b", SO_01="on") == ""
    s = Scene(LAND + "b.hand: Land\nb.F1: Palace (-) {}").play("a: attack target=siege:b:F1 lords=[lord:F1]")
    assert given(s, "b", SO_01="on") == "stand_down"
    s = struck()
    assert given(s, "b", SO_01="on", SO_06="on damage=ask") == "", "who is hit is no pass, though it is the only option"


@pytest.mark.parametrize(
    ("text", "attempt", "found"),
    [
        ("b.F1: Palace (Vassal) {}", "treachery aim=lord:b:F1", "palace_lord"),
        ("b.F1: Castle (Vassal) {}", "treachery aim=lord:b:F1", "last_lord"),
        ("b.F1: Castle (Prince) {}\nb.F2: Castle (-) {}", "treachery aim=lord:b:F1", "prince_lord"),
        ("b.F1: Castle (Monk) {}\nb.F2: Castle (-) {}", "treachery aim=lord:b:F1", "lord"),
        ("", "treachery aim=hand:b", "hand"),
        ("b.M1: Mercenary (-)", "treachery aim=mercenary:b:1", "mercenary_gone"),
        ("b.F2: Castle (-) {Cathedral, Land}", "intrigue aim=properties:b:F2", "church"),
        ("b.F2: Castle (-) {Land, Church}", "intrigue aim=properties:b:F2", "properties"),
        ("b.reserve: K", "intrigue aim=armies:b", "armies"),
        ("b.M1: Mercenary (-)", "intrigue aim=mercenary:b:1", "mercenary_stolen"),
    ],
)
def test_allies_by_the_class_of_the_threat(text: str, attempt: str, found: str) -> None:  # SO-02
    s = Scene(TREACHERY + "b.hand: Allies, Land\n" + text).play(f"a: {attempt}")
    attempt_ = s.state.stack[-1]
    assert threat(s.table, attempt_.about()) == found
    assert given(s, "b", SO_02=f"on {found}=always") == "allies"
    assert given(s, "b", SO_02=f"on {found}=never") == "decline"
    others = " ".join(f"{c}=always" for c in CLASSES if c != found)
    assert given(s, "b", SO_02=f"on {others}") == ""


def test_always_without_any_is_asked_like_everybody() -> None:  # SO-02, OR-INFO-8
    s = Scene(TREACHERY + "b.hand: Land\nb.F1: Palace (Vassal) {}").play("a: treachery aim=lord:b:F1")
    assert given(s, "b", SO_02="on palace_lord=always") == ""
    assert given(s, "b", SO_02="on palace_lord=always", SO_01="on") == "decline"


STRUGGLE = TREACHERY + "b.hand: Allies, 3 Vassal\nb.F1: Palace (Vassal) {}\nb.F2: Castle (Vassal) {}"


def test_a_struggle_is_worth_so_many_vassals_and_no_more() -> None:  # SO-03
    s = Scene(STRUGGLE).play("a: treachery aim=lord:b:F1", "b: allies", "a: commit vassal=hand:Vassal/a")
    assert given(s, "b", SO_03="on first=hand limits=[(of=palace_lord,vassals=1,lords=0)]") == "commit vassal=hand:Vassal/b"
    assert given(s, "b", SO_03="on first=hand limits=[(of=palace_lord,vassals=0,lords=0)]") == "pass"  # never spend Vassals
    assert given(s, "b", SO_03="on first=lords limits=[(of=palace_lord,vassals=6,lords=6)]").startswith("commit vassal=lord:F")
    assert given(s, "b", SO_03="on first=hand limits=[(of=hand,vassals=6,lords=6)]") == ""  # another class
    s.play("b: commit vassal=hand:Vassal/b", "a: commit vassal=hand:Vassal/a")
    assert given(s, "b", SO_03="on first=hand limits=[(of=palace_lord,vassals=1,lords=0)]") == "pass"
    assert given(s, "b", SO_03="on first=hand limits=[(of=palace_lord,vassals=1,lords=1)]") in (
        "commit vassal=lord:F1",
        "commit vassal=lord:F2",
    )


def test_the_first_limit_that_fits_counts_though_a_later_one_names_the_threat() -> None:  # SO-03
    s = Scene(STRUGGLE).play("a: treachery aim=lord:b:F1", "b: allies", "a: commit vassal=hand:Vassal/a")
    none, some = "(of={},vassals=0,lords=0)", "(of={},vassals=2,lords=0)"
    assert given(s, "b", SO_03=f"on first=hand limits=[{none},{some}]".format("any", "palace_lord")) == "pass"
    assert given(s, "b", SO_03=f"on first=hand limits=[{some},{none}]".format("palace_lord", "any")).startswith("commit")


def test_vassals_who_may_not_be_committed_are_passed_over() -> None:  # SO-03, OR-AMB-47
    text = (
        "rulings: OR-AMB-47=no\na.hand: Treachery, Vassal\nb.hand: Allies\nb.F1: Palace (Vassal) {}\nb.F2: Castle (Vassal) {}"
    )
    s = Scene(text).play("a: treachery aim=lord:b:F1", "b: allies", "a: commit vassal=hand:Vassal/a")
    assert given(s, "b", SO_03="on first=lords limits=[(of=any,vassals=0,lords=2)]") == "commit vassal=lord:F2"


def test_the_attacker_has_limits_of_his_own() -> None:  # SO-04
    s = Scene(STRUGGLE).play("a: treachery aim=lord:b:F1", "b: allies")
    assert given(s, "a", SO_04="on first=hand limits=[(of=palace_lord,vassals=1,lords=0)]") == "commit vassal=hand:Vassal/a"
    assert given(s, "a", SO_03="on first=hand limits=[(of=palace_lord,vassals=1,lords=0)]") == ""
    s.play("a: commit vassal=hand:Vassal/a", "b: commit vassal=hand:Vassal/b")
    assert given(s, "a", SO_04="on first=hand limits=[(of=palace_lord,vassals=1,lords=0)]") == "pass"


DEFENCE = (
    LAND + "b.F1: Palace (-) {}\nb.F2: Castle (Vassal) {Land}\nb.towers: Monk\nb.reserve: I, K\nb.M1: Mercenary (Infantry)\n"
)
SIEGE = "a: attack target=siege:b:F2 lords=[lord:F1] reserve=[Knight,Infantry]"


@pytest.mark.parametrize(
    ("rules", "answer"),
    [
        ("rules=[(forces=none)]", "stand_down"),
        ("rules=[(forces=one)]", "field lords=[lord:F2]"),
        ("rules=[(forces=all_lords)]", "field lords=[lord:F2]"),
        ("rules=[(forces=lords_garrisons)]", "field lords=[lord:F2] others=[garrison:1]"),
        ("rules=[(forces=just_enough)]", "field lords=[lord:F2] reserve=[Infantry] others=[garrison:1]"),
        ("rules=[(forces=everything)]", "field lords=[lord:F2] reserve=[Knight] others=[mercenary:1,garrison:1]"),
        ("rules=[(forces=ask),(forces=none)]", ""),
        ("rules=[(what=raid,forces=none)]", ""),
        ("rules=[(what=siege,forces=none)]", "stand_down"),
        ("rules=[(who=vikings,forces=none),(forces=all_lords)]", "field lords=[lord:F2]"),
        ("rules=[(who=earl:a,forces=none)]", "stand_down"),
        ("rules=[(who=earl:c,forces=none)]", ""),
        ("rules=[(where=palace,forces=none)]", ""),
        ("rules=[(where=castle,forces=none)]", "stand_down"),
        ("rules=[(where=last,forces=none)]", ""),
        ("rules=[(when=would_fall,forces=all_lords),(forces=none)]", "field lords=[lord:F2]"),
        ("rules=[(when=would_lose,forces=all_lords),(forces=none)]", "field lords=[lord:F2]"),
        (
            "rules=[(when=holdable,forces=just_enough),(forces=none)]",
            "field lords=[lord:F2] reserve=[Infantry] others=[garrison:1]",
        ),
    ],
)
def test_the_first_rule_that_fits_fields_its_forces(rules: str, answer: str) -> None:  # SO-05
    s = Scene(DEFENCE).play(SIEGE)
    assert given(s, "b", SO_05=f"on {rules}") == answer


@pytest.mark.parametrize(
    ("rules", "answer", "before"),
    [
        ("rules=[(forces=just_enough),(forces=everything)]", "", "field lords=[lord:F2] reserve=[Knight]"),
        ("rules=[(forces=just_enough),(forces=none)]", "", "stand_down"),
        ("rules=[(forces=just_enough),(forces=ask),(forces=none)]", "", ""),
        ("rules=[(forces=just_enough)]", "", ""),
        ("rules=[(when=holdable,forces=just_enough),(forces=none)]", "stand_down", "stand_down"),
    ],
)
def test_who_has_too_few_to_be_just_enough_is_asked(rules: str, answer: str, before: str) -> None:  # SO-05
    weak = DEFENCE.replace("b.M1: Mercenary (Infantry)\n", "").replace("b.towers: Monk\n", "")
    s = Scene(weak).play(SIEGE)  # five points, four cards are needed, and two could be fielded
    assert given(s, "b", SO_05=f"on {rules}") == answer
    s.table.rulings = {**s.table.rulings, "SO-05": "next"}  # as it was before there was the ruling
    assert given(s, "b", SO_05=f"on {rules}") == before


def test_the_vikings_are_nobody_who_is_named() -> None:  # SO-05, OR-AMB-89
    landed = (
        "active: c\nvikings: arrived black=8 white=0\nforce: 4 VikingInfantry\na: in cubes=9 turns=2\nb: in cubes=0 turns=2\n"
    )
    s = Scene(DEFENCE + landed + "c: in cubes=0 turns=2\nc.deck: Land").play("c: end", "a: attack target=siege:b:F2")
    assert given(s, "b", SO_05="on rules=[(who=earl:a,forces=none),(who=vikings,forces=all_lords)]") == "field lords=[lord:F2]"
    assert given(s, "b", SO_05="on rules=[(who=earl:a,forces=none)]") == "", "though it is a who sent them"
    assert given(s, "b", SO_05="on rules=[(who=any,forces=none)]") == "stand_down"


@pytest.mark.parametrize("forces", ["all_lords", "lords_garrisons", "one"])
def test_who_has_none_of_the_forces_that_a_rule_names_follows_the_next(forces: str) -> None:  # SO-05
    s = Scene(LAND + "b.F1: Palace (-) {}\nb.F2: Castle (-) {}\nb.hand: Land, Church").play(SIEGE)
    assert given(s, "b", SO_05=f"on rules=[(forces={forces}),(forces=none)]") == "stand_down"
    assert given(s, "b", SO_05=f"on rules=[(forces={forces})]") == ""
    assert given(s, "b", SO_05=f"on rules=[(forces={forces})]", SO_01="on") == "stand_down"


SAVED = LAND + "a.F2: Castle (Vassal) {}\nb.hand: Champion, Land\n"
PALACE = "a: attack target=siege:b:F1 lords=[lord:F1,lord:F2] reserve=[Knight*2]"


@pytest.mark.parametrize(
    ("text", "attack", "answer"),
    [
        # what can be held is held by just enough cards
        ("b.F1: Palace (Monk) {Land}\nb.reserve: 5 I\nb.towers: 3 Land\n", PALACE, "field lords=[lord:F1] reserve=[Infantry]"),
        # what can't is given all there is: Defender Wins would save it, and where it is the last, nothing else counts
        ("b.F1: Palace (Monk) {Land}\nb.reserve: 5 I\n", PALACE, "field lords=[lord:F1] hand=[Champion/b] reserve=[Infantry]"),
        # of a Raid, the Lords save what they can, for they lose nothing by it
        (
            "b.F1: Palace (Monk) {2 Church, Land}\nb.towers: 2 Land\n",
            PALACE.replace("siege", "raid"),
            "field lords=[lord:F1]",
        ),
        ("b.F1: Palace (-) {2 Church}\n", PALACE.replace("siege", "raid"), "stand_down"),
        ("b.F1: Palace (-) {}\nb.towers: 3 Land, 3 Castle, 3 Monk\n", PALACE, "stand_down"),
    ],
)
def test_the_preset_saves_what_can_be_saved(text: str, attack: str, answer: str) -> None:  # SO-05
    s = Scene(SAVED + text).play(attack)
    assert given(s, "b", False, **{id.replace("-", "_"): order for id, order in orders.preset(ORTUS).items()}) == answer


def test_conditions_look_at_what_would_be_lost() -> None:  # SO-05
    weak = "a: attack target=raid:b:F2 reserve=[Infantry]"
    s = Scene(DEFENCE).play(weak)  # one point, one Tower
    assert given(s, "b", SO_05="on rules=[(when=would_lose,forces=all_lords),(forces=none)]") == "stand_down"
    assert given(s, "b", SO_05="on rules=[(when=would_fall,forces=all_lords),(forces=none)]") == "stand_down"
    s = Scene(DEFENCE).play("a: attack target=tower:b lords=[lord:F1]")
    assert given(s, "b", SO_05="on rules=[(when=would_lose,forces=all_lords)]") == "field lords=[lord:F2]"


def test_two_points_past_the_towers_are_enough_against_a_castle() -> None:  # SO-05, OR-OBJ-4
    for towers, answer in ((1, "field lords=[lord:F2]"), (2, "stand_down")):
        text = DEFENCE.replace("b.towers: Monk", f"b.towers: {towers} Monk")
        s = Scene(text).play("a: attack target=siege:b:F2 lords=[lord:F1] reserve=[Infantry]")  # three points
        assert given(s, "b", SO_05="on rules=[(when=would_lose,forces=all_lords),(forces=none)]") == answer
        assert given(s, "b", SO_05="on rules=[(when=would_fall,forces=all_lords),(forces=none)]") == answer


def test_the_king_goes_with_his_lords_and_his_army_with_the_garrisons() -> None:  # SO-05
    s = Scene(DEFENCE + "king: b [Knight]").play(SIEGE)
    assert given(s, "b", SO_05="on rules=[(forces=one)]") == "field others=[king]"
    assert given(s, "b", SO_05="on rules=[(forces=all_lords)]") == "field lords=[lord:F2] others=[king]"
    found = given(s, "b", SO_05="on rules=[(forces=lords_garrisons)]")
    assert found == "field lords=[lord:F2] others=[king,royal:Knight,garrison:1]"


HITS = LAND + "b.F1: Palace (Vassal) {Land}\nb.reserve: I, K\nb.M1: Mercenary (-)\nbattle: NB\n"


def struck() -> Scene:
    s = Scene(HITS).play(
        "a: attack target=siege:b:F1 lords=[lord:F1]", "b: field lords=[lord:F1] reserve=[Knight] others=[mercenary:1]"
    )
    assert s.step == "defender_hits" and s.ask("b").rule == "D-45"
    return s


def test_damage_goes_where_it_costs_nothing_or_is_asked() -> None:  # SO-06
    s = struck()  # two points; a Lord absorbs one freely, the second would kill
    assert given(s, "b") == "" and given(s, "b", SO_06="on damage=free") == ""
    assert given(s, "b", SO_06="on damage=ask") == ""
    assert given(s, "b", SO_06="on damage=rational") == write(s.ask("b").default)
    own = "on damage=own hit_order=[mercenary,Knight,Infantry,garrison,lord,hand,king,force]"
    assert given(s, "b", SO_06=own) == "hit cards=[reserve:Knight,mercenary:1]"


def test_free_absorbers_stand_from_the_start() -> None:  # SO-06
    text = LAND + "b.F1: Palace (Vassal) {Land}\nb.F2: Castle (Champion) {}\nb.reserve: K\nbattle: NB\n"
    s = Scene(text).play("a: attack target=siege:b:F1 lords=[lord:F1]", "b: field lords=[lord:F1,lord:F2] reserve=[Knight]")
    assert given(s, "b") == "hit cards=[lord:F1,lord:F2]"
    s = Scene(text + "king: b []").play("a: attack target=siege:b:F1 lords=[lord:F1]")
    s.play("b: field lords=[lord:F1] reserve=[Knight] others=[king]")
    assert given(s, "b") == "hit cards=[lord:F1,king]", "the King Card loses nothing either"


RANSOM = (
    "a.F1: Palace (Champion) {3 Land}\na.reserve: K, K\nb.F1: Palace (-) {Church, Land}\nb.F2: Castle (Prince) {}\n"
    "b.F3: Castle (Vassal) {}\nbattle: AW\n"
)


def captured() -> Scene:
    return Scene(RANSOM).play("a: attack target=siege:b:F1 lords=[lord:F1]", "b: field lords=[lord:F2,lord:F3]")


def test_lords_are_ransomed_in_order_with_the_first_holding_that_may_be_paid() -> None:  # SO-07
    s = captured()
    assert given(s, "b", SO_07="on save_prince=always save_vassal=never") == "pay payments={lord:F2>F1.Church/b}"
    both = "on save_prince=always save_vassal=always lords_order=[Vassal,Prince,Champion,Monk]"
    assert s.refused("b: " + given(s, "b", SO_07=both)) == ""
    assert "lord:F3>F1.Church/b" in given(s, "b", SO_07=both)
    assert given(s, "b", SO_07="on save_prince=always") == ""  # nothing said of the Vassal
    assert given(s, "b", SO_07="on save_prince=never save_vassal=never") == "none"
    never = "on save_prince=always save_vassal=never never_pay=[Church,Land,Castle,Palace]"
    assert given(s, "b", SO_07=never) == ""
    # with nothing but Anchors, none is paid that another is saved for, be it his turn later
    bare = "b.F1: Palace (-) {}\nb.F2: Castle (Prince) {}\nb.F3: Castle (Vassal) {}\nbattle: AW\n"
    s = Scene(LAND + bare).play("a: attack target=siege:b:F1 lords=[lord:F1]", "b: field lords=[lord:F2,lord:F3]")
    assert given(s, "b", SO_07="on save_prince=always save_vassal=never") == "pay payments={lord:F2>F3}"
    assert given(s, "b", SO_07="on save_prince=always save_vassal=always") == "", "the Palace pays for one of them alone"
    s = Scene(LAND + bare + "b.F4: Castle (-) {}").play("a: attack target=siege:b:F1 lords=[lord:F1]")
    s.play("b: field lords=[lord:F2,lord:F3]")
    paid = given(s, "b", SO_07="on save_prince=always save_vassal=always")
    assert paid == "pay payments={lord:F2>F4,lord:F3>F1}"


def test_the_church_decides_by_the_side_one_is_on() -> None:  # SO-08
    text = LAND + "c.F1: Palace (-) {Cathedral}\nb.F1: Palace (Vassal) {}\nbattle: CD\n"
    s = Scene(text).play("a: attack target=siege:b:F1 lords=[lord:F1]", "b: field lords=[lord:F1]")
    assert s.asked == ["c"] and s.step == "church"
    assert given(s, "c", SO_08="on as_neither=NB") == "NB"
    assert given(s, "c", SO_08="on as_attacker=AW as_defender=DW") == ""
    assert given(s, "c", SO_08="on as_neither=favour:a") == "AW"
    assert given(s, "c", SO_08="on as_neither=favour:b") == "DW"
    assert given(s, "c", SO_08="on as_neither=favour:c") == "NB"
    landed = (
        "active: c\nvikings: arrived black=8 white=0\nforce: 4 VikingInfantry\na: in cubes=0 turns=2\nb: in cubes=0 turns=2\n"
    )
    s = Scene(text + landed + "c.deck: Land").play("c: end", "c: attack target=siege:b:F1", "b: field lords=[lord:F1]")
    assert given(s, "c", SO_08="on as_neither=favour:c") == "NB", "the Vikings' attack is nobody's (OR-AMB-89)"


def test_what_is_given_up_goes_by_an_own_order() -> None:  # SO-09
    text = TREACHERY + "b.F2: Castle (-) {Land, MarketTown, Church}\nb.hand: Land\n"
    s = Scene(text).play("a: intrigue aim=properties:b:F2", "b: decline")
    own = "on give_order=[Land,MarketTown,Church,Cathedral,Castle,Palace] towers=oldest armies=Infantry"
    assert given(s, "b", SO_09=own) == "give properties=[Land/b,MarketTown/b]"
    s = Scene(TREACHERY + "b.reserve: I, K, K\nb.hand: Land").play("a: intrigue aim=armies:b", "b: decline")
    assert given(s, "b", SO_09=own) == "give armies=[Infantry,Knight]"
    assert given(s, "b", SO_09=own.replace("armies=Infantry", "armies=Knight")) == "give armies=[Knight*2]"
    s = Scene(LAND + "b.towers: Monk, Land, Church").play("a: attack target=tower:b lords=[lord:F1]")
    assert s.step == "defender_hits" and given(s, "b", SO_09=own) == "lose towers=[T1,T2]"
    assert given(s, "b", SO_09=own.replace("oldest", "newest")) == "lose towers=[T2,T3]"


SPOILS = (
    "a.F1: Palace (Prince) {3 Land}\na.F2: Castle (Vassal) {MarketTown}\na.reserve: K, K, K\n"
    "b.F1: Palace (-) {Church}\nb.F2: Castle (-) {Land, MarketTown}\n"
)


def won() -> Scene:
    s = Scene(SPOILS).play("a: attack target=siege:b:F2 lords=[lord:F1,lord:F2] reserve=[Knight*2]")
    assert s.step == "spoils", s.step
    return s


def test_seizing_and_attaching_go_together() -> None:  # SO-10, SO-11
    s = won()
    seize = "on seize_order=[MarketTown,Land,Castle,Palace,Cathedral,Church] seize_most=two"
    attach = "on attach_land=town attach_markettown=lands"
    assert given(s, "a", SO_10=seize) == ""  # where to put them is not said
    assert given(s, "a", SO_11=attach) == ""  # what to seize is not said
    both = given(s, "a", SO_10=seize, SO_11=attach)
    assert read(both).some("seize") == ["Land/b", "MarketTown/b"]
    assert read(both).assigned("attach") == {"Land/b": "F2", "MarketTown/b": "F1"}
    assert given(s, "a", SO_10=seize.replace("two", "none"), SO_11=attach) == "take"
    new = given(
        s,
        "a",
        SO_10="on seize_order=[Castle,Land,MarketTown,Palace,Cathedral,Church] seize_most=two",
        SO_11="on attach_land=new",
    )
    assert read(new).assigned("attach") == {"Land/b": "new:Castle/b"}


def test_without_an_own_order_the_most_valuable_is_seized() -> None:  # SO-10, DEF-5
    s = Scene("a.F1: Palace (Prince) {}\nb.F1: Castle (-) {MarketTown, Church, Land}\nc.F1: Palace (-) {}\na.hand: Champion")
    s.play("a: attack target=raid:b:F1 lords=[lord:F1] hand=[Champion/a]")
    assert s.step == "spoils" and given(s, "a", SO_10="on seize_order=[] seize_most=one") == "take seize=[Land/b]"


def test_of_like_properties_only_those_that_are_seized_are_attached() -> None:  # SO-10, SO-11, D-48
    s = Scene(SPOILS.replace("{Land, MarketTown}", "{2 Land, Church}").replace("Prince", "-"))
    s.play("a: attack target=siege:b:F2 lords=[lord:F2] reserve=[Knight*2]")
    seize = "on seize_order=[Land,MarketTown,Castle,Palace,Cathedral,Church] seize_most=one"
    assert given(s, "a", SO_10=seize, SO_11="on attach_land=town") == "take seize=[Land/b] attach={Land/b>F2}"


def test_the_new_fief_of_an_event_may_be_one_that_was_paid_or_won() -> None:  # SO-11, D-49, D-61
    text = "a.F1: Palace (-) {3 Land}\na.reserve: K, K, K\nb.F1: Palace (Vassal) {Church}\nb.F2: Castle (Champion) {}\n"
    s = Scene(text + "b.F3: Castle (-) {}\nb.F4: Castle (-) {}\nbattle: AW")
    s.play("a: attack target=siege:b:F4 reserve=[Knight*3]", "b: field lords=[lord:F1,lord:F2]")
    s.play("b: pay payments={lord:F1>F3,lord:F2>F1.Church/b}")
    assert s.fiefs("a")[-1].startswith("2: Castle/b")
    assert given(s, "a", SO_11="on attach_church=new") == "take attach={Church/b>F2}"
    assert given(s, "a", SO_11="on attach_church=lowest") == "take attach={Church/b>F1}"
    text = "a.hand: Banner\na.F1: Palace (-) {Land}\nb.F1: Palace (Vassal) {Land}\nc.F1: Palace (-) {Land}\nc.F2: Castle (-) {}"
    s = Scene(text).play("a: joust", "b: tilt ante=F1 tilter=lord:F1", "c: ante ante=F2", "a: ante ante=F1.Land/a")
    assert given(s, "b", SO_11="on attach_land=new") == "attach attach={Land/a>F2}"
    assert given(s, "b", SO_11="on attach_land=lowest") == "attach attach={Land/a>F1}"


def test_what_was_stolen_is_attached_where_the_order_says() -> None:  # SO-11
    text = TREACHERY + "a.F1: Palace (-) {Land}\na.F2: Castle (-) {}\nb.F2: Castle (-) {Land}\nb.hand: Land\n"
    s = Scene(text).play("a: intrigue aim=properties:b:F2", "b: decline")
    assert given(s, "a", SO_11="on attach_land=F2") == "attach attach={Land/b>F2}"
    assert given(s, "a", SO_11="on attach_land=lands") == "attach attach={Land/b>F1}"
    tied = Scene(text.replace("a.F1: Palace (-) {Land}", "a.F1: Palace (-) {}"))
    tied.play("a: intrigue aim=properties:b:F2", "b: decline")
    assert given(tied, "a", SO_11="on attach_land=lands") == "attach attach={Land/b>F1}", "of equals, the lowest"
    assert given(s, "a", SO_11="on attach_church=F2") == ""
    assert ORTUS.orders.answer(s.state, "a", {"SO-11": read("on attach_church=F2")}, False) is None


def commanding() -> Scene:
    """The Vikings have arrived and a commands them."""
    rng = random.Random(5)
    for seed in range(40):
        state = setup("abc", {}, Chance(f"vikings/{seed}"))
        begin(state)
        for _ in range(4000):
            if state.table.outcome is not None:
                break
            seat = state.waiting[0]
            if state.stack[-1].step == "vikings":
                s = Scene.__new__(Scene)
                s.state, s.log, s.events = state, [], []
                return s
            play(state, seat, legal_at_random(state, seat, rng))
    raise AssertionError("no Vikings came")


def test_the_vikings_never_attack_or_go_down_a_list() -> None:  # SO-12
    s = commanding()
    me = s.asked[0]
    rival = next(e for e in s.table.others(me) if e.fiefs)
    assert given(s, me, SO_12="hold") == "hold"
    found = given(s, me, SO_12=f"raid attacks=[(aim=siege,earl=earl:{rival.seat},which=weakest)]")
    assert found.startswith(f"attack target=siege:{rival.seat}:F") and s.refused(f"{me}: {found}") == ""
    assert given(s, me, SO_12="raid attacks=[(aim=siege,which=palace)]").startswith(("attack target=siege:", "hold"))
    assert given(s, me) == ""
    rival.towers.clear()
    assert given(s, me, SO_12=f"raid attacks=[(aim=tower,earl=earl:{rival.seat})]") == "hold", "none of them is legal"


def test_the_preset_sends_the_vikings_to_besiege_the_weakest_fief_of_a_rival() -> None:  # SO-12, OR-VIK-9
    """A Siege with their whole force takes the Fief, and what a Raid would take with it."""
    s = commanding()
    me = s.asked[0]
    found = given(s, me, SO_12=orders.preset(ORTUS)["SO-12"])
    weight, seat, number = min(
        (e.walls + strength(f.anchor) + len(e.reserve), e.seat, f.number) for e in s.table.others(me) for f in e.fiefs
    )
    assert found == f"attack target=siege:{seat}:F{number}" and weight and s.refused(f"{me}: {found}") == ""


JOUST = (
    "a.hand: Banner\na.F1: Palace (-) {Land}\n"
    "b.F1: Palace (Vassal) {Church}\nb.F2: Castle (-) {}\nb.hand: Banner, Champion, Land\n"
)


def test_a_joust_is_entered_as_the_order_says() -> None:  # SO-13
    s = Scene(JOUST, "a b").play("a: joust")
    assert s.asked == ["b"] and s.step == "enter"
    base = "on tilt=never last_anchor=never opt_out="
    assert given(s, "b", SO_13=base + "always") == "opt_out"
    assert given(s, "b", SO_13=base + "anchor") == "ante ante=F1.Church/b"  # a Property is staked, no Anchor
    assert given(s, "b", SO_13="on tilt=never last_anchor=never") == ""  # holds a Banner and says nothing of it
    without = Scene(JOUST.replace("Banner, Champion, Land\n", "Champion, Land\n"), "a b").play("a: joust")
    assert given(without, "b", SO_13="on tilt=never last_anchor=never") == "", (
        "nobody learns by it that he holds one (OR-INFO-8)"
    )
    tilters = "[(tilter=hand_Prince),(tilter=hand_Champion),(tilter=lord_Vassal)]"
    listed = f"on opt_out=never tilt=list tilters={tilters} last_anchor=never"
    assert given(s, "b", SO_13=listed) == "tilt ante=F1.Church/b tilter=hand:Champion/b"
    own = base + "never ante_order=[Castle,Church,Land,MarketTown,Cathedral,Palace]"
    assert given(s, "b", SO_13=own) == "ante ante=F2"
    bare = JOUST.replace("{Church}", "{}")  # two Anchors, so he is not exempt
    s = Scene(bare, "a b").play("a: joust")
    assert given(s, "b", SO_13=base + "anchor") == "opt_out"


EXEMPT = "a.hand: Banner\na.F1: Palace (-) {Land}\nb.F1: Palace (Vassal) {}\nb.hand: Banner, Champion, Land\n"


def test_who_may_stand_aside_keeps_his_banner() -> None:  # SO-13, OR-JOU-2, OR-JOU-3
    s = Scene(EXEMPT, "a b").play("a: joust")
    assert s.options("b") == {"stand_aside", "opt_out", "ante", "tilt"}
    for opt_out in ("opt_out=anchor", "opt_out=always", "opt_out=never", ""):
        assert given(s, "b", SO_13=f"on {opt_out} tilt=never last_anchor=never") == "stand_aside"
    assert given(s, "b", SO_13=orders.preset(ORTUS)["SO-13"]) == "stand_aside"


def test_the_last_anchor_is_staked_only_where_the_order_says_so() -> None:  # SO-13, OR-JOU-3
    s = Scene(EXEMPT, "a b").play("a: joust")
    wish = "on opt_out={} tilt=list tilters=[(tilter=hand_Champion)] last_anchor={}"
    assert given(s, "b", SO_13=wish.format("anchor", "always")) == "tilt ante=F1 tilter=hand:Champion/b"
    assert given(s, "b", SO_13=wish.format("never", "never")) == "stand_aside"
    assert given(s, "b", SO_13=wish.format("always", "always")) == "stand_aside"
    # an Anchor that is not the last is staked like any ante
    s = Scene(EXEMPT + "b.F2: Castle (-) {}", "a b").play("a: joust")
    assert given(s, "b", SO_13=wish.format("never", "never")) == "tilt ante=F2 tilter=hand:Champion/b"


AWAY = "a.F1: Palace (Prince) {Land, Church}\na.F2: Castle (Monk) {Church}\na.reserve: K, I\na.deck: Land\n"
RIVALS = (
    "b.F1: Palace (Prince) {3 Church}\nb.F2: Castle (Vassal) {Land}\nb.hand: 2 Land\nb.reserve: I\n"
    "c.F1: Palace (-) {Land}\nc.hand: 3 Land\nc.towers: 2 Land\nc.reserve: 2 I\nc.M1: Mercenary (-)\nc.M2: Mercenary (Knight)\n"
)


@pytest.mark.parametrize(
    ("hand", "row", "answer"),
    [
        ("Banner", "turn=bequeath", "bequeath"),
        ("Banner", "turn=joust", "joust"),
        ("", "turn=monastery", "monastery target=c"),
        ("", "turn=monastery,earl=earl:b", "monastery target=b"),
        ("Treachery", "turn=treachery_lord", "treachery aim=lord:b:F2"),  # a Prince's Fief would stand
        ("Treachery", "turn=treachery_lord,which=palace", "treachery aim=lord:b:F1"),
        ("Treachery", "turn=treachery_lord,earl=earl:c", ""),
        ("Treachery", "turn=treachery_hand", "treachery aim=hand:c"),
        ("Treachery", "turn=treachery_mercenary", "treachery aim=mercenary:c:2"),
        ("Intrigue", "turn=intrigue_properties", "intrigue aim=properties:b:F1"),
        ("Intrigue", "turn=intrigue_properties,which=castle", "intrigue aim=properties:b:F2"),
        ("Intrigue", "turn=intrigue_armies", "intrigue aim=armies:c"),
        ("Intrigue", "turn=intrigue_armies,earl=earl:b", "intrigue aim=armies:b"),
        ("Intrigue", "turn=intrigue_mercenary", "intrigue aim=mercenary:c:2"),
        ("Treachery", "turn=intrigue_armies", ""),
        ("", "turn=attack_siege", "attack target=siege:b:F2 lords=[lord:F1,lord:F2] reserve=[Knight]"),
        ("", "turn=attack_siege,which=palace,earl=earl:c", "attack target=siege:c:F1 lords=[lord:F1,lord:F2] reserve=[Knight]"),
        ("Vassal", "turn=attack_raid,which=richest,forces=all_lords", "attack target=raid:b:F1 lords=[lord:F1,lord:F2]"),
        (
            "Vassal",
            "turn=attack_raid,which=richest,forces=everything",
            "attack target=raid:b:F1 lords=[lord:F1,lord:F2] hand=[Vassal/a] reserve=[Knight]",
        ),
        ("", "turn=attack_tower", "attack target=tower:c lords=[lord:F1,lord:F2] reserve=[Knight]"),
        ("", "turn=attack_tower,earl=earl:b", ""),
        ("", "turn=attack_tower,forces=armies", "attack target=tower:c reserve=[Knight]"),
        ("", "turn=attack_siege,earl=earl:b,which=F1", "attack target=siege:b:F1 lords=[lord:F1,lord:F2] reserve=[Knight]"),
        ("", "turn=attack_siege,earl=earl:c,which=F2", ""),
        ("Church", "turn=place_Church", "place card=Church/a fief=F1"),
        ("Church", "turn=place_Church,which=castle", "place card=Church/a fief=F2"),
        ("Church", "turn=place_Church,which=F2", "place card=Church/a fief=F2"),
        ("Church", "turn=place_Church,which=weakest", "place card=Church/a fief=F2"),
        ("Church", "turn=place_Church,which=richest", "place card=Church/a fief=F1"),
        ("Vassal", "turn=install_Vassal,which=palace", "install card=Vassal/a fief=F1"),
        ("Prince", "turn=install_Prince,which=F2", ""),  # a second Prince at home alone
        ("Monk, Vassal", "turn=emissary_Vassal", "emissary card=Vassal/a"),
        ("Monk, Vassal", "turn=emissary", "emissary card=Monk/a"),
        ("Vassal", "turn=emissary_Monk", ""),
        ("2 Land, Vassal", "turn=tower_Land", "tower cards=[Land/a*2]"),
        ("Vassal", "turn=tower_Land", ""),
        ("2 Land, Vassal", "turn=tower_Land,count=one", "tower cards=[Land/a]"),
        ("2 Land, Vassal", "turn=tower_Land,count=two", "tower cards=[Land/a*2]"),
        ("2 Land, Vassal", "turn=tower_Land,count=three", ""),
        ("Castle", "turn=castle_Palace", ""),
        ("Treachery", "turn=treachery_mercenary,mercenary=mercenary:1", "treachery aim=mercenary:c:1"),
        ("Treachery", "turn=treachery_mercenary,mercenary=mercenary:1,earl=earl:b", ""),
        ("Intrigue", "turn=intrigue_mercenary,mercenary=mercenary:1", "intrigue aim=mercenary:c:1"),
    ],
)
def test_everything_that_a_turn_can_hold_can_be_ordered(hand: str, row: str, answer: str) -> None:  # SO-14
    s = Scene(f"{AWAY}{RIVALS}a.hand: {hand}")
    order = f"on turns=[({row})]"
    assert given(s, "a", SO_14=order) == "", "never before the deadline"
    found = given(s, "a", late=True, SO_14=order)
    assert found == answer
    if found:
        s.play(f"a: {found}")


@pytest.mark.parametrize(
    ("hand", "sent", "fielded"),
    [
        ("", "[lord:F2]", "lords=[lord:F2]"),
        ("", "[lord:F1,reserve:Infantry]", "lords=[lord:F1] reserve=[Infantry]"),
        ("Vassal, Champion", "[hand:Champion,lord:F2]", "lords=[lord:F2] hand=[Champion/a]"),
        ("2 Vassal, Monk", "[hand:Vassal*2]", "hand=[Vassal/a*2]"),
        ("", "[reserve:Knight]", "reserve=[Knight]"),
        ("", "[reserve:Knight,reserve:Infantry]", ""),  # one Land alone (OR-FLD-3)
        ("", "[reserve:Knight*2]", ""),
        ("Champion", "[hand:Vassal,lord:F1]", ""),
        ("Vassal", "[hand:Vassal*2]", ""),
        ("Prince", "[hand:Prince]", ""),  # beside a Prince who is Lord (OR-FLD-1)
        ("", "[mercenary:1,lord:F1]", ""),
        ("", "[king,lord:F1]", ""),
    ],
)
def test_exactly_the_forces_that_are_named_are_sent_or_none(hand: str, sent: str, fielded: str) -> None:  # SO-14, D-25
    s = Scene(f"{AWAY}{RIVALS}a.hand: {hand}")
    order = f"on turns=[(turn=attack_siege,earl=earl:b,which=F1,sent={sent}),(turn=attack_tower,earl=earl:c,sent=[lord:F2])]"
    expected = f"attack target=siege:b:F1 {fielded}" if fielded else "attack target=tower:c lords=[lord:F2]"
    assert given(s, "a", late=True, SO_14=order) == expected
    s.play(f"a: {expected}")
    alone = order.partition(",(turn=attack_tower")[0] + "]"
    assert bool(given(Scene(f"{AWAY}{RIVALS}a.hand: {hand}"), "a", late=True, SO_14=alone)) == bool(fielded)


def test_a_king_sends_the_cards_of_his_army_that_he_names() -> None:  # SO-14, OR-FLD-4, OR-KING-5
    text = "a.F1: Palace (Vassal) {}\na.M1: Mercenary (Knight)\na.M2: Mercenary (-)\nking: a [2 I]\nb.F1: Palace (-) {}\n"
    order = "on turns=[(turn=attack_siege,sent={})]"
    for sent, fielded in (
        ("[king]", "others=[king]"),
        ("[mercenary:2,king,royal:Infantry]", "others=[king,royal:Infantry,mercenary:2]"),
        ("[royal:Infantry*2,garrison:1]", "others=[royal:Infantry*2,garrison:1]"),
    ):
        assert given(Scene(text), "a", late=True, SO_14=order.format(sent)) == f"attack target=siege:b:F1 {fielded}"
    for missing in ("[garrison:2]", "[mercenary:3]", "[royal:Knight]"):
        assert given(Scene(text), "a", late=True, SO_14=order.format(missing)) == ""
    uncrowned = text.replace("king: a [2 I]\n", "")
    assert given(Scene(uncrowned), "a", late=True, SO_14=order.format("[mercenary:1,king]")) == "", "he is King no more"


def test_of_two_colours_the_own_is_sent_first() -> None:  # SO-14, OR-ROLE-14
    text = "roles: assigned\na.role: king\nking: a []\na.F1: Palace (-) {}\nb.F1: Palace (-) {}\n"
    text += "a.hand: Vassal/b, Vassal, Vassal/c\n"
    order = "on turns=[(turn=attack_siege,earl=earl:b,sent=[hand:Vassal{}])]"
    assert given(Scene(text), "a", late=True, SO_14=order.format("")) == "attack target=siege:b:F1 hand=[Vassal/a]"
    assert given(Scene(text), "a", late=True, SO_14=order.format("*3")) == (
        "attack target=siege:b:F1 hand=[Vassal/a,Vassal/b,Vassal/c]"
    )


def test_a_turn_whose_attack_lacks_a_named_card_is_not_begun() -> None:  # SO-14, OR-DEC-4, OR-FREE-2
    text = "a.F1: Palace (Champion) {}\na.M1: Mercenary (-)\na.reserve: K\na.hand: 3 Church\na.deck: 3 Castle\n"
    text += "b.F1: Palace (-) {}\n"
    order = "on turns=[(turn=garrison_Knight),(turn=attack_siege,sent=[garrison:1,{}],with=above),"
    order += "(turn=tower_Church,count=two)]"
    s = Scene(text)
    attack = "attack target=siege:b:F1 lords=[lord:F1] others=[garrison:1]"
    assert carried_out(s, order.format("lord:F1")) == ["garrison card=Knight slot=mercenary:1", attack, "end"]
    s = Scene(text)
    assert carried_out(s, order.format("lord:F1,reserve:Knight")) == ["tower cards=[Church/a*2]", "end"]
    assert s.earl("a").reserve == ["Knight"] and s.earl("a").mercenaries[0].garrison is None


def test_named_forces_that_an_interruption_took_are_not_replaced() -> None:  # SO-14, OR-DEC-13
    order = "on turns=[(turn=tower_Church),(turn=attack_siege,sent=[lord:F1],with=above),(turn=tower_Land,with=above)]"
    text = "a.F1: Palace (Champion) {}\na.hand: Church, Land\na.deck: 3 Castle\nb.F1: Palace (-) {}\n"
    s = Scene(text).play("a: tower cards=[Church/a]")
    s.earl("a").fiefs[0].lord = None
    assert given(s, "a", late=True, SO_14=order) == ""


def test_a_number_of_towers_is_placed_once() -> None:  # SO-14, D-11, OR-FREE-1
    text = "a.F1: Palace (-) {Land}\na.hand: 3 Church\na.deck: 3 Castle\n"
    assert carried_out(Scene(text), "on turns=[(turn=tower_Church,count=one)]") == ["tower cards=[Church/a]", "end"]
    order = "on turns=[(turn=tower_Church,count=two),(turn=recruit,with=above),(turn=banquet)]"
    assert carried_out(Scene(text), order) == ["tower cards=[Church/a*2]", "recruit", "end"]
    s = Scene(text.replace("3 Church", "Church, Banquet"))
    assert carried_out(s, order)[0] == "banquet", "two there are not, so the next Turn is tried"


def test_a_palace_in_the_hand_is_no_castle() -> None:  # SO-14, D-13, OR-DEST-4
    s = Scene("a.F1: Castle (-) {}\na.hand: Castle, Palace\n")
    for what in ("Castle", "Palace"):
        assert given(s, "a", late=True, SO_14=f"on turns=[(turn=castle_{what})]") == f"castle card={what}/a"
    assert given(s, "a", late=True, SO_14="on turns=[(turn=castle)]") == "castle card=Castle/a"


def test_a_garrison_is_put_where_the_row_says() -> None:  # SO-14, D-12, OR-FREE-2
    text = "a.F1: Palace (-) {}\na.reserve: I, K\na.M1: Mercenary (-)\na.M2: Mercenary (-)\nking: a []\n"
    order = "on turns=[(turn=garrison_Knight,mercenary=mercenary:{})]"
    for n, answer in ((1, "garrison card=Knight slot=mercenary:1"), (2, "garrison card=Knight slot=mercenary:2"), (3, "")):
        assert given(Scene(text), "a", late=True, SO_14=order.format(n)) == answer
    s = Scene("a.F1: Palace (-) {}\na.hand: Mercenary\na.deck: 3 Castle\na.reserve: I\n")
    order = "on turns=[(turn=mercenary),(turn=garrison_Infantry,mercenary=mercenary:1,with=above)]"
    assert carried_out(s, order)[1:] == ["garrison card=Infantry slot=mercenary:1", "end"]


def test_what_is_free_is_all_done_and_one_action() -> None:  # SO-14, OR-FREE-1, OR-FREE-2
    s = Scene(
        "a.F1: Palace (-) {}\na.hand: 2 Land, Banquet, Castle\na.deck: 3 Church\na.reserve: 2 I, K\nking: a [Infantry]\n"
        "a.M1: Mercenary (-)\na.M2: Mercenary (-)"
    )
    order = "on turns=[(turn=garrison_Infantry),(turn=attack_tower),(turn=banquet),(turn=castle),(turn=tower_Church)]"
    played = []
    while s.asked == ["a"]:
        played.append(given(s, "a", late=True, SO_14=order))
        s.play(f"a: {played[-1]}")
    garrisons = ["garrison card=Infantry slot=mercenary:1", "garrison card=Infantry slot=mercenary:2"]
    assert played == [*garrisons, "banquet", "tower cards=[Church/a*2]", "end"]


def test_a_king_says_which_cards_join_his_army() -> None:  # SO-14, D-12, OR-FREE-2
    s = Scene("a.F1: Palace (-) {}\na.reserve: 2 I, K\nking: a [Infantry]\na.M1: Mercenary (-)\n")
    assert given(s, "a", late=True, SO_14="on turns=[(turn=royal_Knight)]") == "garrison card=Knight slot=royal"
    assert given(s, "a", late=True, SO_14="on turns=[(turn=garrison_Knight)]") == "garrison card=Knight slot=mercenary:1"
    s = Scene("a.F1: Palace (-) {}\na.reserve: K\na.M1: Mercenary (-)\n")
    assert given(s, "a", late=True, SO_14="on turns=[(turn=royal_Knight)]") == ""


def test_a_dukes_church_opens_the_monastery_where_he_says_so() -> None:  # SO-14, D-18, OR-ROLE-37
    text = "roles: assigned\na.role: duke\na.assets: Church\na.F1: Palace (Monk) {}\nb.hand: Land\nc.hand: 2 Land\n"
    s = Scene(text)
    assert given(s, "a", late=True, SO_14="on turns=[(turn=monastery)]") == "", "the Church is for one time"
    order = "on turns=[(turn=monastery_church,earl=earl:b)]"
    assert given(s, "a", late=True, SO_14=order) == "monastery_church target=b"
    assert given(s, "a", late=True, SO_14="on turns=[(turn=monastery_church)]") == "monastery_church target=c"
    s = Scene(text.replace("{}", "{Church}"))
    assert given(s, "a", late=True, SO_14=order) == "", "it isn't needed"
    assert given(s, "a", late=True, SO_14="on turns=[(turn=monastery)]") == "monastery target=c"


def test_a_turn_goes_on_after_a_dukes_church_has_opened_the_monastery() -> None:  # SO-14, OR-DEC-13, OR-ROLE-37
    text = "roles: assigned\na.role: duke\na.assets: Church\na.F1: Palace (Monk) {}\na.hand: Vassal\na.deck: 3 Castle\n"
    s = Scene(text + "b.hand: Land\nc.hand: 2 Land\n")
    order = "on turns=[(turn=monastery_church),(turn=tower_Vassal,with=above)]"
    assert carried_out(s, order) == ["monastery_church target=c", "tower cards=[Vassal/a]", "end"]


def test_a_prince_is_installed_where_he_may_be() -> None:  # SO-14, OR-LORD-3
    order = "on turns=[(turn=install_Prince)]"
    s = Scene("a.F1: Palace (Monk) {}\na.F2: Castle (-) {}\na.hand: Prince")
    assert given(s, "a", late=True, SO_14=order) == "install card=Prince/a fief=F2"
    s = Scene("a.F1: Palace (Prince) {}\na.F2: Castle (-) {}\na.hand: Prince, Church")
    assert given(s, "a", late=True, SO_14=order) == "install card=Prince/a fief=F1"
    order = "on turns=[(turn=install_Prince,which=F2),(turn=place_Church)]"
    assert given(s, "a", late=True, SO_14=order) == "place card=Church/a fief=F1", "a row that can't be gives way"


def test_bequeathing_saves_an_earl_with_an_empty_deck() -> None:  # SO-14, OR-BEQ-4, OR-TURN-4
    text = "a.F1: Palace (Prince) {}\na.hand: Banner\na.discard: 3 Land\n"
    preset = orders.preset(ORTUS)["SO-14"]
    assert given(Scene(text + "a.deck: Church"), "a", late=True, SO_14=preset) == ""
    s = Scene(text)
    assert given(s, "a", late=True, SO_14=preset) == "bequeath"
    s.play("a: bequeath")
    assert given(s, "a", late=True, SO_14=preset) == "end"
    s.play("a: end")
    assert s.earl("a").alive and s.asked == ["b"]
    s = Scene("roles: assigned\na.role: duke\na.assets: Church\n" + text + "b.F1: Palace (-) {Cathedral}")
    assert given(s, "a", late=True, SO_14=preset) == "bequeath_church", "the Duke's Church, where nothing else helps"


def test_a_banquet_that_would_put_its_earl_out_of_the_game_is_passed_over() -> None:  # SO-14, OR-BANQ-2
    order = ORTUS.orders.sheet.layout.away["SO-14"]
    for cards, ruling, answer in ((3, "", "banquet"), (2, "", "end"), (1, "", "end"), (2, "rulings: SO-14=given", "banquet")):
        s = Scene(f"a.F1: Palace (-) {{}}\na.hand: Banquet\na.deck: {cards} Land\n{ruling}")
        assert given(s, "a", late=True, SO_14=order) == answer
        s.play(f"a: {answer}").until("turn")
        s.default("a") if s.asked == ["a"] else None
        assert s.earl("a").alive == (not ruling)


def test_a_turn_is_kept_for_the_deadline() -> None:  # SO-14
    s = Scene("a.hand: Land, Vassal\na.F1: Palace (-) {}\na.F2: Castle (-) {MarketTown}\n")
    order = "on turns=[(turn=place_Church),(turn=place_Land),(turn=end)]"
    assert given(s, "a", SO_14=order) == ""
    assert given(s, "a", late=True, SO_14=order) == "place card=Land/a fief=F2"
    s.play("a: place card=Land/a fief=F2")
    assert given(s, "a", late=True, SO_14=order) == "end"  # the Turn just ends (OR-DEC-13)
    s = Scene("a.hand: Vassal\na.F1: Palace (-) {}\n")
    assert given(s, "a", late=True, SO_14="on turns=[(turn=install_Vassal)]") == "install card=Vassal/a fief=F1"
    assert given(s, "a", late=True, SO_14="on turns=[(turn=banquet)]") == ""


TURNS = "on turns=[(turn=tower_Church),(turn=place_Land,with=above),(turn=recruit),(turn=tower_Vassal,with=above)]"


def carried_out(s: Scene, order: str) -> list[str]:
    """What the order answers at the deadline, until its Turn has ended or somebody else is asked."""
    played: list[str] = []
    while s.asked == ["a"] and s.step == "turn":
        played.append(given(s, "a", late=True, SO_14=order) or "asked")
        s.by_order("a", played[-1].replace("asked", "end"))
    return played


@pytest.mark.parametrize(
    ("hand", "played"),
    [
        ("Church, Land, Vassal", ["tower cards=[Church/a]", "place card=Land/a fief=F1", "end"]),
        ("Land, Vassal", ["recruit", "tower cards=[Vassal/a]", "end"]),
        ("Church, Vassal", ["recruit", "tower cards=[Vassal/a]", "end"]),
        ("Church", ["asked"]),
        ("Church, Land", ["tower cards=[Church/a]", "place card=Land/a fief=F1", "end"]),
    ],
)
def test_the_first_turn_that_is_legal_as_a_whole_is_played(hand: str, played: list[str]) -> None:  # SO-14, OR-DEC-4
    s = Scene(f"a.F1: Palace (-) {{Land}}\na.hand: {hand}\na.deck: 3 Castle\n")
    assert given(s, "a", SO_14=TURNS) == "", "never before the deadline"
    assert carried_out(s, TURNS) == played


def test_of_two_turns_that_begin_alike_the_one_is_played_that_can_be() -> None:  # SO-14
    order = "on turns=[(turn=tower_Vassal),(turn=place_Church,with=above),(turn=tower_Vassal),(turn=recruit,with=above)]"
    s = Scene("a.F1: Palace (-) {Land}\na.hand: Vassal, Land\na.deck: 3 Castle\n")
    assert carried_out(s, order) == ["tower cards=[Vassal/a]", "recruit", "end"]
    s = Scene("a.F1: Palace (-) {Land}\na.hand: Vassal, Land\na.deck: 3 Castle\na.reserve: I\na.M1: Mercenary (-)\n")
    s.play("a: garrison card=Infantry slot=mercenary:1")
    assert carried_out(s, order) == ["tower cards=[Vassal/a]", "recruit", "end"], "what its owner did before is no part of it"


@pytest.mark.parametrize(
    ("hand", "played"),
    [
        ("Castle, Church, Land", ["tower cards=[Church/a]", "place card=Land/a fief=F1", "end"]),
        ("Church, Church, Land", ["tower cards=[Church/a]", "place card=Land/a fief=F1", "end"]),
        ("Church, Land", ["asked"]),
    ],
)
def test_what_its_owner_did_himself_is_no_row_of_an_ordered_turn(hand: str, played: list[str]) -> None:  # SO-14
    """Not a Tower of another kind, and not one of the very kind that the row names."""
    s = Scene(f"a.F1: Palace (-) {{}}\na.hand: {hand}\na.deck: 3 Castle\n")
    s.play(f"a: tower cards=[{hand.partition(',')[0]}/a]")
    assert carried_out(s, "on turns=[(turn=tower_Church),(turn=place_Land,with=above)]") == played


def test_what_its_owner_does_between_two_rows_leaves_the_rest_of_an_ordered_turn() -> None:  # SO-14, OR-DEC-13
    text = "a.F1: Palace (Champion) {}\na.hand: Vassal, Land\na.deck: 3 Castle\nb.F1: Palace (-) {Land}\nbattle: NB\n"
    order = "on turns=[(turn=attack_raid,forces=all_lords),(turn=tower_Vassal,with=above)]"
    s = Scene(text)
    assert carried_out(s, order) == ["attack target=raid:b:F1 lords=[lord:F1]", "tower cards=[Vassal/a]", "end"]
    s = Scene(text + "b.reserve: I\n")
    assert carried_out(s, order) == ["attack target=raid:b:F1 lords=[lord:F1]"]
    s.play("b: field reserve=[Infantry]", "a: tower cards=[Land/a]")
    assert carried_out(s, order) == ["tower cards=[Vassal/a]", "end"]


def test_a_log_tells_what_of_a_turn_an_order_has_done() -> None:  # SO-14
    for via, noted in (("order", ["tower"]), ("page", [])):
        match = fresh(ORTUS, 2, 14)
        while match.ask_kind() != "turn":
            seat = match.state.waiting[0]
            match.play(seat, ask_of(match.state, seat).default, AT, "clock")
        seat = match.state.waiting[0]
        match.play(seat, Answer("tower", {"cards": match.state.table.earls[seat].hand[:1]}), AT, via)
        assert [p.done for p in match.state.stack if isinstance(p, Turn)] == [noted]
        for trusted in (False, True):
            again = replay(match.header, match.seed, match.entries, trusted)
            assert ORTUS.rules.encode(again.state) == ORTUS.rules.encode(match.state)


def test_a_garrison_goes_where_the_turn_has_made_room() -> None:  # SO-14, OR-FREE-2
    s = Scene("a.F1: Palace (-) {}\na.hand: Mercenary\na.deck: 3 Castle\na.reserve: I\n")
    order = "on turns=[(turn=mercenary),(turn=garrison_Infantry,with=above)]"
    assert carried_out(s, order)[1:] == ["garrison card=Infantry slot=mercenary:1", "end"]
    s = Scene("a.F1: Palace (-) {}\na.hand: Mercenary\na.deck: 3 Castle\na.reserve: K\n")
    assert carried_out(s, order) == ["asked"]


def test_a_garrison_waits_for_what_the_turn_draws() -> None:  # SO-14, OR-FREE-2
    order = "on turns=[(turn=recruit),(turn=garrison_Infantry,with=above)]"
    for drawn, last in (("Infantry", ["garrison card=Infantry slot=mercenary:1", "end"]), ("Knight", ["end"])):
        s = Scene(f"a.F1: Palace (-) {{Land}}\na.deck: 3 Castle\na.M1: Mercenary (-)\narmy: 3 {drawn}\narmy-discard:\n")
        assert carried_out(s, order) == ["recruit", *last]


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("place_Land", "place a Land"),
        ("install_Vassal", "install a Vassal as Lord"),
        ("emissary_Monk", "send a Monk as Emissary"),
        ("garrison_Knight", "garrison Knight"),
        ("royal_Knight", "put Knight into the Royal Army"),
        ("tower_Church", "place every Church as a Tower"),
        ("castle_Palace", "found a Fief with a Palace"),
    ],
)
def test_a_row_of_a_turn_reads_as_what_it_does(choice: str, said: str) -> None:  # SO-14
    assert words.choice("turn", choice, {}) == said


def test_what_is_left_of_a_turn_after_an_interruption_is_played_as_far_as_it_is_legal() -> None:  # SO-14, OR-DEC-13
    text = "a.F1: Palace (Champion) {}\na.hand: Vassal\na.deck: 3 Castle\na.reserve: K\na.M1: Mercenary (-)\n"
    text += "b.F1: Palace (-) {Land}\nb.reserve: I\nbattle: NB\n"
    order = "on turns=[(turn=banquet),(turn=tower_Vassal),(turn=attack_raid,with=above,forces=all_lords),"
    order += "(turn=garrison_{kind},with=above)]"
    for kind, last in (("Knight", ["garrison card=Knight slot=mercenary:1", "end"]), ("Infantry", ["end"])):
        s = Scene(text)
        assert carried_out(s, order.format(kind=kind)) == ["tower cards=[Vassal/a]", "attack target=raid:b:F1 lords=[lord:F1]"]
        s.play("b: field reserve=[Infantry]")
        assert carried_out(s, order.format(kind=kind)) == last


CELLS = ("earl", "which", "mercenary", "count", "forces", "with")


def turns_at_random(ask: Ask, rng: random.Random) -> Answer:
    """Some rows with what fits to each, most of them Attacks with named cards."""
    (_, on) = ask.options
    fields = {f.name: f for rows in on.fields if isinstance(rows, Rows) for f in rows.fields}
    rows: list[Row] = []
    for n in range(rng.randint(1, 6)):
        deeds = [c.id for c in of(fields["turn"]) if c.id.startswith("attack")] if rng.random() < 0.5 else []
        row: Row = {"turn": rng.choice(deeds or [c.id for c in of(fields["turn"])])}
        for name in CELLS[: 6 if n else 5]:
            if rng.random() < 0.3:
                row[name] = rng.choice(of(fields[name])).id
        if rng.random() < 0.6:
            row["sent"] = rng.sample([c.id for c in of(fields["sent"])], rng.randint(1, 2))
        rows.append(row)
    return Answer("on", {"turns": rows})


def of(field: object) -> tuple[Choice, ...]:
    assert isinstance(field, PickOne | PickSome)
    return field.choices


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_whatever_turns_are_listed_what_is_played_of_them_is_legal(seats: int) -> None:  # SO-14, OR-DEC-4
    """An illegal answer would be asked about, and keep the next Turn of the list from being tried."""
    rng, played, named = random.Random(f"turns/{seats}"), 0, 0
    for n in range(30):
        if played > 40 and named > 5:
            break
        state = setup("abcdef"[:seats], {}, Chance(f"turns/{seats}/{n}"))
        begin(state)
        while state.table.outcome is None:
            seat = state.waiting[0]
            found = listed_turn(state, seat, rng) if ask_of(state, seat).kind == "turn" else None
            if found is not None:
                vet(state, seat, found)
                played += 1
                named += found.option == "attack"
            play(state, seat, found or legal_at_random(state, seat, rng))
    assert played > 40 and named > 5, (played, named)


def listed_turn(state: OrtusState, seat: str, rng: random.Random) -> Answer | None:
    """What an order at random answers to the open Turn at its deadline; None where it is asked, or can't be set."""
    (listed,) = (a for a in ORTUS.orders.asks(state, seat) if a.rule == "SO-14")
    try:
        order = read(orders.check(ORTUS, state, seat, "SO-14", turns_at_random(listed, rng)))
    except Refused as refusal:
        assert str(refusal).startswith("Row "), refusal
        return None
    before = ORTUS.rules.encode(state)
    found = ORTUS.orders.answer(state, seat, {"SO-14": order}, True)
    assert ORTUS.rules.encode(state) == before, "an order changed the position"
    return found


def test_what_was_done_in_a_turn_tells_nobody_the_face_of_a_tower() -> None:  # SO-14, D-11
    s = Scene("a.hand: Vassal\n").by_order("a", "tower cards=[Vassal/a]")
    assert [p.done for p in s.state.stack if isinstance(p, Turn)] == [["tower"]]


def test_a_concession_is_made_when_the_turn_begins() -> None:  # SO-15
    s = Scene("a.hand: Land")
    assert given(s, "a", SO_15="on sure=yes") == "concede sure=yes"
    s = Scene(TREACHERY + "b.hand: Allies").play("a: treachery aim=hand:b")
    assert given(s, "b", SO_15="on sure=yes") == ""
    assert ORTUS.orders.after(s.state, "b", [], {"SO-15": "on sure=yes"}) == {"SO-15": "on sure=yes"}
    # who sets it while others decide goes on with the Turn that is under way, and leaves when the next begins
    s = Scene("a.F1: Palace (Champion) {}\na.deck: 2 Land\nb.F1: Palace (Champion) {}\nb.deck: 2 Land", "a b")
    s.play("a: attack target=siege:b:F1 lords=[lord:F1]", "b: stand_down")
    assert s.asked == ["a"] and s.step == "turn"
    assert given(s, "a", SO_15="on sure=yes") == ""
    assert given(s, "a", late=True, SO_15="on sure=yes") == "", "and its deadline ends it"
    s.play("a: end", "b: end")
    assert s.asked == ["a"] and given(s, "a", SO_15="on sure=yes") == "concede sure=yes"


def test_a_king_is_given_infantry_or_a_knight() -> None:  # SO-16
    s = Scene("a.hand: Banner\na.banners: Banner\nb.reserve: I, K\nc.reserve: K, I").play("a: display")
    assert s.step == "levy"
    assert given(s, "b", SO_16="on levy=Knight") == "give card=Knight"
    assert given(s, "c", SO_16="on levy=Infantry") == "give card=Infantry"


LEVY = "a.hand: Banner\na.banners: Banner\nb.reserve: {b}\nc.reserve: K, I"
OLDER = "rulings: SO-22=asked\n"


def test_a_levy_and_falling_towers_are_settled_where_nothing_is_set() -> None:  # SO-22, D-33, D-46
    s = Scene(LEVY.format(b="I, K")).play("a: display")
    assert (given(s, "b"), given(s, "b", SO_22="ask"), given(s, "b", SO_22="settled")) == (
        "give card=Infantry",
        "",
        "give card=Infantry",
    )
    assert given(s, "b", SO_22="ask", SO_16="on levy=Knight") == "give card=Knight", "its own order goes before it"
    s = Scene(LAND + "b.towers: Monk, Land, Church").play("a: attack target=tower:b lords=[lord:F1]")
    assert (given(s, "b"), given(s, "b", SO_22="ask")) == ("lose towers=[T1,T2]", "")


def test_who_answers_a_levy_unasked_does_not_depend_on_what_he_holds() -> None:  # SO-22, OR-INFO-8
    settings: list[tuple[dict[str, Any], bool]] = [
        ({}, False),
        ({"SO_22": "ask"}, True),
        ({"SO_16": "on levy=Infantry"}, False),
    ]
    for order, asked in settings:
        worlds = [Scene(LEVY.format(b=reserve)).play("a: display") for reserve in ("I, I", "I, K", "K, K")]
        assert [given(s, "b", **order) == "" for s in worlds] == [asked] * 3


def test_games_begun_before_ask_which_towers_fall_and_what_a_king_gets() -> None:  # SO-22
    s = Scene(OLDER + LEVY.format(b="I, K")).play("a: display")
    assert (given(s, "b"), given(s, "b", SO_22="settled")) == ("", "give card=Infantry")
    s = Scene(OLDER + LAND + "b.towers: Monk, Land, Church").play("a: attack target=tower:b lords=[lord:F1]")
    assert given(s, "b") == ""


def test_properties_that_fall_and_cards_that_are_hit_are_still_asked_about() -> None:  # SO-22, D-45, D-47
    assert given(struck(), "b") == ""
    s = Scene(LAND + "b.F1: Palace (-) {Land, Church, Cathedral}").play("a: attack target=raid:b:F1 lords=[lord:F1]")
    assert (s.ask("b").rule, given(s, "b")) == ("D-47", "")


def test_a_battle_plan_holds_for_one_battle_and_goes_before_the_rest() -> None:  # SO-20, OR-DEC-4
    plan = "on damage=rational seize_most=none attach_land=lowest attach_markettown=lowest"
    text = SPOILS + "b.reserve: K\nbattle: NB\n"
    s = Scene(text)
    kept = {"SO-20": plan, "SO-10": "on seize_most=two", "SO-06": "on damage=ask"}
    s.play("a: attack target=siege:b:F2 lords=[lord:F1,lord:F2] reserve=[Knight*2]")
    kept = ORTUS.orders.after(s.state, "a", ["turn:attack"], kept)
    if s.step == "defend":
        s.play("b: field reserve=[Knight]")
    while s.step != "spoils":
        found = orders.answer(ORTUS, s.state, s.asked[0], kept, Chance("x"))
        assert found is not None or s.asked != ["a"]
        s.default()
    assert orders.answer(ORTUS, s.state, "a", kept, Chance("x")) == Answer("take")
    s.default()
    kept = ORTUS.orders.after(s.state, "a", [], kept)
    assert set(kept) == {"SO-10", "SO-06"}
    # it is a plan for the Battle that its owner begins, and none for his defence
    s = Scene(LAND + "b.F1: Palace (-) {}\nb.F2: Castle (Vassal) {Land}\nb.reserve: K\nb.M1: Mercenary (-)\nbattle: NB", "a b")
    s.play("a: attack target=siege:b:F1 reserve=[Infantry]")
    s.play("b: field reserve=[Knight] others=[mercenary:1]")
    assert (s.asked, s.step) == (["b"], "defender_hits")
    assert given(s, "b", SO_06="on damage=ask", SO_20=plan) == ""


def test_a_deck_on_file_is_used_when_the_deadline_is_missed() -> None:  # SO-21
    s = Scene.__new__(Scene)
    s.state, s.log, s.events = setup("ab", {}, Chance("deck")), [], []
    begin(s.state)
    deck = "on cards=[Castle*2,Land*6,MarketTown*2,Prince*2,Vassal*6,Champion*2,Treachery*2,Allies*2]"
    assert given(s, "a", SO_21=deck) == ""
    assert given(s, "a", late=True, SO_21=deck).startswith("deck cards=[")
    assert given(s, "a", late=True) == ""


@pytest.mark.parametrize(
    ("id", "setting", "sentence"),
    [
        ("SO-99", "on", "no standing order “SO-99”"),
        ("SO-17", "on", "no standing order “SO-17”"),  # for games with roles
        ("SO-07", "on save_dragon=always", "has no field “save_dragon”"),
        ("SO-07", "on never_pay=[Dragon]", "can't include “Dragon”"),
        ("SO-21", "on cards=[Dragon*24]", "can't include “Dragon”"),
        ("SO-21", "on cards=[Land*6,Castle*6]", "takes exactly 24"),
        ("SO-05", "on rules=[(force=none)]", "A row has no field “force”"),
        ("SO-05", "on rules=[(what=siege)]", "Line 1: “forces” needs a choice"),
        ("SO-05", "on rules=[(who=earl:a,forces=none)]", "Line 1: “who” can't be “earl:a”"),
        ("SO-06", "on damage=own hit_order=[king,king]", "must name each of these once"),
        ("SO-12", "raid", "“attacks” is empty; it takes from 1 to 4."),
        ("SO-13", "on tilt=list last_anchor=never", "The list names no tilter"),
        ("SO-14", "on", "“turns” is empty; it takes from 1 to 6."),
        ("SO-14", "on turns=[(turn=recruit,earl=earl:b)]", "Row 1: this needs no target; leave “Who” empty."),
        ("SO-14", "on turns=[(turn=end),(turn=castle,which=palace)]", "Row 2: this needs no Fief"),
        ("SO-14", "on turns=[(turn=treachery_hand,which=palace)]", "Row 1: this needs no Fief"),
        ("SO-14", "on turns=[(turn=joust,forces=armies)]", "Row 1: only an attack sends forces"),
        ("SO-14", "on turns=[(turn=joust,sent=[king])]", "Row 1: only an attack sends forces; name no card."),
        ("SO-14", "on turns=[(turn=attack_raid,forces=armies,sent=[king])]", "Row 1: name the cards or use “I field”"),
        ("SO-14", "on turns=[(turn=attack_raid,sent=[hand:Prince*2])]", "Row 1: you can field only one Prince"),
        ("SO-14", "on turns=[(turn=attack_raid,sent=[lord:F9])]", "Line 1: “sent” can't include “lord:F9”"),
        ("SO-14", "on turns=[(turn=attack_raid,sent=[king*2])]", "Line 1: “sent” has 2 of “king”"),
        ("SO-14", "on turns=[(turn=royal_Knight,mercenary=mercenary:1)]", "Row 1: this needs no Mercenary"),
        ("SO-14", "on turns=[(turn=recruit,count=one)]", "Row 1: only Towers are counted"),
        ("SO-14", "on turns=[(turn=banquet,with=above)]", "Row 1 has no row before it"),
        ("SO-14", "on turns=[(turn=banquet),(turn=castle,with=above)]", "Row 2: that Turn already has an Action"),
        ("SO-14", "on turns=[(turn=end),(turn=tower_Land,with=above)]", "Row 2: the row before has ended that Turn"),
        ("SO-14", "on turns=[(turn=monastery_church)]", "can't be “monastery_church”"),  # for games with roles
        ("SO-12", "raid attacks=[(aim=raid),(aim=tower,which=palace)]", "Row 2: this needs no Fief"),
        ("SO-03", "on first=hand limits=[(of=any),(of=any)]", "Line 2: This makes 2 of “any”"),
        ("SO-15", "on", "“sure” needs a choice"),
    ],
)
def test_an_order_that_can_not_be_is_refused_with_a_sentence(id: str, setting: str, sentence: str) -> None:
    s = Scene("a.hand: Land")
    with pytest.raises(Refused) as refused:
        orders.check(ORTUS, s.state, "a", id, read(setting))
    assert sentence in str(refused.value)


def test_the_preset_can_be_set_order_by_order_and_stays_as_it_is() -> None:
    s = Scene("a.hand: Land")
    for id, text in orders.preset(ORTUS).items():
        canonical = orders.check(ORTUS, s.state, "a", id, read(text))
        assert orders.check(ORTUS, s.state, "a", id, read(canonical)) == canonical


def test_every_order_can_be_said_in_words() -> None:
    s = Scene("a.hand: Land")
    names = {"a": "Anna", "b": "Bert", "c": "Cleo"}
    listed = ORTUS.orders.asks(s.state, "a")
    assert [a.rule for a in listed] == [f"SO-{n:02}" for n in (*range(1, 17), 20, 21, 22)]
    for ask in listed:
        form = describe(ORTUS, ask, names, 0)
        assert form.title and ORTUS.orders.sheet.about(ask.rule)
        for option in form.options:
            for field in (x for f in option.fields for x in (f.fields if isinstance(f, RowsField) else [f])):
                labels = [c.label for c in choices_of(field)]
                assert field.label and all(labels) and len(set(labels)) == len(labels), (ask.rule, field.name)


@pytest.mark.parametrize("seed", range(4))
def test_orders_answer_legally_and_from_their_owners_knowledge_alone(seed: int) -> None:  # OR-DEC-4, OR-DEC-10
    rng, seats = random.Random(seed), 2 + seed
    state = setup("abcdef"[:seats], {}, Chance(f"orders/{seed}"))
    begin(state)
    preset, answered = orders.preset(ORTUS), 0
    for _ in range(700):
        if state.table.outcome is not None:
            break
        for seat in list(state.waiting):
            found = orders.answer(ORTUS, state, seat, preset, Chance("one guess"))
            guess = ORTUS.rules.redeal(state, seat, Chance(f"{seed}/{state.serial}"))
            assert found == orders.answer(ORTUS, guess, seat, preset, Chance("another guess")), ask_of(state, seat).kind
            answered += found is not None
            play(state, seat, found or legal_at_random(state, seat, rng))
    assert answered > 5


def test_an_answer_in_advance_holds_while_the_own_position_is_the_same() -> None:
    s = Scene("a.hand: Land\nb.hand: Vassal, Land\nb.F1: Palace (-) {}")
    (ask,) = ORTUS.orders.coming(s.state, "b")
    assert ask.kind == "turn" and {o.id for o in ask.options} >= {"install", "place", "end"}
    assert ORTUS.orders.coming(s.state, "a") == []
    before = ORTUS.orders.stance(s.state, "b")
    s.play("a: end")
    assert ORTUS.orders.stance(s.state, "b") == before
    s.play("b: place card=Land/b fief=F1")
    assert ORTUS.orders.stance(s.state, "b") != before


def test_a_turn_may_end_with_its_action_so_that_a_whole_one_can_be_given_in_advance() -> None:  # SO-14, OR-TURN-2
    s = Scene("active: a\na.hand: Land, Vassal\na.deck: 3 Land\na.F1: Palace (-) {}\n")
    order = "on turns=[(turn=end)] close=once"
    assert given(s, "a", SO_14=order) == "", "never before the Action"
    s.play("a: tower cards=[Vassal/a]")
    assert given(s, "a", SO_14=order) == "", "a Tower is none"
    s.play("a: place card=Land/a fief=F1")
    assert given(s, "a", SO_14="on turns=[(turn=end)]") == "", "only where it is wanted"
    assert given(s, "a", SO_14=order) == "end"
    assert ORTUS.orders.brisk["SO-14"] == f"{orders.preset(ORTUS)['SO-14']} close=once"


def test_the_orders_of_an_earl_who_is_out_are_void() -> None:  # OR-ELIM-2, SO-20
    s = Scene(LAND + "b.F1: Palace (-) {}").play("a: concede sure=yes")
    given_ = {"SO-01": "on", "SO-12": "hold"}
    assert ORTUS.orders.after(s.state, "a", [], given_) == {} and ORTUS.orders.after(s.state, "b", [], given_) == given_
