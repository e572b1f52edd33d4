"""A match while it is being adjudicated: the engine's match, its rows, and what happened in this run.

Answers that would tell something by standing in the log lie sealed outside it. Those to a question put to several seats
enter it together, in the order of the seats, when the last of them is in; so neither the log's length nor its order nor a
time in it tells who has answered, or how. One to an offer that others may not know of enters it when something follows
from it that they may see. Until then both are rows, as durable as the log.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine import match as matches
from engine import procedure
from engine.asks import Refused, Seat
from engine.game import AnyState, Game, copy
from engine.views import Event
from service.games.chronicle import PREFIX
from service.games.sealed import Given, Taken, with_offers
from service.store.models import AskRow, Match, SeatRow

BOTS_SECONDS = 2.0
"""How long bots play before what they did is committed and the lock is given back for a moment."""

Key = tuple[Seat, int]
"""An open question: whose, and its number."""


@dataclass
class Playing:
    """All that one run of the adjudication works on."""

    row: Match
    seats: dict[Seat, SeatRow]
    live: matches.Match
    told: list[tuple[int, list[Event]]] = field(default_factory=list)
    """Events by the number of their entry."""
    whispered: list[Event] = field(default_factory=list)
    """Events of what lies sealed still: they are told with its entry once more, and to its own seat now."""
    fresh: bool = False
    """Whether the match was opened in this run."""
    rebuilt: bool = False
    """Whether snapshot or views were gone, and are to be written again."""
    until: float = field(default_factory=lambda: time.monotonic() + BOTS_SECONDS)
    unfinished: bool = False
    """Whether bots are still to play: there was no time for all of them in this transaction."""
    visited: set[Seat] = field(default_factory=set)
    """Seats whose own answer was played in this run: they are at their page."""
    asks: dict[Key, AskRow] = field(default_factory=dict)
    """The questions that were open before this run."""
    since: tuple[int, datetime] | None = None
    """When the question of that number was opened, where one was open before this run."""
    turns: dict[Seat, str] = field(default_factory=dict)
    """The mark of the own turn that such a question was a step of; empty for a reaction."""
    tried: set[Key] = field(default_factory=set)
    """New questions to which no order had an answer."""
    kept: dict[Key, Given] = field(default_factory=dict)
    """New questions whose answer by order is kept back for a decent pause."""
    bared: set[Key] = field(default_factory=set)
    """Questions whose kept or sealed answer no longer fits: their players have to be asked after all."""
    sealed: dict[Seat, Given] = field(default_factory=dict)
    """Answers to the open question that lie sealed."""
    offers: list[Taken] = field(default_factory=list)
    """Offers taken that lie sealed, the oldest first."""
    answered: dict[Key, str] = field(default_factory=dict)
    """The questions that were answered in this run, and how."""
    entered: list[tuple[int, Seat, Given]] = field(default_factory=list)
    """Answers that entered the log in this run, each with the number of its entry; emptied by whoever sees to them."""

    @property
    def names(self) -> dict[Seat, str]:
        return {s.seat: s.name for s in self.seats.values()}

    @property
    def waiting(self) -> list[Seat]:
        """The seats whose answer is still missing. Not for others to know while answers lie sealed."""
        return [seat for seat in self.live.state.waiting if seat not in self.sealed]

    @property
    def secret_so_far(self) -> bool:
        """Whether answers lie sealed: then nobody may learn who has given theirs."""
        return bool(self.sealed or self.live.state.sealed)

    def key(self, seat: Seat) -> Key:
        """The question that is open to a seat."""
        return seat, self.live.state.serial

    # --- answers ------------------------------------------------------------------------------------------------------

    def play(self, seat: Seat, given: Given) -> None:
        """Take an answer: into the log, or sealed until the others' are in. Raises Refused if it isn't legal."""
        state, key = self.live.state, self.key(seat)
        alone = procedure.one_by_one(state) or (state.waiting == [seat] and not self.sealed)
        if not alone or self.offers:  # else it is vetted as it enters
            given = Given(procedure.vet(state, seat, given.answer), given.via, given.mark)
        if alone:
            self._enter([(seat, given)])
        else:
            self.sealed[seat] = given
            if not self.waiting:
                answers = [(s, self.sealed[s]) for s in state.table.seats if s in self.sealed]
                self.sealed = {}
                self._enter(answers)
        self.answered[key] = given.via

    def _enter(self, answers: Sequence[tuple[Seat, Given]]) -> None:
        """Put the answers to a step into the log, and before them the offers from which something follows with them."""
        at = self._time()
        for offer in self._ripe(answers):
            self.offers.remove(offer)
            self._enter_offer(offer, at)
        for seat, given in answers:
            events = self.live.play(seat, given.answer, at, given.via, given.mark)
            n = self.live.entries[-1].n
            self.told.append((n, events))
            self.entered.append((n, seat, given))

    def _time(self) -> str:
        """When the answers to the open step count as given, all of them alike; those to a window when it opened, for the
        time at which it closed might tell how the last of them came."""
        number, opened = self.since or (0, None)
        if opened is not None and number == self.live.state.serial and self.live.ask_kind() in self.live.game.windows:
            return in_log(opened)
        return time_now()

    # --- offers -------------------------------------------------------------------------------------------------------

    def take_offer(self, seat: Seat, kind: str, given: Given) -> None:
        """Take an offer: into the log, or sealed where nobody else sees that it was taken. Raises Refused if it isn't open."""
        game, known = self.live.game, self.known_to(seat)
        answer = matches.check_offer(game, known, seat, kind, given.answer)
        taken = Taken(seat, kind, Given(answer, given.via, given.mark))
        if game.audience(kind, seat, answer) is None or _differs(
            game, seat, (self.live.state, []), self._foresee([*self._own(seat), taken], [])
        ):
            serial = self.live.state.serial
            for offer in [*self._own(seat), taken]:
                self._enter_offer(offer, time_now())
            self.part(seat)
            self._vet_again(serial)
            return
        self.whispered += matches.run_offer(game, copy(game, known), seat, kind, answer)
        self.offers.append(taken)
        if game.encode(self.known_to(seat)) == game.encode(self.live.state):
            # It takes back what was taken before.
            self.part(seat)

    def part(self, seat: Seat) -> None:
        """Forget the offers that a seat's owner has taken, who leaves it."""
        self.offers = [offer for offer in self.offers if offer.seat != seat]

    def known_to(self, seat: Seat) -> AnyState:
        """The position with the offers that the seat has taken, as it knows it. Not to be changed."""
        return with_offers(self.live.game, self.live.state, self._own(seat))

    def _own(self, seat: Seat) -> list[Taken]:
        return [offer for offer in self.offers if offer.seat == seat]

    def _enter_offer(self, offer: Taken, at: str) -> None:
        events = self.live.play_offer(offer.seat, offer.kind, offer.given.answer, at, offer.given.via)
        self.told.append((self.live.entries[-1].n, events))

    def _ripe(self, answers: Sequence[tuple[Seat, Given]]) -> list[Taken]:
        """The sealed offers from which something follows with these answers that others may see."""
        ripe: list[Taken] = []
        late = {offer.seat for offer in self.offers}
        if not late:
            return ripe
        base = self._foresee(ripe, answers)
        while late:
            for seat in sorted(late):
                tried = self._foresee([*ripe, *self._own(seat)], answers)
                if _differs(self.live.game, seat, base, tried):
                    ripe, base = [*ripe, *self._own(seat)], tried
                    late.remove(seat)
                    break
            else:
                return ripe
        return ripe

    def _foresee(self, offers: Sequence[Taken], answers: Sequence[tuple[Seat, Given]]) -> tuple[AnyState, list[Event]]:
        """The position that offers and answers lead to, and what happens on the way."""
        state, game, events = copy(self.live.game, self.live.state), self.live.game, list[Event]()
        for offer in offers:
            events += matches.run_offer(game, state, offer.seat, offer.kind, offer.given.answer)
        for seat, given in answers:
            events += procedure.play(state, seat, given.answer, trusted=True)
        return state, events

    def _vet_again(self, serial: int) -> None:
        """After the table has changed outside its steps: sealed answers that no longer fit go back to their seats."""
        state = self.live.state
        if state.serial != serial:
            self.sealed = {}  # the step is put anew, to all of them
            return
        for seat, given in list(self.sealed.items()):
            try:
                procedure.vet(state, seat, given.answer)
            except Refused as refusal:
                del self.sealed[seat]
                self.bared.add(self.key(seat))
                self.told[-1][1].append(Event(PREFIX + "returned", {"why": refusal.said.stored()}, (seat,)))


Foreseen = tuple[AnyState, list[Event]]


def _differs(game: Game, seat: Seat, one: Foreseen, other: Foreseen) -> bool:
    """Whether anybody but the seat can tell the two apart."""
    (a, told_a), (b, told_b) = one, other
    if (a.serial, a.waiting, a.table.outcome) != (b.serial, b.waiting, b.table.outcome):
        return True
    for reader in [*(s for s in a.table.seats if s != seat), None]:
        if [e for e in told_a if e.seen_by(reader)] != [e for e in told_b if e.seen_by(reader)]:
            return True
        if game.view(a, reader) != game.view(b, reader):
            return True
        if reader is not None and game.offers(a, reader) != game.offers(b, reader):
            return True
    return False


def time_now() -> str:
    """The time as an entry of the log has it."""
    return in_log(datetime.now(UTC))


def in_log(moment: datetime) -> str:
    """A moment as an entry of the log has it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
