"""Readiness for load balancers, and Prometheus metrics (`docs/metrics.md`)."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily as Gauge
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import func, make_url, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from service.clock.deadlines import BEAT
from service.common.folder import takes_files
from service.ops import dated_backups
from service.post import ledger, relay
from service.settings import Settings
from service.store import broker, counters, queue, shared_counters, tallies
from service.store.database import newest_migration, open_session, settings_of
from service.store.models import AskRow, Beat, Match, Submission, SubmissionStatus, now

STALE = timedelta(minutes=1)


def age(moment: datetime | None) -> float:
    return max(0.0, (now() - moment).total_seconds()) if moment is not None else 0.0


def readiness(settings: Settings, session: Session) -> dict[str, object]:
    """Readiness checks by name; `ready` is their conjunction."""
    found: dict[str, object] = {"database": False, "migrated": False, "beat": False}
    try:
        found["database"] = bool(session.execute(text("SELECT 1")).scalar_one())
        found["migrated"] = session.execute(text("SELECT version_num FROM alembic_version")).scalar() == newest_migration()
        beat = session.get(Beat, BEAT)
        found["beat"] = beat is not None and now() - beat.at < STALE
        mail_down = relay.down_since(session)
        # Mail isn't part of readiness: pages and answers work without it, though all clocks stand still.
        found["mail"], found["mail_down_seconds"] = mail_down is None, round(age(mail_down))
        found["oldest_unsent_letter_seconds"] = round(age(ledger.oldest_unsent(session)))
    except SQLAlchemyError:
        session.rollback()
    found["broker"] = broker.answers(settings)
    found["disk"] = takes_files(settings.data_folder) and _takes_rows(settings)
    found["ready"] = all(found[name] for name in ("database", "migrated", "beat", "broker", "disk"))
    return found


def _takes_rows(settings: Settings) -> bool:
    try:
        with open_session(settings, writes=True) as session:
            session.execute(update(Beat).where(col(Beat.name) == "").values(name=""))
            session.rollback()
        return True
    except SQLAlchemyError:
        return False


class _Figures(Collector):
    """Gauges counted at each scrape."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def collect(self) -> Iterator[Metric]:
        session = self.session
        games = Gauge("writ_games", "Games by status", labels=["status"])
        for status, n in sorted(tallies.by_status(session, "games").items()):
            games.add_metric([status], n)
        yield games
        halted = select(func.count()).select_from(Match).where(col(Match.halted_at).is_not(None))
        yield Gauge("writ_games_halted", "Games that stand still because their rules failed", session.exec(halted).one())
        sent = Gauge("writ_letters", "Letters by state", labels=["state"])
        for state, n in sorted(tallies.by_status(session, "letters").items()):
            sent.add_metric([state], n)
        yield sent
        open_ = select(func.count()).select_from(AskRow)
        # Proposals don't count: nothing waits for them, and they are secret from operators.
        open_ = open_.where(col(AskRow.answered_at).is_(None), col(AskRow.serial) > 0)
        yield Gauge("writ_open_asks", "Questions that wait for an answer", session.exec(open_).one())
        late = session.exec(open_.where(col(AskRow.falls_at) < now())).one()
        yield Gauge("writ_overdue_asks", "Deadlines that have fallen and are not played", late)
        queued = select(func.min(Submission.created_at)).where(Submission.status == SubmissionStatus.QUEUED)
        yield Gauge("writ_oldest_submission_seconds", "Age of the oldest answer not taken up", age(session.exec(queued).one()))
        yield Gauge(
            "writ_oldest_letter_seconds", "Age of the oldest letter that is due and unsent", age(ledger.oldest_unsent(session))
        )
        yield Gauge(
            "writ_mail_down_seconds",
            "Since when the mail relay accepts no letter, and all clocks stand still; 0 while it does",
            age(relay.down_since(session)),
        )
        beat = session.get(Beat, BEAT)
        yield Gauge("writ_beat_age_seconds", "Since the last sweep", age(beat.at) if beat is not None else math.nan)
        yield from _around(settings_of(session))
        yield from counted(settings_of(session))


def _around(settings: Settings) -> Iterator[Metric]:
    waiting = Gauge("writ_queue_length", "Tasks that wait in the broker; absent while it is away", labels=["queue"])
    for name, n in broker.lengths(settings, (queue.PLAY, queue.LETTERS)).items():
        waiting.add_metric([name], n)
    yield waiting
    backup = dated_backups.last(settings)
    if backup is not None:
        yield Gauge("writ_backup_age_seconds", "Since the last backup; absent if none is known", age(backup.at))
    build = Gauge("writ_build_info", "Versions; always 1", labels=["version", "python", "database"])
    build.add_metric([own_version(), platform.python_version(), make_url(settings.database).get_backend_name()], 1)
    yield build


@cache
def own_version() -> str:
    return version("writ")


def counted(settings: Settings) -> list[Metric]:
    """Metrics of all processes; of this one outside multiprocess mode."""
    if shared_counters.VARIABLE not in os.environ:
        return list(counters.REGISTRY.collect())
    return sorted(_merged(settings, "*"), key=lambda metric: metric.name)


def _merged(settings: Settings, files: str) -> Iterable[Metric]:
    found: Iterable[Metric] = MultiProcessCollector.merge(  # type: ignore[no-untyped-call]  # the library has no types there
        list(shared_counters.files(settings, files))
    )
    return found


@dataclass(frozen=True)
class Refusal:
    kind: str
    n: int
    last: datetime


def refusals(settings: Settings) -> list[Refusal]:
    """The ten kinds of requests refused last, latest first; [] outside multiprocess mode."""
    found = {metric.name: metric.samples for files in ("counter_*", "gauge_*") for metric in _merged(settings, files)}
    last = {one.labels["kind"]: one.value for one in found.get("writ_last_refusal_timestamp_seconds", ())}
    counts = {one.labels["kind"]: int(one.value) for one in found.get("writ_refusals", ())}
    rows = [Refusal(kind, counts.get(kind, 0), datetime.fromtimestamp(at, UTC)) for kind, at in last.items() if at]
    return sorted(rows, key=lambda row: row.last, reverse=True)[:10]


def figures(session: Session) -> bytes:
    registry = CollectorRegistry()
    registry.register(_Figures(session))
    return generate_latest(registry)
