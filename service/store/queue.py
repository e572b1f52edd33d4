"""Celery task queue. Messages may be lost: rows are the truth, and the sweep resends what is due."""

from __future__ import annotations

import time
from functools import cache, partial
from typing import Any

import structlog
from celery import Celery
from sqlmodel import Session

from service.settings import Settings
from service.store import broker, database
from service.store.database import settings_of
from service.store.models import Match

log = structlog.get_logger()

ADJUDICATE, DELIVER, SWEEP, CHECK = "writ.adjudicate", "writ.deliver", "writ.sweep", "writ.check"
PRACTISE = "writ.practise"
"""Adjudicates a table against bots, after all other tasks."""
LOWEST = 9
"""Priority of these tasks; others have 0. Workers take the lowest number first."""
PLAY, LETTERS = "writ-play", "writ-letters"
"""The queues."""


TIMEOUTS: dict[str, Any] = {"socket_timeout": 5, "socket_connect_timeout": 2}
SILENCE = 5.0
"""Seconds without retries of an unreachable broker, since each try delays a page."""
DEBOUNCE = 0.5
"""Seconds in which one delivery task sends all due letters."""
_called: dict[str, float] = {}
"""Broker URL -> time of the last delivery task."""
_silent_until: dict[str, float] = {}
_known: set[str] = set()
"""Brokers that took the last task."""


def celery_for(settings: Settings) -> Celery:
    """The Celery app of these settings, cached."""
    return _celery(broker.url(settings))


@cache
def _celery(url: str) -> Celery:
    app = Celery("writ", broker=url)
    app.conf.update(
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        worker_prefetch_multiplier=1,
        task_default_queue=PLAY,
        task_routes={DELIVER: {"queue": LETTERS}, CHECK: {"queue": LETTERS}},
        # Redis acknowledgements double the cost of a task; the sweep resends lost tasks sooner anyway.
        broker_transport_options={"ack_emulation": False, **TIMEOUTS},
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # A broker that is full, read-only or loading must not stop a worker.
        broker_channel_error_retry=True,
        # Running tasks are finished when the broker goes; a task may run twice.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        task_publish_retry=False,
        worker_hijack_root_logger=False,
    )
    return app


def adjudication(match: Match) -> str:
    """Name of the task that plays a match on."""
    return PRACTISE if match.practice else ADJUDICATE


def after_commit(session: Session, task: str, *args: str) -> None:
    """Send a task after the commit, not after a rollback."""
    settings = settings_of(session)
    sending = partial(send, settings, task, *args) if (task, args) != (DELIVER, ()) else partial(call_for_letters, settings)
    database.after_commit(session, sending, key=(task, args))


def call_for_letters(settings: Settings, least: float = 0.0) -> None:
    """Request delivery in `least` seconds or more, debounced to one task in DEBOUNCE seconds."""
    url, at = broker.url(settings), time.monotonic()
    last = _called.get(url, at - DEBOUNCE)
    if at < last <= at + max(least, DEBOUNCE):
        return
    pause = max(least, min(last, at) + DEBOUNCE - at)
    _called[url] = at + pause
    if pause:
        send(settings, DELIVER, countdown=pause)
    else:
        send(settings, DELIVER)


def send(settings: Settings, task: str, *args: str, countdown: float = 0.0) -> None:
    """Send a task; a failing broker is logged and skipped for SILENCE seconds."""
    url = broker.url(settings)
    if time.monotonic() < _silent_until.get(url, 0.0):
        return
    try:
        # Celery retries for seconds while a page waits, so ping an unknown broker first.
        if url not in _known and url.startswith("redis") and not broker.answers(settings):
            raise ConnectionError
        last = {"priority": LOWEST} if task == PRACTISE else {}
        celery_for(settings).send_task(task, args=args, countdown=countdown or None, **last)
        _known.add(url)
    except Exception as problem:  # transport errors of any kind; the sweep repairs it
        _known.discard(url)
        _silent_until[url] = time.monotonic() + SILENCE
        log.warning("task not sent", task=task, problem=type(problem).__name__)


def reach(settings: Settings) -> None:
    """Connect to the broker ahead of the first task."""
    url = broker.url(settings)
    if not url.startswith("redis") or not broker.answers(settings):
        return
    app = celery_for(settings)
    try:
        with app.producer_or_acquire() as producer:
            producer.connection.ensure_connection(max_retries=1)
        _ = app.backend, app.amqp.router, app.amqp.queues  # cached properties
    except Exception as problem:  # transport errors of any kind; the next task tries again
        log.warning("broker not reached", problem=type(problem).__name__)


def room(settings: Settings, queue: str, most: int) -> int:
    """Number of tasks that a queue may get until `most` wait."""
    return max(0, most - broker.lengths(settings, (queue,)).get(queue, 0))
