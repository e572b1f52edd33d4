"""A match being played: `take` plays one input and returns effects.

Answers to a shared question are logged together in seat order, so that length, order and times show nothing; hidden offers once
a public effect follows. The caller locks, loads, and stores the effects: no database, clock or randomness here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import NamedTuple

from engine.core import offers, procedure
from engine.core.asks import Ask, Refused, Seat, read, write
from engine.core.chance import Chance
from engine.core.cloning import clone
from engine.core.offers import Proposal
from engine.core.views import Event
from engine.game import AnyState
from engine.language.words import Message
from engine.play import hidden, orders, policy, taking_back
from engine.play import match as matches
from engine.play.effects import (
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
    TakenBack,
    Told,
)
from engine.play.hidden import Given, Taken
from engine.play.match import Match
from engine.play.policy import MOST, UNATTENDED, Clock, Mind, Sitter, Timed
from engine.play.taking_back import HiddenOffer, Step, Trail
from engine.text import address
from engine.text.address import Key, Power, Question

LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
CONTAINERS = (
    *("hidden", "parked", "offers", "held", "trails", "seats", "arriving"),
    *("tried", "later", "fallen", "late", "thought", "spent", "stepped"),
)
"""Fields of a run that playing changes in place."""


class Hidden(NamedTuple):
    """An answer outside the log; `serial` as in `Entry`."""

    seat: Seat
    serial: int
    kind: str
    given: Given

    @property
    def offer(self) -> Taken:
        return Taken(self.seat, self.kind, self.given, -self.serial)


@dataclass
class Run:
    """A match being played. The last fields remember what policies tried in this transaction."""

    match: Match
    hidden: dict[Seat, Given] = field(default_factory=dict)
    """Answers to the open question."""
    parked: dict[int, Mapping[Seat, Given]] = field(default_factory=dict)
    """Answers to interrupted questions, by number."""
    offers: list[Taken] = field(default_factory=list)
    """Oldest first."""
    held: list[Submitted] = field(default_factory=list)
    """Submissions waiting for a safe point, in order."""
    trails: dict[Seat, Trail] = field(default_factory=dict)
    """What seats may take back."""

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
    stepped: set[Seat] = field(default_factory=set)
    """Seats with an answer by hand; a second can't be taken back, since the clocks before it are unknown."""
    at: datetime = LONG_AGO
    """Now."""
    shared: bool = False
    """Whether the position and the entries are those of the run that this one is a copy of."""
    effects: list[Effect] = field(default_factory=list)
    entered: list[tuple[Logged, Seat, Given]] = field(default_factory=list)
    """Logged answers, still to be looked through for missed deadlines."""

    def copied(self) -> Run:
        """A copy to play on; `_playing` copies the position on write."""
        run = copy(self)
        for name in CONTAINERS:
            setattr(run, name, getattr(self, name).copy())
        run.match, run.chance, run.shared, run.effects, run.entered = copy(self.match), clone(self.chance), True, [], []
        return run

    def _playing(self) -> Match:
        if self.shared:
            self.shared = False
            self.match.state = clone(self.match.state)
            self.match.entries = [*self.match.entries]
        return self.match

    # --- what is known ------------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> list[Seat]:
        """Seats without an answer; secret while answers are hidden."""
        return [seat for seat in self.match.state.waiting if seat not in self.hidden]

    @property
    def secret_so_far(self) -> bool:
        """Whether nobody may learn who has answered."""
        return bool(self.hidden or self.match.state.sealed)

    def key(self, seat: Seat) -> Key:
        return seat, Question(self.match.state.serial)

    def known_to(self, seat: Seat) -> AnyState:
        """See `hidden.known_to`. Read-only."""
        return hidden.known_to(self.match.game, self.match.state, self.offers, seat)

    def hidden_answers(self) -> list[Hidden]:
        """Answers and offers outside the log, before the end."""
        if self.match.outcome is not None:
            return []
        state = self.match.state
        found = [Hidden(seat, state.serial, self.match.ask_kind(), given) for seat, given in self.hidden.items()]
        for step in state.parked:
            kind, parked = state.stack[step.depth - 1].step, self.parked.get(step.serial, {})
            found += [Hidden(seat, step.serial, kind, given) for seat, given in parked.items()]
        return [*found, *(Hidden(o.seat, -o.number, o.kind, o.given) for o in self.offers)]

    def restore(self, found: Iterable[Hidden]) -> None:
        """Inverse of `hidden_answers`, without what is no longer asked."""
        parked = {step.serial for step in self.match.state.parked}
        for one in found:
            if one.serial <= matches.OFFER:
                self.offers.append(one.offer)
            elif one.serial == self.match.state.serial:
                self.hidden[one.seat] = one.given
            elif one.serial in parked:
                self.parked[one.serial] = {**self.parked.get(one.serial, {}), one.seat: one.given}

    def proposals(self) -> dict[Key, Ask]:
        if not self.offers and not offers.on(self.match.state.table):
            return {}
        found: dict[Key, Ask] = {}
        for seat in self.match.state.table.seats:
            found |= {(seat, address.proposal(n)): ask for n, ask in offers.proposals(self.known_to(seat), seat)}
        return found

    def proposed(self) -> dict[Key, Proposal]:
        """The same, including frozen ones."""
        return self._open_proposals(lambda proposal, seat: seat in proposal.to)

    def proposed_by(self) -> set[Key]:
        return {*self._open_proposals(lambda proposal, seat: seat == proposal.by)}

    def _open_proposals(self, wanted: Callable[[Proposal, Seat], bool]) -> dict[Key, Proposal]:
        if not self.offers and not offers.on(self.match.state.table):
            return {}
        found: dict[Key, Proposal] = {}
        for seat in self.match.state.table.seats:
            known = offers.on(self.known_to(seat).table)
            found |= {(seat, address.proposal(p.number)): p for p in known if wanted(p, seat)}
        return found

    @property
    def closes_late(self) -> bool:
        """Whether the open window closes at its deadline only. It keeps all answers until then: keeping the last one alone
        would tell its seat that the others have answered.
        """
        match = self.match
        return self.clock.late_windows and match.ask_kind() in match.game.rules.windows

    def by_bot(self) -> bool:
        return self.match.outcome is None and any(self._bot(seat) for seat in self.waiting)

    def _bot(self, seat: Seat) -> str:
        sitter = self.seats[seat]
        return "" if sitter.steward and self._deserted else sitter.bot

    @property
    def _deserted(self) -> bool:
        return policy.deserted([sitter.steward for sitter in self.seats.values() if sitter.owned])

    def spend_orders(self, seat: Seat) -> None:
        """Drop used orders and advance sequences."""
        sitter, match = self.seats[seat], self.match
        if sitter.orders:
            fresh = match.entries[self.spent.get(seat, 0) :]
            own = [e for e in fresh if e.actor == seat and e.move and e.ask not in (matches.TABLE, matches.TAKE_BACK)]
            answered = [f"{e.ask}:{e.move or ''}" for e in own]
            left = match.game.orders.after(self.known_to(seat), seat, answered, self._of_today(seat))
            self.seats[seat] = replace(sitter, orders=left)
        self.spent[seat] = len(match.entries)

    def orders_of(self, seat: Seat) -> Mapping[str, str]:
        """Valid orders after this run's entries, on the player's date."""
        if len(self.match.entries) > self.spent.get(seat, 0):
            self.spend_orders(seat)
        return self._of_today(seat)

    def _of_today(self, seat: Seat) -> dict[str, str]:
        sitter = self.seats[seat]
        return orders.of_day(self.match.game, sitter.orders, sitter.today) if sitter.today else {**sitter.orders}

    def _mind(self, seat: Seat) -> Mind:
        return Mind(self.match.game, self.known_to(seat), seat, self.chance)

    def _turn_of(self, seat: Seat) -> tuple[Seat, str] | None:
        mark = self.match.game.rules.turn_of(self.match.state, seat)
        return (seat, mark) if mark else None

    # --- answers ------------------------------------------------------------------------------------------------------

    def play(self, seat: Seat, given: Given) -> None:
        """Log an answer, or hide it until all are in. Raises Refused."""
        state, key = self.match.state, self.key(seat)
        alone = procedure.open_step(state).each or (state.waiting == [seat] and not self.hidden)
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
        """Vet with all private offers; refused unattended answers become the default. Raises Refused."""
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
        """Log a step's answers, after offers that take effect with them."""
        match, at, serial = self._playing(), self._time(), self.match.state.serial
        self.offers, ripe, forgotten = hidden.entering(match.game, match.state, self.offers, answers)
        self._enter_offers(ripe, at)
        for seat, given in answers:
            logged = self._log(match.play(seat, given.answer, at, given.via, given.mark))
            self.entered.append((logged, seat, given))
        logged.events.extend(forgotten)
        self._see_to_the_step(serial)

    def _log(self, events: Sequence[Event]) -> Logged:
        logged = Logged(self.match.entries[-1], [*events])
        self.effects.append(logged)
        return logged

    def _time(self) -> str:
        """Logged time, the same for all answers of a step."""
        number, opened = self.clock.since or (0, None)
        if opened is not None and number == self.match.state.serial and self.match.ask_kind() in self.match.game.rules.windows:
            return in_log(opened)
        return in_log(self.at)

    # --- offers -------------------------------------------------------------------------------------------------------

    def take_offer(self, seat: Seat, kind: str, given: Given, number: int = 0) -> None:
        """Log an offer, or hide it if others may not see it. Raises Refused."""
        game, state = self.match.game, self.match.state
        seats, serial = state.table.seats, state.serial
        answer = matches.check_offer(game, self.known_to(seat), seat, kind, given.answer, number)
        taken = Taken(seat, kind, Given(answer, given.via, given.mark), number)
        open_ = matches.audience(game, seats, seat, kind, answer, number) is None
        if open_:
            group, circle, shows = *hidden.linked(game, state, self.offers, (seat,)), True
        else:
            group, circle, played = hidden.joined(game, state, self.offers, taken)
            shows = hidden.differs(game, circle, (state, []), played)
        if shows:
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
        # They know of it, or of a proposal that it ended: somebody has acted.
        learn = hidden.circle(game, seats, taken).union(*hidden.lapsed(state, played[0]), *(e.only or () for e in told))
        for other in (learn - {seat}) & self.trails.keys():
            self.trails[other] = Trail(self.n, (), taking_back.ACTED)
        group, _ = hidden.linked(game, state, self.offers, (seat,))
        counts = [offer for offer in group if offer.skips]
        if game.rules.encode(self.known_to(seat)) == game.rules.encode(hidden.foresee(game, state, counts, [])[0]):
            # A withdrawal: both vanish.
            self.offers = [offer for offer in self.offers if offer.skips or offer not in group]
        self._vet_again()

    def _before(self, group: Sequence[Taken], taken: Taken) -> list[Taken]:
        """Hidden offers that must precede a public one. Raises Refused."""
        if len(group) == len(self.offers):
            return list(group)
        game, state = self.match.game, self.match.state
        whole = hidden.with_offers(game, state, self.offers)
        matches.check_offer(game, whole, taken.seat, taken.kind, taken.given.answer, taken.number)
        ripe = hidden.bearing(game, state, self.offers, group, [taken], [])
        return [offer for offer in self.offers if offer in group or offer in ripe]

    def part(self, seat: Seat) -> None:
        """Drop a leaving player's secret powers that other offers don't depend on."""
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
        if not group:
            return
        match = self._playing()
        numbered, counts = hidden.with_skips(match.game, match.state.table.seats, group)
        for offer, skips in numbered:
            given = offer.given
            self._log(match.play_offer(offer.seat, offer.kind, given.answer, at, given.via, offer.number, given.mark, skips))
        self.offers += counts

    # --- when the table has changed -----------------------------------------------------------------------------------

    def _see_to_the_step(self, serial: int) -> None:
        """After an entry: park hidden answers of an interrupted step, restore and vet those of the open one."""
        state = self.match.state
        if self.hidden and state.serial != serial:
            if any(step.serial == serial for step in state.parked):
                self.parked[serial] = self.hidden
            self.hidden = {}
        if not self.hidden and not self.parked:
            return
        self.hidden |= self.parked.pop(state.serial, {})
        self.parked = {step.serial: self.parked[step.serial] for step in state.parked if step.serial in self.parked}
        self._vet_again()
        self._enter_when_all_are_in()

    def _vet_again(self) -> None:
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

    def _whisper(self, seat: Seat, what: str, why: Message) -> None:
        self.effects.append(Told([Event(f"{matches.TABLE}.{what}", {"why": why.stored()}, (seat,))], now=True))

    # --- by hand ------------------------------------------------------------------------------------------------------

    def submit(self, submitted: Submitted) -> None:
        """Play a submission, hold it, or refuse it with the reason."""
        seat, kind, question = submitted.seat, submitted.kind, isinstance(submitted.to, Question)
        if question and ((seat, submitted.to) != self.key(seat) or seat not in self.waiting or self.match.outcome is not None):
            self.effects.append(Rejected(submitted.id, None))
            return
        try:
            given = Given(read(submitted.move), submitted.via)
            number = address.number(submitted.to)
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

    # --- taken back ---------------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        return self.match.before + len(self.match.entries)

    def note_step(self, before: Run, given: Submitted) -> None:
        """Extend the seat's trail, or end it with the reason."""
        if self.match.header.writ < matches.WITH_TAKE_BACKS or Accepted(given.id) not in self.effects:
            return
        seat, last, logged = given.seat, self.trails.get(given.seat, Trail()), self.n > before.n
        if not logged and (seat not in self.hidden or seat in before.hidden):
            return
        steps, at, kept = last.steps if last.n == before.n else (), self.at.isoformat(), {**given.kept}
        if seat in self.stepped:
            self.trails[seat] = Trail(self.n, (), taking_back.ACTED)
        elif logged:
            why = self._why_final(before, given)
            folded = None if self.offers == before.offers else (_as_text(before.offers), _as_text(self.offers))
            step = Step(given.id, taking_back.ENTRY, self.n, at, kept, folded)
            self.trails[seat] = Trail(self.n, (), why) if why else Trail(self.n, (*steps, step))
        else:
            step = Step(given.id, taking_back.QUESTION, self.match.state.serial, at, kept)
            self.trails[seat] = Trail(self.n, (*steps, step))
        self.stepped.add(seat)

    def _why_final(self, before: Run, given: Submitted) -> str:
        entries, fresh = [effect for effect in self.effects if isinstance(effect, Logged)], self.n - before.n
        quiet = all(isinstance(effect, Logged | Closed | Accepted | Told) for effect in self.effects)
        entry = entries[0].entry
        if fresh > 1 or len(entries) > 1 or not quiet or entry.actor != given.seat or entry.serial < matches.OFFER:
            return taking_back.OVER if self.match.outcome is not None else taking_back.ASKED
        game, old = self.match.game, before.match.state
        again = partial(matches.play_again, game, entry)
        return taking_back.why_final(game, old, self.match.state, given.seat, entries[0].events, again)

    def take_back(self, given: TakenBack) -> None:
        """Undo a seat's last answer, or refuse."""
        seat, trail = given.seat, self.trails.get(given.seat, Trail())
        step = trail.last(self.n)
        if step is None or step.id != given.step or self.match.outcome is not None:
            self.effects.append(Rejected(given.id, None))
            return
        if step.what == taking_back.QUESTION:
            # Without a trace: nobody knows that it was given.
            if step.n != self.match.state.serial or seat not in self.hidden:
                self.effects.append(Rejected(given.id, None))
                return
            del self.hidden[seat]
        else:
            assert given.before is not None
            undone = self.match.state
            self._playing().take_back(seat, step.n - 1, given.before, in_log(self.at), given.via)
            self._log([Event(f"{matches.TABLE}.took_back", {"seat": seat})])
            self._fit_offers(step, undone)
        self.trails[seat] = Trail(self.n, trail.steps[:-1])
        self.tried.add(self.key(seat))  # an order may not answer now: its player is there
        self.effects += [Asked(self.key(seat)), Accepted(given.id)]

    def _fit_offers(self, step: Step, undone: AnyState) -> None:
        """After a take-back, restore hidden offers that the step folded; drop those it made possible."""
        if step.folded is not None and _as_text(self.offers) == step.folded[1]:
            texts = step.folded[0]
            self.offers = [Taken(o.seat, o.kind, Given(read(o.move), o.via, o.mark), o.number) for o in texts]
            return  # they were legal in this position
        self.offers, gone = hidden.fitting(self.match.game, undone, self.match.state, self.offers)
        for offer in gone:
            self.effects.append(Told([Event(f"{matches.TABLE}.undone", {}, (offer.seat,))], now=True))

    def _waits(self, submitted: Submitted) -> bool:
        offered = not isinstance(submitted.to, Question)
        return offered and procedure.waits(self.match.state, submitted.seat, submitted.kind)

    def _play_held(self) -> bool:
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
        """Keep an answer to a window that closes at its deadline; else False. Raises Refused."""
        key = self.key(seat)
        timed = self.clock.asked.get(key) if self.closes_late else None
        if timed is None or timed.due is None or timed.due <= self.at:
            return False
        answer = procedure.vet(self.known_to(seat), seat, given.answer)
        self._keep(key, write(answer), given.via)
        return True

    def _keep(self, key: Key, move: str, via: str = "") -> None:
        timed = self.clock.asked[key]
        timed = replace(timed, kept=move, via=via, kept_to=timed.due if move else None)
        self.clock = replace(self.clock, asked={**self.clock.asked, key: timed})
        self.effects.append(Kept(key, move, via))

    # --- unasked ------------------------------------------------------------------------------------------------------

    def play_unasked(self) -> bool:
        """Play a held submission or an answer of a bot, steward or order; whether there was one."""
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
        """Play one answer past its deadline; whether there was one."""
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
        """Play a policy's answer; if refused, the default, or ask."""
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
        sitter, key = self.seats[seat], self.key(seat)
        if sitter.bot:
            bot = self._bot(seat)
            return policy.bot(self._mind(seat), bot, _mark(sitter)) if bot else None
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
        elif self.clock.decent or self.closes_late:
            self.later[key] = found
            return None
        return found

    def _overdue(self, seat: Seat) -> Given | None:
        """The answer at the deadline: kept, by order, or default; None before it."""
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
        timed = self.clock.asked.get(self.key(seat))
        over = timed is not None and timed.falls is not None and timed.falls <= self.at
        return over or self._turn_of(seat) in self.fallen

    def _ripe_answer(self, seat: Seat) -> Given | None:
        timed = self.clock.asked[self.key(seat)]
        if not timed.kept or timed.kept_to is None or timed.kept_to > self.at:
            return None
        if self.closes_late and timed.due is not None and timed.due > self.at:
            self._keep(self.key(seat), timed.kept, timed.via)
            return None
        return self._still_legal(seat, timed)

    def _still_legal(self, seat: Seat, timed: Timed) -> Given | None:
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
        sitter = self.seats[seat]
        move = sitter.prepared.get(self.match.ask_kind())
        if move is None:
            return None
        self.seats[seat] = replace(sitter, prepared={k: v for k, v in sitter.prepared.items() if v != move})
        return policy.legal(self._mind(seat), move, "advance")

    def _in_advance(self, seat: Seat, offer: tuple[Ask, int] | None = None) -> Given | None:
        """Pop the answer queued in advance, if it still fits."""
        sitter = self.seats[seat]
        if not sitter.advance:
            return None
        mind, why = self._mind(seat), None
        kind = offer[0].kind if offer is not None else procedure.ask_of(mind.known, seat).kind
        queued = next((one for one in sitter.advance if one["kind"] == kind), None)
        if queued is None:
            return None
        self.seats[seat] = replace(sitter, advance=[one for one in sitter.advance if one["id"] != queued["id"]])
        if queued["stance"] == mind.game.orders.stance(mind.known, seat):
            try:
                return policy.advance(mind, queued, offer)
            except Refused as refusal:
                why = refusal.said
        self.effects.append(Owed("advance_dropped", seat, {"given": queued, "why": why}))
        return None

    def _unasked_offer(self, key: Key, ask: Ask) -> Given | None:
        seat, number = key[0], address.number(key[1])
        sitter = self.seats[seat]
        if sitter.bot:
            # A refused one isn't repeated, since it would block other proposals.
            bot = self._bot(seat) if key not in self.tried else ""
            return policy.bot_offer(self._mind(seat), bot, _mark(sitter), ask, number) if bot else None
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
        """As `_overdue`, for a proposal."""
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
        """(seat, kind, answer) of powers that policies use now. Retries are limited: see `MOST`."""
        game, mark = self.match.game, (len(self.match.entries), len(self.offers))
        for seat, sitter in self.seats.items():
            by_order = not sitter.bot and game.orders.use is not None and self.orders_of(seat)
            if not by_order and self._bot(seat) not in game.bots.offer_policies:
                continue
            thought = self.thought.get(self.key(seat), ())
            if mark in thought or len(thought) >= MOST:
                continue
            self.thought[self.key(seat)] = (*thought, mark)
            mind = self._mind(seat)
            for ask in offers.powers(mind.known, game.rules.powers.open(mind.known, seat)):
                if by_order:
                    given = policy.order_power(mind, self.orders_of(seat), ask)
                else:
                    given = policy.bot_offer(mind, sitter.bot, _mark(sitter), ask, 0)
                if given is not None:
                    yield seat, ask.kind, given

    # --- the table ----------------------------------------------------------------------------------------------------

    def record(self, actor: str, words: str, via: str, events: Sequence[Event]) -> None:
        """Log a change of the table. Raises NotLegal after the end."""
        self._playing().record(actor, read(words), in_log(self.at), via)
        self._log(events)

    def note_missed(self) -> None:
        """Report logged defaults; after too many, install a steward. Not earlier: hidden answers mustn't show."""
        entered, self.entered = self.entered, []
        kept = dict[Seat, int]()
        for logged, seat, given in entered:
            if given.via != "clock":
                continue
            sitter = replace(self.seats[seat], missed=self.seats[seat].missed + 1)
            # A default with content is told to those who learn the answer.
            entry, rules = logged.entry, self.match.game.rules
            learn = {s for e in logged.events if e.kind == rules.tells.get(entry.ask) for s in e.only or ()}
            only = None if entry.mark == matches.DEFAULT else (seat, *sorted(learn - {seat}))
            logged.events.insert(0, Event(f"{matches.TABLE}.default", {"seat": seat, "who": sitter.name}, only))
            if sitter.missed >= self.clock.steward_after and sitter.owned and self.match.outcome is None:
                sitter, kept[seat] = replace(sitter, bot=self.match.game.bots.steward, steward=True), sitter.missed
                told = Event(f"{matches.TABLE}.kept", {"seat": seat, "who": sitter.name})
                self.record("clock", f"kept seat={seat}", "clock", [told])
            self.seats[seat] = sitter
        for seat, missed in kept.items():
            self.effects.append(Owed("kept", seat, {"missed": missed, "waits": self._deserted}))

    def reveal(self) -> None:
        match = self.match
        if match.outcome is not None and (not match.entries or match.entries[-1].ask != matches.REVEAL):
            self._playing().reveal(in_log(self.at))
            self._log([])


def _mark(sitter: Sitter) -> str:
    return "steward" if sitter.steward else ""


def _as_text(taken: Sequence[Taken]) -> list[HiddenOffer]:
    return [
        HiddenOffer(offer.seat, offer.kind, write(offer.given.answer), offer.given.via, offer.given.mark, offer.number)
        for offer in taken
    ]


@lru_cache(maxsize=16)
def in_log(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def take(run: Run, what: Submitted | TakenBack | Due | Commanded, own: bool = False) -> tuple[Run, list[Effect]]:
    """Play one submission, take-back or automatic answer, or log one command; returns a new run and its effects.

    `own`: the old run may be changed. `Due` without effects: nothing is left. Raises Refused if even the safe default is
    illegal, NotLegal for a command after the end, and whatever the rules raise.
    """
    before = run
    if own and run.match.header.writ < matches.WITH_TAKE_BACKS:
        run.effects = []
    else:  # take-backs compare the position before and after
        run = run.copied()
    run.at = what.at
    match what:
        case Submitted():
            run.arriving.discard((what.seat, what.to))
            run.submit(what)
            run.note_step(before, what)
        case TakenBack():
            run.take_back(what)
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
