"""The short game: a last round agreed on before, and who stands first after it (the house ruling MM-AMB-56).

After the last turn of that round the game is over. Whoever has most points has won, in Allegiance the team with most points
together. Among equals more knights on the map go first; who is equal in that too has won together.
"""

from __future__ import annotations

from engine.asks import Seat
from engine.mastery.table import Table, held, points, team, win


def last_round(table: Table) -> int:
    """The number of the round after which the game is over; 0 where it has no end but a victory (MM-VIC-5)."""
    ruled = table.ruled("MM-AMB-56")
    return int(ruled) if ruled != "none" else 0


def on_map(table: Table, seat: str) -> int:
    """A lord's knights in his castle and his territories."""
    return table.lords[seat].knights + sum(table.lands[slot].knights for slot in held(table, seat))


def standings(table: Table) -> dict[tuple[Seat, ...], tuple[int, int]]:
    """The sides, lord by lord or team by team, with their points and their knights on the map."""
    teams = dict.fromkeys(tuple(team(table, seat)) for seat in table.order)
    return {side: (sum(points(table, s) for s in side), sum(on_map(table, s) for s in side)) for side in teams}


def ranking(table: Table) -> dict[tuple[Seat, ...], tuple[int, ...]]:
    """The sides by points (MM-VIC-1, 2); knights on the map part them only where a last round will (MM-AMB-56)."""
    parted = 2 if last_round(table) else 1
    return {side: standing[:parted] for side, standing in standings(table).items()}


def reckon(table: Table) -> None:
    """End the game by points; all that was counted is told."""
    sides = standings(table)
    for side in sorted(sides, key=lambda s: sides[s], reverse=True):
        table.tell("reckoned", seats=sorted(side), points=sides[side][0], knights=sides[side][1])
    best = max(sides.values())
    win(table, [seat for side, standing in sides.items() if standing == best for seat in side], "last_round")
