"""Positions as text: those of a battle under way, those written by hand, and those that no game comes to."""

from __future__ import annotations

import json
from collections import Counter

import msgspec
import pytest

from engine.core import procedure
from engine.core.asks import NotUnderstood
from engine.core.chance import Chance
from engine.games import game_called
from engine.mastery.face import notation
from engine.mastery.rules.maps import own_data
from engine.mastery.rules.pieces import TEXT
from engine.mastery.rules.table import UP, Land, in_dispute
from tests.mastery.scene import HAND, Scene, battle

GAME = game_called("mastery")


def test_a_battle_under_way_is_written_for_every_reader_with_scores_cards_in_play_and_step() -> None:  # MM-HID-3, MM-HID-4
    s = battle("Fort", 4, 3, "a.artefacts: Rage", seats="a b c").until("conflict")
    s.play("a: play card=Conflict5", "b: play card=Conflict2", "b: support cards=[Support2]")
    for reader in ("a", "b", "c", None):
        text = GAME.rules.notation.seen(s.state, reader)
        whole = [
            line
            for line in text.splitlines()
            if not line.startswith(("a.hand", "b.hand", "c.hand", "a.deck", "b.deck", "c.deck"))
        ]
        again = notation.read("\n".join(whole))
        found = again.stack[-1]
        assert found == s.battle and found.step == "support"
        assert again.table.dispute == s.table.dispute and in_dispute(again.table, "a") == 4
        assert "asked" not in text


def test_nobody_reads_in_a_position_whether_a_broken_sceptre_would_have_been_used() -> None:  # MM-HID-10, MM-ASY-4
    text = "a.artefacts: Fear\nb.artefacts: Loyalty"
    seen = set()
    for said in ("yes", "no"):
        s = battle("Forest", 2, 5, text, b=HAND + ", Fracture")
        s.play(f"a: pass match={said}", "b: plan first=Fear")
        assert s.step == "conflict"
        seen.add(GAME.rules.notation.seen(s.state, "b"))
    assert len(seen) == 1


def test_a_position_written_by_hand_begins_where_it_says() -> None:
    late = notation.read("mastery: 1\nseats: a b\na.hand: CallToArms\nstack: Campaign next\nstack: Turn late seat=a")
    procedure.begin(late)
    assert late.waiting == ["a"] and procedure.ask_of(late, "a").kind == "late"
    hands = f"a.hand: {HAND}\nb.hand: {HAND}\n"
    fight = notation.read(
        f"mastery: 1\nseats: a b\n{hands}B1: Fort b 3\ndispute: B1 a 4\nstack: Campaign next\nstack: Turn late seat=a\n"
        "stack: Unit over seat=a\nstack: Battle begin attacker=a defender=b slot=B1"
    )
    procedure.begin(fight)
    assert fight.waiting == ["a", "b"] and procedure.ask_of(fight, "b").about["own"] == "4", "three, and one for the Fort"
    first = notation.read("mastery: 1\nseats: a b\nfirst: b\nactive: -")
    procedure.begin(first)
    assert first.waiting == ["b"], "who is first, where nobody is active"
    assert "\ncrown: unused\n" in GAME.rules.notation.whole(first)
    early = notation.read("mastery: 1\nseats: a b\nactive: b")
    procedure.begin(early)
    assert early.waiting == ["b"] and procedure.ask_of(early, "b").kind == "early"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("a.hand: 6 Conflict5", "No game can get there: a has 6 × Conflict 5, and a deck has 2."),
        ("a.hand: Fracture\na.discard: Fracture@1", "No game can get there: a has 2 Fractures, and a deck has 1."),
        ("a.hand: Authority", "No game can get there: a has Authority in hand, and it is shown as soon as it is drawn."),
        ("B1: Cave b 9", "No game can get there: B1 has 9 knights, and a lord has 1 to 4 there."),
        ("B1: Forest b 7", "No game can get there: B1 has 7 knights, and a lord has 1 to 6 there."),
        ("B1: Forest b 0", "No game can get there: B1 has 0 knights, and a lord has 1 to 6 there."),
        ("a: knights=61", "No game can get there: a needs 11 dice, and has 10."),
        ("a: knights=60\nB1: Fort a 1", "No game can get there: a needs 11 dice, and has 10."),
        ("a: knights=-1", "No game can get there: a has fewer than no knights in the castle."),
        ("a: knights=60\nB1: Fort b 1\ndispute: B1 a 1", "No game can get there: a needs 11 dice, and has 10."),
        ("B1: Cave b 1\ndispute: B1 a 5", "No game can get there: at B1 nobody can attack with 5 knights."),
        ("dispute: C2 a 5", "No game can get there: at C2 nobody can attack with 5 knights."),
        ("a.artefacts: Rage\nb.artefacts: Rage", "No game can get there: Sceptre of Rage is there twice, and the box has one."),
        ("order: a a", "No game can get there: `order`, `first` and `active` name the seats a b, each once in `order`."),
        ("turn: 0", "No game can get there: turns are counted from 1."),
        (
            "turn: 3\na.discard: Fracture@4",
            "No game can get there: Fracture lies on a's discard pile since turn 4, which is still to come.",
        ),
        ("B1: Fort b 1\nA1: Fort\nC1: Fort", "No game can get there: Fort lies 3 times, and the box has 2."),
        (
            "a.castle: Anjou A4",
            "No game can get there: the castle “Anjou” stands at “A4”; "
            "each castle of the box stands once, at a castle slot of its own.",
        ),
        ("first: -", "No game can get there: `order`, `first` and `active` name the seats a b, each once in `order`."),
        (
            "a.castle: Touraine A2",
            "No game can get there: the castle “Touraine” stands at “A2”; "
            "each castle of the box stands once, at a castle slot of its own.",
        ),
        (
            "b.castle: Touraine A2",
            "No game can get there: the castle “Nivernais” stands at “A2”; "
            "each castle of the box stands once, at a castle slot of its own.",
        ),
        ("active: c", "No game can get there: `order`, `first` and `active` name the seats a b, each once in `order`."),
    ],
)
def test_a_position_that_no_game_comes_to_is_refused_with_the_rule(line: str, sentence: str) -> None:
    # MM-CMP-2, MM-CMP-4, MM-RES-2, MM-CAP-1, MM-DIC-2, MM-SET-4
    with pytest.raises(NotUnderstood) as refusal:
        notation.read(f"mastery: 1\nseats: a b\n{line}")
    assert str(refusal.value) == f"Line {2 + len(line.splitlines())}: {sentence}"


def test_two_artefacts_of_a_type_are_refused_with_their_line() -> None:  # MM-SET-4
    with pytest.raises(NotUnderstood) as refusal:
        notation.read("mastery: 1\nseats: a b\na.artefacts: Rage, Fear")
    assert str(refusal.value).endswith("No game can get there: Sceptre of Fear would be a second sceptre, and a lord has one.")


@pytest.mark.parametrize(
    ("zone", "value"),
    [("a.hand", "6 Conflict5"), ("a.hand", "Authority"), ("B1", "Fort b 9"), ("dispute", "B1 a 9"), ("a", "knights=90")],
)
def test_a_position_that_a_machine_wrote_is_looked_at_like_any(zone: str, value: str) -> None:
    # MM-CMP-2, MM-RES-2, MM-CAP-1, MM-DIC-2
    s = battle("Fort", 4, 3).until("conflict")
    text = GAME.rules.notation.whole(s.state)
    assert "\nasked: " in text and notation.read(text).waiting == s.asked
    lines = [f"{zone}: {value}" if line.startswith(f"{zone}:") else line for line in text.splitlines()]
    with pytest.raises(NotUnderstood, match="No game can get there"):
        notation.read("\n".join(lines))


def test_the_last_knight_may_have_fallen_where_it_is_fought_for() -> None:  # MM-CAP-1
    text = GAME.rules.notation.whole(battle("Fort", 4, 3).until("conflict").state)
    assert notation.read(text.replace("B1: Fort b 3", "B1: Fort b 0")).table.lands["B1"].knights == 0


def test_what_is_at_the_bounds_can_be() -> None:
    text = "a: knights=48\nB1: Battlefield a 8\na.hand: 2 Conflict5\na.discard: Fracture@1\nE1: Cave b 4\ndispute: E1 a 0"
    assert Scene(text).need("a") == 10
    assert in_dispute(Scene("E1: Cave b 4\ndispute: E1 a 4").table, "a") == 4


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("a.foo: 1", "a lord has no zone “foo”."),
        ("foo: 1", "there is no zone “foo”."),
        ("B1: Wolf", "there is no territory “Wolf”."),
        ("a.artefacts: Wolf", "there is no artefact “Wolf”."),
    ],
)
def test_what_a_line_names_and_nobody_knows_is_refused_with_its_line(line: str, sentence: str) -> None:
    with pytest.raises(NotUnderstood) as refusal:
        notation.read(f"mastery: 1\nseats: a b\n{line}")
    assert str(refusal.value) == f"Line 3: {sentence}"


LETTERS = "Abcdefghijklmnopqrstuvwxyz" * 2


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (f"a.{LETTERS}: 1", f"a lord has no zone “{LETTERS[:30]}”."),
        (f"{LETTERS}: 1", f"there is no zone “{LETTERS[:30]}”."),
        (f"B1: {LETTERS}", f"there is no territory “{LETTERS[:30]}”."),
        (f"a.artefacts: {LETTERS}", f"there is no artefact “{LETTERS[:30]}”."),
        (f"B1: Fort {LETTERS}", f"“Fort {LETTERS[:35]}” isn't a territory; write: Fort, or Fort a 3."),
        ("B1: Fort c 1", "“Fort c 1” isn't a territory; write: Fort, or Fort a 3."),
        ("B1: Fort a", "“Fort a” isn't a territory; write: Fort, or Fort a 3."),
        (
            f"options: {LETTERS}",
            f"there is no option “{LETTERS[:30]}”; there are: teams=2, siege, cut_throat, skirmish, mayhem.",
        ),
        (
            f"a.hand: {LETTERS}",
            f"there is no card “{LETTERS[:30]}”; there are: Conflict2, Conflict3, Conflict4, Conflict5, Ambush, Support1, "
            "Support2, CallToArms, Authority, TacticalAdvance, Fracture.",
        ),
        (
            f"a.castle: {LETTERS} {LETTERS}",
            f"No game can get there: the castle “{LETTERS[:20]}” stands at “{LETTERS[:10]}”; "
            "each castle of the box stands once, at a castle slot of its own.",
        ),
        (f"dispute: {LETTERS} a 5", f"No game can get there: at {LETTERS[:10]} nobody can attack with 5 knights."),
    ],
)
def test_of_what_is_too_long_the_beginning_is_quoted(line: str, sentence: str) -> None:
    with pytest.raises(NotUnderstood) as refusal:
        notation.read(f"mastery: 1\nseats: a b\n{line}")
    assert str(refusal.value) == f"Line 3: {sentence}"


WHOLE = """mastery: 1
seats: a b
order: b a
options: teams=2 siege mayhem
first: b
turn: 7
active: a
crown: used
a: knights=4
a.castle: Anjou A2
a.artefacts: Fury@3, Rage, Greed
a.hand: Ambush, Conflict2
a.deck: Support2, Support1
a.discard: Fracture@2, Conflict5
a.known: a@1, b@2
B1: Fort b 2
"""


def test_a_position_is_read_line_by_line() -> None:  # MM-GEN-1, MM-SET-8
    table = notation.read(WHOLE).table
    assert (table.order, table.first, table.turn, table.active, table.crown_used) == (["b", "a"], "b", 7, "a", True)
    assert msgspec.to_builtins(table.options) == {
        **{"teams": 2, "siege": True, "mayhem": True, "cut_throat": False, "skirmish": False},
    }
    lord = table.lords["a"]
    assert (lord.knights, lord.castle, lord.slot) == (4, "Anjou", "A2")
    assert [(a.name, a.up, a.down) for a in lord.artefacts()] == [("Fury", False, 3), ("Rage", True, UP), ("Greed", True, UP)]
    assert (lord.hand, lord.deck) == (["Ambush", "Conflict2"], ["Support1", "Support2"]), "a deck's top card is its last"
    assert [(d.card, d.turn) for d in lord.discard] == [("Fracture", 2), ("Conflict5", 0)]
    assert lord.known == {"a": 1, "b": 2}
    assert table.lands["B1"] == Land("Fort", "b", 2) and table.lands["C1"] == Land("Forest", "", 0)
    other = table.lords["b"]
    assert [(a.up, a.name in ("Fury", "Rage", "Greed")) for a in other.artefacts()] == [(False, False)] * 3
    assert Counter(other.deck) == Counter(table.data.deck()), "what is left out is in the deck"


def test_a_position_is_written_as_it_was_read() -> None:
    text = GAME.rules.notation.whole(notation.read(WHOLE))
    assert set(WHOLE.replace("Conflict5\n", "Conflict5@0\n").splitlines()) <= set(text.splitlines())
    assert GAME.rules.notation.whole(notation.read(text)) == text


def test_before_the_first_turn_nobody_is_first_or_active() -> None:  # MM-SET-9
    text = GAME.rules.notation.whole(GAME.rules.setup(["a", "b"], {}, Chance("x")))
    assert "\nfirst: -\n" in text and "\nactive: -\n" in text


def test_a_position_after_the_end_says_who_has_won_and_how() -> None:  # MM-VIC-2
    found = notation.read("mastery: 1\nseats: a b\noutcome: a,b points")
    assert found.table.outcome is not None and found.table.outcome.winners == ("a", "b")
    assert "\noutcome: a,b points\n" in GAME.rules.notation.whole(found)


def test_a_position_on_a_map_of_ones_own_is_written_with_it() -> None:  # MM-MAP-7
    slots = [{"slot": "A1", "q": 0, "r": 0, "kind": "castle"}, {"slot": "A3", "q": 2, "r": 0, "kind": "castle"}]
    slots.insert(1, {"slot": "A2", "q": 1, "r": 0, "kind": "territory", "value": 1})
    own = own_data(json.dumps({"slots": slots}), 2)
    text = GAME.rules.notation.whole(notation.read(f"mastery: 1\nseats: a b\nlore: {own}\nA2: Fort b 2"))
    assert f"\nlore: {own}\n" in text and "\nA2: Fort b 2\n" in text
    assert GAME.rules.notation.whole(notation.read(text)) == text
    with pytest.raises(NotUnderstood) as refusal:
        notation.read(f"mastery: 1\nseats: a b c\nlore: {own}\nA2: Fort b 2")
    assert str(refusal.value) == "Line 4: there is no map for 3 seats."


@pytest.mark.parametrize("options", ["-", "siege", "siege mayhem", "teams=2", "teams=2 cut_throat"])
def test_a_position_names_the_options_that_it_is_played_by_alone(options: str) -> None:  # MM-OPT-1
    state = notation.read(f"mastery: 1\nseats: a b c d\noptions: {options}")
    assert f"\noptions: {options}\n" in GAME.rules.notation.whole(state)


def test_a_data_file_in_a_position_is_no_remark_from_any_sign_on() -> None:  # MM-DAT-3
    own = json.dumps(json.loads(TEXT) | {"note": "the # of the box"})
    state = notation.read(f"mastery: 1  # the game\nseats: a b\nlore: {own}")
    assert state.table.lore == own and f"\nlore: {own}\n" in GAME.rules.notation.whole(state)
