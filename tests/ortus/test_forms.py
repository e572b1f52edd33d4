"""What the forms of Ortus Regni offer, and the public facts that they are worded from (OR-DEC, rules 12)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.core import procedure
from engine.games import game_called
from engine.ui.forms import FormShut, describe, hindered
from tests.ortus.scene import Scene
from tests.shape import of_field, shape

GAME = game_called("ortus")
COURT = """
king: a []
a.role: king
b.role: duke
c.role: archbishop
a.F1: Palace (Prince) {}
a.F2: Castle (Monk) {Church}
b.F1: Palace (-) {}
b.F2: Castle (Vassal) {Land}
b.F3: Castle (-) {Land}
c.F1: Palace (-) {}
a.deck: 3 Land, 6 MarketTown
b.hand: Land
b.M1: Mercenary (-)
c.M1: Mercenary (Knight)
"""


def test_what_every_standing_order_can_say() -> None:  # SO-01 to SO-22
    s = Scene(
        "a.role: king\nking: a []\nb.role: duke\nc.role: archbishop\na.F1: Palace (Prince) {Land, Church}\n"
        "b.F1: Palace (-) {}\nc.F1: Palace (-) {}\na.hand: Banner, Vassal\na.towers: Land\na.discard: Church, 2 Land"
    )
    asks = GAME.orders.asks(s.state, "a")
    assert "\n".join(map(shape, asks)) + "\n" == (Path(__file__).parent / "order_forms.txt").read_text("utf-8")
    assert {ask.seat for ask in asks} == {"a"}


def test_of_two_colours_a_king_says_which_of_that_kind() -> None:  # OR-ROLE-14
    kinds = ("Banquet", "Banner", "Mercenary", "Treachery", "Intrigue")
    ask = Scene(COURT + "a.hand: Land, " + ", ".join(f"{kind}, {kind}/b" for kind in kinds)).ask("a")
    options = {"banquet": "Banquet", "bequeath": "Banner", "joust": "Banner", "mercenary": "Mercenary"}
    for option, kind in {**options, "treachery": "Treachery", "intrigue": "Intrigue"}.items():
        assert f"card={kind}/a|{kind}/b?" in map(of_field, ask.option(option).fields), option
    vacant = Scene(COURT.replace("king: a []", "") + "a.hand: Banner, Banner/b")
    assert list(map(of_field, vacant.ask("a").option("display").fields)) == ["card=Banner/a|Banner/b?"]
    struggle = Scene(COURT.replace("b.hand: Land", "b.hand: Treachery") + "a.hand: Allies, Allies/b, Banner\nactive: b")
    struggle.play("b: treachery aim=lord:a:F2")
    assert [of_field(f) for f in struggle.ask("a").option("allies").fields] == ["card=Allies/a|Allies/b?"]


def test_of_two_colours_that_banner_is_spent_which_a_king_names() -> None:  # OR-ROLE-14, OR-JOU-2
    text = COURT.replace("b.hand: Land", "b.hand: Land, Banner") + "a.hand: Banner, Banner/b\nactive: b\na.banners:\n"
    for card, left in (("Banner/b", ["Banner/a"]), ("Banner/a", ["Banner/b"])):
        s = Scene(text).play("b: joust")
        s.until("enter")
        while s.asked != ["a"]:
            s.default()
        assert s.play(f"a: opt_out card={card}").earl("a").hand == left
        s = Scene(text.replace("active: b", "active: a")).play(f"a: joust card={card}")
        assert s.earl("a").hand == left
    foreign_first = text.replace("Banner, Banner/b", "Banner/b, Banner").replace("active: b", "active: a")
    assert Scene(foreign_first).play("a: joust").earl("a").hand == ["Banner/b"], "the own one, where none is named"


def test_what_stands_behind_the_numbers() -> None:  # OR-DEC-1
    assert Scene(COURT + "a.hand: Land").ask("a").about["lies"] == {
        "a:F1": "Palace/a",
        "a:F1.lord": "Prince/a",
        "a:F1.load": "yes",
        "a:F2": "Castle/a",
        "a:F2.lord": "Monk/a",
        "a:F2.load": "yes",
        "b:F1": "Palace/b",
        "b:F2": "Castle/b",
        "b:F2.lord": "Vassal/b",
        "b:F2.load": "yes",
        "b:F3": "Castle/b",
        "b:F3.load": "yes",
        "b:M1": "",
        "c:F1": "Palace/c",
        "c:M1": "Knight",
    }


def test_why_a_monastery_or_an_archbishops_installing_is_shut() -> None:  # OR-MON-1, OR-ROLE-16
    plain = "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}\na.hand: Champion\n"
    nobody = "No rival has a card in hand to look at."
    s = Scene(plain + "a.F2: Castle (Monk) {Church}")
    assert "monastery" not in s.options("a") and s.refused("a: monastery target=b") == nobody
    s = Scene(plain + "a.role: archbishop\ncanterbury: a")
    assert "monastery" not in s.options("a") and s.refused("a: monastery target=b") == nobody
    s = Scene(plain)
    assert s.refused("a: monastery target=b") == "The Monastery needs an Abbot and a Church or Cathedral in one Fief."
    s = Scene(plain + "a.role: archbishop")
    assert "install" not in s.options("a")
    assert s.refused("a: install card=Champion/a fief=F1") == "An Archbishop can install only Monks, and one Prince, as Lords."


def test_what_is_attached_to_a_castle_needs_the_castle_seized() -> None:  # OR-SEI-3, D-48
    s = Scene(
        "a.F1: Palace (Prince) {Land}\na.F2: Castle (Vassal) {Land}\na.reserve: 2 K\n"
        "b.F1: Palace (-) {}\nb.F2: Castle (Champion) {Land, Land/a, Church}\nc.F1: Palace (-) {}"
    )
    s.play("a: attack target=siege:b:F2 lords=[lord:F1,lord:F2] reserve=[Knight*2]", "b: stand_down")
    sentence = "You don’t seize that Castle, so nothing can go there; choose a Fief you hold."
    assert s.refused("a: take seize=[Land/b] attach={Land/b>new:Castle/b}") == sentence
    assert s.refused("a: take seize=[Castle/b,Land/b] attach={Land/b>new:Castle/b}") == ""


def test_why_a_second_cathedral_cannot_be_placed() -> None:  # OR-PROP-5
    s = Scene(
        "a.F1: Palace (-) {}\na.hand: Cathedral, Land\nb.F1: Palace (-) {}\nb.F2: Castle (-) {Cathedral}\nc.F1: Palace (-) {}"
    )
    assert s.refused("a: place card=Cathedral/a fief=F1").startswith("B has the Cathedral, and there is only one;")


def test_why_nobody_bequeaths_without_a_prince() -> None:  # OR-BEQ-1
    s = Scene("a.F1: Palace (-) {}\na.hand: Banner\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}")
    assert "Prince" in s.refused("a: bequeath") and "Cathedral" not in s.refused("a: bequeath")


def test_what_a_turn_can_do_at_another_time_keeps_its_place_and_says_why() -> None:  # OR-TURN-3, OR-DEC-1
    plain = "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\na.hand: Champion\n"
    s = Scene(plain)
    names = {"a": "Alys", "b": "Baldwin"}
    ask = s.ask("a")
    form = describe(GAME, ask, names, 1)
    form = msgspec.structs.replace(form, shut=hindered(GAME, ask, procedure.shut(s.state, "a", ask), names))
    verbs = {verb.id: verb for verb in form.verbs()}
    placed = [id for id in verbs if id in ("tower", "castle", "place", "install", "attack", "end")]
    assert placed == ["tower", "castle", "place", "install", "attack", "end"], "in the rule book's order, open or not"
    castle, install = verbs["castle"], verbs["install"]
    assert isinstance(castle, FormShut) and castle.why == "Founding a Fief needs a Castle or a Palace in your Hand."
    assert (castle.label, castle.short) == ("Found a Fief", "New Fief") and not isinstance(install, FormShut)
    s.play("a: install card=Champion/a fief=F1")
    again = {one.id: str(one.why) for one in procedure.shut(s.state, "a", s.ask("a"))}
    assert (
        again["castle"]
        == again["attack"]
        == "You have used this Turn's Action; you can still place Towers, garrison, or end your Turn."
    )
    assert "end" not in again
