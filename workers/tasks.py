"""The tasks. Each may run twice or be lost: the use cases bear both."""

from __future__ import annotations

from service.settings import load
from service.store import queue
from workers import adjudication, delivery, sweep
from workers.app import app


@app.task(name=queue.ADJUDICATE)  # type: ignore[untyped-decorator]  # Celery's
def adjudicate(match_id: str) -> None:
    """Play what is queued for a match."""
    adjudication.adjudicate(load(), match_id)


@app.task(name=queue.DELIVER)  # type: ignore[untyped-decorator]  # Celery's
def deliver(letter_id: str) -> None:
    """Send one letter."""
    delivery.deliver(load(), letter_id)


@app.task(name=queue.SWEEP)  # type: ignore[untyped-decorator]  # Celery's
def sweep_up() -> None:
    """Queue again what was lost, and do what has fallen due."""
    sweep.sweep(load())
