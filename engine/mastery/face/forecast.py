"""Battle forecast from public facts (MM-BAT-15, MM-SCP, MM-RET)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.core.asks import Seat
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.pieces import DIE, Card
from engine.mastery.rules.table import Table, lord_of_castle, targets, team, team_points, value, wins_with


class Clash(msgspec.Struct, frozen=True):
    """Forecast of a battle, before cards and dice."""

    defender: Seat
    knights: int
    """Defender's strength without bonuses."""
    attack: list[tuple[str, int]]
    """Attacker's bonuses by tile or sceptre."""
    defence: list[tuple[str, int]]
    matching: list[str]
    """Sceptres that can match the rival's knights."""
    value: int
    own: int
    """Points of the attacker's side if he wins."""
    rival: int
    """Points of the defender's side then."""
    wins: bool
    """It would win the game."""
    short: bool
    """Whether the loser surely loses the margin; Mayhem may reverse it (MM-OPT-14)."""
    orb: str
    """The defender's orb that takes one more knight then; '' if none (MM-ORB-2)."""

    @property
    def plus(self) -> int:
        return sum(n for _, n in self.attack)

    @property
    def meets(self) -> int:
        """Defender's initial score (MM-BAT-4, 5; MM-SCP)."""
        return self.knights + sum(n for _, n in self.defence)

    def scores(self, count: int) -> tuple[int, int]:
        return count + self.plus, self.meets


def clash(table: Table, seat: Seat, slot: str) -> Clash | None:
    """Forecast of an attack; None without defender."""
    siege = slot not in table.lands
    defender = lord_of_castle(table, slot) if siege else table.lands[slot].holder
    if not defender or defender in team(table, seat):
        return None
    fight = Battle(attacker=seat, defender=defender, slot=slot, siege=siege)
    added: dict[Seat, list[tuple[str, int]]] = {seat: [], defender: []}
    matching = []
    for side, bonus in zip((seat, defender), fight.by_place(table), strict=True):
        if bonus:
            added[side].append((fight.tile(table), bonus))
        if plus := fight.by_sceptre(table, side):
            added[side].append((table.lords[side].sceptre.name, plus))
        if fight.matches(table, side):
            matching.append(table.lords[side].sceptre.name)
    worth = 0 if siege else value(table, slot)
    own, rival = (team_points(table, side) for side in (seat, defender))
    return Clash(
        defender=defender,
        knights=fight.strength(table, defender),
        attack=added[seat],
        defence=added[defender],
        matching=matching,
        value=worth,
        own=own + worth,
        rival=rival - worth,
        wins=siege or wins_with(table, seat, slot),
        short=not table.options.mayhem,
        orb=brutal(table, defender),
    )


def brutal(table: Table, winner: Seat) -> str:
    """Face-up orb by which a winner takes one more knight; '' if none (MM-ORB-2)."""
    orb = table.lords[winner].orb
    return orb.name if orb.up and table.data.regalia[orb.name].effect == "LOSE_1_KNIGHT_IN_DISPUTE" else ""


def clashes(table: Table, seat: Seat) -> dict[str, Clash]:
    found = {slot: clash(table, seat, slot) for slot in targets(table, seat)}
    return {slot: one for slot, one in found.items() if one is not None}


def sinks(table: Table, seat: Seat, slot: str, knights: int = 1) -> bool:
    """Whether so many knights conquer a place and leave it vacant, without winning the game first (MM-TER-7, MM-AMB-41, 44)."""
    if slot not in table.lands or knights > 1 or "LOSE_1_KNIGHT_HERE" not in table.tile(slot).on_conquer:
        return False
    return table.ruled("MM-AMB-44") == "lost" and not (table.ruled("MM-AMB-41") == "first" and wins_with(table, seat, slot))


def supported(table: Table, fight: Battle, seat: Seat, cards: list[Card]) -> tuple[int, int]:
    """(own score, rival's) after these cards."""
    return fight.side_for(table, seat).score + sum(table.data.cards[c].value for c in cards), fight.side_against(
        table, seat
    ).score


def laid(table: Table, fight: Battle, seat: Seat, card: Card) -> tuple[int, int]:
    """Least and most own score, before support (MM-BAT-10)."""
    own = fight.side_for(table, seat).score
    value = table.data.cards[card].value if card else 0
    return (own + value, own + value) if value or not card else (own + 1, own + DIE)


def passed(table: Table, fight: Battle, seat: Seat) -> dict[str, Any]:
    """State after a pass: the next seat that may support (public facts), or winner and margin (MM-BAT-14, 15)."""
    then = msgspec.structs.replace(fight, order=list(fight.order), passed=list(fight.passed))
    then.pass_by(table, seat)
    asked = then.who_support(table)
    winner, margin = then.decision(table)
    return {"next": asked[0] if asked else "", "winner": winner, "margin": margin}
