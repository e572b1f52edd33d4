"""The short game: a last round agreed on before, and who stands first after it (the house ruling MM-AMB-56).

After the last turn of that round the game is over. Whoever has most points has won, in Allegiance the team with most points
together. Among equals more knights on the map go first; who is equal in that too has won together.
"""

from __future__ import annotations

from engine.mastery.table import Table, held, points, team, win


def last_round(table: Table) -> int:
    """The number of the round after which the game is over; 0 where it has no end but a victory (MM-VIC-5)."""
    ruled = table.ruled("MM-AMB-56")
    return int(ruled) if ruled != "none" else 0


def on_map(table: Table, seat: str) -> int:
    """A lord's knights in his castle and his territories."""
    return table.lords[seat].knights + sum(table.lands[slot].knights for slot in held(table, seat))


def reckon(table: Table) -> None:
    """End the game by points; all that was counted is told."""
    teams = dict.fromkeys(tuple(team(table, seat)) for seat in table.order)
    sides = {side: (sum(points(table, s) for s in side), sum(on_map(table, s) for s in side)) for side in teams}
    for side in sorted(sides, key=lambda s: sides[s], reverse=True):
        table.tell("reckoned", seats=sorted(side), points=sides[side][0], knights=sides[side][1])
    best = max(sides.values())
    win(table, [seat for side, standing in sides.items() if standing == best for seat in side], "last_round")
