"""A match in adjudication: engine state, rows, and this run's events.

Answers that would reveal something by being in the log are rows outside it. Those to a shared question enter together in seat
order after the last one, so that length, order and times show nothing; those to secret offers once a public effect follows.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine import match as matches
from engine import offers, orders, procedure
from engine.asks import Ask, Refused, Seat, settled
from engine.game import AnyState, Game
from engine.offers import Proposal
from engine.views import Event
from service.clock.recipe import Stops
from service.common.dates import zone_called
from service.games import sealed
from service.games.chronicle import PREFIX
from service.games.sealed import Given, Taken, linked, with_offers
from service.store.models import Account, AskRow, Match, SealedAnswer, SeatRow, Submission, now
from service.store.seats import called
from workers.folding import Foreseen, folded, foresee

BOTS_SECONDS = 0.7
"""Bots' time before the transaction commits and releases the lock."""

UNATTENDED = ("bot", "clock")
"""`via` of answers without a player's will."""
Key = tuple[Seat, int]
"""Seat and number of a question."""


@dataclass
class Playing:
    """State of one run."""

    row: Match
    seats: dict[Seat, SeatRow]
    live: matches.Match
    told: list[tuple[int, list[Event]]] = field(default_factory=list)
    """Events by entry."""
    whispered: list[Event] = field(default_factory=list)
    """Events without an entry; told with the last one."""
    fresh: bool = False
    """Opened in this run."""
    rebuilt: bool = False
    """The snapshot or a question's row was missing."""
    until: float = field(default_factory=lambda: time.monotonic() + BOTS_SECONDS)
    unfinished: bool = False
    """Bots ran out of time."""
    visited: set[Seat] = field(default_factory=set)
    """Answered in this run, so at their page."""
    asks: dict[Key, AskRow] = field(default_factory=dict)
    """Open before this run."""
    rows: dict[Key, AskRow] = field(default_factory=dict)
    """These, and all with the number open before."""
    accounts: dict[str, Account] = field(default_factory=dict)
    """By id; strong references save queries."""
    stops: Stops = field(default_factory=Stops)
    lying: list[SealedAnswer] = field(default_factory=list)
    """Rows of hidden answers."""
    commanded: bool = False
    """Commands or announcements may be due."""
    since: tuple[int, datetime] | None = None
    """Number and opening of the question before this run."""
    turns: dict[Seat, str] = field(default_factory=dict)
    """Mark of the own turn; "" for a reaction."""
    arriving: set[Key] = field(default_factory=set)
    """With a queued answer, which precedes policies."""
    tried: set[Key] = field(default_factory=set)
    """New questions without an answer by order."""
    fallen: set[tuple[Seat, str]] = field(default_factory=set)
    """Own turns overdue, played by order."""
    late: set[Key] = field(default_factory=set)
    """Overdue proposals."""
    thought: dict[Key, list[tuple[int, int]]] = field(default_factory=dict)
    """Table marks at which a bot considered its powers, by open question."""
    kept: dict[Key, Given] = field(default_factory=dict)
    """Answers by order to be delayed."""
    bared: set[Key] = field(default_factory=set)
    """Their kept or hidden answer became illegal, so players are asked."""
    sealed: dict[Seat, Given] = field(default_factory=dict)
    """Hidden answers to the open question."""
    parked: dict[int, dict[Seat, Given]] = field(default_factory=dict)
    """Hidden answers to interrupted questions, by number."""
    offers: list[Taken] = field(default_factory=list)
    """Hidden offers, oldest first."""
    held: list[Submission] = field(default_factory=list)
    """Submissions waiting for a safe point, in order."""
    settled: set[Seat] = field(default_factory=set)
    """Seats one of whose held submissions was played in this run."""
    spent: dict[Seat, int] = field(default_factory=dict)
    """Entries that standing orders have followed."""
    made: set[Key] = field(default_factory=set)
    """Open proposals before this run."""
    answered: dict[Key, str] = field(default_factory=dict)
    """Answered in this run, with their `via`."""
    entered: list[tuple[int, Seat, Given]] = field(default_factory=list)
    """Logged answers with entry numbers, still to be processed."""

    @property
    def names(self) -> dict[Seat, str]:
        return called(self.row, {s.seat: s.name for s in self.seats.values()})

    @property
    def waiting(self) -> list[Seat]:
        """Seats without an answer; secret while answers are hidden."""
        return [seat for seat in self.live.state.waiting if seat not in self.sealed]

    @property
    def secret_so_far(self) -> bool:
        """Whether answers are hidden: nobody may learn who answered."""
        return bool(self.sealed or self.live.state.sealed)

    @property
    def mark(self) -> tuple[int, int]:
        """Changes with the table: entries, hidden offers."""
        return len(self.live.entries), len(self.offers)

    def orders_of(self, seat: Seat) -> dict[str, str]:
        """A seat's valid standing orders, after this run's entries, on the player's date. Logged, so replay needs no clock."""
        if len(self.live.entries) > self.spent.get(seat, 0):
            self.spend_orders(seat)
        return self._of_today(seat)

    def spend_orders(self, seat: Seat) -> None:
        """Drop used orders and advance sequences."""
        row, live = self.seats[seat], self.live
        if row.orders:
            own = [e for e in live.entries[self.spent.get(seat, 0) :] if e.actor == seat and e.move and e.ask != matches.TABLE]
            answered = [f"{e.ask}:{e.move or ''}" for e in own]
            row.orders = orders.after(live.game, self.known_to(seat), seat, answered, self._of_today(seat))
        self.spent[seat] = len(live.entries)

    def _of_today(self, seat: Seat) -> dict[str, str]:
        row = self.seats[seat]
        account = self.accounts.get(row.account_id or "")
        here = now().astimezone(zone_called(account.zone) if account is not None else UTC)
        return orders.of_day(self.live.game, row.orders, here.date())

    def key(self, seat: Seat) -> Key:
        return seat, self.live.state.serial

    # --- answers ------------------------------------------------------------------------------------------------------

    def play(self, seat: Seat, given: Given) -> None:
        """Log an answer, or hide it until all are in. Raises Refused."""
        state, key = self.live.state, self.key(seat)
        alone = procedure.one_by_one(state) or (state.waiting == [seat] and not self.sealed)
        if not alone or self.offers:  # else vetted on entry
            given = Given(procedure.vet(self.known_to(seat), seat, given.answer), given.via, given.mark)
        if alone:
            self._enter([(seat, self._in_full(seat, given))])
        else:
            self.sealed[seat] = given
            self._enter_when_all_are_in()
        self.answered[key] = given.via

    def _enter_when_all_are_in(self) -> None:
        if not self.sealed or self.waiting:
            return
        for seat, given in list(self.sealed.items()):
            try:
                self.sealed[seat] = self._in_full(seat, given)
            except Refused as refusal:
                self._give_back(seat, refusal)
                self.tried.add(self.key(seat))
        if not self.waiting:
            answers = [(s, self.sealed[s]) for s in self.live.state.table.seats if s in self.sealed]
            self.sealed = {}
            self._enter(answers)

    def _in_full(self, seat: Seat, given: Given) -> Given:
        """Vet the answer with all private offers applied. Only an unseen offer can forbid it: unattended ones become the
        default, others raise Refused.
        """
        if not self.offers:
            return given
        whole = with_offers(self.live.game, self.live.state, self.offers)
        try:
            return Given(procedure.vet(whole, seat, given.answer), given.via, given.mark)
        except Refused:
            if given.via not in UNATTENDED:
                raise
            default = procedure.vet(whole, seat, procedure.ask_of(whole, seat).default)
            return Given(default, given.via, given.mark)

    def _enter(self, answers: Sequence[tuple[Seat, Given]]) -> None:
        """Log a step's answers, after the offers that take effect with them."""
        at, serial = self._time(), self.live.state.serial
        forgotten = self._fold(answers)
        self._enter_offers(self._ripe(answers), at)
        for seat, given in answers:
            events = self.live.play(seat, given.answer, at, given.via, given.mark)
            n = self.live.entries[-1].n
            self.told.append((n, events))
            self.entered.append((n, seat, given))
        self.told[-1][1].extend(forgotten)
        self._see_to_the_step(serial)

    def _time(self) -> str:
        """Time logged for a step's answers, the same for all; of windows their opening, since the closing may reveal the last
        one.
        """
        number, opened = self.since or (0, None)
        if opened is not None and number == self.live.state.serial and self.live.ask_kind() in self.live.game.windows:
            return in_log(opened)
        return time_now()

    # --- offers -------------------------------------------------------------------------------------------------------

    def take_offer(self, seat: Seat, kind: str, given: Given, number: int = 0) -> None:
        """Use a power or answer a proposal: logged, or hidden if nobody else may see it. Raises Refused."""
        game, known, seats = self.live.game, self.known_to(seat), self.live.state.table.seats
        answer = matches.check_offer(game, known, seat, kind, given.answer, number)
        taken = Taken(seat, kind, Given(answer, given.via, given.mark), number)
        open_ = matches.audience(game, seats, seat, kind, answer, number) is None
        group, circle = linked(game, seats, self.offers, (seat,) if open_ else sealed.circle(game, seats, taken))
        if open_ or _differs(game, circle, (self.live.state, []), self._foresee([*group, taken], [])):
            serial, before = self.live.state.serial, self._before(group, taken)
            self.offers.append(taken)
            self._enter_offers([*before, taken], time_now())
            self._see_to_the_step(serial)
            return
        if not self._alone(group, taken, circle):
            serial = self.live.state.serial
            self._enter_offers([offer for offer in self.offers if offer not in group], time_now())
            self._see_to_the_step(serial)
            self.take_offer(seat, kind, given, number)
            return
        self.offers.append(taken)
        self.whispered += self._fold([])
        group, _ = linked(game, seats, self.offers, (seat,))
        counts = [offer for offer in group if offer.skips]
        if game.encode(self.known_to(seat)) == game.encode(self._foresee(counts, [])[0]):
            # A withdrawal: both vanish.
            self.offers = [offer for offer in self.offers if offer.skips or offer not in group]
        self._vet_again()

    def part(self, seat: Seat) -> None:
        """Drop a leaving player's secret powers, except those that known offers depend on."""
        seats = self.live.state.table.seats
        for offer in [o for o in self.offers if sealed.circle(self.live.game, seats, o) == {seat}][::-1]:
            rest = [o for o in self.offers if o is not offer]
            if self._if_legal(rest, []) is not None:
                self.offers = rest
        self._vet_again()

    def known_to(self, seat: Seat) -> AnyState:
        """The position with the hidden offers known to the seat. Read-only."""
        group, _ = linked(self.live.game, self.live.state.table.seats, self.offers, (seat,))
        return with_offers(self.live.game, self.live.state, group)

    def proposals(self) -> dict[Key, Ask]:
        """Proposals open to seats, by seat and negative number."""
        if not self.offers and not offers.on(self.live.state.table):
            return {}
        found: dict[Key, Ask] = {}
        for seat in self.live.state.table.seats:
            found |= {(seat, -n): ask for n, ask in offers.proposals(self.known_to(seat), seat)}
        return found

    def proposed(self) -> dict[Key, Proposal]:
        """The same, frozen ones included."""
        if not self.offers and not offers.on(self.live.state.table):
            return {}
        found: dict[Key, Proposal] = {}
        for seat in self.live.state.table.seats:
            lying = offers.on(self.known_to(seat).table)
            found |= {(seat, -proposal.number): proposal for proposal in lying if seat in proposal.to}
        return found

    def made_by(self) -> set[Key]:
        """Open proposals by proposer and negative number."""
        if not self.offers and not offers.on(self.live.state.table):
            return set()
        found: set[Key] = set()
        for seat in self.live.state.table.seats:
            found |= {(seat, -p.number) for p in offers.on(self.known_to(seat).table) if p.by == seat}
        return found

    def _fold(self, answers: Sequence[tuple[Seat, Given]]) -> list[Event]:
        """Fold failed hidden proposals; returns events for their circles."""
        game, state, told, left = self.live.game, self.live.state, list[Event](), list(self.offers)
        self.offers = []
        while left:
            group, _ = linked(game, state.table.seats, left, (left[0].seat,))
            left = [offer for offer in left if offer not in group]
            # Others' answers may depend on their own offers.
            fewer, events = folded(game, with_offers(game, state, [*self.offers, *left]), group, answers)
            self.offers += fewer
            told += events
        return told

    def _enter_offers(self, group: Sequence[Taken], at: str) -> None:
        """Log hidden offers. Counts join their circle's next entry, else stay."""
        skipped: dict[tuple[Seat, ...], Taken] = {}
        game, seats = self.live.game, self.live.state.table.seats
        for offer in group:
            self.offers.remove(offer)
            circle = tuple(s for s in seats if s in sealed.circle(game, seats, offer))
            if offer.skips:
                before = skipped.get(circle)
                skipped[circle] = sealed.skipping(circle, offer.skips + (before.skips if before is not None else 0))
                continue
            count, given = skipped.pop(circle, None), offer.given
            skips = count.skips if count is not None else 0
            events = self.live.play_offer(offer.seat, offer.kind, given.answer, at, given.via, offer.number, given.mark, skips)
            self.told.append((self.live.entries[-1].n, events))
        self.offers += skipped.values()

    def _ripe(self, answers: Sequence[tuple[Seat, Given]]) -> list[Taken]:
        """Hidden offers that must precede these answers."""
        return self._that_bear_on([], [], answers) if self.offers else []

    def _before(self, group: Sequence[Taken], taken: Taken) -> list[Taken]:
        """Hidden offers that must precede a public one, its group included. Raises Refused if it is illegal after all hidden
        offers.
        """
        if len(group) == len(self.offers):
            return list(group)
        whole = with_offers(self.live.game, self.live.state, self.offers)
        matches.check_offer(self.live.game, whole, taken.seat, taken.kind, taken.given.answer, taken.number)
        ripe = self._that_bear_on(group, [taken], [])
        return [offer for offer in self.offers if offer in group or offer in ripe]

    def _alone(self, group: Sequence[Taken], taken: Taken, circle: Collection[Seat]) -> bool:
        """Whether an offer commutes with other hidden ones, for all who know them; draws from one hidden deck don't."""
        others = [offer for offer in self.offers if offer not in group]
        if not others:
            return True
        game, seats, mine = self.live.game, self.live.state.table.seats, [*group, taken]
        knowing = {seat for offer in others for seat in sealed.circle(game, seats, offer)}
        for first, last, told in ((others, mine, {*circle}), (mine, others, knowing)):
            apart, after = self._if_legal(last, []), self._if_legal([*first, *last], [])
            if apart is None or after is None or _differs(game, {*seats} - told, apart, after):
                return False
        return True

    def _that_bear_on(
        self, first: Sequence[Taken], then: Sequence[Taken], answers: Sequence[tuple[Seat, Given]]
    ) -> list[Taken]:
        """Hidden offers with effects visible to others after these offers and answers, or that wouldn't commute; all, if an
        answer depends on one.
        """
        game, seats = self.live.game, self.live.state.table.seats
        ripe, late = list[Taken](), [offer for offer in self.offers if offer not in first]
        base = self._if_legal([*first, *then], answers)
        while late and base is not None:
            for seat in dict.fromkeys(offer.seat for offer in late):
                group, circle = linked(game, seats, late, (seat,))
                tried = self._if_legal([*first, *ripe, *group, *then], answers)
                if tried is None or _differs(game, circle, base, tried) or not self._as_well_later(base[0], group, tried[0]):
                    ripe, base = [*ripe, *group], tried
                    late = [offer for offer in late if offer not in group]
                    break
            else:
                return [offer for offer in self.offers if offer in ripe]
        return [offer for offer in self.offers if offer not in first]

    def _if_legal(self, offers: Sequence[Taken], answers: Sequence[tuple[Seat, Given]]) -> Foreseen | None:
        try:
            return foresee(self.live.game, self.live.state, offers, answers, checked=True)
        except Refused:
            return None

    def _as_well_later(self, state: AnyState, group: Sequence[Taken], sooner: AnyState) -> bool:
        """Whether the offers have the same result later."""
        game = self.live.game
        try:
            later, _ = foresee(game, state, group, [], checked=True)
        except Refused:
            return False
        return game.encode(later) == game.encode(sooner)

    def _foresee(self, offers: Sequence[Taken], answers: Sequence[tuple[Seat, Given]]) -> tuple[AnyState, list[Event]]:
        return foresee(self.live.game, self.live.state, offers, answers)

    # --- when the table has changed -----------------------------------------------------------------------------------

    def _see_to_the_step(self, serial: int) -> None:
        """After an entry: park hidden answers of an interrupted step, restore and vet those of the open one."""
        state = self.live.state
        if self.sealed and state.serial != serial:
            if any(step.serial == serial for step in state.parked):
                self.parked[serial] = self.sealed
            self.sealed = {}
        self.sealed |= self.parked.pop(state.serial, {})
        self.parked = {step.serial: self.parked[step.serial] for step in state.parked if step.serial in self.parked}
        self._vet_again()
        self._enter_when_all_are_in()

    def _vet_again(self) -> None:
        """Return hidden answers that became illegal."""
        state = self.live.state
        for seat, given in list(self.sealed.items()):
            if seat not in state.waiting:
                del self.sealed[seat]  # not asked any more
                continue
            try:
                procedure.vet(self.known_to(seat), seat, given.answer)
            except Refused as refusal:
                self._give_back(seat, refusal)

    def _give_back(self, seat: Seat, refusal: Refused) -> None:
        del self.sealed[seat]
        self.answered.pop(self.key(seat), None)
        self.bared.add(self.key(seat))
        told = self.told[-1][1] if self.told else self.whispered
        told.append(Event(PREFIX + "returned", {"why": refusal.said.stored()}, (seat,)))


def _differs(game: Game, circle: Collection[Seat], one: Foreseen, other: Foreseen) -> bool:
    """Whether anyone outside the circle sees a difference."""
    (a, told_a), (b, told_b) = one, other
    if (a.serial, a.waiting, a.table.outcome) != (b.serial, b.waiting, b.table.outcome):
        return True
    for reader in [*(s for s in a.table.seats if s not in circle), None]:
        if [e for e in told_a if e.seen_by(reader)] != [e for e in told_b if e.seen_by(reader)]:
            return True
        if game.view(a, reader) != game.view(b, reader):
            return True
        if reader is not None and _open_to(game, a, reader) != _open_to(game, b, reader):
            return True
        if reader in a.waiting and settled(procedure.ask_of(a, reader)) != settled(procedure.ask_of(b, reader)):
            return True
    return False


def _open_to(game: Game, state: AnyState, seat: Seat) -> list[tuple[int, Ask]]:
    """Powers and proposals open to a seat, by number."""
    powers = offers.powers(state, game.offers(state, seat))
    return [*((0, ask) for ask in powers), *offers.proposals(state, seat), *offers.own(state, seat)]


def time_now() -> str:
    return in_log(datetime.now(UTC))


def in_log(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
