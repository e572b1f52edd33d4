"""What a seat can count at the table: what others can field, how strong each stands, how likely an attack gets through."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

from engine.asks import Seat
from engine.ortus.combat import Battle
from engine.ortus.ids import kind
from engine.ortus.pieces import SEND
from engine.ortus.steady import weights as w
from engine.ortus.table import Earl, Fief, Table


@dataclass(frozen=True, slots=True)
class Show:
    """What everybody can see that an Earl fields without his Hand: the points that it sends, the cards that take one."""

    points: float
    bodies: int
    mortal: int
    """Those of them that a point kills."""
    power: float
    """How strong he stands, all in all."""


def show(table: Table, earl: Earl) -> Show:
    """Count an Earl's forces; of a Reserve its number alone, as others see it."""
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
    """The table as one seat counts it, for one question."""

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
        """What it is worth that this Earl is out."""
        return w.REMOVAL.get(self.alive, 0.0) * self.grudges[victim.seat]

    def loss(self, victim: Earl, fief: Fief) -> float:
        """What it is worth that a rival loses a whole Fief; his last one takes him out."""
        harm = worth(fief) * self.grudges[victim.seat]
        return harm + self.removal(victim) if len(victim.fiefs) == 1 else harm

    def threat(self) -> float:
        """How far the strongest blow that a rival may land gets past what stands here."""
        stand = self.own.walls + self.mine.bodies + w.FACE_ODDS * len(self.own.hand)
        blow = max((s.points + 0.4 * len(self.table.earls[e].hand) for e, s in self.shows.items()), default=0.0)
        return blow - stand


def worth(fief: Fief) -> float:
    """A Fief with all that lies in it."""
    lord = w.LORD[kind(fief.lord)] if fief.lord is not None else 0.0
    return w.HOLDING[kind(fief.anchor)] + lord + sum(w.HOLDING[kind(p)] for p in fief.properties)


@lru_cache(maxsize=64)
def faces(hand: int) -> tuple[float, ...]:
    """For 0, 1, 2 ... how likely just so many cards of a hidden Hand can be fielded."""
    p, n = w.FACE_ODDS, min(hand, 16)
    return tuple(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1))


def past(points: float, bodies: int, hand: int, needed: int) -> float:
    """How likely so many points leave `needed` past all that can be fielded against them."""
    return sum(p for k, p in enumerate(faces(hand)) if points - bodies - k >= needed)


def overflow(points: float, bodies: int, hand: int, most: int) -> float:
    """How many points get past all that can be fielded against them, on the average, `most` at most."""
    return sum(p * min(most, points - bodies - k) for k, p in enumerate(faces(hand)) if points - bodies > k)


def judge(table: Table) -> Seat:
    """Who would decide for the Church now: who is in Canterbury, else holds the Cathedral, else most Churches."""
    who = Battle().who_church(table)
    return who[0] if who else ""


def battle_odds(table: Table, attacker: Seat, defender: Seat) -> tuple[float, float]:
    """How likely the next Battle Card lets the attacker win, and the defender, by the cards that are left."""
    left = table.battle.deck or table.battle.discard
    if not left:
        return 0.0, 0.0
    decider, church = judge(table), left.count("CD")
    wins = left.count("AW") + (church if decider == attacker else 0)
    loses = left.count("DW") + (church if decider == defender else 0)
    return wins / len(left), loses / len(left)
