"""Bulk statements: values are read back as they were written, and a transaction is written whole or not at all."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError
from sqlmodel import Session, col, select

from service.settings import Settings
from service.store import bulk, queue
from service.store import database as db
from service.store.models import Account, Beat, Letter, new_id

AT = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
BY_HAND = text("INSERT INTO beats (name, at) VALUES (:name, :at)")


def end_connection(settings: Settings, session: Session) -> None:
    """Have the server end the connection of a session."""
    pid = session.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with db.transaction(settings) as other:
        other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})


def postgres(settings: Settings) -> None:
    """Leave it at that where there is no server."""
    if not settings.database_url:
        pytest.skip("SQLite has no server")


def beat(name: str) -> dict[str, Any]:
    return {"name": name, "at": AT}


def beats(settings: Settings) -> set[str]:
    with db.open_session(settings) as session:
        return set(session.exec(select(Beat.name)).all())


def letter(words: str) -> Letter:
    return Letter(
        id=new_id(),
        to_address="a@example.org",
        kind="turn",
        subject="Ünïcode",
        text=words,
        html="",
        message_id=new_id(),
        facts={"said": [words, None, 1.5]} if words else {},
        written_at=AT if words else None,
    )


@pytest.mark.parametrize(
    "several", [("", "short", "it’s %s $1 ::text %(name)s \\ \"'"), tuple(os.urandom(60_000).hex() for _ in "123456")]
)
def test_values_are_read_back_as_they_were_written(settings: Settings, several: tuple[str, ...]) -> None:
    letters = [letter(words) for words in several]
    kept = {one.id: one.model_dump() for one in letters}
    with db.transaction(settings) as session:
        session.add_all(letters)
        bulk.add(session, Letter)
    with db.open_session(settings) as session:
        assert {one.id: one.model_dump() for one in session.exec(select(Letter))} == kept


def test_one_statement_that_fails_leaves_nothing_of_the_others(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with pytest.raises(IntegrityError), db.transaction(settings) as session:  # noqa: PT012  (so does its end)
        queue.after_commit(session, queue.DELIVER)
        session.add(Account(email="a@example.org"))
        bulk.add_values(session, Beat, [beat("one")])
        bulk.add_values(session, Beat, [beat("two"), beat("two")])
    assert beats(settings) == set() and sent == []
    with db.transaction(settings) as session:
        queue.after_commit(session, queue.DELIVER)
        session.add(Account(email="a@example.org"))
        bulk.add_values(session, Beat, [beat("one")])
        assert sent == []
    assert beats(settings) == {"one"} and sent == [(queue.DELIVER,)]


def test_a_row_that_is_there_already_is_not_written_again(settings: Settings) -> None:
    for first in (True, False):
        with db.transaction(settings) as session:
            assert bulk.add_unless_there(session, Beat(name="one", at=AT)) is first
            assert session.get_one(Beat, "one").at == AT


def test_a_few_rows_are_deleted_at_once_and_no_others(settings: Settings) -> None:
    old = [beat(f"old {n}") for n in range(bulk.SOME + 3)]
    with db.transaction(settings) as session:
        bulk.add_values(session, Beat, [*old, beat("new") | {"at": AT + timedelta(days=1)}])
    for left in (4, 1, 1):
        with db.transaction(settings) as session:
            bulk.delete_some(session, Beat, col(Beat.at) <= AT)
        assert len(beats(settings)) == left
    assert beats(settings) == {"new"}


def test_a_session_that_reads_sees_one_moment_and_writes_nothing(settings: Settings) -> None:
    postgres(settings)
    with db.open_session(settings) as session:
        names = {"a": "transaction_isolation", "b": "transaction_read_only"}
        found = session.execute(text("SELECT current_setting(:a) || ' ' || current_setting(:b)"), names).scalar_one()
        assert found == "repeatable read on"
    with pytest.raises(ProgrammingError), db.open_session(settings) as session:
        session.execute(text("SELECT nothing"))
    assert beats(settings) == set()


def test_a_server_that_goes_fails_the_transaction_and_the_next_one_connects_again(settings: Settings) -> None:
    postgres(settings)
    with pytest.raises(OperationalError), db.transaction(settings) as session:  # noqa: PT012  (so does its end)
        bulk.add_values(session, Beat, [beat("one")])
        end_connection(settings, session)
        bulk.add_values(session, Beat, [beat("two")])
    assert beats(settings) == set()
    with db.transaction(settings) as session:
        bulk.add_values(session, Beat, [beat("three")])
    assert beats(settings) == {"three"}


def test_an_interrupt_while_the_server_works_leaves_nothing_half_written(settings: Settings) -> None:
    postgres(settings)

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises((TimeoutError, OperationalError)), db.transaction(settings) as session:  # noqa: PT012  (its end, too)
            bulk.add_values(session, Beat, [beat("one")])
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            session.execute(text("SELECT pg_sleep(:seconds)"), {"seconds": 2})
    finally:
        signal.signal(signal.SIGALRM, before)
    with db.transaction(settings) as session:
        session.execute(BY_HAND, beat("two"))
    assert beats(settings) == {"two"}
