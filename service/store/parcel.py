"""Statements of which nothing is wanted back, sent as one: those that write a move, with the end of its transaction.

On PostgreSQL they travel together, see `pipeline`; on SQLite, which is no other process, they are run one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection
from sqlmodel import Session

Values = dict[str, Any]
Kept = list[tuple[Any, list[Values]]]
"""Statements, each with its sets of values."""
BEGUN = "parcel"


def begin(session: Session) -> None:
    """From now on `run` keeps what it is given, until `send`."""
    session.info[BEGUN] = []


def run(session: Session, statement: Any, rows: Sequence[Values]) -> None:
    """Run a statement for each of so many sets of values; for none, not at all. Nothing is told of what came of it.

    It has to be one that is made once; its values are those of this moment.
    """
    if not rows:
        return
    kept: Kept | None = session.info.get(BEGUN)
    if kept is not None:
        kept.append((statement, list(rows)))
    else:
        _run(session.connection(), statement, rows)


def send(session: Session) -> None:
    """Send what was kept. The transaction is ended with it where nothing else is to be written, so nothing may come after.

    Raises what SQLAlchemy raises, with nothing written.
    """
    kept: Kept = session.info.pop(BEGUN)
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        from service.store import pipeline  # not read where the database is SQLite, which needs no driver of another's

        pipeline.send(connection, kept, whole=not (session.new or session.dirty or session.deleted))
        return
    for statement, rows in kept:
        _run(connection, statement, rows)


def _run(connection: Connection, statement: Any, rows: Sequence[Values]) -> None:
    connection.execute(statement, rows[0] if len(rows) == 1 else list(rows))
