"""Take-backs (undo). An answer is final once it drew, rolled or revealed something, or others were asked. The positions around
it show that, so a log with take-backs can be verified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from engine.core import offers
from engine.core.asks import Refused, Seat
from engine.core.chance import Chance
from engine.core.views import Event
from engine.game import AnyState, Game

OVER, ROLLED, SHOWN, DRAWN, ASKED = "over", "rolled", "shown", "drawn", "asked"
"""Reasons why an answer is final: the game ended, chance decided, something was revealed or drawn, others were asked."""
ACTED = "acted"
"""Others, a bot or an order have acted since."""

ENTRY, QUESTION = "entry", "question"
"""What a step was: an entry of the log, or an answer hidden until all have answered."""


class HiddenOffer(msgspec.Struct, frozen=True):
    """An offer outside the log, as text; see `engine.play.hidden.Taken`."""

    seat: Seat
    kind: str
    move: str
    via: str
    mark: str
    number: int


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    """Of its submission."""
    what: str
    n: int
    """Number of the entry, or of the question."""
    at: str
    """When it was given (ISO 8601)."""
    kept: dict[str, Any] = {}
    """What the caller restores: clocks."""
    folded: tuple[list[HiddenOffer], list[HiddenOffer]] | None = None
    """Hidden offers before and after it, if it changed them."""


class Trail(msgspec.Struct, frozen=True, omit_defaults=True):
    """A seat's last answers in a row, oldest first; void once the log has more than `n` entries."""

    n: int = 0
    steps: tuple[Step, ...] = ()
    why: str = ""
    """Why its last answer is final; "" if it isn't."""

    def last(self, n: int) -> Step | None:
        """The step to take back next, if the log has `n` entries."""
        return self.steps[-1] if self.steps and self.n == n else None

    def final(self, n: int) -> str:
        """Why the newest entry is final, if it is the seat's own."""
        return self.why if self.n == n else ""


Again = Callable[[AnyState], Sequence[Event]]
"""Plays the same answer in another position."""
TWINS = 4


def why_final(game: Game, before: AnyState, after: AnyState, seat: Seat, events: Sequence[Event], again: Again) -> str:
    """Why an answer can't be taken back; "" if it can. Others' hidden answers never matter."""
    if after.table.outcome is not None:
        return OVER
    if before.table.chance.drawn != after.table.chance.drawn:
        return ROLLED
    if not before.waiting == after.waiting == [seat] or offers.on(before.table) != offers.on(after.table):
        return ASKED
    if any(event.kind in game.rules.shows for event in events):
        return SHOWN
    if _unseen(game, before, seat) != _unseen(game, after, seat) or not _foreseen(game, before, after, seat, events, again):
        return DRAWN
    return ""


def _unseen(game: Game, state: AnyState, seat: Seat) -> dict[str, tuple[str, str]]:
    """Position lines that the seat can't see in full: (whole, as seen)."""
    whole, seen = (
        {line.partition(":")[0]: line for line in text.splitlines()}
        for text in (game.rules.notation.whole(state), game.rules.notation.seen(state, seat))
    )
    return {key: (whole[key], line) for key, line in seen.items() if whole.get(key, line) != line}


def _foreseen(game: Game, before: AnyState, after: AnyState, seat: Seat, events: Sequence[Event], again: Again) -> bool:
    """Whether the seat sees the same effects when all it doesn't know is redealt."""
    view, heard = game.rules.view(after, seat), [event for event in events if event.seen_by(seat)]
    for twin in (game.rules.redeal(before, seat, Chance(f"twin {i}")) for i in range(TWINS)):
        try:
            told = again(twin)
        except Refused:
            return False
        if twin.waiting != after.waiting or [event for event in told if event.seen_by(seat)] != heard:
            return False
        if game.rules.view(twin, seat) != view:
            return False
    return True
