"""What holds after every move of any game, at 2 to 6 seats and with every set of optional rules.

All of it is computed here by slow and different ways: nothing of the engine's own supply, points or dice is used.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.asks import Answer
from engine.core.chance import Chance
from engine.core.views import Event
from engine.games import game_called
from engine.mastery.face.view import MasteryState
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.pieces import lore_of
from engine.mastery.rules.setup import RULES
from engine.mastery.rules.table import Table, need, points, supplied
from engine.mastery.rules.turn import Turn

GAME = game_called("mastery")
LORE = lore_of("")
MOVES = 300
"""Moves of each game; what lies beyond is more of the same."""

REVEALING = {
    "played",  # a resource card is shown (MM-GEN-4)
    "conflict",  # the joint reveal (MM-HID-6)
    "supported",  # face up in front of its player (MM-BAT-13)
    "discarded",  # every discard is shown (MM-HID-9)
    "lost_card",  # the random one too
    "removed",  # and that by Prosperity (MM-HID-8)
    "crown",  # Order's card is announced (MM-CRN-4)
    "reclaimed",  # and shuffled in from the open pile
}
"""Kinds of events that name cards to all."""
TWINS = {"drew", "insight", "peeked"}
"""Kinds of which one seat is told more than the others (MM-HID-5, 7, 8)."""


def option_sets(n: int) -> list[dict[str, Any]]:
    """Every legal set of optional rules (MM-OPT-1), with every size of teams."""
    found: list[dict[str, Any]] = []
    for k in range(len(RULES) + 1):
        for rules in combinations(RULES, k):
            sizes = {4: (2,), 6: (2, 3)}.get(n, ()) if "castle_siege" not in rules else ()
            found += [{"rules": list(rules)} | ({"allegiance": size} if size else {}) for size in (0, *sizes)]
    return found


def games(n: int) -> Iterator[tuple[MasteryState, list[Event]]]:
    """A random game of every option set, step by step: the state after each move, and what was told of it."""
    for number, options in enumerate(option_sets(n)):
        rng = random.Random(1000 * n + number)
        state: MasteryState = GAME.rules.setup(list("abcdef"[:n]), options, Chance(f"game {n} {number}"))
        yield state, procedure.begin(state)
        for _ in range(MOVES):
            if not state.waiting:
                break
            seat = rng.choice(state.waiting)
            yield state, procedure.play(state, seat, eager(state, seat, rng))


def eager(state: MasteryState, seat: str, rng: random.Random) -> Answer:
    """A random answer, but one that seldom ends a turn: games get somewhere."""
    answer = legal_at_random(state, seat, rng)
    for _ in range(3):
        if answer.option != "end":
            break
        answer = legal_at_random(state, seat, rng)
    return answer


@cache
def touching(n: int) -> frozenset[tuple[str, str]]:
    """Pairs of slots that share an edge: hexes at distance one."""
    slots = LORE.maps[n]
    return frozenset(
        (a.slot, b.slot)
        for a in slots
        for b in slots
        if (abs(a.q - b.q) + abs(a.r - b.r) + abs(a.q + a.r - b.q - b.r)) // 2 == 1
    )


def slow_supply(table: Table, seat: str) -> set[str]:
    """Grow what the castle reaches, pair by pair, until nothing is added."""
    n = len(table.seats)
    lakes = {s.slot for s in LORE.maps[n] if s.kind == "lake"}
    mine = {slot for slot, land in table.lands.items() if land.holder == seat}
    reached = {table.lords[seat].slot}
    while True:
        more = {b for a, b in touching(n) if a in reached and b in mine | lakes} - reached
        if not more:
            return reached & mine
        reached |= more


def slow_points(table: Table, seat: str) -> int:
    worthless = {"Homelands"} if table.options.skirmish else set()
    kinds = [land.tile for land in table.lands.values() if land.holder == seat]
    return sum(LORE.tiles[k].value for k in kinds if k not in worthless)


def slow_need(table: Table, seat: str) -> int:
    piles = [table.lords[seat].knights, *(x.knights for x in table.lands.values() if x.holder == seat)]
    if table.dispute is not None and table.dispute.attacker == seat:
        piles.append(table.dispute.knights)
    return sum((k + 5) // 6 for k in piles)


def side(table: Table, seat: str) -> list[str]:
    """A lord's team by MM-OPT-2."""
    n, size, at = len(table.order), table.options.teams, table.order.index(seat)
    return [table.order[(at + i * (n // size)) % n] for i in range(size)] if size else [seat]


def words(facts: Any) -> set[str]:
    """All strings in the facts of an event."""
    if isinstance(facts, dict):
        return set[str]().union(*(words(v) for v in facts.values()))
    if isinstance(facts, list | tuple):
        return set[str]().union(*(words(v) for v in facts))
    return {facts} if isinstance(facts, str) else set()


def check_cards(state: MasteryState) -> None:  # MM-CMP-2, MM-RES-2, MM-BAT-7
    whole = LORE.deck()
    for seat, lord in state.table.lords.items():
        shown = [c for p in state.stack if isinstance(p, Battle) for c in p.played.get(seat, [])]
        shown += [p.lying for p in state.stack if isinstance(p, Turn) and p.seat == seat and p.lying]
        cards = [*lord.hand, *lord.deck, *(d.card for d in lord.discard), *shown]
        assert sorted(cards) == whole and len(cards) == 18
        assert "Authority" not in lord.hand
        assert all(0 <= d.turn <= state.table.turn for d in lord.discard)


def check_knights(table: Table) -> None:  # MM-GEN-2, MM-DIC-1, 2, MM-CAP-1
    for slot, land in table.lands.items():
        # A place in dispute stays the defender's until the battle ends, also when his last knight there has fallen (MM-BAT-1).
        disputed = table.dispute is not None and table.dispute.slot == slot
        assert land.knights > 0 or disputed or land.holder == ""
        assert land.holder != "" or land.knights == 0
        assert land.holder == "" or land.holder in table.lords
        assert land.knights <= LORE.tiles[land.tile].capacity
    if table.dispute is not None and table.dispute.slot in table.lands:
        assert 0 <= table.dispute.knights <= LORE.tiles[table.lands[table.dispute.slot].tile].capacity
    for seat, lord in table.lords.items():
        assert lord.knights >= 0
        assert slow_need(table, seat) == need(table, seat) <= 10


def check_reckoning(state: MasteryState) -> None:  # MM-SUP-2, MM-VIC-1, 2
    table = state.table
    shown = {x["seat"]: x for x in GAME.rules.view(state, None)["lords"]}
    for seat in table.seats:
        within = slow_supply(table, seat)
        assert within == supplied(table, seat)
        held = {slot for slot, land in table.lands.items() if land.holder == seat}
        assert (set(shown[seat]["lands"]), set(shown[seat]["unsupplied"])) == (held, held - within)
        assert slow_points(table, seat) == points(table, seat) == shown[seat]["points"]
        together = sum(slow_points(table, s) for s in side(table, seat))
        assert shown[seat]["team_points"] == together
        goal = {0: (13, 11), 2: (20, 17), 3: (30, 25)}[table.options.teams][table.options.skirmish]
        won = table.outcome is not None and seat in table.outcome.winners
        assert (together >= goal) == won or (won and table.options.siege), "who has enough has won, and only he"


def check_audience(event: Event, seats: list[str]) -> None:  # MM-HID-5 to 9
    named = words(event.facts) & LORE.cards.keys()
    if event.kind.removesuffix("_own") in TWINS:
        seat = event.facts["seat"]
        if event.kind.endswith("_own"):
            assert event.only == (seat,) and event.but == ()
        else:
            assert event.but == (seat,) and event.only is None and not named
        return
    assert event.only is None and event.but == (), f"“{event.kind}” is for all"
    assert not named or event.kind in REVEALING, f"“{event.kind}” names {named} to all"


def look_at_games(n: int, every: int) -> None:
    """Play a game of every option set, and check each so-manieth position of it; what is told is checked at every move."""
    # MM-CMP-2, MM-RES-2, MM-GEN-2, MM-DIC-2, MM-CAP-1, MM-SUP-2, MM-VIC-1, 2, MM-HID-5 to 9
    kinds: set[str] = set()
    ends: set[str] = set()
    for i, (state, events) in enumerate(games(n)):
        if i % every == 0 or state.table.outcome is not None:
            check_cards(state)
            check_knights(state.table)
            check_reckoning(state)
        for event in events:
            check_audience(event, state.table.seats)
        kinds |= {e.kind for e in events}
        ends |= {state.table.outcome.how} if state.table.outcome is not None else set()
    expected = {"conquered", "attacked", "result", "fractured", "authority", "mayhem", "restored", "redistributed"}
    assert expected | REVEALING <= kinds, "the games saw enough for this to mean something"
    assert "points" in ends <= {"points", "siege"}, "and some came to their end"


@pytest.mark.parametrize("n", range(2, 7))
def test_what_holds_after_a_move(n: int) -> None:
    look_at_games(n, 7)  # no divisor of a turn's length, so that every kind of position is met


@pytest.mark.soak
@pytest.mark.parametrize("n", range(2, 7))
def test_what_holds_after_every_move(n: int) -> None:
    look_at_games(n, 1)


def test_the_checks_can_fail() -> None:
    state: MasteryState = GAME.rules.setup(["a", "b"], {}, Chance("x"))
    procedure.begin(state)
    check_cards(state)
    check_knights(state.table)
    check_reckoning(state)
    lord = state.table.lords["a"]
    lord.hand.append("Conflict2")
    with pytest.raises(AssertionError):
        check_cards(state)
    state.table.lands["B1"].knights = 1
    with pytest.raises(AssertionError):
        check_knights(state.table)
    state.table.lands["B1"].holder = "a"
    state.table.lands["B1"].knights = 7
    with pytest.raises(AssertionError):
        check_knights(state.table)
    for slot in state.table.lands:
        state.table.lands[slot].holder = "a"
    with pytest.raises(AssertionError):
        check_reckoning(state)
    with pytest.raises(AssertionError):
        check_audience(Event("held", {"card": "Ambush"}), ["a", "b"])
    with pytest.raises(AssertionError):
        check_audience(Event("drew", {"seat": "a", "count": 1}), ["a", "b"])
