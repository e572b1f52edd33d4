"""Prometheus counters and histograms, summed over all processes of a data folder.

prometheus_client's multiprocess mode: each process writes its own file, and a scrape adds them up. When all processes stop,
counters begin at 0, as `rate()` expects. No label names a game, a seat, an account or a path.
"""

from __future__ import annotations

from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from sqlmodel import Session

from service.store.database import after_commit
from service.store.models import now

REGISTRY = CollectorRegistry()
"""Counts of this process; complete only outside multiprocess mode (tests)."""

QUICK = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SLOW = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)

# Durations have no route: those of a rare page would show a single person's visit.
REQUESTS = Counter("writ_requests", "Requests", ["route", "status"], registry=REGISTRY)
REQUEST_SECONDS = Histogram("writ_request_seconds", "Time to answer a request", ["method"], buckets=QUICK, registry=REGISTRY)
ADJUDICATION_SECONDS = Histogram(
    "writ_adjudication_seconds", "Duration of an adjudication's transaction", buckets=QUICK, registry=REGISTRY
)
ANSWER_SECONDS = Histogram(
    "writ_answer_seconds", "From the arrival of an answer to its commit", buckets=SLOW, registry=REGISTRY
)
SWEEP_SECONDS = Histogram("writ_sweep_seconds", "Duration of a sweep", buckets=QUICK, registry=REGISTRY)
DEFAULTS = Counter("writ_defaults", "Defaults played after a deadline", registry=REGISTRY)
STEWARDS = Counter("writ_stewards", "Seats given to a steward", registry=REGISTRY)
LETTER_OUTCOMES = Counter("writ_letter_outcomes", "Outcomes of sending, and reports", ["outcome"], registry=REGISTRY)
REFUSALS = Counter("writ_refusals", "Refused requests", ["kind"], registry=REGISTRY)
LAST_REFUSAL = Gauge(
    "writ_last_refusal_timestamp_seconds", "Last refusal", ["kind"], registry=REGISTRY, multiprocess_mode="max"
)


def refused(kind: str) -> None:
    """Count a refusal. `kind`: one of a few fixed words, never user input."""
    REFUSALS.labels(kind).inc()
    LAST_REFUSAL.labels(kind).set(now().timestamp())


def answered(session: Session, arrived: datetime) -> None:
    """Observe the time from an answer's arrival to the commit."""
    after_commit(session, lambda: ANSWER_SECONDS.observe(max(0.0, (now() - arrived).total_seconds())))
