"""Checks before a command starts: data folder, database, schema version, broker, port. A failed check is one sentence.

`writ up`, `web`, `worker`, `beat` and `migrate` run them once, in the process that is started by hand or by an init system.
What fails later (a database that goes away) is retried by the processes themselves. A broker that doesn't answer keeps none of
`web`, `worker` and `beat` from starting: pages work without it, and Celery retries the connection.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import click
from redis.exceptions import RedisError
from sqlalchemy import inspect, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from service.common.folder import make_private
from service.settings import Settings
from service.store import broker
from service.store import database as db


class CannotStart(click.ClickException):
    """Why the service can't start here, as a sentence."""


class BrokerAway(CannotStart):
    """The broker doesn't answer now; it may later."""


def check(settings: Settings, without_broker: str) -> None:
    """What web, workers and beat need. Raises CannotStart; NotUnderstood for a data folder that can't be used.

    Where the broker doesn't answer, a warning says so, and what happens `without_broker`.
    """
    make_private(settings.data_folder)
    check_database(settings)
    try:
        check_broker(settings)
    except BrokerAway as problem:
        click.echo(f"Warning: {problem.message} {without_broker}", err=True)


def migrate(settings: Settings) -> None:
    """Bring the database to the newest migration. Raises CannotStart where it can't be used, or is of a newer version."""
    make_private(settings.data_folder)
    check_database(settings, migrated=False)
    with told(settings):
        db.migrate(settings)


def check_database(settings: Settings, migrated: bool = True) -> None:
    """Whether the database answers, and has the tables of this version, or of one that can be migrated. Raises CannotStart."""
    with told(settings):
        version = schema_version(settings)
    if version is not None and version not in db.known_migrations():
        raise CannotStart(
            f"The database {shown(settings)} was written by a newer version of Writ; start that one, or restore a backup."
        )
    if migrated and version != db.newest_migration():
        state = "has no tables of Writ yet" if version is None else "has the tables of an older version of Writ"
        raise CannotStart(f"The database {shown(settings)} {state}; run `writ migrate`.")


def schema_version(settings: Settings) -> str | None:
    """The migration that the database is at; None where it has no tables of Writ."""
    with db.engine_for(settings).connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return str(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar())


@contextmanager
def told(settings: Settings) -> Iterator[None]:
    """Turn an error of the database into a sentence. Raises CannotStart."""
    try:
        yield
    except DBAPIError as problem:
        words = str(problem.orig).strip().partition("\n")[0].rstrip(".")
        raise CannotStart(f"The database {shown(settings)} can't be used: {words}. {_advice(settings, words)}") from None
    except (SQLAlchemyError, OSError) as problem:
        raise CannotStart(f"The database {shown(settings)} can't be used: {problem}.") from None


def shown(settings: Settings) -> str:
    """The database's address without its password; of SQLite, its file."""
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
}
"""What helps, by what the driver says."""


def _advice(settings: Settings, words: str) -> str:
    found = next((advice for said, advice in ADVICE.items() if said in words), "")
    return found or ("WRIT_DATABASE_URL names it." if settings.database_url else "WRIT_DATA_FOLDER names its folder.")


def check_broker(settings: Settings) -> None:
    """Whether the broker answers. Raises BrokerAway; CannotStart for an address that no broker can have."""
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
        raise BrokerAway(f"The broker {_without_password(settings.broker_url)} can't be used: {words}.") from None


def _without_password(address: str) -> str:
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def check_port(port: int, host: str = "127.0.0.1", setting: str = "WRIT_PORT") -> None:
    """Whether a port can be listened on. Raises CannotStart."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise CannotStart(f"There is no address “{host[:60]}” to listen on.") from None
    with socket.socket(family, kind) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as problem:
            if problem.errno == errno.EADDRINUSE:
                raise CannotStart(f"Port {port} is taken by another program; set {setting} to a free one.") from None
            words = problem.strerror or "it is refused"
            raise CannotStart(f"Port {port} of {host} can't be listened on: {words}. {setting} sets another.") from None
