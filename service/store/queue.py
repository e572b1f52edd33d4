"""Handing work to the workers. A message may be lost: the rows are the truth, and the sweep sends again what is due."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import structlog
from celery import Celery
from sqlalchemy import event
from sqlmodel import Session

from service.settings import Settings
from service.store import broker
from service.store.database import settings_of

log = structlog.get_logger()

ADJUDICATE, DELIVER, SWEEP = "writ.adjudicate", "writ.deliver", "writ.sweep"
PLAY, LETTERS = "writ-play", "writ-letters"
"""The queues. Letters have one of their own, and workers of their own: a mail server that takes its time holds up no game."""

LETTER_THREADS = 4
"""Threads of a process for letters. One is always free for sign-in letters, see `workers.delivery`."""

TIMEOUTS: dict[str, Any] = {"socket_timeout": 5, "socket_connect_timeout": 2}
SILENCE = 5.0
"""Seconds for which a broker that couldn't be reached is not tried again: each try holds a page up."""
GATHERING = 0.5
"""Seconds between two calls for letters: one sees to all that are due, and to look for them costs as much as to write one."""
_called: dict[str, float] = {}
"""By address of the broker, when the last call for letters is to be answered."""
_silent_until: dict[str, float] = {}
_known: set[str] = set()
"""Brokers that took the last task."""


def celery_for(settings: Settings) -> Celery:
    """The Celery app for these settings; the workers add their tasks to it."""
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
        task_routes={DELIVER: {"queue": LETTERS}},
        # No account is kept in the broker of what a worker has taken, which costs it as much again as to take it: what a killed
        # one held is sent again by the sweep, sooner than an account of it would be looked through.
        broker_transport_options={"ack_emulation": False, **TIMEOUTS},
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # A broker that is full, read-only or just loading is one that is away for a while, and no reason to stop a worker.
        broker_channel_error_retry=True,
        # What runs when the broker goes is played to its end; a task may run twice.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        task_publish_retry=False,
        worker_hijack_root_logger=False,
    )
    return app


def after_commit(session: Session, task: str, *args: str) -> None:
    """Send a task once the session's transaction is committed, and not at all if it is rolled back."""
    waiting: list[tuple[str, tuple[str, ...]]] = session.info.setdefault("tasks", [])
    if (task, args) not in waiting:
        waiting.append((task, args))


@event.listens_for(Session, "after_commit")
def _send_waiting(session: Session) -> None:
    if not session.info.get("tasks"):
        return
    if session.in_nested_transaction():
        return  # a savepoint; the transaction itself may still fail
    waiting, session.info["tasks"] = session.info["tasks"], []
    for task, args in waiting:
        if (task, args) == (DELIVER, ()):
            call_for_letters(settings_of(session))
        else:
            send(settings_of(session), task, *args)


@event.listens_for(Session, "after_rollback")
def _forget_waiting(session: Session) -> None:
    if session.info.get("tasks") and not session.in_nested_transaction():
        session.info["tasks"] = []


def call_for_letters(settings: Settings) -> None:
    """Send for the letters that are due: at once, or, where this process did so just now, a moment later for all that there are
    by then; not at all while such a call is on its way. What it misses where machines' clocks differ, the sweep finds."""
    url, at = broker.url(settings), time.monotonic()
    last = _called.get(url, at - GATHERING)
    if at < last <= at + GATHERING:
        return
    pause = max(0.0, min(last, at) + GATHERING - at)
    _called[url] = at + pause
    if pause:
        send(settings, DELIVER, countdown=pause)
    else:
        send(settings, DELIVER)


def send(settings: Settings, task: str, *args: str, countdown: float = 0.0) -> None:
    """Send a task, to be done now or in so many seconds. A broker that can't be reached is logged and left alone for a while;
    the sweep makes good for it."""
    url = broker.url(settings)
    if time.monotonic() < _silent_until.get(url, 0.0):
        return
    try:
        # Celery tries for seconds, and a page waits for it: so one that is not known to be there is looked for first.
        if url not in _known and url.startswith("redis") and not broker.answers(settings):
            raise ConnectionError
        celery_for(settings).send_task(task, args=args, countdown=countdown or None)
        _known.add(url)
    except Exception as problem:  # any transport error: the sweep repairs it
        _known.discard(url)
        _silent_until[url] = time.monotonic() + SILENCE
        log.warning("task not sent", task=task, problem=type(problem).__name__)


def reach(settings: Settings) -> None:
    """Connect to the broker if it is there, and make what sending the first task takes; nothing is sent."""
    url = broker.url(settings)
    if not url.startswith("redis") or not broker.answers(settings):
        return
    app = celery_for(settings)
    try:
        with app.producer_or_acquire() as producer:
            producer.connection.ensure_connection(max_retries=1)
        _ = app.backend, app.amqp.router, app.amqp.queues  # made when they are first looked at
    except Exception as problem:  # any transport error: whoever sends a task looks again
        log.warning("broker not reached", problem=type(problem).__name__)


def room(settings: Settings, queue: str, most: int) -> int:
    """How many more tasks a queue may be given, so that no more than `most` wait in it, however long nobody takes them."""
    return max(0, most - broker.waiting(settings, queue))
