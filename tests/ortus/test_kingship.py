"""Banners: Bequeath and the Kingship (rules 8.8 and 8.9)."""

from __future__ import annotations

import pytest

from engine.ortus.face.view import view
from tests.ortus.scene import Scene

PALACES = "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}\n"
DECKS = "".join(f"{seat}.deck: 3 Land, 2 MarketTown\n" for seat in "abc")


def scene(text: str) -> Scene:
    return Scene(PALACES + DECKS + text)


# --- Bequeath ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        # OR-BEQ-1: a Banner in Hand and a Prince Lord on the table.
        ("a.F2: Castle (Prince) {}\na.hand: Banner", True),
        ("a.F2: Castle (Prince) {}\na.hand: Land", False),
        ("a.F2: Castle (Prince) {}\na.banners: Banner", False),
        ("a.F2: Castle (Champion) {}\na.hand: Banner, Prince", False),
        # OR-BEQ-2: a rival's Cathedral forbids it, unless there is a Church of one's own.
        ("a.F2: Castle (Prince) {}\na.hand: Banner\nb.F2: Castle (-) {Cathedral}", False),
        ("a.F2: Castle (Prince) {Church/c}\na.hand: Banner\nb.F2: Castle (-) {Cathedral}", True),  # OR-AMB-33
        ("a.F2: Castle (Prince) {}\na.F3: Castle (-) {Church}\na.hand: Banner\nb.F2: Castle (-) {Cathedral}", True),
        # The Cathedral's holder is never blocked (OR-AMB-31), and it need not be his own colour (OR-AMB-30).
        ("a.F2: Castle (Prince) {Cathedral}\na.hand: Banner", True),
        ("a.F2: Castle (Prince) {Cathedral/b}\na.hand: Banner", True),
        # A Cathedral that is not face up in a Fief blocks nobody (OR-AMB-29).
        ("a.F2: Castle (Prince) {}\na.hand: Banner\nb.towers: Cathedral\nb.hand: Cathedral\nb.discard: Cathedral", True),
        # OR-BEQ-4: legal with an empty deck.
        ("a.F2: Castle (Prince) {}\na.hand: Banner\na.deck:", True),
    ],
)
def test_who_may_bequeath(text: str, legal: bool) -> None:
    s = Scene(PALACES + text)
    assert (s.refused("a: bequeath") == "") == legal
    if not legal:
        assert "o Bequeath you need a" in s.refused("a: bequeath")


def test_bequeathing_shuffles_the_whole_discard_pile_into_the_deck() -> None:
    # OR-BEQ-3: Banner and Prince included; Hand, Towers and table untouched; the Fief stays without a Lord.
    s = Scene(
        (PALACES + DECKS).replace("a.F1: Palace", "a.F1: Castle")
        + "a.F2: Castle (Prince) {}\na.hand: Banner, Monk\na.towers: Vassal\na.discard: Palace, Church, Church"
    )
    s.play("a: bequeath")
    deck = sorted(s.earl("a").deck)
    assert deck == sorted(
        ["Land/a"] * 3 + ["MarketTown/a"] * 2 + ["Palace/a", "Church/a", "Church/a", "Banner/a", "Prince/a"]
    )  # OR-AMB-3
    assert s.pile("a") == [] and s.fiefs("a")[1] == "2: Castle/a (-) {}"
    assert s.earl("a").hand == ["Monk/a"] and s.earl("a").towers == ["Vassal/a"]


def test_bequeathing_shuffles() -> None:
    # OR-RNG-1, OR-RNG-3
    orders = set()
    for seed in range(10):
        s = Scene(
            PALACES + f"a.F2: Castle (Prince) {{}}\na.hand: Banner\na.deck: Land\na.discard: Church, Monk\nchance: {seed} {{}}"
        )
        orders.add(tuple(s.play("a: bequeath").earl("a").deck))
    assert len(orders) > 5


def test_the_closing_draw_comes_from_the_new_deck() -> None:
    # OR-BEQ-4
    s = Scene(PALACES + "a.F2: Castle (Prince) {}\na.hand: Banner\na.deck:").play("a: bequeath", "a: end")
    assert s.earl("a").alive and len(s.earl("a").deck) == 1 and len(s.earl("a").hand) == 1


def test_foreign_cards_go_home_instead() -> None:
    # OR-BEQ-5
    s = Scene(PALACES + "a.F2: Castle (Prince/c) {}\na.hand: Banner/b\na.discard: Land").play("a: bequeath")
    assert s.earl("a").deck == ["Land/a"] and s.pile("b") == ["Banner/b"] and s.pile("c") == ["Prince/c"]


# --- the Kingship -----------------------------------------------------------------------------------------------------


def test_a_banner_is_displayed_only_while_nobody_is_king() -> None:
    # OR-KING-1, OR-AMB-51
    s = scene("a.hand: Banner").play("a: display")
    assert s.earl("a").banners == ["Banner/a"] and s.table.action_used and not s.table.king
    for king in "ab":
        s = scene(f"a.hand: Banner\nking: {king} []")
        assert s.refused("a: display") == f"{king.upper()} is King; Banners are displayed only while nobody is."


@pytest.mark.parametrize(
    ("mine", "theirs", "king"),
    # OR-KING-2, OR-AMB-53: at least 2, and at least 2 more than everybody else, who counts as 0 without Banners.
    [(1, 0, True), (1, 1, False), (2, 1, True), (3, 2, True), (2, 2, False), (0, 0, False)],
)
def test_the_lead_that_makes_a_king(mine: int, theirs: int, king: bool) -> None:
    text = "".join(f"{s}.banners: {n} Banner\n" for s, n in (("a", mine), ("b", theirs)) if n)
    s = scene(text + "a.hand: Banner").play("a: display")
    assert (s.table.king == "a") == king


@pytest.mark.parametrize(("mine", "theirs", "king"), [(0, 0, False), (1, 0, True), (1, 1, False), (2, 1, True), (2, 2, False)])
def test_the_lead_that_makes_a_king_of_one_of_two(mine: int, theirs: int, king: bool) -> None:
    # OR-KING-2: the only other Earl counts like any.
    text = "".join(f"{s}.banners: {n} Banner\n" for s, n in (("a", mine), ("b", theirs)) if n)
    s = Scene("a.F1: Palace (-) {}\nb.F1: Palace (-) {}\na.hand: Banner\n" + text, "a b").play("a: display")
    assert (s.table.king == "a") == king and bool(s.told("crowned")) == king


def test_all_displayed_banners_are_discarded_at_the_crowning() -> None:
    # OR-KING-3, OR-AMB-55: a later contest starts at zero.
    s = scene("a.banners: 2 Banner\nb.banners: Banner\na.hand: Banner").play("a: display")
    assert s.table.king == "a"
    assert (s.pile("a"), s.pile("b")) == (["Banner/a"] * 3, ["Banner/b"])
    assert all(e.banners == [] for e in s.table.earls.values())
    assert view(s.state, None)["royal"] == [None, None], "N-1 slots"


def test_the_levy_is_parallel_sealed_and_shown_together() -> None:
    # OR-KING-4, OR-AMB-52, OR-AMB-57, D-33: every other Earl with a Reserve gives one; the King gives none.
    s = Scene(
        PALACES + "d.F1: Palace (-) {}\n" + "a.hand: Banner\na.banners: Banner\na.reserve: Knight, Infantry\n"
        "b.reserve: Knight, Infantry\nc.reserve: 2 Knight\nd.reserve: Knight",
        "a b c d",
    ).play("a: display")
    assert s.asked == ["b", "c"], "one card is publicly forced (OR-DEC-5); like ones are a secret (OR-DEC-6)"
    s.play("c: give card=Knight")
    assert s.events == [] and s.table.royal == []
    assert s.ids("give", "card", "b") == {"Infantry", "Knight"}
    s.play("b: give card=Knight")
    assert [(f["seat"], f["card"]) for f in s.told("levied")] == [("b", "Knight"), ("c", "Knight"), ("d", "Knight")]
    assert s.table.royal == ["Knight"] * 3 and len(s.earl("a").reserve) == 2
    assert s.asked == ["a"] and s.step == "turn"


@pytest.mark.parametrize("card", ["Infantry", "Knight"])
@pytest.mark.parametrize("reserve", ["Infantry, Knight", "Knight, Infantry"])
def test_the_levy_takes_the_card_that_was_chosen(reserve: str, card: str) -> None:
    # OR-KING-4, D-33: not the first one, nor the cheapest.
    s = scene(f"a.hand: Banner\na.banners: Banner\nb.reserve: {reserve}").play("a: display", f"b: give card={card}")
    (left,) = {"Infantry", "Knight"} - {card}
    assert s.table.royal == [card] and s.earl("b").reserve == [left]
    assert s.told("levied") == [{"seat": "b", "card": card, "king": "a"}]


def test_a_later_reserve_gives_nothing_but_the_king_may_fill_slots() -> None:
    # OR-KING-4, OR-FREE-2
    s = scene("a.hand: Banner\na.banners: Banner\na.reserve: 3 Knight\nb.reserve: Infantry").play("a: display")
    assert s.table.royal == ["Infantry"] and s.refused("a: garrison card=Knight slot=royal") == ""
    s.play("a: garrison card=Knight slot=royal")
    assert s.table.royal == ["Infantry", "Knight"]
    assert s.refused("a: garrison card=Knight slot=royal"), "N-1 slots are full"


def test_nobody_but_the_king_garrisons_the_royal_army() -> None:
    # OR-FREE-2, OR-KING-4
    s = scene("king: b []\na.reserve: Knight\na.M1: Mercenary (-)")
    assert s.ids("garrison", "slot") == {"mercenary:1"}
    s = scene("king: b []\na.reserve: Knight")
    assert "garrison" not in s.options() and s.refused("a: garrison card=Knight slot=royal")


def test_the_king_card_and_the_royal_army_fight_without_land() -> None:
    # OR-KING-5: in any combination; the King Card is never killed or captured, the Royal Army dies like any.
    s = scene("king: a [Knight, Infantry]\nb.reserve: 3 Knight\nb.F2: Castle (-) {3 Land}\nbattle: NB")
    assert s.ids("attack", "others") == {"king", "royal:Infantry", "royal:Knight"}
    s.play("a: attack target=siege:b:F2 others=[king,royal:Knight]", "b: field reserve=[Knight*3]")
    assert s.table.royal == ["Infantry"] and s.table.king == "a" and s.table.army.discard.count("Knight") >= 1
    s = scene("king: a []\nb.reserve: 3 Knight\nb.F2: Castle (-) {3 Land}\nbattle: DW")
    s.play("a: attack target=siege:b:F2 others=[king]", "b: field reserve=[Knight]")
    assert s.table.king == "a" and not s.told("captured")


def test_the_title_ends_with_its_earl() -> None:
    # OR-KING-6, OR-ELIM-2
    s = Scene(PALACES + "king: a [Knight, Infantry]\nb.hand: Banner\nb.deck: Land").play("a: concede sure=yes")
    assert s.table.king == "" and s.table.royal == [] and sorted(s.table.army.discard) == ["Infantry", "Knight"]
    assert s.asked == ["b"] and s.refused("b: display") == ""


def test_a_removal_can_crown_an_earl_outside_his_turn() -> None:
    # OR-KING-2, OR-KING-7, OR-AMB-54: after the whole event, here a concession and a Battle.
    s = scene("b.banners: 2 Banner\na.banners: Banner").play("a: concede sure=yes")
    assert s.table.king == "b" and s.table.active == "b"
    s = scene("a.banners: 2 Banner\nb: in cubes=1 turns=2 concedes\nb.banners: Banner").play("a: end")
    assert s.table.king == "a" and s.asked == ["c"], "a queued concession, before its Turn has a step"
    s = Scene(
        "a.F1: Palace (Vassal) {}\na.F2: Castle (Champion) {}\nb.F1: Castle (-) {}\nc.F1: Palace (-) {}\n"
        "c.banners: 2 Banner\nb.banners: Banner\na.reserve: Knight\na.deck: Land"
    )
    s.play("a: attack target=siege:b:F1 lords=[lord:F1,lord:F2]")
    assert s.asked == ["a"] and s.step == "spoils" and s.table.king == "", "no crowning inside a Battle"
    s.play("a: take")
    order = [k for k in s.kinds() if k in ("fell", "removed", "crowned", "levied")]
    assert order == ["removed", "crowned", "levied"] and s.table.king == "c" and s.step == "turn"


def test_a_removal_can_crown_on_the_vikings_turn() -> None:
    # OR-KING-7, OR-VIK-14
    s = Scene(
        "a.F1: Palace (-) {}\nb.F1: Castle (-) {}\nc.F1: Palace (-) {}\na: in cubes=0 turns=2\nb: in cubes=0 turns=2\n"
        "a.deck: Land\nb.deck: Land\nc.deck: Land\na.banners: 2 Banner\nb.banners: Banner\nc.reserve: 2 Knight\n"
        "active: c\nvikings: arrived black=8 white=0\nforce: 3 VikingInfantry"
    )
    s.play("c: end", "c: attack target=siege:b:F1")
    assert s.told("removed") and s.table.king == "a" and s.asked == ["c"] and s.step == "levy"


def test_slots_do_not_shrink_when_earls_leave() -> None:
    # OR-AMB-56, OR-ELIM-6
    s = Scene(
        PALACES + "d.F1: Palace (-) {}\nb.banners: Banner\nb.hand: Banner\nb.deck: 3 Land\nb.reserve: 3 Knight", "a b c d"
    )
    s.play("a: concede sure=yes", "b: display")
    for _ in range(3):
        s.play("b: garrison card=Knight slot=royal")
    assert len(s.table.royal) == 3
