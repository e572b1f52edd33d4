"""The database: engines and sessions for SQLite and PostgreSQL alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, PendingRollbackError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

from service.common.folder import close_file, make_private
from service.settings import Settings
from service.store import sealing

# Alembic is imported where the database is migrated: the many processes that don't would start later for it.
if TYPE_CHECKING:
    from alembic.config import Config

ROOT = Path(__file__).resolve().parents[2]
REVISION, FOLLOWS = (re.compile(rf'^{name} = "(\w+)"', re.M) for name in ("revision", "down_revision"))


SQLITE_HEADER = b"SQLite format 3\0"
BUSY_TIMEOUT = 30_000
"""Milliseconds for which a writer of SQLite waits for another."""
MIGRATING = 0x57524954
"""Key of PostgreSQL's advisory lock that a migration holds."""
MIGRATION_WAIT = 600_000
"""Milliseconds for which a migration of SQLite waits for another one."""


@cache
def engine_for(settings: Settings) -> Engine:
    """The engine for these settings; one for each address, keys and process."""
    make_private(settings.data_folder)
    file = make_url(settings.database).database
    if settings.database.startswith("sqlite") and file and _is_sqlite(Path(file)):
        close_file(Path(file))
    return _engine(settings.database, settings.sqlite_synchronous, settings.keys)


def _is_sqlite(file: Path) -> bool:
    """Whether the file is a SQLite database: the permissions of any other stay as they are."""
    try:
        with open(file, "rb") as found:
            return found.read(len(SQLITE_HEADER)) in (b"", SQLITE_HEADER)
    except OSError:
        return False


@cache
def _engine(url: str, synchronous: str, keys: tuple[str, ...]) -> Engine:
    if not url.startswith("sqlite"):
        engine = create_engine(url, hide_parameters=True, json_deserializer=read_json, pool_pre_ping=True, pool_use_lifo=True)
        sealing.give_keys(engine, keys)
        return engine
    engine = create_engine(url, connect_args={"timeout": 30}, hide_parameters=True, json_deserializer=read_json)
    sealing.give_keys(engine, keys)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        # Transactions are begun below, not by the driver, so that writers can take the lock at the start.
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


def read_json(text: str | bytes) -> Any:
    """What a column of JSON holds. A page reads a hundred of them, which the standard library takes ten times as long for; half
    characters, which people may have sent, are taken by it alone."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)


def open_session(settings: Settings, writes: bool = False) -> Session:
    """A session that knows its settings.

    One that `writes` takes SQLite's write lock when its transaction begins. One that only reads sees the database at one
    moment, from its first statement to the end of its transaction: a position and its log, read one after the other,
    belong together.
    """
    engine = (_writing if writes else _reading)(engine_for(settings))
    return Session(engine, info={"settings": settings}, expire_on_commit=False)


# Made once for an engine: each is an engine of its own.


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
    """One transaction: committed at the end, rolled back by any exception."""
    with open_session(settings, writes=True) as session, session.begin():
        yield session


def settings_of(session: Session) -> Settings:
    """The settings that the session was opened with."""
    found: Settings = session.info["settings"]
    return found


def _migrations() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    return config


@cache
def _written_migrations() -> tuple[frozenset[str], frozenset[str]]:
    """Ids of all migrations, and of those that another one follows. Read from the files, for every web process asks for the
    newest, and Alembic takes 10 MB in each."""
    written = [path.read_text(encoding="utf-8") for path in (ROOT / "migrations" / "versions").glob("*.py")]
    known, followed = (frozenset(found[1] for text in written if (found := line.search(text))) for line in (REVISION, FOLLOWS))
    return known, followed


def known_migrations() -> frozenset[str]:
    """Ids of the migrations that this program knows."""
    return _written_migrations()[0]


def newest_migration() -> str:
    """The migration that this program is written for: the one that no other follows."""
    known, followed = _written_migrations()
    return next(iter(known - followed), "")


def migrate(settings: Settings) -> None:
    """Bring the database to the newest migration, in one transaction. A second migration waits for the first to end."""
    from alembic import command

    engine, config = _writing(engine_for(settings)), _migrations()
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            driver: Any = connection.connection.driver_connection
            driver.execute(f"PRAGMA busy_timeout={MIGRATION_WAIT}")  # the write lock is taken as the transaction begins
        # Begun here: on SQLite, Alembic commits after each migration otherwise, and another process goes on in between.
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        if engine.dialect.name == "sqlite":
            driver.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT}")


STRUCTURE = ("no such table", "no such column", "syntax error")
"""What SQLite calls operational errors, too, and waiting doesn't mend."""
LOST = "8s2b"
"""SQLAlchemy's error code of a session that goes on after its connection was lost."""
PAUSE = 10
"""Seconds after which a request is tried again that found the database away."""


def is_away(problem: SQLAlchemyError) -> bool:
    """Whether the database itself is away or busy, and not the statement wrong: the connection is lost or refused, none is
    free, the server shuts down, a lock isn't given."""
    if isinstance(problem, DBAPIError) and problem.connection_invalidated:
        return True
    if isinstance(problem, PendingRollbackError) and problem.code == LOST:
        return True
    if not isinstance(problem, (OperationalError, InterfaceError, PoolTimeout)):
        return False
    return not any(sign in str(getattr(problem, "orig", "")) for sign in STRUCTURE)


def answers(session: Session) -> None:
    """Ask the database for a sign of life. Raises SQLAlchemyError where it is away."""
    session.execute(text("SELECT 1"))
