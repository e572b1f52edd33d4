"""The tasks. Each may run twice or be lost: the use cases bear both."""

from __future__ import annotations

from service.settings import load
from service.store import queue
from workers import adjudication, delivery, sweep
from workers.app import app


@app.task(name=queue.ADJUDICATE)  # type: ignore[untyped-decorator]  # Celery's
def adjudicate(match_id: str) -> None:
    """Play what is queued for a match; what bots have no time for now goes back into the queue, behind other games."""
    if adjudication.play_on(load(), match_id):
        queue.send(load(), queue.ADJUDICATE, match_id)


@app.task(name=queue.DELIVER)  # type: ignore[untyped-decorator]  # Celery's
def deliver(letter_id: str = "") -> None:
    """Send the letters that are due; of a message from before, one."""
    delivery.deliver(load(), letter_id)


@app.task(name=queue.SWEEP)  # type: ignore[untyped-decorator]  # Celery's
def sweep_up() -> None:
    """Queue again what was lost, and do what has fallen due."""
    sweep.sweep(load())
