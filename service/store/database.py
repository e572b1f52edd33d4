"""Database engines, sessions and migrations, for SQLite and PostgreSQL."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import structlog
from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import (
    DBAPIError,
    DisconnectionError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    PendingRollbackError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm.exc import ObjectDeletedError, StaleDataError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from service.common.folder import close_file, make_private
from service.settings import Settings
from service.store import encryption

# Alembic is imported only for migrations, which keeps other processes' start-up short.
if TYPE_CHECKING:
    from alembic.config import Config

log = structlog.get_logger()
Key = TypeVar("Key")

ROOT = Path(__file__).resolve().parents[2]
REVISION = re.compile(r'^revision = "(\w+)"', re.M)


SQLITE_HEADER = b"SQLite format 3\0"
BUSY_TIMEOUT = 30_000
"""Milliseconds that a SQLite writer waits for the lock."""
POOL, RUSH = 24, 10
"""Connections that a process keeps, and more in a rush; together more than a web process has threads: a form may hold two, and
if all threads waited for a second one, none would go on.
"""
IDLE_SECONDS = 5
"""A connection used more recently isn't pinged."""
MIGRATING = 0x57524954
"""Key of the advisory lock for migrations (PostgreSQL)."""
MIGRATION_WAIT = 600_000
"""Milliseconds that a migration of SQLite waits for another one."""
BEFORE_BASELINE = "aaf2244a"
"""Commit with the migrations before the baseline; it migrates an older database to the baseline."""


@cache
def engine_for(settings: Settings) -> Engine:
    make_private(settings.data_folder)
    file = make_url(settings.database).database
    if settings.database.startswith("sqlite") and file and _is_sqlite(Path(file)):
        close_file(Path(file))
    return _engine(settings.database, settings.sqlite_synchronous, settings.keys)


def _is_sqlite(file: Path) -> bool:
    try:
        with open(file, "rb") as found:
            return found.read(len(SQLITE_HEADER)) in (b"", SQLITE_HEADER)
    except OSError:
        return False


@cache
def _engine(url: str, synchronous: str, keys: tuple[str, ...]) -> Engine:
    is_sqlite = url.startswith("sqlite")
    own: dict[str, Any] = {"connect_args": {"timeout": 30}} if is_sqlite else {"pool_use_lifo": True}
    engine = create_engine(url, hide_parameters=True, json_deserializer=read_json, pool_size=POOL, max_overflow=RUSH, **own)
    encryption.give_keys(engine, keys)
    if not is_sqlite:
        _ping_idle_connections(engine)
        return engine

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        # Transactions begin below, not in the driver, so that writers take the lock at BEGIN.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", f"synchronous={synchronous}", "foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT}"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        writes = connection.get_execution_options().get("writ_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _ping_idle_connections(engine: Engine) -> None:
    """Ping idle connections only: `pool_pre_ping` pings at every checkout, 15 % of a web process's CPU time per move."""

    @event.listens_for(engine, "checkin")
    def used(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["used"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def ping(connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
        if time.monotonic() - record.info.get("used", math.inf) < IDLE_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as lost:
            raise DisconnectionError from lost  # the pool opens another one


def read_json(text: str | bytes) -> Any:
    """Parse JSON: msgspec is ten times faster, but refuses lone surrogates."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)


class ReadingSession(Session):
    """Read-only session that ends transactions by COMMIT: after a ROLLBACK psycopg discards prepared statements, a third of
    PostgreSQL's CPU time per move (`bench/pipeline.py`).
    """

    def rollback(self) -> None:
        if not self.is_active or self.new or self.dirty or self.deleted:
            super().rollback()
            return
        self.expire_all()
        self.commit()

    def close(self) -> None:
        if self.in_transaction() and self.is_active:
            self.expunge_all()
            with suppress(SQLAlchemyError):  # a lost connection has nothing to end
                self.commit()
        super().close()


def open_session(settings: Settings, writes: bool = False) -> Session:
    """Open a session; `writes` takes SQLite's write lock at BEGIN. A reading session has snapshot isolation, so that a position
    and its log match.
    """
    engine = (_writing if writes else _reading)(engine_for(settings))
    return (Session if writes else ReadingSession)(engine, info={"settings": settings}, expire_on_commit=False)


# Cached: `execution_options` makes a new engine each time.


@cache
def _writing(engine: Engine) -> Engine:
    return engine.execution_options(writ_writes=True)


@cache
def _reading(engine: Engine) -> Engine:
    if engine.dialect.name != "postgresql":
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


@contextmanager
def transaction(settings: Settings) -> Iterator[Session]:
    """Writing transaction: commits, or rolls back on an exception."""
    with open_session(settings, writes=True) as session, session.begin():
        yield session


def each_alone(
    settings: Settings,
    keys: Iterable[Key],
    work: Callable[[Session, Key], int | None],
    failed: str,
    put_off: Callable[[Session, Key], object] | None = None,
) -> int:
    """Work on each key in a separate transaction; returns the sum. Failures are logged as `failed`. `put_off`: delays the next
    try, except in an outage of the database.
    """
    total = 0
    for key in keys:
        try:
            with transaction(settings) as session:
                total += work(session, key) or 0
        except Exception as problem:
            log.error(failed, key=key, problem=type(problem).__name__)
            if put_off is not None and not (isinstance(problem, SQLAlchemyError) and is_away(problem)):
                with transaction(settings) as session:
                    put_off(session, key)
    return total


def settings_of(session: Session) -> Settings:
    found: Settings = session.info["settings"]
    return found


def after_commit(session: Session, action: Callable[[], object], key: object = None) -> None:
    """Run an action once the session has committed; not after a rollback. Actions with the same key run once."""
    session.info.setdefault("after_commit", {}).setdefault(key or object(), action)


@event.listens_for(Session, "after_commit")
def _run_actions(session: Session) -> None:
    if not session.in_nested_transaction():  # after a savepoint, the outer transaction may still fail
        for action in session.info.pop("after_commit", {}).values():
            action()


@event.listens_for(Session, "after_rollback")
def _drop_actions(session: Session) -> None:
    if not session.in_nested_transaction():
        session.info.pop("after_commit", None)


def migrations() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    return config


@cache
def known_migrations() -> frozenset[str]:
    """Migration ids, parsed from the files: importing Alembic takes 10 MB per process. Ids sort by age."""
    written = (path.read_text(encoding="utf-8") for path in (ROOT / "migrations" / "versions").glob("*.py"))
    return frozenset(found[1] for text in written if (found := REVISION.search(text)))


def oldest_migration() -> str:
    return min(known_migrations())


def newest_migration() -> str:
    return max(known_migrations())


def migrate(settings: Settings) -> None:
    """Migrate to the head in one transaction; concurrent migrations wait."""
    with migrating(settings) as connection:
        migrate_to(connection, "head")


@contextmanager
def migrating(settings: Settings) -> Iterator[Connection]:
    """A transaction under the migration lock."""
    engine = _writing(engine_for(settings))
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            driver: Any = connection.connection.driver_connection
            driver.execute(f"PRAGMA busy_timeout={MIGRATION_WAIT}")  # BEGIN IMMEDIATE waits here
        # On SQLite, Alembic would otherwise commit after each migration, and another process could start between two.
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
            yield connection
        if engine.dialect.name == "sqlite":
            driver.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT}")


def migrate_to(connection: Connection, revision: str) -> None:
    """Upgrade or downgrade to a migration's id, or to "head"."""
    from alembic import command

    config = migrations()
    config.attributes["connection"] = connection
    down = (version(connection) or "") > revision  # "head" is above all ids
    (command.downgrade if down else command.upgrade)(config, revision)


def version(connection: Connection) -> str | None:
    """The database's migration; None without tables of Writ."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return str(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar())


STRUCTURE = ("no such table", "no such column", "syntax error")
"""Operational errors of SQLite that a retry doesn't fix."""
LOST = "8s2b"
"""SQLAlchemy's code for a session used after a lost connection."""
PAUSE = 10
"""Seconds until a request is retried while the database is down."""


def is_away(problem: SQLAlchemyError) -> bool:
    """Whether a retry may help: connection lost or refused, pool exhausted, shutdown, lock timeout."""
    if isinstance(problem, DBAPIError) and problem.connection_invalidated:
        return True
    if isinstance(problem, PendingRollbackError) and problem.code == LOST:
        return True
    if not isinstance(problem, (OperationalError, InterfaceError, PoolTimeout)):
        return False
    return not any(sign in str(getattr(problem, "orig", "")) for sign in STRUCTURE)


NO_SUCH_ROW = frozenset(("23503", "SQLITE_CONSTRAINT_FOREIGNKEY"))
"""Codes of a foreign key violation, PostgreSQL's and SQLite's."""


def is_gone(problem: SQLAlchemyError) -> bool:
    """Whether a row that was read is deleted since, by another transaction: it was read again, changed, or referred to."""
    if isinstance(problem, IntegrityError):
        return not NO_SUCH_ROW.isdisjoint(getattr(problem.orig, name, "") for name in ("sqlstate", "sqlite_errorname"))
    return isinstance(problem, (ObjectDeletedError, StaleDataError))


def answers(session: Session) -> None:
    """Ping the database. Raises SQLAlchemyError."""
    session.execute(text("SELECT 1"))
