"""What tests may need of the machine: PostgreSQL, Redis, a browser. Absent ones skip, unless they are required.

`WRIT_REQUIRE_SERVICES=1` turns such a skip into a failure. `WRIT_TEST_POSTGRES`, `WRIT_TEST_REDIS` and
`WRIT_TEST_CHROMIUM` say where to look.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
import redis
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

POSTGRES = os.environ.get("WRIT_TEST_POSTGRES", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("WRIT_TEST_REDIS", "redis://127.0.0.1:6379/15")
REDIS_NUMBERS = (15, 14, 13)
"""Redis databases that tests may empty; one test at a time has one of them."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def absent(what: str) -> NoReturn:
    """Skip the test, or fail it where everything must be there."""
    if os.environ.get("WRIT_REQUIRE_SERVICES") == "1":
        pytest.fail(f"{what}, and WRIT_REQUIRE_SERVICES=1 says that it must be there.")
    pytest.skip(what)


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The address of an empty PostgreSQL database of this test's own."""
    server = create_engine(POSTGRES, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 5})
    name = f"writ_test_{uuid.uuid4().hex[:12]}"
    try:
        with server.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
    except OperationalError:
        absent("PostgreSQL can't be reached")
    yield make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    with server.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    server.dispose()


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
    url = f"{base}/{number}"
    with redis.Redis.from_url(url) as own:
        own.flushdb()
        yield url
        own.flushdb()
    desk.delete(lock)
    desk.close()


def _take_one(desk: redis.Redis, mark: str) -> tuple[str, int]:
    for _ in range(600):
        for number in REDIS_NUMBERS:
            if desk.set(f"writ-test-{number}", mark, nx=True, ex=300):
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
    """How the browser of `page` and `browser` is started: the machine's own, quiet, without its calls home."""
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    return {"executable_path": chromium, "headless": True, "args": [*quiet, "--disable-sync", "--no-first-run"]}
