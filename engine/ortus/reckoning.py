"""The short game: a last round agreed on before, and who stands first after it (the house ruling OR-HOUSE-1).

After the Vikings' Turn of that round the game is over. An Earldom counts what it takes to destroy it, card by card: 3 for a
Palace, 2 for a Castle, 1 for a Property. Who counts most has won. Among equals more Lords go first, then more Army Cards, be
they in Reserve, in a garrison or in the Royal Army; who is equal in all of that has won together.
"""

from __future__ import annotations

from engine.asks import Seat
from engine.ortus.pieces import strength
from engine.ortus.table import Earl, Table
from engine.procedure import Outcome


def last_round(table: Table) -> int:
    """The number of the round after which the game is over; 0 where it goes on until one Earl is left (OR-WIN-1)."""
    ruled = table.ruled("OR-HOUSE-1")
    return int(ruled) if ruled != "none" else 0


def worth(earl: Earl) -> int:
    """What an Earldom counts."""
    return sum(strength(f.anchor) + len(f.properties) for f in earl.fiefs)


def _standing(table: Table, seat: Seat) -> tuple[int, int, int]:
    earl = table.earls[seat]
    lords = sum(f.lord is not None for f in earl.fiefs)
    army = len(earl.reserve) + sum(m.garrison is not None for m in earl.mercenaries)
    army += len(table.royal) if table.king == seat else 0
    return worth(earl), lords, army


def ranking(table: Table) -> dict[tuple[Seat, ...], tuple[int, ...]]:
    """The Earls who are alive, as a last round will rank them; nobody where none was agreed on (OR-WIN-1)."""
    return {(s,): _standing(table, s) for s in table.alive()} if last_round(table) and table.round else {}


def reckon(table: Table) -> None:
    """End the game by what the surviving Earldoms count; all that was counted is told."""
    standings = {s: _standing(table, s) for s in table.alive()}
    order = sorted(standings, key=lambda s: standings[s], reverse=True)
    for seat in order:
        points, lords, army = standings[seat]
        table.tell("reckoned", seat=seat, points=points, lords=lords, army=army)
    winners = tuple(s for s in standings if standings[s] == standings[order[0]])
    table.outcome = Outcome(winners, "last_round")
    table.tell("won_on_points", seats=list(winners), n=len(winners))
