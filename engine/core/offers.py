"""Offers: powers, and proposals between players; neither blocks the game. See docs/offers.md.

A *power* is listed in `Powers.open` and used by `Powers.use`. A *proposal* is a struct on the table's `Desk` (field
`proposals`). Its number encodes the circle of seats that know it and is counted per circle, so it reveals nothing of hidden
proposals; rows, forms and logs store it negative. While a procedure `waits`, offers are queued to the next safe point.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from engine.core.asks import Answer, Ask, Cell, Field, NotLegal, Option, Seat, check, illegal_if
from engine.core.procedure import Procedure, State, waits
from engine.language.words import say

WITHDRAW = "withdraw"
"""Option by which the proposer withdraws."""
AMEND = "amend"
"""Option by which he changes the terms; the new number prevents accepting terms unseen."""
CIRCLE = 64
"""Numbers are multiples of this plus a bit mask of seats; mask 0 is all, spectators too."""


class Proposal(msgspec.Struct, tag=True, kw_only=True):
    """Base class. Override `ask` for more than yes or no, `vet`, `take`, `lapse`. Only the last two change state."""

    kind: ClassVar[str] = ""
    """Key of the game's labels and logs; by default the class's name in small letters."""
    rule: ClassVar[str] = ""
    timed: ClassVar[bool] = True
    """Whether a deadline may end it."""
    by: Seat
    to: list[Seat]
    """Seats that haven't answered."""
    only: list[Seat] | None = None
    """Seats that know of it; None: all."""
    until: str = ""
    """Game moment at which it expires (`round 3`); "" for none. A deadline may come first."""
    number: int = 0

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.kind:
            cls.kind = cls.__name__.lower()

    def about(self) -> Mapping[str, Cell]:
        """Facts for the wording: proposer and terms."""
        terms = [name for name in self.__struct_fields__ if name not in Proposal.__struct_fields__]
        return {"by": self.by, **{name: getattr(self, name) for name in terms}}

    def reveals(self) -> Mapping[Seat, Sequence[str]]:
        """Holder -> hidden pieces named by its terms; redealing leaves them there for its circle."""
        return {}

    def ask(self, table: Any, seat: Seat) -> Ask:
        """An addressee's ask; the default is for the deadline."""
        options = (Option("accept"), Option("refuse"))
        return Ask(seat, self.kind, options, Answer("refuse"), self.rule, self.about())

    def vet(self, table: Any, seat: Seat, answer: Answer) -> None:
        """Raise NotLegal."""

    def take(self, table: Any, seat: Seat, answer: Answer) -> Procedure | None:
        """Apply an answer. Empty `to` to close it for the others."""
        return None

    def lapse(self, table: Any, how: str) -> None:
        """Log its end without an answer; `how` is `withdrawn`, `amended`, `void` or its moment."""

    def terms(self, table: Any) -> Sequence[Field]:
        return ()

    def amended(self, table: Any, answer: Answer) -> Proposal:
        """The amended proposal, without changes of state. Raises NotLegal."""
        return self

    def stands(self, table: Any) -> bool:
        """Whether it can still be accepted; see `weed`."""
        return True


P = TypeVar("P", bound=Proposal)


class Desk(msgspec.Struct, Generic[P]):
    """A table's open proposals, oldest first."""

    open: list[P] = []
    counted: dict[int, int] = {}
    """Circle's mask -> number ever put."""

    def hide(self, seats: Sequence[Seat], seat: Seat | None) -> None:
        """Remove what the seat may not know, from a redealt copy."""
        self.open = [p for p in self.open if p.only is None or seat in p.only]
        bit = 1 << seats.index(seat) if seat is not None else 0
        self.counted = {mask: n for mask, n in self.counted.items() if not mask or mask & bit}


class HasDesk(Protocol):
    seats: list[Seat]
    proposals: Desk[Any]


# --- for rules --------------------------------------------------------------------------------------------------------


def put(table: HasDesk, proposal: Proposal) -> int:
    """Add a proposal; returns its number. Raises ValueError for invalid addressees or circle."""
    circle = proposal.only
    if not proposal.to or proposal.by in proposal.to or not {*proposal.to, *(circle or ())} <= {*table.seats}:
        raise ValueError(f"a proposal of {proposal.by} to {proposal.to} is put to nobody who could answer it")
    if circle is not None and not {proposal.by, *proposal.to} <= {*circle}:
        raise ValueError(f"a proposal of {proposal.by} to {proposal.to} has to be known to them all, not to {circle}")
    mask = 0 if circle is None else sum(1 << i for i, seat in enumerate(table.seats) if seat in circle)
    desk = table.proposals
    desk.counted[mask] = desk.counted.get(mask, 0) + 1
    proposal.number = desk.counted[mask] * CIRCLE + mask
    desk.open.append(proposal)
    return proposal.number


def skip(table: HasDesk, circle: Sequence[Seat], count: int) -> None:
    """Advance a circle's counter past unlogged proposals."""
    mask = sum(1 << i for i, seat in enumerate(table.seats) if seat in circle)
    table.proposals.counted[mask] = table.proposals.counted.get(mask, 0) + count


def end(table: HasDesk, moment: str) -> None:
    """Expire proposals of this moment."""
    for proposal in [p for p in table.proposals.open if p.until == moment]:
        table.proposals.open.remove(proposal)
        proposal.lapse(table, moment)


def weed(table: HasDesk) -> None:
    """Void proposals that can't be accepted any more; call after changes."""
    for proposal in [p for p in table.proposals.open if p.to and not p.stands(table)]:
        drop(table, proposal.number, "void")


def counter(table: HasDesk, proposal: P, seat: Seat, **terms: Any) -> int:
    """Counter-propose to the proposer, same circle and life; returns the number."""
    fresh = msgspec.structs.replace(proposal, by=seat, to=[proposal.by], **terms)
    return put(table, fresh)


def addressed(table: HasDesk, kind: str = "") -> list[Seat]:
    """Seats with unanswered proposals; asking steps wait for them."""
    waiting = {seat for p in table.proposals.open if not kind or p.kind == kind for seat in p.to}
    return [seat for seat in table.seats if seat in waiting]


def drop(table: HasDesk, number: int, how: str) -> None:
    """Remove a proposal if open."""
    proposal = found(table, number)
    if proposal is not None:
        table.proposals.open.remove(proposal)
        proposal.lapse(table, how)


def kinds(state: Any) -> list[str]:
    """Kinds of proposals in a state type `State[Table, Procedures]`."""
    desk = typing.get_type_hints(typing.get_args(state)[0]).get("proposals")
    held = typing.get_args(desk)[0] if typing.get_args(desk) else None
    return [kind.kind for kind in (typing.get_args(held) or (held,)) if isinstance(kind, type) and issubclass(kind, Proposal)]


def found(table: Any, number: int) -> Any | None:
    return next((p for p in on(table) if p.number == number), None)


# --- for the kernel ---------------------------------------------------------------------------------------------------


def on(table: Any) -> Sequence[Any]:
    """Open proposals; () if the game has none."""
    desk = getattr(table, "proposals", None)
    return desk.open if isinstance(desk, Desk) else ()


def circle_of(number: int, seats: Sequence[Seat]) -> tuple[Seat, ...] | None:
    """Seats that know of a proposal; None: all."""
    mask = number % CIRCLE
    return tuple(seat for i, seat in enumerate(seats) if mask >> i & 1) if mask else None


def proposals(state: State[Any, Any], seat: Seat, ahead: bool = False) -> list[tuple[int, Ask]]:
    """(number, ask) of proposals to the seat, oldest first. `ahead`: also those waiting for a safe point."""
    to_seat = [p for p in on(state.table) if seat in p.to]
    return [(p.number, p.ask(state.table, seat)) for p in to_seat if ahead or not waits(state, seat, p.kind)]


def own(state: State[Any, Any], seat: Seat, ahead: bool = False) -> list[tuple[int, Ask]]:
    """(number, ask) of own proposals, to withdraw or amend."""
    by_seat = [p for p in on(state.table) if p.by == seat]
    return [(p.number, _to_proposer(state.table, p)) for p in by_seat if ahead or not waits(state, seat, p.kind)]


def _to_proposer(table: Any, p: Proposal) -> Ask:
    terms = tuple(p.terms(table))
    options = (Option(WITHDRAW), Option(AMEND, terms)) if terms else (Option(WITHDRAW),)
    return Ask(p.by, p.kind, options, Answer(WITHDRAW), p.rule, {**p.about(), "to": list(p.to)})


def checked(state: State[Any, Any], seat: Seat, number: int, answer: Answer, ahead: bool = False) -> Answer:
    """Validate and normalise an answer to a proposal. Raises Refused."""
    proposal = found(state.table, number)
    if proposal is None or seat not in (proposal.by, *proposal.to):
        raise NotLegal(say("match.proposal_gone"))
    illegal_if(not ahead and waits(state, seat, proposal.kind), "match.frozen")
    if seat == proposal.by:
        answer = check(_to_proposer(state.table, proposal), answer)
        if answer.option == AMEND:
            proposal.amended(state.table, answer)
        return answer
    answer = check(proposal.ask(state.table, seat), answer)
    proposal.vet(state.table, seat, answer)
    return answer


def powers(state: State[Any, Any], listed: Iterable[Ask]) -> list[Ask]:
    return [ask for ask in listed if not waits(state, ask.seat, ask.kind)]


def take(state: State[Any, Any], seat: Seat, number: int, answer: Answer) -> None:
    """Play a validated answer; may push a procedure."""
    proposal = found(state.table, number)
    assert proposal is not None
    if seat == proposal.by:
        if answer.option == AMEND:
            better = proposal.amended(state.table, answer)
            drop(state.table, number, "amended")
            put(state.table, better)
        else:
            drop(state.table, number, "withdrawn")
        return
    proposal.to.remove(seat)
    if not proposal.to:
        state.table.proposals.open.remove(proposal)
    opened = proposal.take(state.table, seat, answer)
    if not proposal.to and proposal in state.table.proposals.open:
        state.table.proposals.open.remove(proposal)
    if opened is not None:
        state.stack.append(opened)
