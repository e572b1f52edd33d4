"""The house rulings of Ortus Regni: what a host may choose, each of its alternatives. The default stands without a word."""

from __future__ import annotations

import pytest

from engine.core import rulings
from engine.core.views import Event
from engine.games import GAMES
from engine.ortus.face.view import view
from engine.ortus.rules.reckoning import last_round, worth
from engine.tools import playout
from tests.ortus.scene import Scene

GAME = GAMES["ortus"]
HOUSE = [ruling.id for ruling in rulings.house(GAME.rules.rulings)]


def by(id: str, value: str, text: str, seats: str = "a b c") -> Scene:
    """A position that is played by one ruling."""
    return Scene(f"{text}\nrulings: {id}={value}" if value else text, seats)


def sides(id: str) -> list[str]:
    """The default unsaid, and what differs from it."""
    ruling = GAME.rules.rulings[id]
    return ["", *(v for v in ruling.alternatives if v != ruling.default)]


def test_there_is_enough_to_choose_and_a_mend_is_no_choice() -> None:
    assert len(HOUSE) >= 12 and "DEF-2" not in HOUSE and "OR-AMB-68" in HOUSE
    assert all(GAME.rules.rulings[id].default == GAME.rules.rulings[id].before for id in HOUSE)


# --- where cards go ---------------------------------------------------------------------------------------------------

SLAIN = """
a.F1: Palace (-) {}
a.hand: Treachery
b.F1: Palace (-) {}
b.F2: Castle/c (Champion) {Land, Church/a}
c.F1: Palace (-) {}
"""


def test_where_a_fief_goes_whose_lord_was_assassinated() -> None:
    # OR-AMB-2, OR-TRE-4
    for value in sides("OR-AMB-2"):
        s = by("OR-AMB-2", value, SLAIN).play("a: treachery aim=lord:b:F2").until("turn")
        assert [f.number for f in s.earl("b").fiefs] == [1]
        lost = ["Castle/c", "Champion/b", "Church/a", "Land/b"]
        if value == "gone":
            assert sorted(s.table.out) == lost and s.pile("b") == s.pile("c") == []
        else:
            assert s.table.out == [] and s.pile("b") == ["Champion/b", "Land/b"] and s.pile("c") == ["Castle/c"]
        assert s.told("assassinated")[0]["cards"] == ["Castle/c", "Land/b", "Church/a"]

    # The Lord who fell in the Struggle about himself is discarded as its loser; his Fief goes by the ruling (OR-STR-7).
    fought = (
        SLAIN.replace("a.hand: Treachery", "a.hand: Treachery, 2 Vassal").replace("(Champion)", "(Vassal)") + "b.hand: Allies"
    )
    s = by("OR-AMB-2", "gone", fought).play("a: treachery aim=lord:b:F2", "b: allies", "a: commit vassal=hand:Vassal/a")
    s.play("b: commit vassal=lord:F2", "a: commit vassal=hand:Vassal/a").until("turn")
    assert sorted(s.table.out) == ["Castle/c", "Church/a", "Land/b"] and s.pile("b") == ["Allies/b", "Vassal/b"]


FALLEN = """
a.F1: Palace (Prince) {2 Land}
a.reserve: K, K
b.F1: Palace (-) {}
b.F2: Castle (-) {}
c.F1: Palace (-) {}
"""


def test_where_a_destroyed_palace_goes() -> None:
    # OR-AMB-3, OR-DEST-4
    for value in sides("OR-AMB-3"):
        s = by("OR-AMB-3", value, FALLEN).play("a: attack target=siege:b:F1 reserve=[Knight,Knight]").until("turn")
        assert [f.number for f in s.earl("b").fiefs] == [2]
        assert ("Palace/b" in s.table.out, "Palace/b" in s.earl("b").discard) == (value == "gone", value != "gone")
        dealt = GAME.rules.redeal(s.state, "a", s.table.chance)
        hidden = [*dealt.table.earls["b"].hand, *dealt.table.earls["b"].deck]
        assert "Palace/b" not in hidden, "what went before everybody is not dealt anew"
        s = by("OR-AMB-3", value, FALLEN).play("a: attack target=siege:b:F2 reserve=[Knight,Knight]").until("turn")
        assert s.pile("b") == ["Castle/b"], "a Castle is no Palace"


# --- what is counted and looked up ------------------------------------------------------------------------------------

PILES = """
a.F1: Palace (Prince) {Land}
a.hand: Banner, Land
a.deck: 3 Land, 3 MarketTown
a.discard: 2 Monk
b.F1: Palace (-) {}
b.deck: 5 Land
b.discard: Church, Vassal
c.F1: Palace (-) {}
c.deck: 3 Monk
"""


def test_whether_decks_are_counted_and_discard_piles_searched() -> None:
    # OR-AMB-5
    s = by("OR-AMB-5", "", PILES)
    seen = view(s.state, "a")
    assert [e["deck"] for e in seen["earls"]] == [6, 5, 3] and seen["earls"][1]["discard"] == ["Church/b", "Vassal/b"]
    assert seen["army"] == {"deck": 36, "discard": {}} and "b.discard: Church, Vassal" in GAME.rules.notation.seen(s.state, "a")
    s = by("OR-AMB-5", "closed", PILES)
    seen = view(s.state, "a")
    assert [e["deck"] for e in seen["earls"]] == [6, None, 3], "anybody’s one's own, and the last few"
    assert [e["deck"] for e in view(s.state, None)["earls"]] == [None, None, 3]
    assert {e["discard"] for e in seen["earls"]} == {e["discarded"] for e in seen["earls"]} == {None}
    assert seen["army"] == seen["viking_deck"] == {"deck": None, "discard": None} and seen["battle"]["deck"] is None
    told = GAME.rules.notation.seen(s.state, "a")
    assert "a.deck: ?6" in told and "b.deck: ?5" not in told and "Church" not in told and "?36" not in told
    assert "b.discard: Church, Vassal" in GAME.rules.notation.whole(s.state)


def told_of(s: Scene, seat: str) -> list[Event]:
    return [e for e in s.log if e.seen_by(seat)]


def test_in_closed_piles_nobody_is_told_how_many_cards_are_left_to_another() -> None:
    # OR-AMB-5, OR-TURN-2, OR-BEQ-3
    for value in sides("OR-AMB-5"):
        s = by("OR-AMB-5", value, PILES).play("a: bequeath", "a: end")
        numbers = [e.facts for e in told_of(s, "b") if e.facts.get("seat") == "a" and {"left", "deck"} & e.facts.keys()]
        assert bool(numbers) == (value != "closed")
        assert s.told("card_drawn_own")[0]["left"] == 9, "he knows his own"
        assert s.told("card_drawn_own")[0]["seat"] == "a" and s.told("card_drawn_own")[0]["card"] in s.earl("a").hand
        assert bool(s.told("card_drawn_closed")) == (value == "closed")


def test_in_closed_piles_a_loyalty_card_tells_nobody_how_many_are_left() -> None:
    # OR-AMB-5, OR-ROLE-10
    court = "active: b\nking: a []\na.role: king\nb.role: earl loyal\nb.hand: Treachery\n" + PILES
    for value in sides("OR-AMB-5"):
        s = by("OR-AMB-5", value, court).play("b: treachery aim=hand:a")
        told = {seat: [e.facts.get("left") for e in told_of(s, seat) if e.kind.startswith("loyalty")] for seat in "abc"}
        assert told == {seat: [4 if value != "closed" else None] for seat in "abc"}
        assert [e.facts["card"] for e in told_of(s, "a") if e.kind.startswith("loyalty")] == s.earl("a").hand[-1:]


DRAWN = """
a.F1: Palace (Prince) {Land}
a.hand: Champion
b.F1: Palace (Champion) {Land}
battle: NB, AW
battle-discard: CD, DW
"""


def test_which_battle_cards_can_be_looked_up() -> None:
    # OR-AMB-6
    s = by("OR-AMB-6", "", DRAWN)
    assert view(s.state, "a")["battle"] == {"deck": 2, "discard": {"CD": 1, "DW": 1}, "saving": {"DW": 2, "CD": 2}}
    whole = DRAWN.replace("NB, AW", "CD, 15 NB, 3 AW, 2 DW, CD").replace(
        "b.F1: Palace (Champion) {Land}", "b.F1: Palace (Champion) {Church}"
    )
    s = by("OR-AMB-6", "", whole).play("a: attack target=siege:b:F1 lords=[lord:F1]", "b: field lords=[lord:F1]")
    shown = view(s.state, "a")["battle"]
    assert s.step == "church" and shown["saving"] == {"DW": 2, "CD": 1}, "the card of this Battle is no longer to come"
    s = by("OR-AMB-6", "last", DRAWN)
    assert view(s.state, "a")["battle"] == {"deck": None, "discard": {"DW": 1}, "saving": None}
    assert "CD" not in GAME.rules.notation.seen(s.state, "a")
    s.play("a: attack target=siege:b:F1 hand=[Champion/a]", "b: field lords=[lord:F1]").until("turn")
    assert view(s.state, "a")["battle"]["discard"] == {"NB": 1}


# --- the Vikings ------------------------------------------------------------------------------------------------------

LANDED = """
a.F1: Palace (-) {}
b.F1: Palace (-) {}
a: in cubes=1 turns=3
b: in cubes=1 turns=3
a.deck: 3 Land
b.deck: 3 Land
active: b
vikings: arrived black=8 white=0
force: 5 VikingInfantry
"""


def test_what_becomes_of_the_cube_that_was_drawn() -> None:
    # OR-AMB-10, OR-VIK-8
    for value in sides("OR-AMB-10"):
        s = by("OR-AMB-10", value, LANDED, "a b").play("b: end")
        first = s.asked[0]
        assert s.step == "vikings" and s.earl(first).cubes == (0 if value else 1)
        held = Scene(GAME.rules.notation.whole(s.state).split("\n", 2)[2], "a b")
        assert held.earl(first).cubes_out == bool(value), "a position says how many are out"
        s.play(f"{first}: hold", "a: end", "b: end")
        if value:
            assert s.asked != [first] and [s.earl(x).cubes for x in "ab"] == [0, 0], "the other cube comes for certain"
            assert s.play(f"{s.asked[0]}: hold", "a: end", "b: end").told("cubes_back") == [{}], "an empty Bag is filled"
        else:
            assert [s.earl(x).cubes for x in "ab"] == [1, 1] and not s.told("cubes_back")
        assert sum(s.earl(x).cubes + s.earl(x).cubes_out for x in "ab") == 2


def test_an_empty_bag_is_filled_though_the_last_in_it_is_out_of_the_game() -> None:
    # OR-AMB-10, OR-ELIM-2
    text = (
        LANDED.replace("active: b", "active: a").replace("b: in cubes=1", "b: in cubes=0 drawn=1")
        + "c.F1: Palace (-) {}\nc.deck: 3 Land\nc: in cubes=0 turns=3\n"
    )
    s = by("OR-AMB-10", "spent", text).play("a: concede sure=yes", "b: end", "c: end")
    assert s.asked == ["b"] and s.step == "vikings" and s.earl("b").cubes_out == 1


def test_cubes_of_an_earl_who_is_out_never_come_back() -> None:
    # OR-AMB-10, OR-ELIM-2: those that were drawn leave the game with the others.
    text = LANDED.replace("active: b", "active: a").replace("a: in cubes=1", "a: in cubes=0 drawn=1")
    text = (
        text.replace("b: in cubes=1", "b: in cubes=0 drawn=1")
        + "c.F1: Palace (-) {}\nc.deck: 3 Land\nc: in cubes=0 drawn=2 turns=3\n"
    )
    s = by("OR-AMB-10", "spent", text).play("a: concede sure=yes", "b: end", "c: end")
    assert s.told("cubes_back") == [{}] and (s.earl("a").cubes, s.earl("a").cubes_out) == (0, 0)
    assert sum(s.earl(x).cubes + s.earl(x).cubes_out for x in "bc") == 3


UNMET = """
a.F1: Palace (Prince) {Land}
a.reserve: K
b.F1: Palace (-) {}
b.hand: Monk, Land
c.F1: Palace (-) {}
"""


def test_what_holds_the_vikings_back() -> None:
    # OR-AMB-80, OR-ATT-8
    for value in sides("OR-AMB-80"):
        s = by("OR-AMB-80", value, UNMET).play("a: attack target=siege:b:F1 reserve=[Knight]", "b: stand_down").until("turn")
        assert s.table.white == (value != "fought"), "an attack that nobody meets"
        s = by("OR-AMB-80", value, UNMET).play("a: attack target=siege:b:F1 reserve=[Knight]", "b: field hand=[Monk/b]")
        assert s.table.white, "a Battle is Combat by either"


# --- Turns ------------------------------------------------------------------------------------------------------------


def test_what_an_earl_may_not_do_on_his_first_turn() -> None:
    # OR-AMB-25, OR-SET-10
    first = (
        "a: in cubes=1 turns=1\na.F1: Palace (Prince) {Land}\na.hand: Banner, Treachery\nb.F1: Palace (-) {Land}\nb.hand: Land"
    )
    for value in sides("OR-AMB-25"):
        s = by("OR-AMB-25", value, first)
        assert "attack" not in s.options() and "treachery" in s.options()
        assert ("joust" in s.options()) == (value != "jousts")
        if value:
            assert "first Turn" in s.refused("a: joust")
        later = by("OR-AMB-25", value, first.replace("turns=1", "turns=2"))
        assert {"attack", "joust"} <= later.options()


def test_whether_the_cathedrals_holder_needs_a_church_to_bequeath() -> None:
    # OR-AMB-31, OR-BEQ-2
    holder = "a.F1: Palace (Prince) {Cathedral}\na.hand: Banner\nb.F1: Palace (-) {}"
    for value in sides("OR-AMB-31"):
        assert ("bequeath" in by("OR-AMB-31", value, holder).options()) == (value != "bound")
        with_church = by("OR-AMB-31", value, holder.replace("{Cathedral}", "{Cathedral, Church}"))
        assert "bequeath" in with_church.options()
    assert "bequeath" in by("OR-AMB-31", "bound", holder.replace("{Cathedral}", "{}")).options(), "no Cathedral, no ban"
    assert by("OR-AMB-31", "bound", holder).refused("a: bequeath").startswith("You hold the Cathedral, and at this table")
    rival = "a.F1: Palace (Prince) {}\na.hand: Banner\nb.F1: Palace (-) {Cathedral}"
    assert by("OR-AMB-31", "bound", rival).refused("a: bequeath").startswith("A rival holds the Cathedral")


# --- Politics and Battle ----------------------------------------------------------------------------------------------


def test_whether_the_aim_of_an_assassination_may_fight_for_himself() -> None:
    # OR-AMB-47, OR-STR-7
    text = """
a.F1: Palace (-) {}
a.hand: Treachery, 2 Vassal
b.F1: Palace (Vassal) {}
b.F2: Castle (Vassal) {Land}
b.hand: Allies, Vassal
"""
    for value in sides("OR-AMB-47"):
        s = by("OR-AMB-47", value, text).play("a: treachery aim=lord:b:F2", "b: allies", "a: commit vassal=hand:Vassal/a")
        others = {"hand:Vassal/b", "lord:F1"}
        assert s.ids("commit", "vassal") == (others if value == "no" else others | {"lord:F2"})
    s = by("OR-AMB-47", "no", text).play("a: treachery aim=hand:b", "b: allies", "a: commit vassal=hand:Vassal/a")
    assert "lord:F2" in s.ids("commit", "vassal"), "it is about nobody"
    about_properties = text.replace("Treachery, 2 Vassal", "Intrigue, 2 Vassal")
    s = by("OR-AMB-47", "no", about_properties).play("a: intrigue aim=properties:b:F2", "b: allies")
    s.play("a: commit vassal=hand:Vassal/a")
    assert "lord:F2" in s.ids("commit", "vassal"), "it is about his Land"
    lords = text.replace("a.F1: Palace (-) {}", "a.F1: Palace (-) {}\na.F2: Castle (Vassal) {}")
    s = by("OR-AMB-47", "no", lords).play("a: treachery aim=lord:b:F2", "b: allies")
    assert "lord:F2" in s.ids("commit", "vassal"), "the attacker's Lord of the same number"


MET = """
a.F1: Palace (Prince) {Land}
a.reserve: K
b.F1: Palace (Champion) {Land}
b.reserve: I
battle: AW, NB
"""


def test_which_defence_draws_a_battle_card() -> None:
    # OR-AMB-58, OR-BAT-2
    for value in sides("OR-AMB-58"):
        s = by("OR-AMB-58", value, MET, "a b").play("a: attack target=siege:b:F1 reserve=[Knight]", "b: field lords=[lord:F1]")
        assert bool(s.told("battle_card")) == (value != "army") and bool(s.told("no_battle_card")) == (value == "army")
        assert bool(s.told("captured")) == (value != "army"), "without a card nobody is captured"
        if value:
            assert s.until("turn").told("killed") == [{"seat": "a", "cards": ["Knight"]}], "a Normal Battle hurts both"
        s = by("OR-AMB-58", value, MET, "a b")
        s.play("a: attack target=siege:b:F1 reserve=[Knight]", "b: field lords=[lord:F1] reserve=[Infantry]")
        assert s.told("battle_card")[0]["card"] == "AW"


# --- Jousts -----------------------------------------------------------------------------------------------------------

LISTS = """
a.F1: Palace (-) {Land, Church}
b.F1: Palace (Vassal) {Land}
c.F1: Palace (-) {}
a.hand: 2 Banner, Vassal
b.hand: Banner, Champion
c.hand: Monk
a.deck: 5 Land
"""


def test_a_joust_in_which_one_earl_alone_tilts() -> None:
    # OR-AMB-93, OR-JOU-8
    for value in sides("OR-AMB-93"):
        s = by("OR-AMB-93", value, LISTS).play("a: joust", "b: ante ante=F1.Land/b", "c: stand_aside")
        s.play("a: tilt ante=F1.Church/a tilter=hand:Vassal/a").until("turn")
        assert bool(s.told("joust_cancelled")) == (value == "cancelled")
        assert ("Land/b" in s.earl("a").fiefs[0].properties) == (value != "cancelled")
        assert ("Vassal/a" in s.earl("a").hand) == (value == "cancelled")


def test_where_a_tilter_goes_whose_joust_is_called_off() -> None:
    # OR-AMB-97, OR-JOU-7
    for value in sides("OR-AMB-97"):
        s = by("OR-AMB-97", value, LISTS).play("a: joust", "b: opt_out", "c: stand_aside")
        s.play("a: tilt ante=F1.Church/a tilter=hand:Vassal/a").until("turn")
        assert s.told("joust_cancelled")
        assert ("Vassal/a" in s.earl("a").hand, "Vassal/a" in s.pile("a")) == (value != "discarded", value == "discarded")
        assert [e["card"] for e in s.told("tilter_discarded")] == ["Vassal/a"] * bool(value)


def test_how_the_earls_enter_a_joust() -> None:
    # OR-AMB-99, OR-JOU-1
    assert by("OR-AMB-99", "", LISTS).play("a: joust").asked == ["b"]
    s = by("OR-AMB-99", "together", LISTS).play("a: joust")
    assert sorted(s.asked) == ["a", "b", "c"]
    s.play("c: ante ante=F1", "a: tilt ante=F1.Church/a tilter=hand:Vassal/a")
    assert view(s.state, "b")["doing"][-1]["entries"] == {} and not s.told("anted"), "nothing is seen until all are in"
    s.play("b: tilt ante=F1.Land/b tilter=lord:F1")
    assert [e["seat"] for e in s.told("anted")] == ["b", "c", "a"], "told in the order of the lists"


# --- the short game ---------------------------------------------------------------------------------------------------

LAST = """
a.F1: Palace (Prince) {Land}
b.F1: Palace (Vassal) {Church}
c.F1: Castle (-) {Land}
a.deck: 5 Land
b.deck: 5 Land
c.deck: 5 Land
"""


def count(text: str, value: str = "8", round: int = 8) -> Scene:
    """Round 8 is played to its end."""
    s = by("OR-HOUSE-1", value, f"round: {round}\n{LAST}{text}")
    return s.play("a: end", "b: end", "c: end")


def test_a_game_without_a_last_round_goes_on() -> None:
    # OR-HOUSE-1, OR-WIN-1
    s = count("", "")
    assert s.table.outcome is None and s.table.round == 9 and last_round(s.table) == 0


def test_the_short_game_ends_after_the_vikings_turn_of_its_last_round() -> None:
    # OR-HOUSE-1
    assert count("", round=7).table.outcome is None and count("", round=7).told("last_round") == [{}]
    s = count("a.reserve: K")
    outcome = s.table.outcome
    assert outcome is not None and outcome.how == "last_round" and outcome.winners == ("a",)
    assert s.kinds().index("vikings_nearer") < s.kinds().index("reckoned"), "the Vikings have their Turn"
    assert [(e["seat"], e["points"], e["lords"], e["army"]) for e in s.told("reckoned")] == [
        ("a", 4, 1, 1),
        ("b", 4, 1, 0),
        ("c", 3, 0, 0),
    ]
    for value in ("12", "16", "20"):
        assert count("", value).table.outcome is None
        assert count("", value, int(value)).table.outcome is not None


def test_what_an_earldom_counts_and_what_breaks_ties() -> None:
    # OR-HOUSE-1: 3 for a Palace, 2 for a Castle, 1 for a Property; then Lords, then Army Cards, then shared
    s = count("")
    assert [worth(s.earl(x)) for x in "abc"] == [4, 4, 3]
    assert s.table.outcome is not None and s.table.outcome.winners == ("a", "b"), "equal in all"
    assert s.told("won_on_points") == [{"seats": ["a", "b"], "n": 2}]
    names = {"a": "Ann", "b": "Bob", "c": "Cy"}
    assert [GAME.words.tell(e, names, None) for e in s.log][-4:] == [
        "Ann counted 4 points; Lords: 1, Army Cards: 0.",
        "Bob counted 4 points; Lords: 1, Army Cards: 0.",
        "Cy counted 3 points; Lords: 0, Army Cards: 0.",
        "Ann and Bob counted most and won together.",
    ]
    s = count("b.M1: Mercenary (Infantry)")
    assert s.table.outcome is not None and s.table.outcome.winners == ("b",), "an Army Card in a garrison"
    s = count("king: b [Infantry]")
    assert s.table.outcome is not None and s.table.outcome.winners == ("b",), "and in the Royal Army"
    s = count("c.F2: Castle (-) {}")
    assert s.table.outcome is not None and s.table.outcome.winners == ("c",)
    s = count("b.F2: Castle (Monk) {}\nc.F2: Castle (-) {}\nc.F3: Castle (-) {}")
    assert s.table.outcome is not None and s.table.outcome.winners == ("c",), "more count before more Lords"
    s = count("c.F2: Castle (-) {}\nb.F2: Castle (Monk) {}".replace("c.F2: Castle (-) {}\n", ""))
    assert s.table.outcome is not None and s.table.outcome.winners == ("b",)


def test_the_last_earl_wins_before_the_last_round_as_ever() -> None:
    # OR-HOUSE-1, OR-WIN-1
    s = by("OR-HOUSE-1", "8", "round: 8\na.F1: Palace (-) {}\nb.F1: Palace (-) {}", "a b").play("a: concede sure=yes")
    assert s.table.outcome is not None and s.table.outcome.how == "last" and s.table.outcome.winners == ("b",)


# --- whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", HOUSE)
def test_every_side_of_every_ruling_plays_to_an_end(id: str) -> None:
    for value in sides(id)[1:]:
        ruled = rulings.chosen(GAME.rules.rulings, {id: value})
        for bot in ("random", GAME.bots.steward):
            tally = playout.Tally()
            state = playout.play_one(GAME, 2, [bot], f"{id}/{value}", tally, ruled=ruled)
            assert not tally.stalls and state.table.outcome is not None


def test_cubes_that_are_out_are_counted() -> None:
    # OR-AMB-10
    s = by(
        "OR-AMB-10", "spent", LANDED.replace("b: in cubes=1", "b: in cubes=2").replace("a: in cubes=1", "a: in cubes=0"), "a b"
    )
    for out in (1, 2):
        s.play(*(f"{x}: end" for x in (["b"] if out == 1 else ["a", "b"])))
        assert s.asked == ["b"] and (s.earl("b").cubes, s.earl("b").cubes_out) == (2 - out, out)
        s.play("b: hold")
