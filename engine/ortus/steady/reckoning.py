"""Estimates of forces, strength and attack odds from public facts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

from engine.core.asks import Seat
from engine.ortus.rules.combat import Battle
from engine.ortus.rules.pieces import SEND, kind
from engine.ortus.rules.table import Earl, Fief, Table
from engine.ortus.steady import weights as w


@dataclass(frozen=True, slots=True)
class Show:
    """Visible forces without Hand: points sent, cards that absorb a point."""

    points: float
    bodies: int
    mortal: int
    """Of these, cards killed by a point."""
    power: float
    """Overall strength."""


def show(table: Table, earl: Earl) -> Show:
    points, bodies, lords, lands, power = 0.0, 0, 0, 0, 0.0
    for fief in earl.fiefs:
        power += w.HOLDING[kind(fief.anchor)]
        if fief.lord is not None:
            lords += 1
            points += SEND[kind(fief.lord)]
            power += w.LORD[kind(fief.lord)]
        if fief.properties:
            lands += fief.capacity()
            for card in fief.properties:
                power += w.HOLDING[kind(card)]
    armed = min(len(earl.reserve), lands)
    bodies += armed
    points += armed * w.TROOP_SENDS
    for mercenary in earl.mercenaries:
        bodies += 1
        points += SEND["Mercenary"]
        if mercenary.garrison is not None:
            bodies += 1
            points += SEND[mercenary.garrison]
    if table.king == earl.seat:
        bodies += 1 + len(table.royal)
        points += 1.0 + sum(SEND[t] for t in table.royal)
    mortal, bodies = bodies - (table.king == earl.seat), bodies + lords
    power += 0.7 * points + 0.3 * bodies + w.TOWER * earl.walls + w.HIDDEN_CARD * len(earl.hand) + 0.05 * len(earl.deck)
    return Show(points, bodies, mortal, power)


class Reckoning:
    __slots__ = ("alive", "grudges", "mine", "own", "rivals", "shows", "table")

    def __init__(self, table: Table, seat: Seat) -> None:
        self.table, self.own = table, table.earls[seat]
        self.rivals = table.others(seat)
        self.alive = len(self.rivals) + 1
        self.shows = {e.seat: show(table, e) for e in self.rivals}
        self.mine = show(table, self.own)
        least, most = w.LEADER
        mean = sum(s.power for s in self.shows.values()) / max(1, len(self.shows))
        rivalry = w.RIVALRY.get(self.alive, 1.0)
        self.grudges = {e: rivalry * min(most, max(least, s.power / max(mean, 1.0))) for e, s in self.shows.items()}

    def removal(self, victim: Earl) -> float:
        return w.REMOVAL.get(self.alive, 0.0) * self.grudges[victim.seat]

    def loss(self, victim: Earl, fief: Fief) -> float:
        """Value of a rival's Fief; the last one eliminates him."""
        harm = worth(fief) * self.grudges[victim.seat]
        return harm + self.removal(victim) if len(victim.fiefs) == 1 else harm

    def threat(self) -> float:
        """A rival's strongest attack, less the own defence."""
        stand = self.own.walls + self.mine.bodies + w.FACE_ODDS * len(self.own.hand)
        blow = max((s.points + 0.4 * len(self.table.earls[e].hand) for e, s in self.shows.items()), default=0.0)
        return blow - stand


def worth(fief: Fief) -> float:
    lord = w.LORD[kind(fief.lord)] if fief.lord is not None else 0.0
    return w.HOLDING[kind(fief.anchor)] + lord + sum(w.HOLDING[kind(p)] for p in fief.properties)


@lru_cache(maxsize=64)
def faces(hand: int) -> tuple[float, ...]:
    """Binomial distribution of fieldable cards."""
    p, n = w.FACE_ODDS, min(hand, 16)
    return tuple(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))


def past(points: float, bodies: int, hand: int, needed: int) -> float:
    """Probability of `needed` points past the defence."""
    return sum(p for k, p in enumerate(faces(hand)) if points - bodies - k >= needed)


def overflow(points: float, bodies: int, hand: int, most: int) -> float:
    """Expected points past the defence, at most `most`."""
    return sum(p * min(most, points - bodies - k) for k, p in enumerate(faces(hand)) if points - bodies > k)


def judge(table: Table) -> Seat:
    """The Church's decider: Canterbury, Cathedral, most Churches."""
    who = Battle().who_church(table)
    return who[0] if who else ""


def battle_odds(table: Table, attacker: Seat, defender: Seat) -> tuple[float, float]:
    """Probability that the next Battle Card wins, for both sides."""
    left = table.battle.deck or table.battle.discard
    if not left:
        return 0.0, 0.0
    decider, church = judge(table), left.count("CD")
    wins = left.count("AW") + (church if decider == attacker else 0)
    loses = left.count("DW") + (church if decider == defender else 0)
    return wins / len(left), loses / len(left)
