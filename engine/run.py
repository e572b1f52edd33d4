"""A match being played: inputs and effects of `take`, and answers hidden until they are logged.

Answers that would reveal something by being in the log are kept out of it. Those to a shared question enter together in seat
order after the last one, so that length, order and times show nothing; those to secret offers once a public effect follows.

The caller locks and loads, takes until nothing is left, and stores the effects. No database, clock or randomness of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime

from engine import address, hidden, offers, orders, policy, procedure
from engine import match as matches
from engine.address import Key, Power, Question
from engine.asks import Ask, Refused, Seat, read, write
from engine.chance import Chance
from engine.cloning import clone
from engine.effects import (
    Accepted,
    Asked,
    Closed,
    Commanded,
    Dropped,
    Due,
    Effect,
    Held,
    Kept,
    Logged,
    Owed,
    Rejected,
    Submitted,
    Told,
)
from engine.game import AnyState
from engine.game import copy as copy_of
from engine.hidden import Given, Taken
from engine.match import Match
from engine.offer_policy import MOST
from engine.offers import Proposal
from engine.policy import UNATTENDED, Clock, Mind, Sitter, Timed
from engine.views import Event
from engine.words import Sentence

LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


@dataclass
class Run:
    """A match being played: position, hidden answers and offers, seats, and clock.

    The last fields remember what policies have tried; they last for one transaction.
    """

    match: Match
    hidden: dict[Seat, Given] = field(default_factory=dict)
    """Answers to the open question."""
    parked: dict[int, Mapping[Seat, Given]] = field(default_factory=dict)
    """Answers to interrupted questions, by number."""
    offers: list[Taken] = field(default_factory=list)
    """Oldest first."""
    held: list[Submitted] = field(default_factory=list)
    """Submissions waiting for a safe point, in order."""

    clock: Clock = field(default_factory=Clock)
    seats: dict[Seat, Sitter] = field(default_factory=dict)
    chance: Chance = field(default_factory=lambda: Chance(""))
    """Policies' randomness, from outside; never the match's."""
    arriving: set[Key] = field(default_factory=set)
    """With a queued answer, which precedes policies."""

    tried: set[Key] = field(default_factory=set)
    """New questions without an answer by order."""
    later: dict[Key, Given] = field(default_factory=dict)
    """Answers by order to be delayed, to questions not put yet."""
    fallen: set[tuple[Seat, str]] = field(default_factory=set)
    """Own turns overdue, played by order."""
    late: set[Key] = field(default_factory=set)
    """Overdue proposals."""
    thought: dict[Key, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """Table marks at which a bot considered its powers, by open question."""
    spent: dict[Seat, int] = field(default_factory=dict)
    """Entries that standing orders have followed."""
    at: datetime = LONG_AGO
    """Now."""
    effects: list[Effect] = field(default_factory=list)
    entered: list[tuple[Logged, Seat, Given]] = field(default_factory=list)
    """Logged answers, still to be looked through for missed deadlines."""

    def copied(self) -> Run:
        """An independent copy."""
        fresh = replace(self, **{each.name: copy(getattr(self, each.name)) for each in fields(self)})
        fresh.match = replace(self.match, state=copy_of(self.match.game, self.match.state), entries=[*self.match.entries])
        fresh.chance, fresh.effects, fresh.entered = clone(self.chance), [], []
        return fresh

    # --- what is known ------------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> list[Seat]:
        """Seats without an answer; secret while answers are hidden."""
        return [seat for seat in self.match.state.waiting if seat not in self.hidden]

    @property
    def secret_so_far(self) -> bool:
        """Whether answers are hidden: nobody may learn who answered."""
        return bool(self.hidden or self.match.state.sealed)

    def key(self, seat: Seat) -> Key:
        """Of the open question."""
        return seat, Question(self.match.state.serial)

    def known_to(self, seat: Seat) -> AnyState:
        """The position with the hidden offers known to the seat. Read-only."""
        return hidden.known_to(self.match.game, self.match.state, self.offers, seat)

    def proposals(self) -> dict[Key, Ask]:
        """Proposals open to seats."""
        if not self.offers and not offers.on(self.match.state.table):
            return {}
        found: dict[Key, Ask] = {}
        for seat in self.match.state.table.seats:
            found |= {(seat, address.proposal(n)): ask for n, ask in offers.proposals(self.known_to(seat), seat)}
        return found

    def proposed(self) -> dict[Key, Proposal]:
        """The same, frozen ones included."""
        return self._on_desks(lambda proposal, seat: seat in proposal.to)

    def proposed_by(self) -> set[Key]:
        """Open proposals by proposer."""
        return {*self._on_desks(lambda proposal, seat: seat == proposal.by)}

    def _on_desks(self, wanted: Callable[[Proposal, Seat], bool]) -> dict[Key, Proposal]:
        if not self.offers and not offers.on(self.match.state.table):
            return {}
        found: dict[Key, Proposal] = {}
        for seat in self.match.state.table.seats:
            lying = offers.on(self.known_to(seat).table)
            found |= {(seat, address.proposal(p.number)): p for p in lying if wanted(p, seat)}
        return found

    def closes_late(self, seat: Seat) -> bool:
        """Whether the answer would close a window that closes at its deadline only."""
        match = self.match
        return self.clock.late_windows and match.ask_kind() in match.game.windows and self.waiting == [seat]

    def by_bot(self) -> bool:
        """Whether a bot or steward is waited for."""
        return self.match.outcome is None and any(self.seats[seat].bot for seat in self.waiting)

    def spend_orders(self, seat: Seat) -> None:
        """Drop used orders and advance sequences."""
        sitter, match = self.seats[seat], self.match
        if sitter.orders:
            own = [e for e in match.entries[self.spent.get(seat, 0) :] if e.actor == seat and e.move and e.ask != matches.TABLE]
            answered = [f"{e.ask}:{e.move or ''}" for e in own]
            left = orders.after(match.game, self.known_to(seat), seat, answered, self._of_today(seat))
            self.seats[seat] = replace(sitter, orders=left)
        self.spent[seat] = len(match.entries)

    def orders_of(self, seat: Seat) -> Mapping[str, str]:
        """A seat's valid standing orders, after this run's entries, on the player's date. Logged, so replay needs no clock."""
        if len(self.match.entries) > self.spent.get(seat, 0):
            self.spend_orders(seat)
        return self._of_today(seat)

    def _of_today(self, seat: Seat) -> dict[str, str]:
        sitter = self.seats[seat]
        return orders.of_day(self.match.game, sitter.orders, sitter.today) if sitter.today else {**sitter.orders}

    def _mind(self, seat: Seat) -> Mind:
        return Mind(self.match.game, self.known_to(seat), seat, self.chance)

    def _turn_of(self, seat: Seat) -> tuple[Seat, str] | None:
        mark = self.match.game.turn_of(self.match.state, seat)
        return (seat, mark) if mark else None

    # --- answers ------------------------------------------------------------------------------------------------------

    def play(self, seat: Seat, given: Given) -> None:
        """Log an answer, or hide it until all are in. Raises Refused."""
        state, key = self.match.state, self.key(seat)
        alone = procedure.one_by_one(state) or (state.waiting == [seat] and not self.hidden)
        if not alone or self.offers:  # else vetted on entry
            given = Given(procedure.vet(self.known_to(seat), seat, given.answer), given.via, given.mark)
        if alone:
            self._enter([(seat, self._in_full(seat, given))])
        else:
            self.hidden[seat] = given
            self._enter_when_all_are_in()
        self.effects.append(Closed(key, given.via))

    def _enter_when_all_are_in(self) -> None:
        if not self.hidden or self.waiting:
            return
        for seat, given in list(self.hidden.items()):
            try:
                self.hidden[seat] = self._in_full(seat, given)
            except Refused as refusal:
                self._give_back(seat, refusal)
                self.tried.add(self.key(seat))
        if not self.waiting:
            answers = [(s, self.hidden[s]) for s in self.match.state.table.seats if s in self.hidden]
            self.hidden = {}
            self._enter(answers)

    def _in_full(self, seat: Seat, given: Given) -> Given:
        """Vet the answer with all private offers applied. Only an unseen offer can forbid it: unattended ones become the
        default, others raise Refused.
        """
        if not self.offers:
            return given
        whole = hidden.with_offers(self.match.game, self.match.state, self.offers)
        try:
            return Given(procedure.vet(whole, seat, given.answer), given.via, given.mark)
        except Refused:
            if given.via not in UNATTENDED:
                raise
            default = procedure.vet(whole, seat, procedure.ask_of(whole, seat).default)
            return Given(default, given.via, given.mark)

    def _enter(self, answers: Sequence[tuple[Seat, Given]]) -> None:
        """Log a step's answers, after the offers that take effect with them."""
        match, at, serial = self.match, self._time(), self.match.state.serial
        self.offers, ripe, forgotten = hidden.entering(match.game, match.state, self.offers, answers)
        self._enter_offers(ripe, at)
        for seat, given in answers:
            logged = self._log(match.play(seat, given.answer, at, given.via, given.mark))
            self.entered.append((logged, seat, given))
        logged.events.extend(forgotten)
        self._see_to_the_step(serial)

    def _log(self, events: Sequence[Event]) -> Logged:
        """The effect of the newest entry."""
        logged = Logged(self.match.entries[-1], [*events])
        self.effects.append(logged)
        return logged

    def _time(self) -> str:
        """Time logged for a step's answers, the same for all; of windows their opening, since the closing may reveal the last
        one.
        """
        number, opened = self.clock.since or (0, None)
        if opened is not None and number == self.match.state.serial and self.match.ask_kind() in self.match.game.windows:
            return in_log(opened)
        return in_log(self.at)

    # --- offers -------------------------------------------------------------------------------------------------------

    def take_offer(self, seat: Seat, kind: str, given: Given, number: int = 0) -> None:
        """Use a power or answer a proposal: logged, or hidden if nobody else may see it. Raises Refused."""
        game, state = self.match.game, self.match.state
        seats, serial = state.table.seats, state.serial
        answer = matches.check_offer(game, self.known_to(seat), seat, kind, given.answer, number)
        taken = Taken(seat, kind, Given(answer, given.via, given.mark), number)
        open_ = matches.audience(game, seats, seat, kind, answer, number) is None
        group, circle = hidden.linked(game, seats, self.offers, (seat,) if open_ else hidden.circle(game, seats, taken))
        if open_ or hidden.differs(game, circle, (state, []), hidden.foresee(game, state, [*group, taken], [])):
            before = self._before(group, taken)
            self.offers.append(taken)
            self._enter_offers([*before, taken], in_log(self.at))
            self._see_to_the_step(serial)
            return
        others = [offer for offer in self.offers if offer not in group]
        if not hidden.commutes(game, state, others, [*group, taken], circle):
            self._enter_offers(others, in_log(self.at))
            self._see_to_the_step(serial)
            self.take_offer(seat, kind, given, number)
            return
        self.offers, told = hidden.fold(game, state, [*self.offers, taken], [])
        if told:
            self.effects.append(Told(told, now=False))
        group, _ = hidden.linked(game, seats, self.offers, (seat,))
        counts = [offer for offer in group if offer.skips]
        if game.encode(self.known_to(seat)) == game.encode(hidden.foresee(game, state, counts, [])[0]):
            # A withdrawal: both vanish.
            self.offers = [offer for offer in self.offers if offer.skips or offer not in group]
        self._vet_again()

    def _before(self, group: Sequence[Taken], taken: Taken) -> list[Taken]:
        """Hidden offers that must precede a public one, its group included. Raises Refused if it is illegal after all hidden
        offers.
        """
        if len(group) == len(self.offers):
            return list(group)
        game, state = self.match.game, self.match.state
        whole = hidden.with_offers(game, state, self.offers)
        matches.check_offer(game, whole, taken.seat, taken.kind, taken.given.answer, taken.number)
        ripe = hidden.bearing(game, state, self.offers, group, [taken], [])
        return [offer for offer in self.offers if offer in group or offer in ripe]

    def part(self, seat: Seat) -> None:
        """Drop a leaving player's secret powers, except those that known offers depend on."""
        game, state = self.match.game, self.match.state
        for offer in [o for o in self.offers if hidden.circle(game, state.table.seats, o) == {seat}][::-1]:
            rest = [o for o in self.offers if o is not offer]
            if hidden.if_legal(game, state, rest) is not None:
                self.offers = rest
        self._vet_again()

    def _enter_offers(self, group: Sequence[Taken], at: str) -> None:
        """Log hidden offers. Counts join their circle's next entry, else stay."""
        for offer in group:
            self.offers.remove(offer)
        numbered, counts = hidden.with_skips(self.match.game, self.match.state.table.seats, group)
        for offer, skips in numbered:
            given = offer.given
            self._log(
                self.match.play_offer(offer.seat, offer.kind, given.answer, at, given.via, offer.number, given.mark, skips)
            )
        self.offers += counts

    # --- when the table has changed -----------------------------------------------------------------------------------

    def _see_to_the_step(self, serial: int) -> None:
        """After an entry: park hidden answers of an interrupted step, restore and vet those of the open one."""
        state = self.match.state
        if self.hidden and state.serial != serial:
            if any(step.serial == serial for step in state.parked):
                self.parked[serial] = self.hidden
            self.hidden = {}
        self.hidden |= self.parked.pop(state.serial, {})
        self.parked = {step.serial: self.parked[step.serial] for step in state.parked if step.serial in self.parked}
        self._vet_again()
        self._enter_when_all_are_in()

    def _vet_again(self) -> None:
        """Return hidden answers that became illegal."""
        state = self.match.state
        for seat, given in list(self.hidden.items()):
            if seat not in state.waiting:
                del self.hidden[seat]  # not asked any more
                continue
            try:
                procedure.vet(self.known_to(seat), seat, given.answer)
            except Refused as refusal:
                self._give_back(seat, refusal)

    def _give_back(self, seat: Seat, refusal: Refused) -> None:
        del self.hidden[seat]
        self.effects.append(Asked(self.key(seat)))
        self._whisper(seat, "returned", refusal.said)

    def _whisper(self, seat: Seat, what: str, why: Sentence) -> None:
        self.effects.append(Told([Event(f"{matches.TABLE}.{what}", {"why": why.stored()}, (seat,))], now=True))

    # --- by hand ------------------------------------------------------------------------------------------------------

    def submit(self, submitted: Submitted) -> None:
        """Play a submission, hold it, or refuse it with the reason."""
        seat, kind, state = submitted.seat, submitted.kind, self.match.state
        question, number = isinstance(submitted.to, Question), address.number(submitted.to)
        if question and (submitted.to != Question(state.serial) or seat not in self.waiting or self.match.outcome is not None):
            self.effects.append(Rejected(submitted.id, None))
            return
        try:
            given = Given(read(submitted.move), submitted.via)
            if self._waits(submitted):
                # Stays out of the log, or others would see it.
                matches.check_offer(self.match.game, self.known_to(seat), seat, kind, given.answer, number, ahead=True)
                self.held.append(submitted)
                self.effects.append(Held(submitted.id))
                return
            if not question:
                self.take_offer(seat, kind, given, number)
                self.effects.append(Closed((seat, submitted.to), given.via))
            elif not self._keep_to_deadline(seat, given):
                self.play(seat, given)
        except Refused as refusal:
            self.effects.append(Rejected(submitted.id, refusal.said))
            return
        self.effects.append(Accepted(submitted.id))

    def _waits(self, submitted: Submitted) -> bool:
        """Whether an offer must wait for a safe point."""
        offered = not isinstance(submitted.to, Question)
        return offered and procedure.waits(self.match.state, submitted.seat, submitted.kind)

    def _play_held(self) -> bool:
        """At a safe point, play the first held submission; False without one."""
        submitted = next((s for s in self.held if not self._waits(s)), None)
        if submitted is None:
            return False
        self.held.remove(submitted)
        self.submit(submitted)
        last = self.effects[-1]
        if isinstance(last, Rejected) and last.why is not None:
            self._whisper(submitted.seat, "held", last.why)
        return True

    def _keep_to_deadline(self, seat: Seat, given: Given) -> bool:
        """Keep an answer that would close a window too early, replacing a kept one; False otherwise. Raises Refused."""
        key = self.key(seat)
        timed = self.clock.asked.get(key)
        if not self.closes_late(seat) or timed is None or timed.due is None or timed.due <= self.at:
            return False
        answer = procedure.vet(self.known_to(seat), seat, given.answer)
        self._keep(key, write(answer), given.via)
        return True

    def _keep(self, key: Key, move: str, via: str = "") -> None:
        """Keep an answer until the deadline; "": none."""
        timed = self.clock.asked[key]
        timed = replace(timed, kept=move, via=via, kept_to=timed.due if move else None)
        self.clock = replace(self.clock, asked={**self.clock.asked, key: timed})
        self.effects.append(Kept(key, move, via))

    # --- unasked ------------------------------------------------------------------------------------------------------

    def play_unasked(self) -> bool:
        """Play one answer of bots, stewards, orders or from a safe point on; False if there is none."""
        if self._play_held():
            return True
        for seat in self.waiting:
            given = self._unasked(seat) if self.key(seat) not in self.arriving else None
            if given is not None:
                self._play_given(seat, given)
                return True
        for key, ask in self.proposals().items():
            found = self._unasked_offer(key, ask) if key not in self.arriving else None
            if found is not None:
                return self._take(key, ask.kind, found)
        for seat, kind, given in self._powers_unasked():
            return self._take((seat, Power(kind)), kind, given)
        return False

    def play_overdue(self) -> bool:
        """Play one answer whose deadline has passed; False if there is none."""
        for seat in self.waiting:
            given = self._overdue(seat)
            if given is not None:
                self._play_given(seat, given)
                return True
        for key, ask in self.proposals().items():
            found = self._overdue_offer(key, ask)
            if found is not None and self._take(key, ask.kind, found):
                return True
        return False

    def _play_given(self, seat: Seat, given: Given) -> None:
        """Play a policy's answer. A refused one becomes the default, or a question to the player; a refused default is a rules
        fault.
        """
        try:
            self.play(seat, given)
        except Refused as refusal:
            self.effects.append(Dropped(seat, given.via, refusal))
            key = self.key(seat)
            if key in self.clock.asked and self.clock.asked[key].kept:
                self._unkeep(key)
            self.tried.add(key)
            default = policy.default(self._mind(seat))
            if given.answer == default.answer and given.via in UNATTENDED:
                raise
            if given.via in UNATTENDED or self._falls_due(seat):
                via, mark = ("bot", given.mark) if given.via == "bot" else (default.via, default.mark)
                self.play(seat, Given(default.answer, via, mark))

    def _take(self, key: Key, kind: str, given: Given) -> bool:
        """Take an offer; False if it proves illegal."""
        seat, to = key
        try:
            self.take_offer(seat, kind, given, address.number(to))
        except Refused as refusal:
            self.effects.append(Dropped(seat, given.via, refusal))
            self.tried.add(key)
            return False
        self.effects.append(Closed(key, given.via))
        return True

    def _unasked(self, seat: Seat) -> Given | None:
        """The seat's automatic answer, of the most specific source; None if its player is to answer."""
        sitter, key = self.seats[seat], self.key(seat)
        if sitter.bot:
            return policy.bot(self._mind(seat), sitter.bot, _mark(sitter))
        if key in self.clock.asked:
            return self._ripe_answer(seat)
        if key in self.tried or key in self.later:
            return None
        if self._turn_of(seat) in self.fallen:
            # An order plays the rest of an overdue turn.
            return self._ordered(seat, late=True) or policy.default(self._mind(seat))
        found = self._prepared(seat)
        if found is not None:
            return found
        found = self._in_advance(seat) or self._ordered(seat)
        if found is None:
            self.tried.add(key)
        elif self.clock.decent or self.closes_late(seat):
            self.later[key] = found
            return None
        return found

    def _overdue(self, seat: Seat) -> Given | None:
        """The answer at a passed deadline: kept, by order, or default; None if none passed."""
        timed = self.clock.asked.get(self.key(seat))
        if timed is None or timed.falls is None or timed.falls > self.at:
            return None
        kept = self._still_legal(seat, timed) if timed.kept else None
        if kept is not None:
            return kept
        given, turn = self._ordered(seat, late=True), self._turn_of(seat)
        if given is not None and turn is not None:
            self.fallen.add(turn)
        return given or policy.default(self._mind(seat))

    def _falls_due(self, seat: Seat) -> bool:
        """Whether the question or its turn is overdue."""
        timed = self.clock.asked.get(self.key(seat))
        over = timed is not None and timed.falls is not None and timed.falls <= self.at
        return over or self._turn_of(seat) in self.fallen

    def _ripe_answer(self, seat: Seat) -> Given | None:
        """The kept answer, once its delay is over."""
        timed = self.clock.asked[self.key(seat)]
        if not timed.kept or timed.kept_to is None or timed.kept_to > self.at:
            return None
        if self.closes_late(seat) and timed.due is not None and timed.due > self.at:
            self._keep(self.key(seat), timed.kept, timed.via)
            return None
        return self._still_legal(seat, timed)

    def _still_legal(self, seat: Seat, timed: Timed) -> Given | None:
        """A kept answer if still legal; else it is dropped and the player asked."""
        found = policy.legal(self._mind(seat), timed.kept, timed.via)
        if found is None:
            self._unkeep(self.key(seat))
        return found

    def _unkeep(self, key: Key) -> None:
        self._keep(key, "")
        self.effects.append(Asked(key))

    def _ordered(self, seat: Seat, late: bool = False) -> Given | None:
        return policy.order(self._mind(seat), self.orders_of(seat), late)

    def _prepared(self, seat: Seat) -> Given | None:
        """An answer from before the start; dropped if illegal."""
        sitter = self.seats[seat]
        move = sitter.prepared.get(self.match.ask_kind())
        if move is None:
            return None
        self.seats[seat] = replace(sitter, prepared={k: v for k, v in sitter.prepared.items() if v != move})
        return policy.legal(self._mind(seat), move, "advance")

    def _in_advance(self, seat: Seat, offer: tuple[Ask, int] | None = None) -> Given | None:
        """Pop the answer queued in advance; one that no longer fits is dropped, with a letter to its owner."""
        sitter = self.seats[seat]
        if not sitter.advance:
            return None
        mind, why = self._mind(seat), None
        kind = offer[0].kind if offer is not None else procedure.ask_of(mind.known, seat).kind
        queued = next((one for one in sitter.advance if one["kind"] == kind), None)
        if queued is None:
            return None
        self.seats[seat] = replace(sitter, advance=[one for one in sitter.advance if one["id"] != queued["id"]])
        if policy.unchanged(mind, queued):
            try:
                return policy.advance(mind, queued, offer)
            except Refused as refusal:
                why = refusal.said
        self.effects.append(Owed("advance_dropped", seat, {"given": queued, "why": why}))
        return None

    def _unasked_offer(self, key: Key, ask: Ask) -> Given | None:
        """The automatic answer to a proposal, or None."""
        seat, number = key[0], address.number(key[1])
        sitter = self.seats[seat]
        if sitter.bot:
            # A refused one isn't repeated, since it would block other proposals.
            tried = key in self.tried
            return None if tried else policy.bot_offer(self._mind(seat), sitter.bot, _mark(sitter), ask, number)
        timed = self.clock.asked.get(key)
        if timed is not None:
            ready = timed.kept and timed.kept_to is not None and timed.kept_to <= self.at and key not in self.tried
            return Given(read(timed.kept), timed.via) if ready else None
        if key in self.tried or key in self.later:
            return None
        found = self._in_advance(seat, (ask, number)) or policy.order_offer(self._mind(seat), self.orders_of(seat), ask, number)
        if found is None or self.clock.decent:
            self.tried.add(key)
            if found is not None:
                self.later[key] = found
            return None
        return found

    def _overdue_offer(self, key: Key, ask: Ask) -> Given | None:
        """The answer to a proposal that lapsed: kept, by order, or safe; None if it hasn't."""
        timed = self.clock.asked.get(key)
        if timed is None or timed.falls is None or timed.falls > self.at or key in self.late:
            return None
        if timed.kept and key not in self.tried:
            self.tried.add(key)
            return Given(read(timed.kept), timed.via)
        self.late.add(key)
        seat, number = key[0], address.number(key[1])
        found = policy.order_offer(self._mind(seat), self.orders_of(seat), ask, number, late=True)
        return found or Given(ask.default, "clock", matches.DEFAULT)

    def _powers_unasked(self) -> Iterator[tuple[Seat, str, Given]]:
        """Powers that bots, stewards and orders use now: seat, kind, answer. Retried after changes of the table, but not for
        ever.
        """
        game, mark = self.match.game, (len(self.match.entries), len(self.offers))
        for seat, sitter in self.seats.items():
            by_order = not sitter.bot and game.orders.use is not None and self.orders_of(seat)
            if not by_order and sitter.bot not in game.hagglers:
                continue
            thought = self.thought.get(self.key(seat), ())
            if mark in thought or len(thought) >= MOST:
                continue
            self.thought[self.key(seat)] = (*thought, mark)
            mind = self._mind(seat)
            for ask in offers.powers(mind.known, game.offers(mind.known, seat)):
                if by_order:
                    given = policy.order_power(mind, self.orders_of(seat), ask)
                else:
                    given = policy.bot_offer(mind, sitter.bot, _mark(sitter), ask, 0)
                if given is not None:
                    yield seat, ask.kind, given

    # --- the table ----------------------------------------------------------------------------------------------------

    def record(self, actor: str, words: str, via: str, events: Sequence[Event]) -> None:
        """Log a change of the table. Raises NotLegal after the end."""
        self.match.record(actor, read(words), in_log(self.at), via)
        self._log(events)

    def note_missed(self) -> None:
        """Tell of logged defaults; after too many, put a steward in. Not earlier: hidden answers mustn't be revealed."""
        entered, self.entered = self.entered, []
        for logged, seat, given in entered:
            if given.via != "clock":
                continue
            sitter = replace(self.seats[seat], missed=self.seats[seat].missed + 1)
            # A default with content is told to its seat only.
            only = None if logged.entry.mark == matches.DEFAULT else (seat,)
            logged.events.insert(0, Event(f"{matches.TABLE}.default", {"who": sitter.name}, only))
            if sitter.missed >= self.clock.steward_after and sitter.owned and self.match.outcome is None:
                sitter = replace(sitter, bot=self.match.game.steward, steward=True)
                self.effects.append(Owed("kept", seat, {"missed": sitter.missed}))
                self.record("clock", f"kept seat={seat}", "clock", [Event(f"{matches.TABLE}.kept", {"who": sitter.name})])
            self.seats[seat] = sitter

    def reveal(self) -> None:
        """After the end, log the seed and the result."""
        match = self.match
        if match.outcome is not None and (not match.entries or match.entries[-1].ask != matches.REVEAL):
            match.reveal(in_log(self.at))
            self._log([])


def _mark(sitter: Sitter) -> str:
    return "steward" if sitter.steward else ""


def in_log(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def take(run: Run, what: Submitted | Due | Commanded) -> tuple[Run, list[Effect]]:
    """Play one submission, one automatic answer, or log one command; returns the run after it, and what follows in order.

    The run given stays as it was. No effects of `Due`: nothing is left. Raises Refused where not even the safe default is
    legal, NotLegal for a command after the end, and whatever the rules raise.
    """
    run = run.copied()
    run.at = what.at
    match what:
        case Submitted():
            run.arriving.discard((what.seat, what.to))
            run.submit(what)
        case Commanded():
            run.record(what.actor, what.words, what.via, what.events)
            if what.left:
                run.part(what.left)
        case Due():
            play = run.play_overdue if what.overdue else run.play_unasked
            while run.match.outcome is None and play() and not run.effects:
                pass
    run.note_missed()
    run.reveal()
    return run, run.effects
