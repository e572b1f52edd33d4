"""Addresses of answers: a question, a power, or a proposal.

Columns, forms and the log store a serial: a question's number (> 0), 0 for a power, a proposal's number negated. Only `read`
and `stored` use serials.
"""

from __future__ import annotations

from msgspec import Struct

from engine.core.asks import SEATS, Seat
from engine.core.offers import CIRCLE


class Question(Struct, frozen=True):
    n: int


class Power(Struct, frozen=True):
    kind: str


class Proposal(Struct, frozen=True):
    circle: str
    """Seats that know of it; "" for all."""
    n: int
    """Counted for each circle."""

    @property
    def number(self) -> int:
        return self.n * CIRCLE + sum(1 << SEATS.index(seat) for seat in self.circle)


Address = Question | Power | Proposal
Key = tuple[Seat, Address]
"""Seat that answers, and what it answers."""


def proposal(number: int) -> Proposal:
    """Address of a proposal by its number on the table's desk."""
    n, mask = divmod(number, CIRCLE)
    return Proposal("".join(seat for i, seat in enumerate(SEATS) if mask >> i & 1), n)


def read(serial: int, kind: str = "") -> Address:
    """Address of a serial; `kind` names a power."""
    if serial > 0:
        return Question(serial)
    return proposal(-serial) if serial else Power(kind)


def stored(address: Address) -> int:
    """Serial of an address; inverse of `read`."""
    match address:
        case Question(n):
            return n
        case Proposal():
            return -address.number
        case _:
            return 0


def number(address: Address) -> int:
    """A proposal's number on the table's desk; 0 for a power."""
    return address.number if isinstance(address, Proposal) else 0
