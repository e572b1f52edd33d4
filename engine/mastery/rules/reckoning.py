"""Short game: most points of a lord or team after an agreed last round (house ruling MM-AMB-56); ties by knights on the map,
then shared.
"""

from __future__ import annotations

from engine.core.asks import Seat
from engine.mastery.rules.table import Table, held, points, team, win


def last_round(table: Table) -> int:
    """Last round; 0 if only victory ends the game (MM-VIC-5)."""
    ruled = table.ruled("MM-AMB-56")
    return int(ruled) if ruled != "none" else 0


def on_map(table: Table, seat: str) -> int:
    return table.lords[seat].knights + sum(table.lands[slot].knights for slot in held(table, seat))


def standings(table: Table) -> dict[tuple[Seat, ...], tuple[int, int]]:
    """Side -> points and knights on the map."""
    teams = dict.fromkeys(tuple(team(table, seat)) for seat in table.order)
    return {side: (sum(points(table, s) for s in side), sum(on_map(table, s) for s in side)) for side in teams}


def ranking(table: Table) -> dict[tuple[Seat, ...], tuple[int, ...]]:
    """Side -> points (MM-VIC-1, 2); with a last round, knights break ties (MM-AMB-56)."""
    parted = 2 if last_round(table) else 1
    return {side: standing[:parted] for side, standing in standings(table).items()}


def reckon(table: Table) -> None:
    sides = standings(table)
    for side in sorted(sides, key=lambda s: sides[s], reverse=True):
        table.tell("reckoned", seats=sorted(side), points=sides[side][0], knights=sides[side][1])
    best = max(sides.values())
    win(table, [seat for side, standing in sides.items() if standing == best for seat in side], "last_round")
