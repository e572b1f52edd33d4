"""Positions of Medieval Mastery to play from: written as text, played with answers as text and the chance that a test says."""

from __future__ import annotations

import json
from typing import Any

from engine.games import game_called
from engine.mastery.face import notation
from engine.mastery.face.view import in_view
from engine.mastery.rules.battle import Battle
from engine.mastery.rules.cards import pile
from engine.mastery.rules.pieces import TEXT
from engine.mastery.rules.table import Land, Lord, Table, need, points, supplied, targets
from engine.play.cases import Scripted
from tests import scene


def other_deck(**copies: int) -> str:
    """A position's first line for a game with other copies of some cards (`CALL_TO_ARMS=2`); 18 in all they stay."""
    data = json.loads(TEXT)
    for card in data["deck"]["cards"]:
        card["copies"] = copies.get(card["id"], card["copies"])
    return f"lore: {json.dumps(data)}\n"


TWICE = other_deck(CALL_TO_ARMS=2, FRACTURE=2, CONFLICT_2=1, SUPPORT_1=1)
"""Two Calls to Arms and two Fractures in each deck, a Conflict 2 and a Support +1 fewer."""
NAMES = {s: f"Lord {s.upper()}" for s in "abcdef"}


def script(chance: dict[str, list[str]] | None) -> Scripted:
    """Chance as a test says it: purpose to draws, each a line of words (`arena`: what is drawn *below* six, so die - 1)."""
    said = {purpose: [line.split() for line in lines] for purpose, lines in (chance or {}).items()}
    return Scripted("scene", {}, said)


def rolls(*dice: int) -> list[str]:
    """Dice for `script`."""
    return [str(d - 1) for d in dice]


class Scene(scene.Scene[Table]):
    """A position of Medieval Mastery; a march without a battle leaves the turn open (MM-DEC-4) unless the text rules it."""

    def __init__(self, text: str, seats: str = "a b", chance: dict[str, list[str]] | None = None) -> None:
        state = notation.read(f"mastery: 1\nseats: {seats}\n{text}")
        if "MM-DEC-4" not in text:
            state.table.rulings["MM-DEC-4"] = "always"
        state.table.chance = script(chance)
        super().__init__(state, "mastery")

    @property
    def battle(self) -> Battle:
        return next(p for p in reversed(self.state.stack) if isinstance(p, Battle))

    @property
    def scores(self) -> tuple[int, int]:
        """Attacker's and defender's score of the battle under way."""
        return self.battle.att.score, self.battle.dfd.score

    @property
    def winners(self) -> list[str]:
        """Who has won; nobody while the game goes on."""
        outcome = self.table.outcome
        return list(outcome.winners) if outcome is not None else []

    def lord(self, seat: str) -> Lord:
        return self.table.lords[seat]

    def land(self, slot: str) -> str:
        """`Fort a 3`, or `Fort` when it is vacant."""
        land: Land = self.table.lands[slot]
        return f"{land.tile} {land.holder} {land.knights}" if land.holder else land.tile

    def knights(self, seat: str) -> int:
        """The knights in a castle."""
        return self.lord(seat).knights

    def hand(self, seat: str) -> list[str]:
        return sorted(self.lord(seat).hand)

    def deck(self, seat: str) -> list[str]:
        """The top card first."""
        return self.lord(seat).deck[::-1]

    def pile(self, seat: str) -> list[str]:
        return sorted(pile(self.lord(seat)))

    def stamps(self, seat: str) -> list[tuple[str, int]]:
        """The discard pile with its stamps, the oldest first."""
        return [(d.card, d.turn) for d in self.lord(seat).discard]

    def sizes(self, seat: str) -> tuple[int, int, int]:
        """Hand, deck, discard pile."""
        lord = self.lord(seat)
        return len(lord.hand), len(lord.deck), len(lord.discard)

    def whole(self, seat: str) -> int:
        """All cards of a lord, those in play included."""
        lord = self.lord(seat)
        return len(lord.hand) + len(lord.deck) + len(in_view(self.state, lord))

    def up(self, artefact: str) -> bool:
        return self.table.artefact(artefact).up

    def down(self, artefact: str) -> int:
        """The turn of destruction."""
        return self.table.artefact(artefact).down

    def points(self, seat: str) -> int:
        return points(self.table, seat)

    def need(self, seat: str) -> int:
        return need(self.table, seat)

    def supplied(self, seat: str) -> set[str]:
        return supplied(self.table, seat)

    def targets(self, seat: str) -> list[str]:
        return targets(self.table, seat)

    def kinds(self) -> list[str]:
        """The kinds of all events, in order."""
        return [e.kind for e in self.log]

    def heard(self, seat: str | None) -> list[str]:
        """What a seat (None: a spectator) was told, in words."""
        tell = game_called("mastery").words.tell
        return [tell(e, NAMES, None) for e in self.log if e.seen_by(seat)]

    def seen(self, seat: str | None) -> dict[str, Any]:
        """The view of a seat."""
        return game_called("mastery").rules.view(self.state, seat)


# --- battles ----------------------------------------------------------------------------------------------------------

HAND = "Conflict2, Conflict3, Conflict4, Conflict5, Ambush, Support1, Support2"
"""Seven cards: whoever holds them draws none in a battle."""


def battle(
    tile: str = "Forest",
    send: int = 4,
    there: int = 3,
    text: str = "",
    a: str = HAND,
    b: str = HAND,
    chance: dict[str, list[str]] | None = None,
    seats: str = "a b",
    slot: str = "B1",
    spare: int = 0,
    lore: str = "",
) -> Scene:
    """Lord a sends knights into a territory of lord b, which touches the castle of a, and keeps `spare` of them at home."""
    zones = f"{lore}a: knights={send + spare}\na.hand: {a}\nb.hand: {b}\n{slot}: {tile} b {there}\n{text}"
    # What the text says goes before what is usual.
    last = {line.partition(":")[0]: line for line in zones.splitlines() if line}
    zones = "\n".join(last.values())
    return Scene(zones, seats, chance).play(f"a: march target={slot} knights={send}")
