"""Opens and closes the rows of questions and proposals after a run; their clocks are in `service.clock.deadlines`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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
from service.store import bulk
from service.store.models import AskRow, Letter, LetterStatus
from workers.load import Table

MOVED = timedelta(minutes=30)
"""An interruption that moved a deadline further is worth another letter."""


def write(session: Session, table: Table) -> set[Key]:
    """Close and open questions; returns those to notify."""
    run = table.run
    waiting = {run.key(seat) for seat in run.waiting}
    proposed = run.proposed() if run.match.outcome is None else {}
    resumed = close(session, table, waiting, proposed)
    opened = _open_offers(session, table, proposed)
    offered = {seat for seat, _ in opened}
    opened |= {key for key in resumed if key[0] not in offered}
    opened |= waiting & (table.bared | (table.asks.keys() & table.answered.keys()))
    for seat in sorted(seat for seat, _ in waiting - table.asks.keys() if table.attended(seat)):
        key = run.key(seat)
        ask = table.rows.get(key)
        if ask is None:
            ask = _open_question(session, table, seat, run.match.game.rules.turn_of(run.match.state, seat))
            if not _answer_later(table, key, ask):
                opened.add(key)
        else:  # after an interruption, or its hidden answer was returned
            deadlines.reopen(session, table.row, table.seats[seat], ask, table.stops)
            if seat not in offered:  # a proposal's letter shows this question too
                opened.add(key)
    _write_answered(session, table)
    return opened


def close(session: Session, table: Table, waiting: Collection[Key], proposed: Collection[Key]) -> set[Key]:
    """Close questions, drop their letters, and stop the clocks of interrupted ones, also of hidden answers: the table sees
    both. Returns the resumed ones with a moved deadline.
    """
    resumed = set[Key]()
    row, run, before, closed = table.row, table.run, table.before.match, list[Key]()
    state = run.match.state
    parked = {step.serial: step.waiting for step in state.parked} if run.match.outcome is None else {}
    for key, ask in table.rows.items():
        at = table.seats[ask.seat]
        if ask.answered_at is not None:
            if ask.recipe and ask.serial in parked:
                deadlines.park(ask)
            elif ask.recipe and ask.serial == state.serial and recipe.of(ask).parked_at is not None:
                deadlines.unpark(session, row, at, ask, table.stops)
        elif key in waiting:
            if ask.falls_at is None and (due := ask.due_at) is not None:
                deadlines.unpark(session, row, at, ask, table.stops)
                if not ask.kept and ask.due_at is not None and ask.due_at - due >= MOVED:
                    resumed.add(key)
        elif ask.seat in parked.get(ask.serial, ()) and ask.seat not in run.parked.get(ask.serial, {}):
            deadlines.park(ask)
        elif key not in proposed or at.steward:
            turn = ask.seat in before.state.waiting and bool(before.game.rules.turn_of(before.state, ask.seat))
            deadlines.close_ask(session, row, at, ask, table.answered.get(key, ""), turn, table.stops)
            closed.append(key)
    drop_letters(session, row.id, [*closed, *resumed])
    return resumed


def _open_question(session: Session, table: Table, seat: Seat, turn_mark: str) -> AskRow:
    live = table.run.match
    ask = AskRow(match_id=table.row.id, seat=seat, serial=live.state.serial, kind=live.ask_kind())
    deadlines.open_question(session, table.row, table.seats[seat], ask, turn_mark, table.stops)
    return ask


def _answer_later(table: Table, key: Key, ask: AskRow) -> bool:
    """Keep an order's later answer, so its player isn't notified; False for none."""
    given = table.run.later.get(key)
    if given is None:
        return False
    ask.kept, ask.kept_via = as_text(given.answer), given.via
    if isinstance(key[1], Question) and table.run.closes_late and ask.due_at is not None:
        deadlines.keep_to_deadline(ask)
    else:
        deadlines.keep_back(table.row, ask)
    return True


def drop_letters(session: Session, match_id: str, closed: Iterable[Key]) -> None:
    rows = [{"match": match_id, "closed": seat, "number": address.stored(to)} for seat, to in closed]
    bulk.run(session, _dropping(), rows)


@cache
def _dropping() -> Any:
    waiting_still = (col(Letter.status) == LetterStatus.QUEUED) | (col(Letter.status) == LetterStatus.GATHERED)
    its = (col(Letter.seat) == bindparam("closed"), col(Letter.serial) == bindparam("number"))
    dropping = update(bulk.table_of(Letter))
    return dropping.where(col(Letter.match_id) == bindparam("match"), *its, waiting_still).values(status=LetterStatus.DROPPED)


def _open_offers(session: Session, table: Table, proposed: Mapping[Key, Proposal]) -> set[Key]:
    opened = set[Key]()
    frozen = proposed.keys() - table.run.proposals().keys() if proposed else set()
    for key, proposal in proposed.items():
        seat, serial = key[0], address.stored(key[1])
        ask = table.asks.get(key)
        if ask is None and table.attended(seat):
            ask = session.get(AskRow, (table.row.id, seat, serial))
            ask = ask or AskRow(match_id=table.row.id, seat=seat, serial=serial, kind=proposal.kind)
            deadlines.open_offer(session, table.row, table.seats[seat], ask, proposal.timed, table.stops)
            if not _answer_later(table, key, ask):
                opened.add(key)
        if ask is not None and ask.frozen != (key in frozen):
            ask.frozen = key in frozen
    return opened


def _write_answered(session: Session, table: Table) -> None:
    """Add rows for answers by orders: rows show who is waited for, and must not reveal orders."""
    run, live = table.run, table.run.match
    if not live.state.waiting:
        return
    # All have the same time as those still asked.
    mark = live.game.rules.turn_of(live.state, live.state.waiting[0])
    for seat in sorted({*live.state.sealed, *run.hidden}):
        if run.key(seat) not in table.rows and table.attended(seat):
            ask = _open_question(session, table, seat, mark)
            ask.answered_at, ask.remind_at = ask.opened_at, None
            if mark:
                table.seats[seat].turn_left = 0  # an order saves no time
