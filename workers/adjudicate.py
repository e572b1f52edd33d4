"""Adjudication: lock a match, load it, play what is queued and due, and store all that follows in one transaction.

Idempotent: the queued rows are the truth, and a crash before the commit changes nothing. `engine.run` plays.
"""

from __future__ import annotations

import time

import structlog
from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from engine import address
from engine.asks import NotLegal, Refused, read
from engine.effects import Commanded, Due, Submitted
from engine.run import take
from service.common.messages import sentence
from service.games import submissions
from service.settings import Settings
from service.store import counters
from service.store.database import transaction
from service.store.models import Command, CommandStatus, Match, MatchStatus, Submission, SubmissionStatus, now
from workers import clocks, commands, faults, pending_notices
from workers.load import Table, load, look_again, put_back
from workers.save import done, note, write_all, write_snapshot

log = structlog.get_logger()

BOTS_SECONDS = 0.7
"""Bots' time before the transaction commits and releases the lock."""

# Cached: building a statement takes longer than running it. FOR NO KEY UPDATE: rows that reference the match can still be
# inserted; else a sender holding its letter and writing a link would deadlock with a run that drops the letter.
LOCKED = select(Match).where(Match.id == bindparam("match")).with_for_update(key_share=True)
WAITING = (
    select(Submission)
    .where(Submission.match_id == bindparam("match"))
    .where(col(Submission.status).in_((SubmissionStatus.QUEUED, SubmissionStatus.HELD)))
    .order_by(col(Submission.order), Submission.id)
)
OVER = sentence("The game is over; nothing about it can be changed.")


def adjudicate(settings: Settings, match_id: str) -> None:
    """Play queued answers, due defaults, then bots.

    Failing rules roll back and halt the game; infrastructure errors are raised.
    """
    while play_on(settings, match_id):
        pass


def play_on(settings: Settings, match_id: str) -> bool:
    """One transaction, with limited bot time; whether bots are still to play."""
    try:
        with counters.ADJUDICATION_SECONDS.time():
            return _go_on(settings, match_id)
    except faults.Fault as fault:
        faults.halt(settings, match_id, fault)
        return False


def _go_on(settings: Settings, match_id: str) -> bool:
    """The transaction. Raises Fault when the rules fail."""
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
            return table.unfinished
        except Exception as problem:
            if faults.is_operational(problem):
                raise
            entries = len(table.run.match.entries) if table is not None else 0
            step = table.run.match.ask_kind() if table is not None else ""
            raise faults.Fault(row.snapshot_n + entries, step) from problem


def _close(session: Session, row: Match) -> None:
    """Refuse submissions and commands after the end; rebuild a missing snapshot."""
    for command in commands.queued(session, row):
        commands.done(command, NotLegal(OVER))
        session.add(command)
    for submission in _queued(session, row):
        done(submission, SubmissionStatus.STALE, submissions.NOTHING_ASKED[MatchStatus.FINISHED])
        session.add(submission)
    if row.status == MatchStatus.FINISHED:
        table = load(session, row)
        if table.rebuilt:
            write_snapshot(session, table)


def _queued(session: Session, row: Match) -> list[Submission]:
    return list(session.execute(WAITING, {"match": row.id}).scalars())


# --- playing ----------------------------------------------------------------------------------------------------------


def _play(session: Session, table: Table) -> None:
    """Play commands, bots and orders, submissions, defaults."""
    _play_commands(session, table)
    if table.row.halted_at is not None:
        return
    arrived = _on_their_way(session, table)
    _expect(table, arrived)
    _play_unasked(session, table)
    for submission in arrived:
        if table.unfinished:
            break
        _play_submission(session, table, submission)
        _play_unasked(session, table)
    _play_overdue(session, table)
    if table.run.match.outcome is not None:
        for held in table.run.held:
            done(table.submissions[held.id], SubmissionStatus.STALE, submissions.NOTHING_ASKED[MatchStatus.FINISHED])


def _on_their_way(session: Session, table: Table) -> list[Submission]:
    """New submissions; those waiting for a safe point are held by the run."""
    found = _queued(session, table.row)
    table.submissions = {submission.id: submission for submission in found}
    table.run.held = [_submitted(submission) for submission in found if submission.status == SubmissionStatus.HELD]
    return [submission for submission in found if submission.status == SubmissionStatus.QUEUED]


def _submitted(row: Submission) -> Submitted:
    return Submitted(row.id, row.seat, address.read(row.serial, row.kind), row.kind, row.move, row.via, now())


def _expect(table: Table, arrived: list[Submission]) -> None:
    """Policies don't answer what these answer."""
    table.run.arriving = {(row.seat, address.read(row.serial, row.kind)) for row in arrived}


def _take(session: Session, table: Table, what: Submitted | Due | Commanded) -> bool:
    """Play on; False if nothing followed."""
    table.run, effects = take(table.run, what)
    note(session, table, effects)
    return bool(effects)


def _play_submission(session: Session, table: Table, submission: Submission) -> None:
    table.submissions[submission.id] = submission
    _take(session, table, _submitted(submission))


def _play_unasked(session: Session, table: Table) -> None:
    """Play answers of bots, stewards and orders, while there is time."""
    while True:
        if time.monotonic() > table.until and table.run.by_bot():
            table.unfinished = True
            return
        if not _take(session, table, Due(now())):
            return


def _play_overdue(session: Session, table: Table) -> None:
    """Play defaults of passed deadlines. The queue is read again first: answers in time precede defaults."""
    while table.run.match.outcome is None and not table.unfinished:
        at = now()
        if not table.run.clock.fallen(at) or not clocks.awake(session):
            return
        if not _play_arrived(session, table) and not _take(session, table, Due(at, overdue=True)):
            return
        _play_unasked(session, table)


def _play_arrived(session: Session, table: Table) -> bool:
    """Play what was committed since this run began; False for nothing."""
    queued = [command for command in commands.queued(session, table.row) if command.status == CommandStatus.QUEUED]
    if queued:
        table.commanded = True
        _play_commands(session, table)
    # The database still shows rows that this run has played.
    arrived = [row for row in _queued(session, table.row) if row.status == SubmissionStatus.QUEUED]
    _expect(table, arrived)
    for submission in arrived:
        _play_submission(session, table, submission)
        _play_unasked(session, table)
    return bool(queued or arrived)


# --- commands ---------------------------------------------------------------------------------------------------------


def _play_commands(session: Session, table: Table) -> None:
    """Execute queued commands, each with a log entry."""
    if not table.commanded:
        return
    put_back(table)
    # Autoflush on: each command must see the previous one's changes.
    session.autoflush = True
    pending_notices.settle(session, table.row)
    queued = commands.queued(session, table.row)
    for command in queued:
        _play_command(session, table, command)
    if queued:
        table.changed = True
        look_again(session, table)
    session.autoflush = False


def _play_command(session: Session, table: Table, command: Command) -> None:
    session.add(command)
    try:
        if table.run.match.outcome is not None:
            raise NotLegal(OVER)
        events = commands.play(session, table.row, table.seats, table.run.secret_so_far, command)
    except Refused as refusal:
        log.warning("command refused", match=table.row.id, words=command.words.partition(" ")[0], refusal=refusal.kind)
        commands.done(command, refusal)
        return
    via = command.actor if command.actor in ("host", "clock", "table", "operator") else "page"
    words = read(command.words)
    left = words.pick("seat") if words.option == "seek" else ""
    _take(session, table, Commanded(command.actor, command.words, via, events, now(), left))
    commands.done(command)
