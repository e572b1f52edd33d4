"""Luck in a finished match: fights won, and expected by their odds. Never for a running match: it reads secrets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.core import odds
from engine.core.asks import Seat, read
from engine.core.odds import Odds
from engine.play import match as matches

WORLDS = 10
"""Per fight: over a match their errors cancel out, and a page waits for it."""


@dataclass
class Luck:
    fights: int = 0
    won: int = 0
    expected: float = 0.0


def luck(header: matches.Header, seed: bytes, entries: Iterable[matches.Entry], worlds: int = WORLDS) -> dict[Seat, Luck]:
    """Replay a finished match; returns seats that fought. Raises Refused at the first bad entry."""
    match = matches.start(header, seed)
    face, rules, found = match.game.face, match.game.rules, dict[Seat, Luck]()
    open_: tuple[Seat, Odds] | None = None
    for entry in matches.standing(entries):
        seat, answer = entry.actor, read(entry.move or "") if entry.serial > matches.OFFER else None
        if answer is not None and f"{entry.ask}/{answer.option}" in face.begins:
            stakes = face.stakes(match.state, seat, answer)
            open_ = (seat, odds.count(stakes[0], seat, rules.redeal, rules.view, worlds)) if stakes else None
        for event in matches.apply(match, entry, trusted=True):
            result = face.verdict(event, open_[0]) if open_ is not None else None
            if open_ is not None and result is not None:
                _note(found, open_[1], result)
                open_ = None
    return found


def _note(found: dict[Seat, Luck], told: Odds, result: int) -> None:
    sides = ((told.fight.own, told.won, result), (told.fight.against if told.fight.mutual else (), told.lost, -result))
    for side, expected, came in sides:
        for seat in side:
            own = found.setdefault(seat, Luck())
            own.fights, own.won, own.expected = own.fights + 1, own.won + (came > 0), own.expected + expected / 100
