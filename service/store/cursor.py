"""A cursor of PostgreSQL's driver that describes no columns unasked, and sends a transaction's BEGIN with its first statement.

SQLAlchemy looks after each statement whether there are any, and knows from the first time what they are. To describe all fifty
that a page's statement has, takes a tenth of what the statement does. BEGIN sent by itself wakes this process and the server's
once more in every transaction. Read only where the database is PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self, overload

import psycopg
from psycopg import Column
from psycopg._preparing import Prepare
from psycopg.adapt import Transformer
from psycopg.pq import TransactionStatus

from service.store import pipeline


class Columns(Sequence[Column]):
    """What the columns of a result are, found out when somebody looks."""

    def __init__(self, cursor: psycopg.Cursor[Any], number: int) -> None:
        self._cursor, self._number = cursor, number

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, at: int) -> Column: ...
    @overload
    def __getitem__(self, at: slice) -> list[Column]: ...
    def __getitem__(self, at: int | slice) -> Column | list[Column]:
        return self._all[at]

    @cached_property
    def _all(self) -> list[Column]:
        return [Column(self._cursor, at) for at in range(self._number)]


class Quiet(psycopg.Cursor[Any]):
    """The cursor."""

    @property
    def description(self) -> Any:
        """The columns of the result; None where it has none."""
        number = self.pgresult.nfields if self.pgresult is not None else 0
        return Columns(self, number) if number else None

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """Run a statement, in a transaction that is begun with it where none runs yet.

        One without values may be several, which the server takes by themselves alone.
        """
        driver = self._conn
        idle = driver.pgconn.transaction_status == TransactionStatus.IDLE
        if not idle or not params or options or driver.autocommit or self.closed:
            return super().execute(query, params, **options)
        with driver.lock:
            self._reset()
            self._tx = Transformer(self)
            self._set_results([self._begin_with(query, params)])
            driver.wait(driver._prepared.maintain_gen(driver))
        return self

    def _begin_with(self, query: Any, params: Any) -> Any:
        """What comes of the statement. Raises what psycopg raises when it fails, with the transaction begun and failed."""
        driver, asked = self._conn, self._convert_query(query, params)
        prepared, name = self._get_prepared(asked)
        with pipeline.together(driver.pgconn) as answered:
            driver.pgconn.send_query_params(driver._get_tx_start_command(), None)
            if prepared is Prepare.SHOULD:
                self._send_prepare(name, asked)
            if prepared is Prepare.NO:
                self._execute_send(asked, force_extended=True)
            else:
                self._send_query_prepared(name, asked)
        self._check_results(answered)
        self._query = asked
        known = driver._prepared.maybe_add_to_cache(asked, prepared, name)
        if known is not None:
            driver._prepared.validate(known, prepared, name, answered[-1:])
        return answered[-1]
