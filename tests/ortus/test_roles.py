"""King, Archbishop and Duke (rules 16) beyond the worked examples: setup, loyalty, Canterbury, assets, what is seen."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.core import procedure
from engine.core.asks import Answer, Refused, read
from engine.core.chance import Chance
from engine.ortus import ORTUS
from engine.ortus.face.view import view
from engine.ortus.rules import roles
from engine.ortus.rules.joust import is_exempt
from engine.ortus.rules.pieces import cards
from tests.ortus.scene import Scene

COURT = """
king: a []
a.role: king
a.F1: Palace (-) {}
a.deck: 3 Land, 6 MarketTown
b.role: duke loyal
b.F1: Palace (-) {}
b.deck: Monk, Castle, 2 Land, 5 MarketTown
c.role: earl loyal
c.F1: Palace (-) {}
c.deck: Champion, 3 Land, 5 MarketTown
"""
CHURCH = """
a.role: archbishop
a.F1: Palace (-) {Land}
a.deck: 3 Land, 6 MarketTown
b.role: earl
b.F1: Palace (Champion) {}
b.deck: 3 Land, 6 MarketTown
c.role: earl
c.F1: Palace (-) {}
c.deck: 3 Land, 6 MarketTown
"""
DUKES = """
a.role: duke
a.assets: Allies, Church
a.F1: Palace (-) {}
a.deck: 3 Land, 6 MarketTown
b.role: earl
b.F1: Palace (-) {}
b.deck: 3 Land, 6 MarketTown
c.role: duke
c.assets: Allies, Church
c.F1: Palace (-) {}
c.deck: 3 Land, 6 MarketTown
"""


def fresh(seats: str, options: dict[str, Any], secret: str = "roles") -> Scene:
    """A game at its first ask."""
    scene = Scene.__new__(Scene)
    scene.state = ORTUS.rules.setup(list(seats), options, Chance(secret))
    scene.log = procedure.begin(scene.state)
    scene.events = scene.log[:]
    return scene


def mustered(seats: str, options: dict[str, Any]) -> Scene:
    """A game whose decks are all in."""
    scene = fresh(seats, options)
    while scene.step in ("role", "deck"):
        scene.default(*scene.asked)
    return scene


def given(seats: str, *named: str) -> dict[str, Any]:
    return {"roles": "assigned", "seats": dict(zip(seats, named, strict=True))}


# --- who has which, and what it brings (16.1) -------------------------------------------------------------------------


def test_roles_are_picked_around_the_table_from_the_starting_earl_and_then_come_the_decks() -> None:
    # OR-ROLE-1, OR-ROLE-2, OR-AMB-123, D-01
    s = fresh("abcd", {"roles": "picked"})
    i = "abcd".index(s.table.start)
    order = [*"abcd"[i:], *"abcd"[:i]]
    assert s.asked == order[:1] and s.options() == {"king", "archbishop", "duke", "earl"}
    assert s.ask().default == Answer("earl") and s.ask().rule == "D-01"
    s.play(f"{order[0]}: king")
    assert s.asked == order[1:2] and s.options() == {"archbishop", "duke", "earl"}
    assert "king" in s.refused(f"{order[1]}: king")
    s.play(f"{order[1]}: duke", f"{order[2]}: duke")
    assert view(s.state, None)["earls"]["abcd".index(order[0])]["role"] == "king", "every choice is public at once"
    s.play(f"{order[3]}: archbishop")
    assert s.step == "deck" and s.asked == list("abcd")
    picked = zip(order, ("king", "duke", "duke", "archbishop"), strict=True)
    assert s.told("role") == [{"seat": seat, "role": role} for seat, role in picked]


def test_each_role_has_its_deck_and_its_hand() -> None:
    # OR-EX-89, OR-ROLE-4, OR-ROLE-7, OR-ROLE-9, OR-ROLE-21, OR-ROLE-36, OR-AMB-108
    s = fresh("abcd", given("abcd", "king", "archbishop", "duke", "earl"))
    assert [s.ask(seat).option("deck").fields[0].least for seat in "abcd"] == [22, 22, 22, 24]  # type: ignore[union-attr]  # rows
    full = "deck cards=[" + ",".join(cards({"Land": 6, "Vassal": 6, "Allies": 6, "Castle": 4})) + "]"
    assert "exactly 24" in s.refused(f"d: {full}")
    s.play(f"a: {full}")
    while s.step == "deck":
        s.default(*s.asked)
    earls = s.table.earls
    assert [len(earls[x].hand) for x in "abcd"] == [3, 4, 4, 5]
    assert [len(earls[x].deck) + len(earls[x].hand) for x in "abcd"] == [22, 22, 22, 24]
    assert s.table.king == "a" and s.table.royal == [] and not s.told("levied")
    assert view(s.state, None)["royal"] == [None, None, None]
    assert [earls[x].loyal for x in "abcd"] == [False, False, True, True]
    assert s.table.canterbury == "" and earls["c"].assets == ["Allies", "Church"] and earls["c"].walls == 1


def test_decks_by_default_fit_the_role() -> None:
    # DEF-7, D-02
    s = mustered("abcd", given("abcd", "king", "archbishop", "duke", "earl"))
    kinds = [
        sorted(c.partition("/")[0] for c in [*s.earl(x).deck, *s.earl(x).hand] if c.partition("/")[0] in ("Champion", "Monk"))
        for x in "ab"
    ]
    assert kinds == [["Champion", "Champion", "Monk"], ["Monk", "Monk", "Monk"]]
    assert all("Banquet" not in " ".join([*s.earl(x).deck, *s.earl(x).hand]) for x in "abc")


def test_without_a_king_nobody_owes_loyalty_and_no_role_has_to_be_taken() -> None:
    # OR-ROLE-1, OR-ROLE-9
    s = mustered("abc", given("abc", "duke", "duke", "earl"))
    assert not any(e.loyal for e in s.table.earls.values()) and s.table.king == ""
    s = mustered("abc", {"roles": "picked"})
    assert {e.role for e in s.table.earls.values()} == {"earl"}


def test_roles_may_be_assigned_or_drawn() -> None:
    # OR-ROLE-3, OR-RNG-1
    dealt = set()
    for i in range(40):
        s = fresh("abc", {"roles": "drawn", "mix": ["king", "duke"]}, f"lot {i}")
        mix = [s.earl(x).role for x in "abc"]
        assert sorted(mix) == ["duke", "earl", "king"]
        dealt.add(tuple(mix))
        assert s.step == "deck" and len(s.told("role")) == 3
    assert len(dealt) == 6, "every way of dealing them comes up"


SEATS = "Roles are assigned to seats of the game: a, b, c."
MIX = "Name the roles that are dealt by lot; seats left over are Earls."


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"role": "picked"}, "Ortus Regni has no option “role”."),
        ({"an option whose name is far too long": ""}, "Ortus Regni has no option “an option whose name is far to”."),
        ({"roles": "bought"}, "Roles are given out in one of these ways: picked, contested, assigned, drawn."),
        ({"roles": "assigned", "seats": {"a": "king", "b": "king"}}, "Only one player can have the role “king”."),
        ({"roles": "assigned", "seats": {"a": "bishop"}}, "There is no role “bishop”; there is: king, archbishop, duke, earl."),
        ({"roles": "assigned", "seats": {"x": "king"}}, SEATS),
        ({"roles": "assigned", "seats": ["king"]}, SEATS),
        ({"roles": "drawn"}, MIX),
        ({"roles": "drawn", "mix": []}, MIX),
        ({"roles": "drawn", "mix": "king"}, MIX),
        ({"roles": "drawn", "mix": ["archbishop", "archbishop"]}, "Only one player can have the role “archbishop”."),
        ({"roles": "drawn", "mix": ["duke"] * 4}, "There are more roles than the 3 seats."),
    ],
)
def test_roles_that_cannot_be_are_refused(options: dict[str, Any], sentence: str) -> None:
    # OR-ROLE-1, OR-ROLE-3
    with pytest.raises(Refused) as refused:
        ORTUS.rules.setup(list("abc"), options, Chance("x"))
    assert str(refused.value) == sentence


def test_as_many_roles_are_dealt_as_there_are_seats() -> None:  # OR-ROLE-3
    s = fresh("abc", {"roles": "drawn", "mix": ["duke"] * 3})
    assert [s.earl(seat).role for seat in "abc"] == ["duke"] * 3
    s = fresh("abc", {"roles": "assigned"})
    assert [s.earl(seat).role for seat in "abc"] == ["earl"] * 3


def test_nobody_attacks_on_his_first_turn_and_numbers_follow_the_seats() -> None:
    # OR-ROLE-6
    s = mustered("abc", given("abc", "king", "duke", "archbishop"))
    while s.step == "turn" and s.table.round == 1:
        seat = s.asked[0]
        assert "attack" not in s.options(seat), "the King Card could be fielded, but not on a first Turn"
        s.play(f"{seat}: end")
    assert view(s.state, None)["vikings"]["needed"] == 4 and len(view(s.state, None)["royal"]) == 2


# --- the King (16.2) --------------------------------------------------------------------------------------------------


def test_the_king_garrisons_and_fields_as_king_from_the_start() -> None:
    # OR-ROLE-7
    s = Scene(COURT + "a.reserve: K")
    s.play("a: garrison card=Knight slot=royal", "a: attack target=siege:b:F1 others=[king,royal:Knight]")
    assert s.told("attack")[0]["points"] == 3


def test_an_archbishop_without_monk_or_prince_is_told_whom_he_may_install() -> None:  # OR-ROLE-16
    s = Scene(CHURCH + "a.hand: Vassal")
    assert s.refused("a: install") == "An Archbishop can install only Monks, and one Prince, as Lords."
    assert s.refused("a: install card=Vassal/a fief=F1") == s.refused("a: install")


def test_nobody_displays_banners_while_the_role_holds_the_crown() -> None:
    # OR-ROLE-8, OR-ROLE-13, OR-AMB-105: when he is gone the title is open, and a King by Banners is owed nothing.
    s = Scene(COURT + "active: c\nc.hand: Banner\nb.hand: Treachery")
    assert "display" not in s.options("c")
    s = Scene(COURT + "c.hand: 2 Banner\nb.reserve: I")
    s.play("a: concede sure=yes")
    assert not any(e.loyal for e in s.table.earls.values())
    s.play("b: end", "c: display")
    assert s.table.king == ""
    s.play("c: end", "b: end", "c: display")
    assert s.table.king == "c"
    s.play("c: end", "b: end")
    s.earl("b").hand.append("Intrigue/b")
    s.earl("c").reserve.append("Knight")
    deck = len(s.earl("b").deck)
    s.play("c: end", "b: intrigue aim=armies:c")
    assert len(s.earl("b").deck) == deck


@pytest.mark.parametrize(
    ("hand", "line"),
    [
        ("Treachery", "treachery aim=hand:a"),
        ("Intrigue", "intrigue aim=armies:a"),
        ("Champion", "attack target=siege:a:F1 hand=[Champion/b]"),
        ("Champion", "attack target=tower:a hand=[Champion/b]"),
    ],
)
def test_every_hostile_act_costs_the_top_card_once(hand: str, line: str) -> None:
    # OR-ROLE-5, OR-ROLE-10, OR-ROLE-15
    s = Scene(COURT + f"active: b\nb.hand: 2 {hand}\na.hand: Land\na.towers: Land\na.reserve: 3 K")
    s.play(f"b: {line}")
    assert "Monk/b" in s.earl("a").hand and len(s.earl("b").deck) == 8 and not s.earl("b").loyal
    assert s.earl("c").loyal, "each subject's token is his own"
    assert s.told("loyalty")[0] == {"seat": "b", "king": "a", "left": 8}
    assert [e.only for e in s.events if e.kind == "loyalty_own"] == [("a",)]


@pytest.mark.parametrize(
    "line", ["emissary card=Monk/b", "monastery target=a", "display", "end", "joust", "treachery aim=hand:c"]
)
def test_nothing_else_is_hostile_to_the_king(line: str) -> None:
    # OR-ROLE-5, OR-AMB-104
    s = Scene(
        COURT.replace("king: a []\n", "").replace("b.F1: Palace (-) {}", "b.F1: Palace (Monk) {Church}")
        + "active: b\nb.hand: Banner, Treachery, Monk\na.hand: Land\nc.hand: 2 Land"
    )
    s.play(f"b: {line}")
    assert s.earl("b").loyal and s.earl("c").loyal and not s.told("loyalty") and not s.told("loyalty_lost")


def test_a_refused_move_and_the_answers_to_the_king_cost_nothing() -> None:
    # OR-ROLE-5, OR-ROLE-11
    s = Scene(COURT + "active: b\nb.hand: Treachery, Vassal")
    s.refused("b: treachery aim=hand:a")
    assert s.earl("b").loyal
    s = Scene(COURT + "a.hand: Treachery\nb.hand: Allies, Vassal, Land")
    s.play("a: treachery aim=hand:b")
    assert not s.earl("b").loyal and s.told("loyalty_lost") == [{"seat": "b", "king": "a"}]
    s.play("b: allies")
    assert len(s.earl("b").deck) == 9 and s.earl("c").loyal


def test_the_archbishop_owes_nothing() -> None:
    # OR-ROLE-9, OR-ROLE-18
    s = mustered("abc", given("abc", "king", "archbishop", "earl"))
    assert [e.loyal for e in s.table.earls.values()] == [False, False, True]
    s = Scene(COURT.replace("b.role: duke loyal", "b.role: archbishop") + "active: b\nb.hand: Champion")
    s.play("b: attack target=siege:a:F1 hand=[Champion/b]")
    assert len(s.earl("b").deck) == 9
    s = Scene(COURT.replace("b.role: duke loyal", "b.role: archbishop"))
    s.play("a: attack target=siege:b:F1 others=[king]")
    assert s.earl("c").loyal


def test_a_given_card_works_as_the_kings_own_and_stays_the_givers() -> None:
    # OR-ROLE-14, OR-AMB-106, OR-AMB-107, OR-BEQ-5, OR-AMB-11
    s = Scene(COURT + "a: in cubes=20 turns=2 founded=1 hired=0\na.hand: Castle/b, Monk/b, Banner/b, Prince/c")
    s.play("a: castle card=Castle/b", "a: end", "b: end", "c: end", "a: emissary card=Monk/b")
    assert s.fiefs("a") == ["1: Palace/a (-) {}", "2: Castle/b (-) {}"] and s.earl("a").cubes == 22
    s.play("a: end", "b: end", "c: end", "a: install card=Prince/c fief=F1")
    s.play("a: end", "b: end", "c: end")
    s.earl("a").discard.append("Land/a")
    deck = len(s.earl("a").deck)
    s.play("a: bequeath")
    assert len(s.earl("a").deck) == deck + 1, "only his own pile is shuffled in"
    assert s.pile("b") == ["Banner/b"] and s.pile("c") == ["Prince/c"]
    s.play("a: concede sure=yes")
    assert "Castle/b" in s.pile("b"), "foreign cards of his Earldom go home"


def test_the_king_says_which_of_two_like_cards_he_plays() -> None:
    # OR-ROLE-14
    s = Scene(COURT + "a.hand: Banquet, Banquet/b")
    assert s.ids("banquet", "card") == {"Banquet/a", "Banquet/b"}
    more = Scene(COURT + "a.hand: Banquet, Banquet/b, Banner, Land/b")
    assert more.ids("banquet", "card") == {"Banquet/a", "Banquet/b"}, "of that kind alone"
    s.play("a: banquet card=Banquet/b")
    assert s.pile("b") == ["Banquet/b"] and "Banquet/a" in s.earl("a").hand
    s = Scene(COURT + "a.hand: Banquet, Banquet/b")
    s.play("a: banquet")
    assert s.pile("a") == ["Banquet/a"], "his own, if he does not say"
    s = Scene(COURT + "a.hand: Banquet")
    assert s.ask("a").option("banquet").fields == ()


def test_the_kings_tower_shows_its_colour_and_not_its_face() -> None:
    # OR-ROLE-14, OR-INFO-9
    s = Scene(COURT + "a.hand: Monk/b, Land")
    s.play("a: tower cards=[Monk/b]")
    ann = view(s.state, "c")["earls"][0]
    assert ann["backs"] == ["b"] and "Monk" not in str(ann)


def test_only_the_king_knows_what_loyalty_brought_him() -> None:
    # OR-ROLE-10, OR-INFO-9
    s = Scene(COURT + "active: b\nb.hand: 2 Champion\na.hand: Banner, Land")
    s.play("b: attack target=siege:a:F1 hand=[Champion/b]")
    for reader in ("b", "c", None):
        assert "Monk/b" not in str(view(s.state, reader))
        assert not any("Monk" in ORTUS.words.tell(e, {}, reader) for e in s.events if e.seen_by(reader))
    for reader in ("a", "b", "c", None):
        cards_of = {tuple(sorted(ORTUS.rules.redeal(s.state, reader, Chance(str(i))).table.earls["a"].hand)) for i in range(60)}
        gifts = {next(c for c in hand if c.endswith("/b")) for hand in cards_of}
        if reader == "a":
            assert gifts == {"Monk/b"}
        elif reader == "b":
            assert gifts == {"Monk/b", "Castle/b", "Land/b", "MarketTown/b"}, (
                "the giver knows his deck, and that the card was of it"
            )
        else:
            assert len(gifts) > 6


def test_the_king_knows_which_card_is_no_longer_in_its_givers_deck() -> None:
    # OR-ROLE-10: all six Monks of b are the King's, so none can lie in b's hidden zones.
    s = Scene(COURT.replace("Monk, Castle", "Castle") + "a.hand: 6 Monk/b")
    for i in range(30):
        dealt = ORTUS.rules.redeal(s.state, "a", Chance(f"deal {i}")).table.earls
        assert dealt["a"].hand == ["Monk/b"] * 6 and "Monk/b" not in [*dealt["b"].deck, *dealt["b"].hand]


def test_a_given_lord_who_is_bumped_goes_back_to_his_giver() -> None:
    # OR-ROLE-14, OR-DEST-1, OR-LORD-2
    s = Scene(COURT.replace("a.F1: Palace (-) {}", "a.F1: Palace (Monk/b) {}") + "a.hand: Champion")
    s.play("a: install card=Champion/a fief=F1")
    assert (s.pile("a"), s.pile("b")) == ([], ["Monk/b"])


def test_a_tilting_card_of_the_kings_hides_its_colour() -> None:
    # OR-JOU-4, OR-ROLE-14: till the Joust begins it may be any card of his Hand, for bots that think too.
    s = Scene(COURT + "active: c\na.hand: Monk/b, Vassal, Land\nc.hand: Banner, Land\nb.hand: Land")
    s.play("c: joust", "a: tilt ante=F1 tilter=hand:Monk/b")
    colours = set()
    for i in range(60):
        dealt = ORTUS.rules.redeal(s.state, "c", Chance(f"tilt {i}"))
        entry = dealt.stack[-1].entries["a"]
        assert sorted(c[-1] for c in [*dealt.table.earls["a"].hand, entry.card]) == ["a", "a", "b"]
        colours.add(entry.card[-1])
    assert colours == {"a", "b"}


# --- the Archbishop (16.3) --------------------------------------------------------------------------------------------


def test_an_archbishops_vassals_serve_otherwise() -> None:
    # OR-ROLE-16
    s = Scene(CHURCH + "a.hand: 2 Vassal, Champion")
    assert "install" not in s.options("a") and "only Monks" in s.refused("a: install card=Vassal/a fief=F1")
    assert {"emissary", "attack", "tower"} <= s.options("a")
    s.play("a: emissary card=Vassal/a")


def test_treachery_reaches_everything_of_his_but_abbots() -> None:
    # OR-ROLE-17: wherever he is himself.
    text = CHURCH.replace("a.F1: Palace (-) {Land}", "a.F1: Palace (Monk) {Land}\na.F2: Castle (Prince) {}")
    for where in ("-", "a"):
        s = Scene(text + f"active: b\nb.hand: Treachery\na.hand: Land\na.M1: Mercenary (-)\ncanterbury: {where}")
        assert s.ids("treachery", "aim") == {"lord:a:F2", "hand:a", "mercenary:a:1"}
    s = Scene(CHURCH.replace("c.F1: Palace (-) {}", "c.F1: Palace (Monk) {}") + "active: b\nb.hand: Treachery")
    assert "lord:c:F1" in s.ids("treachery", "aim"), "others' Abbots are not immune"


def test_the_cathedral_card_keeps_its_own_rules() -> None:
    # OR-ROLE-19, OR-ROLE-20, OR-AMB-116: Canterbury is no Cathedral on the table; out of it the holder's powers are his.
    s = Scene(CHURCH + "canterbury: a\nactive: b\nb.hand: Cathedral\nbattle: CD")
    s.play("b: place card=Cathedral/b fief=F1")
    assert view(s.state, None)["earls"][1]["archbishop"]
    s = Scene(CHURCH + "a.hand: Cathedral")
    s.play("a: place card=Cathedral/a fief=F1")
    assert s.table.cathedral_holder() == "a"


def test_canterbury_is_entered_at_the_end_of_a_turn_and_left_at_once() -> None:
    # OR-FREE-4, OR-ROLE-21, OR-ROLE-22, D-70
    s = Scene(CHURCH + "a.hand: Banquet")
    s.play("a: banquet", "a: enter")
    assert s.table.canterbury == "" and view(s.state, "b")["entering"] is True, "a free action, and public"
    s.play("a: end")
    assert s.table.canterbury == "a" and s.told("canterbury_entered")
    assert "enter" not in s.options("b") and "leave" not in s.options("b")
    s.play("b: end", "c: end", "a: leave")
    assert view(s.state, None)["canterbury"] is None and "monastery" not in s.options("a")
    s.play("a: enter", "a: end")
    assert s.table.canterbury == "a"


def test_an_announcement_falls_with_its_archbishop() -> None:
    # OR-ROLE-29
    s = Scene(CHURCH.replace("a.deck: 3 Land, 6 MarketTown", "a.deck:") + "active: a")
    s.play("a: enter", "a: end")
    assert not s.earl("a").alive and (s.table.canterbury, s.table.entering) == ("", False)
    assert "canterbury_entered" not in s.kinds(), "the closing draw comes first"
    s = Scene(CHURCH.replace("a.F1: Palace (-) {Land}", "a.F1: Castle (-) {}") + "canterbury: a\nactive: b")
    s.play("b: attack target=siege:a:F1 lords=[lord:F1]")
    assert s.table.canterbury == "" and "canterbury:a" not in str(view(s.state, None))


def test_the_monastery_of_canterbury_and_an_ordinary_one() -> None:
    # OR-ROLE-25, D-18
    s = Scene(CHURCH + "canterbury: a\nb.hand: Land")
    s.play("a: monastery target=b")
    assert s.told("monastery")[0]["cards"] == ["Land/b"]
    s = Scene(CHURCH.replace("a.F1: Palace (-) {Land}", "a.F1: Palace (Monk) {Church}") + "b.hand: Land")
    assert "monastery" in s.options("a"), "out of Canterbury by an Abbot and a Church, as anybody"
    s = Scene(CHURCH + "canterbury: a\nactive: b\na.hand: Land\nc.hand: Land")
    assert "monastery" not in s.options("b"), "Canterbury is a Monastery of nobody else"
    s = Scene(CHURCH + "b.hand: Land")
    assert "monastery" not in s.options("a")


def test_he_decides_every_church_decides_while_he_is_in() -> None:
    # OR-ROLE-23: though he takes no part, and another holds Churches and the Cathedral.
    s = Scene(
        CHURCH.replace("c.F1: Palace (-) {}", "c.F1: Palace (Vassal) {Cathedral, Church}")
        + "canterbury: a\nactive: b\nbattle: CD"
    )
    s.play("b: attack target=raid:c:F1 lords=[lord:F1]", "c: field lords=[lord:F1]")
    assert s.asked == ["a"] and s.step == "church"


def test_canterbury_can_be_attacked_by_others_and_not_by_the_vikings() -> None:
    # OR-ROLE-26, OR-ROLE-31, OR-AMB-111
    s = Scene(CHURCH + "active: b\ncanterbury: a")
    assert "canterbury:a" in s.ids("attack", "target")
    s = Scene(CHURCH + "active: b")
    assert "canterbury:a" not in s.ids("attack", "target")
    s = Scene(CHURCH + "canterbury: a\na.hand: Champion")
    assert "canterbury:a" not in s.ids("attack", "target")
    s = Scene(CHURCH + "canterbury: a\nactive: c\nvikings: arrived black=8 white=0\nforce: 6 VikingInfantry\n")
    s.play("c: end")
    assert s.step == "vikings" and not any("canterbury" in id for id in s.ids("attack", "target"))


def test_a_canterbury_attack_holds_the_vikings_back() -> None:
    # OR-ROLE-26, OR-ATT-8: like any other Attack of an Earl, whatever comes of it.
    s = Scene(CHURCH + "canterbury: a\nactive: b\nvikings: approaching black=3 white=0")
    s.play("b: attack target=canterbury:a lords=[lord:F1]")
    assert s.table.white
    s.play("b: end", "c: end")
    assert (s.table.black, s.table.white) == (3, False)


def test_nothing_is_seized_at_canterbury_and_ransom_comes_beside_the_payment() -> None:
    # OR-ROLE-27, OR-ROLE-30, OR-AMB-113, D-71
    text = CHURCH.replace("a.F1: Palace (-) {Land}", "a.F1: Palace (Monk) {Land, Church}\na.F2: Castle (-) {}")
    s = Scene(
        text.replace("b.F1: Palace (Champion) {}", "b.F1: Palace (Prince) {}\nb.F2: Castle (Vassal) {}")
        + "canterbury: a\nactive: b\nbattle: AW"
    )
    s.play("b: attack target=canterbury:a lords=[lord:F1,lord:F2]", "a: field lords=[lord:F1]")
    assert s.step == "ransom"
    s.play("a: pay payments={lord:F1>F2}")
    assert s.step == "canterbury" and s.ids("pay", "holding") == {"F1.Land/a", "F1.Church/a"}
    s.play("a: pay holding=F1.Land/a")
    assert s.step == "spoils" and s.fields("take").keys() == {"attach"}
    s.play("b: take attach={Land/a>F3}")
    assert s.fiefs("b")[2] == "3: Castle/a (-) {Land/a}" and s.fiefs("a") == ["1: Palace/a (Monk/a) {Church/a}"]


def test_he_may_return_to_canterbury_on_a_later_turn() -> None:
    # OR-ROLE-29
    s = Scene(CHURCH + "canterbury: a\nactive: b")
    s.play("b: attack target=canterbury:a lords=[lord:F1]")
    assert s.table.canterbury == "" and s.fiefs("a") == ["1: Palace/a (-) {}"]
    s.play("b: end", "c: end", "a: enter", "a: end")
    assert s.table.canterbury == "a"


def test_a_captured_archbishop_pays_by_default_what_he_misses_least() -> None:
    # DEF-1, OR-ROLE-28
    text = CHURCH.replace("a.F1: Palace (-) {Land}", "a.F1: Palace (-) {}\na.F2: Castle (Monk) {}\na.F3: Castle (-) {}")
    s = Scene(text + "canterbury: a\nactive: b")
    s.play("b: attack target=canterbury:a lords=[lord:F1]", "a: stand_down")
    assert s.ask("a").default == Answer("pay", {"holding": "F3"})
    s.default("a")
    assert s.fiefs("b")[1] == "2: Castle/a (-) {}"


# --- the Duke (16.4) --------------------------------------------------------------------------------------------------


def test_a_dukes_tower_is_no_card() -> None:
    # OR-ROLE-32, OR-ROLE-34, OR-ROLE-35
    s = Scene(DUKES + "active: b\nb.hand: 3 Champion\na.hand: Land")
    assert {"tower:a", "tower:c"} <= s.ids("attack", "target") and view(s.state, None)["earls"][0]["towers"] == 0
    before = ORTUS.rules.checks.conserved(s.state)
    s.play("b: attack target=tower:a hand=[Champion/b*3]", "a: stand_down")
    assert s.told("tower_stands") == [{"seat": "a"}] and not s.told("towers_fell") and s.pile("a") == []
    assert ORTUS.rules.checks.conserved(s.state) == before and s.earl("a").walls == 1
    s = Scene(re.sub(r"[ac].assets: .*\n", "", DUKES.replace("role: duke", "role: earl")) + "active: b\nb.hand: Champion")
    assert "tower:a" not in s.ids("attack", "target")


def test_it_absorbs_in_raids_too_and_is_the_last_in_line() -> None:
    # OR-ROLE-32, OR-ROLE-33
    text = DUKES.replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {2 Land, Church}") + "active: b\nb.hand: Champion, Vassal\n"
    s = Scene(text)
    s.play("b: attack target=raid:a:F1 hand=[Champion/b]")
    s.default("a")
    assert s.told("raided")[0]["cards"] == ["Church/a"]
    s = Scene(text + "a.towers: Monk, Land, Prince")
    s.play("b: attack target=tower:a hand=[Champion/b]")
    assert s.ask("a").rule == "D-46" and s.ids("lose", "towers") == {"T1", "T2", "T3"}, "he can't put it before the others"


def test_the_allies_asset_answers_like_the_card_and_is_gone() -> None:
    # OR-ROLE-36, OR-AMB-122, D-30
    s = Scene(DUKES + "active: b\nb.hand: 2 Treachery, Vassal\na.M1: Mercenary (-)")
    s.play("b: treachery aim=mercenary:a:1")
    assert s.asked == ["a"] and s.options("a") == {"decline", "asset"}, "his Hand is empty, his asset is not"
    s.play("a: asset")
    assert s.asked == ["b"] and s.earl("a").assets == ["Church"] and s.pile("a") == []
    s.play("b: pass")
    assert s.earl("a").mercenaries and s.step == "turn", "one answer to one attempt"
    s = Scene(DUKES.replace("a.assets: Allies, Church", "a.assets: Church") + "active: b\nb.hand: Treachery\na.hand: Allies")
    s.play("b: treachery aim=hand:a")
    assert s.options("a") == {"decline", "allies"}


def test_the_church_asset_serves_the_monastery_once_and_only_where_it_is_needed() -> None:
    # OR-ROLE-37, OR-AMB-119, D-20
    text = DUKES.replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {Church}\na.F2: Castle (Monk) {}") + "b.hand: Land"
    s = Scene(text)
    assert "monastery" not in s.options("a")
    s.play("a: monastery_church target=b")
    assert s.told("monastery")[0]["cards"] == ["Land/b"] and s.earl("a").assets == ["Allies"]
    assert "Action" in s.refused("a: recruit"), "it was the Turn's Action"
    s = Scene(text.replace("a.F2: Castle (Monk) {}", "a.F2: Castle (Monk) {Church}"))
    assert "monastery_church" not in s.options("a") and "monastery" in s.options("a")
    s = Scene(text.replace("a.F2: Castle (Monk) {}", "a.F2: Castle (Vassal) {}"))
    assert "monastery_church" not in s.options("a")
    s = Scene(text.replace("a.assets: Allies, Church", "a.assets: Allies"))
    assert "monastery_church" not in s.options("a")


def test_the_church_asset_frees_a_bequest_from_a_rivals_cathedral() -> None:
    # OR-ROLE-37
    text = DUKES.replace("a.F1: Palace (-) {}", "a.F1: Palace (Prince) {}") + "a.hand: Banner"
    s = Scene(text)
    assert "bequeath" in s.options("a") and "bequeath_church" not in s.options("a")
    s = Scene(text.replace("b.F1: Palace (-) {}", "b.F1: Palace (-) {Cathedral}"))
    assert "bequeath" not in s.options("a")
    s.play("a: bequeath_church")
    assert s.told("asset_spent") == [{"seat": "a", "card": "Church"}] and s.told("bequeathed")


def test_assets_are_no_properties_and_no_cards() -> None:
    # OR-ROLE-38, OR-ROLE-40
    s = Scene(DUKES + "active: b\nb.hand: Banner, Intrigue, Treachery")
    assert is_exempt(s.earl("a")) and s.earl("a").holds("Church") == 0
    assert "intrigue" not in s.options("b") and "treachery" not in s.options("b")
    assert view(s.state, None)["earls"][0]["assets"] == ["Allies", "Church"]
    s = Scene(DUKES)
    s.play("a: concede sure=yes")
    assert s.earl("a").assets == [] and view(s.state, None)["earls"][0]["assets"] == []


def vikings_at_a_vassals_palace(active: str, start: str) -> Scene:
    """The Vikings attack b's Palace, which is a Vassal, after the Turn of `active`; b fields a Lord."""
    s = Scene(
        DUKES.replace("b.F1: Palace (-) {}", "b.F1: Palace (Vassal) {}")
        + f"active: {active}\nstart: {start}\nvikings: arrived black=8 white=0\nforce: 6 VikingInfantry\nbattle: CD"
    )
    s.play(f"{active}: end")
    s.play(f"{s.asked[0]}: attack target=siege:b:F1", "b: field lords=[lord:F1]")
    return s


def test_a_duke_is_asked_about_each_church_decides_of_a_viking_attack_from_the_starting_seat() -> None:
    # OR-ROLE-39, OR-AMB-121, D-73
    s = vikings_at_a_vassals_palace(active="c", start="a")
    assert s.asked == ["a"] and s.step == "church_asset" and s.ask("a").default == Answer("keep")
    s.play("a: keep")
    assert s.asked == ["c"] and s.told("asset_kept") == [{"seat": "a", "card": "Church"}]
    s.play("c: spend")
    assert s.asked == ["c"] and s.step == "church"


def test_on_the_vikings_turn_the_offer_begins_at_the_starting_seat() -> None:
    # D-73, OR-ROLE-39: not at the first seat, nor at the controller's.
    s = vikings_at_a_vassals_palace(active="b", start="c")
    assert s.asked == ["c"] and s.step == "church_asset"
    s.play("c: keep")
    assert s.asked == ["a"] and s.step == "church_asset"
    s.play("a: keep")
    assert s.told("church_undecided"), "each is asked once"


def test_the_church_asset_is_not_offered_while_canterbury_or_a_cathedral_decides() -> None:
    # OR-ROLE-39, OR-AMB-120: it would be wasted.
    court = DUKES.replace("b.role: earl\nb.F1: Palace (-) {}", "b.role: archbishop\nb.F1: Palace (-) {}")
    attack = "c: attack target=siege:a:F1 hand=[Champion/c]", "a: field hand=[Monk/a]"
    more = "active: c\na.hand: Monk\nc.hand: Champion\nbattle: CD\n"
    s = Scene(court + more + "canterbury: b").play(*attack)
    assert s.asked == ["b"] and s.step == "church" and s.earl("a").assets == ["Allies", "Church"]
    s = Scene(court.replace("b.F1: Palace (-) {}", "b.F1: Palace (-) {Cathedral}") + more).play(*attack)
    assert s.asked == ["b"] and s.step == "church"
    s = Scene(court + more).play(*attack)
    assert s.asked == ["c"] and s.step == "church_asset", "out of Canterbury the Archbishop decides nothing"


# --- what stays as it was ---------------------------------------------------------------------------------------------


def test_a_game_without_roles_knows_nothing_of_them() -> None:
    s = mustered("abc", {})
    seen = view(s.state, "a")
    assert "roles" not in seen and "role" not in seen["earls"][0] and "roles:" not in ORTUS.rules.notation.whole(s.state)
    assert {e.role for e in s.table.earls.values()} == {""} and roles.king_role(s.table) is None


def test_positions_with_roles_are_written_and_read() -> None:
    for text in (COURT, CHURCH + "canterbury: a", CHURCH + "canterbury: entering", DUKES):
        s = Scene(text)
        written = ORTUS.rules.notation.whole(s.state)
        assert ORTUS.rules.notation.whole(ORTUS.rules.notation.read(written)) == written
    with pytest.raises(Refused, match="no role"):
        Scene("a.role: bishop")
    assert read("enter") == Answer("enter")


def test_what_is_dealt_to_each_role_is_told_by_number() -> None:
    # OR-ROLE-7, OR-INFO-3
    s = mustered("abc", given("abc", "king", "duke", "earl"))
    for earl in s.table.earls.values():
        hands = [e for e in s.log if e.kind == "dealt_own" and e.facts["seat"] == earl.seat]
        assert [sorted(e.facts["cards"]) for e in hands] == [sorted(hands[0].facts["cards"])]
        told = [e for e in s.log if e.kind == "dealt_role" and e.facts["seat"] == earl.seat]
        assert [e.facts["count"] for e in told] == [len(hands[0].facts["cards"])]
        assert all(e.seen_by(x) == (x != earl.seat) for e in told for x in ("a", "b", "c", None))


def test_dukes_alone_start_with_assets_and_only_roles_are_mustered() -> None:
    # OR-ROLE-36, OR-SET-8
    s = mustered("abcd", given("abcd", "king", "archbishop", "duke", "earl"))
    assert [bool(s.earl(x).assets) for x in "abcd"] == [False, False, True, False]
    assert s.told("mustered") == [{"seat": s.table.start}] and not s.told("started")
    plain = mustered("abc", {})
    assert plain.told("started") == [{"seat": plain.table.start}] and not plain.told("mustered")


def test_who_owes_a_card_and_has_none_is_told_with_his_king() -> None:
    # OR-ROLE-10
    s = Scene(
        COURT.replace("b.deck: Monk, Castle, 2 Land, 5 MarketTown", "b.deck:") + "active: b\nb.hand: Treachery\na.hand: Land"
    )
    s.play("b: treachery aim=hand:a")
    assert s.told("loyalty_empty") == [{"seat": "b", "king": "a"}] and not s.earl("b").loyal


def test_just_enough_for_his_towers_leaves_a_dukes_own_unmentioned() -> None:
    # OR-ROLE-32, OR-ROLE-33: what strikes it in vain is told, and nothing else.
    for force, told in (("Vassal", []), ("Champion", [{"seat": "a"}])):
        s = Scene(DUKES + f"active: b\nb.hand: {force}\na.towers: Land")
        s.play(f"b: attack target=tower:a hand=[{force}/b]").until("turn")
        assert s.told("tower_stands") == told and s.earl("a").towers == [] and s.earl("a").walls == 1


def test_the_form_of_a_deck_says_its_size_and_its_role() -> None:
    # OR-ROLE-4, D-02
    s = fresh("abcd", given("abcd", "king", "archbishop", "duke", "earl"))
    assert [s.ask(x).about for x in "ad"] == [{"size": 22, "role": "king"}, {"size": 24, "role": "earl"}]
    assert fresh("ab", {}).ask("a").about == {}
