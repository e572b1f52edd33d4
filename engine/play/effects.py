"""Inputs and effects of `engine.play.run.take`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.core.asks import Refused, Seat
from engine.core.views import Event
from engine.core.words import Message
from engine.game import AnyState
from engine.play.match import Entry
from engine.text.address import Address, Key

# --- in ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Submitted:
    """An answer by hand: played, held, or refused."""

    id: str
    seat: Seat
    to: Address
    kind: str
    move: str
    via: str
    at: datetime
    kept: Mapping[str, Any] = field(default_factory=dict)
    """What the caller wants back if it is taken back; see `engine.play.taking_back.Step`."""


@dataclass(frozen=True)
class TakenBack:
    """A seat takes back its last answer, submission `step`."""

    id: str
    seat: Seat
    step: str
    before: AnyState | None
    """The position before that answer, if it was logged. It becomes the run's own."""
    via: str
    at: datetime


@dataclass(frozen=True)
class Due:
    """Play the next automatic answer, `overdue` or not."""

    at: datetime
    overdue: bool = False


@dataclass(frozen=True)
class Commanded:
    """A change of the table, to be logged. `left`: a seat whose player leaves."""

    actor: str
    words: str
    via: str
    events: Sequence[Event]
    at: datetime
    left: Seat = ""


# --- out --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Logged:
    entry: Entry
    events: list[Event]


@dataclass(frozen=True)
class Told:
    """Events without an entry. `now`: sent with the newest entry so far; else with the transaction's last."""

    events: Sequence[Event]
    now: bool


@dataclass(frozen=True)
class Asked:
    """The seat is asked again: its kept or hidden answer became illegal."""

    key: Key


@dataclass(frozen=True)
class Closed:
    """Answered, in the log or hidden."""

    key: Key
    via: str


@dataclass(frozen=True)
class Kept:
    """An answer kept until its deadline; "": none any more."""

    key: Key
    move: str
    via: str


@dataclass(frozen=True)
class Accepted:
    id: str


@dataclass(frozen=True)
class Held:
    id: str


@dataclass(frozen=True)
class Rejected:
    id: str
    why: Message | None
    """None: the position had moved on."""


@dataclass(frozen=True)
class Dropped:
    seat: Seat
    via: str
    why: Refused


@dataclass(frozen=True)
class Owed:
    letter: str
    seat: Seat
    facts: Mapping[str, Any]


Effect = Logged | Told | Asked | Closed | Kept | Accepted | Held | Rejected | Dropped | Owed
