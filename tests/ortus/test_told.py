"""What is told of every deed, to whom, and with which facts: a letter and the news are made of nothing else."""

from __future__ import annotations

from typing import Any

from tests.ortus.scene import Scene

THREE = "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}\na.deck: 5 Land\nb.deck: 5 Land\nc.deck: 5 Land\n"


def heard(scene: Scene, since: int = 0) -> list[tuple[str, dict[str, Any]]]:
    """What a spectator has heard, in order."""
    return [(e.kind, e.facts) for e in scene.log[since:] if e.seen_by(None)]


def scene(text: str) -> Scene:
    """The three Palaces with some lines replaced and others added."""
    lines = dict(line.partition(":")[::2] for line in (THREE + text).splitlines())
    return Scene("\n".join(f"{key}:{value}" for key, value in lines.items()))


def after(text: str, *lines: str) -> list[tuple[str, dict[str, Any]]]:
    """What a spectator hears of these answers, in order."""
    s = scene(text)
    since = len(s.log)
    return heard(s.play(*lines), since)


# --- an Earl's Turn (rules 7 and 8) -------------------------------------------------------------------------------------


def test_garrisons_go_where_they_are_sent_and_everybody_sees_them() -> None:
    # OR-FREE-2, OR-MERC-1: to the Mercenary that was named, of several; into the Royal Army; the card leaves the Reserve.
    s = scene(
        "a.M1: Mercenary (-)\na.M2: Mercenary (-)\na.M3: Mercenary (I)\na.reserve: Knight, Infantry, Knight\nking: a []\n"
    )
    assert s.ids("garrison", "slot") == {"mercenary:1", "mercenary:2", "royal"}
    assert s.ids("garrison", "card") == {"Infantry", "Knight"}
    s.play("a: garrison card=Knight slot=mercenary:2", "a: garrison card=Infantry slot=royal")
    assert [m.garrison for m in s.earl("a").mercenaries] == [None, "Knight", "Infantry"]
    assert s.table.royal == ["Infantry"] and s.earl("a").reserve == ["Knight"] and not s.table.action_used
    assert s.told("garrisoned") == [
        {"seat": "a", "card": "Knight", "slot": "mercenary:2"},
        {"seat": "a", "card": "Infantry", "slot": "royal"},
    ]
    assert s.ids("garrison", "slot") == {"mercenary:1", "royal"}
    s = scene("a.M1: Mercenary (Knight)\na.reserve: Knight\nking: b []\n")
    assert "garrison" not in s.options(), "nobody fills another's Royal Army, and no slot twice"
    s = scene("king: a [Infantry, Infantry]\na.reserve: Knight\n")
    assert "garrison" not in s.options(), "N-1 slots"


def test_a_hired_mercenary_is_announced() -> None:
    # OR-MERC-1
    assert after("a.hand: Mercenary", "a: mercenary") == [("hired", {"seat": "a"})]


def test_an_installed_lord_is_announced_and_whom_he_bumped() -> None:
    # OR-LORD-1, OR-LORD-2
    assert after("a.hand: Monk", "a: install card=Monk/a fief=F1") == [
        ("installed", {"seat": "a", "card": "Monk/a", "fief": 1, "bumped": None})
    ]
    (told,) = after("a.F2: Castle (Vassal/a) {}\na.hand: Monk", "a: install card=Monk/a fief=F2")
    assert told == ("installed", {"seat": "a", "card": "Monk/a", "fief": 2, "bumped": "Vassal/a"})


def test_recruits_are_counted_in_public_and_named_in_secret() -> None:
    # OR-REC-1, OR-INFO-3
    s = scene("a.F1: Palace (-) {Land, MarketTown}\narmy: Knight, Infantry, Knight")
    s.play("a: recruit")
    assert heard(s)[-2:] == [("recruited", {"seat": "a"}), ("army_drawn", {"seat": "a", "count": 2})]
    (own,) = (e for e in s.log if e.kind == "army_drawn_own")
    assert own.only == ("a",) and own.facts == {"seat": "a", "count": 2, "cards": ["Infantry", "Knight"]}
    assert sorted(s.earl("a").reserve) == ["Infantry", "Knight"] and s.table.army.deck == ["Knight"]


def test_an_army_deck_that_runs_out_gives_what_it_has() -> None:
    # OR-PROP-4, OR-RNG-2: the discard pile first, then nothing.
    s = scene("a.F1: Palace (-) {MarketTown}\na.hand: Land\narmy:\narmy-discard: Knight").play("a: place card=Land/a fief=F1")
    assert heard(s)[-2:] == [
        ("placed", {"seat": "a", "card": "Land/a", "fief": 1}),
        ("army_drawn", {"seat": "a", "count": 1}),
    ]
    assert s.earl("a").reserve == ["Knight"]


# --- combat (rules 10) --------------------------------------------------------------------------------------------------


def test_a_battle_is_told_from_the_attack_to_the_spent() -> None:
    # OR-BAT-1 to 9, OR-RAN-1, OR-INFO-2: forces and points of both sides, the card, the captured, what fell, who is spent.
    assert after(
        "a.F2: Castle (Vassal) {Land}\na.reserve: Knight\na.hand: Champion\n"
        "b.F2: Castle (Champion) {Land}\nb.hand: Monk\nbattle: AW",
        "a: attack target=siege:b:F2 hand=[Champion/a] reserve=[Knight] lords=[lord:F2]",
        "b: field lords=[lord:F2] hand=[Monk/b]",
        "b: none",
        "a: take",
    ) == [
        (
            "attack",
            {
                **{"seat": "a", "actor": "a", "defender": "b", "what": "siege", "fief": 2},
                **{"cards": ["Vassal/a", "Champion/a", "Knight"], "points": 5},
            },
        ),
        ("defended", {"seat": "b", "cards": ["Champion/b", "Monk/b"], "points": 2}),
        ("battle_card", {"card": "AW"}),
        ("captured", {"seat": "b", "cards": ["Champion/b"]}),
        ("no_ransom", {"seat": "b"}),
        ("fell", {"seat": "b", "fief": 2, "cards": ["Castle/b", "Land/b"]}),
        ("spent", {"seat": "a", "cards": ["Champion/a"]}),
        ("spent", {"seat": "b", "cards": ["Monk/b"]}),
    ]


def test_captives_who_are_not_ransomed_are_named_when_they_die() -> None:
    # OR-RAN-1, OR-RAN-5, OR-BAT-4: of two captured Lords the one who was not paid for, and his home stands.
    s = scene("b.F1: Palace (Prince) {Land}\nb.F2: Castle (Champion) {}\na.hand: Champion\nbattle: AW").play(
        "a: attack target=siege:b:F1 hand=[Champion/a]",
        "b: field lords=[lord:F1,lord:F2]",
        "b: pay payments={lord:F1>F1.Land/b}",
    )
    assert s.told("captured") == [{"seat": "b", "cards": ["Prince/b", "Champion/b"]}]
    assert s.told("ransomed") == [{"seat": "b", "captor": "a", "lord": "Prince/b", "card": "Land/b"}]
    assert s.told("captives_died") == [{"seat": "b", "cards": ["Champion/b"]}] and not s.told("no_ransom")
    assert s.fiefs("b") == ["1: Palace/b (Prince/b) {}", "2: Castle/b (-) {}"] and s.pile("b") == ["Champion/b"]


def test_a_lord_whose_home_is_paid_away_dies_with_the_captives() -> None:
    # OR-RAN-4: he is discarded when the Battle is over.
    s = scene("b.F1: Palace (Prince) {}\nb.F2: Castle (Champion) {}\na.hand: Champion\nbattle: AW").play(
        "a: attack target=siege:b:F1 hand=[Champion/a]", "b: field lords=[lord:F1,lord:F2]", "b: pay payments={lord:F1>F2}"
    )
    assert s.told("captives_died") == [{"seat": "b", "cards": ["Champion/b"]}]
    assert s.fiefs("b") == ["1: Palace/b (Prince/b) {}"] and s.fiefs("a") == ["1: Palace/a (-) {}", "2: Castle/b (-) {}"]


def test_a_mercenary_who_is_killed_takes_his_garrison_along_and_both_are_named() -> None:
    # OR-MERC-3, OR-DMG-4
    told = after(
        "a.M1: Mercenary (Knight)\nb.reserve: Knight\nb.F1: Palace (-) {Land}\nbattle: DW",
        "a: attack target=raid:b:F1 others=[mercenary:1]",
        "b: field reserve=[Knight]",
    )
    assert told[3:] == [
        ("killed", {"seat": "a", "cards": ["Mercenary/a", "Knight"]}),
        ("raided", {"seat": "b", "fief": 1, "cards": []}),
    ]


# --- Canterbury (rules 16.3) --------------------------------------------------------------------------------------------

ROLES = "roles: picked\na.role: archbishop\nb.role: earl\nc.role: earl\n"


def test_the_archbishop_announces_that_he_enters_and_is_in_at_the_end() -> None:
    # OR-ROLE-21, OR-ROLE-22
    assert after(ROLES, "a: enter", "a: end")[:3] == [
        ("canterbury_announced", {"seat": "a"}),
        ("card_drawn", {"seat": "a", "left": 4}),
        ("canterbury_entered", {"seat": "a"}),
    ]


def test_who_is_taken_in_canterbury_pays_and_who_is_not_stays() -> None:
    # OR-ROLE-27, OR-ROLE-28
    for card, ends in (("Champion", True), ("Monk", False)):
        s = scene(ROLES + f"a.F1: Palace (-) {{Land}}\ncanterbury: a\nactive: b\nb.hand: {card}\n")
        s.play(f"b: attack target=canterbury:a hand=[{card}/b]")
        sides = {"seat": "a", "captor": "b"}
        assert s.told("canterbury_taken") == ([sides] if ends else [])
        assert s.told("canterbury_paid") == ([{**sides, "card": "Land/a"}] if ends else [])
        assert s.told("canterbury_held") == ([] if ends else [sides]) and (s.table.canterbury == "a") != ends


# --- politics and Jousts (rules 8.10 and 9) -----------------------------------------------------------------------------


def test_what_politics_took_is_told() -> None:
    # OR-POL-3, OR-TRE-6, OR-INT-4, OR-INT-6
    def about(card: str, aim: str, number: int) -> list[tuple[str, dict[str, Any]]]:
        facts = {"seat": "a", "target": "b", "card": card, "aim": aim, "number": number}
        return [("politics", facts), ("no_allies", {"seat": "b"})]

    assert after("a.hand: Treachery\nb.M1: Mercenary (Knight)", "a: treachery aim=mercenary:b:1") == [
        *about("Treachery", "mercenary", 1),
        ("mercenary_removed", {"seat": "b"}),
    ]
    assert after("a.hand: Intrigue\nb.M1: Mercenary (-)\nb.hand: Land", "a: intrigue aim=mercenary:b:1", "b: decline") == [
        *about("Intrigue", "mercenary", 1),
        ("mercenary_stolen", {"seat": "a", "target": "b"}),
    ]
    assert after("a.hand: Intrigue\nb.F2: Castle (-) {Land, Church}", "a: intrigue aim=properties:b:F2") == [
        *about("Intrigue", "properties", 2),
        ("properties_stolen", {"seat": "a", "target": "b", "fief": 2, "cards": ["Land/b", "Church/b"]}),
    ]


def test_a_joust_is_told_from_the_banner_to_the_prizes() -> None:
    # OR-JOU-1, OR-JOU-2, OR-JOU-8, OR-JOU-12, OR-JOU-13
    assert after(
        "a.hand: Banner\na.F1: Palace (-) {Church}\nb.F1: Palace (Vassal) {Land}",
        "a: joust",
        "b: tilt ante=F1.Land/b tilter=lord:F1",
        "c: stand_aside",
        "a: ante ante=F1.Church/a",
    ) == [
        ("joust", {"seat": "a"}),
        ("anted", {"seat": "b", "card": "Land/b", "fief": 1, "tilts": "lord", "lord": "Vassal/b"}),
        ("stood_aside", {"seat": "c"}),
        ("anted", {"seat": "a", "card": "Church/a", "fief": 1, "tilts": "nobody", "lord": None}),
        ("tilters", {"seats": ["b"], "cards": ["Vassal/b"]}),
        ("joust_won", {"seat": "b"}),
        ("prize", {"seat": "b", "loser": "a", "card": "Church/a"}),
    ]


# --- the Vikings (rules 11) ---------------------------------------------------------------------------------------------


def vikings(text: str, *lines: str) -> list[tuple[str, dict[str, Any]]]:
    """What is heard of the Vikings' Turn: between the last draw of an Earl and the next Round."""
    told = after("active: c\n" + text, "c: end", *lines)
    kinds = [kind for kind, _ in told]
    return told[1 : kinds.index("round") if "round" in kinds else None]


def test_combat_holds_the_vikings_back_and_quiet_brings_them_nearer() -> None:
    # OR-VIK-1
    assert vikings("vikings: approaching black=2 white=1") == [("vikings_held", {"black": 2})]
    assert vikings("vikings: approaching black=2 white=0") == [("vikings_nearer", {"black": 3})]


def test_the_vikings_land_with_one_card_more_than_there_were_earls() -> None:
    # OR-VIK-1, OR-VIK-4, OR-VIK-8
    ships = "a: in cubes=0 turns=2\nc: in cubes=0 turns=2\nviking-deck: VikingChieftain, 9 VikingInfantry\n"
    grown = ("vikings_grew", {"cards": ["VikingChieftain", *["VikingInfantry"] * 3], "force": 4})
    landed = [("vikings_arrived", {}), grown, ("vikings_controlled", {"seat": "b"})]
    assert vikings(ships + "vikings: approaching black=7 white=0") == [("vikings_nearer", {"black": 8}), *landed]
    assert vikings(ships + "vikings: approaching black=8 white=1") == landed
    assert vikings(ships + "vikings: approaching black=8 white=0", "b: hold") == [*landed, ("vikings_spared", {"seat": "b"})]


def test_vikings_below_their_strength_grow_and_do_nothing_else() -> None:
    # OR-VIK-5, OR-VIK-6
    ships = "b: in cubes=0 turns=2\nc: in cubes=0 turns=2\nvikings: arrived black=8 white=0\nviking-deck: VikingChieftain\n"
    grown = {"cards": ["VikingChieftain"]}
    assert vikings(ships + "force: 2 VikingInfantry") == [
        ("vikings_grew", {**grown, "force": 3}),
        ("vikings_idle", {"force": 3, "needed": 4}),
    ]
    assert vikings(ships + "force: 3 VikingInfantry") == [
        ("vikings_grew", {**grown, "force": 4}),
        ("vikings_controlled", {"seat": "a"}),
    ]
