"""What the steady bot makes of a position: each plan of it where it is plainly right, and left alone where it is not."""

from __future__ import annotations

import pytest

from engine.core.asks import Answer, write
from engine.core.chance import Chance
from engine.games import game_called
from tests.ortus.scene import Scene

ORTUS = game_called("ortus")
GUARDED = "c.M1: Mercenary (Knight)\nc.M2: Mercenary (Knight)\nc.M3: Mercenary (Knight)\n"
"""Nobody strikes here."""
BARE = "a.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}\n"


def thinks(text: str, seat: str = "a", *moves: str) -> Answer:
    """What it answers for the seat in a position, after moves."""
    s = Scene(text)
    s.play(*moves)
    answer = ORTUS.bots.players["steady"](ORTUS.rules.redeal(s.state, seat, Chance("mind")), seat, Chance("mind"))
    s.play(f"{seat}: {write(answer)}")
    return answer


def test_it_strikes_where_nothing_can_stop_it() -> None:
    text = BARE.replace("a.F1: Palace (-)", "a.F1: Palace (Prince)") + "a.M1: Mercenary (Knight)\nb.deck: Land/b"
    answer = thinks(text + "\nactive: a\na.deck: Land")
    assert (answer.option, answer.pick("target")[:6]) == ("attack", "siege:")


def test_it_lets_be_what_it_can_not_take() -> None:
    text = BARE.replace("a.F1: Palace (-)", "a.F1: Palace (Prince)") + "b.M1: Mercenary (Infantry)\nc.M1: Mercenary (Infantry)"
    assert thinks(text + "\nactive: a\na.deck: Land, Land").option == "end"


def test_it_spends_champions_of_its_hand_only_where_they_turn_the_odds() -> None:
    text = BARE + "a.M1: Mercenary (-)\nb.towers: Land\n" + GUARDED + "a.deck: Land, Land\nactive: a\n"
    answer = thinks(text + "a.hand: Champion, Champion, Champion")
    assert answer.pick("target") == "siege:b:F1" and answer.some("hand") == ["Champion/a"]


def test_of_two_alike_it_strikes_the_stronger() -> None:
    castles = "a.F1: Palace (Champion) {}\na.M1: Mercenary (Knight)\n"
    castles += "b.F1: Castle (-) {}\nb.F2: Castle (-) {}\nc.F1: Castle (-) {}\nc.F2: Castle (-) {}\n"
    more = "c.M1: Mercenary (-)\nc.F3: Castle (-) {}"
    assert thinks(castles + more + "\nactive: a\na.deck: Land").pick("target").startswith("siege:c")
    other = more.replace("c.", "b.")
    assert thinks(castles + other + "\nactive: a\na.deck: Land").pick("target").startswith("siege:b")


def test_it_raids_for_a_land_that_it_lacks() -> None:
    text = "a.F1: Palace (Prince) {}\na.M1: Mercenary (-)\nb.F1: Palace (-) {Land}\nb.F2: Palace/c (-) {}\nb.towers: Church\n"
    answer = thinks(text + "c.F1: Castle (-) {}\nc.F2: Castle (-) {}\n" + GUARDED + "active: a\na.deck: Land, Land")
    assert answer.pick("target") == "raid:b:F1"


def test_it_kills_the_prince_of_who_lives_by_his_last_card() -> None:
    text = (
        BARE.replace("b.F1: Palace (-)", "b.F1: Palace (Prince)") + "a.hand: Treachery\na.deck: Land, Land, Land\nactive: a\n"
    )
    answer = thinks(text + "b.deck: Land\nb.towers: Land\nc.deck: Land, Land, Land")
    assert write(answer) == "treachery aim=lord:b:F1"


def test_it_never_installs_a_lord_whose_murder_would_end_it() -> None:
    assert (
        thinks(BARE + "a.hand: Champion\nb.towers: Land*4\nc.towers: Land*4\na.deck: Land*3,MarketTown*6\nactive: a").option
        != "install"
    )


@pytest.mark.parametrize(("deck", "option"), [("Land", "bequeath"), ("MarketTown*6,Church*6,Intrigue*6", "castle")])
def test_it_bequeaths_when_the_deck_runs_out_and_not_before(deck: str, option: str) -> None:
    text = (
        BARE.replace("a.F1: Palace (-)", "a.F1: Palace (Prince)")
        + f"a.hand: Banner, Castle\na.deck: {deck}\na.discard: Land*3\n"
    )
    towers = "b.towers: Land*6\nc.towers: Land*6"
    assert thinks(text + towers + "\nactive: a").option == option


def test_it_brings_a_prince_in_time() -> None:
    text = BARE + "a.hand: Banner, Prince, Castle\na.deck: Land\nb.towers: Land*6\nc.towers: Land*6\nactive: a"
    assert write(thinks(text)) == "install card=Prince/a fief=F1"


def test_two_banners_to_spare_claim_the_crown() -> None:
    text = (
        BARE
        + "a.hand: Banner, Banner\na.deck: Land*6,MarketTown*6,Church*6\n"
        + "b.reserve: I\nc.reserve: I\nb.towers: Land*6\nc.towers: Land*6\nactive: a"
    )
    assert thinks(text).option == "display"


def test_a_champion_and_a_banner_to_spare_call_a_joust_where_others_have_something_to_lose() -> None:
    text = "a.F1: Palace (-) {Church}\nb.F1: Palace (-) {Cathedral}\nc.F1: Castle (-) {Land}\nc.F2: Castle (-) {Land}\n"
    text += "a.hand: Banner, Champion\na.deck: Land*6,MarketTown*6,Monk*6\n"
    assert thinks(text + "b.towers: Monk*6\nc.towers: Monk*6\nking: b\nactive: a").option == "joust"


def test_it_sends_the_vikings_against_a_rival() -> None:
    text = (
        BARE + "vikings: arrived black=8 white=0\nforce: VikingInfantry*6\nactive: a\na: in cubes=9 turns=3 founded=1 hired=0\n"
    )
    text += "a.deck: Land*3,MarketTown*6\nb.deck: Land*3,MarketTown*6\nc.deck: Land*3,MarketTown*6"
    s = Scene(text)
    for _ in range(9):
        if s.step == "vikings":
            break
        s.play(f"{s.asked[0]}: end")
    assert s.step == "vikings"
    answer = ORTUS.bots.players["steady"](ORTUS.rules.redeal(s.state, s.asked[0], Chance("v")), s.asked[0], Chance("v"))
    assert answer.option == "attack" and not answer.pick("target").startswith(f"siege:{s.asked[0]}")


def test_it_knows_no_more_than_its_seat() -> None:
    """What others hold and what comes next changes nothing, as long as it looks the same."""
    text = BARE + "a.M1: Mercenary (-)\na.hand: Champion, Land\na.deck: Land, Castle\nactive: a\n"
    plain = thinks(text + "b.hand: Land, Land\nc.hand: Church, Church\nb.deck: Land*3\nc.deck: Land*3")
    other = thinks(text + "b.hand: Champion, Allies\nc.hand: Vassal, Prince\nb.deck: Banner*3\nc.deck: Castle*3")
    assert write(plain) == write(other)
