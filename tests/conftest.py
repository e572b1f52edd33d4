"""What tests may need of the machine: PostgreSQL, Redis, a browser. Absent ones skip, unless they are required.

`WRIT_REQUIRE_SERVICES=1` turns such a skip into a failure. `WRIT_TEST_POSTGRES`, `WRIT_TEST_REDIS` and
`WRIT_TEST_CHROMIUM` say where to look.
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
import secrets
import shutil
import signal
import threading
import uuid
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import psycopg
import pytest
import redis
import time_machine
from hypothesis import settings as examples
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from service.games import lobby
from service.settings import Settings
from service.store import database as db
from service.store import queue
from tests import kept
from tests.once import once
from workers import load

POSTGRES = os.environ.get("WRIT_TEST_POSTGRES", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("WRIT_TEST_REDIS", "redis://127.0.0.1:6379/15")
REDIS_NUMBERS = (15, 14, 13, 12)
"""Redis databases that tests may empty; one test at a time has one of them."""
START = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
"""A Tuesday morning."""
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

# How fast something is depends on what else the machine does; tests don't measure it.
examples.register_profile("tests", deadline=None)
examples.load_profile("tests")

LONGEST = ("test_words_stay.py", "test_pseudo_language.py", "test_up.py", "test_cli.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: begun last, it would keep one process busy while the others have nothing left to do."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of collected tests and all modules stay: Python's search for garbage leaves them out, and begins less often."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def absent(what: str) -> NoReturn:
    """Skip the test, or fail it where everything must be there."""
    if os.environ.get("WRIT_REQUIRE_SERVICES") == "1":
        pytest.fail(f"{what}, and WRIT_REQUIRE_SERVICES=1 says that it must be there.")
    pytest.skip(what)


@contextlib.contextmanager
def own_database(template: str = "template1") -> Iterator[str]:
    """The name of a PostgreSQL database that is there for so long, made after another."""
    server = create_engine(POSTGRES, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 5})
    name = f"writ_test_{uuid.uuid4().hex[:12]}"
    try:
        with server.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
            # No test cuts the power: nobody needs to wait for the disk at each commit.
            connection.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    except OperationalError:
        absent("PostgreSQL can't be reached")
    yield name
    with server.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    server.dispose()


def url_of(database: str) -> str:
    """The address of a database of the PostgreSQL for tests."""
    return make_url(POSTGRES).set(database=database).render_as_string(hide_password=False)


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The address of an empty PostgreSQL database of this test's own."""
    with own_database() as name:
        yield url_of(name)


@pytest.fixture(scope="session")
def postgres_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a migrated PostgreSQL database that is only copied: a template may have no connection."""
    with own_database() as name:
        made = Settings(data_folder=tmp_path_factory.mktemp("template"), database_url=url_of(name))
        db.migrate(made)
        db.engine_for(made).dispose()
        yield name


@pytest.fixture(scope="session")
def migrated_postgres(postgres_template: str) -> Iterator[str]:
    """The name of a migrated PostgreSQL database that the tests of this process use one after the other."""
    with own_database(postgres_template) as name:
        yield name


@pytest.fixture
def another_postgres_url(postgres_template: str) -> Iterator[str]:
    """The address of a migrated PostgreSQL database of this test's own, beside the one that all use."""
    with own_database(postgres_template) as name:
        yield url_of(name)


@pytest.fixture
def migrated_postgres_url(migrated_postgres: str) -> Iterator[str]:
    """The address of a migrated PostgreSQL database without rows: to make one takes longer than most tests do."""
    url = url_of(migrated_postgres)
    yield url
    empty(url)


EMPTY = """
DO $$
DECLARE one text;
BEGIN
    -- What a test has left in the middle of a transaction would hold its rows.
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle';
    SET LOCAL session_replication_role = replica;
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('DELETE FROM %I', one);
    END LOOP;
END $$
"""


def empty(url: str) -> None:
    """Take all rows out of a PostgreSQL database, those that are append-only, too."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute(EMPTY)


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite database without rows, to be copied."""
    folder = tmp_path_factory.mktemp("empty")
    made = Settings(data_folder=folder)
    db.migrate(made)
    db.engine_for(made).dispose()
    return folder / "writ.db"


other_postgres_url = postgres_url
"""A second empty database, for what moves from one to the other."""


@pytest.fixture
def redis_url() -> Iterator[str]:
    """The address of an empty Redis database that no other test uses meanwhile."""
    base = REDIS.rpartition("/")[0]
    desk = redis.Redis.from_url(f"{base}/0", socket_connect_timeout=5)
    try:
        desk.ping()
    except redis.RedisError:
        absent("Redis can't be reached")
    mark = uuid.uuid4().hex
    lock, number = _take_one(desk, mark)
    over = threading.Event()
    keeper = threading.Thread(target=_keep, args=(desk, lock, over), daemon=True)
    keeper.start()
    url = f"{base}/{number}"
    with redis.Redis.from_url(url) as own:
        own.flushdb()
        yield url
        own.flushdb()
    over.set()
    keeper.join()
    desk.delete(lock)
    desk.close()


LEASE = 60
"""Seconds after which a database is free again whose test was killed."""


def _keep(desk: redis.Redis, lock: str, over: threading.Event) -> None:
    """Hold on to a database for as long as its test runs: two that share one take each other's tasks."""
    while not over.wait(LEASE / 4):
        desk.expire(lock, LEASE)


def _take_one(desk: redis.Redis, mark: str) -> tuple[str, int]:
    for _ in range(600):
        for number in REDIS_NUMBERS:
            if desk.set(f"writ-test-{number}", mark, nx=True, ex=LEASE):
                return f"writ-test-{number}", number
        desk.blpop("writ-test-nothing", timeout=1)
    pytest.fail("Every Redis database for tests is taken.")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium."""
    named = os.environ.get("WRIT_TEST_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        absent("There is no Chromium on this machine")
    return found


@pytest.fixture(scope="session")
def browser_type_launch_args(chromium: str) -> dict[str, Any]:
    """How the browser of `page` and `browser` is started: the machine's own, quiet, without its calls home.

    Pages here live for seconds: Turbofan would take longer to compile their scripts than they run. With Maglev, axe takes a
    fifth less. Letters are as wide as in a window: the headless shell fits them to the grid of pixels otherwise.
    """
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    light = ["--font-render-hinting=none", "--js-flags=--no-turbofan"]
    return {"executable_path": chromium, "headless": True, "args": [*quiet, "--no-first-run", *light]}


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """The time, which stands at a Tuesday morning until it is moved."""
    with time_machine.travel(START, tick=False) as coordinates:
        yield coordinates


@pytest.fixture(scope="session", autouse=True)
def told_to_stop() -> None:
    """What a shell runs in the background is deaf to Ctrl-C, and so would be all processes that tests start and stop by it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def called_at_once() -> None:
    """Letters are called for as soon as one is due, however short a time after the last call."""
    queue.DEBOUNCE = 0.0


@pytest.fixture(autouse=True)
def same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards and dice fall alike each time a test runs, and bots choose alike: what passes once passes always.

    Games of other draws are played by `tests/contract` and `writ fuzz`, which name the seed of what they find.
    """
    rng = random.Random(0)
    of_games = SimpleNamespace(token_bytes=bytes, token_hex=lambda n: "0" * 2 * n, compare_digest=secrets.compare_digest)
    monkeypatch.setattr(lobby, "secrets", of_games)
    monkeypatch.setattr(load, "secrets", SimpleNamespace(token_hex=lambda n: rng.randbytes(n).hex()))


@pytest.fixture(scope="session", autouse=True)
def worked_out_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What depends on the program alone is worked out once, and not once for the app and the database of each test."""
    own = tmp_path_factory.getbasetemp()
    with once(own.parent / "templates" if os.environ.get("PYTEST_XDIST_WORKER") else own / "templates"):
        yield


@pytest.fixture(scope="session", autouse=True)
def kept_for_all(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Games that many tests begin with are begun once, and not once in each process of pytest-xdist."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = tmp_path_factory.getbasetemp().parent / "kept"
        folder.mkdir(exist_ok=True)
        kept.SHARED[:] = [folder]
