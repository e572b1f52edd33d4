"""What a database and a data folder hold at some point, kept to be put into other empty ones.

To open a table, begin its game and send its letters takes longer than most tests that begin there do themselves. The processes
of pytest-xdist share what is kept under a key that depends on nothing but the program: see `SHARED`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
from flask.testing import FlaskClient
from sqlmodel import select

from service.settings import Settings
from service.store import database as db
from service.store import queue
from service.store.models import Account

SHARED: list[Path] = []
"""The folder in which the test processes of this run keep rows for each other; empty where there is one process."""
ROWS: dict[Hashable, Kept] = {}
LED: dict[Hashable, Led] = {}
FRESH = timedelta(seconds=30)
"""So long what browsers were led to is put in again; where the clock stands still, that is for ever."""


@dataclass
class Kept:
    """The rows of every table that has any (PostgreSQL) or the file (SQLite), the letters, and what was made of it."""

    rows: dict[str, bytes]
    file: bytes
    mail: tempfile.TemporaryDirectory[str]
    made: str


@dataclass
class Led:
    """What a database and a mailbox came to hold when browsers did something, and their cookies after it."""

    at: datetime
    kept: Kept
    cookies: list[str]


def led(settings: Settings, clients: Sequence[FlaskClient], deed: Hashable, make: Callable[[], str]) -> str:
    """What `make` returns, after it was done by these browsers; or put in as it was when it was last done.

    Put in only where it begins from the same: the same SQLite file to the byte, the same cookies, settings and way of tasks.
    """
    began = datetime.now(UTC)
    lasting = settings.model_dump_json(exclude={"data_folder", "database_url"})
    if not settings.database.startswith("sqlite"):
        return make()
    key = (
        deed,
        lasting,
        queue.send.__qualname__,
        hashlib.sha256(_file(settings)).digest(),
        tuple(_cookie(client, settings) for client in clients),
    )
    found = LED.get(key)
    if found is not None and timedelta(0) <= began - found.at <= FRESH:
        put(found.kept, settings)
        for client, cookie in zip(clients, found.cookies, strict=True):
            client.set_cookie("writ", cookie, domain=settings.host)
        return found.kept.made
    made = make()
    keep(key, settings, made)
    for old in [known for known, one in LED.items() if abs(began - one.at) > FRESH]:
        del LED[old]
    LED[key] = Led(began, ROWS.pop(key), [_cookie(client, settings) for client in clients])
    return made


def _cookie(client: FlaskClient, settings: Settings) -> str:
    found = client.get_cookie("writ", domain=settings.host)
    return found.value if found is not None else ""


def _file(settings: Settings) -> bytes:
    with contextlib.closing(sqlite3.connect(settings.data_folder / "writ.db")) as source:
        return source.serialize()


def key(settings: Settings, *of: Hashable) -> Hashable:
    """What has to be the same for something kept to be put in; None where nothing may be: it isn't empty, or sends letters."""
    if settings.smtp_url:
        return None
    with db.open_session(settings) as session:
        if session.exec(select(Account.id).limit(1)).first() is not None:
            return None
    lasting = settings.model_dump_json(exclude={"data_folder", "database_url"})
    return (settings.database.partition(":")[0], lasting, *of)


def begin(settings: Settings, of: Hashable, make: Callable[[], str]) -> str:
    """What `make` returns, after it filled the empty database; or put in as another test of this run had it made.

    Put in, its rows are as old as that test, and `make` has sent no tasks: for what depends on neither.
    """
    known = key(settings, of)
    found = shared(known) if known is not None else None
    if found is not None:
        put(found, settings)
        return found.made
    made = make()
    if known is not None:
        share(known, settings, made)
    return made


def shared(key: Hashable) -> Kept | None:
    """What this process, or another one of this test run, keeps under a key of plain values; None if neither does."""
    if key not in ROWS and SHARED and (file := _shared_file(key)).exists():
        rows, sqlite, letters, made = pickle.loads(file.read_bytes())
        mail = tempfile.TemporaryDirectory(prefix="writ-kept-")
        for name, content in letters:
            if content is None:
                (Path(mail.name) / name).mkdir()
            else:
                (Path(mail.name) / name).write_bytes(content)
        ROWS[key] = Kept(rows, sqlite, mail, made)
    return ROWS.get(key)


def share(key: Hashable, settings: Settings, made: str) -> None:
    """Keep all that there is now under a key of plain values, for the other processes of this test run, too."""
    keep(key, settings, made)
    if SHARED:
        kept = ROWS[key]
        mail = Path(kept.mail.name)
        found = sorted(mail.rglob("*"))  # folders before what is in them
        letters = [(str(path.relative_to(mail)), None if path.is_dir() else path.read_bytes()) for path in found]
        written = _shared_file(key).with_suffix(f".{os.getpid()}")
        written.write_bytes(pickle.dumps((kept.rows, kept.file, letters, kept.made)))
        written.rename(_shared_file(key))


def _shared_file(key: Hashable) -> Path:
    return SHARED[0] / hashlib.sha256(repr(key).encode()).hexdigest()


def keep(key: Hashable, settings: Settings, made: str) -> None:
    """Keep all that there is now under this key."""
    rows, file = dict[str, bytes](), b""
    if settings.database.startswith("sqlite"):
        file = _file(settings)
    else:
        with _postgres(settings) as connection:
            for (table,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall():
                with connection.cursor().copy(f'COPY "{table}" TO STDOUT (FORMAT BINARY)'.encode()) as copy:
                    rows[table] = b"".join(copy)
                if table == "alembic_version" or len(rows[table]) <= 21:  # no more than its head and its end
                    del rows[table]
    mail = tempfile.TemporaryDirectory(prefix="writ-kept-")
    if settings.maildir.exists():
        shutil.copytree(settings.maildir, mail.name, dirs_exist_ok=True)
    ROWS[key] = Kept(rows, file, mail, made)


def put(kept: Kept, settings: Settings) -> None:
    """Put what was kept into the empty database and the data folder of these settings."""
    if kept.file:
        db.engine_for(settings).dispose()
        for end in ("-wal", "-shm"):
            (settings.data_folder / f"writ.db{end}").unlink(missing_ok=True)
        (settings.data_folder / "writ.db").write_bytes(kept.file)
    else:
        with _postgres(settings) as connection:
            connection.execute("SET session_replication_role = replica")
            for table, rows in kept.rows.items():
                with connection.cursor().copy(f'COPY "{table}" FROM STDIN (FORMAT BINARY)'.encode()) as copy:
                    copy.write(rows)
    shutil.copytree(kept.mail.name, settings.maildir, dirs_exist_ok=True)


@contextlib.contextmanager
def _postgres(settings: Settings) -> Iterator[psycopg.Connection]:
    with psycopg.connect(settings.database.replace("+psycopg", "")) as connection:
        yield connection
