"""Celery app with a no-op task: the queue's own throughput."""

from __future__ import annotations

from service.settings import load
from service.store.queue import celery_for

QUEUE = "bench"
NOTHING = "bench.nothing"

app = celery_for(load())


@app.task(name=NOTHING)  # type: ignore[untyped-decorator]  # Celery has no types
def nothing() -> None:
    """Do nothing."""
