"""Removal of Earls, and winning (rules 12)."""

from __future__ import annotations

from engine.core import procedure
from engine.core.asks import Answer
from engine.core.chance import Chance
from engine.ortus import ORTUS
from engine.ortus.face.view import view
from engine.ortus.rules.removal import remove
from tests.ortus.scene import Scene

PALACES = "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}\n"
DECKS = "a.deck: 5 Land\nb.deck: 5 Land\nc.deck: 5 Land\n"
RICH = """
b: in cubes=4 turns=2
b.F1: Palace (Champion) {Land, Church/c}
b.F2: Castle/a (Vassal) {}
b.M1: Mercenary/a (Infantry)
b.M2: Mercenary (-)
b.hand: 3 Land
b.towers: Monk, Land/c
b.reserve: Infantry, Knight
b.deck: 5 Church
b.discard: 4 Monk
b.emissaries: Monk, Vassal
king: b [Knight]
"""


def scene(text: str) -> Scene:
    return Scene(PALACES + DECKS + text)


# --- causes -----------------------------------------------------------------------------------------------------------


def test_an_earl_without_an_anchor_is_removed_when_the_event_is_over() -> None:
    # OR-ELIM-1 a: the destroyed Anchor first, then what is seized, then the removal.
    s = Scene(
        "a.F1: Palace (Prince) {}\na.F2: Castle (Champion) {}\nb.F1: Castle (-) {}\nc.F1: Palace (-) {}\n"
        "a.deck: Land\nb.hand: Monk"
    )
    s.play("a: attack target=siege:b:F1 lords=[lord:F1,lord:F2]", "b: stand_down", "a: take seize=[Castle/b]")
    order = [k for k in s.kinds() if k in ("seized", "removed")]
    assert order == ["seized", "removed"]
    assert "3: Castle/b (-) {}" in s.fiefs("a"), "what was seized belongs to the taker (OR-ELIM-4)"


def test_a_required_draw_from_an_empty_deck_removes_at_once() -> None:
    # OR-ELIM-1 b, OR-TURN-4, OR-AMB-15
    s = Scene(PALACES + "a.deck: Land\na.hand: Banquet\nb.deck: 3 Land\nc.deck: 3 Land").play("a: banquet")
    assert s.told("removed") == [{"seat": "a", "how": "deck"}] and s.asked == ["b"]
    s = Scene(PALACES + "b.deck: 3 Land").play("a: end")
    assert s.told("removed") == [{"seat": "a", "how": "deck"}]


def test_an_empty_deck_alone_removes_nobody() -> None:
    # OR-AMB-16, OR-TURN-4
    s = Scene(PALACES + "a.deck: Land\na.F2: Castle (Prince) {}\nb.deck: 3 Land\nc.deck: 3 Land").play("a: end")
    assert s.earl("a").alive and s.earl("a").deck == []
    s.play("b: end", "c: end")
    assert s.asked == ["a"] and s.earl("a").alive


def test_conceding_removes_on_the_own_turn() -> None:
    # OR-ELIM-1 c, OR-TURN-6, OR-TURN-5, D-26: it is confirmed twice, and there is no closing draw.
    s = scene("")
    assert s.ask().option("concede").grave and "needs a choice" in s.refused("a: concede")
    s.play("a: concede sure=yes")
    assert s.told("removed") == [{"seat": "a", "how": "concession"}]
    assert s.asked == ["b"] and not s.told("card_drawn")


def test_a_concession_is_not_open_while_something_is_under_way() -> None:
    # OR-AMB-17, OR-TURN-6: within a Battle or a Struggle it can only be queued; the open decision is still answered.
    s = scene("a.hand: Treachery\nb.hand: Land").play("a: treachery aim=hand:b")
    assert s.asked == ["b"] and "concede" not in s.options("b")
    (offer,) = ORTUS.rules.powers.open(s.state, "b")
    assert (offer.kind, offer.rule, [o.id for o in offer.options]) == ("concession", "D-80", ["queue"])
    ORTUS.rules.powers.use(s.state, "b", "concession", Answer("queue"))
    assert s.asked == ["b"] and s.earl("b").alive
    s.play("b: decline", "a: end")
    assert s.told("removed") == [{"seat": "b", "how": "concession"}] and s.asked == ["c"]
    assert not [f for f in s.told("card_drawn") if f["seat"] == "b"], "before any step of his Turn"


def test_a_queued_concession_is_a_secret_and_can_be_withdrawn() -> None:
    # D-80, OR-DEC-10, OR-INFO-6
    s = scene("")
    ORTUS.rules.powers.use(s.state, "b", "concession", Answer("queue"))
    assert [e.only for e in s.table.news] == [("b",)]
    assert view(s.state, "b")["own"]["concede"]
    assert not ORTUS.rules.redeal(s.state, "a", Chance("x")).table.earls["b"].concede
    assert "concede" not in str(view(s.state, None))
    (offer,) = ORTUS.rules.powers.open(s.state, "b")
    assert [o.id for o in offer.options] == ["withdraw"]
    ORTUS.rules.powers.use(s.state, "b", "concession", Answer("withdraw"))
    s.play("a: end")
    assert s.earl("b").alive and s.asked == ["b"]


# --- where everything goes --------------------------------------------------------------------------------------------


def removed() -> Scene:
    s = Scene("a.F1: Palace (-) {}\nc.F1: Palace (-) {}\na.F2: Castle/b (-) {}\nc.towers: Church/b\n" + RICH)
    s.earl("b").banners = ["Banner/b"]  # no King has any displayed, but here is every zone that there is
    remove(s.table, "b", "anchors")
    return s


def test_every_card_of_a_removed_earl_goes_where_it_belongs() -> None:
    # OR-ELIM-2, in its order
    s = removed()
    b = s.earl("b")
    assert b.cubes == 0  # (1)
    assert s.pile("c") == ["Church/c", "Land/c"] and s.pile("a") == ["Castle/a", "Mercenary/a"]  # (2), OR-AMB-20
    out = sorted(s.table.out)
    assert out == sorted(
        ["Palace/b", "Champion/b", "Land/b", "Vassal/b", "Mercenary/b", "Banner/b", "Monk/b", "Monk/b", "Vassal/b"]
        + ["Land/b"] * 3
        + ["Church/b"] * 5
        + ["Monk/b"] * 4
    )  # (3), and (4): Emissaries go with their sender (OR-AMB-18, OR-DEST-7)
    assert sorted(s.table.army.discard) == ["Infantry", "Infantry", "Knight", "Knight"]  # (5), OR-AMB-19
    assert s.table.king == "" and s.table.royal == []  # (6)
    assert not any((b.hand, b.towers, b.fiefs, b.mercenaries, b.reserve, b.deck, b.discard, b.banners, b.emissaries))


def test_a_removal_leaves_what_belongs_to_others() -> None:
    # OR-ELIM-2, OR-KING-6: the King and his army, other Earls' cubes, Reserves and garrisons stay.
    s = scene(
        "king: a [Knight]\na: in cubes=3 turns=2\na.reserve: Infantry\n"
        "b.reserve: Knight\nc.M1: Mercenary (Knight)\narmy-discard: Knight"
    )
    remove(s.table, "b", "concession")
    assert s.table.king == "a" and s.table.royal == ["Knight"] and s.table.army.discard == ["Knight"] * 2
    assert s.earl("a").cubes == 3 and s.earl("a").reserve == ["Infantry"] and s.earl("c").mercenaries[0].garrison == "Knight"
    assert [s.earl(x).alive for x in "abc"] == [True, False, True] and s.table.outcome is None


def test_hidden_cards_leave_the_game_unseen() -> None:
    # OR-ELIM-2 (3), OR-AMB-20: no event names a Tower or a Hand card.
    s = removed()
    assert [e.facts for e in s.table.news if e.kind == "removed"] == [{"seat": "b", "how": "anchors"}]
    assert "out" not in view(s.state, None)


def test_cards_of_a_removed_earl_in_other_earldoms_stay_until_discarded() -> None:
    # OR-ELIM-3, OR-DEST-2
    s = removed()
    assert s.fiefs("a") == ["1: Palace/a (-) {}", "2: Castle/b (-) {}"] and s.earl("c").towers == ["Church/b"]
    remove(s.table, "a", "concession")
    assert "Castle/b" in s.table.out and "Castle/b" not in s.earl("b").discard


def test_a_removal_gives_nobody_anything() -> None:
    # OR-ELIM-5
    s = removed()
    assert len(s.earl("a").fiefs) == 2 and s.earl("a").hand == [] and s.earl("a").reserve == []


def test_the_figures_of_the_start_stay() -> None:
    # OR-ELIM-6, OR-AMB-56
    s = removed()
    assert s.table.n == 3 and view(s.state, None)["vikings"]["needed"] == 4


def test_a_removed_earl_is_asked_nothing_and_offered_nothing() -> None:
    # OR-ELIM-2 (7), OR-DEC-9, OR-TURN-1: his seat is skipped.
    s = scene("").play("a: end", "b: concede sure=yes")
    assert s.asked == ["c"] and ORTUS.rules.powers.open(s.state, "b") == []
    s.play("c: end")
    while s.step != "turn":
        s.default()
    assert s.asked == ["a"]
    s.play("a: end")
    assert s.asked == ["c"]


def test_the_round_keeps_its_place_when_the_starter_is_gone() -> None:
    # OR-AMB-23, OR-SET-6: the Vikings still come after the last seat before the starting one.
    s = scene("").play("a: concede sure=yes", "b: end")
    assert s.asked == ["c"] and s.table.round == 2 and not s.told("round")
    s.play("c: end")
    assert s.told("vikings_nearer") and s.table.round == 3 and s.asked == ["b"]
    kinds = [e.kind for e in s.events]
    assert kinds.index("vikings_nearer") < kinds.index("round") < kinds.index("turn")


# --- winning ----------------------------------------------------------------------------------------------------------


def test_the_last_earl_wins_at_once() -> None:
    # OR-WIN-1, OR-AMB-22: without another draw, even with an empty deck.
    s = Scene("a.F1: Palace (-) {}\nb.F1: Palace (Champion) {}\na.hand: Treachery", "a b").play("a: treachery aim=lord:b:F1")
    assert s.table.outcome == procedure.Outcome(("a",), "last") and s.told("won") == [{"seat": "a"}]
    assert s.asked == [] and s.earl("a").deck == [] and not s.told("card_drawn")


def test_nobody_is_crowned_after_the_end() -> None:
    # OR-WIN-1, OR-KING-7: the last Earl has won already, whatever Banners he shows.
    s = Scene("a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nb.banners: 2 Banner\na.banners: Banner", "a b").play(
        "a: concede sure=yes"
    )
    assert s.table.outcome == procedure.Outcome(("b",), "last")
    assert not s.told("crowned") and s.table.king == "" and len(s.earl("b").banners) == 2


def test_a_title_wins_nothing() -> None:
    # OR-WIN-2: King and Archbishop, in control of the Vikings, and the game goes on.
    s = scene(
        "king: a []\na.F2: Castle (-) {Cathedral}\nb: in cubes=0 turns=2\nc: in cubes=0 turns=2\n"
        "vikings: arrived black=8 white=0\nforce: 4 VikingInfantry\nactive: c"
    ).play("c: end")
    assert s.asked == ["a"] and s.step == "vikings" and s.table.outcome is None
    s.play("a: hold")
    assert s.table.outcome is None


def test_somebody_is_always_left() -> None:
    # OR-AMB-21: a Joust, a Battle, a draw: the winner, the attacker or the others keep an Anchor.
    s = Scene("a.F1: Palace (-) {}\nb.F1: Palace (Champion) {}\na.hand: Banner\na.deck: Land\nb.deck: Land", "a b")
    s.play("a: joust", "b: tilt ante=F1 tilter=lord:F1", "a: ante ante=F1")
    assert s.table.outcome == procedure.Outcome(("b",), "last")


def test_two_earls_play_by_the_same_rules() -> None:
    # OR-AMB-24, OR-TURN-9: with 2 Earls the left neighbour is the only opponent, and Rounds end with the Vikings.
    s = Scene("a.F1: Palace (-) {}\nb.F1: Palace (-) {}\na.deck: 3 Land\nb.deck: 3 Land", "a b").play("a: end", "b: end")
    assert s.told("vikings_nearer") and s.asked == ["a"] and s.table.round == 3
