"""King and Archbishop contested with Legacy points (OR-ROLE-41 to 44): options, hidden bids, orders, bots, a rematch."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.asks import Answer, NotLegal, NotUnderstood, read, write
from engine.core.chance import Chance
from engine.core.procedure import Outcome
from engine.ortus import ORTUS
from engine.ortus.face import variant
from engine.ortus.face.view import view
from engine.ortus.rules import roles
from engine.ortus.steady import steady
from engine.play import orders
from engine.play.match import redacted, start, to_lines, verify
from tests.contract.test_secrets import check_redeal
from tests.contract.walk import AT, header_for
from tests.ortus.scene import Scene
from tests.ortus.test_role_orders import known, ordered
from tests.ortus.test_roles import fresh

NAMES = dict(zip("abcdef", ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay"), strict=True))


def contested(seats: str = "abc", **options: Any) -> Scene:
    """A game at its first pick; the first seat is the starting Earl."""
    for number in range(100):
        s = fresh(seats, {"roles": "contested", **options}, f"contest {number}")
        if s.table.start == seats[0]:
            return s
    raise AssertionError


# --- what stands in the header ----------------------------------------------------------------------------------------


def test_every_player_begins_with_the_legacy_points_of_the_header() -> None:  # OR-ROLE-41, OR-ROLE-44
    assert [contested().earl(x).legacy for x in "abc"] == [6, 6, 6]
    assert [contested(legacy=2).earl(x).legacy for x in "abc"] == [2, 2, 2]
    s = contested(legacy=3, points={"a": 12, "c": 0})
    assert [s.earl(x).legacy for x in "abc"] == [12, 3, 0], "who comes anew begins with the usual"
    assert [fresh("abc", {"roles": "picked"}).earl(x).legacy for x in "abc"] == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"roles": "contested", "legacy": 1}, "a whole number from 2 to 12"),
        ({"roles": "contested", "legacy": 13}, "a whole number from 2 to 12"),
        ({"roles": "contested", "legacy": "6"}, "a whole number from 2 to 12"),
        ({"roles": "contested", "legacy": True}, "a whole number from 2 to 12"),
        ({"roles": "contested", "points": {"a": 13}}, "from 0 to 12"),
        ({"roles": "contested", "points": {"a": -1}}, "from 0 to 12"),
        ({"roles": "contested", "points": {"d": 1}}, "of seats of the game: a, b, c"),
        ({"roles": "contested", "points": [1, 2, 3]}, "of seats of the game: a, b, c"),
        ({"roles": "picked", "legacy": 6}, "go with contested roles"),
        ({"points": {"a": 1}}, "go with contested roles"),
    ],
)
def test_legacy_points_that_cannot_be_are_refused(options: dict[str, Any], sentence: str) -> None:  # OR-ROLE-41
    with pytest.raises(NotUnderstood, match=sentence):
        ORTUS.rules.setup(list("abc"), options, Chance("x"))


def test_a_host_chooses_how_many_points_there_are_and_those_who_join_are_told() -> None:  # OR-ROLE-41
    ask = variant.ask(3)
    for choice, options in (
        ("play roles=contested legacy=9", {"roles": "contested", "legacy": 9}),
        ("play roles=contested legacy=6", {"roles": "contested", "legacy": 6}),
    ):
        assert variant.read(3, read(choice), "") == options
        assert write(variant.write(3, options)) == choice
    assert variant.read(3, read("play roles=contested"), "") == {"roles": "contested", "legacy": 6}
    assert "each of you has 9" in variant.tell({"roles": "contested", "legacy": 9})[0]
    told = variant.tell({"roles": "contested", "legacy": 6, "points": {"a": 8, "b": 3}})
    assert "A 8, B 3" in told[1]
    with pytest.raises(NotLegal, match="go with contested roles"):
        variant.read(3, read("play roles=picked legacy=9"), "")
    assert ask.default == Answer("play", {"roles": "none", "legacy": 6})


# --- the bids ---------------------------------------------------------------------------------------------------------


def test_bids_are_hidden_until_both_are_in() -> None:  # OR-ROLE-42, OR-INFO-6
    s = contested().play("a: king", "b: contest_king")
    assert s.asked == ["b", "a"] and s.ask("a").rule == s.ask("b").rule == "D-03"
    assert s.ask("a").default == Answer("bid", {"points": 0})
    before = {reader: view(s.state, reader) for reader in ("a", "c", None)}
    positions = {reader: ORTUS.rules.notation.seen(s.state, reader).rpartition("asked:")[0] for reader in ("a", "c", None)}
    s.play("b: bid points=4")
    assert not s.events, "nobody is told of a bid that is hidden"
    for reader in ("a", "c", None):
        assert view(s.state, reader) == before[reader]
        assert ORTUS.rules.notation.seen(s.state, reader).rpartition("asked:")[0] == positions[reader]
        assert not ORTUS.rules.redeal(s.state, reader, Chance("guess")).sealed, "bots can't think with it"
    assert ORTUS.rules.redeal(s.state, "b", Chance("guess")).sealed == {"b": Answer("bid", {"points": 4})}, "her own she knows"
    s.play("a: bid points=3")
    assert s.told("contest_won") == [{"seat": "b", "loser": "a", "bid": 4, "under": 3, "role": "king", "left": 2}]
    assert ORTUS.words.tell(s.events[0], NAMES, None) == "Bob outbid Ann 4 to 3 and became King; 2 left."


def test_who_holds_a_role_pays_for_a_tie() -> None:  # OR-ROLE-42
    s = contested().play("a: king", "b: contest_king", "a: bid points=4", "b: bid points=4")
    assert s.told("contest_kept") == [{"seat": "a", "loser": "b", "bid": 4, "under": 4, "role": "king", "left": 2}]
    assert [s.earl(x).legacy for x in "ab"] == [2, 6]


def test_a_log_shows_no_bid_to_others_before_both_are_in() -> None:  # OR-ROLE-42, D-03
    for number in range(40):
        header, seed = header_for(ORTUS, 3, number)
        header.options.update({"roles": "contested"})
        match = start(header, seed)
        first = match.state.waiting[0]
        match.play(first, Answer("king"), AT, "page")
        second = match.state.waiting[0]
        match.play(second, Answer("contest_king"), AT, "page")
        match.play(second, Answer("bid", {"points": 5}), AT, "page")
        for reader in ("a", "b", "c", None):
            lines = "".join(redacted(match.header, match.entries, match.state, len(match.entries), reader))
            assert "points=5" not in lines, reader
        match.play(first, Answer("bid", {"points": 1}), AT, "page")
        lines = "".join(redacted(match.header, match.entries, match.state, len(match.entries), None))
        assert "points=5" in lines and "points=1" in lines, "both are public when both are in"


def test_the_winner_alone_pays_and_the_points_are_in_view() -> None:  # OR-ROLE-41, OR-ROLE-42
    s = contested().play("a: archbishop", "b: contest_archbishop", "a: bid points=6", "b: bid points=5")
    assert [e["legacy"] for e in view(s.state, None)["earls"]] == [0, 6, 6]
    assert view(s.state, "c")["earls"][1]["contested"] == ["archbishop"]
    assert s.asked == ["b"] and "contest_archbishop" not in s.options()
    assert ORTUS.words.tell(s.events[0], NAMES, None) == "Ann stayed Archbishop, 6 to 5 against Bob; 0 left."


def test_who_has_no_point_contests_nothing() -> None:  # OR-ROLE-42
    s = contested(points={"b": 0, "c": 1}).play("a: king")
    assert s.options() == {"archbishop", "duke", "earl"}
    s.play("b: duke")
    assert s.options() == {"archbishop", "duke", "earl", "contest_king"}
    with pytest.raises(NotLegal):
        s.ask("c").option("contest_archbishop")


def test_a_role_changes_hands_with_all_that_it_brings() -> None:  # OR-ROLE-7, OR-ROLE-42
    s = contested().play("a: king", "b: contest_king", "a: bid points=0", "b: bid points=1", "a: duke", "c: earl")
    assert s.table.king == "b" and s.earl("a").assets == ["Allies", "Church"]
    assert [s.earl(x).loyal for x in "abc"] == [True, False, True]
    assert s.step == "deck" and s.ask("a").about == {"size": 22, "role": "duke"}


def test_contests_end_and_each_role_is_contested_less_often_than_there_are_players() -> None:  # OR-ROLE-42
    for number in range(300):
        rng = random.Random(number)
        n = rng.randint(2, 6)
        s = contested("abcdef"[:n], legacy=12)
        fought = Counter[str]()
        while s.step in ("role", "bid"):
            seat = rng.choice(s.asked)
            options = sorted(s.options(seat))
            fights = [o for o in options if o in roles.CONTESTS]
            picked = rng.choice(fights) if fights and rng.random() < 0.9 else rng.choice(options)
            fought[roles.CONTESTS.get(picked, "")] += 1
            s.play(f"{seat}: {picked}" + (f" points={rng.randint(0, s.earl(seat).legacy)}" if picked == "bid" else ""))
        assert s.step == "deck" and max(fought["king"], fought["archbishop"]) <= n - 1
        held = Counter(s.earl(x).role for x in "abcdef"[:n])
        assert held["king"] <= 1 and held["archbishop"] <= 1 and not held[""]


@pytest.mark.parametrize("n", range(2, 7))
def test_random_games_with_contested_roles_keep_their_secrets_and_verify(n: int) -> None:  # OR-ROLE-41 to 44, OR-RNG-1
    seen, chance = Counter[str](), Chance("redeal")
    for number in range(8):
        header, seed = header_for(ORTUS, n, number)
        header.options.update({"roles": "contested", "legacy": 2 + number})
        match, rng = start(header, seed), random.Random(f"{n} {number}")
        moves = 0
        while match.state.waiting:
            mustering = not match.state.table.round
            if mustering or moves % 40 == 0:
                check_redeal(ORTUS, match.state, chance)
                text = ORTUS.rules.notation.whole(match.state)
                assert ORTUS.rules.notation.whole(ORTUS.rules.notation.read(text)) == text
            seat = rng.choice(match.state.waiting)
            answer = legal_at_random(match.state, seat, rng)
            if mustering and seat in match.state.waiting and match.state.stack[-1].step == "role":
                fights = [o.id for o in procedure.ask_of(match.state, seat).options if o.id in roles.CONTESTS]
                answer = Answer(rng.choice(fights)) if fights and rng.random() < 0.7 else answer
            seen.update(e.kind for e in match.play(seat, answer, AT, "page"))
            moves += 1
        match.reveal(AT)
        assert verify(to_lines(match.header, match.entries)).holds
        assert sum(e.legacy for e in match.state.table.earls.values()) <= n * (2 + number), "no point comes out of nothing"
    assert seen["contest"] and seen["contest_won"] + seen["contest_kept"] == seen["contest"]


def test_what_a_pick_and_a_bid_will_do_is_told_beforehand() -> None:  # OR-ROLE-42
    s = contested()
    assert "others may bid against you" in ORTUS.face.preview(s.state, "a", Answer("king"), NAMES)
    assert "to the end of the game" in ORTUS.face.preview(s.state, "a", Answer("duke"), NAMES)
    s.play("a: king")
    told = ORTUS.face.preview(s.state, "b", Answer("contest_king"), NAMES)
    assert "you have 6 Legacy points left. The higher bid wins and is paid; on a tie Ann wins, and pays." in told
    s.play("b: contest_king")
    assert "If the other bids no more, you keep the role and pay 2." in ORTUS.face.preview(
        s.state, "a", read("bid points=2"), NAMES
    )
    assert "If the other bids less, the role is yours and you pay 2." in ORTUS.face.preview(
        s.state, "b", read("bid points=2"), NAMES
    )
    assert "You can't win with 0" in ORTUS.face.preview(s.state, "b", read("bid points=0"), NAMES)


# --- positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("roles: contested\na.legacy: 13", "OR-ROLE-41"),
        ("roles: contested\na.legacy: -1", "OR-ROLE-41"),
        ("roles: picked\na.legacy: 1", "OR-ROLE-41"),
        ("roles: contested\na.contested: duke", "OR-ROLE-42, 43"),
        ("roles: picked\na.contested: king", "OR-ROLE-42"),
    ],
)
def test_points_that_no_game_comes_to_are_refused_with_the_rule(text: str, rule: str) -> None:
    with pytest.raises(NotUnderstood, match=rule):
        Scene(f"a.F1: Palace (-) {{}}\nb.F1: Palace (-) {{}}\nc.F1: Palace (-) {{}}\n{text}")


def test_as_many_points_as_there_can_be_are_a_position() -> None:  # OR-ROLE-41
    s = Scene(
        "roles: contested\na.legacy: 12\na.contested: king\na.F1: Palace (-) {}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}"
    )
    assert s.earl("a").legacy == 12 and s.earl("a").contested == ["king"]


# --- standing orders --------------------------------------------------------------------------------------------------


def test_role_wishes_name_the_highest_bid_for_each_role() -> None:  # SO-17, D-03, OR-ROLE-42
    s = contested().play("a: king")
    wish = "on role_order=[king,duke,archbishop,earl]"
    assert ordered(s, "b", SO_17=wish) == "", "a bid that is left open is asked for"
    assert ordered(s, "b", SO_17=f"{wish} bid_king=bid0") == "duke", "0 bids against nobody"
    assert ordered(s, "b", SO_17=f"{wish} bid_king=bid9") == "contest_king"
    s.play("b: contest_king")
    assert ordered(s, "b", SO_17=f"{wish} bid_king=bid9") == "bid points=6", "never more than there is"
    assert ordered(s, "a", SO_17=f"{wish} bid_king=bid2") == "bid points=2"
    assert ordered(s, "a", SO_17=f"{wish} bid_king=bid0") == "bid points=0"
    assert ordered(s, "a", SO_17=f"{wish} bid_archbishop=bid2") == ""
    assert ordered(s, "a") == ""


def test_role_wishes_hold_until_all_roles_are_settled() -> None:  # SO-17
    s = contested().play("a: king")
    kept = {"SO-17": "on role_order=[king,duke,archbishop,earl] bid_king=bid3"}
    assert "SO-17" in known(s, "a") and ORTUS.orders.after(s.state, "a", ["role:king"], kept) == kept
    s.play("b: duke", "c: earl")
    assert "SO-17" not in known(s, "a") and ORTUS.orders.after(s.state, "a", ["role:king"], kept) == {}
    picked = next(ask for ask in ORTUS.orders.asks(fresh("abc", {"roles": "picked"}).state, "a") if ask.rule == "SO-17")
    assert [f.name for f in picked.option("on").fields] == ["role_order"], "where roles are only picked, nobody names a bid"


def test_the_preset_bids_half_the_usual_points() -> None:  # SO-17
    s = contested()
    preset = orders.preset(ORTUS, s.state)["SO-17"]
    assert orders.check(ORTUS, s.state, "a", "SO-17", read(preset)) == preset
    s.play("a: king")
    assert ordered(s, "b", SO_17=preset) == "contest_king"
    s.play("b: contest_king")
    assert ordered(s, "b", SO_17=preset) == ordered(s, "a", SO_17=preset) == "bid points=3"


# --- bots -------------------------------------------------------------------------------------------------------------


def test_bots_contest_roles_and_bid_from_one_point_to_all() -> None:  # D-01, D-03
    bids, picked = set(), set()
    for number in range(60):
        chance = Chance(f"bot {number}")
        s = contested().play("a: king")
        picked.add(steady(ORTUS.rules.redeal(s.state, "b", chance), "b", chance).option)
        s.play("b: contest_king")
        bids |= {steady(ORTUS.rules.redeal(s.state, x, chance), x, chance).number("points") for x in "ab"}
    assert bids == {1, 2, 3, 4, 5, 6} and picked == {"archbishop", "duke", "earl", "contest_king"}
    for number in range(20):
        chance = Chance(f"poor {number}")
        s = contested(points={"b": 2}).play("a: king")
        assert steady(ORTUS.rules.redeal(s.state, "b", chance), "b", chance).option != "contest_king", (
            "it saves its last points"
        )


# --- a rematch --------------------------------------------------------------------------------------------------------


def test_points_carry_over_to_a_rematch() -> None:  # OR-ROLE-44
    s = contested()
    for seat, left in zip("abc", (4, 0, 11), strict=True):
        s.earl(seat).legacy = left
    s.table.outcome = Outcome(("b",), "last")
    rematch, options = ORTUS.rules.rematch.options, {"roles": "contested", "legacy": 5, "points": {"a": 1}}
    assert rematch is not None
    seats = {"a": "c", "b": "a", "c": "b"}
    plain = {"roles": "contested", "legacy": 5}
    assert rematch(options, s.state, seats) == plain | {"points": {"a": 12, "b": 6, "c": 3}}, "12 at most"
    assert rematch(options, s.state, {"a": "a"}) == plain | {"points": {"a": 6}}, "newcomers begin with the usual"
    assert rematch(options, s.state, {}) == plain
    assert rematch(options, fresh("abc", {"roles": "picked"}).state, seats) == plain, "there were no points before"
    assert rematch({"roles": "picked"}, s.state, seats) == {"roles": "picked"}
    s.table.outcome = None
    assert rematch(options, s.state, {"a": "b"}) == plain | {"points": {"a": 2}}, "a game without a winner"
    ORTUS.rules.setup(list("abc"), rematch(options, s.state, seats), Chance("x"))


def test_what_is_left_is_kept_with_the_result() -> None:  # OR-ROLE-44
    s = contested().play("a: king")
    s.earl("b").legacy = 1
    assert [ORTUS.rules.rematch.keeps(s.state, x) for x in "abc"] == [
        "6 Legacy points left",
        "1 Legacy point left",
        "6 Legacy points left",
    ]
    assert ORTUS.rules.rematch.keeps(fresh("abc", {"roles": "picked"}).state, "a") == ""
