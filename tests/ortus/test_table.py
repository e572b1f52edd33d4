"""Cards, zones, what is seen, where cards go, setup, Turns, placing (rules 2 to 8) beyond the worked examples."""

from __future__ import annotations

import pytest

from engine.core import procedure
from engine.core.asks import Answer, Ask, Assign
from engine.core.chance import Chance
from engine.ortus import ORTUS
from engine.ortus.face.view import view
from engine.ortus.rules.pieces import DECK, LORE
from engine.ortus.rules.setup import fresh_table
from engine.ortus.rules.turn import WAYS
from tests.ortus.scene import Scene

THREE = """
a.F1: Palace (-) {}
b.F1: Palace (-) {}
c.F1: Palace (-) {}
"""


def fresh(seats: str, secret: str = "setup") -> Scene:
    """A game whose decks are all in."""
    scene = Scene.__new__(Scene)
    scene.state = ORTUS.rules.setup(list(seats), {}, Chance(secret))
    scene.log = procedure.begin(scene.state)
    while scene.step == "deck":
        scene.default()
    return scene


def only_public(view_of: dict[str, object]) -> dict[str, object]:
    return {k: v for k, v in view_of.items() if k not in ("own", "seat")}


# --- components and zones ---------------------------------------------------------------------------------------------


def test_the_pieces_beside_the_decks() -> None:
    # OR-COMP-8, OR-AMB-11: one King Card, eight black markers, one white; cubes have no cap.
    s = Scene(THREE + "a: in cubes=20 turns=2 founded=1 hired=0\na.hand: Monk")
    assert LORE["black_markers"] == 8 and s.table.king == "" and s.table.white is False
    s.play("a: emissary card=Monk/a")
    assert s.earl("a").cubes == 22


def test_setup_gives_everybody_the_same_start() -> None:
    # OR-SET-1, OR-SET-3, OR-SET-6, OR-SET-7, OR-SET-9, OR-AMB-27, OR-ZONE-1, OR-ZONE-2
    starts = set()
    for i in range(40):
        s = fresh("abcd", f"start {i}")
        starts.add(s.table.start)
        assert s.asked == [s.table.start] and s.table.active == s.table.start
        assert (s.table.black, s.table.white, s.table.arrived, s.table.force) == (0, False, False, []), "markers start back"
        for earl in s.table.earls.values():
            assert (len(earl.hand), len(earl.deck), earl.cubes, len(earl.fiefs)) == (5, DECK - 5, 1, 1)
        assert (len(s.table.battle.deck), len(s.table.vikings.deck), len(s.table.joust)) == (24, 24, 24)
    assert starts == set("abcd")
    orders = {tuple(fresh("ab", f"deck {i}").earl("a").deck) for i in range(10)}
    assert len(orders) == 10, "an Earl Deck is shuffled anew in every game"


def test_there_is_no_limit_but_one_lord_an_anchor() -> None:
    # OR-ZONE-3: whatever there are six or more of takes one more; a second Lord bumps the first, a second Prince is refused.
    board = THREE.replace("a.F1: Palace (-) {}", "a.F1: Palace (Vassal) {6 Land/b, 6 Church/b}\na.F2: Castle (Prince) {}")
    board += "".join(f"a.F{n}: Castle/c (Vassal/c) {{}}\n" for n in range(3, 8)) + "".join(
        f"a.M{n}: Mercenary/b (-)\n" for n in range(1, 7)
    )
    many = board + "a.hand: 2 Vassal, Castle, Land, Mercenary, Prince, 4 Monk\na.towers: 3 Land, 6 Monk/c\na.reserve: 20 I"
    s = Scene(many).play("a: tower cards=[Monk/a*4]", "a: place card=Land/a fief=F1")
    assert len(s.earl("a").towers) == 13 and s.earl("a").holds("Land") == 7 and len(s.earl("a").reserve) == 21
    assert len(Scene(many).play("a: mercenary").earl("a").mercenaries) == 7
    s = Scene(many).play("a: castle card=Castle/a")
    assert s.fiefs("a")[-1] == "8: Castle/a (-) {}" and len(s.earl("a").hand) == 9
    s = Scene(many).play("a: install card=Vassal/a fief=F1")
    assert s.fiefs("a")[0].startswith("1: Palace/a (Vassal/a) ") and s.pile("a") == ["Vassal/a"], "one Lord an Anchor"
    assert Scene(many).refused("a: install card=Prince/a fief=F1") and not Scene(many).refused(
        "a: install card=Prince/a fief=F2"
    )


def test_sizes_and_piles_are_public_and_faces_are_not() -> None:
    # OR-INFO-1, OR-INFO-9, OR-AMB-5, OR-AMB-6
    s = Scene(THREE + "a.hand: Prince, Monk\na.reserve: K, I\na.towers: Champion\na.deck: 4 Land\na.discard: Banner, Vassal/b")
    seen = view(s.state, "b")
    ann = seen["earls"][0]
    assert (ann["hand"], ann["reserve"], ann["towers"], ann["deck"]) == (2, 2, 1, 4)
    assert ann["discard"] == ["Banner/a", "Vassal/b"]
    for secret in ("Prince", "Monk", "Champion", "Knight"):
        assert secret not in str(ann)
    assert view(s.state, "a")["own"]["towers"] == ["Champion/a"]
    assert only_public(view(s.state, "a")) == only_public(seen)


def test_survivors_return_face_down() -> None:
    # OR-INFO-4, OR-FLD-6: what was seen stays in the log; the live view shows a number again; all can serve again.
    s = Scene(THREE.replace("a.F1: Palace (-) {}", "a.F1: Palace (Vassal) {Land}") + "a.reserve: K\nb.towers: 2 Land")
    s.play("a: attack target=siege:b:F1 lords=[lord:F1] reserve=[Knight]")
    assert s.told("attack")[0]["cards"] == ["Vassal/a", "Knight"]
    assert view(s.state, "b")["earls"][0]["reserve"] == 1 and "Knight" not in str(view(s.state, "b")["earls"][0])
    assert s.fiefs("a") == ["1: Palace/a (Vassal/a) {Land/a}"] and s.earl("a").reserve == ["Knight"]


def test_handles_tell_nothing() -> None:
    # OR-INFO-7: hidden cards have no handle at all but their number; Towers are named by their place.
    s = Scene(THREE + "b.towers: Prince, Monk\nb.hand: Champion\na.hand: Vassal, Treachery")
    assert s.ids("attack", "target") >= {"tower:b"} and s.ids("treachery", "aim") == {"hand:b"}
    other = ORTUS.rules.redeal(s.state, "a", Chance("another deal"))
    assert view(other, "a") == view(s.state, "a")
    assert procedure.ask_of(other, "a").option("treachery").fields == s.ask("a").option("treachery").fields


# --- where cards go ---------------------------------------------------------------------------------------------------


def test_cards_go_home_to_the_pile_of_their_colour() -> None:
    # OR-AMB-1, OR-AMB-2, OR-DEST-5: a Fief lost to Treachery goes to the piles, a moved Holding keeps its owner.
    s = Scene(
        "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nb.F2: Castle/c (Vassal) {Land/a}\nc.F1: Palace (-) {}\na.hand: Treachery"
    )
    s.play("a: treachery aim=lord:b:F2")
    assert s.pile("c") == ["Castle/c"] and s.pile("b") == ["Vassal/b"] and s.pile("a") == ["Land/a", "Treachery/a"]


def test_a_palace_comes_back_like_a_castle() -> None:
    # OR-DEST-4, OR-AMB-4, OR-PROP-1: from the Hand it founds a Fief that still takes three points.
    s = Scene(
        THREE.replace("a.F1: Palace", "a.F1: Castle")
        + "a.hand: Palace\nb.F2: Castle (-) {}\na.deck: Land\nb.deck: Land\nb.hand: Champion"
    )
    s.play("a: castle card=Palace/a")
    assert s.fiefs("a")[1] == "2: Palace/a (-) {}"
    s.play("a: end", "b: attack target=siege:a:F2 hand=[Champion/b]")
    assert len(s.fiefs("a")) == 2, "two points do not take a Palace"


def test_won_cards_go_to_the_table_never_to_a_hand() -> None:
    # OR-DEST-8, OR-AMB-14: an own card that is won back is attached.
    s = Scene(
        "a.F1: Palace (-) {}\na.F2: Castle (-) {}\nb.F1: Palace (-) {Church/a, Land}\nc.F1: Palace (-) {}\na.hand: Intrigue"
    )
    s.play("a: intrigue aim=properties:b:F1", "a: attach attach={Church/a>F2,Land/b>F1}")
    assert s.fiefs("a") == ["1: Palace/a (-) {Land/b}", "2: Castle/a (-) {Church/a}"] and s.earl("a").hand == []


# --- Actions ----------------------------------------------------------------------------------------------------------


def test_the_actions_are_those_of_the_rules() -> None:
    # OR-ACT-1, OR-ACT-4, OR-CARD-3: nothing else can be done with a card; there is no trading and no discarding.
    actions = {d.id for d in WAYS if d.action}
    assert actions == {
        *("castle", "place", "install", "mercenary", "recruit", "emissary", "monastery", "banquet"),
        *("bequeath", "display", "joust", "treachery", "intrigue", "attack"),
        *("monastery_church", "bequeath_church"),  # for a Duke alone (OR-ROLE-37)
    }
    free = {"enter", "leave"}  # for the Archbishop alone (OR-FREE-4)
    assert {d.id for d in WAYS if not d.action} == {"tower", "garrison", "end", "concede"} | free


def test_an_action_takes_its_card_from_the_hand() -> None:
    # OR-ACT-2: what lies in the deck, the pile or the Towers does not serve.
    s = Scene(THREE + "a.deck: Banquet\na.discard: Banquet\na.towers: Banquet")
    assert s.options("a") == {"end", "concede"}
    assert "card in your Hand" in s.refused("a: banquet")


def test_lords_and_fiefs_stand_by_themselves() -> None:
    # OR-LORD-4, OR-LORD-5: no deed moves a Lord; a captured Lord leaves his Fief standing, and so does a Prince who is slain.
    s = Scene(
        "a.F1: Palace (-) {}\na.F2: Castle (Vassal) {Land}\nb.F1: Palace (-) {}\nb.hand: Vassal\n"
        "c.F1: Palace (-) {}\nbattle: DW"
    )
    assert "emissary" not in s.options("a"), "a Lord is never an Emissary"
    s.play("a: attack target=siege:b:F1 lords=[lord:F2]", "b: field hand=[Vassal/b]", "a: none")
    assert s.fiefs("a")[1] == "2: Castle/a (-) {Land/a}" and s.pile("a") == ["Vassal/a"]
    for lord, left in (("Prince", ["1: Palace/b (-) {}", "2: Castle/b (-) {Land/b}"]), ("Vassal", ["1: Palace/b (-) {}"])):
        s = Scene(THREE + f"a.hand: Treachery\nb.F2: Castle ({lord}) {{Land}}").play("a: treachery aim=lord:b:F2")
        assert s.fiefs("b") == left


def test_a_mercenary_is_no_face_card() -> None:
    # OR-MERC-1
    s = Scene(THREE + "a.hand: Mercenary")
    assert "install" not in s.options("a") and "attack" not in s.options("a")
    s.play("a: mercenary")
    assert [(m.card, m.garrison) for m in s.earl("a").mercenaries] == [("Mercenary/a", None)]


@pytest.mark.parametrize("vikings", ["approaching black=8 white=0", "arrived black=8 white=0"])
def test_emissaries_go_before_and_after_the_landing(vikings: str) -> None:
    # OR-EMI-4, OR-AMB-87: with no marker left they add cubes only.
    s = Scene(THREE + f"a.hand: Vassal\nvikings: {vikings}")
    s.play("a: emissary card=Vassal/a")
    assert s.earl("a").cubes == 2 and s.table.black == 8


def test_a_market_town_that_comes_later_draws_nothing() -> None:
    # OR-AMB-13
    s = Scene(THREE.replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {2 Land}") + "a.hand: Market Town")
    s.play("a: place card=MarketTown/a fief=F1")
    assert s.earl("a").reserve == []


def test_a_recruit_for_nothing_is_refused_and_table_decks_turn_over_when_needed() -> None:
    # OR-AMB-7, OR-AMB-8
    s = Scene(THREE.replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {Land}") + "army:\narmy-discard: I")
    assert s.table.army.discard == ["Infantry"], "not before a card is needed"
    s.play("a: recruit")
    assert s.earl("a").reserve == ["Infantry"]
    s = Scene(THREE.replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {Land}") + "army:")
    assert "Army Card left" in s.refused("a: recruit")


def test_a_cathedral_is_no_church() -> None:
    # OR-AMB-32: not for the Bequest of another's victim, not for the count of Churches.
    s = Scene("a.F1: Palace (Prince) {}\nb.F1: Palace (-) {Cathedral}\nc.F1: Palace (-) {}\na.hand: Banner\na.deck: Land")
    assert "bequeath" not in s.options("a")
    assert s.earl("b").holds("Church") == 0


def test_a_gained_anchor_waits_a_turn_for_its_lord() -> None:
    # OR-AMB-40: the Action that gained it is spent.
    s = Scene(
        "a.F1: Palace (Vassal) {2 Land}\na.reserve: 2 K\na.hand: Champion\nb.F1: Palace (-) {}\n"
        "b.F2: Castle (-) {}\nc.F1: Palace (-) {}"
    )
    s.play("a: attack target=siege:b:F2 lords=[lord:F1] reserve=[Knight*2]", "a: take seize=[Castle/b]")
    assert s.fiefs("a")[1] == "2: Castle/b (-) {}" and "Action" in s.refused("a: install card=Champion/a fief=F2")


def test_a_forced_answer_is_still_asked_for() -> None:
    # OR-AMB-28: only the Hand says that there is nothing but to decline, so he is asked.
    s = Scene(THREE + "a.hand: Treachery\nb.hand: Land")
    s.play("a: treachery aim=hand:b")
    ask: Ask = s.ask("b")
    assert s.asked == ["b"] and [o.id for o in ask.options] == ["decline"] and ask.default == Answer("decline")


# --- Towers and stolen armies -----------------------------------------------------------------------------------------


def test_towers_are_never_taken() -> None:
    # OR-TOW-4, OR-SEI-6, OR-INT-7: no aim, no ante, no ransom and no seizure reaches a Tower.
    s = Scene(
        "a.F1: Palace (Vassal) {}\na.hand: Intrigue, Banner\nb.F1: Palace (-) {Land}\nb.towers: Monk\nb.reserve: I\n"
        "b.M1: Mercenary (Infantry)\nc.F1: Palace (-) {}"
    )
    assert s.ids("intrigue", "aim") == {"properties:b:F1", "armies:b", "mercenary:b:1"}
    s.play("a: attack target=tower:b lords=[lord:F1]", "b: stand_down")
    assert s.pile("b") == ["Monk/b"] and s.asked == ["a"] and s.step == "turn", "nothing to seize"
    rest = "b.F1: Palace (Champion) {Land}\nb.towers: 2 Monk\nc.F1: Palace (-) {}\n"
    s = Scene("a.F1: Palace (-) {}\na.hand: Banner\n" + rest).play("a: joust")
    assert s.ids("ante", "ante", "b") == {"F1", "F1.Land/b"} and s.ids("tilt", "tilter", "b") == {"lord:F1"}
    s = Scene("a.F1: Palace (-) {}\na.hand: Champion\n" + rest + "battle: AW")
    s.play("a: attack target=siege:b:F1 hand=[Champion/a]", "b: field lords=[lord:F1]")
    (payments,) = s.fields("pay", "b").values()
    assert isinstance(payments, Assign) and {c.id for c in payments.targets} == {"F1", "F1.Land/b"}, "no ransom"


def test_intrigue_on_armies_needs_a_reserve() -> None:
    # OR-INT-2
    s = Scene(THREE + "a.hand: Intrigue\nb.reserve: I")
    assert s.ids("intrigue", "aim") == {"armies:b"}


def test_a_table_keeps_the_rulings_that_it_is_begun_with() -> None:
    ruled = {"OR-AMB-5": "closed"}
    assert fresh_table("abc", Chance("x"), ruled).ruled("OR-AMB-5") == "closed"
    assert fresh_table("abc", Chance("x")).ruled("OR-AMB-5") != "closed"
