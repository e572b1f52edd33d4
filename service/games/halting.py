"""Games whose rules failed: they stand still where they are, with nothing lost, until somebody tries again after the mend.

The run that failed is rolled back, and what it was to play stays queued. The match keeps when and how it failed; the sweep
leaves it alone, and no deadline falls. What exactly broke may show a position, so only those who run the service see it.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from types import FrameType

import structlog
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError
from sqlmodel import Session, col, select

from engine.asks import NotLegal
from engine.procedure import Endless
from service.errors import CannotUnseal
from service.post import letters
from service.settings import Settings
from service.store import queue
from service.store.database import transaction
from service.store.models import Account, AskRow, Match, Notice, Seat, now

log = structlog.get_logger()

MOST_CPU = 20.0
"""Seconds of processor time that one run of the rules may take; the longest take two, bots' thinking included."""
LONGEST_TRACE = 8000

STANDS_STILL = (
    "The game stands still: its rules have failed here, and those who run the service know of it. Nothing is lost, and no "
    "clock runs; you will get a letter as soon as it goes on."
)


class Fault(Exception):
    """The rules of a game failed; what they failed with is the cause."""

    def __init__(self, entry: int, step: str) -> None:
        super().__init__(f"after entry {entry}")
        self.entry, self.step = entry, step


@dataclass(frozen=True)
class Halted:
    """A game that stands still, for those who run the service."""

    match: Match
    at: datetime
    entry: int
    """The last entry of its log that stands, or that the failed run had played."""
    step: str
    problem: str
    """The kind of the exception."""
    trace: str


def of_the_house(problem: BaseException) -> bool:
    """Whether it is the machine that failed, not a game: the database away, the disk full. That mends without the game."""
    if isinstance(problem, CannotUnseal):
        return True  # a key is missing; with it the game goes on by itself
    if isinstance(problem, SQLAlchemyError):
        return not isinstance(problem, DataError | IntegrityError)
    # A template that isn't there is an OSError, too, and a fault of ours.
    return isinstance(problem, MemoryError) or (isinstance(problem, OSError) and not isinstance(problem, LookupError))


@contextlib.contextmanager
def cpu_limit() -> Iterator[None]:
    """Raise Endless inside when it takes more than `MOST_CPU` seconds of processor time.

    By a signal, which reaches main threads only: the workers', which run one task at a time.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Endless(f"more than {MOST_CPU:g} seconds of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_CPU)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def halt(settings: Settings, match_id: str, fault: Fault) -> None:
    """Let a game stand still, and tell its players, its host and those who run the service."""
    problem = fault.__cause__ or fault
    trace = "".join(traceback.format_exception(problem))[-LONGEST_TRACE:]
    with transaction(settings) as session:
        match = session.exec(select(Match).where(Match.id == match_id).with_for_update()).first()
        if match is None or match.status not in ("running", "finished") or match.halted_at is not None:
            return
        match.halted_at = now()
        match.halt = {"entry": fault.entry, "step": fault.step, "problem": type(problem).__name__, "trace": trace}
        session.add(match)
        _tell(session, match, "halted")
        for address in settings.operators:
            letters.fault_report(session, match, address, fault.entry, type(problem).__name__)
    log.error("game halted", match=match_id, entry=fault.entry, problem=type(problem).__name__, where=_where(problem))


def _where(problem: BaseException) -> str:
    """The place in the code, without what a trace may say of a position."""
    last = traceback.extract_tb(problem.__traceback__)[-1:]
    return f"{last[0].filename.rpartition('/')[2]}:{last[0].lineno} {last[0].name}" if last else ""


def retry(session: Session, match: Match) -> None:
    """Let a halted game go on, with as much time on every clock as there was. Raises NotLegal where none is halted.

    Should it fail again, it is halted again.
    """
    row = session.exec(
        select(Match).where(Match.id == match.id).with_for_update().execution_options(populate_existing=True)
    ).one()
    if row.halted_at is None:
        raise NotLegal("That game isn't halted; there is nothing to try again.")
    stood = now() - row.halted_at
    for ask in session.exec(select(AskRow).where(AskRow.match_id == row.id, AskRow.serial == row.serial)).all():
        for name in ("due_at", "falls_at", "remind_at", "kept_at"):
            moment = getattr(ask, name)
            setattr(ask, name, moment + stood if moment is not None else None)
        session.add(ask)
    for notice in session.exec(select(Notice).where(Notice.match_id == row.id, Notice.status == "open")).all():
        notice.effect_at += stood
        session.add(notice)
    row.halted_at, row.halt = None, {}
    session.add(row)
    _tell(session, row, "goes_on")
    session.flush()
    queue.after_commit(session, queue.ADJUDICATE, row.id)


def _tell(session: Session, match: Match, kind: str) -> None:
    """Write to everybody at the table, and to the host who has no seat there."""
    for seat in session.exec(select(Seat).where(Seat.match_id == match.id, col(Seat.account_id).is_not(None))).all():
        letters.to_seat(session, kind, match, seat)
    host = session.get(Account, match.host_id)
    here = session.exec(select(Seat.seat).where(Seat.match_id == match.id, Seat.account_id == match.host_id)).first()
    if host is not None and here is None:
        letters.to_host(session, kind, match, host)


def halted(session: Session) -> list[Halted]:
    """The games that stand still, the oldest first."""
    rows = session.exec(select(Match).where(col(Match.halted_at).is_not(None)).order_by(col(Match.halted_at))).all()
    return [
        Halted(
            match=row,
            at=row.halted_at or now(),
            entry=int(row.halt.get("entry", 0)),
            step=str(row.halt.get("step", "")),
            problem=str(row.halt.get("problem", "")),
            trace=str(row.halt.get("trace", "")),
        )
        for row in rows
    ]
