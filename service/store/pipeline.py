"""Statements of which nothing is wanted back, sent to PostgreSQL in one message, with COMMIT behind them.

One answer comes for all. Sent one by one, each wakes this process and the server's, which costs both more than the work
itself. Where one fails, none of those behind it is carried out, COMMIT neither.

Ours, because psycopg's own pipelines hand each statement to the system by itself.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import psycopg
from psycopg import pq
from psycopg._preparing import Prepare
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, Dialect
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError

Values = dict[str, Any]
NUMBERED: Dialect = PGDialect_psycopg(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]  # SQLAlchemy's
"""Writes statements with their parameters as the server numbers them."""
FAILED = (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.PIPELINE_ABORTED)


class Written:
    """A statement as the server takes it, and how its values are made ready."""

    def __init__(self, statement: Any, names: Iterable[str], dialect: Dialect) -> None:
        compiled = statement.compile(dialect=NUMBERED, column_keys=list(names))
        self.text = str(compiled)
        self.sql = self.text.encode()
        self._constant = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}
        self._values: list[tuple[str, Callable[[Any], Any] | None]] = [
            (name, compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect)) for name in compiled.positiontup
        ]
        self.formats = [PyFormat.AUTO] * len(self._values)

    def values(self, row: Values) -> list[Any]:
        """A row's values in the order of the statement's numbers, as they lie in the database."""
        whole = self._constant | row
        return [whole[name] if make is None else make(whole[name]) for name, make in self._values]


class Asked(NamedTuple):
    """What psycopg knows a prepared statement by."""

    query: bytes
    types: tuple[int, ...]


@cache
def _written(statement: Any, names: tuple[str, ...], dialect: Dialect) -> Written:
    """Made once: it takes longer than to send it."""
    return Written(statement, names, dialect)


def send(connection: Connection, kept: Sequence[tuple[Any, list[Values]]], whole: bool) -> int:
    """Send statements, each with its sets of values, then COMMIT if that is the whole of what is written; how many rows it was.

    Raises what SQLAlchemy raises, with nothing written.
    """
    driver: Any = connection.connection.driver_connection
    try:
        begun = driver.info.transaction_status != TransactionStatus.IDLE  # psycopg begins one with the first that it sends
        with together(driver.pgconn) as answered:
            said = [] if begun else _add_word(driver, "BEGIN")
            for statement, rows in kept:
                said += _add(connection, driver, statement, rows)
            if whole:
                said += _add_word(driver, "COMMIT")
        for text, result in zip(said, answered, strict=True):
            if result.status in FAILED:
                raise _as_told(error_from_result(result), text)
        return sum(result.command_tuples or 0 for result in answered)
    except BaseException as problem:
        connection.invalidate()
        if isinstance(problem, psycopg.Error):
            raise _as_told(problem, "") from None
        raise


@contextmanager
def together(pgconn: Any) -> Iterator[list[Any]]:
    """Send all that is sent in this block in one message; what came of each, in order, once it has ended.

    Raises OperationalError where the server has gone.
    """
    answered = list[Any]()
    try:
        pgconn.enter_pipeline_mode()
        yield answered
        pgconn.pipeline_sync()
        answered += _results(pgconn)
        pgconn.exit_pipeline_mode()
    except BaseException:
        pgconn.finish()  # nobody knows what is still on its way on it
        raise


def _as_told(problem: psycopg.Error, text: str) -> Exception:
    """An error of the driver's as SQLAlchemy tells it, without the values."""
    return DBAPIError.instance(text, None, problem, psycopg.Error, hide_parameters=True)


def _add(connection: Connection, driver: Any, statement: Any, rows: list[Values]) -> list[str]:
    """Add a statement for each of its sets of values to what is sent next; what was added."""
    written = _written(statement, tuple(rows[0]), connection.dialect)
    for listener in connection.dispatch.before_cursor_execute:
        listener(connection, None, written.text, rows, None, len(rows) > 1)
    transformer, said = Transformer(driver), list[str]()
    for row in rows:
        values = transformer.dump_sequence(written.values(row), written.formats)
        said += _add_prepared(driver, written, Asked(written.sql, transformer.types or ()), values, transformer.formats)
    return said


def _add_prepared(driver: Any, written: Written, asked: Asked, values: Any, formats: Any) -> list[str]:
    """Add a statement as prepared, and before it, the first time, that it is to be. psycopg keeps account of what is prepared,
    for it takes back all of it, not only its own, at every ROLLBACK, to a savepoint too, and DROP."""
    prepared, name = driver._prepared.get(asked, True)
    if prepared is Prepare.SHOULD:
        driver.pgconn.send_prepare(name, asked.query, asked.types)
        driver._prepared.maybe_add_to_cache(asked, prepared, name)
        driver._prepared._rotate()  # the one that was used longest ago goes, where there are very many
    driver.pgconn.send_query_prepared(name, values, formats)
    return [written.text] * (2 if prepared is Prepare.SHOULD else 1)


def _add_word(driver: Any, word: str) -> list[str]:
    """Add a statement without any values."""
    driver.pgconn.send_query_params(word.encode(), None)
    return [word]


def _results(pgconn: Any) -> list[Any]:
    """What came of all that was sent, once the server has said so of the last. Raises OperationalError where it has gone."""
    wait, found = select.poll(), list[Any]()
    wait.register(pgconn.socket, select.POLLIN | select.POLLOUT)
    while pgconn.flush():
        wait.poll()
        pgconn.consume_input()
    wait.modify(pgconn.socket, select.POLLIN)
    while True:
        while pgconn.is_busy():
            wait.poll()
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            if pgconn.status == pq.ConnStatus.BAD:
                raise psycopg.OperationalError("the connection is lost")
        elif result.status == pq.ExecStatus.PIPELINE_SYNC:
            return found
        else:
            found.append(result)
