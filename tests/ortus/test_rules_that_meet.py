"""Rules of Ortus Regni where they meet each other, house rulings and roles."""

from __future__ import annotations

import pytest

from engine.core.asks import Answer
from engine.core.procedure import Outcome
from engine.ortus.face.view import view
from engine.ortus.rules.pieces import VIKINGS
from tests.ortus.scene import Scene

THREE = "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}\na.deck: 3 Land\nb.deck: 3 Land\nc.deck: 3 Land\n"
SEE = """
a.role: archbishop
a.F1: Palace (Monk) {}
a.F2: Castle (Prince) {Cathedral}
a.deck: 3 Land
b.role: earl
b.F1: Palace (Champion) {Land}
b.deck: 3 Land
c.role: duke
c.F1: Palace (-) {}
c.deck: 3 Land
"""
COURT = """
king: a []
a.role: king
a.F1: Palace (-) {}
a.deck: 3 Land
b.role: earl loyal
b.F1: Palace (Champion) {}
b.deck: 2 Land
c.role: duke loyal
c.F1: Palace (-) {}
c.deck: 3 Land
active: b
"""


# --- removal meets the rest -------------------------------------------------------------------------------------------


def test_the_vikings_of_three_land_with_four_cards_though_two_earls_are_left() -> None:
    # OR-ELIM-6, OR-VIK-4, OR-VIK-6: N counts who started, so they are active at once.
    s = Scene(
        THREE.replace("b.F1: Palace (-) {}\n", "").replace("b.deck: 3 Land\n", "")
        + "b: out cubes=0 turns=2\nactive: c\nvikings: approaching black=7 white=0"
    ).play("c: end")
    assert len(s.table.force) == 4 and s.step == "vikings"
    assert s.table.n == 3 and view(s.state, None)["vikings"]["needed"] == 4


def test_the_vikings_and_not_who_controls_them_take_a_last_castle() -> None:
    # OR-VIK-14, OR-ELIM-1, OR-AMB-89: it is no attack of his.
    s = Scene(
        THREE.replace("b.F1: Palace (-) {}", "b.F1: Castle (-) {}")
        + "active: c\nvikings: arrived black=8 white=0\nforce: 4 VikingInfantry\n"
    ).play("c: end")
    s.play(f"{s.asked[0]}: attack target=siege:b:F1")
    assert s.told("removed") == [{"seat": "b", "how": "anchors", "to": VIKINGS}]


def test_a_joust_that_removes_an_earl_crowns_when_its_prizes_are_given() -> None:
    # OR-KING-7, OR-JOU-14, OR-AMB-54: the lost Banner no longer counts, and the starter's Turn goes on.
    s = Scene(
        THREE.replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {Land}").replace("b.F1: Palace (-)", "b.F1: Palace (Monk)")
        + "a.banners: 2 Banner\nb.banners: Banner\nc.hand: Banner, Champion\nactive: c\na.hand: Champion\n"
        "a.reserve: 2 Infantry\nc.reserve: Knight, Infantry"
    )
    s.play("c: joust", "a: tilt ante=F1.Land/a tilter=hand:Champion/a", "b: ante ante=F1", "c: stand_aside")
    assert [k for k in s.kinds() if k in ("prize", "removed", "crowned")] == ["prize", "removed", "crowned"]
    assert s.asked == ["c"] and s.step == "levy", "the others give, the new King does not"
    s.play("c: give card=Knight")
    assert (s.table.king, s.table.royal, s.asked, s.step) == ("a", ["Knight"], ["c"], "turn")
    assert s.fiefs("a") == ["1: Palace/a (-) {Land/a}", "2: Palace/b (-) {}"] and s.earl("a").reserve == ["Infantry"] * 2


def test_a_banquet_that_removes_its_earl_crowns_another_and_ends_the_turn() -> None:
    # OR-BANQ-2, OR-TURN-5, OR-KING-2: outside his Turn, before the next one begins.
    s = Scene(
        THREE.replace("a.deck: 3 Land", "a.deck: Land")
        + "a.hand: Banquet, Land\na.banners: Banner\nb.banners: 2 Banner\nc.reserve: Infantry"
    ).play("a: banquet")
    assert not s.earl("a").alive and s.table.king == "b" and s.table.royal == ["Infantry"]
    assert s.asked == ["b"] and s.step == "turn" and not s.earl("a").towers


def test_a_closing_draw_that_fails_crowns_another() -> None:
    # OR-TURN-4, OR-KING-2, OR-AMB-54
    s = Scene(THREE.replace("a.deck: 3 Land\n", "") + "a.banners: Banner\nc.banners: 2 Banner\nb.reserve: Knight").play(
        "a: end"
    )
    assert s.table.king == "c" and s.table.royal == ["Knight"] and (s.asked, s.step) == (["b"], "turn")


def test_what_a_captured_archbishop_pays_last_is_the_captors() -> None:
    # OR-ROLE-28, OR-RAN-7, OR-BAT-9, OR-ELIM-4: a ransom leaves him his last Anchor, which is then paid; its Lord is lost.
    text = SEE.replace("a.F2: Castle (Prince) {Cathedral}\n", "").replace("(Monk) {}", "(Monk) {Land}")
    s = Scene(text + "canterbury: a\nactive: b\nb.reserve: 2 Knight\nbattle: AW")
    s.play("b: attack target=canterbury:a reserve=[Knight]", "a: field lords=[lord:F1]")
    s.play("a: pay payments={lord:F1>F1.Land/a}")
    assert s.step == "spoils", "nothing is left to choose from"
    s.play("b: take attach={Land/a>F2}")
    assert s.fiefs("b") == ["1: Palace/b (Champion/b) {Land/b}", "2: Palace/a (-) {Land/a}"]
    assert not s.earl("a").alive and s.table.out == ["Land/a", "Land/a", "Land/a", "Monk/a"], "his deck and his Abbot"


# --- loyalty meets Battle and the draw --------------------------------------------------------------------------------


def test_a_card_that_loyalty_brings_fights_the_attack_that_brought_it() -> None:
    # OR-ROLE-10, OR-ROLE-15, OR-ROLE-14: known before the King fields, and discarded to its giver.
    s = Scene(COURT.replace("b.deck: 2 Land", "b.deck: Champion, 2 Land") + "battle: NB")
    s.play("b: attack target=siege:a:F1 lords=[lord:F1]")
    assert s.earl("a").hand == ["Champion/b"] and s.ids("field", "hand") == {"Champion/b"}
    s.play("a: field hand=[Champion/b]")
    assert s.pile("b") == ["Champion/b"] and s.pile("a") == [] and len(s.fiefs("a")) == 1


@pytest.mark.parametrize(
    ("act", "told"),
    [("attack target=siege:a:F1 lords=[lord:F1]", "attack"), ("treachery aim=hand:a", "politics")],
)
def test_loyalty_gives_its_card_after_the_declaration_and_before_the_answer(act: str, told: str) -> None:
    # OR-ROLE-5, OR-ROLE-10, OR-AMB-101
    s = Scene(COURT + "a.hand: Land\nb.hand: Treachery").play(f"b: {act}")
    assert s.kinds() == [told, "loyalty", "loyalty_own"] and s.asked == ["a"]


def test_who_gives_his_last_card_to_the_king_has_none_to_draw() -> None:
    # OR-ROLE-10, OR-ROLE-12, OR-TURN-4: giving is no draw, but the Turn ends with one.
    s = Scene(COURT.replace("b.deck: 2 Land", "b.deck: Land"))
    s.play("b: attack target=siege:a:F1 lords=[lord:F1]", "a: stand_down")
    assert s.earl("b").alive and s.earl("b").deck == []
    s.play("b: end")
    assert not s.earl("b").alive and s.earl("a").hand == ["Land/b"], "what he gave stays with the King (OR-ELIM-3)"
    assert s.told("removed") == [{"seat": "b", "how": "deck"}]


def test_an_attack_that_removes_the_king_takes_a_token_and_ends_all() -> None:
    # OR-ROLE-8, OR-ROLE-13, OR-KING-6: the given card is with him only until he falls.
    s = Scene(COURT + "b.reserve: 3 Knight\nb.hand: 2 Banner\nb.F2: Castle (-) {3 Land}")
    assert "display" not in s.options("b")
    s.play("b: attack target=siege:a:F1 reserve=[Knight*3]", "a: stand_down")
    assert not s.earl("a").alive and s.pile("b") == ["Land/b"] and s.table.king == ""
    assert [s.earl(x).loyal for x in "bc"] == [False, False]
    s.play("b: end")
    s.until("turn").play("c: end")
    s.until("turn")
    assert "display" in s.options("b")


# --- Canterbury and the Church meet house rulings -----------------------------------------------------------------------


def test_canterbury_frees_the_cathedrals_holder_whom_the_house_binds() -> None:
    # OR-ROLE-24, OR-AMB-31: nobody blocks the Archbishop there, and the Cathedral is a Church to another holder.
    bound = "rulings: OR-AMB-31=bound\na.hand: Banner\n"
    assert "bequeath" not in Scene(SEE + bound).options("a")
    assert "bequeath" in Scene(SEE + bound + "canterbury: a").options("a")
    without = SEE.replace("{Cathedral}", "{}").replace("{Land}", "{Cathedral}") + bound
    assert "bequeath" not in Scene(without).options("a")
    assert "bequeath" in Scene(without + "canterbury: a").options("a")
    other = (
        SEE.replace("{Cathedral}", "{}").replace("(Champion) {Land}", "(Prince) {Cathedral}") + "active: b\nb.hand: Banner\n"
    )
    assert "bequeath" not in Scene(other + bound).options("b")
    assert "bequeath" in Scene(other + bound + "canterbury: a").options("b")


def test_a_dukes_church_frees_him_from_his_own_cathedral() -> None:
    # OR-ROLE-37 (a), OR-AMB-31: open only where the Action would be rejected without it.
    text = SEE.replace("{Cathedral}", "{}").replace(
        "c.F1: Palace (-) {}", "c.F1: Palace (Prince) {Cathedral}\nc.assets: Church"
    )
    text += "active: c\nc.hand: Banner\n"
    assert "bequeath_church" not in Scene(text).options("c")
    s = Scene(text + "rulings: OR-AMB-31=bound")
    assert "bequeath" not in s.options("c")
    s.play("c: bequeath_church")
    assert s.earl("c").assets == [] and s.told("bequeathed")


def test_a_loaded_anchor_is_paid_in_canterbury_with_its_properties() -> None:
    # OR-ROLE-28, OR-AMB-68
    text = SEE + "canterbury: a\nactive: b\n"
    for ruling, load in (("alone", ""), ("loaded", "Cathedral/a")):
        s = Scene(text + f"rulings: OR-AMB-68={ruling}")
        s.play("b: attack target=canterbury:a lords=[lord:F1]", "a: stand_down", "a: pay holding=F2")
        assert s.fiefs("b")[1] == f"2: Castle/a (-) {{{load}}}" and "Prince/a" in s.pile("a")
        assert ("Cathedral/a" in s.pile("a")) == (not load)


def test_an_undefended_attack_on_canterbury_is_no_fight_where_the_house_says_so() -> None:
    # OR-ROLE-26, OR-AMB-80
    for ruling, answer, white in (
        ("declared", "stand_down", True),
        ("fought", "stand_down", False),
        ("fought", "field lords=[lord:F1]", True),
    ):
        s = Scene(SEE + f"canterbury: a\nactive: b\nrulings: OR-AMB-80={ruling}\nbattle: NB")
        s.play("b: attack target=canterbury:a lords=[lord:F1]", f"a: {answer}")
        assert s.table.white is white


def test_lords_alone_who_defend_canterbury_draw_no_card_where_the_house_says_so() -> None:
    # OR-ROLE-26, OR-ROLE-27, OR-AMB-58: a Normal Battle; two points against one card capture him.
    s = Scene(SEE + "canterbury: a\nactive: b\nrulings: OR-AMB-58=army\nbattle: DW")
    s.play("b: attack target=canterbury:a lords=[lord:F1]", "a: field lords=[lord:F1]")
    assert s.step == "canterbury" and not s.told("battle_card")
    s = Scene(SEE + "canterbury: a\nactive: b\nrulings: OR-AMB-58=any\nbattle: DW")
    s.play("b: attack target=canterbury:a lords=[lord:F1]", "a: field lords=[lord:F1]")
    assert s.told("battle_card") and s.table.canterbury == "a"


def test_the_archbishop_in_canterbury_decides_a_viking_battle_of_others() -> None:
    # OR-ROLE-23, OR-AMB-78, OR-VIK-11: before a Cathedral, and no Duke is offered his Church.
    s = Scene(
        SEE.replace("{Cathedral}", "{}").replace("c.F1: Palace (-) {}", "c.F1: Palace (Monk) {Cathedral}\nc.assets: Church")
        + "canterbury: a\nactive: c\nstart: a\nvikings: arrived black=8 white=0\nforce: 4 VikingInfantry\nbattle: CD"
    ).play("c: end")
    s.play(f"{s.asked[0]}: attack target=siege:c:F1", "c: field lords=[lord:F1]")
    assert (s.asked, s.step) == (["a"], "church")
    s.play("a: DW")
    assert s.told("church_decided") == [{"seat": "a", "result": "DW"}] and len(s.fiefs("c")) == 1


def test_a_duke_counts_the_church_that_another_has_just_spent() -> None:
    # D-73, OR-ROLE-39, OR-AMB-121: one after the other, from the active Earl's seat clockwise.
    s = Scene(
        "a.role: duke\na.assets: Church\na.F1: Palace (-) {}\nb.role: earl\nb.F1: Palace (Champion) {}\nb.deck: Land\n"
        "c.role: duke\nc.assets: Church\nc.F1: Palace (Monk) {}\nactive: b\nbattle: CD"
    )
    s.play("b: attack target=siege:c:F1 lords=[lord:F1]", "c: field lords=[lord:F1]")
    assert s.asked == ["c"] and (s.ask().about["churches"], s.ask().about["most"]) == (0, 0)
    s.play("c: spend")
    assert s.asked == ["a"] and (s.ask().about["churches"], s.ask().about["most"]) == (0, 1)
    s.play("a: spend")
    assert s.told("church_undecided") and s.earl("a").assets == s.earl("c").assets == []


# --- house rulings meet each other --------------------------------------------------------------------------------------


def test_a_palace_of_another_colour_leaves_the_game_where_the_house_says_so() -> None:
    # OR-AMB-3, OR-OBJ-5, OR-DEST-1: seized it stays, destroyed it is gone; its colour's owner never sees it again.
    text = THREE.replace("b.F1: Palace (-) {}", "b.F1: Castle (-) {}\nb.F2: Palace/c (-) {}").replace(
        "c.F1: Palace", "c.F1: Castle"
    )
    for ruling in ("discarded", "gone"):
        s = Scene(text + f"a.hand: 3 Champion\nrulings: OR-AMB-3={ruling}")
        s.play("a: attack target=siege:b:F2 hand=[Champion/a]")
        assert len(s.fiefs("b")) == 2, "two points are too few"
        s = Scene(text + f"a.hand: 3 Champion\nrulings: OR-AMB-3={ruling}")
        s.play("a: attack target=siege:b:F2 hand=[Champion/a*2]")
        assert (s.pile("c"), s.table.out) == ((["Palace/c"], []) if ruling == "discarded" else ([], ["Palace/c"]))


def test_a_kings_tilter_of_another_colour_goes_to_its_giver_when_the_joust_is_called_off() -> None:
    # OR-AMB-97, OR-ROLE-14, OR-JOU-7
    s = Scene(COURT.replace("active: b", "active: a") + "a.hand: Banner, Champion/b\nrulings: OR-AMB-97=discarded")
    s.play("a: joust", "b: stand_aside", "c: stand_aside", "a: tilt ante=F1 tilter=hand:Champion/b")
    assert s.told("joust_cancelled") and s.pile("b") == ["Champion/b"] and s.pile("a") == ["Banner/a"]


def test_all_who_enter_a_joust_together_may_be_out_of_the_game_by_it() -> None:
    # OR-AMB-99, OR-JOU-14, OR-WIN-1: two Earls stake their last Anchors at once; the third is left and has won.
    s = Scene(
        THREE.replace("b.F1: Palace (-)", "b.F1: Palace (Champion)")
        + "a.hand: Banner\nb.banners: Banner\nrulings: OR-AMB-99=together"
    )
    s.play("a: joust")
    assert s.asked == ["b", "c", "a"] and s.ask("a").default == Answer("stand_aside")
    s.play("c: ante ante=F1", "b: tilt ante=F1 tilter=lord:F1", "a: ante ante=F1")
    assert s.table.outcome == Outcome(("b",), "last")
    assert [e["seat"] for e in s.told("removed")] == ["c", "a"], "from the starter's left"
    assert not s.told("crowned")


@pytest.mark.parametrize(
    ("forces", "card"),
    [
        ("reserve=[Infantry]", True),
        ("others=[royal:Infantry]", True),
        ("others=[garrison:1]", True),
        ("others=[king,mercenary:1]", False),
        ("lords=[lord:F1] hand=[Monk/b]", False),
    ],
)
def test_any_army_card_draws_a_battle_card_where_only_they_do(forces: str, card: bool) -> None:
    # OR-AMB-58, OR-BAT-2, OR-FLD-4: of the Reserve, a garrison, or the Royal Army.
    s = Scene(
        "a.F1: Palace (Champion) {}\nb.F1: Palace (Champion) {Land}\nc.F1: Palace (-) {}\nb.reserve: Infantry\nb.hand: Monk\n"
        "b.M1: Mercenary (Infantry)\nking: b [Infantry]\nrulings: OR-AMB-58=army\nbattle: DW"
    )
    s.play("a: attack target=siege:b:F1 lords=[lord:F1]", f"b: field {forces}")
    assert bool(s.told("battle_card")) == card and bool(s.told("no_battle_card")) != card


@pytest.mark.parametrize(("ruling", "load"), [("alone", ""), ("loaded", "Land/b, Church/c")])
def test_an_anchor_won_in_a_joust_comes_with_what_the_house_leaves_on_it(ruling: str, load: str) -> None:
    # OR-AMB-68, OR-JOU-13, OR-PROP-3: the tilter who lived there is lost by either, and no Land draws.
    text = THREE.replace("b.F1: Palace (-) {}", "b.F1: Palace (-) {}\nb.F2: Castle (Monk) {Land, Church/c}")
    s = Scene(
        text.replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {Land}")
        + f"a.hand: Banner, Champion\nrulings: OR-AMB-68={ruling}"
    )
    s.play("a: joust", "b: ante ante=F2", "c: stand_aside", "a: tilt ante=F1.Land/a tilter=hand:Champion/a")
    assert s.fiefs("a") == ["1: Palace/a (-) {Land/a}", f"2: Castle/b (-) {{{load}}}"] and s.earl("a").reserve == []
    assert s.pile("b") == (["Monk/b"] if load else ["Land/b", "Monk/b"]) and s.pile("c") == ([] if load else ["Church/c"])


def test_a_raided_fief_that_is_paid_loaded_loses_nothing() -> None:
    # OR-AMB-68, OR-AMB-71, OR-RAN-5: its Properties have gone with their Anchor, so that the points are lost.
    s = Scene(
        "a.F1: Palace (Prince) {}\na.F2: Castle (Vassal) {}\nb.F1: Palace (Champion) {}\nb.F2: Castle (-) {Land, Church}\n"
        "c.F1: Palace (-) {}\nrulings: OR-AMB-68=loaded\nbattle: AW"
    )
    s.play("a: attack target=raid:b:F2 lords=[lord:F1,lord:F2]", "b: field lords=[lord:F1]", "b: pay payments={lord:F1>F2}")
    assert s.step == "turn" and s.told("object_gone") and not s.told("seized")
    assert s.fiefs("a")[2] == "3: Castle/b (-) {Land/b, Church/b}" and s.pile("b") == []
