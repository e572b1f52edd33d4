"""Short game: an agreed last round (house ruling OR-HOUSE-1). Scores: 3 per Palace, 2 per Castle, 1 per Property. Ties: Lords,
then Army Cards in Reserve, garrison or Royal Army, then shared.
"""

from __future__ import annotations

from engine.core.asks import Seat
from engine.core.procedure import Outcome
from engine.ortus.rules.pieces import strength
from engine.ortus.rules.table import Earl, Table


def last_round(table: Table) -> int:
    """Last round; 0: play until one is left (OR-WIN-1)."""
    ruled = table.ruled("OR-HOUSE-1")
    return int(ruled) if ruled != "none" else 0


def worth(earl: Earl) -> int:
    return sum(strength(f.anchor) + len(f.properties) for f in earl.fiefs)


def _standing(table: Table, seat: Seat) -> tuple[int, int, int]:
    earl = table.earls[seat]
    lords = sum(f.lord is not None for f in earl.fiefs)
    army = len(earl.reserve) + sum(m.garrison is not None for m in earl.mercenaries)
    army += len(table.royal) if table.king == seat else 0
    return worth(earl), lords, army


def ranking(table: Table) -> dict[tuple[Seat, ...], tuple[int, ...]]:
    """Survivors by score; empty without a last round (OR-WIN-1)."""
    return {(s,): _standing(table, s) for s in table.alive()} if last_round(table) and table.round else {}


def reckon(table: Table) -> None:
    standings = {s: _standing(table, s) for s in table.alive()}
    order = sorted(standings, key=lambda s: standings[s], reverse=True)
    for seat in order:
        points, lords, army = standings[seat]
        table.tell("reckoned", seat=seat, points=points, lords=lords, army=army)
    winners = tuple(s for s in standings if standings[s] == standings[order[0]])
    table.outcome = Outcome(winners, "last_round")
    table.tell("won_on_points", seats=list(winners), n=len(winners))
