"""What is told of every deed, to whom, and with which facts: a letter and the news are made of nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import procedure
from engine.core.chance import Chance
from engine.ortus import ORTUS
from engine.play.cases import Scripted
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


def test_a_castle_and_an_emissary_are_announced() -> None:
    # OR-PROP-1, OR-EMI-1, OR-EMI-3, OR-INFO-2
    assert after("a.hand: Castle", "a: castle card=Castle/a") == [("castle", {"seat": "a", "card": "Castle/a", "fief": 2})]
    for card, cubes in (("Vassal", 1), ("Monk", 2)):
        told = after(f"a.hand: {card}\nvikings: approaching black=2 white=0", f"a: emissary card={card}/a")
        assert told == [("emissary", {"seat": "a", "card": f"{card}/a", "cubes": cubes, "black": 3})]


def test_the_deal_is_told_by_its_number_and_to_each_by_his_cards() -> None:
    # OR-SET-7, OR-INFO-1
    state = ORTUS.rules.setup(["a", "b"], {}, Chance("deal"))
    procedure.begin(state)
    events = [e for seat in "ab" for e in procedure.play(state, seat, procedure.ask_of(state, seat).default)]
    told = [e for e in events if e.kind.startswith("dealt")]
    assert {e.kind for e in told} == {"dealt", "dealt_own"}
    for reader in ("a", "b"):
        (own,) = (e.facts for e in told if e.seen_by(reader))
        assert sorted(own["cards"]) == sorted(state.table.earls[reader].hand)
    (seen,) = (e.facts for e in told if e.seen_by(None))
    assert seen == {"count": 5}


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
        ("lost_with_it", {"seat": "b", "cards": ["Champion/b"]}),
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


@pytest.mark.parametrize(
    ("text", "moves", "lost"),
    [
        (  # OR-SEI-4: the Lord of a fallen Anchor, who stayed at home
            "a.hand: 2 Champion\nb.F2: Castle (Vassal) {Land}",
            ["a: attack target=siege:b:F2 hand=[Champion/a*2]", "b: stand_down"],
            ("b", ["Vassal/b"]),
        ),
        (  # OR-RAN-4: an Anchor that is paid leaves its Lord and its Properties behind
            "b.F1: Palace (Champion) {}\nb.F2: Castle (Monk) {Land, Church/c}\na.hand: Champion\nbattle: AW",
            ["a: attack target=siege:b:F1 hand=[Champion/a]", "b: field lords=[lord:F1]", "b: pay payments={lord:F1>F2}"],
            ("b", ["Monk/b", "Land/b", "Church/c"]),
        ),
        (  # OR-STR-5: the Vassal Lords whom the loser of a Struggle has committed
            "a.hand: Treachery, Vassal\na.F1: Palace (Vassal) {}\nb.hand: Allies, Land\nb.F2: Castle (Vassal) {}",
            ["a: treachery aim=hand:b", "b: allies", "a: commit vassal=lord:F1", "b: commit vassal=lord:F2", "a: pass"],
            ("a", ["Vassal/a"]),
        ),
        (  # OR-JOU-12: Lords who tilted in vain
            "a.hand: Banner\na.F1: Palace (-) {Land}\nb.F1: Palace (Vassal) {Church}\nc.F1: Palace (Champion) {Land}",
            ["a: joust", "b: tilt ante=F1.Church/b tilter=lord:F1", "c: tilt ante=F1.Land/c tilter=lord:F1"],
            ("b", ["Vassal/b"]),
        ),
    ],
)
def test_what_is_lost_besides_is_told(text: str, moves: list[str], lost: tuple[str, list[str]]) -> None:
    s = scene(text)
    s.table.chance = Scripted("scene", {}, {"joust-deck": [["JoustPrince"] * 2 + ["NoLuck"] * 2]})
    s.play(*moves)
    if s.step == "enter":
        s.play("a: ante ante=F1.Land/a")
    assert ("lost_with_it", dict(zip(("seat", "cards"), lost, strict=True))) in heard(s)
    assert len(s.told("lost_with_it")) == 1 and set(lost[1]) <= {c for seat in "abc" for c in s.pile(seat)}


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


@pytest.mark.parametrize(("fief", "legal"), [("", False), ("Church", True), ("Cathedral", True), ("Land", False)])
def test_canterbury_blocks_who_has_neither_church_nor_cathedral(fief: str, legal: bool) -> None:
    # OR-ROLE-24, OR-BEQ-2
    s = scene(
        ROLES + f"a.F1: Palace (Prince) {{}}\nb.F1: Palace (Prince) {{{fief}}}\nb.hand: Banner\ncanterbury: a\nactive: b\n"
    )
    assert ("bequeath" in s.options("b")) == legal


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


# --- questions (rules 14.3) ---------------------------------------------------------------------------------------------

FIGHT = "a.hand: Champion, Monk\nb.hand: Monk, Vassal\nb.F1: Palace (Champion) {Land, Church}\n"
ATTACK = "a: attack target=siege:b:F1 hand=[Champion/a,Monk/a]"
STRUGGLE = ("a.hand: Treachery, 2 Vassal\nb.hand: Allies, Vassal", "a: treachery aim=hand:b", "b: allies")
RAID = ("a.F1: Palace (Vassal) {}\nb.F1: Palace (-) {Land, Church}", "a: attack target=raid:b:F1 lords=[lord:F1]")
STOLEN = "a.hand: Intrigue\na.F2: Castle (-) {}\nb.F1: Palace (-) {Land, Church, Cathedral}"
SEA = "active: c\na: in cubes=0 turns=2\nb: in cubes=0 turns=2\nvikings: arrived black=8 white=0\nforce: 3 VikingInfantry"
JOUSTED = ("a.hand: Banner\na.F1: Palace (Monk) {Land}\na.F2: Castle (-) {}\nb.F1: Palace (-) {Church}", "a: joust")


def battle(what: str, fief: int, points: int, *cards: str, **more: Any) -> dict[str, Any]:
    return {"attacker": "a", "defender": "b", "what": what, "fief": fief, "points": points, "cards": [*cards], **more}


def politics(card: str, aim: str, number: int, **more: int) -> dict[str, Any]:
    return {"attacker": "a", "target": "b", "card": card, "aim": aim, "number": number, **more}


@pytest.mark.parametrize(
    ("given", "asked", "about"),
    [
        (("a.hand: Land",), "a D-10 turn", {"action_used": 0, "deck": 5}),
        (STRUGGLE[:2], "b D-30 allies", politics("Treachery", "hand", 0)),
        (STRUGGLE, "a D-31 commit", politics("Treachery", "hand", 0, attackers=0, defenders=0)),
        (
            (*STRUGGLE, "a: commit vassal=hand:Vassal/a"),
            "b D-32 counter",
            politics("Treachery", "hand", 0, attackers=1, defenders=0),
        ),
        (("a.hand: Banner\na.banners: Banner\nb.reserve: 2 Knight", "a: display"), "b D-33 levy", {"king": "a"}),
        ((STOLEN, "a: intrigue aim=properties:b:F1"), "b D-34 give_properties", politics("Intrigue", "properties", 1)),
        (
            (STOLEN, "a: intrigue aim=properties:b:F1", "b: give properties=[Land/b,Church/b]"),
            "a D-35 attach",
            politics("Intrigue", "properties", 1),
        ),
        (
            ("a.hand: Intrigue\nb.reserve: 3 Knight", "a: intrigue aim=armies:b"),
            "b D-36 give_armies",
            politics("Intrigue", "armies", 0),
        ),
        ((FIGHT, ATTACK), "b D-41 defend", battle("siege", 1, 2, "Champion/a", "Monk/a")),
        (
            (FIGHT + "battle: CD\nc.F1: Palace (-) {Cathedral}", ATTACK, "b: field hand=[Monk/b]"),
            "c D-42 church",
            battle("siege", 1, 2, "Champion/a", "Monk/a"),
        ),
        (
            (FIGHT + "battle: AW", ATTACK, "b: field lords=[lord:F1]"),
            "b D-43 ransom",
            battle("siege", 1, 2, "Champion/a", "Monk/a", captor="a"),
        ),
        (
            (FIGHT + "battle: NB", ATTACK, "b: field hand=[Vassal/b]"),
            "a D-44 attacker_hits",
            battle("siege", 1, 2, "Champion/a", "Monk/a", count=1),
        ),
        (
            (FIGHT + "battle: AW", ATTACK, "b: field hand=[Monk/b,Vassal/b] lords=[lord:F1]", "b: none"),
            "b D-45 defender_hits",
            battle("siege", 1, 2, "Champion/a", "Monk/a", count=2),
        ),
        (
            ("a.hand: Vassal\nb.towers: Monk, Land, Church", "a: attack target=tower:b hand=[Vassal/a]"),
            "b D-46 defender_hits",
            battle("tower", 0, 1, "Vassal/a", count=1, towers=["Monk/b", "Land/b", "Church/b"]),
        ),
        (RAID, "b D-47 defender_hits", battle("raid", 1, 1, "Vassal/a", count=1)),
        ((*RAID, "b: lose properties=[Church/b]"), "a D-48 spoils", battle("raid", 1, 1, "Vassal/a", limit=1)),
        ((SEA, "c: end"), "c D-50 vikings", {"force": 4}),
        (JOUSTED, "b D-60 enter", {"starter": "a", "exempt": 0}),
        ((*JOUSTED, "b: ante ante=F1.Church/b"), "c D-60 enter", {"starter": "a", "exempt": 1}),
        (
            (*JOUSTED, "b: ante ante=F1.Church/b", "c: stand_aside", "a: tilt ante=F1.Land/a tilter=lord:F1"),
            "a D-61 attach",
            {"starter": "a"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_question_says_what_it_is_about(given: tuple[str, ...], asked: str, about: dict[str, Any]) -> None:
    # OR-DEC-1: who is asked, by which row, in which step; and the public facts that its words are made of.
    s = scene(given[0]).play(*given[1:])
    (seat,) = s.asked
    ask = s.ask(seat)
    assert f"{ask.seat} {ask.rule} {ask.kind}" == asked and (ask.seat, ask.kind) == (seat, s.step)
    # `lies` is the board once more, by which the choices are named.
    assert {key: fact for key, fact in ask.about.items() if key != "lies"} == about


def test_one_vassal_promises_no_further_ones() -> None:
    # OR-STR-4, D-31
    s = scene("a.hand: Treachery, Vassal\nb.hand: Allies, Vassal").play("a: treachery aim=hand:b", "b: allies")
    assert set(s.fields("commit")) == {"vassal"}
    assert set(scene(STRUGGLE[0]).play(*STRUGGLE[1:]).fields("commit")) == {"vassal", "further"}


def test_an_anchor_won_in_a_joust_is_told_by_its_card() -> None:
    # OR-JOU-13
    s = scene("a.hand: Banner\na.F1: Palace (Monk) {Land}\nb.F1: Palace (-) {Church}\nb.F2: Castle/c (-) {}")
    s.play("a: joust", "b: ante ante=F2", "c: stand_aside", "a: tilt ante=F1.Land/a tilter=lord:F1")
    assert s.told("anted")[0] == {"seat": "b", "card": "Castle/c", "fief": 2, "tilts": "nobody", "lord": None}
    assert s.told("prize") == [{"seat": "a", "loser": "b", "card": "Castle/c"}]


def test_a_lord_slain_is_told_with_his_fief() -> None:
    # OR-TRE-4, OR-STR-7: by name; without one when he had fallen in the Struggle before.
    s = scene("a.hand: Treachery\nb.F2: Castle (Monk) {Church}").play("a: treachery aim=lord:b:F2")
    gone = {"seat": "b", "fief": 2, "cards": ["Castle/b", "Church/b"]}
    assert s.told("assassinated") == [{**gone, "lord": "Monk/b"}]
    s = scene("a.hand: Treachery, 2 Vassal\nb.hand: Allies, Land\nb.F2: Castle (Vassal) {Church}")
    s.play("a: treachery aim=lord:b:F2", "b: allies", "a: commit vassal=hand:Vassal/a", "b: commit vassal=lord:F2")
    s.play("a: commit vassal=hand:Vassal/a", "b: pass")
    assert s.told("assassinated") == [{**gone, "lord": None}]
    s = scene("a.hand: Treachery\nb.F2: Castle (Prince) {Church}").play("a: treachery aim=lord:b:F2")
    assert s.told("prince_slain") == [{"seat": "b", "fief": 2}]
