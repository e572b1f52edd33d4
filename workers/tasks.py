"""Celery tasks; the use cases are idempotent, so tasks may be repeated or lost."""

from __future__ import annotations

from service.settings import load
from service.store import counters, queue
from workers import check, sweep
from workers.adjudicate import play_on
from workers.app import app
from workers.letters import delivery


@app.task(name=queue.ADJUDICATE)  # type: ignore[untyped-decorator]  # Celery has no types
def adjudicate(match_id: str) -> None:
    """Play a match; while bots have moves left, queue it again behind other games."""
    if play_on(load(), match_id):
        queue.send(load(), queue.ADJUDICATE, match_id)


@app.task(name=queue.PRACTISE)  # type: ignore[untyped-decorator]  # Celery has no types
def practise(match_id: str) -> None:
    """`adjudicate` for a table against bots, which stays behind all others."""
    if play_on(load(), match_id):
        queue.send(load(), queue.PRACTISE, match_id)


@app.task(name=queue.DELIVER)  # type: ignore[untyped-decorator]  # Celery has no types
def deliver() -> None:
    delivery.deliver(load())


@app.task(name=queue.SWEEP)  # type: ignore[untyped-decorator]  # Celery has no types
def sweep_up() -> None:
    with counters.SWEEP_SECONDS.time():
        sweep.sweep(load())
    check.renew(load())


@app.task(name=queue.CHECK)  # type: ignore[untyped-decorator]  # Celery has no types
def check_house() -> None:
    check.store(load())
