"""What a battle begins with, before anybody has set out for it: from what everybody can see (MM-BAT-15, MM-SCP, MM-RET)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.asks import Seat
from engine.mastery.battle import Battle
from engine.mastery.pieces import DIE, Card
from engine.mastery.table import Table, lord_of_castle, points, target, targets, team, value


class Clash(msgspec.Struct, frozen=True):
    """A battle to come: what each side counts before cards and dice, and what it is about."""

    defender: Seat
    knights: int
    """What the defender counts as without what is added."""
    attack: list[tuple[str, int]]
    """What is added for the attacker: by the place, called by its tile, or by his sceptre."""
    defence: list[tuple[str, int]]
    matching: list[str]
    """Sceptres by which a side may count as many knights as the other."""
    value: int
    own: int
    """The points of the attacker's side if he wins."""
    rival: int
    """The points of the defender's side then."""
    wins: bool
    """Whether the game is won by it."""
    short: bool
    """Whether for sure as many of the loser fall as he is short: Mayhem may turn a battle (MM-OPT-14)."""

    @property
    def plus(self) -> int:
        """What the attacker begins with beside his knights"""
        return sum(n for _, n in self.attack)

    @property
    def meets(self) -> int:
        """and what the defender begins with (MM-BAT-4, 5; MM-SCP)."""
        return self.knights + sum(n for _, n in self.defence)

    def scores(self, count: int) -> tuple[int, int]:
        """What both begin with when so many knights attack."""
        return count + self.plus, self.meets


def clash(table: Table, seat: Seat, slot: str) -> Clash | None:
    """What an attack on a place would begin with; None where nobody holds it who could defend it."""
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
    own, rival = (sum(points(table, s) for s in team(table, side)) for side in (seat, defender))
    return Clash(
        defender=defender,
        knights=fight.strength(table, defender),
        attack=added[seat],
        defence=added[defender],
        matching=matching,
        value=worth,
        own=own + worth,
        rival=rival - worth,
        wins=siege or own + worth >= target(table),
        short=not table.options.mayhem,
    )


def clashes(table: Table, seat: Seat) -> dict[str, Clash]:
    """The battles that an advance of this lord could begin, by place."""
    found = {slot: clash(table, seat, slot) for slot in targets(table, seat)}
    return {slot: one for slot, one in found.items() if one is not None}


def supported(table: Table, fight: Battle, seat: Seat, cards: list[Card]) -> tuple[int, int]:
    """The scores when this lord has played these support cards, that of the side he is for first."""
    return fight.side_for(table, seat).score + sum(table.data.cards[c].value for c in cards), fight.side_against(
        table, seat
    ).score


def laid(table: Table, fight: Battle, seat: Seat, card: Card) -> tuple[int, int]:
    """The least and the most that this lord's side stands at with a conflict card of his, before support (MM-BAT-10)."""
    own = fight.side_for(table, seat).score
    value = table.data.cards[card].value if card else 0
    return (own + value, own + value) if value or not card else (own + 1, own + DIE)


def passed(table: Table, fight: Battle, seat: Seat) -> dict[str, Any]:
    """Who may support next when this lord has passed, as all can see; if nobody, who wins, and by how many (MM-BAT-14, 15)."""
    then = msgspec.structs.replace(fight, order=list(fight.order), passed=list(fight.passed))
    then.pass_by(table, seat)
    asked = then.who_support(table)
    winner, margin = then.decision(table)
    return {"next": asked[0] if asked else "", "winner": winner, "margin": margin}
