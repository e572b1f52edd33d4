"""A game whose rules fail is halted: the run is rolled back, what it was to play stays queued, and people are told.

What exactly broke may show a position, so only those who run the service see it.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import traceback
from collections.abc import Iterator
from types import FrameType

import structlog
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError
from sqlmodel import select

from engine.procedure import Endless
from service.errors import CannotUnseal
from service.games.halting import tell
from service.post import letters
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Match, MatchStatus, now

MOST_CPU = 20.0
"""Seconds of processor time that one run of the rules may take; the longest take two, bots' thinking included."""
LONGEST_TRACE = 8000

log = structlog.get_logger()


class Fault(Exception):
    """The rules of a game failed; what they failed with is the cause."""

    def __init__(self, entry: int, step: str) -> None:
        super().__init__(f"after entry {entry}")
        self.entry, self.step = entry, step


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
        match = session.exec(select(Match).where(Match.id == match_id).with_for_update(key_share=True)).first()
        if match is None or match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED) or match.halted_at is not None:
            return
        match.halted_at = now()
        match.halt = {"entry": fault.entry, "step": fault.step, "problem": type(problem).__name__, "trace": trace}
        session.add(match)
        tell(session, match, "halted")
        for address in settings.operators:
            letters.fault_report(session, match, address, fault.entry, type(problem).__name__)
    log.error("game halted", match=match_id, entry=fault.entry, problem=type(problem).__name__, where=_where(problem))


def _where(problem: BaseException) -> str:
    """The place in the code, without what a trace may say of a position."""
    last = traceback.extract_tb(problem.__traceback__)[-1:]
    return f"{last[0].filename.rpartition('/')[2]}:{last[0].lineno} {last[0].name}" if last else ""
