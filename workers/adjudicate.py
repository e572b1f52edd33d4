"""Adjudication: lock a match, load it, play what is queued and due, and store the effects, in one transaction.

Idempotent: the queued rows are the truth, and a crash before the commit changes nothing. `engine.play.run` plays.
"""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from engine.play.effects import Commanded, Due, Submitted
from engine.play.run import take
from engine.text import address
from service.seat import submissions
from service.seat import take_back as take_backs
from service.settings import Settings
from service.store import counters
from service.store.database import transaction
from service.store.models import Match, MatchStatus, Submission, SubmissionStatus, now
from service.table import votes
from workers import commands, faults, outages, pending_notices, take_back
from workers.load import Table, load, look_again, put_back
from workers.save import done, note, write_all, write_snapshot

BOTS_SECONDS = 0.7
"""Seconds that bots may play before the transaction commits and releases the lock."""

# Cached: building a statement takes longer than running it. FOR NO KEY UPDATE: rows that reference the match can still be
# inserted; else a sender that holds its letter and inserts a link would deadlock with a run that drops the letter.
LOCKED = select(Match).where(Match.id == bindparam("match")).with_for_update(key_share=True)
WAITING = (
    select(Submission)
    .where(Submission.match_id == bindparam("match"))
    .where(col(Submission.status).in_((SubmissionStatus.QUEUED, SubmissionStatus.HELD)))
    .order_by(col(Submission.order), Submission.id)
)


def adjudicate(settings: Settings, match_id: str) -> None:
    """Play queued answers, due defaults, then bots. Failing rules roll back and halt the game; infrastructure errors are
    raised.
    """
    while play_on(settings, match_id):
        pass


def play_on(settings: Settings, match_id: str) -> bool:
    """One transaction, with limited bot time; returns whether bots are still to play."""
    try:
        with counters.ADJUDICATION_SECONDS.time():
            return _go_on(settings, match_id)
    except faults.Fault as fault:
        faults.halt(settings, match_id, fault)
        return False


def _go_on(settings: Settings, match_id: str) -> bool:
    """Raises Fault if the rules fail."""
    with transaction(settings) as session:
        row = session.execute(LOCKED, {"match": match_id}).scalar()
        if row is None:
            return False
        table: Table | None = None
        try:
            with faults.cpu_limit():
                if row.status != MatchStatus.RUNNING or row.header is None:
                    _close(session, row)
                    return False
                session.autoflush = False
                table = load(session, row)
                table.until = time.monotonic() + BOTS_SECONDS
                _play(session, table)
                put_back(table)
                if table.changed:
                    write_all(session, table)
                    session.flush()
                if table.recount:
                    votes.settle_open(session, row)
            return table.unfinished
        except Exception as problem:
            if faults.is_operational(problem):
                raise
            n, step = (table.run.n, table.run.match.ask_kind()) if table is not None else (row.snapshot_n, "")
            raise faults.Fault(n, step) from problem


def _close(session: Session, row: Match) -> None:
    """Refuse submissions and commands after the end; rebuild a missing snapshot."""
    commands.refuse_all(session, row)
    for submission in _queued(session, row):
        done(submission, SubmissionStatus.STALE, submissions.NOTHING_ASKED[MatchStatus.FINISHED])
    if row.status == MatchStatus.FINISHED:
        table = load(session, row)
        if table.changed:
            write_snapshot(table)


def _queued(session: Session, row: Match) -> list[Submission]:
    return list(session.execute(WAITING, {"match": row.id}).scalars())


# --- playing ----------------------------------------------------------------------------------------------------------


def _play(session: Session, table: Table) -> None:
    if table.commanded:
        _play_commands(session, table)
    if table.row.halted_at is not None:
        return
    _play_arrived(session, table)
    _play_overdue(session, table)
    if table.run.match.outcome is not None:
        for held in table.run.held:
            done(table.submissions[held.id], SubmissionStatus.STALE, submissions.NOTHING_ASKED[MatchStatus.FINISHED])


def _play_arrived(session: Session, table: Table) -> bool:
    """Play new submissions, with bots and orders around them; False for none."""
    found = _queued(session, table.row)
    table.submissions |= {row.id: row for row in found}
    # The database still shows rows that this run has played.
    arrived = [row for row in found if row.status == SubmissionStatus.QUEUED]
    table.run.held = [_submitted(row, {}) for row in found if row.status == SubmissionStatus.HELD]
    table.run.arriving = {(one.seat, address.read(one.serial, one.kind)) for one in arrived}
    _play_unasked(session, table)
    for row in arrived:
        if table.unfinished:
            break
        if take_backs.is_one(row.serial, row.kind):
            note(session, table, take_back.play(session, table, row))
        else:
            _take(session, table, _submitted(row, take_back.kept(table, row.seat)))
        _play_unasked(session, table)
    return bool(arrived)


def _submitted(row: Submission, kept: dict[str, Any]) -> Submitted:
    return Submitted(row.id, row.seat, address.read(row.serial, row.kind), row.kind, row.move, row.via, now(), kept)


def _take(session: Session, table: Table, what: Submitted | Due | Commanded) -> bool:
    table.run, effects = take(table.run, what)
    note(session, table, effects)
    return bool(effects)


def _play_unasked(session: Session, table: Table) -> None:
    while True:
        if time.monotonic() > table.until and table.run.by_bot():
            table.unfinished = True
            return
        if not _take(session, table, Due(now())):
            return


def _play_overdue(session: Session, table: Table) -> None:
    """Play defaults of passed deadlines. The queues are read again first: answers in time precede defaults."""
    while table.run.match.outcome is None and not table.unfinished:
        at = now()
        if not table.run.clock.fallen(at) or not outages.awake(session):
            return
        commanded = bool(commands.queued(session, table.row))
        if commanded:
            _play_commands(session, table)
        arrived = _play_arrived(session, table)
        if not commanded and not arrived and not _take(session, table, Due(at, overdue=True)):
            return
        _play_unasked(session, table)


def _play_commands(session: Session, table: Table) -> None:
    put_back(table)
    # Autoflush on: each command must see the previous one's changes.
    session.autoflush = True
    pending_notices.settle(session, table.row)
    queued = commands.queued(session, table.row)
    for commanded in commands.carry_out(session, table, queued):
        _take(session, table, commanded)
    if queued:
        table.changed = table.recount = True
        look_again(session, table)
    session.autoflush = False
