"""Loads a match's rows into a run: seats, accounts, questions, hidden answers, read once unless a command changes them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from datetime import UTC
from functools import cache
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import bindparam, exists
from sqlmodel import Session, col, select

from engine.core.asks import Seat
from engine.core.chance import Chance
from engine.core.views import Event
from engine.play.policy import Clock, Sitter, Timed
from engine.play.run import Run
from engine.text import address
from engine.text.address import Key
from service.clock import deadlines
from service.clock import pace as paces
from service.clock.recipe import Stops
from service.common.dates import zone_called
from service.seat import state
from service.seat.take_back import trail_of
from service.store.database import settings_of
from service.store.models import (
    Absence,
    Account,
    AskRow,
    Beat,
    Command,
    CommandStatus,
    HiddenAnswer,
    Match,
    Notice,
    NoticeStatus,
    SeatRow,
    Standstill,
    Submission,
    now,
)

USED = ("orders", "prepared", "advance", "missed")
"""Columns of a seat that playing changes."""


@dataclass
class Table:
    """A match's rows and its run, while they are adjudicated."""

    row: Match
    run: Run
    before: Run
    """As loaded."""
    seats: dict[Seat, SeatRow] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    """By id; strong references save queries."""
    rows: dict[Key, AskRow] = field(default_factory=dict)
    """Open questions and proposals, and all questions with a number that was open before this run."""
    hidden_rows: list[HiddenAnswer] = field(default_factory=list)
    """Hidden answers."""
    stops: Stops = field(default_factory=Stops)
    commanded: bool = False
    """Commands or announcements may be due."""
    fresh: bool = False
    """Opened in this run."""

    submissions: dict[str, Submission] = field(default_factory=dict)
    told: list[tuple[int, list[Event]]] = field(default_factory=list)
    """Events by entry."""
    whispered: list[Event] = field(default_factory=list)
    """Events without an entry; told with the last one."""
    answered: dict[Key, str] = field(default_factory=dict)
    """Answered in this run, with their `via`."""
    bared: set[Key] = field(default_factory=set)
    """To be asked again: their kept or hidden answer became illegal."""
    visited: set[Seat] = field(default_factory=set)
    """Answered in this run, so at their page."""
    settled: set[Seat] = field(default_factory=set)
    """Seats one of whose held submissions was played in this run."""
    changed: bool = False
    """Whether there is anything to be written."""
    recount: bool = False
    """Whether seats may have lost their votes, by a command or to a steward."""
    until: float = float("inf")
    """When bots have to stop, by the monotonic clock."""
    unfinished: bool = False
    """Bots ran out of time."""

    @property
    def asks(self) -> dict[Key, AskRow]:
        """Those of `rows` that are open."""
        return {key: ask for key, ask in self.rows.items() if ask.answered_at is None}

    def attended(self, seat: Seat) -> bool:
        """Whether the seat's player is asked: neither a bot nor a steward answers."""
        at = self.seats[seat]
        return bool(at.account_id) and not at.steward


def load(session: Session, row: Match) -> Table:
    """Load a match: one query for common rows plus EXISTS flags, one for each rare kind."""
    live, replayed = state.live(session, row)
    run = Run(live)
    table = Table(row, run, run)
    # Dropped before the first entry: the opening is in the log already.
    table.fresh = replayed and not live.before and not row.serial
    if table.fresh:
        table.told.append((0, live.opening))
    _rows(session, table, [live.state.serial, *(step.serial for step in live.state.parked)])
    run.restore(state.hidden(table.hidden_rows))
    run.trails = {seat: trail_of(at.trail) for seat, at in table.seats.items() if at.trail}
    run.chance = Chance(secrets.token_hex(16))
    refresh(table)
    # A question without a row is still to be asked.
    table.changed = replayed or any(run.key(s) not in table.asks for s in run.waiting if table.attended(s))
    table.before = table.run
    return table


def refresh(table: Table) -> None:
    pace, serial = paces.of(table.row.pace), table.run.match.state.serial
    opened = [ask.opened_at for ask in table.rows.values() if ask.serial == serial]
    since = table.run.clock.since or ((serial, min(opened)) if opened else None)
    asked = {key: Timed(ask.due_at, ask.falls_at, ask.kept, ask.kept_via, ask.kept_at) for key, ask in table.asks.items()}
    table.run = replace(
        table.run,
        seats={seat: _sitter(table, at) for seat, at in table.seats.items()},
        clock=Clock(asked, since, pace.answers == "decent", pace.windows == "deadline", pace.steward_after),
    )


def _sitter(table: Table, at: SeatRow) -> Sitter:
    account = table.accounts.get(at.account_id or "")
    return Sitter(
        name=at.name,
        owned=bool(at.account_id),
        bot=at.bot or at.steward,
        steward=bool(not at.bot and at.steward),
        today=now().astimezone(zone_called(account.zone) if account is not None else UTC).date() if at.orders else None,
        **{name: getattr(at, name) for name in USED},
    )


def put_back(table: Table) -> None:
    """Copy what policies used up, and stewards, into the seats' rows."""
    for seat, sitter in table.run.seats.items():
        at = table.seats[seat]
        for name in USED:
            if getattr(at, name) != (value := getattr(sitter, name)):
                setattr(at, name, msgspec.to_builtins(value))
        if sitter.steward:
            at.steward = sitter.bot


def _rows(session: Session, table: Table, serials: list[int]) -> None:
    """Load common rows (questions open, or with these numbers), and rare ones by EXISTS flags."""
    found = session.execute(_loading(), {"match": table.row.id, "serials": serials}).all()
    for seat, account, ask, *_ in found:
        table.seats[seat.seat] = seat
        if account is not None:
            table.accounts[account.id] = account
        if ask is not None:
            table.rows[ask.seat, address.read(ask.serial, ask.kind)] = ask
    sealed, away, noticed, commanded, beat, mail = found[0][3:]
    table.commanded = bool(noticed or commanded)
    if sealed:
        table.hidden_rows = _hidden(session, table.row.id)
    if away:
        table.stops = deadlines.stops_of(session, table.row.id)
    else:
        table.stops = Stops(ongoing=deadlines.ongoing(beat, mail, settings_of(session).down_seconds))


def _hidden(session: Session, match_id: str) -> list[HiddenAnswer]:
    lying = select(HiddenAnswer).where(HiddenAnswer.match_id == match_id)
    return list(session.exec(lying.order_by(col(HiddenAnswer.at), HiddenAnswer.id)))


@cache
def _loading() -> Any:
    """Cached: building takes longer than running."""
    id: Any = bindparam("match")
    wanted = col(AskRow.answered_at).is_(None) | col(AskRow.serial).in_(bindparam("serials", expanding=True))
    own = (col(AskRow.match_id) == SeatRow.match_id) & (col(AskRow.seat) == SeatRow.seat)
    kinds = (
        exists().where(col(HiddenAnswer.match_id) == id),
        exists().where(col(Absence.match_id) == id) | exists().where(col(Standstill.match_id) == id),
        exists().where(col(Notice.match_id) == id, col(Notice.status) == NoticeStatus.OPEN),
        exists().where(col(Command.match_id) == id, col(Command.status) == CommandStatus.QUEUED),
    )
    beats = [
        sa.select(col(Beat.at)).where(col(Beat.name) == name).scalar_subquery() for name in (deadlines.BEAT, deadlines.MAIL)
    ]
    found = sa.select(SeatRow, Account, AskRow, *kinds, *beats).outerjoin(Account, col(Account.id) == SeatRow.account_id)
    return found.outerjoin(AskRow, own & wanted).where(col(SeatRow.match_id) == id).order_by(SeatRow.seat)


def look_again(session: Session, table: Table) -> None:
    """Reload what commands may have changed: absences, accounts, hidden answers, seats, clocks."""
    session.flush()
    table.stops = deadlines.stops_of(session, table.row.id)
    table.hidden_rows = _hidden(session, table.row.id)
    for seat in table.seats.values():
        if seat.account_id and seat.account_id not in table.accounts:
            table.accounts[seat.account_id] = session.get_one(Account, seat.account_id)
    refresh(table)
