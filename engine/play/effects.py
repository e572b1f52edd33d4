"""Inputs and effects of `engine.play.run.take`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from engine.core.asks import Refused, Seat
from engine.core.views import Event
from engine.game import AnyState
from engine.language.words import Message
from engine.play.match import Entry
from engine.text.address import Address, Key

# --- in ---------------------------------------------------------------------------------------------------------------


class Submitted(Struct, frozen=True):
    """An answer by hand: played, held, or refused."""

    id: str
    seat: Seat
    to: Address
    kind: str
    move: str
    via: str
    at: datetime
    kept: Mapping[str, Any] = {}
    """What the caller gets back with a take-back; see `engine.play.taking_back.Step`."""


class TakenBack(Struct, frozen=True):
    """A seat takes back its last answer, submission `step`."""

    id: str
    seat: Seat
    step: str
    before: AnyState | None
    """The position before that answer, if it was logged. It becomes the run's own."""
    via: str
    at: datetime


class Due(Struct, frozen=True):
    """Play the next automatic answer, `overdue` or not."""

    at: datetime
    overdue: bool = False


class Commanded(Struct, frozen=True):
    """A change of the table, to be logged. `left`: the seat of a player who leaves."""

    actor: str
    words: str
    via: str
    events: Sequence[Event]
    at: datetime
    left: Seat = ""


# --- out --------------------------------------------------------------------------------------------------------------


class Logged(Struct, frozen=True):
    entry: Entry
    events: list[Event]


class Told(Struct, frozen=True):
    """Events without an entry. `now`: sent with the newest entry so far; else with the transaction's last."""

    events: Sequence[Event]
    now: bool


class Asked(Struct, frozen=True):
    """The seat is asked again: its answer became illegal."""

    key: Key


class Closed(Struct, frozen=True):
    """Answered, in the log or hidden."""

    key: Key
    via: str


class Kept(Struct, frozen=True):
    """An answer kept until its deadline; "": none any more."""

    key: Key
    move: str
    via: str


class Accepted(Struct, frozen=True):
    id: str


class Held(Struct, frozen=True):
    id: str


class Rejected(Struct, frozen=True):
    id: str
    why: Message | None
    """None: the position had moved on."""


class Dropped(Struct, frozen=True):
    seat: Seat
    via: str
    why: Refused


class Owed(Struct, frozen=True):
    letter: str
    seat: Seat
    facts: Mapping[str, Any]


Effect = Logged | Told | Asked | Closed | Kept | Accepted | Held | Rejected | Dropped | Owed
