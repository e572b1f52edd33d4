"""A cursor of PostgreSQL's driver that describes no columns unasked.

SQLAlchemy looks after each statement whether there are any, and knows from the first time what they are. To describe all fifty
that a page's statement has, takes a tenth of what the statement does. Read only where the database is PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

import psycopg
from psycopg import Column


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
