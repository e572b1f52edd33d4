"""Restore rehearsal (`writ host backup --verify FILE`): restores into a temporary database and replays every log."""

from __future__ import annotations

import contextlib
import secrets
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog
from sqlalchemy import func, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from engine.core.asks import NotUnderstood, Refused
from engine.play import match as matches
from engine.play.match import REVEAL
from engine.text.notation import said
from service.log.entries import stored_entries
from service.ops import backup, exports
from service.settings import Settings
from service.store import database as db
from service.store.models import Account, Letter, Match

log = structlog.get_logger()


@dataclass(frozen=True)
class Found:
    manifest: backup.Manifest
    database: str
    """Kind of the temporary database."""
    head: str
    """The migration after the restore."""
    games: Counter[str]
    """By status."""
    logs: int
    entries: int
    revealed: int
    """Finished games, verified with seed and result."""
    accounts: int
    letters: int


def verify(settings: Settings, file: Path) -> Found:
    """Restore and replay a backup. Raises Refused, which names the first fault, or CannotDecrypt."""
    manifest = backup.Archive(file).manifest
    with _temporary(settings) as (own, kind):
        backup.restore(own, file, quiet=True)
        with db.open_session(own) as session:
            games, logs, entries, revealed = Counter[str](), 0, 0, 0
            for id in session.exec(select(Match.id).order_by(Match.id)).all():
                match = session.get_one(Match, id)
                games[match.status] += 1
                if match.header is not None:
                    log = stored_entries(session, id)
                    revealed += _replay(match, log)
                    logs, entries = logs + 1, entries + len(log)
                session.expunge_all()
            accounts = session.exec(select(func.count()).select_from(Account)).one()
            letters = session.exec(select(func.count()).select_from(Letter)).one()
    return Found(manifest, kind, db.newest_migration(), games, logs, entries, revealed, accounts, letters)


def _replay(match: Match, log: list[matches.Entry]) -> bool:
    """Verify a log; True if its seed is revealed. Raises NotUnderstood with the game's name."""
    assert match.header is not None
    over = bool(log) and log[-1].ask == REVEAL
    try:
        exports.check_log(match.header, match.seed, match.head, log)
        if over:
            verdict = matches.verify(matches.to_lines(matches.read_header(match.header), log))
            if not verdict.holds:
                raise NotUnderstood(verdict.sentence)
    except Refused as refused:
        raise NotUnderstood(f"“{match.name}” ({match.id}): {refused}") from None
    except Exception as problem:  # the rules failed on a log: a finding about that game
        raise NotUnderstood(f"“{match.name}” ({match.id}): its log can't be played again ({said(problem)}).") from None
    return over


@contextlib.contextmanager
def _temporary(settings: Settings) -> Iterator[tuple[Settings, str]]:
    """An empty database, on PostgreSQL if its user may create one, else SQLite; deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="writ-verify-") as folder, _database(settings) as url:
        changed = {
            "data_folder": Path(folder),
            "database_url": url,
            "secret_keys": settings.keys,
            "sqlite_synchronous": "NORMAL",
        }
        own = settings.model_copy(update=changed)
        try:
            yield own, "PostgreSQL" if url else "SQLite"
        finally:
            db.engine_for(own).dispose()


@contextlib.contextmanager
def _database(settings: Settings) -> Iterator[str]:
    """URL of a new PostgreSQL database; empty if none can be created."""
    url, name = make_url(settings.database), f"writ_verify_{secrets.token_hex(8)}"
    if url.get_backend_name() != "postgresql" or not _execute(settings, f"CREATE DATABASE {name}"):
        yield ""
        return
    try:
        yield url.set(database=name).render_as_string(hide_password=False)
    finally:
        _execute(settings, f"DROP DATABASE {name}")


def _execute(settings: Settings, statement: str) -> bool:
    """Run a statement outside a transaction; False if it isn't allowed."""
    server = db.engine_for(settings).execution_options(isolation_level="AUTOCOMMIT")
    try:
        with server.connect() as connection:
            connection.execute(text(statement))
    except DBAPIError as problem:
        log.warning("temporary database", statement=statement, problem=type(problem.orig).__name__)
        return False
    return True
