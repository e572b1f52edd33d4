"""Checks of `writ check`: data folder, database, broker, DNS, base URL, clock. `workers.check` checks the mail server. The last
result is stored in the broker, so that any web process shows what a worker has found.
"""

from __future__ import annotations

import ipaddress
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Literal

import click
import msgspec
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from engine.core.asks import Refused
from service.common.folder import make_private, takes_files
from service.ops import preflight
from service.settings import Settings
from service.store import broker
from service.store import database as db
from service.store.models import now

State = Literal["ok", "wrong", "unknown"]
MOST_DIFFERENCE = 5.0
"""Seconds."""
ANSWER_SECONDS = 5.0
"""Timeout in seconds for DNS and HTTP."""
STORED = "checks"
"""Name of the last result in the broker."""
KEPT = timedelta(days=2)
NOWHERE = ("localhost", "local", "test", "invalid", "example", "internal", "lan")
"""Top-level labels that public DNS doesn't resolve."""


@dataclass(frozen=True)
class Finding:
    what: str
    state: State
    words: str


@dataclass(frozen=True)
class Checked:
    at: datetime
    findings: tuple[Finding, ...]


def store(settings: Settings, findings: Iterable[Finding]) -> None:
    encoded = msgspec.json.encode(Checked(now(), tuple(findings)))
    broker.keep(settings, STORED, encoded, int(KEPT.total_seconds()))


def last(settings: Settings) -> Checked | None:
    """None if there is no result yet, or the broker has lost it."""
    stored = broker.kept(settings, STORED)
    try:
        return msgspec.json.decode(stored, type=Checked) if stored else None
    except msgspec.MsgspecError:  # written by another version
        return None


def all_checks(settings: Settings) -> Iterator[Finding]:
    """All checks except the mail server's. Read-only, but creates the data folder."""
    folder = settings.data_folder
    yield _checked("data folder", lambda: _check_folder(folder), str(folder.resolve()))
    answers = f"{preflight.shown(settings)} answers, with the tables of this version"
    yield _checked("database", lambda: preflight.check_database(settings), answers)
    # The embedded broker runs only during `writ up`.
    away: State = "wrong" if settings.broker_url else "unknown"
    yield _checked("broker", lambda: preflight.check_broker(settings), "it answers", away)
    for check in (sender_domain, base_url, clock):
        yield from check(settings)


def _check_folder(folder: Path) -> None:
    """Raises NotUnderstood, or CannotStart on a full disk."""
    make_private(folder)
    if not takes_files(folder):
        raise preflight.CannotStart(f"the disk of {folder.resolve()} is full, or takes no files; make room there")


def _checked(what: str, check: Callable[[], None], good: str, bad: State = "wrong") -> Finding:
    """The finding of a check that raises."""
    try:
        check()
    except (click.ClickException, Refused) as problem:
        return Finding(what, bad, str(problem))
    return Finding(what, "ok", good)


# --- DNS --------------------------------------------------------------------------------------------------------------

Ask = Callable[[str], list[str] | None]
"""Name -> TXT records; see `text_records`."""


def text_records(name: str) -> list[str] | None:
    """TXT records of a name; None for NXDOMAIN. Raises DNSException if no server answers."""
    from dns import resolver  # 3 MB that web processes never need

    try:
        found = resolver.resolve(name, "TXT", lifetime=ANSWER_SECONDS)
    except resolver.NXDOMAIN:
        return None
    except resolver.NoAnswer:
        return []
    return [b"".join(record.strings).decode(errors="replace") for record in found]


def sender_domain(settings: Settings, ask: Ask = text_records) -> Iterator[Finding]:
    """Check SPF, DKIM and DMARC."""
    from dns.exception import DNSException

    domain = settings.mail_host.rstrip(".").lower()
    if not settings.smtp_url:
        return
    if domain.rpartition(".")[2] in NOWHERE or "." not in domain or _is_number(domain):
        yield Finding("sender", "wrong", f"{domain} is no public domain; WRIT_MAIL_FROM names the sender of every letter")
        return
    try:
        if ask(domain) is None and ask(domain.rpartition(".")[2]) is None:
            yield Finding("DNS", "unknown", "the name server here knows no public names, so SPF, DKIM and DMARC are not known")
            return
        yield _spf(domain, ask)
        yield _dkim(domain, ask)
        yield _dmarc(domain, ask)
    except DNSException as problem:
        yield Finding(
            "DNS", "unknown", f"no name server answers ({type(problem).__name__}), so SPF, DKIM and DMARC are not known"
        )


def _is_number(domain: str) -> bool:
    try:
        ipaddress.ip_address(domain.strip("[]"))
    except ValueError:
        return False
    return True


def _spf(domain: str, ask: Ask) -> Finding:
    records = ask(domain)
    if records is None:
        return Finding("SPF", "wrong", f"{domain} does not exist; WRIT_MAIL_FROM names the sender of every letter")
    found = [record for record in records if record.lower().split(" ")[0] == "v=spf1"]
    if len(found) == 1:
        return Finding("SPF", "ok", f"{domain}: {found[0][:200]}")
    words = "has no SPF record" if not found else f"has {len(found)} SPF records, of which there may be one"
    return Finding("SPF", "wrong", f"{domain} {words}; publish one TXT record that names your mail server: v=spf1 mx -all, say")


def _dkim(domain: str, ask: Ask) -> Finding:
    """DKIM finding: NXDOMAIN at `_domainkey` proves that there is no key; the selector is unknown."""
    if ask(f"_domainkey.{domain}") is None:
        return Finding("DKIM", "wrong", f"{domain} has no keys; let your mail server sign, and publish its key")
    return Finding("DKIM", "unknown", f"{domain} may have keys; a received letter's header shows whether it was signed")


def _dmarc(domain: str, ask: Ask) -> Finding:
    labels = domain.split(".")
    for at in range(len(labels) - 1):  # subdomains inherit the parent's record
        above = ".".join(labels[at:])
        found = [r for r in ask(f"_dmarc.{above}") or [] if r.lower().replace(" ", "").startswith("v=dmarc1")]
        if len(found) > 1:
            return Finding("DMARC", "wrong", f"_dmarc.{above} has {len(found)} records, of which there may be one")
        if found:
            return Finding("DMARC", "ok", f"_dmarc.{above}: {found[0][:200]}")
    return Finding("DMARC", "wrong", f"{domain} has no DMARC record; publish one at _dmarc.{domain}: v=DMARC1; p=none, say")


# --- base URL and clock -----------------------------------------------------------------------------------------------


def base_url(settings: Settings) -> Iterator[Finding]:
    if settings.base_url.startswith("http:") and not settings.local:
        yield Finding("base URL", "wrong", "without https:// links and cookies can be read on their way; put TLS in front")
    answer = _fetch(f"{settings.base_url}/healthz")
    if isinstance(answer, str):
        state: State = "unknown" if settings.local else "wrong"
        yield Finding("base URL", state, f"{settings.base_url} can't be reached: {answer}. Does `writ up` or `writ web` run?")
        return
    status, body, _ = answer
    try:
        ours = "status" in json.loads(body)
    except (ValueError, TypeError):
        ours = False
    if status == 200 and ours:
        yield Finding("base URL", "ok", f"Writ answers at {settings.base_url}")
    elif ours:
        yield Finding("base URL", "wrong", f"Writ answers at {settings.base_url}, but its database is away")
    else:
        yield Finding("base URL", "wrong", f"something else answers at {settings.base_url}, with {status}")


def _fetch(address: str) -> tuple[int, bytes, str] | str:
    """Status, body and Date header; or why it failed."""
    try:
        with urllib.request.urlopen(address, timeout=ANSWER_SECONDS) as reply:
            return reply.status, reply.read(10_000), reply.headers.get("Date", "")
    except urllib.error.HTTPError as reply:
        return reply.code, reply.read(10_000), reply.headers.get("Date", "")
    except urllib.error.URLError as problem:
        reason = problem.reason
        if isinstance(reason, ssl.SSLCertVerificationError):
            return f"its certificate is not accepted: {reason.verify_message}"
        return str(getattr(reason, "strerror", None) or reason)
    except (OSError, ValueError) as problem:
        return str(problem) or type(problem).__name__


def clock(settings: Settings) -> Iterator[Finding]:
    """Compare this machine's clock with database, broker and web server."""
    others = {name: found for name, look in CLOCKS.items() if (found := look(settings)) is not None}
    wrong = {name: difference for name, difference in others.items() if abs(difference) > MOST_DIFFERENCE}
    for name, difference in wrong.items():
        yield Finding(
            "clock", "wrong", f"it differs from that of the {name} by {abs(difference):.0f} seconds; let NTP set both"
        )
    if others and not wrong:
        yield Finding("clock", "ok", f"it agrees with that of the {' and the '.join(others)}")
    if not others:
        at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        yield Finding("clock", "unknown", f"it says {at} UTC; there is no other to compare it with")


def _now() -> float:
    return datetime.now(UTC).timestamp()


def _database_clock(settings: Settings) -> float | None:
    if settings.database.startswith("sqlite"):
        return None
    try:
        with db.engine_for(settings).connect() as connection:
            return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()) - _now()
    except (SQLAlchemyError, OSError):
        return None


def _broker_clock(settings: Settings) -> float | None:
    if not settings.broker_url:
        return None
    try:
        with broker.client(settings) as server:
            seconds, micro = server.time()
    except broker.FAULTS:
        return None
    return float(seconds) + float(micro) / 1e6 - _now()


def _web_clock(settings: Settings) -> float | None:
    answer = _fetch(f"{settings.base_url}/healthz") if not settings.local else ""
    if isinstance(answer, str) or not answer[2]:
        return None
    try:
        return parsedate_to_datetime(answer[2]).timestamp() - _now()
    except ValueError:
        return None


CLOCKS: dict[str, Callable[[Settings], float | None]] = {
    "database": _database_clock,
    "broker": _broker_clock,
    "web server": _web_clock,
}
"""Clock -> seconds that it is ahead of ours; None if it can't be read."""
