"""Plays take-backs under the match's lock: restores the position from the log and the seat's clocks from the step, drops
letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec
from sqlmodel import Session, col, delete

from engine.core.asks import Seat, read
from engine.game import AnyState
from engine.play import match as matches
from engine.play import taking_back
from engine.play.effects import Accepted, Effect, Rejected, TakenBack
from engine.play.run import take
from engine.play.taking_back import Step, Trail
from engine.text import address
from engine.text.address import Question
from service.clock import deadlines
from service.log.entries import stored_entries
from service.seat import take_back
from service.store.models import AskRow, SeatRow, Submission, now
from workers.load import Table
from workers.questions import drop_letters

CLOCK = ("bank", "turn_mark", "turn_left", "missed")
"""Columns of a seat that an answer may change."""
ASKED = ("serial", "kind", "opened_at", "allowed", "extended", "given", "recipe")
"""Columns of its questions that are restored."""


def kept(table: Table, seat: Seat) -> dict[str, Any]:
    """A seat's clocks before its answer, to be restored by a take-back."""
    at = table.seats.get(seat)
    if at is None:
        return {}
    asks = [ask for (whose, to), ask in table.asks.items() if whose == seat and isinstance(to, Question)]
    due = next((ask.due_at for ask in asks if ask.serial == table.run.match.state.serial), None)
    found: dict[str, Any] = msgspec.to_builtins(
        {
            "due": due,
            "seat": {name: getattr(at, name) for name in CLOCK},
            "orders": dict(table.run.seats[seat].orders),
            "asks": [{name: getattr(ask, name) for name in ASKED} for ask in asks],
        }
    )
    return found


def play(session: Session, table: Table, row: Submission) -> list[Effect]:
    """Play a take-back, or refuse it if it is too late. Returns the effects."""
    run, seat, id = table.run, row.seat, read(row.move).pick("step")
    step = run.trails.get(seat, Trail()).last(run.n)
    before: AnyState | None = None
    if step is not None and step.id == id:
        why = take_back.over(session, table.seats[seat], step)
        if why is not None:
            return [Rejected(row.id, why.said)]
        before = _position_before(session, table, step)
    table.run, effects = take(run, TakenBack(row.id, seat, id, before, row.via, now()))
    if step is not None and any(isinstance(effect, Accepted) for effect in effects):
        _restore(session, table, seat, step)
    return effects


def _position_before(session: Session, table: Table, step: Step) -> AnyState | None:
    """The position replayed from the log and this run's entries."""
    if step.what != taking_back.ENTRY:
        return None
    match, n = table.run.match, step.n - 1
    entries = [*stored_entries(session, table.row.id, last=min(n, match.before)), *match.entries[: max(0, n - match.before)]]
    return matches.replay(match.header, match.seed, entries, trusted=True).state


def _restore(session: Session, table: Table, seat: Seat, step: Step) -> None:
    at, clocks = table.seats[seat], step.kept
    for name, value in clocks["seat"].items():
        setattr(at, name, value)
    sitter = table.run.seats[seat]
    table.run.seats[seat] = replace(sitter, orders=clocks["orders"], missed=at.missed)
    wanted = {columns["serial"]: columns for columns in clocks["asks"]}
    gone = [key for key in table.asks if key[0] == seat and isinstance(key[1], Question) and key[1].n not in wanted]
    for key in gone:
        ask = table.rows.pop(key)
        its = (col(AskRow.match_id) == ask.match_id, col(AskRow.seat) == seat, col(AskRow.serial) == ask.serial)
        session.execute(delete(AskRow).where(*its).execution_options(synchronize_session=False))
        session.expunge(ask)
    drop_letters(session, table.row.id, gone)
    for columns in wanted.values():
        ask = _reopened(session, table, at, columns)
        table.rows[seat, address.read(ask.serial, ask.kind)] = ask


def _reopened(session: Session, table: Table, at: SeatRow, columns: Mapping[str, Any]) -> AskRow:
    """Restore a question's row as before the answer; its deadline is recomputed from the recipe."""
    ask = session.get_one(AskRow, (table.row.id, at.seat, columns["serial"]))  # only a take-back deletes one
    for name in ASKED:
        setattr(ask, name, columns[name])
    ask.opened_at = datetime.fromisoformat(columns["opened_at"])
    ask.answered_at, ask.kept, ask.kept_at = None, "", None
    deadlines.reckon(session, table.row, at, ask, table.stops)
    return ask
