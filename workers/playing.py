"""A match while it is being adjudicated: the engine's match, its rows, and what happened in this run.

Answers that would tell something by standing in the log lie sealed outside it. Those to a question put to several seats
enter it together, in the order of the seats, when the last of them is in; so neither the log's length nor its order nor a
time in it tells who has answered, or how. One to an offer that others may not know of enters it when something follows
from it that they may see. Until then both are rows, as durable as the log.
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
"""How long bots play before what they did is committed and the lock is given back for a moment."""

UNATTENDED = ("bot", "clock")
"""How an answer comes that no player gave, neither now nor by an order."""
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
    """Events of a run in which nothing entered the log: they are told with its last entry."""
    fresh: bool = False
    """Whether the match was opened in this run."""
    rebuilt: bool = False
    """Whether the snapshot was gone, or the row of a question, and is to be written again."""
    until: float = field(default_factory=lambda: time.monotonic() + BOTS_SECONDS)
    unfinished: bool = False
    """Whether bots are still to play: there was no time for all of them in this transaction."""
    visited: set[Seat] = field(default_factory=set)
    """Seats whose own answer was played in this run: they are at their page."""
    asks: dict[Key, AskRow] = field(default_factory=dict)
    """The questions that were open before this run."""
    rows: dict[Key, AskRow] = field(default_factory=dict)
    """The rows of these, and of all questions that were put with the number of before this run."""
    accounts: dict[str, Account] = field(default_factory=dict)
    """Those of the seats, by their ids: held, so that none is read again."""
    stops: Stops = field(default_factory=Stops)
    """When clocks at the table stand still."""
    lying: list[SealedAnswer] = field(default_factory=list)
    """The rows of answers that lie sealed."""
    commanded: bool = False
    """Whether commands about the table are to be played, or something that was announced may take effect."""
    since: tuple[int, datetime] | None = None
    """When the question of that number was opened, where one was open before this run."""
    turns: dict[Seat, str] = field(default_factory=dict)
    """The mark of the own turn that such a question was a step of; empty for a reaction."""
    arriving: set[Key] = field(default_factory=set)
    """Questions and proposals with a queued answer of their own player, which is played before any policy's."""
    tried: set[Key] = field(default_factory=set)
    """New questions to which no order had an answer."""
    fallen: set[tuple[Seat, str]] = field(default_factory=set)
    """Own turns, by their marks, that an order plays in this run because their time is over."""
    late: set[Key] = field(default_factory=set)
    """Proposals whose time was over in this run."""
    thought: dict[Key, list[tuple[int, int]]] = field(default_factory=dict)
    """How the table stood, by its `mark`, when a seat that needs nobody thought of its powers while a question was open."""
    kept: dict[Key, Given] = field(default_factory=dict)
    """New questions whose answer by order is kept back for a decent pause."""
    bared: set[Key] = field(default_factory=set)
    """Questions whose kept or sealed answer no longer fits: their players have to be asked after all."""
    sealed: dict[Seat, Given] = field(default_factory=dict)
    """Answers to the open question that lie sealed."""
    parked: dict[int, dict[Seat, Given]] = field(default_factory=dict)
    """Those to questions that something interrupted, by their number."""
    offers: list[Taken] = field(default_factory=list)
    """Offers taken that lie sealed, the oldest first."""
    held: list[Submission] = field(default_factory=list)
    """What players have sent and waits for a safe point, in the order in which it came."""
    settled: set[Seat] = field(default_factory=set)
    """Those of whose such things something came in this run."""
    spent: dict[Seat, int] = field(default_factory=dict)
    """Up to which entry of this run the standing orders of a seat have followed what it did."""
    made: set[Key] = field(default_factory=set)
    """What had been proposed before this run and lay open: by whom, and its (negative) number."""
    answered: dict[Key, str] = field(default_factory=dict)
    """The questions that were answered in this run, and how."""
    entered: list[tuple[int, Seat, Given]] = field(default_factory=list)
    """Answers that entered the log in this run, each with the number of its entry; emptied by whoever sees to them."""

    @property
    def names(self) -> dict[Seat, str]:
        return called(self.row, {s.seat: s.name for s in self.seats.values()})

    @property
    def waiting(self) -> list[Seat]:
        """The seats whose answer is still missing. Not for others to know while answers lie sealed."""
        return [seat for seat in self.live.state.waiting if seat not in self.sealed]

    @property
    def secret_so_far(self) -> bool:
        """Whether answers lie sealed: then nobody may learn who has given theirs."""
        return bool(self.sealed or self.live.state.sealed)

    @property
    def mark(self) -> tuple[int, int]:
        """Another one when the table has changed: how many entries there are, and offers that lie sealed."""
        return len(self.live.entries), len(self.offers)

    def orders_of(self, seat: Seat) -> dict[str, str]:
        """The standing orders of a seat that hold now, after what it has done in this run and on its player's date.

        What they answer is logged, and needs no clock then.
        """
        if len(self.live.entries) > self.spent.get(seat, 0):
            self.spend_orders(seat)
        return self._of_today(seat)

    def spend_orders(self, seat: Seat) -> None:
        """Take away the orders of a seat that have had their day, and move on those that go deed by deed."""
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
        """The question that is open to a seat."""
        return seat, self.live.state.serial

    # --- answers ------------------------------------------------------------------------------------------------------

    def play(self, seat: Seat, given: Given) -> None:
        """Take an answer: into the log, or sealed until the others' are in. Raises Refused if it isn't legal."""
        state, key = self.live.state, self.key(seat)
        alone = procedure.one_by_one(state) or (state.waiting == [seat] and not self.sealed)
        if not alone or self.offers:  # else it is vetted as it enters
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
        """The answer, checked in the position with the private offers of all seats, in which it enters the log.

        It was legal by what its seat knows, so only an offer that bears on others' questions unseen can forbid it: the safe
        default takes its place where nobody gave it. Raises Refused otherwise.
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
        """Put the answers to a step into the log, and before them the offers from which something follows with them."""
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
        """When the answers to the open step count as given, all of them alike; those to a window when it opened, for the
        time at which it closed might tell how the last of them came."""
        number, opened = self.since or (0, None)
        if opened is not None and number == self.live.state.serial and self.live.ask_kind() in self.live.game.windows:
            return in_log(opened)
        return time_now()

    # --- offers -------------------------------------------------------------------------------------------------------

    def take_offer(self, seat: Seat, kind: str, given: Given, number: int = 0) -> None:
        """Use a power, or answer the proposal of that number: into the log, or sealed where nobody else sees that it was done.

        Raises Refused if it isn't open.
        """
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
            # It takes back what was taken before.
            self.offers = [offer for offer in self.offers if offer.skips or offer not in group]
        self._vet_again()

    def part(self, seat: Seat) -> None:
        """Forget the powers that a seat's owner, who leaves it, has used and nobody else knows of; but for those on which an
        offer rests that others know."""
        seats = self.live.state.table.seats
        for offer in [o for o in self.offers if sealed.circle(self.live.game, seats, o) == {seat}][::-1]:
            rest = [o for o in self.offers if o is not offer]
            if self._if_legal(rest, []) is not None:
                self.offers = rest
        self._vet_again()

    def known_to(self, seat: Seat) -> AnyState:
        """The position with the sealed offers that the seat knows of. Not to be changed."""
        group, _ = linked(self.live.game, self.live.state.table.seats, self.offers, (seat,))
        return with_offers(self.live.game, self.live.state, group)

    def proposals(self) -> dict[Key, Ask]:
        """What has been put to the seats and is open to them, by seat and (negative) number."""
        if not self.offers and not offers.on(self.live.state.table):
            return {}
        found: dict[Key, Ask] = {}
        for seat in self.live.state.table.seats:
            found |= {(seat, -n): ask for n, ask in offers.proposals(self.known_to(seat), seat)}
        return found

    def proposed(self) -> dict[Key, Proposal]:
        """All that has been put to the seats, be it open to them or frozen just now."""
        if not self.offers and not offers.on(self.live.state.table):
            return {}
        found: dict[Key, Proposal] = {}
        for seat in self.live.state.table.seats:
            lying = offers.on(self.known_to(seat).table)
            found |= {(seat, -proposal.number): proposal for proposal in lying if seat in proposal.to}
        return found

    def made_by(self) -> set[Key]:
        """What has been proposed and lies open, by its proposer and (negative) number."""
        if not self.offers and not offers.on(self.live.state.table):
            return set()
        found: set[Key] = set()
        for seat in self.live.state.table.seats:
            found |= {(seat, -p.number) for p in offers.on(self.known_to(seat).table) if p.by == seat}
        return found

    def _fold(self, answers: Sequence[tuple[Seat, Given]]) -> list[Event]:
        """Forget the sealed proposals that come to nothing with these answers, but for their numbers; what their circles are
        told of it."""
        game, state, told, left = self.live.game, self.live.state, list[Event](), list(self.offers)
        self.offers = []
        while left:
            group, _ = linked(game, state.table.seats, left, (left[0].seat,))
            left = [offer for offer in left if offer not in group]
            # The answers of others may rest on offers of their own.
            fewer, events = folded(game, with_offers(game, state, [*self.offers, *left]), group, answers)
            self.offers += fewer
            told += events
        return told

    def _enter_offers(self, group: Sequence[Taken], at: str) -> None:
        """Put sealed offers into the log. Counts of proposals that came to nothing go with the next entry of their circle, and
        stay sealed where there is none."""
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
        """The sealed offers that have to stand in the log before these answers."""
        return self._that_bear_on([], [], answers) if self.offers else []

    def _before(self, group: Sequence[Taken], taken: Taken) -> list[Taken]:
        """The sealed offers that have to stand in the log before an offer that others know of, its own `group` among them.

        Raises Refused if it can't be taken after all that lies sealed.
        """
        if len(group) == len(self.offers):
            return list(group)
        whole = with_offers(self.live.game, self.live.state, self.offers)
        matches.check_offer(self.live.game, whole, taken.seat, taken.kind, taken.given.answer, taken.number)
        ripe = self._that_bear_on(group, [taken], [])
        return [offer for offer in self.offers if offer in group or offer in ripe]

    def _alone(self, group: Sequence[Taken], taken: Taken, circle: Collection[Seat]) -> bool:
        """Whether an offer that is to lie sealed after its `group` and what else lies sealed come to the same in either order
        for all who know of them: two that draw from one hidden deck don't."""
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
        """The sealed offers, without those that go `first`, of which others may see that something follows from them when
        these offers and answers are played, or which would not come to the same if they were taken later.

        All of them, where one of these answers rests on one of them.
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
        """What offers and answers lead to; None where one of them can't be."""
        try:
            return foresee(self.live.game, self.live.state, offers, answers, checked=True)
        except Refused:
            return None

    def _as_well_later(self, state: AnyState, group: Sequence[Taken], sooner: AnyState) -> bool:
        """Whether the offers come to the same when they are taken in this position as they did when taken sooner."""
        game = self.live.game
        try:
            later, _ = foresee(game, state, group, [], checked=True)
        except Refused:
            return False
        return game.encode(later) == game.encode(sooner)

    def _foresee(self, offers: Sequence[Taken], answers: Sequence[tuple[Seat, Given]]) -> tuple[AnyState, list[Event]]:
        """The position that offers and answers lead to, and what happens on the way."""
        return foresee(self.live.game, self.live.state, offers, answers)

    # --- when the table has changed -----------------------------------------------------------------------------------

    def _see_to_the_step(self, serial: int) -> None:
        """After something entered the log while the step of that number was open: what lay sealed for it waits while it is
        parked, and what waited for the step that is open now is looked at again."""
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
        """Give sealed answers that no longer fit back to their seats, with the reason; the others stay sealed."""
        state = self.live.state
        for seat, given in list(self.sealed.items()):
            if seat not in state.waiting:
                del self.sealed[seat]  # it is not asked any more
                continue
            try:
                procedure.vet(self.known_to(seat), seat, given.answer)
            except Refused as refusal:
                self._give_back(seat, refusal)

    def _give_back(self, seat: Seat, refusal: Refused) -> None:
        """Return a sealed answer that no longer fits to its seat, with the reason."""
        del self.sealed[seat]
        self.answered.pop(self.key(seat), None)
        self.bared.add(self.key(seat))
        told = self.told[-1][1] if self.told else self.whispered
        told.append(Event(PREFIX + "returned", {"why": refusal.said.stored()}, (seat,)))


def _differs(game: Game, circle: Collection[Seat], one: Foreseen, other: Foreseen) -> bool:
    """Whether anybody outside the circle can tell the two apart."""
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
    """What stands open to a seat beside the questions, by number."""
    powers = offers.powers(state, game.offers(state, seat))
    return [*((0, ask) for ask in powers), *offers.proposals(state, seat), *offers.own(state, seat)]


def time_now() -> str:
    """The time as an entry of the log has it."""
    return in_log(datetime.now(UTC))


def in_log(moment: datetime) -> str:
    """A moment as an entry of the log has it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
