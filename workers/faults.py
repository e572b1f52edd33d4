"""Halting of games with failing rules: the run is rolled back, its queue kept, people are notified. Only operators see traces,
which may show positions.
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

from engine.core.procedure import Endless
from service.errors import CannotDecrypt
from service.post import letters
from service.seat.halting import tell
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Match, MatchStatus, now

MOST_CPU = 20.0
"""CPU seconds of one run; the longest take two, bots included."""
LONGEST_TRACE = 8000

log = structlog.get_logger()


class Fault(Exception):
    """The rules failed; the exception is `__cause__`."""

    def __init__(self, entry: int, step: str) -> None:
        super().__init__(f"after entry {entry}")
        self.entry, self.step = entry, step


def is_operational(problem: BaseException) -> bool:
    """Whether a failure is of the infrastructure (database, disk)."""
    if isinstance(problem, CannotDecrypt):
        return True  # works again once the key is back
    if isinstance(problem, SQLAlchemyError):
        return not isinstance(problem, DataError | IntegrityError)
    # TemplateNotFound is an OSError too, but our fault.
    return isinstance(problem, MemoryError) or (isinstance(problem, OSError) and not isinstance(problem, LookupError))


@contextlib.contextmanager
def cpu_limit() -> Iterator[None]:
    """Raise Endless after MOST_CPU seconds. Uses a signal: main threads only."""
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
    """Halt a game: store the trace, and notify table and operators."""
    problem = fault.__cause__ or fault
    trace = "".join(traceback.format_exception(problem))[-LONGEST_TRACE:]
    with transaction(settings) as session:
        match = session.get(Match, match_id, with_for_update={"key_share": True})
        if match is None or match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED) or match.halted_at is not None:
            return
        match.halted_at = now()
        match.halt = {"entry": fault.entry, "step": fault.step, "problem": type(problem).__name__, "trace": trace}
        tell(session, match, "halted")
        for address in settings.operators:
            letters.fault_report(session, match, address, fault.entry, type(problem).__name__)
    log.error("game halted", match=match_id, entry=fault.entry, problem=type(problem).__name__, where=_where(problem))


def _where(problem: BaseException) -> str:
    """The failing place in the code, without data."""
    last = traceback.extract_tb(problem.__traceback__)[-1:]
    return f"{last[0].filename.rpartition('/')[2]}:{last[0].lineno} {last[0].name}" if last else ""
