"""Start-up checks: data folder, database, schema version, broker, port.

A missing broker only warns: Celery reconnects.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import click
from redis.exceptions import RedisError
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from service.common.folder import make_private
from service.settings import Settings
from service.store import broker
from service.store import database as db


class CannotStart(click.ClickException):
    """A start-up check has failed."""


class BrokerAway(CannotStart):
    """The broker doesn't answer yet."""


def check(settings: Settings, without_broker: str) -> None:
    """Check what the programs need; without a broker, warn with `without_broker`. Raises CannotStart, or NotUnderstood for the
    data folder.
    """
    make_private(settings.data_folder)
    check_database(settings)
    try:
        check_broker(settings)
    except BrokerAway as problem:
        click.echo(f"Warning: {problem.message} {without_broker}", err=True)


def migrate(settings: Settings) -> None:
    """Raises CannotStart if the database is unusable or newer than this program."""
    make_private(settings.data_folder)
    check_database(settings, migrated=False)
    with told(settings):
        db.migrate(settings)


def check_database(settings: Settings, migrated: bool = True) -> None:
    """Check connection and schema version. Raises CannotStart."""
    with told(settings), db.engine_for(settings).connect() as connection:
        version = db.version(connection)
    if version is not None and version not in db.known_migrations():
        if version < db.oldest_migration():
            raise CannotStart(
                f"The database {shown(settings)} has tables from before version 0.1.0 of Writ; "
                f"run `writ migrate` of its commit {db.BEFORE_BASELINE} first."
            )
        raise CannotStart(
            f"The database {shown(settings)} was written by a newer version of Writ; start that one, or restore a backup."
        )
    if migrated and version != db.newest_migration():
        state = "has no tables of Writ yet" if version is None else "has the tables of an older version of Writ"
        raise CannotStart(f"The database {shown(settings)} {state}; run `writ migrate`.")


@contextmanager
def told(settings: Settings) -> Iterator[None]:
    """Raise CannotStart for database errors."""
    try:
        yield
    except DBAPIError as problem:
        words = str(problem.orig).strip().partition("\n")[0].rstrip(".")
        named = "WRIT_DATABASE_URL names it." if settings.database_url else "WRIT_DATA_FOLDER names its folder."
        raise CannotStart(f"The database {shown(settings)} can't be used: {words}. {advice(words) or named}") from None
    except (SQLAlchemyError, OSError) as problem:
        raise CannotStart(f"The database {shown(settings)} can't be used: {problem}.") from None


def shown(settings: Settings) -> str:
    """The database's URL without password; for SQLite its file."""
    url = make_url(settings.database)
    return str(url.database) if url.get_backend_name() == "sqlite" else url.render_as_string(hide_password=True)


ADVICE = {
    "does not exist": "Create it, or mend WRIT_DATABASE_URL.",
    "password": "WRIT_DATABASE_URL has the user and the password.",
    "no password supplied": "WRIT_DATABASE_URL has the user and the password.",
    "not a database": "WRIT_DATABASE_URL or WRIT_DATA_FOLDER names another file.",
    "unable to open": "Its folder must be there, and this user must be able to write to it.",
    "readonly": "This user must be able to write to it.",
    "locked": "Another program holds it; try again when that one is done.",
    "disk is full": "Make room there.",
}
"""Advice by a part of the driver's message."""


def advice(words: str) -> str:
    """Advice for a driver's message, or empty."""
    return next((advice for said, advice in ADVICE.items() if said in words), "")


def check_broker(settings: Settings) -> None:
    """Ping the broker. Raises BrokerAway; CannotStart for an invalid URL."""
    if settings.broker_url.startswith("memory:"):
        return
    try:
        with broker.client(settings) as server:
            server.ping()
    except ValueError as problem:
        raise CannotStart(f"WRIT_BROKER_URL is no broker's address: {str(problem).rstrip('.')}.") from None
    except (RedisError, OSError) as problem:
        if not settings.broker_url:
            raise BrokerAway(
                "No broker is there: WRIT_BROKER_URL names none, and the embedded one runs only while `writ up` does."
            ) from None
        words = str(problem).strip().partition("\n")[0].rstrip(".")
        scheme, _, address = settings.broker_url.partition("://")
        without_password = address.rpartition("@")[2]
        raise BrokerAway(f"The broker {scheme}://{without_password} can't be used: {words}.") from None


def check_port(port: int, host: str, shared: bool = False) -> None:
    """Check that a port is free; `shared`: or used by web processes of this user. Raises CannotStart."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise CannotStart(f"There is no address “{host[:60]}” to listen on.") from None
    with socket.socket(family, kind) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            probe.bind(address)
        except OSError as problem:
            if problem.errno == errno.EADDRINUSE:
                raise CannotStart(f"Port {port} is taken by another program; set WRIT_PORT to a free one.") from None
            words = problem.strerror or "it is refused"
            raise CannotStart(f"Port {port} of {host} can't be listened on: {words}. WRIT_PORT sets another.") from None
