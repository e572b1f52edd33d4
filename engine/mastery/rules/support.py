"""Which support cards a policy plays: all, or just enough (MM-STO-3, MM-BAT-13)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from engine.mastery.rules.pieces import Card
from engine.mastery.rules.table import Table

PASS, ALL, ENOUGH = "pass", "all", "min"
PLANS = (ENOUGH, ALL, PASS)
"""What a lord may settle about support when he chooses his conflict card (MM-ASY-3)."""


def given(table: Table, lack: int, held: list[Card], policy: str) -> list[Card]:
    """Cards a policy plays; [] to pass. `lack`: see `Battle.lacks`."""
    if policy == PASS:
        return []
    return at_once(table, held if policy == ALL else fewest(table, lack, held))


def at_once(table: Table, cards: Sequence[Card]) -> list[Card]:
    """All cards, or the best if they go one at a time (MM-AMB-26)."""
    if cards and table.ruled("MM-AMB-26") == "one":
        return [max(cards, key=lambda c: table.data.cards[c].value)]
    return list(cards)


def fewest(table: Table, lack: int, held: list[Card]) -> list[Card]:
    """Fewest cards, then smallest sum; [] if impossible or needless."""
    if lack <= 0:
        return []
    cards = table.data.cards
    for count, _ in enumerate(held, 1):
        enough = [c for c in combinations(held, count) if sum(cards[x].value for x in c) >= lack]
        if enough:
            return sorted(min(enough, key=lambda c: (sum(cards[x].value for x in c), c)))
    return []
