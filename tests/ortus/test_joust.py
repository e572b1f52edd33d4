"""Jousts (rules 8.10): entries, hands, sudden death, prizes."""

from __future__ import annotations

from itertools import product

import pytest

from engine.core.asks import Answer
from engine.ortus.face.view import view
from engine.ortus.rules.joust import RANKS, rank
from tests.ortus.scene import Scene

BOARD = """
a.F1: Palace (-) {Land, Church}
a.F2: Castle (Champion) {}
b.F1: Palace (Vassal) {Land}
c.F1: Palace (-) {}
a.hand: 2 Banner, Vassal
b.hand: Banner, Champion
c.hand: Monk
a.deck: 3 Land, 2 MarketTown
b.deck: 3 Land, 2 MarketTown
c.deck: 3 Land, 2 MarketTown
"""
JP, JV, NO = "JoustPrince", "JoustVassal", "NoLuck"


def joust(text: str = "") -> Scene:
    """The board with some lines replaced, and a Joust begun by a."""
    lines = dict(line.partition(":")[::2] for line in (BOARD.strip() + "\n" + text.strip()).strip().splitlines())
    return Scene("\n".join(f"{k}:{v}" for k, v in lines.items())).play("a: joust")


# --- entries ----------------------------------------------------------------------------------------------------------


def test_entries_go_clockwise_from_the_left_and_the_starter_is_last() -> None:
    # OR-JOU-1, OR-AMB-99, D-60: sequential; earlier antes, opt-outs, Lords and the fact of a Hand card are seen.
    s = joust()
    assert s.asked == ["b"] and s.told("joust") == [{"seat": "a"}]
    s.play("b: tilt ante=F1.Land/b tilter=hand:Champion/b")
    entry = view(s.state, "c")["doing"][-1]["entries"]["b"]
    staked = {"ante": "F1.Land/b", "fief": 1, "property": "Land/b"}
    assert entry == {**staked, "lord": None, "hand": True, "card": None}
    assert "Champion" not in str(s.told("anted")) and s.told("anted")[0]["tilts"] == "hand"
    assert (s.told("anted")[0]["card"], s.told("anted")[0]["fief"]) == ("Land/b", 1)
    assert s.asked == ["c"]
    s.play("c: stand_aside")
    assert s.asked == ["a"]
    s = joust().play("b: tilt ante=F1 tilter=lord:F1")
    assert s.told("anted")[0]["card"] == "Palace/b"
    assert s.told("anted")[0]["lord"] == "Vassal/b" and view(s.state, None)["doing"][-1]["entries"]["b"]["lord"] == 1
    s = joust().play("b: opt_out")
    assert s.told("opted_out") == [{"seat": "b"}]


def test_the_four_ways_to_enter() -> None:
    # OR-JOU-2: opting out takes a Banner; standing aside is for the exempt.
    s = joust()
    assert s.options("b") == {"opt_out", "ante", "tilt"}
    assert s.ids("ante", "ante") == {"F1", "F1.Land/b"}
    s.play("b: ante ante=F1.Land/b")
    assert s.options("c") == {"stand_aside", "ante", "tilt"}
    s = joust("b.hand: Land")
    assert s.options("b") == {"ante", "tilt"}


@pytest.mark.parametrize(
    ("fiefs", "exempt"),
    # OR-JOU-3, OR-AMB-90: exactly one Anchor and no Property.
    [("b.F1: Palace (-) {}", True), ("b.F1: Castle (Vassal) {}", True), ("b.F1: Palace (-) {Land}", False)],
)
def test_who_is_exempt(fiefs: str, exempt: bool) -> None:
    assert ("stand_aside" in joust(fiefs).options("b")) == exempt
    assert "stand_aside" not in joust(fiefs + "\nb.F2: Castle (-) {}").options("b")


def test_an_earl_with_properties_may_ante_his_anchor() -> None:
    # OR-AMB-90, OR-JOU-3: he must ante, and may choose the Anchor.
    s = joust()
    assert s.refused("b: ante ante=F1") == ""
    assert s.ask("b").default == Answer("ante", {"ante": "F1.Land/b"})


def test_one_tilter_a_lord_or_any_hand_card_and_never_without_an_ante() -> None:
    # OR-JOU-4, OR-AMB-91; a Prince beside a Prince Lord, a Banner, anything may tilt (OR-CARD-2, OR-AMB-35).
    s = joust("b.F1: Palace (Prince) {Land}\nb.hand: Prince, Banner, Land")
    assert s.ids("tilt", "tilter") == {"lord:F1", "hand:Prince/b", "hand:Banner/b", "hand:Land/b"}
    assert "needs a choice" in s.refused("b: tilt tilter=lord:F1")
    assert "one choice" in s.refused("b: tilt ante=F1 tilter=[lord:F1,hand:Land/b]")


def test_a_fief_without_a_lord_offers_no_tilter() -> None:
    # OR-JOU-4: Lords, each by his home, and Hand cards; of two Fiefs the one that has a Lord.
    s = joust("b.hand: 2 Land").play("b: ante ante=F1", "c: stand_aside")
    assert s.ids("tilt", "tilter", "a") == {"lord:F2", "hand:Banner/a", "hand:Vassal/a"}
    assert s.ids("ante", "ante", "a") == {"F1", "F1.Land/a", "F1.Church/a", "F2"} == s.ids("tilt", "ante", "a")
    s = joust("b.F1: Palace (-) {Land}\nb.hand:")
    assert s.options("b") == {"ante"}, "neither a Lord nor a card"
    s = joust("b.F1: Palace (-) {Land}\nb.F2: Castle (Monk) {}\nb.hand:")
    assert s.ids("tilt", "tilter", "b") == {"lord:F2"}


def test_the_starter_may_opt_out_or_stand_aside_and_so_may_any_exempt_earl() -> None:
    # OR-JOU-5, OR-AMB-98, OR-AMB-100
    s = joust("c.hand: Banner").play("b: ante ante=F1.Land/b")
    assert "opt_out" in s.options("c"), "an exempt Earl may spend a Banner too"
    s.play("c: stand_aside")
    assert "opt_out" in s.options("a") and "stand_aside" not in s.options("a")
    lone = Scene("a.F1: Palace (-) {}\nb.F1: Palace (-) {Land}\na.hand: Banner\na.deck: Land\nb.deck: Land", "a b")
    lone.play("a: joust", "b: ante ante=F1")
    assert lone.options("a") == {"stand_aside", "ante"}


def test_an_anted_holding_stays_in_force_until_it_is_lost() -> None:
    # OR-JOU-6
    s = joust().play("b: ante ante=F1")
    assert s.fiefs("b") == ["1: Palace/b (Vassal/b) {Land/b}"]


# --- cancelled --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entries",
    [
        ("b: ante ante=F1", "c: ante ante=F1", "a: ante ante=F2"),  # nobody tilts
        ("b: opt_out", "c: stand_aside", "a: tilt ante=F2 tilter=hand:Vassal/a"),  # one ante
        ("b: opt_out", "c: stand_aside", "a: opt_out"),  # none
    ],
)
def test_a_joust_without_tilters_or_with_one_ante_is_cancelled(entries: tuple[str, ...]) -> None:
    # OR-JOU-7, OR-AMB-92, OR-AMB-97: Hand cards go back unseen, Banners are discarded, the Action is spent.
    s = joust()
    before = [s.fiefs(x) for x in "abc"]
    s.play(*entries)
    assert s.told("joust_cancelled") and not s.told("tilters") and not s.told("joust_hands")
    assert [s.fiefs(x) for x in "abc"] == before
    banners = 1 + sum("opt_out" in line for line in entries)
    assert sum(c.startswith("Banner") for x in "abc" for c in s.pile(x)) == banners
    assert "Vassal/a" in s.earl("a").hand and s.step == "turn" and s.table.action_used


# --- the tilt ---------------------------------------------------------------------------------------------------------


def test_tilt_cards_are_shown_when_the_joust_begins_and_two_cards_are_dealt_to_each() -> None:
    # OR-JOU-8, OR-INFO-2: one each clockwise from the starter's left, then a second in the same order.
    s = joust().play("b: tilt ante=F1.Land/b tilter=hand:Champion/b", "c: tilt ante=F1 tilter=hand:Monk/c")
    s.play("a: tilt ante=F1.Land/a tilter=lord:F2")
    assert s.told("tilters") == [{"seats": ["b", "c", "a"], "cards": ["Champion/b", "Monk/c", "Champion/a"]}]
    (dealt,) = s.told("joust_hands")
    assert [len(hand) for hand in dealt["hands"].values()] == [2, 2, 2]
    from engine.core.chance import Chance
    from engine.ortus.rules.pieces import full_joust_deck

    deck = sorted(full_joust_deck())
    Chance("").shuffle(deck, "joust-deck")  # OR-RNG-4: all 24, anew
    top = deck[::-1]
    assert dealt["hands"] == {"b": [top[0], top[3]], "c": [top[1], top[4]], "a": [top[2], top[5]]}


def test_a_lone_tilter_wins_without_a_deal() -> None:
    # OR-JOU-8, OR-AMB-93
    s = joust().play("b: tilt ante=F1.Land/b tilter=lord:F1", "c: stand_aside", "a: ante ante=F1.Land/a")
    assert s.told("joust_won") == [{"seat": "b"}] and not s.told("joust_hands")
    assert s.fiefs("b") == ["1: Palace/b (Vassal/b) {Land/b, Land/a}"]


def test_the_order_of_joust_hands() -> None:
    # OR-JOU-9
    order = ["PPP", "VVV", "PPV", "PP-", "VVP", "VV-", "PV-", "P--", "V--", "---"]
    ranks = [RANKS[hand.count("P"), hand.count("V")] for hand in order]
    assert ranks == sorted(ranks, reverse=True) and len(set(ranks)) == 10


def test_a_champion_counts_as_the_better_of_the_two() -> None:
    # OR-JOU-9, OR-AMB-96: everything else counts as nothing.
    for dealt in product((JP, JV, NO), repeat=2):
        cards = list(dealt)
        assert rank("Champion", cards) == max(rank("Prince", cards), rank("Vassal", cards))
        assert rank("Monk", cards) == rank("Church", cards) == rank("Banner", cards)
        assert rank("Monk", cards) <= rank("Vassal", cards)
    assert rank("Champion", [JV, NO]) == RANKS[0, 2], "VV-, not PV-"
    assert rank("Champion", [JP, JV]) == RANKS[2, 1], "PPV, not VVP"
    assert rank("Champion", [NO, NO]) == RANKS[1, 0]
    assert rank("Champion", [JP, JP]) == RANKS[3, 0] and rank("Champion", [JV, JV]) == RANKS[0, 3]


def sudden(tied: str, deck: list[str]) -> Scene:
    """A Joust in which those seats are tied, with these cards on top of the Joust Deck."""
    from engine.core import procedure
    from engine.ortus.rules.joust import Entry, Joust

    s = Scene(BOARD)
    ante = {"a": "F2", "b": "F1.Land/b", "c": "F1"}
    entries = {x: Entry(ante=ante[x], card="") for x in "bca"}
    s.state.stack[-1].step = "after"
    s.state.stack.append(Joust(step="sudden_death", starter="a", entries=entries, begun=True, tied=list(tied)))
    s.table.joust = deck[::-1]
    s.log += procedure.begin(s.state)
    return s


def test_sudden_death_goes_on_among_those_still_tied() -> None:
    # OR-JOU-10, OR-AMB-95: Prince beats Vassal beats No Luck; the others drop out, until one is left.
    s = sudden("bca", [JP, JV, JP, NO, NO, NO, JV])
    assert [f["cards"] for f in s.told("sudden_death")] == [
        {"b": JP, "c": JV, "a": JP},
        {"b": NO, "a": NO},
        {"b": NO, "a": JV},
    ]
    assert s.told("joust_won") == [{"seat": "a"}]


def test_the_joust_deck_is_shuffled_whole_when_it_is_too_small() -> None:
    # OR-JOU-11: two cards are left for three Earls, so all 24 are shuffled.
    s = sudden("bca", [JP, JV])
    dealt = sum(len(f["cards"]) for f in s.told("sudden_death"))
    assert len(s.table.joust) == 24 - dealt and s.told("joust_won")


# --- the end ----------------------------------------------------------------------------------------------------------


def test_losing_lords_and_all_hand_tilters_are_discarded() -> None:
    # OR-JOU-12: the winner's Hand card too; a winning Lord stays; all Banners go.
    s = joust("joust: NoLuck").play("b: tilt ante=F1.Land/b tilter=lord:F1", "c: tilt ante=F1 tilter=hand:Monk/c")
    s.play("a: tilt ante=F1.Land/a tilter=lord:F2")
    if s.step == "attach":
        s.default()
    (won,) = s.told("joust_won")
    lords = {"a": "2: Castle/a (Champion/a)", "b": "1: Palace/b (Vassal/b)"}
    for seat, text in lords.items():
        if s.earl(seat).alive:
            assert any(f.startswith(text) for f in s.fiefs(seat)) == (won["seat"] == seat)
    assert "Monk/c" in s.pile("c") or not s.earl("c").alive
    assert "Banner/a" in s.pile("a")


def test_the_winner_keeps_his_ante_and_gets_the_others() -> None:
    # OR-JOU-13, OR-AMB-94, OR-DEST-6: an Anchor comes alone as a new Fief, each Property goes where he chooses (D-61).
    s = joust("c.F1: Palace (Monk) {Church/a}\nc.F2: Castle (-) {}")
    s.play("b: tilt ante=F1 tilter=lord:F1", "c: ante ante=F1", "a: ante ante=F1.Land/a")
    ask = s.ask("b")
    field = ask.options[0].fields[0]
    assert [c.id for c in field.items] == ["Land/a"] and [c.id for c in field.targets] == ["F1", "F2"]  # type: ignore[union-attr]  # it pairs
    s.play("b: attach attach={Land/a>F2}")
    assert s.fiefs("b") == ["1: Palace/b (Vassal/b) {Land/b}", "2: Palace/c (-) {Land/a}"]
    assert s.pile("c") == ["Monk/c"] and "Church/a" in s.pile("a")
    assert s.earl("b").reserve == [], "Lands won draw no Army Cards (OR-PROP-3)"


def test_the_prize_is_not_asked_about_with_one_fief() -> None:
    # OR-DEC-5, D-61
    s = joust().play("b: tilt ante=F1.Land/b tilter=lord:F1", "c: stand_aside", "a: ante ante=F1.Church/a")
    assert s.step == "turn" and s.fiefs("b") == ["1: Palace/b (Vassal/b) {Land/b, Church/a}"]


def test_who_has_lost_his_last_anchor_is_removed_in_order() -> None:
    # OR-JOU-14: in seat order from the starter's left; a removed starter's Turn ends at once (OR-TURN-5).
    s = Scene(
        "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (Champion) {}\nd.F1: Palace (-) {}\n"
        "a.hand: Banner\na.deck: 3 Land\nb.deck: Land\nc.deck: Land\nd.deck: Land",
        "a b c d",
    )
    s.play("a: joust", "b: ante ante=F1", "c: tilt ante=F1 tilter=lord:F1", "d: stand_aside", "a: ante ante=F1")
    assert [f["seat"] for f in s.told("removed")] == ["b", "a"]
    assert s.fiefs("c") == ["1: Palace/c (Champion/c) {}", "2: Palace/b (-) {}", "3: Palace/a (-) {}"]
    assert s.asked == ["c"] and s.table.active == "c" and not [f for f in s.told("card_drawn") if f["seat"] == "a"]


def test_a_joust_is_no_combat_and_no_politics() -> None:
    # OR-JOU-15, OR-AMB-80: the white marker does not move, nobody may answer with Allies, and it is open on a first Turn.
    s = joust("b.hand: Allies, Champion").play("b: ante ante=F1", "c: stand_aside", "a: ante ante=F2")
    assert not s.table.white and not s.told("attack")
    first = Scene(BOARD + "round: 1\na: in cubes=1 turns=1")
    assert first.refused("a: joust") == "" and first.refused("a: attack target=siege:b:F1 lords=[lord:F2]")  # OR-AMB-25


def test_a_joust_among_those_who_are_left() -> None:
    # OR-ELIM-2, OR-JOU-1, OR-JOU-9: who is out neither enters nor is looked for when the prizes are handed over.
    lines = (
        "a.F1: Palace (-) {Land}\na.F2: Castle (Champion) {}\nb.F1: Palace (Vassal) {Land}\na.deck: 5 Land\nb.deck: 5 Land\n"
    )
    s = Scene(
        lines + f"a.hand: Banner, Vassal\nb.hand: Banner, Champion\nc: out cubes=0\njoust: {JP}, {JP}, {JV}, {JV}, 2 {NO}"
    )
    s.play("a: joust", "b: tilt ante=F1.Land/b tilter=lord:F1", "a: tilt ante=F1.Land/a tilter=lord:F2")
    while not s.told("joust_won"):
        s.default()
    assert [prize["loser"] for prize in s.told("prize")] in (["a"], ["b"])
