"""What is written as one is written whole or not at all, and reads as if each statement had been sent by itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg import Connection
from psycopg.pq import TransactionStatus
from sqlalchemy import bindparam, text, update
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError
from sqlmodel import Session, col, select

from service.settings import Settings
from service.store import database as db
from service.store import parcel, queue, together
from service.store.models import Account, Beat, Letter, new_id

AT = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
LATER = update(Beat).where(col(Beat.name) == bindparam("named")).values(at=bindparam("then"))


def driver_of(session: Session) -> Any:
    """The connection of a session, as psycopg has it."""
    return session.connection().connection.driver_connection


def postgres(settings: Settings) -> None:
    """Leave it at that where there is no server."""
    if not settings.database_url:
        pytest.skip("SQLite is no other process")


def beat(name: str) -> dict[str, Any]:
    return {"name": name, "at": AT}


def beats(settings: Settings) -> set[str]:
    with db.open_session(settings) as session:
        return set(session.exec(select(Beat.name)).all())


@contextmanager
def packing(settings: Settings) -> Iterator[Session]:
    """A transaction in which what is run is kept until it is sent."""
    with db.transaction(settings) as session:
        parcel.begin(session)
        yield session


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


def test_nothing_is_written_before_it_is_sent(settings: Settings) -> None:
    with packing(settings) as session:
        together.add_values(session, Beat, [beat("one"), beat("two")])
        assert session.exec(select(Beat)).all() == []
        parcel.send(session)
    assert beats(settings) == {"one", "two"}


def test_values_are_read_back_as_they_were_written(settings: Settings) -> None:
    several = [letter(words) for words in ("", "short", "long " * 1000, "it’s %s $1 ::text %(name)s \\ \"'")]
    kept = {one.id: one.model_dump() for one in several}
    with packing(settings) as session:
        session.add_all(several)
        together.add(session, Letter)
        parcel.send(session)
    with db.open_session(settings) as session:
        assert {one.id: one.model_dump() for one in session.exec(select(Letter))} == kept


def test_more_is_sent_than_lies_on_the_way_at_once(settings: Settings) -> None:
    several = [letter(os.urandom(100_000).hex()) for _ in range(60)]
    kept = {one.id: one.text for one in several}
    with packing(settings) as session:
        session.add_all(several)
        together.add(session, Letter)
        parcel.send(session)
    with db.open_session(settings) as session:
        assert {one.id: one.text for one in session.exec(select(Letter))} == kept


def test_statements_are_sent_again_with_other_values(settings: Settings) -> None:
    for i in range(4):
        with packing(settings) as session:
            together.add_values(session, Beat, [beat(f"{i}a"), beat(f"{i}b")])
            parcel.run(session, LATER, [{"named": f"{i}a", "then": AT + timedelta(hours=i)}])
            parcel.send(session)
    assert len(beats(settings)) == 8
    with db.open_session(settings) as session:
        assert {b.at for b in session.exec(select(Beat)) if b.name.endswith("a")} == {AT + timedelta(hours=i) for i in range(4)}


def test_one_statement_that_fails_leaves_nothing_of_the_others(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with pytest.raises(IntegrityError), packing(settings) as session:  # noqa: PT012  (so does its end)
        queue.after_commit(session, queue.DELIVER)
        together.add_values(session, Beat, [beat("one")])
        together.add_values(session, Beat, [beat("two"), beat("two")])
        together.add_values(session, Beat, [beat("three")])
        parcel.send(session)
    assert beats(settings) == set() and sent == []
    with packing(settings) as session:
        together.add_values(session, Beat, [beat("four")])
        parcel.send(session)
    assert beats(settings) == {"four"}


def test_what_else_the_session_writes_is_whole_with_it(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with pytest.raises(ZeroDivisionError), packing(settings) as session:  # noqa: PT012  (so does its end)
        session.add(Account(email="a@example.org"))
        together.add_values(session, Beat, [beat("one")])
        parcel.send(session)
        session.flush()
        raise ZeroDivisionError
    assert beats(settings) == set()
    with packing(settings) as session:
        queue.after_commit(session, queue.DELIVER)
        session.add(Account(email="a@example.org"))
        together.add_values(session, Beat, [beat("one")])
        parcel.send(session)
        assert sent == []
    assert beats(settings) == {"one"} and sent == [(queue.DELIVER,)]
    with db.open_session(settings) as session:
        assert session.exec(select(Account)).one().email == "a@example.org"


def test_a_parcel_and_its_end_are_one_message(settings: Settings) -> None:
    postgres(settings)
    with packing(settings) as session:
        together.add_values(session, Beat, [beat("one"), beat("two")])
        parcel.send(session)
        assert driver_of(session).info.transaction_status == TransactionStatus.IDLE
        assert beats(settings) == {"one", "two"}


def test_who_is_interrupted_while_the_server_works_has_written_all_or_nothing(settings: Settings) -> None:
    postgres(settings)
    with packing(settings) as session:
        together.add_values(session, Beat, [beat("held")])
        parcel.send(session)

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        with db.transaction(settings) as holder:
            holder.execute(text("UPDATE beats SET at = at WHERE name = 'held'"))
            with pytest.raises(TimeoutError), packing(settings) as session:  # noqa: PT012  (so does its end)
                together.add_values(session, Beat, [beat("one")])
                parcel.run(session, LATER, [{"named": "held", "then": AT}])
                together.add_values(session, Beat, [beat("two")])
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                parcel.send(session)
    finally:
        signal.signal(signal.SIGALRM, before)
    # As with COMMIT alone: the server may carry out what it was sent, or see first that nobody listens.
    assert beats(settings) in ({"held"}, {"held", "one", "two"})
    with packing(settings) as session:
        together.add_values(session, Beat, [beat("three")])
        parcel.send(session)
    assert "three" in beats(settings)


def test_a_server_that_goes_is_told_of_as_such(settings: Settings) -> None:
    postgres(settings)
    with pytest.raises(OperationalError), packing(settings) as session:  # noqa: PT012  (so does its end)
        together.add_values(session, Beat, [beat("one")])
        with db.transaction(settings) as other:
            pid = driver_of(session).info.backend_pid
            other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        parcel.send(session)
    assert beats(settings) == set()


# --- prepared statements ----------------------------------------------------------------------------------------------

PREPARED = text("SELECT count(*) FROM pg_prepared_statements")


def test_those_who_only_read_keep_what_is_prepared(settings: Settings) -> None:
    postgres(settings)
    for _ in range(8):
        assert beats(settings) == set()
    with db.open_session(settings) as session:
        assert session.execute(PREPARED).scalar_one() >= 1


def test_a_reading_that_fails_leaves_a_connection_that_is_good(settings: Settings) -> None:
    postgres(settings)
    with pytest.raises(ProgrammingError), db.open_session(settings) as session:
        session.execute(text("SELECT nothing"))
    assert beats(settings) == set()


def test_what_is_prepared_may_be_taken_back_between_parcels(settings: Settings) -> None:
    for i in range(4):
        with packing(settings) as session:
            for _ in range(8):  # enough for psycopg to prepare a statement, which it takes back with all that is prepared
                session.exec(select(Beat.name)).all()
            with pytest.raises(ZeroDivisionError), session.begin_nested():
                raise ZeroDivisionError
            together.add_values(session, Beat, [beat(f"{i}")])
            parcel.send(session)
        with pytest.raises(ZeroDivisionError), db.transaction(settings) as session:  # noqa: PT012  (so does its end)
            session.execute(text("UPDATE beats SET at = at"))
            raise ZeroDivisionError
    assert len(beats(settings)) == 4


def test_what_a_parcel_says_is_prepared_once(settings: Settings) -> None:
    postgres(settings)
    for i in range(6):
        with packing(settings) as session:
            together.add_values(session, Beat, [beat(f"{i}a"), beat(f"{i}b")])
            parcel.send(session)
    with db.open_session(settings) as session:
        said = session.execute(text("SELECT statement FROM pg_prepared_statements")).scalars()
        assert len([one for one in said if one.startswith("INSERT INTO beats")]) == 1


# --- a transaction's first statement ----------------------------------------------------------------------------------

NAMED = select(Beat).where(col(Beat.name) == bindparam("named"))
BY_HAND = text("INSERT INTO beats (name, at) VALUES (:name, :at)")


def test_begin_travels_with_the_first_statement(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    postgres(settings)
    alone: list[bytes] = []
    real = Connection._exec_command

    def noted(self: Any, command: bytes, *more: Any) -> Any:
        alone.append(command)
        return real(self, command, *more)

    monkeypatch.setattr(Connection, "_exec_command", noted)
    for i in range(8):  # prepared by psycopg, some time
        with db.transaction(settings) as session:
            session.execute(BY_HAND, beat(f"{i}"))
            assert driver_of(session).info.transaction_status == TransactionStatus.INTRANS
        with db.open_session(settings) as session:
            assert session.execute(NAMED, {"named": f"{i}"}).scalar_one().at == AT
            settings_of_it = "SELECT current_setting(:a) || ' ' || current_setting(:b)"
            names = {"a": "transaction_isolation", "b": "transaction_read_only"}
            assert session.execute(text(settings_of_it), names).scalar_one() == "repeatable read on"
    assert set(alone) == {b"COMMIT"}


def test_a_first_statement_that_fails_fails_as_any_other(settings: Settings) -> None:
    with db.transaction(settings) as session:
        session.execute(BY_HAND, beat("one"))
    for _ in range(7):
        with pytest.raises(IntegrityError), db.transaction(settings) as session:
            session.execute(BY_HAND, beat("one"))
        with pytest.raises((OperationalError, ProgrammingError)), db.transaction(settings) as session:
            session.execute(text("SELECT nothing WHERE :a = 1"), {"a": 1})
        with pytest.raises(ZeroDivisionError), db.transaction(settings) as session:  # noqa: PT012  (so does its end)
            session.execute(BY_HAND, beat("two"))
            raise ZeroDivisionError
    assert beats(settings) == {"one"}


def test_a_server_that_has_gone_before_the_first_statement_is_told_of_as_such(settings: Settings) -> None:
    postgres(settings)
    with pytest.raises(OperationalError), db.transaction(settings) as session:  # noqa: PT012  (so does its end)
        pid = driver_of(session).info.backend_pid
        with db.transaction(settings) as other:
            other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        session.execute(BY_HAND, beat("one"))
    assert beats(settings) == set()


def test_who_is_interrupted_at_the_first_statement_leaves_nothing_on_its_way(settings: Settings) -> None:
    postgres(settings)

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises((TimeoutError, OperationalError)), db.transaction(settings) as session:  # noqa: PT012  (its end, too)
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            session.execute(text("SELECT pg_sleep(:seconds)"), {"seconds": 2})
    finally:
        signal.signal(signal.SIGALRM, before)
    with db.transaction(settings) as session:
        session.execute(BY_HAND, beat("one"))
    assert beats(settings) == {"one"}


def test_a_row_that_is_all_of_a_transaction_is_written_with_its_end(settings: Settings) -> None:
    for number in range(8):  # from the sixth on, psycopg would have prepared it
        with db.transaction(settings) as session:
            assert together.add_unless_there(session, Beat(name=f"{number}", at=AT), whole=True)
            if settings.database_url:
                assert driver_of(session).info.transaction_status == TransactionStatus.IDLE
                assert f"{number}" in beats(settings)
        with db.transaction(settings) as session:
            assert not together.add_unless_there(session, Beat(name=f"{number}", at=AT), whole=True)
            # Who was there first is looked for in the same session then.
            assert session.get_one(Beat, f"{number}").at == AT
    assert beats(settings) == {f"{number}" for number in range(8)}
