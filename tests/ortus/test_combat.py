"""Combat and Vikings (rules 10 and 11) beyond the worked examples."""

from __future__ import annotations

import pytest

from tests.ortus.scene import Scene

FIELD = """
a.F1: Palace (Prince) {2 Land}
a.F2: Castle (Vassal) {}
a.reserve: K, I
b.F1: Palace (Champion) {Land, Church}
b.F2: Castle (-) {}
b.reserve: K
c.F1: Palace (-) {}
"""


def test_an_attack_is_set_out_whole_and_in_public() -> None:
    # OR-ATT-1, OR-BAT-1, OR-FLD-2: forces of all Fiefs, known to all; Hand cards leave the Hand.
    s = Scene(FIELD + "a.hand: Champion")
    s.play("a: attack target=siege:b:F2 lords=[lord:F1,lord:F2] hand=[Champion/a] reserve=[Infantry]")
    (attack,) = s.told("attack")
    assert attack["cards"] == ["Prince/a", "Vassal/a", "Champion/a", "Infantry"] and attack["points"] == 5
    assert s.earl("a").hand == [] and s.asked == ["b"]


def test_anybody_may_attack_anybody_but_himself_and_the_vikings() -> None:
    # OR-ATT-7
    s = Scene(FIELD + "force: 5 VikingInfantry\nvikings: arrived black=8 white=0")
    targets = s.ids("attack", "target")
    assert {t.split(":")[1] for t in targets} == {"b", "c"}


def test_properties_and_towers_are_no_forces() -> None:
    # OR-FLD-8
    s = Scene(FIELD + "a.towers: Champion")
    assert s.ids("attack", "lords") == {"lord:F1", "lord:F2"} and s.ids("attack", "reserve") == {"Knight", "Infantry"}
    assert {f.name for f in s.ask("a").option("attack").fields} == {"target", "lords", "reserve"}


def test_a_killed_card_has_sent_its_damage() -> None:
    # OR-CARD-1, OR-AMB-64: what the attacker assigns first does not weaken the defender, nor the other way round.
    s = Scene(FIELD + "battle: NB")
    s.play("a: attack target=siege:b:F2 lords=[lord:F2] reserve=[Knight,Infantry]", "b: field lords=[lord:F1] reserve=[Knight]")
    assert sorted(s.table.army.discard) == ["Infantry", "Knight", "Knight"], "3 cards take 4 points: all are hit"
    assert len(s.fiefs("b")) == 1, "4 points against 2 cards and no Tower: the 2 that are left take the Castle"


def test_points_past_the_defence_count_what_was_fielded() -> None:
    # OR-OBJ-1, OR-DMG-2: five points against two cards and one Tower leave two; the attacker's surplus is lost.
    s = Scene(FIELD + "a.hand: Champion\nb.towers: Monk\nbattle: NB")
    s.play(
        "a: attack target=siege:b:F2 hand=[Champion/a] lords=[lord:F2] reserve=[Knight]",
        "b: field lords=[lord:F1] reserve=[Knight]",
        "a: take",
    )
    assert len(s.fiefs("b")) == 1 and s.pile("b") == ["Castle/b"]


def test_undefended_is_no_attacker_wins() -> None:
    # OR-AMB-63: damage goes through, nobody is captured.
    s = Scene(FIELD)
    s.play("a: attack target=raid:b:F1 lords=[lord:F2]", "b: stand_down", "b: lose properties=[Church/b]")
    assert s.told("captured") == [] and s.fiefs("b")[0] == "1: Palace/b (Champion/b) {Land/b}"


def test_ransom_comes_on_top_of_what_is_seized() -> None:
    # OR-RAN-8, OR-AMB-75: the Vassal was hit by nothing and seizes; the ransom is another Property.
    s = Scene(FIELD + "battle: AW")
    s.play(
        "a: attack target=raid:b:F1 lords=[lord:F2] reserve=[Knight,Infantry]",
        "b: field lords=[lord:F1]",
        "b: pay payments={lord:F1>F1.Church/b}",
        "a: take seize=[Land/b] attach={Church/b>F2,Land/b>F1}",
    )
    assert s.fiefs("a") == ["1: Palace/a (Prince/a) {Land/a, Land/a, Land/b}", "2: Castle/a (Vassal/a) {Church/b}"]
    assert s.fiefs("b")[0] == "1: Palace/b (Champion/b) {}"


def test_paying_the_anchor_of_a_raided_fief_saves_nothing_on_it() -> None:
    # OR-AMB-71: its Properties are discarded at once and can't be seized; the points are lost.
    s = Scene(FIELD.replace("b.F2: Castle (-) {}", "b.F2: Castle (-) {Market Town}") + "battle: AW")
    s.play(
        "a: attack target=raid:b:F2 lords=[lord:F2] reserve=[Knight,Infantry]",
        "b: field lords=[lord:F1]",
        "b: pay payments={lord:F1>F2}",
    )
    assert s.pile("b") == ["MarketTown/b"] and s.fiefs("a")[2] == "3: Castle/b (-) {}"
    assert [e for e in s.kinds() if e in ("object_gone", "seized")] == ["object_gone"] and s.step == "turn"
    assert s.told("object_gone") == [{"seat": "b"}]


def test_foreign_properties_fall_to_their_owners() -> None:
    # OR-AMB-76
    s = Scene(FIELD.replace("b.F1: Palace (Champion) {Land, Church}", "b.F1: Palace (-) {Land/c, Church/a}"))
    s.play("a: attack target=raid:b:F1 reserve=[Knight]", "b: stand_down")
    assert s.pile("c") == ["Land/c"] and s.pile("a") == ["Church/a"]


def test_gains_always_find_an_anchor() -> None:
    # OR-AMB-39: every receiver holds an Anchor, so a default attaches to the lowest Fief.
    s = Scene(FIELD)
    s.play("a: attack target=raid:b:F1 lords=[lord:F1,lord:F2]", "b: stand_down").default()
    assert s.fiefs("a")[0] == "1: Palace/a (Prince/a) {Land/a, Land/a, Land/b, Church/b}"


def test_the_king_card_seizes_nothing() -> None:
    # OR-AMB-36
    s = Scene("a.F1: Palace (-) {}\nking: a [Knight]\nb.F1: Palace (-) {Land}\nc.F1: Palace (-) {}")
    s.play("a: attack target=raid:b:F1 others=[king,royal:Knight]")
    assert s.step == "turn" and s.pile("b") == ["Land/b"]


@pytest.mark.parametrize(
    ("churches", "decides"),
    [((0, 0, 0), ""), ((0, 0, 1), "c"), ((1, 2, 1), "b"), ((1, 1, 0), ""), ((2, 2, 1), ""), ((1, 2, 2), ""), ((3, 1, 2), "a")],
)
def test_strictly_most_churches_decide(churches: tuple[int, ...], decides: str) -> None:
    # OR-BAT-3, OR-AMB-77: whether they fight or not; a tie for most, or none at all, is a normal Battle.
    s = Scene(
        "".join(f"{x}.F1: Palace (-) {{{n} Church}}\n" for x, n in zip("abc", churches, strict=True))
        + "a.hand: Champion\nb.hand: Monk\nbattle: CD"
    )
    s.play("a: attack target=siege:b:F1 hand=[Champion/a]", "b: field hand=[Monk/b]")
    assert (s.asked[0] if s.step == "church" else "") == decides
    assert bool(s.told("church_undecided")) == (not decides)
    if decides:
        s.play(f"{decides}: DW")
        assert s.told("church_decided") == [{"seat": decides, "result": "DW"}]


@pytest.mark.parametrize(
    ("mine", "theirs", "asked"),
    [
        ("Monk", "Monk", []),  # no points at all
        ("Monk, Vassal", "Vassal", ["a"]),  # one on either side: it is only on one of two cards that there is a choice
        ("2 Vassal", "Vassal", []),  # like cards of one owner and place: one answer
        ("Vassal", "Monk, Vassal", ["b"]),
        ("Monk, Vassal", "Champion", []),  # as many points as cards
        ("Champion", "Monk, Vassal", []),
        ("Monk, Vassal", "Monk, Vassal", ["a", "b"]),
    ],
)
def test_who_is_hit_is_asked_where_there_is_a_choice_alone(mine: str, theirs: str, asked: list[str]) -> None:
    # OR-DMG-1, OR-DEC-5, D-44, D-45
    s = Scene(
        f"a.F1: Palace (-) {{}}\nb.F1: Palace (-) {{}}\nc.F1: Palace (-) {{}}\na.hand: {mine}\nb.hand: {theirs}\nbattle: NB"
    )
    everybody = {x: ",".join(s.earl(x).hand) for x in "ab"}
    s.play(f"a: attack target=siege:b:F1 hand=[{everybody['a']}]", f"b: field hand=[{everybody['b']}]")
    found = []
    while s.step in ("attacker_hits", "defender_hits"):
        found += s.asked
        s.default()
    assert found == asked


@pytest.mark.parametrize(
    ("towers", "force", "asked"),
    [
        ("Monk, Land", "Vassal", True),
        ("Monk, Land, Castle", "Champion", True),
        ("Monk", "Vassal", False),
        ("Monk, Land", "Champion", False),
    ],
)
def test_the_towers_that_fall_are_chosen_where_some_stand(towers: str, force: str, asked: bool) -> None:
    # OR-OBJ-2, OR-TOW-3, OR-DEC-5, D-46: one of several, by its place.
    s = Scene(f"a.F1: Palace (-) {{}}\nb.F1: Palace (-) {{}}\nc.F1: Palace (-) {{}}\na.hand: {force}\nb.towers: {towers}")
    before = s.earl("b").towers[:]
    s.play(f"a: attack target=tower:b hand=[{force}/a]")
    assert (s.step == "defender_hits") == asked
    points = {"Vassal": 1, "Champion": 2}[force]
    if asked:
        last = [f"T{i}" for i in range(len(before) - points + 1, len(before) + 1)]
        assert s.ids("lose", "towers") == {f"T{i}" for i in range(1, len(before) + 1)}
        s.play(f"b: lose towers=[{','.join(last)}]")
        assert s.earl("b").towers == before[:-points] and s.pile("b") == sorted(before[-points:])
    else:
        assert s.earl("b").towers == [] and s.pile("b") == sorted(before)
    assert not s.told("tower_stands"), "only a Duke has one that stays"


def test_of_two_like_properties_one_is_seized_and_one_is_lost() -> None:
    # OR-SEI-2, 4 and 5: one Lord takes one; the other goes to its owner's pile.
    s = Scene(FIELD.replace("b.F2: Castle (-) {}", "b.F2: Castle (-) {2 Church}"))
    s.play("a: attack target=raid:b:F2 lords=[lord:F2] reserve=[Knight]", "b: stand_down")
    assert "takes 0 or 1" in s.refused("a: take seize=[Church/b*2]")
    s.play("a: take seize=[Church/b] attach={Church/b>F2}")
    assert s.fiefs("a")[1] == "2: Castle/a (Vassal/a) {Church/b}" and s.pile("b") == ["Church/b"]
    assert s.told("seized") == [{"seat": "a", "cards": ["Church/b"]}]


def test_two_like_properties_go_to_two_fiefs() -> None:
    # OR-SEI-5, D-49, DEF-6: each where it is put; what isn't placed goes to the lowest Fief.
    raid = ("a: attack target=raid:b:F2 lords=[lord:F1,lord:F2]", "b: stand_down")
    start = FIELD.replace("b.F2: Castle (-) {}", "b.F2: Castle (-) {2 Church}").replace("{2 Land}", "{}")
    s = Scene(start).play(*raid, "a: take seize=[Church/b*2] attach={Church/b>F2,Church/b+2>F1}")
    assert s.fiefs("a") == ["1: Palace/a (Prince/a) {Church/b}", "2: Castle/a (Vassal/a) {Church/b}"]
    s = Scene(start).play(*raid, "a: take seize=[Church/b*2] attach={Church/b+2>F2}")
    assert s.fiefs("a") == ["1: Palace/a (Prince/a) {Church/b}", "2: Castle/a (Vassal/a) {Church/b}"]
    s = Scene(start).play(*raid, "a: take seize=[Church/b] attach={Church/b+2>F2}")
    assert s.fiefs("a") == ["1: Palace/a (Prince/a) {}", "2: Castle/a (Vassal/a) {Church/b}"] and s.pile("b") == ["Church/b"]
    s = Scene(start).play(*raid, "a: take")
    assert s.fiefs("a")[0] == "1: Palace/a (Prince/a) {}" and s.pile("b") == ["Church/b"] * 2


def test_the_king_chooses_which_of_his_army_is_hit() -> None:
    # OR-KING-5, OR-DMG-1, OR-DMG-3: each card of the Royal Army by its name, and the King Card too.
    s = Scene(
        "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}\nking: a [Knight, Infantry]\nb.hand: Vassal\nbattle: NB"
    )
    s.play("a: attack target=siege:b:F1 others=[king,royal:Knight,royal:Infantry]", "b: field hand=[Vassal/b]")
    assert s.ids("hit", "cards") == {"king", "royal:Knight", "royal:Infantry"}
    s.play("a: hit cards=[royal:Knight]")
    assert s.table.royal == ["Infantry"] and s.table.army.discard == ["Knight"]
    assert s.told("killed") == [{"seat": "a", "cards": ["Knight"]}]


# --- Vikings ----------------------------------------------------------------------------------------------------------

SEA = """
a.F1: Palace (-) {}
b.F1: Palace (-) {Land}
c.F1: Palace (-) {}
active: c
c.deck: 3 Land
a.deck: 3 Land
"""


def test_after_the_landing_combat_no_longer_matters() -> None:
    # OR-VIK-3
    s = Scene(SEA.replace("active: c", "active: a") + "a.hand: Monk\nvikings: arrived black=8 white=0\nforce: VikingInfantry")
    s.play("a: attack target=siege:b:F1 hand=[Monk/a]")
    assert s.table.white is False and s.table.black == 8


def test_a_viking_deck_that_is_out_gives_no_card() -> None:
    # OR-VIK-7, OR-AMB-9
    s = Scene(SEA + "vikings: arrived black=8 white=0\nforce: 16 VikingInfantry, 8 VikingChieftain\nviking-deck:")
    s.play("c: end")
    assert len(s.table.force) == 24 and s.step == "vikings"


def test_a_viking_attack_is_nobodys_attack() -> None:
    # OR-AMB-89, OR-VIK-11: its controller seizes nothing, and what falls is discarded.
    s = Scene(SEA + "vikings: arrived black=8 white=0\nforce: 4 VikingInfantry\na: in cubes=9 turns=2 founded=1 hired=0")
    s.play("c: end")
    controller = s.asked[0]
    s.play(f"{controller}: attack target=raid:b:F1")
    while s.step == "defend":
        s.default()
    assert s.pile("b") == ["Land/b"] and s.told("seized") == []


def test_anchors_paid_together_arrive_by_their_old_numbers() -> None:
    # 1 Terms (Fief), OR-RAN-4, OR-RAN-8: whichever Lord each is paid for; more than two come at once.
    s = Scene(
        "a.F1: Palace (Champion) {}\na.F2: Castle (Vassal) {}\na.F3: Castle/c (-) {}\na.F4: Castle (-) {}\n"
        "b.F1: Palace (-) {}\nb.hand: Monk\nbattle: DW"
    )
    s.play("a: attack target=siege:b:F1 lords=[lord:F1,lord:F2]", "b: field hand=[Monk/b]")
    s.play("a: pay payments={lord:F1>F4,lord:F2>F3}")
    assert s.fiefs("b") == ["1: Palace/b (-) {}", "2: Castle/c (-) {}", "3: Castle/a (-) {}"]
    assert s.fiefs("a") == ["1: Palace/a (Champion/a) {}", "2: Castle/a (Vassal/a) {}"]


def test_each_ransom_is_a_holding_of_its_own() -> None:
    # OR-RAN-1: all different, though like Holdings serve one each.
    s = Scene(
        "a.F1: Palace (Champion) {2 Land}\na.F2: Castle (Vassal) {}\na.F3: Castle (-) {}\n"
        "b.F1: Palace (-) {}\nb.hand: Monk\nbattle: DW"
    )
    s.play("a: attack target=siege:b:F1 lords=[lord:F1,lord:F2]", "b: field hand=[Monk/b]")
    assert s.refused("a: pay payments={lord:F1>F3,lord:F2>F3}")
    s.play("a: pay payments={lord:F1>F1.Land/a,lord:F2>F1.Land/a}")
    assert s.fiefs("b") == ["1: Palace/b (-) {Land/a, Land/a}"] and s.fiefs("a")[0] == "1: Palace/a (Champion/a) {}"
