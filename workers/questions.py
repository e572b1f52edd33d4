"""Opens, parks and closes the rows of questions and proposals after a run, with their clocks; `service.clock.recipe` computes
the deadlines.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from sqlalchemy import bindparam, update
from sqlmodel import Session, col

from engine.core.asks import Seat
from engine.core.asks import write as as_text
from engine.core.offers import Proposal
from engine.text import address
from engine.text.address import Key, Question
from service.clock import deadlines, recipe
from service.clock import pace as paces
from service.clock.arithmetic import worked
from service.clock.pace import Pace
from service.clock.recipe import Stops
from service.store import bulk
from service.store.models import AskRow, Letter, LetterStatus, Match, SeatRow, now
from workers.load import Table

DECENT = (0.03, 0.3)
"""Delay of a kept answer: shares of the reaction time."""


def write(session: Session, table: Table) -> set[Key]:
    """Close and open questions; returns those to notify."""
    row, run = table.row, table.run
    live, over = run.match, run.match.outcome is not None
    waiting = set() if over else set(run.waiting)
    proposed = {} if over else run.proposed()
    _close_asks(session, table, waiting, proposed)
    opened = _write_offers(session, table, proposed)
    told = {seat for seat, _ in opened}
    opened |= {key for key in table.bared if key[0] in waiting and key == run.key(key[0])}
    for seat in sorted(waiting):
        key = run.key(seat)
        if key in table.asks and key in table.answered:
            opened.add(key)  # the same question again
        if key in table.asks or not table.attended(seat):
            continue
        known = table.rows.get(key)
        if known is not None:
            # Reopened after an interruption, or when its hidden answer was returned.
            reopen(session, row, table.seats[seat], known, table.stops)
            table.asks[key] = known
            # A proposal's notification shows this question too.
            if seat not in told:
                opened.add(key)
            continue
        ask = table.asks[key] = _open_question(session, table, seat, live.game.rules.turn_of(live.state, seat))
        if not _answer_later(table, key, ask):
            opened.add(key)
    _write_answered(session, table)
    return opened


def _open_question(session: Session, table: Table, seat: Seat, turn_mark: str) -> AskRow:
    """Add the row of the open question, and start its clock; steps with one `turn_mark` share its time."""
    row, at, live = table.row, table.seats[seat], table.run.match
    ask, pace = AskRow(match_id=row.id, seat=seat, serial=live.state.serial, kind=live.ask_kind()), paces.of(row.pace)
    ask.allowed = pace.reaction
    if turn_mark:
        if at.turn_mark != turn_mark:
            # Time left of the last turn was played early.
            _save(at, pace, at.turn_left if at.turn_mark else 0)
            at.turn_mark, at.turn_left = turn_mark, pace.turn
        ask.allowed = max(at.turn_left, 60 if pace.turn > 60 else 1)
    deadlines.freeze(session, row, at, ask)
    deadlines.reckon(session, row, at, ask, table.stops)
    session.add(ask)
    return ask


def _answer_later(table: Table, key: Key, ask: AskRow) -> bool:
    """Keep an order's later answer, so its player isn't notified; False for none."""
    given = table.run.later.get(key)
    if given is None:
        return False
    ask.kept, ask.kept_via = as_text(given.answer), given.via
    if isinstance(key[1], Question) and table.run.closes_late(key[0]) and ask.due_at is not None:
        keep_to_deadline(ask)
    else:
        keep_back(table.row, ask)
    return True


def _close_asks(session: Session, table: Table, waiting: set[Seat], proposed: Mapping[Key, Proposal]) -> None:
    """Close questions, drop their letters, and park interrupted ones."""
    row, run = table.row, table.run
    state, over = run.match.state, run.match.outcome is not None
    parked = {(seat, Question(step.serial)) for step in state.parked for seat in step.waiting}
    park_hidden(session, table)
    closed: list[Key] = []
    for key, ask in table.asks.items():
        at = table.seats[ask.seat]
        if key == run.key(ask.seat) and ask.seat in waiting:
            if ask.falls_at is None and ask.due_at is not None:
                unpark(session, row, at, ask, table.stops)
            continue
        if key in proposed and not at.steward:
            continue
        if key in parked and not over and ask.seat not in run.parked.get(ask.serial, {}):
            park(ask)
            continue
        close_ask(session, row, at, ask, table.answered.get(key, ""), bool(table.turns.get(ask.seat)), table.stops)
        closed.append(key)
    drop_letters(session, row.id, closed)


def drop_letters(session: Session, match_id: str, closed: Iterable[Key]) -> None:
    rows = [{"match": match_id, "closed": seat, "number": address.stored(to)} for seat, to in closed]
    bulk.run(session, _dropping(), rows)


def park_hidden(session: Session, table: Table) -> None:
    """Park or unpark the deadlines of hidden answers like the others', since the table sees both."""
    state = table.run.match.state
    serials = {step.serial for step in state.parked} if table.run.match.outcome is None else set()
    for key, ask in table.rows.items():
        if key in table.asks or ask.answered_at is None or not ask.recipe:
            continue
        if ask.serial in serials:
            park(ask)
        elif ask.serial == state.serial and recipe.of(ask).parked_at is not None:
            unpark(session, table.row, table.seats[ask.seat], ask, table.stops)


@cache
def _dropping() -> Any:
    waiting_still = (col(Letter.status) == LetterStatus.QUEUED) | (col(Letter.status) == LetterStatus.GATHERED)
    its = (col(Letter.seat) == bindparam("closed"), col(Letter.serial) == bindparam("number"))
    dropping = update(bulk.table_of(Letter))
    return dropping.where(col(Letter.match_id) == bindparam("match"), *its, waiting_still).values(status=LetterStatus.DROPPED)


def _write_offers(session: Session, table: Table, proposed: Mapping[Key, Proposal]) -> set[Key]:
    row, opened = table.row, set[Key]()
    for key, proposal in proposed.items():
        at, serial = table.seats[key[0]], address.stored(key[1])
        if key in table.asks or not table.attended(key[0]):
            continue
        ask = session.get(AskRow, (row.id, key[0], serial))
        ask = ask or AskRow(match_id=row.id, seat=key[0], serial=serial, kind=proposal.kind)
        ask.answered_at = None
        open_offer(session, row, at, ask, proposal.timed, table.stops)
        table.asks[key] = ask
        if not _answer_later(table, key, ask):
            opened.add(key)
    return opened


def _write_answered(session: Session, table: Table) -> None:
    """Add rows for answers by orders: rows show who is waited for, and must not reveal orders."""
    run, live = table.run, table.run.match
    if live.outcome is not None or not live.state.waiting:
        return
    # All have the same time as those still asked.
    mark = live.game.rules.turn_of(live.state, live.state.waiting[0])
    for seat in sorted({*live.state.sealed, *run.hidden}):
        key = run.key(seat)
        if key in table.asks or key in table.rows or not table.attended(seat):
            continue
        ask = _open_question(session, table, seat, mark)
        ask.answered_at, ask.remind_at = ask.opened_at, None
        if mark:
            table.seats[seat].turn_left = 0  # an order saves no time


# --- clocks -----------------------------------------------------------------------------------------------------------


def open_offer(session: Session, match: Match, seat: SeatRow, ask: AskRow, timed: bool, stops: Stops) -> None:
    """Start a proposal's clock, at the end of which it lapses; none unless `timed`."""
    if not timed:
        ask.recipe, ask.due_at, ask.falls_at, ask.remind_at = {}, None, None, None
        session.add(ask)
        return
    ask.allowed, ask.extended, ask.given = paces.of(match.pace).reaction, 0, 0
    deadlines.freeze(session, match, seat, ask)
    deadlines.reckon(session, match, seat, ask, stops)


def keep_back(match: Match, ask: AskRow) -> None:
    """Give the kept answer after a random delay."""
    pause = random.SystemRandom().uniform(*DECENT) * paces.of(match.pace).reaction
    ask.kept_at = now() + timedelta(seconds=pause)
    if ask.recipe:
        recipe.changed(ask, kept_from=now(), kept_for=pause)


def keep_to_deadline(ask: AskRow) -> None:
    """Give the kept answer at the deadline."""
    ask.kept_at = ask.due_at
    if ask.recipe:
        recipe.changed(ask, kept_from=None)


def park(ask: AskRow) -> None:
    """Stop a question's clock while another question interrupts it."""
    if ask.recipe and recipe.of(ask).parked_at is None:
        recipe.changed(ask, parked_at=now())
    ask.falls_at, ask.remind_at = None, None


def unpark(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    """Resume a parked question's clock with the time it had left, at least the grace period."""
    if not deadlines.adopt(session, match, seat, ask):
        return
    known, bank = recipe.of(ask), seat.bank if ask.serial > 0 else 0
    if known.parked_at is not None:
        recipe.changed(ask, parked=(*known.parked, (known.parked_at, now())), parked_at=None, bank=bank)
    _leave_grace(session, match, seat, ask, stops)


def reopen(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    """Reopen an answered question with its old deadline, at least the grace."""
    ask.answered_at, ask.kept, ask.kept_at = None, "", None
    if not deadlines.adopt(session, match, seat, ask):
        deadlines.freeze(session, match, seat, ask)
    recipe.changed(ask, bank=seat.bank if ask.serial > 0 else 0)
    _leave_grace(session, match, seat, ask, stops)


def _leave_grace(session: Session, match: Match, seat: SeatRow, ask: AskRow, stops: Stops) -> None:
    deadlines.reckon(session, match, seat, ask, stops)
    if ask.due_at is not None and ask.due_at <= now():
        known = recipe.of(ask)
        recipe.changed(ask, least=(*known.least, (now(), known.grace)))
        deadlines.reckon(session, match, seat, ask, stops)


def close_ask(session: Session, match: Match, seat: SeatRow, ask: AskRow, via: str, turn: bool, stops: Stops) -> None:
    """Stop the clock of an answered question, or proposal, for which no time is saved or lost. `via` "": cancelled."""
    ask.answered_at, ask.remind_at = now(), None
    if ask.serial < 0 or ask.due_at is None or not deadlines.adopt(session, match, seat, ask):
        return
    pace = paces.of(match.pace)
    left = int(recipe.left(ask, stops, now()))
    if turn:
        seat.turn_left = min(left, pace.turn)
    if via in deadlines.OWN_HAND:
        seat.missed = 0
        late = worked(ask.due_at, now(), recipe.rest(ask, stops)) - recipe.of(ask).grace
        if late > 0:
            seat.bank = max(0, seat.bank - late)
        elif not turn:
            # Extended time isn't saved.
            _save(seat, pace, min(left, max(0, int(ask.allowed - recipe.spent(ask, stops, now())))))
    elif via == "clock":
        seat.bank = 0


def _save(seat: SeatRow, pace: Pace, left: int) -> None:
    seat.bank = max(seat.bank, min(pace.bank, seat.bank + left * pace.saved // 100))
