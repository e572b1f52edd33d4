"""Every row of the decision table of the base game (rules 14.3): who is asked, when, with which options and default."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from engine.core import procedure
from engine.core.asks import Answer, read, write
from engine.core.chance import Chance
from engine.language.words import NOBODY
from engine.ortus import ORTUS, is_open
from engine.ortus.face.view import view
from tests.contract.walk import fresh, walk
from tests.ortus.scene import Scene

BOARD = """
a.F1: Palace (-) {}
b.F1: Palace (-) {}
c.F1: Palace (-) {}
a.deck: Land, 4 MarketTown
b.deck: Land, 4 MarketTown
c.deck: Land, 4 MarketTown
"""


def scene(text: str) -> Scene:
    """The board with some lines replaced and others added."""
    lines = dict(line.split(":", 1) for line in BOARD.strip().splitlines())
    lines |= dict(line.split(":", 1) for line in text.strip().splitlines())
    return Scene("\n".join(f"{k}:{v}" for k, v in lines.items()))


def asked(s: Scene, seat: str, rule: str, options: Iterable[str], default: str) -> None:
    """The one seat that is asked, the row, its options and its safe default."""
    assert s.asked == [seat]
    ask = s.ask()
    assert (ask.rule, {o.id for o in ask.options}, write(ask.default)) == (rule, set(options), default)
    assert procedure.vet(s.state, seat, ask.default)


# --- setup and the own Turn -------------------------------------------------------------------------------------------


def test_d_02_every_earl_submits_a_deck_in_parallel_and_nothing_is_shown() -> None:
    # D-02, OR-SET-2, OR-DEC-8
    state = ORTUS.rules.setup(["a", "b", "c"], {}, Chance("x"))
    procedure.begin(state)
    assert state.waiting == ["a", "b", "c"]
    ask = procedure.ask_of(state, "b")
    assert ask.rule == "D-02" and [o.id for o in ask.options] == ["deck"]
    before = view(state, "a")
    assert procedure.play(state, "b", ask.default) == [] and view(state, "a") == before
    assert not is_open("deck", ask.default)


def test_d_10_the_active_earl_takes_one_step_after_the_other() -> None:
    # D-10, OR-DEC-1, OR-TURN-7, OR-TURN-8: the default ends the Turn.
    s = scene("a.hand: 2 Monk")
    asked(s, "a", "D-10", {"tower", "emissary", "install", "attack", "end", "concede"}, "end")
    s.play("a: tower cards=[Monk/a]")
    asked(s, "a", "D-10", {"tower", "emissary", "install", "attack", "end", "concede"}, "end")
    s.play("a: install card=Monk/a fief=F1")
    asked(s, "a", "D-10", {"end", "concede"}, "end")


@pytest.mark.parametrize(
    ("text", "option", "fields", "public"),
    [
        ("a.hand: Land, Monk", "tower", {"cards": {"Land/a", "Monk/a"}}, False),  # D-11
        ("a.reserve: Knight\na.M1: Mercenary (-)", "garrison", {"card": {"Knight"}, "slot": {"mercenary:1"}}, True),  # D-12
        ("a.F1: Castle (-) {}\na.hand: Castle, Palace", "castle", {"card": {"Castle/a", "Palace/a"}}, True),  # D-13
        ("a.hand: Church, Cathedral", "place", {"card": {"Church/a", "Cathedral/a"}, "fief": {"F1"}}, True),  # D-13
        (
            "a.hand: Church, Cathedral\nb.F2: Castle (-) {Cathedral}",
            "place",
            {"card": {"Church/a"}, "fief": {"F1"}},
            True,
        ),  # D-13
        ("a.hand: Monk, Prince, Mercenary", "install", {"card": {"Monk/a", "Prince/a"}, "fief": {"F1"}}, True),  # D-14
        ("a.hand: Mercenary", "mercenary", {}, True),  # D-15
        ("a.F1: Palace (-) {Land}", "recruit", {}, True),  # D-16
        ("a.hand: Monk, Vassal, Prince", "emissary", {"card": {"Monk/a", "Vassal/a"}}, True),  # D-17
        ("a.F1: Palace (Monk) {Church}\nb.hand: Land", "monastery", {"target": {"b"}}, True),  # D-18
        ("a.hand: Banquet", "banquet", {}, True),  # D-19
        ("a.hand: Banner\na.F1: Palace (Prince) {}", "bequeath", {}, True),  # D-20
        ("a.hand: Banner", "display", {}, True),  # D-21
        ("a.hand: Banner", "joust", {}, True),  # D-22
        (
            "a.hand: Treachery\nb.hand: Land\nc.F1: Palace (Monk) {}",
            "treachery",
            {"aim": {"hand:b", "lord:c:F1"}},
            True,
        ),  # D-23
        ("a.hand: Intrigue\nb.reserve: Knight", "intrigue", {"aim": {"armies:b"}}, True),  # D-24
        (
            "a.hand: Champion\nb.towers: Land",
            "attack",
            {"target": {"siege:b:F1", "siege:c:F1", "tower:b"}, "hand": {"Champion/a"}},
            True,
        ),  # D-25
        ("", "concede", {"sure": {"yes"}}, True),  # D-26
        ("", "end", {}, True),  # D-27
    ],
)
def test_d_11_to_27_the_steps_of_the_own_turn(text: str, option: str, fields: dict[str, set[str]], public: bool) -> None:
    # What each needs is open, with these choices; without it, it isn't; and what others may know at once (OR-INFO-2).
    s = scene(text)
    assert {f.name: s.ids(option, f.name) for f in s.ask().option(option).fields} == fields
    if option not in ("end", "concede"):
        assert option not in scene("").options()
    assert is_open("turn", Answer(option)) == public


def test_d_18_a_monastery_shows_the_hand_of_one_moment() -> None:
    # D-18, OR-AMB-50, OR-MON-2, OR-INFO-5: the target must hold a card; what he draws later is not shown.
    s = scene("a.F1: Palace (Monk) {Church}\nb.hand: Land, Allies")
    assert s.ids("monastery", "target") == {"b"} and "Open to you: b" in s.refused("a: monastery target=c")
    s.play("a: monastery target=b")
    assert s.told("monastery") == [{"seat": "a", "target": "b", "cards": ["Allies/b", "Land/b"]}]
    assert all("Allies" not in str(view(s.state, x)["earls"][1]) for x in ("a", "c", None)), "the live view shows no card"


def test_d_19_and_the_end_warn_of_an_empty_deck() -> None:
    # D-19, OR-DEC-12, OR-BANQ-2
    for deck, line, words in (
        ("a.deck: Land", "banquet", "you will be out of the game"),
        ("a.deck: 2 Land", "banquet", "the draw that ends this Turn"),
        ("a.deck: 3 Land", "banquet", ""),
        ("a.deck:", "end", "you will be out of the game"),
        ("a.deck: Land", "end", ""),
    ):
        s = scene(f"{deck}\na.hand: Banquet")
        said, fate = ORTUS.face.preview(s.state, "a", read(line), NOBODY), ORTUS.face.fate(s.state, "a", read(line))
        # Who is not put out by it reads what he draws, and is warned of nothing.
        assert (words or "You draw") in said and bool(fate) == bool(words) and (not words or fate == said)


def test_the_turn_just_ends_by_default_after_the_action() -> None:
    # OR-DEC-13, D-10: the default neither takes nor undoes anything but the closing draw.
    s = scene("a.hand: Banner").play("a: display").default()
    assert s.told("card_drawn")[0]["seat"] == "a" and s.asked == ["b"]


def test_answers_are_checked_against_the_position_of_the_ask() -> None:
    # OR-DEC-2: while a decision is open nothing moves; free actions wait too (OR-AMB-26, OR-TURN-3).
    s = scene("a.hand: Treachery, Land\nb.hand: Land").play("a: treachery aim=hand:b")
    before = ORTUS.rules.encode(s.state)
    assert "no question for you right now" in s.refused("a: tower cards=[Land/a]")
    assert ORTUS.rules.encode(s.state) == before


# --- politics ---------------------------------------------------------------------------------------------------------


def test_d_30_to_32_allies_and_the_struggle() -> None:
    # D-30, D-31, D-32
    s = scene("a.hand: Treachery, 2 Vassal\nb.hand: Allies, 2 Vassal").play("a: treachery aim=hand:b")
    asked(s, "b", "D-30", {"decline", "allies"}, "decline")
    asked(s.play("b: allies"), "a", "D-31", {"pass", "commit"}, "pass")
    asked(s.play("a: commit vassal=hand:Vassal/a"), "b", "D-32", {"pass", "commit"}, "pass")
    assert is_open("counter", Answer("pass")) and not is_open("commit", read("commit vassal=hand:Vassal/a"))
    assert not is_open("commit", read("commit vassal=hand:Vassal/a further=[hand:Vassal/a]"))


def test_d_33_the_levy() -> None:
    # D-33: parallel, Infantry by default (DEF-4), known when all are in.
    s = scene("a.hand: Banner\na.banners: Banner\nb.reserve: Knight, Infantry\nc.reserve: 2 Knight").play("a: display")
    assert s.asked == ["b", "c"] and (s.ask("b").rule, s.ask("c").rule) == ("D-33", "D-33")
    assert write(s.ask("b").default) == "give card=Infantry" and write(s.ask("c").default) == "give card=Knight"
    assert is_open("levy", s.ask("b").default)


def test_d_34_and_35_stolen_properties() -> None:
    # D-34 by DEF-1, D-35 by DEF-6
    s = scene("a.hand: Intrigue\na.F2: Castle (-) {}\nb.F1: Palace (-) {Land, Church, MarketTown}")
    s.play("a: intrigue aim=properties:b:F1")
    asked(s, "b", "D-34", {"give"}, "give properties=[Church/b,MarketTown/b]")
    asked(s.default(), "a", "D-35", {"attach"}, "attach attach={Church/b>F1,MarketTown/b>F1}")


def test_d_36_stolen_armies() -> None:
    # D-36 by DEF-4; the answer is hidden, and so is that it was a default (OR-DEC-3).
    s = scene("a.hand: Intrigue\nb.reserve: Knight, Infantry, Knight").play("a: intrigue aim=armies:b")
    asked(s, "b", "D-36", {"give"}, "give armies=[Infantry,Knight]")
    assert not is_open("give_armies", s.ask().default)


# --- battles ----------------------------------------------------------------------------------------------------------


def test_d_41_the_defence() -> None:
    # D-41, OR-FLD-9, OR-AMB-81: after the attacking forces are shown; nothing by default.
    s = scene("a.hand: Champion\nb.hand: Monk").play("a: attack target=siege:b:F1 hand=[Champion/a]")
    asked(s, "b", "D-41", {"stand_down", "field"}, "stand_down")
    assert s.ask().about["points"] == 2 and "at least one" in s.refused("b: field")
    s = scene("a.hand: Champion\nb.hand: Banner").play("a: attack target=siege:b:F1 hand=[Champion/a]")
    asked(s, "b", "D-41", {"stand_down"}, "stand_down")  # OR-DEC-6


def test_d_42_the_church_decides() -> None:
    # D-42, OR-BAT-3: the Archbishop, though he is not in the Battle.
    s = scene("c.F1: Palace (-) {Cathedral}\na.hand: Champion\nb.hand: Monk\nbattle: CD")
    s.play("a: attack target=siege:b:F1 hand=[Champion/a]", "b: field hand=[Monk/b]")
    asked(s, "c", "D-42", {"NB", "AW", "DW"}, "NB")


def test_d_43_ransom() -> None:
    # D-43: nobody by default.
    s = scene("b.F1: Palace (Champion) {Land}\na.hand: Champion\nbattle: AW")
    s.play("a: attack target=siege:b:F1 hand=[Champion/a]", "b: field lords=[lord:F1]")
    asked(s, "b", "D-43", {"none", "pay"}, "none")


def test_d_44_and_45_who_is_hit() -> None:
    # D-44 before D-45, by DEF-2
    s = scene(
        "a.F1: Palace (Champion) {2 Land}\na.reserve: Infantry, Knight\nb.F1: Palace (Champion) {2 Land}\n"
        "b.reserve: Infantry\nb.hand: 4 Monk\nbattle: NB"
    )
    s.play(
        "a: attack target=siege:b:F1 lords=[lord:F1] reserve=[Infantry,Knight]",
        "b: field reserve=[Infantry] hand=[Monk/b*4] lords=[lord:F1]",
    )
    assert s.asked == ["b"] and s.ask().rule == "D-45", "3 points on 3 attacking cards leave no choice (OR-DEC-5)"
    s = scene(
        "a.F1: Palace (Champion) {2 Land}\na.reserve: Infantry, Knight\nb.F1: Palace (-) {2 Land}\n"
        "b.reserve: Infantry\nb.hand: 5 Monk\nbattle: NB"
    )
    s.play(
        "a: attack target=siege:b:F1 lords=[lord:F1] reserve=[Infantry,Knight]",
        "b: field reserve=[Infantry] hand=[Monk/b*5]",
    )
    asked(s, "a", "D-44", {"hit"}, "hit cards=[lord:F1]")
    asked(s.default(), "b", "D-45", {"hit"}, "hit cards=[hand:Monk/b*5]")


def test_d_46_which_towers_fall() -> None:
    # D-46 by DEF-3: those that were placed first.
    s = scene("a.hand: Champion\nb.towers: Monk, Castle, Allies").play("a: attack target=tower:b hand=[Champion/a]")
    asked(s, "b", "D-46", {"lose"}, "lose towers=[T1,T2]")
    s.default()
    assert s.earl("b").towers == ["Allies/b"]


def test_d_47_which_properties_fall() -> None:
    # D-47 by DEF-1
    s = scene("a.hand: Champion\nb.F1: Palace (-) {Land, Church, Cathedral}")
    s.play("a: attack target=raid:b:F1 hand=[Champion/a]")
    asked(s, "b", "D-47", {"lose"}, "lose properties=[Church/b,Land/b]")


def test_d_48_and_49_what_is_seized_and_where_it_goes() -> None:
    # D-48 by DEF-5, D-49 by DEF-6, in one form (OR-DEC-7)
    s = scene("a.F1: Palace (Prince) {}\na.F2: Castle (Vassal) {}\nb.F2: Castle (-) {Church, Land}")
    s.play("a: attack target=siege:b:F2 lords=[lord:F1,lord:F2]")
    asked(s, "a", "D-48", {"take"}, "take seize=[Castle/b,Land/b]")
    assert [s.refused(f"a: take{seized}") for seized in ("", " seize=[]", " seize=[Church/b]")] == ["", "", ""], "or fewer"
    assert s.refused("a: take seize=[Castle/b,Land/b,Church/b]") != ""
    s.default()
    assert s.fiefs("a") == ["1: Palace/a (Prince/a) {Land/b}", "2: Castle/a (Vassal/a) {}", "3: Castle/b (-) {}"]
    s = scene("b.F1: Palace (-) {Land}\nb.F2: Castle (Champion) {}\na.F2: Castle (-) {}\na.hand: Champion\nbattle: AW")
    s.play("a: attack target=siege:b:F2 hand=[Champion/a]", "b: field lords=[lord:F2]", "b: pay payments={lord:F2>F1.Land/b}")
    asked(s, "a", "D-49", {"take"}, "take")
    s.default()
    assert s.fiefs("a")[0] == "1: Palace/a (-) {Land/b}"


def test_d_50_the_vikings() -> None:
    # D-50: no attack by default; himself included (OR-VIK-9).
    s = scene(
        "a: in cubes=0 turns=2\nb: in cubes=0 turns=2\nactive: c\nvikings: arrived black=8 white=0\nforce: 3 VikingInfantry"
    ).play("c: end")
    asked(s, "c", "D-50", {"hold", "attack"}, "hold")
    assert s.ids("attack", "target") == {"siege:a:F1", "siege:b:F1", "siege:c:F1"}


# --- Jousts, and what stands open always ------------------------------------------------------------------------------


def test_d_60_entering_a_joust() -> None:
    # D-60: by DEF-1 the cheapest ante, no tilt, no Banner; the exempt stand aside.
    s = scene("a.hand: Banner\nb.F1: Palace (Monk) {Land, Church}\nb.hand: Banner\nc.hand: Monk").play("a: joust")
    asked(s, "b", "D-60", {"opt_out", "ante", "tilt"}, "ante ante=F1.Church/b")
    asked(s.default(), "c", "D-60", {"stand_aside", "ante", "tilt"}, "stand_aside")
    assert is_open("enter", read("tilt ante=F1 tilter=lord:F1")) and not is_open(
        "enter", read("tilt ante=F1 tilter=hand:Monk/c")
    )


def test_d_61_attaching_what_was_won() -> None:
    # D-61 by DEF-6
    s = scene("a.hand: Banner\na.F1: Palace (Monk) {Land}\na.F2: Castle (-) {}\nb.F1: Palace (-) {Church}")
    s.play("a: joust", "b: ante ante=F1.Church/b", "c: stand_aside", "a: tilt ante=F1.Land/a tilter=lord:F1")
    asked(s, "a", "D-61", {"attach"}, "attach attach={Church/b>F1}")


def test_d_80_a_concession_stands_open_to_everybody_always() -> None:
    # D-80: nobody waits for it.
    s = scene("")
    for seat in "abc":
        (offer,) = ORTUS.rules.powers.open(s.state, seat)
        assert offer.rule == "D-80" and seat == offer.seat
    assert not is_open("concession", Answer("queue"))


def test_there_are_no_other_decisions() -> None:
    # OR-DEC-11: in random matches no ask names another row, and most rows of the base game come up.
    rules: set[str] = set()
    for number in range(60):
        for step in walk(fresh(ORTUS, 2 + number % 5, number), random.Random(number)):
            rules.add(step.ask.rule)
    rows = {"D-02", "D-10", "D-60", "D-61", "D-80", "D-50", *(f"D-{n}" for n in (*range(30, 37), *range(41, 50)))}
    assert rules <= rows, rules - rows
    assert len(rows & rules) >= 15, "the rare ones have tests of their own above"


def test_a_publicly_forced_answer_is_not_asked_for() -> None:
    # OR-DEC-5: no Hand, no Lords, no other force to field.
    s = scene("a.hand: Champion\nb.reserve: Knight").play("a: attack target=siege:b:F1 hand=[Champion/a]")
    assert s.told("undefended") and s.asked == ["a"]
    # of like Properties it is all the same which fall; one of another colour makes a choice
    for lands, who in (("3 Land", "a"), ("2 Land, Land/c", "b")):
        s = scene(f"a.hand: Champion\nb.F1: Palace (-) {{{lands}}}").play("a: attack target=raid:b:F1 hand=[Champion/a]")
        assert s.asked == [who], lands
