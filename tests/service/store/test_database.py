"""What columns hold is read back as it was written."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session

from service.seat import submissions
from service.settings import Settings
from service.store import database
from service.store.database import ROOT, is_gone, newest_migration, open_session, read_json, transaction
from service.store.models import Account, Deck, Tally
from service.web import serve


@pytest.mark.parametrize(
    "kept", [{"said": "half of \ud83d"}, [1, 1.5, 1e300, 10**40, None, True, {"é": ["\0", ""]}], float("inf")]
)
def test_json_is_read_as_the_standard_library_reads_it(kept: object) -> None:
    assert read_json(json.dumps(kept)) == kept
    assert read_json(json.dumps(kept).encode()) == kept


def test_sessions_of_a_kind_share_what_they_are_opened_by(settings: Settings) -> None:
    for writes in (True, False):
        with open_session(settings, writes) as one, open_session(settings, writes) as other:
            assert one.get_bind() is other.get_bind()


def test_a_row_that_refers_to_a_deleted_one_is_told_from_one_that_is_there_twice(settings: Settings) -> None:
    with pytest.raises(IntegrityError) as orphan, transaction(settings) as session:
        session.add(Deck(account_id="nobody", game="ortus", name="x", cards={}))
    with pytest.raises(IntegrityError) as twice, transaction(settings) as session:
        session.add_all([Account(email="anna@example.org"), Account(email="anna@example.org")])
    assert (is_gone(orphan.value), is_gone(twice.value)) == (True, False)


def test_the_newest_migration_is_the_one_that_alembic_would_go_to() -> None:
    scripts = ScriptDirectory(str(ROOT / "migrations"))
    assert newest_migration() == scripts.get_current_head()


@pytest.mark.parametrize(("pinged_after", "replaced"), [(60, False), (0, True)])
def test_a_pooled_connection_is_pinged_after_it_was_idle(
    migrated_postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pinged_after: int, replaced: bool
) -> None:
    monkeypatch.setattr(database, "IDLE_SECONDS", pinged_after)
    key = "a-key-for-tests-of-32-letters-and-more"
    engine = database.engine_for(Settings(data_folder=tmp_path, database_url=migrated_postgres_url, secret_keys=(key,)))
    try:
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
        driver.close()  # as after a restart of the server
        if not replaced:
            with pytest.raises(OperationalError) as lost, engine.connect() as connection:
                database.answers(Session(connection))
            assert database.is_away(lost.value), "the page asks to be tried again"
        with engine.connect() as connection:
            database.answers(Session(connection))
            assert connection.connection.driver_connection is not driver
    finally:
        engine.dispose()


def test_statements_stay_prepared_from_one_reading_session_to_the_next(migrated_postgres_url: str, tmp_path: Path) -> None:
    key = "a-key-for-tests-of-32-letters-and-more"
    settings = Settings(data_folder=tmp_path, database_url=migrated_postgres_url, secret_keys=(key,))
    try:
        for _ in range(8):
            with open_session(settings) as session:
                database.answers(session)
                session.rollback()
                database.answers(session)
        with open_session(settings) as session:
            assert session.execute(text("SELECT count(*) FROM pg_prepared_statements")).scalar_one() > 0
    finally:
        database.engine_for(settings).dispose()


def test_a_thread_that_holds_two_connections_always_gets_the_second_one() -> None:
    assert database.POOL + database.RUSH > serve.THREADS >= 2 * submissions.MOST_WAIT


def test_a_reading_session_ends_without_writing(settings: Settings) -> None:
    with open_session(settings) as session:
        session.add(Tally(name="read", n=1))
    with open_session(settings) as session:
        session.add(Tally(name="read", n=1))
        session.rollback()
        assert session.get(Tally, "read") is None


def test_actions_run_after_the_commit_and_once_for_a_key(settings: Settings) -> None:
    done: list[str] = []

    def take(session: Session, *names: str) -> None:
        for name in names:
            database.after_commit(session, partial(done.append, name), key=name)
            database.after_commit(session, partial(done.append, "every time"))

    with pytest.raises(ZeroDivisionError), database.transaction(settings) as session:  # noqa: PT012  (the rollback belongs to the block)
        take(session, "lost")
        raise ZeroDivisionError
    with open_session(settings, writes=True) as session:
        with session.begin_nested():
            take(session, "one", "one")
        with pytest.raises(ZeroDivisionError), session.begin_nested():
            raise ZeroDivisionError
        assert done == []
        session.commit()
        assert sorted(done) == ["every time", "every time", "one"]
        session.add(Tally(name="nothing to do", n=0))
        session.commit()
        assert len(done) == 3
