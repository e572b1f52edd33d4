"""The last result of `writ check`, stored in the broker, so that any web process shows what a worker has found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from service.ops.checks import Finding
from service.settings import Settings
from service.store import broker
from service.store.models import now

NAME = "checks"
KEPT = timedelta(days=2)


@dataclass(frozen=True)
class Checked:
    at: datetime
    findings: tuple[Finding, ...]


def store(settings: Settings, findings: Iterable[Finding]) -> None:
    text = msgspec.json.encode(Checked(now(), tuple(findings)))
    broker.keep(settings, NAME, text, int(KEPT.total_seconds()))


def last(settings: Settings) -> Checked | None:
    """None if there is no result yet, or the broker has lost it."""
    text = broker.kept(settings, NAME)
    try:
        return msgspec.json.decode(text, type=Checked) if text else None
    except msgspec.MsgspecError:  # written by another version
        return None
