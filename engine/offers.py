"""What stands open beside the questions: powers, and proposals that one player puts to others.

A *power* is a seat's own (a card to play, a thing to do at any time); the game lists it in `Game.offers` and takes it in
`Game.take_offer`. A *proposal* is a question that somebody put to others, and that holds nothing up: a small struct that lies
on the game's table from the moment it is `put` until every addressee has answered it, its proposer withdraws it, or its life
ends. The table keeps all of them on a `Desk`, in a field called `proposals`; a game without one has no proposals.

A proposal has a number, which no later one ever has: whoever answers says which one he means. Numbers are counted for each
circle of seats that know of a proposal, so that none tells of those which are put behind somebody's back; and the number
says who is in the circle. In rows, forms and logs it is negative, for the numbers of asking steps are positive.

While a procedure is under way for which it `waits` (a chain, say), nothing of all this can be taken. What a player sends
meanwhile is taken at the next safe point, in the order in which it came: see `workers.adjudication`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from engine.asks import Answer, Ask, Cell, Field, NotLegal, Option, Seat, check
from engine.procedure import Procedure, State, waits
from engine.words import say

WITHDRAW = "withdraw"
"""The option by which a proposer takes back what he has put."""
AMEND = "amend"
"""The option by which he puts it anew, in other terms: under a new number, so that nobody accepts what he has not seen."""
CIRCLE = 64
"""Numbers count circles of seats in steps of this: a bit for each of six seats below it; no bit is all, spectators too."""


class Proposal(msgspec.Struct, tag=True, kw_only=True):
    """Base of all proposals: who put it to whom, who knows of it, how long it stands. What is proposed are a game's own fields.

    A game overrides `ask` where more can be answered than yes or no, `vet` to refuse what fields can't say, `take` for what an
    answer does, and `lapse` to tell that its life is over. None but `take` and `lapse` changes anything.
    """

    kind: ClassVar[str] = "proposal"
    """What the game's labels and logs call it."""
    rule: ClassVar[str] = ""
    timed: ClassVar[bool] = True
    """Whether the clock may end its life; else the game alone does."""
    by: Seat
    to: list[Seat]
    """Those who may answer still."""
    only: list[Seat] | None = None
    """Who knows of it: proposer and addressees, and maybe others; None: all."""
    until: str = ""
    """The moment of the game at which its life ends (`round 3`, say); the clock may end it before. Empty: no such moment."""
    number: int = 0

    def about(self) -> Mapping[str, Cell]:
        """Ids for the wording, as an Ask has them."""
        return {"by": self.by}

    def ask(self, table: Any, seat: Seat) -> Ask:
        """The question to an addressee. Its default is what happens when the clock ends its life: the safe outcome."""
        options = (Option("accept"), Option("refuse"))
        return Ask(seat, self.kind, options, Answer("refuse"), self.rule, self.about())

    def vet(self, table: Any, seat: Seat, answer: Answer) -> None:
        """Raise NotLegal for an answer that the fields allow and the position doesn't."""

    def take(self, table: Any, seat: Seat, answer: Answer) -> Procedure | None:
        """What an addressee's answer does; a procedure that it opens. Whoever takes it for all the others empties `to`."""
        return None

    def lapse(self, table: Any, how: str) -> None:
        """Tell that it ended without an answer: `how` is `withdrawn`, `amended`, `void`, or the moment at which its life was
        over."""

    def terms(self, table: Any) -> Sequence[Field]:
        """What its proposer may amend while it lies open; nothing, if he has to withdraw it and propose anew."""
        return ()

    def amended(self, table: Any, answer: Answer) -> Proposal:
        """What takes its place when its proposer amends it. Raises NotLegal for what fields can't say; changes nothing."""
        return self

    def stands(self, table: Any) -> bool:
        """Whether it could still be accepted; see `weed`."""
        return True


P = TypeVar("P", bound=Proposal)


class Desk(msgspec.Struct, Generic[P]):
    """The proposals that lie open on a table, in the order in which they were put."""

    open: list[P] = []
    counted: dict[int, int] = {}
    """Circle of seats -> how many were ever put in it."""

    def hide(self, seats: Sequence[Seat], seat: Seat | None) -> None:
        """Take away what the seat may not know of, from a copy that is dealt anew for it."""
        self.open = [p for p in self.open if p.only is None or seat in p.only]
        bit = 1 << seats.index(seat) if seat is not None else 0
        self.counted = {mask: n for mask, n in self.counted.items() if not mask or mask & bit}


class HasDesk(Protocol):
    """A table with proposals on it."""

    seats: list[Seat]
    proposals: Desk[Any]


# --- for rules --------------------------------------------------------------------------------------------------------


def put(table: HasDesk, proposal: Proposal) -> int:
    """Lay a proposal on the table; its number. Raises ValueError for one that nobody could answer, or not all may know of."""
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
    """Count proposals of a circle that have come and gone without leaving anything but their numbers."""
    mask = sum(1 << i for i, seat in enumerate(table.seats) if seat in circle)
    table.proposals.counted[mask] = table.proposals.counted.get(mask, 0) + count


def end(table: HasDesk, moment: str) -> None:
    """End the life of every proposal that stands until this moment."""
    for proposal in [p for p in table.proposals.open if p.until == moment]:
        table.proposals.open.remove(proposal)
        proposal.lapse(table, moment)


def weed(table: HasDesk) -> None:
    """End the lives of all that could not be accepted any more: what a game calls where something has changed."""
    for proposal in [p for p in table.proposals.open if p.to and not p.stands(table)]:
        drop(table, proposal.number, "void")


def counter(table: HasDesk, proposal: P, seat: Seat, **terms: Any) -> int:
    """Answer a proposal by one of the seat's own to its proposer: with the same life, known to the same seats, but for these
    terms. Its number."""
    fresh = msgspec.structs.replace(proposal, by=seat, to=[proposal.by], **terms)
    return put(table, fresh)


def addressed(table: HasDesk, kind: str = "") -> list[Seat]:
    """The seats before which something lies, of that kind if one is said. A step that asks them too stays open until all of it
    is answered."""
    waiting = {seat for p in table.proposals.open if not kind or p.kind == kind for seat in p.to}
    return [seat for seat in table.seats if seat in waiting]


def drop(table: HasDesk, number: int, how: str) -> None:
    """Take one proposal off the table, if it lies there still: what it was about is gone, say."""
    proposal = found(table, number)
    if proposal is not None:
        table.proposals.open.remove(proposal)
        proposal.lapse(table, how)


def found(table: Any, number: int) -> Any | None:
    """The proposal of that number, if it is open."""
    return next((p for p in on(table) if p.number == number), None)


# --- for the kernel ---------------------------------------------------------------------------------------------------


def on(table: Any) -> Sequence[Any]:
    """The proposals that lie on a table, if its game has any."""
    desk = getattr(table, "proposals", None)
    return desk.open if isinstance(desk, Desk) else ()


def circle_of(number: int, seats: Sequence[Seat]) -> tuple[Seat, ...] | None:
    """Who knows of the proposal with that number; None: all."""
    mask = number % CIRCLE
    return tuple(seat for i, seat in enumerate(seats) if mask >> i & 1) if mask else None


def proposals(state: State[Any, Any], seat: Seat, ahead: bool = False) -> list[tuple[int, Ask]]:
    """What others have put to the seat, and it may answer: number and question each, the oldest first. `ahead`: also what has
    to wait for a safe point."""
    lying = [p for p in on(state.table) if seat in p.to]
    return [(p.number, p.ask(state.table, seat)) for p in lying if ahead or not waits(state, seat, p.kind)]


def own(state: State[Any, Any], seat: Seat, ahead: bool = False) -> list[tuple[int, Ask]]:
    """What the seat has put to others, and may take back or amend: number and the Ask by which it does."""
    lying = [p for p in on(state.table) if p.by == seat]
    return [(p.number, _to_proposer(state.table, p)) for p in lying if ahead or not waits(state, seat, p.kind)]


def _to_proposer(table: Any, p: Proposal) -> Ask:
    terms = tuple(p.terms(table))
    options = (Option(WITHDRAW), Option(AMEND, terms)) if terms else (Option(WITHDRAW),)
    return Ask(p.by, p.kind, options, Answer(WITHDRAW), p.rule, {**p.about(), "to": list(p.to)})


def checked(state: State[Any, Any], seat: Seat, number: int, answer: Answer, ahead: bool = False) -> Answer:
    """The answer to a proposal in canonical form. Raises Refused where the seat may not give it."""
    proposal = found(state.table, number)
    if proposal is None or seat not in (proposal.by, *proposal.to):
        raise NotLegal(say("match.proposal_gone"))
    if not ahead and waits(state, seat, proposal.kind):
        raise NotLegal(say("match.frozen"))
    if seat == proposal.by:
        answer = check(_to_proposer(state.table, proposal), answer)
        if answer.option == AMEND:
            proposal.amended(state.table, answer)
        return answer
    answer = check(proposal.ask(state.table, seat), answer)
    proposal.vet(state.table, seat, answer)
    return answer


def powers(state: State[Any, Any], listed: Iterable[Ask]) -> list[Ask]:
    """Of the powers that a game lists for a seat, those that it may use now."""
    return [ask for ask in listed if not waits(state, ask.seat, ask.kind)]


def take(state: State[Any, Any], seat: Seat, number: int, answer: Answer) -> None:
    """Play an answer to a proposal, checked before; what it opens lies on the stack then."""
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
