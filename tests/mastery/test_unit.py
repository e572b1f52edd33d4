"""The unit of a turn: redistribution, then an advance (MM-RED, MM-ADV, MM-DEC-11, 12)."""

from __future__ import annotations

from engine.asks import Number, read
from engine.games import game_called
from tests.mastery.scene import Scene, battle

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
    assert s.refused("a: march target=B2 knights=0") == "An advance to B2 takes one knight at least; say how many."
    assert s.refused("a: march knights=2") == "The knights of the advance have no target; name one, or set them to 0."
    assert s.refused("a: march target=C1 knights=1") == "C1 is yours already; knights come there by redistribution."
    assert s.refused("a: march target=B1 knights=1") == "B1 is your own castle; knights come there by redistribution."
    assert s.refused("a: march target=B4 knights=1") == "B4 is a castle; castles can be attacked in a Castle Siege only."
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
        "An advance starts from the castle, which will have 3 knights; you send 4."
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
    preview = game_called("mastery").preview
    s = Scene("a: knights=6\nB1: City b 2\nB2: Shrine\nA1: Grasslands b 1")
    told = preview(s.state, "a", read("march target=B1 knights=4"))
    assert told == "In your castle: 2 knights. Dice used: 2 of 10. It begins at 4 to 3, before sceptres and cards."
    told = preview(s.state, "a", read("march target=A1 knights=4"))
    assert "It begins at 5 to 1" in told
    told = preview(s.state, "a", read("march target=B2 knights=1"))
    assert "In your castle: 5 knights. Dice used: 2 of 10. The place is vacant, so it is yours at once" in told
    assert "and you have 2 points." in told
