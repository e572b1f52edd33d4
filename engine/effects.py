"""What goes into a run, and the effects that come out of it; see `engine.run.take`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.address import Address, Key
from engine.asks import Refused, Seat
from engine.match import Entry
from engine.views import Event
from engine.words import Sentence

# --- in ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Submitted:
    """An answer by hand. It is played, held to a safe point, or refused."""

    id: str
    seat: Seat
    to: Address
    kind: str
    move: str
    via: str
    at: datetime


@dataclass(frozen=True)
class Due:
    """Time to play the next answer that nobody is asked for; `overdue`: that of a passed deadline."""

    at: datetime
    overdue: bool = False


@dataclass(frozen=True)
class Commanded:
    """A change of the table, to be logged. `left`: a seat that its player leaves."""

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
    """Events without an entry. `now`: told with the newest entry so far; else with the last of the transaction."""

    events: Sequence[Event]
    now: bool


@dataclass(frozen=True)
class Asked:
    """The seat has to be asked again: its kept or hidden answer became illegal."""

    key: Key


@dataclass(frozen=True)
class Closed:
    """Answered, in the log or hidden."""

    key: Key
    via: str


@dataclass(frozen=True)
class Kept:
    """An answer to an open question is kept back until its deadline; "": no longer."""

    key: Key
    move: str
    via: str


@dataclass(frozen=True)
class Accepted:
    id: str


@dataclass(frozen=True)
class Held:
    """The submission waits for a safe point."""

    id: str


@dataclass(frozen=True)
class Rejected:
    id: str
    why: Sentence | None
    """None: the position had moved on."""


@dataclass(frozen=True)
class Dropped:
    """An automatic answer proved illegal."""

    seat: Seat
    via: str
    why: Refused


@dataclass(frozen=True)
class Owed:
    """A letter to a seat."""

    letter: str
    seat: Seat
    facts: Mapping[str, Any]


Effect = Logged | Told | Asked | Closed | Kept | Accepted | Held | Rejected | Dropped | Owed
