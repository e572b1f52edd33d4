"""Opens, parks and closes the rows of questions and proposals after a run; `workers.clocks` keeps their time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from sqlalchemy import bindparam, update
from sqlmodel import Session, col

from engine.core.asks import Seat
from engine.core.asks import write as as_text
from engine.core.offers import Proposal
from engine.text import address
from engine.text.address import Key, Question
from service.clock import recipe
from service.store import bulk
from service.store.models import AskRow, Letter, LetterStatus
from workers import clocks
from workers.load import Table


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
            clocks.reopen(session, row, table.seats[seat], known, table.stops)
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
    """Add the row of the open question, with its clock."""
    live = table.run.match
    ask = AskRow(match_id=table.row.id, seat=seat, serial=live.state.serial, kind=live.ask_kind())
    clocks.open_ask(session, table.row, table.seats[seat], ask, turn_mark, table.stops)
    session.add(ask)
    return ask


def _answer_later(table: Table, key: Key, ask: AskRow) -> bool:
    """Keep an order's later answer, so its player isn't notified; False for none."""
    given = table.run.later.get(key)
    if given is None:
        return False
    ask.kept, ask.kept_via = as_text(given.answer), given.via
    if isinstance(key[1], Question) and table.run.closes_late(key[0]) and ask.due_at is not None:
        clocks.keep_to_deadline(ask)
    else:
        clocks.keep_back(table.row, ask)
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
                clocks.unpark(session, row, at, ask, table.stops)
            continue
        if key in proposed and not at.steward:
            continue
        if key in parked and not over and ask.seat not in run.parked.get(ask.serial, {}):
            clocks.park(session, ask)
            continue
        if isinstance(key[1], Question):
            own_turn = bool(table.turns.get(ask.seat))
            clocks.close_ask(session, row, at, ask, table.answered.get(key, ""), own_turn, table.stops)
        else:
            clocks.close_offer(session, ask)
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
            clocks.park(session, ask)
        elif ask.serial == state.serial and recipe.of(ask).parked_at is not None:
            clocks.unpark(session, table.row, table.seats[ask.seat], ask, table.stops)


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
        clocks.open_offer(session, row, at, ask, proposal.timed, table.stops)
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
