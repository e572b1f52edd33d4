"""Whole games between bots: every number of lords, every set of optional rules; without error, without a stall."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from engine.core.asks import Answer, Refused, write
from engine.game import options_of
from engine.mastery import MASTERY
from engine.mastery.rules.setup import RULES, TEAMS
from engine.tools.playout import run

SEATS = range(2, 7)


def sets(n: int) -> list[str]:
    """Every legal set of optional rules for so many lords, as the answer that chooses it."""
    found = []
    for rules in chain.from_iterable(combinations(RULES, k) for k in range(len(RULES) + 1)):
        for size in (0, *TEAMS.get(n, ())):
            values: dict[str, str | int | list[str] | dict[str, str]] = {"rules": list(rules)}
            if size:
                values["allegiance"] = f"teams_of_{size}"
            answer = Answer("play", {k: v for k, v in values.items() if v})
            try:
                options_of(MASTERY, n, write(answer))
            except Refused:
                assert size and "castle_siege" in rules
                continue
            found.append(write(answer))
    return found


@pytest.mark.parametrize(("n", "count"), [(2, 16), (3, 16), (4, 24), (5, 16), (6, 32)])
def test_so_many_sets_of_optional_rules_are_legal(n: int, count: int) -> None:  # MM-OPT-1
    # For six there are teams of two and of three: 16 without Allegiance, 8 with each.
    assert len(sets(n)) == count


@pytest.mark.parametrize("n", SEATS)
def test_games_of_every_set_of_optional_rules_come_to_an_end(n: int) -> None:  # MM-OPT-15
    # Each set is played by one kind of bot; the next number of seats has it played by the other, the soak run by both.
    for number, variant in enumerate(sets(n), n):
        tally = run(MASTERY, n, 1, f"sets {number}", [("random", "steady")[number % 2]], variant=variant)
        assert not tally.errors and not tally.stalls, (variant, tally.faults)


@pytest.mark.soak
@pytest.mark.parametrize("n", SEATS)
def test_games_of_every_set_come_to_an_end_whoever_plays_them(n: int) -> None:
    for number, variant in enumerate(sets(n)):
        for bots in (["random"], ["steady"]):
            tally = run(MASTERY, n, 3, f"sets {number}", bots, variant=variant)
            assert not tally.errors and not tally.stalls, (variant, tally.faults)


@pytest.mark.soak
@pytest.mark.parametrize("n", SEATS)
def test_two_thousand_games_for_every_number_of_lords_and_every_option(n: int) -> None:
    alone = [variant for variant in sets(n) if variant.count(",") == 0 and not ("rules" in variant and "all" in variant)]
    for variant in alone:
        tally = run(MASTERY, n, 2000, "soak", variant=variant)
        # No rule ends a game (MM-AMB-56): two lords who play at random with all their knights may march at home for ever.
        assert not tally.errors and tally.stalls <= 1, (variant, tally.faults)
        bounded = run(MASTERY, n, 200, "soak", variant=variant, wanted={"MM-AMB-56": "12"})
        assert not bounded.errors and not bounded.stalls, (variant, bounded.faults)
