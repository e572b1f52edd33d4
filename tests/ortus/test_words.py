"""What a player reads says what matters: whose card, which Anchor, what is lost beside it, and one reason at a time."""

from __future__ import annotations

import re

import pytest

from engine.core.asks import Refused, read
from engine.core.procedure import vet
from engine.core.views import Event
from engine.games import game_called
from engine.ortus.face.narrate import card_list, tell
from engine.ui.forms import choices_of, describe, worded
from tests.ortus.scene import Scene

ORTUS = game_called("ortus")
NAMES = {"a": "Anna", "b": "Bert", "c": "Cleo"}
TABLE = (
    "a.F1: Palace (Prince) {2 Land}\na.F2: Castle (-) {}\na.hand: Vassal, Treachery, Banner\na.reserve: K, I\n"
    "a.M1: Mercenary (-)\na.M2: Mercenary (Knight)\n"
    "b.F1: Palace (Prince) {Land}\nb.F2: Castle (Vassal) {}\nb.M1: Mercenary (I)\nb.hand: Land\n"
)


def labels(s: Scene, seat: str, option: str, field: str) -> dict[str, str]:
    form = describe(ORTUS, s.ask(seat), NAMES, 0)
    found = form.option(option)
    assert found is not None
    return {c.id: c.label for f in found.fields if f.name == field for c in choices_of(f)}


def test_the_attackers_own_cards_are_not_foreign_to_him() -> None:
    s = Scene(TABLE).play("a: attack target=siege:b:F1 lords=[lord:F1] hand=[Vassal/a] reserve=[Knight]")
    (attack,) = s.told("attack")
    said = tell(Event("attack", attack), NAMES, "b")
    assert "with a Prince, a Vassal and a Knight:" in said and "Anna's" not in said
    assert describe(ORTUS, s.ask("b"), NAMES, 0).title == "Anna lays siege to your Fief 1 with 4 points. What do you field?"
    s = Scene(TABLE.replace("a.F1: Palace (Prince)", "a.F1: Palace (Prince/c)"))
    s.play("a: attack target=siege:b:F1 lords=[lord:F1]")
    (attack,) = s.told("attack")
    assert "Cleo’s Prince" in tell(Event("attack", attack), NAMES, "b")


def test_a_choice_names_what_stands_behind_a_number() -> None:
    s = Scene(TABLE)
    targets = labels(s, "a", "attack", "target")
    assert targets["siege:b:F1"] == "Siege of Bert’s Fief 1 (Palace)"
    assert targets["siege:b:F2"] == "Siege of Bert’s Fief 2 (Castle)"
    assert targets["raid:b:F1"] == "Raid on Bert’s Fief 1 (Palace)"
    assert labels(s, "a", "attack", "lords") == {"lord:F1": "Prince, Lord of Fief 1"}
    others = labels(s, "a", "attack", "others")
    assert others["mercenary:1"] == "Mercenary 1 (no garrison)" and others["mercenary:2"] == "Mercenary 2 (Knight)"
    assert others["garrison:2"] == "Knight, garrison of Mercenary 2"
    aims = labels(s, "a", "treachery", "aim")
    assert aims["lord:b:F1"] == "The Lord of Bert’s Fief 1 (Prince)" and aims["lord:b:F2"].endswith("(Vassal)")
    assert aims["mercenary:b:1"].endswith("(Infantry)")
    assert labels(s, "a", "install", "fief") == {"F1": "Fief 1 (Palace)", "F2": "Fief 2 (Castle)"}
    assert labels(s, "a", "garrison", "slot") == {"mercenary:1": "Mercenary 1 (no garrison)"}
    s.play("a: attack target=siege:b:F1 reserve=[Knight]")
    assert labels(s, "b", "field", "lords")["lord:F1"] == "Prince, Lord of Fief 1"


def test_a_card_of_another_colour_is_named_without_brackets_in_brackets() -> None:
    table = TABLE.replace("a.F2: Castle", "a.F2: Castle/b") + "b.F3: Palace/c (Vassal/c) {Land, Church/c}\nc.F1: Castle (-)\n"
    s = Scene(table, "a b c")
    targets, aims = labels(s, "a", "attack", "target"), labels(s, "a", "treachery", "aim")
    assert targets["siege:b:F3"] == "Siege of Bert’s Fief 3 (Cleo’s Palace)"
    assert aims["lord:b:F3"] == "The Lord of Bert’s Fief 3 (Cleo’s Vassal)"
    assert labels(s, "a", "install", "fief")["F2"] == "Fief 2 (Bert’s Castle)"
    named = [c.label for o in describe(ORTUS, s.ask("a"), NAMES, 0).options for f in o.fields for c in choices_of(f)]
    assert named and not [label for label in named if re.search(r"\([^)]*\(", label)]


def test_cards_of_another_colour_are_counted_before_whose_they_are() -> None:
    assert card_list(["Land/b", "Land/b", "Church/b", "Land/a"], NAMES, "a") == "2 Lands of Bert’s, Bert’s Church, Land"
    assert card_list({"Land/b": 1, "Land/a": 1}, NAMES, "a") == "1 Land of Bert’s, 1 Land"


def test_the_slot_of_the_royal_army_has_its_name() -> None:
    s = Scene("a.reserve: I\nking: a []")
    assert labels(s, "a", "garrison", "slot") == {"royal": "The Royal Army"}


def test_an_anchor_that_is_paid_or_staked_says_what_goes_with_it() -> None:
    s = Scene(TABLE + "battle: AW").play("a: attack target=siege:b:F1 lords=[lord:F1]", "b: field lords=[lord:F2]")
    payments = labels(s, "b", "pay", "payments")
    assert payments["F1"] == "Fief 1 (Palace); its Lord and its Properties are lost with it"
    s = Scene(TABLE).play("a: joust")
    antes = labels(s, "b", "ante", "ante")
    assert antes["F1"].endswith("are lost with it") and antes["F1.Land/b"] == "Land of Fief 1"


def test_staking_the_last_anchor_warns() -> None:
    s = Scene("a.F1: Palace (-) {Land}\na.hand: Banner\nb.F1: Palace (Champion) {Church}\n", "a b").play("a: joust")
    last = "Fief 1 (Palace), your last: without it you are out of the game"
    assert labels(s, "b", "ante", "ante")["F1"] == last and labels(s, "b", "tilt", "ante")["F1"] == last


@pytest.mark.parametrize(
    ("text", "answer", "sentence"),
    [
        ("a.M1: Mercenary (-)", "garrison card=Infantry slot=mercenary:1", "A garrison needs a card of your Reserve"),
        ("a.reserve: I", "garrison card=Infantry slot=mercenary:1", "A garrison needs an empty slot"),
        ("a.hand: Banner", "place card=Land/a fief=F1", "Placing needs a Property in your Hand."),
        ("a.hand: Cathedral\nb.F1: Palace (-) {Cathedral}", "place card=Cathedral/a fief=F1", "B has the Cathedral"),
        ("a.hand: Cathedral, Land\nb.F1: Palace (-) {Cathedral}", "place card=Cathedral/a fief=F1", "B has the Cathedral"),
        ("a.hand: Cathedral", "place card=Cathedral/a", "“fief” needs a choice."),
        ("", "recruit", "Recruiting needs a Land of your own."),
        ("a.F2: Castle (-) {Land}\narmy:", "recruit", "There is no Army Card left to draw"),
        ("a.F2: Castle (Monk) {}", "monastery target=b", "needs an Abbot and a Church or Cathedral in one Fief."),
        ("a.F2: Castle (Monk) {Church}", "monastery target=b", "No rival has a card in hand"),
        ("a.F2: Castle (Prince) {}", "bequeath", "To Bequeath you need a Banner in your Hand."),
        ("a.hand: Banner", "bequeath", "To Bequeath you need a Prince Lord."),
        ("a.F2: Castle (Prince) {}\na.hand: Banner\nb.F1: Palace (-) {Cathedral}", "bequeath", "A rival holds the Cathedral"),
        ("", "display", "A Banner is displayed from your Hand."),
        ("a.hand: Banner\nking: b []", "display", "B is King; Banners are displayed only while nobody is."),
        ("", "treachery aim=hand:b", "Treachery needs the card in your Hand."),
        ("a.hand: Treachery", "treachery aim=hand:b", "No rival has anything this card could aim at."),
        ("a.hand: Intrigue", "intrigue aim=armies:b", "No rival has anything this card could aim at."),
        ("", "attack target=siege:b:F1", "An attack needs a force to field"),
        ("a: in turns=0\na.hand: Vassal\nround: 1", "attack target=siege:b:F1 hand=[Vassal/a]", "on your first Turn."),
        ("", "enter", "Canterbury is for the Archbishop."),
        ("a.F2: Castle (Prince) {}\na.hand: Prince", "install card=Prince/a fief=F1", "Your Prince is Lord of Fief 2;"),
        ("a.hand: Banner", "bequeath_church", "This needs an unspent Duke's Church."),
    ],
)
def test_a_refusal_has_one_reason(text: str, answer: str, sentence: str) -> None:
    s = Scene("a.F1: Palace (-) {}\n" + ("" if "b.F1" in text else "b.F1: Palace (-) {}\n") + text)
    assert sentence in s.refused(f"a: {answer}")


def in_words(s: Scene, refused: Refused) -> Refused:
    return worded(describe(ORTUS, s.ask("a"), NAMES, 0), refused, lambda id: ORTUS.words.word(id, NAMES, "a"))


def test_a_refusal_of_the_form_speaks_its_words() -> None:
    s = Scene(TABLE)
    with pytest.raises(Refused) as refused:
        vet(s.state, "a", read("install card=Cathedral/a fief=F1"))
    assert "card" in str(refused.value)
    told = str(in_words(s, refused.value))
    assert told == "“Card” can't be “Cathedral”. Open to you: Vassal."
    with pytest.raises(Refused) as refused:
        vet(s.state, "a", read("attack target=siege:b:F1 lords=[lord:F1,lord:F1]"))
    assert "“Lords” has 2 of “Prince, Lord of Fief 1”" in str(in_words(s, refused.value))


def test_nothing_lost_is_said_so() -> None:
    s = Scene(TABLE.replace("b.F1: Palace (Prince) {Land}", "b.F1: Palace (-) {Land}") + "b.towers: 3 Land\n")
    s.play("a: attack target=raid:b:F1 reserve=[Infantry]").until("turn")
    told = [ORTUS.words.tell(e, NAMES, "a") for e in s.log if e.kind == "raided"]
    assert told == ["Bert lost nothing in Fief 1."]
