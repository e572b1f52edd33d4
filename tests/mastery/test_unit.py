"""The unit of a turn: redistribution, then an advance (MM-RED, MM-ADV, MM-DEC-11, 12)."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from engine.core.asks import Answer, NotLegal, Number, read
from engine.core.procedure import State
from engine.games import game_called
from engine.language.words import NOBODY
from engine.mastery.rules.pieces import TEXT
from engine.mastery.rules.table import supplied
from engine.mastery.rules.unit import Unit, as_number, most_sent, vet_unit
from tests.mastery.scene import Scene, battle


def ahead(state: State[Any, Any], seat: str, answer: Answer) -> str:
    """What is said of an answer before it counts."""
    return game_called("mastery").face.preview(state, seat, answer, NOBODY)


LANDS = "a: knights=2\nC1: Forest a 4\nC2: Forest a 5\nD4: Forest a 3\n"
"""Four lords; D4 is cut off."""


def test_knights_move_freely_among_castle_and_supplied_territories() -> None:  # MM-RED-1
    s = Scene("a: knights=3\nB2: Forest a 4\nC2: Fort a 4\nC3: City a 3\n", "a b c d")
    s.play("a: march in_b2=1 in_c2=5 in_c3=2")
    assert [s.knights("a"), *(s.table.lands[x].knights for x in ("B2", "C2", "C3"))] == [6, 1, 5, 2]
    assert s.told("redistributed") == [{"seat": "a", "changed": {"B2": 1, "C2": 5, "C3": 2}, "castle": 6, "why": "unit"}]


def test_what_a_redistribution_must_leave() -> None:  # MM-RED-2, MM-DEC-11
    s = Scene(LANDS, "a b c d")
    number = s.fields("march")["in_c1"]
    assert number == Number("in_c1", 1, 6, 4)
    assert s.refused("a: march in_c1=1 in_c2=6") == ""
    assert s.refused("a: march in_c1=0") == "C1 can't be left without a knight; put 1 to 6 there."
    assert s.refused("a: march in_c2=7") == "C2 takes 6 knights of yours at most, not 7."
    assert s.refused("a: march in_c1=6 in_c2=6") == (
        "Your territories would have 12 knights, but there are 11 with the castle's; take 1 away somewhere."
    )
    assert s.refused("a: march in_d4=2") == "D4 has no line of supply; its knights stay there, and none can come."
    s.play("a: march in_c1=1 in_c2=6")
    assert (s.knights("a"), s.land("C1"), s.land("C2"), s.land("D4")) == (4, "Forest a 1", "Forest a 6", "Forest a 3")


def test_one_redistribution_a_unit_before_its_advance_and_always_optional() -> None:  # MM-RED-3, MM-AMB-9
    s = Scene(LANDS, "a b c d")
    assert s.refused("a: march") == "" and s.refused("a: march in_c1=4") == "", "none, or one that changes nothing"
    s.play("a: march in_c1=1 target=B2 knights=5")
    assert (s.knights("a"), s.land("B2")) == (0, "Forest a 5"), "2 + 3 go on"
    kinds = s.kinds()
    assert kinds.index("redistributed") < kinds.index("advanced") and kinds.count("redistributed") == 1
    assert s.step == "late" or s.table.active == "b"


def test_an_advance_goes_from_the_castle_into_one_territory() -> None:  # MM-ADV-1, MM-DEC-12
    s = Scene(LANDS, "a b c d")
    assert s.refused("a: march target=B2 knights=0") == "A march to B2 needs at least one knight; say how many."
    assert s.refused("a: march knights=2") == "Choose where these knights march, or send 0."
    assert s.refused("a: march target=C1 knights=1") == "C1 is yours already; redistribute knights to bring them there."
    assert s.refused("a: march target=B1 knights=1") == "B1 is your own castle; redistribute knights to bring them there."
    assert s.refused("a: march target=B4 knights=1") == "B4 is a castle; castles can only be attacked in a Castle Siege."
    assert s.refused("a: march target=Z9 knights=1") == "There is no place “Z9” on this map."
    s.play("a: march target=B2 knights=2")
    assert (s.knights("a"), s.land("B2")) == (0, "Forest a 2")


def test_where_an_advance_may_go() -> None:  # MM-ADV-2
    assert Scene("", "a b c d").targets("a") == ["B2", "C1", "C2"], "(a) beside the castle"
    s = Scene("C2: Forest a 1", "a b c d")
    assert "C3" in s.targets("a") and "D3" in s.targets("a"), "(b) beside a supplied territory"
    s = Scene("C1: Forest a 1", "a b c d")
    assert sorted(s.targets("a")) == ["B2", "C2", "D1", "D3", "E1", "E2"], "(c) across lake D2"
    assert s.refused("a: march target=C4 knights=1") == (
        "C4 can't be reached: it touches neither your castle nor a supplied territory. In reach: B2, C2, D1, D3, E1, E2."
    )


def test_one_reason_is_enough_and_an_unsupplied_neighbour_never_hurts() -> None:  # MM-ADV-3, MM-AMB-15
    s = Scene("C3: City a 1", "a b c d")
    assert s.supplied("a") == set()
    assert s.targets("a") == ["B2", "C1", "C2"], "B2 touches C3 too, and stays legal; B3, C4, D3, D4 do not become so"


def test_how_many_may_advance() -> None:  # MM-ADV-4
    s = Scene("a: knights=3\nB1: Cave")
    assert s.refused("a: march target=B2 knights=4") == (
        "A march starts from the castle, which will have 3 knights; you send 4."
    )
    s = Scene("a: knights=6\nB1: Cave")
    assert s.refused("a: march target=B1 knights=5") == "B1 takes 4 knights of yours at most; you send 5."
    assert s.refused("a: march target=B1 knights=4") == ""
    s = Scene("a: knights=1\nB1: Forest a 4")
    assert s.refused("a: march in_b1=1 target=A1 knights=4") == "", "those that the redistribution brings home count"


def test_vacant_land_is_conquered_at_once() -> None:  # MM-ADV-5
    s = Scene("a: knights=2\na.artefacts: Rage, Greed\na.hand: CallToArms\nb.hand: Fracture\nB1: Shrine")
    s.play("a: march target=B1 knights=1")
    assert s.kinds() == ["advanced", "conquered", "gained"], "no draw, no sceptre, no window, no orb"
    assert (s.land("B1"), s.knights("a"), s.points("a")) == ("Shrine a 1", 2, 2)


def test_land_of_another_is_fought_for() -> None:  # MM-ADV-6
    s = battle(there=1)
    assert s.told("attacked") == [
        {"seat": "a", "slot": "B1", "count": 4, "defender": "b", "tile": "Forest"},
    ]
    assert s.step == "conflict" and s.land("B1") == "Forest b 1"


def test_a_preview_says_what_a_unit_will_surely_do() -> None:  # MM-DEC-12
    preview = ahead
    s = Scene("a: knights=6\nB1: City b 2\nB2: Shrine\nA1: Grasslands b 1")
    told = preview(s.state, "a", read("march target=B1 knights=4"))
    assert told == (
        "In your castle: 2 knights. Dice used: 2 of 10. The battle begins at 4 to 3, before cards. "
        "If you win, you have 3 points and B 1. If you lose, one knight falls for each point you are short, "
        "at least one; the rest go home."
    )
    told = preview(s.state, "a", read("march target=A1 knights=4"))
    assert "The battle begins at 5 to 1" in told
    told = preview(s.state, "a", read("march target=B2 knights=1"))
    assert "In your castle: 5 knights. Dice used: 2 of 10. Nobody holds it, so it is yours at once" in told
    assert "you then have 2 points." in told
    late = Scene("a: knights=6\na.hand: TacticalAdvance, Conflict2\nA1: Grasslands b 1").play("a: march target=B1 knights=1")
    assert late.step == "late"
    assert "The battle begins at 5 to 1" in preview(late.state, "a", read("tactical target=A1 knights=4"))


def test_a_preview_says_nothing_that_will_not_be() -> None:  # MM-TER-4, 6, 7, 8, MM-DIC-3, MM-VIC-2
    preview = ahead
    lone = Scene("a: knights=6\nA1: Marshlands\nD2: Shrine a 1")
    told = preview(lone.state, "a", read("march target=A1 knights=1"))
    assert told.endswith("The one knight sinks into the Marshlands: the place stays vacant, and you still have 2 points.")
    assert "It costs its conqueror 1 knight." in preview(lone.state, "a", read("march target=A1 knights=2"))
    full = Scene("a: knights=60\nA1: Village")
    assert preview(full.state, "a", read("march target=A1 knights=6")).endswith(
        "You have no die left for the knight that it sends."
    )
    room = Scene("a: knights=59\nA1: Village")
    told = preview(room.state, "a", read("march target=A1 knights=6"))
    assert told.endswith("It sends its conqueror 1 knight."), "54 take nine dice, as 53 do"
    peak = Scene("a: knights=6\nB1: Mountains b 2")
    assert "Nobody can play support cards there." in preview(peak.state, "a", read("march target=B1 knights=3"))
    bare = Scene("a: knights=6\nA1: Ruins\na.hand: ")
    assert "discard" not in preview(bare.state, "a", read("march target=A1 knights=3"))
    card = Scene("a: knights=6\nA1: Ruins\na.hand: TacticalAdvance")
    assert "discard" not in preview(card.state, "a", read("tactical target=A1 knights=3")), "the card is played by then"
    assert "discard" in preview(card.state, "a", read("march target=A1 knights=3"))
    lands = "B1: City a 1\nB2: City a 1\nC1: Fortress a 1\nC3: Fortress a 1"
    last = Scene(f"a: knights=6\nA1: Village\n{lands}")
    told = preview(last.state, "a", read("march target=A1 knights=1"))
    assert told.endswith("Nobody holds it, so it is yours at once: you have 13 points, and the game is won.")
    last.play("a: march target=A1 knights=1")
    assert last.winners == ["a"] and last.knights("a") == 5, "nothing further is resolved"


def test_a_march_on_which_nothing_moves_is_told_and_warned_of() -> None:  # MM-AMB-9, MM-TRN-6
    preview = ahead
    s = Scene("a: knights=3\na.hand: CallToArms, TacticalAdvance\nB1: Forest a 2")
    assert preview(s.state, "a", read("march")) == "Nothing moves, and you won’t march this turn."
    assert preview(s.state, "a", read("tactical in_b1=2")) == "Nothing moves: you play the card for nothing."
    assert preview(s.state, "a", read("march in_b1=1")).startswith("In your castle: 4 knights.")
    s.play("a: march in_b1=2")
    assert "Lord A didn’t march." in s.heard("b")
    moved = Scene("a: knights=3\na.hand: CallToArms\nB1: Forest a 2").play("a: march in_b1=1")
    assert "stood_still" not in moved.kinds()


def most_offered(s: Scene) -> int:
    """The most knights that the form of a march lets one send; 0 where it has no advance at all."""
    found = s.fields("march").get("knights")
    return found.most if isinstance(found, Number) else 0


@pytest.mark.parametrize(
    "text",
    [
        "a: knights=4",
        "a: knights=0\nB1: Forest a 3",
        "a: knights=0\nB1: Forest a 1",
        "a: knights=54\nB1: Battlefield",
        "a: knights=48\nB1: Battlefield\nA1: Forest a 6\nB2: Forest a 2",
        "a: knights=48\nB1: Battlefield\nA1: Cave a 4\nB2: Forest a 6",
        "a: knights=60",
        "a: knights=48\nB1: Forest b 2\nA1: Battlefield a 7",
        "a: knights=30\nA1: Forest a 1\nB1: Forest a 1\nE1: Forest a 5\nB2: Battlefield",
    ],
)
def test_the_form_of_an_advance_offers_what_can_be_sent_and_no_more(text: str) -> None:  # MM-ADV-4, MM-DIC-4
    s = Scene(text)
    state, within = s.state, sorted(s.supplied("a"))
    best = 0
    for shares in product(*(range(1, s.table.tile(slot).capacity + 1) for slot in within)):
        moved = " ".join(f"in_{slot.lower()}={n}" for slot, n in zip(within, shares, strict=True))
        for slot in s.targets("a"):
            for count in range(best + 1, s.table.tile(slot).capacity + 1):
                answer = read(f"march {moved} target={slot} knights={count}")
                try:
                    vet_unit(state.table, "a", answer)
                except NotLegal:
                    continue
                best = count
    assert most_offered(s) == best


def test_what_an_unchecked_answer_says_in_numbers() -> None:
    assert [as_number(v) for v in (5, "7", "-3", "007", "")] == [5, 7, -3, 7, None]
    assert [as_number(v) for v in ("+3", "3a", "1234567890", "1.5", None, ["3"])] == [None] * 6


def test_a_refused_redistribution_says_what_stands_in_its_way() -> None:  # MM-RED-2, MM-SUP-3, MM-CAP-1
    s = Scene("a: knights=6\nB1: Cave a 2\nD2: Forest a 2")
    assert s.refused("a: march in_b1=0") == "B1 can't be left without a knight; put 1 to 4 there."
    assert s.refused("a: march in_b1=-1") == "B1 can't be left without a knight; put 1 to 4 there."
    assert s.refused("a: march in_b1=5") == "B1 takes 4 knights of yours at most, not 5."
    assert s.refused("a: march in_b1=1") == s.refused("a: march in_b1=4") == ""
    isle = Scene("a: knights=6\nC1: Forest a 2")
    assert isle.refused("a: march in_c1=1") == "C1 has no line of supply; its knights stay there, and none can come."


def test_a_refused_advance_says_what_stands_in_its_way() -> None:  # MM-ADV-4, MM-OPT-6
    s = Scene("a: knights=0\nB1: Forest a 1")
    assert s.refused("a: march target=A1 knights=1") == (
        "A march starts from the castle, which will have 0 knights; you send 1."
    )
    full = Scene("a: knights=48\nB1: Battlefield\nA1: Cave a 4\nB2: Forest a 6")
    assert most_offered(full) == 6
    assert (
        full.refused("a: march target=B1 knights=8")
        == "You can send 6 knights to B1 at most: more would need more than 10 dice."
    )
    siege = Scene("options: siege\na: knights=6")
    assert siege.refused("a: march target=E2 knights=3").startswith("E2 can't be reached: it touches neither your castle")
    beside = Scene("options: siege\na: knights=6\nE1: Forest a 1")
    assert beside.refused("a: march target=E2 knights=3") == (
        "E1, which touches E2, has no line of supply; no march starts from it."
    )
    assert Scene("a: knights=6").refused("a: march target=E2 knights=3") == (
        "E2 is a castle; castles can only be attacked in a Castle Siege."
    )


def test_a_march_is_written_down_as_it_was_ordered() -> None:  # MM-ADV-1
    s = Scene("a: knights=6\na.hand: Conflict2\nb.hand: Conflict2\nB1: Forest b 2").play(
        "a: march target=B1 knights=3 then=end"
    )
    (unit,) = [frame for frame in s.state.stack if isinstance(frame, Unit)]
    assert unit.order == Answer("march", {"target": "B1", "knights": 3}), "what comes after it is the turn's business"


def test_as_many_as_a_place_takes_are_too_few_at_home_and_not_too_many_there() -> None:  # MM-ADV-4
    s = Scene("a: knights=2\nB1: Forest")
    assert s.refused("a: march target=B1 knights=6") == (
        "A march starts from the castle, which will have 2 knights; you send 6."
    )
    assert s.refused("a: march target=B1 knights=7").startswith("B1 takes 6 knights of yours at most; you send 7.")


def test_a_castle_with_too_few_dice_lends_all_its_knights_to_nothing() -> None:  # MM-ADV-4, MM-DIC-4
    s = Scene(
        "a: knights=6\nD2: Battlefield a 8\nE1: Battlefield\n"
        + "".join(f"{x}: Forest a 1\n" for x in ("A1", "A3", "B1", "B2", "C1", "C3", "D1"))
    )
    assert s.need("a") == 10
    assert s.refused("a: march target=E1 knights=7 in_d2=7").startswith("That needs 11 dice, and you have 10;")


def test_whoever_can_send_nobody_is_offered_no_aim() -> None:  # MM-ADV-1, MM-RED-2
    s = Scene("a: knights=0\nB1: Forest a 1")
    assert [f.name for f in s.ask().option("march").fields] == ["in_b1", "then"]
    assert [f.name for f in Scene("a: knights=1\nB1: Forest a 1").ask().option("march").fields] == [
        *("in_b1", "target", "knights", "then")
    ]


def test_what_is_told_of_an_advance() -> None:  # MM-ADV-5
    s = Scene("a: knights=4\nB1: Forest").play("a: march target=B1 knights=3")
    assert s.told("advanced") == [{"seat": "a", "slot": "B1", "tile": "Forest", "count": 3}]


def test_why_an_advance_is_too_great_counts_what_is_gathered() -> None:  # MM-ADV-4, MM-RED-2
    s = Scene("a: knights=1\nB1: Forest a 5\nA1: Forest\nB2: Forest a 1")
    assert s.refused("a: march target=A1 knights=6 in_b1=1") == (
        "A march starts from the castle, which will have 5 knights; you send 6."
    )
    assert s.refused("a: march target=A1 knights=6 in_b1=4 in_b2=1").startswith(
        "A march starts from the castle, which will have 2 knights"
    )


def test_a_preview_of_a_battle_counts_place_and_sceptre() -> None:  # MM-BAT-2, 8, MM-SCP-2, 4, 7
    places = "B1: City b 2\nA1: Grasslands b 1"
    s = Scene(f"a: knights=6\na.artefacts: Rage, Greed\nb.artefacts: Loyalty, Devotion\n{places}")
    clashes = s.seen("a")["own"]["clashes"]
    assert (clashes["B1"]["attack"], clashes["B1"]["defence"]) == ([("Rage", 1)], [("City", 1), ("Loyalty", 1)])
    told = ahead(s.state, "a", read("march target=B1 knights=4"))
    assert (
        "The battle begins at 5 to 4, before cards." in told
        and "That counts 1 for the Sceptre of Rage, unless a Fracture breaks it." in told
    )
    assert "The battle begins at 6 to 2" in ahead(s.state, "a", read("march target=A1 knights=4"))
    assert "clashes" not in s.seen("b")["own"], "to whom it is not the time to choose, nothing is said"
    s.play("a: march target=B1 knights=4")
    while s.step != "conflict":
        s.play(f"{s.state.waiting[0]}: pass")
    assert s.scores == (5, 4), "what was said before is what it begins with"
    fear = Scene(f"a: knights=6\na.artefacts: Fear, Greed\nb.artefacts: Defiance, Devotion\n{places}")
    assert fear.seen("a")["own"]["clashes"]["B1"]["matching"] == ["Fear"]
    assert "With the Sceptre of Fear its lord may count as many knights as the rival." in ahead(
        fear.state, "a", read("march target=B1 knights=1")
    )


def test_a_preview_of_support_says_where_the_cards_leave_the_score() -> None:  # MM-DEC-15, MM-BAT-11
    s = battle().play("a: play card=Conflict5", "b: play card=Conflict2")
    assert s.asked == ["b"] and s.scores == (9, 5)
    assert ahead(s.state, "b", read("support cards=[Support1,Support2]")) == "Then it stands 8 to 9."


def test_as_many_as_the_dice_allow_are_not_too_many_where_something_else_is_wrong() -> None:  # MM-ADV-4, MM-DIC-4
    s = Scene("a: knights=43\nB1: Cave a 1\nB2: Forest a 1\nA1: Forest")
    assert "dice" in s.refused("a: march target=A1 knights=7") or "takes 6" in s.refused("a: march target=A1 knights=7")
    assert s.refused("a: march target=A1 knights=6 then=dance") == "“then” can't be “dance”. Open to you: end."
    tight = Scene("a: knights=48\nB1: Cave a 1\nB2: Forest a 1\nA1: Battlefield")
    assert tight.refused("a: march target=A1 knights=6 then=dance") == "“then” can't be “dance”. Open to you: end."


def test_a_preview_of_a_battle_calls_the_defender_by_name() -> None:  # MM-DEC-12
    s = Scene("a: knights=6\nB1: City b 2")
    told = game_called("mastery").face.preview(s.state, "a", read("march target=B1 knights=4"), {"a": "Anna", "b": "Bert"})
    assert "If you win, you have 3 points and Bert 0." in told


def test_a_preview_of_a_redistribution_counts_what_will_be_in_the_castle() -> None:  # MM-CRN-8, MM-RED-1
    s = Scene("a: knights=2\na.artefacts: Vitality\na.hand: Conflict2\nb.hand: \nB1: Forest a 5\nB2: Forest a 1")
    s.play("a: crown")
    assert s.step == "redistribute"
    assert ahead(s.state, "a", read("redistribute in_b1=2 in_b2=3")) == "In your castle: 3 knights."
    assert ahead(s.state, "a", read("redistribute")) == "In your castle: 2 knights."


def test_too_few_at_home_are_told_with_how_many_there_will_be() -> None:  # MM-ADV-4, MM-RED-2
    s = Scene("a: knights=1\nB1: Forest a 5\nA1: Forest\nB2: Forest a 1")
    with pytest.raises(NotLegal, match="will have 5 knights; you send 6"):
        vet_unit(s.table, "a", read("march target=A1 knights=6 in_b1=1"))


def test_all_from_the_castle_are_not_too_many_where_something_else_is_wrong() -> None:  # MM-ADV-4
    s = Scene("a: knights=3\nA1: Forest")
    assert s.refused("a: march target=A1 knights=3 then=dance") == "“then” can't be “dance”. Open to you: end."


def test_a_preview_of_support_counts_for_the_attacker_and_for_the_defender() -> None:  # MM-DEC-15
    s = battle().play("a: play card=Conflict5", "b: play card=Conflict2", "b: pass")
    assert s.asked == ["a"] and ahead(s.state, "a", read("support cards=[Support1]")) == "Then it stands 10 to 5."


def test_more_than_a_place_takes_are_told_with_how_many_it_takes() -> None:  # MM-RED-2, MM-CAP-1
    s = Scene("a: knights=9\nB1: Cave a 4")
    vet_unit(s.table, "a", read("march in_b1=4"))
    with pytest.raises(NotLegal) as refusal:
        vet_unit(s.table, "a", read("march in_b1=5"))
    assert str(refusal.value) == "B1 takes 4 knights of yours at most, not 5."


def test_a_preview_of_a_battle_says_what_dice_and_the_end_of_the_game_do() -> None:  # MM-TER-5, MM-VIC-2, MM-OPT-14
    arena = Scene("a: knights=6\nB1: Arena b 2")
    assert "The battle begins at 4 to 2, before the Arena’s dice and cards." in ahead(
        arena.state, "a", read("march target=B1 knights=4")
    )
    lands = "B2: City a 1\nC1: Fortress a 1\nC3: Fortress a 1\nD1: City a 1"
    last = Scene(f"a: knights=6\nB1: Village b 2\n{lands}")
    assert last.points("a") == 12
    told = ahead(last.state, "a", read("march target=B1 knights=4"))
    assert "If you win, the game is yours." in told and "the place counts" not in told
    wild = Scene("options: mayhem\na: knights=6\nB1: Village b 2")
    assert "Lost:" not in ahead(wild.state, "a", read("march target=B1 knights=4"))


def test_the_unit_of_a_tactical_advance_is_written_down_as_a_march() -> None:  # MM-RES-4, MM-ADV-1
    s = Scene("a: knights=6\na.hand: TacticalAdvance, Conflict2\nb.hand: Conflict2\nB1: Forest b 2")
    s.play("a: tactical target=B1 knights=3")
    (unit,) = [frame for frame in s.state.stack if isinstance(frame, Unit)]
    assert unit.order == Answer("march", {"target": "B1", "knights": 3})


def test_the_most_that_can_go_is_found_one_knight_at_a_time() -> None:  # MM-ADV-4, MM-DIC-4
    s = Scene("a: knights=48\nB1: Cave a 4\nB2: Forest a 6\nA1: Battlefield")
    assert [most_sent(s.table, "a", supplied(s.table, "a"), room) for room in (6, 7, 8)] == [6, 6, 6]


def test_a_preview_of_a_vacant_place_counts_it_to_what_one_has() -> None:  # MM-VIC-1, MM-DEC-12
    s = Scene("a: knights=6\nA1: Fort\nB1: City a 2")
    told = ahead(s.state, "a", read("march target=A1 knights=2"))
    assert told.endswith("Nobody holds it, so it is yours at once; you then have 5 points.")


def test_whoever_has_allies_all_around_has_no_aim() -> None:  # MM-ADV-2, MM-OPT-4
    s = Scene("options: teams=2\na: knights=3\nB2: Forest c 1\nC1: Forest c 1\nC2: Forest c 1", "a b c d")
    assert s.targets("a") == [] and not {"target", "knights"} & s.fields("march").keys()


def test_a_preview_counts_the_dice_of_every_place_that_changes() -> None:  # MM-DIC-1, MM-RED-2
    s = Scene("a: knights=12\nB1: Battlefield a 6\nC1: Cave b 4")
    assert s.need("a") == 3
    assert ahead(s.state, "a", read("march in_b1=7")) == "In your castle: 11 knights. Dice used: 4 of 10."
    assert ahead(s.state, "a", read("march in_b1=7 target=C1 knights=4")).startswith(
        "In your castle: 7 knights. Dice used: 5 of 10."
    )


def test_an_advance_of_nobody_is_told_so_before_all_else() -> None:  # MM-ADV-1
    s = Scene("a: knights=0\nB1: Forest a 2")
    assert s.refused("a: march target=A1") == "A march to A1 needs at least one knight; say how many."
    assert s.refused("a: march target=A1 then=dance") == "“then” can't be “dance”. Open to you: end."


def test_of_a_place_that_is_none_the_beginning_is_quoted() -> None:  # MM-ADV-2
    assert Scene("").refused("a: march target=ABCDEFGHIJKLM knights=1") == "There is no place “ABCDEFGHIJ” on this map."


def test_what_can_be_sent_counts_the_dice_that_supplied_territories_free() -> None:  # MM-ADV-4, MM-RED-2
    s = Scene("a: knights=48\nB1: Battlefield\nA1: Battlefield a 8")
    assert most_offered(s) == 8 and s.refused("a: march target=B1 knights=8 in_a1=6") == ""
    assert s.refused("a: march target=B1 knights=8 in_a1=6 then=dance") == "“then” can't be “dance”. Open to you: end."


def test_as_many_as_a_territory_takes_are_not_too_many_where_something_else_is_wrong() -> None:  # MM-RED-2, MM-CAP-1
    s = Scene("a: knights=9\nB1: Cave a 2")
    assert s.refused("a: march in_b1=4 then=dance") == "“then” can't be “dance”. Open to you: end."


def test_a_preview_tells_what_brutality_adds_to_a_defeat() -> None:  # MM-ORB-2, MM-DEC-12
    s = Scene("a: knights=6\nb.artefacts: Brutality\nB1: City b 2")
    told = ahead(s.state, "a", read("march target=B1 knights=4"))
    assert told.endswith("; the rest go home. One more falls to the Orb of Brutality, unless a Fracture breaks it.")


def test_a_preview_of_a_siege_counts_the_castle_as_eight() -> None:  # MM-OPT-6, MM-DEC-12
    s = Scene("options: siege\na: knights=6\nb: knights=2\nB1: Forest a 1\nD1: Forest a 1\n")
    assert ahead(s.state, "a", read("march target=E2 knights=4")) == (
        "In your castle: 2 knights. Dice used: 4 of 10. A castle defends as 8: the battle begins at 4 to 8, before cards. "
        "If you win, the game is yours. If you lose, one knight falls for each point you are short, "
        "at least one; the rest go home."
    )


def test_a_preview_of_a_place_that_does_two_things_says_both_that_will_be() -> None:  # MM-TER-7, MM-TER-8, MM-DAT-4
    data = json.loads(TEXT)
    for land in data["tiles"]["territories"]:
        if land["type"] == "RUINS":
            land["on_conquer"] = ["MAY_DISCARD_1", "PLACE_1_KNIGHT_IN_CASTLE"]
    for hand, told in (("", []), ("Conflict2", ["discard"])):
        s = Scene(f"lore: {json.dumps(data)}\na: knights=6\na.hand: {hand}\nA1: Ruins")
        said = ahead(s.state, "a", read("march target=A1 knights=3"))
        assert said.endswith("It sends its conqueror 1 knight.") and ("discard" in said) is bool(told)
