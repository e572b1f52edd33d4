"""Migrations: the schema that they make, up and down with a played game in the tables, and upgrades of stored databases."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlmodel import Session, SQLModel, col, select

from service.clock import calendar
from service.log import sharing
from service.ops import backup
from service.settings import Settings
from service.store import database as db
from service.store.models import Account, AskRow, LeftSeat, Letter, Match, SeatRow
from service.table import talk
from tests import kept
from tests.conftest import START
from tests.service.conftest import Players, open_table
from tests.service.store import upgrades
from tests.service.store.schema import schema
from workers.letters import delivery

HERE = Path(__file__).parent


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Settings whose database has no tables yet."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    found = Settings(data_folder=tmp_path / "data", database_url=url, secret_keys=(upgrades.KEY,))
    yield found
    db.engine_for(found).dispose()


def shape(settings: Settings) -> str:
    with db.engine_for(settings).connect() as connection:
        return schema(connection)


def raw(settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, as it is stored in the database."""
    with db.engine_for(settings).connect() as connection:
        names = [name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"]
        rows = {name: connection.exec_driver_sql(f"SELECT * FROM {name}").mappings().all() for name in sorted(names)}
    return {name: sorted(map(dict, found), key=repr) for name, found in rows.items()}


def versions() -> list[str]:
    """All migrations, the newest first."""
    return [script.revision for script in ScriptDirectory.from_config(db.migrations()).walk_revisions()]


def test_the_baseline_makes_the_schema_that_the_migrations_before_it_had_made(settings: Settings) -> None:
    """The files were written from a database that all migrations up to commit aaf2244a had made, one after the other."""
    upgrades.migrate_to(settings, db.oldest_migration())
    kind = "sqlite" if "sqlite" in settings.database else "postgres"
    assert shape(settings) == (HERE / f"schema-{kind}.txt").read_text("utf-8")


def test_the_newest_schema_is_that_of_the_models(settings: Settings) -> None:
    db.migrate(settings)
    with db.engine_for(settings).connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": "sqlite" not in settings.database})
        assert compare_metadata(context, SQLModel.metadata) == []


def test_a_schema_that_differs_from_the_models_is_found(settings: Settings) -> None:
    db.migrate(settings)
    with db.engine_for(settings).connect() as connection, connection.begin():
        connection.exec_driver_sql("DROP INDEX ix_seats_account_id")
        connection.exec_driver_sql("ALTER TABLE accounts ADD COLUMN lost VARCHAR(3)")
        found = compare_metadata(MigrationContext.configure(connection), SQLModel.metadata)
        assert {change[0] for change in found} == {"add_index", "remove_column"}


@pytest.fixture
def played(settings: Settings, sent: list[tuple[str, ...]], rng: random.Random) -> Players:
    """A game with something in every table that migrations touch."""
    db.migrate(settings)
    players = open_table(settings)
    players.adjudicate()
    for _ in range(4):
        for seat in players.asked():
            players.submit(seat, rng)
        players.adjudicate()
    delivery.deliver(settings)
    with db.transaction(settings) as session:
        match = players.match(session)
        talk.say(session, match, "a", "b", "Ünder us.", "key-of-anna")
        sharing.let_watch(session, match, True)
        row = session.get_one(SeatRow, (match.id, "a"))
        row.notes, row.orders = "Beware of Bert.", {"SO-01": "on"}
        session.add(row)
        calendar.renew(session, session.exec(select(Account).where(Account.name == "Anna")).one())
    return players


def test_step_by_step_down_to_nothing_and_up_again(settings: Settings, played: Players, rng: random.Random) -> None:
    whole = shape(settings)
    for version in versions()[1:]:
        upgrades.migrate_to(settings, version, up=False)
    assert {name: len(rows) for name, rows in raw(settings).items() if rows}["entries"] >= 4
    upgrades.migrate_to(settings, "base", up=False)
    assert raw(settings) == {} and shape(settings) == ""
    upgrades.migrate_to(settings, "head")
    assert shape(settings) == whole
    again = open_table(settings)
    again.adjudicate()
    again.finish(rng)


def test_who_left_a_running_game_is_found_by_the_letters_about_it(settings: Settings, played: Players) -> None:
    """Not who missed the muster: such letters are older than the start."""
    upgrades.migrate_to(settings, "0040", up=False)
    with db.transaction(settings) as session:
        match, bert = played.match(session), session.exec(select(Account).where(Account.name == "Bert")).one()
        assert match.started_at is not None
        for n, (seat, days) in enumerate((("b", 1), ("b", 2), ("c", 3), ("d", -1))):
            letter = Letter(kind="replaced", match_id=match.id, seat=seat, account_id=bert.id, to_address="")
            letter.message_id, letter.created_at = str(n), match.started_at + timedelta(days=days)
            session.add(letter)
        letter = Letter(kind="replaced", match_id=match.id, seat="e", to_address="", message_id="of an erased person")
        session.add(letter)
    upgrades.migrate_to(settings, "head")
    with db.open_session(settings) as session:
        found = session.exec(select(LeftSeat).order_by(col(LeftSeat.seat))).all()
        assert [(row.match_id, row.seat, row.account_id, row.mark) for row in found] == [
            (played.match_id, seat, bert.id, "") for seat in "bc"
        ]


BACKUPS = sorted(upgrades.DUMPS.glob("*.zip"))


@pytest.mark.parametrize("file", BACKUPS, ids=lambda file: file.stem)
def test_a_backup_of_a_released_version_is_restored_and_its_games_go_on(
    file: Path, settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    with time_machine.travel(START + timedelta(minutes=5), tick=False):
        stored = backup.restore(settings, file)
        # Tables that came later are empty.
        assert {name: len(rows) for name, rows in raw(settings).items() if rows or name in stored} == stored
        go_on(settings, rng)


@pytest.fixture(scope="session")
def of_then(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """of_then(version) -> the backup that the program of a migration would have written, made once for all processes."""
    own = tmp_path_factory.mktemp("then")
    folder = kept.SHARED[0] if kept.SHARED else own

    def found(version: str) -> Path:
        file = folder / f"then-{version}.zip"
        if not file.exists():
            then = Settings(data_folder=own / version, secret_keys=(upgrades.KEY,))
            backup.restore(then, BACKUPS[0])
            upgrades.migrate_to(then, version, up=False)
            upgrades.back_up_at(then, own / file.name)
            db.engine_for(then).dispose()
            (own / file.name).replace(file)
        return file

    return found


@pytest.mark.parametrize(
    ("version", "migrated"),
    [
        # Those between are reached on the way: the oldest backup goes through every migration up, and step by step down.
        *(pytest.param(version, False, id=f"{version}-bare") for version in (versions()[0], versions()[-1])),
        *(pytest.param(version, False, id=f"{version}-bare", marks=pytest.mark.soak) for version in versions()[1:-1]),
        # What is there before a restore is emptied: it depends on no backup's age.
        *(pytest.param(version, True, id=f"{version}-migrated") for version in versions()[-1:]),
        *(pytest.param(version, True, id=f"{version}-migrated", marks=pytest.mark.soak) for version in versions()[:-1]),
    ],
)
def test_a_backup_of_each_migration_is_restored_and_its_games_go_on(
    version: str,
    migrated: bool,
    settings: Settings,
    sent: list[tuple[str, ...]],
    rng: random.Random,
    of_then: Callable[[str], Path],
) -> None:
    """Into a database without tables, and into an empty one of the newest migration."""
    with time_machine.travel(START + timedelta(minutes=5), tick=False):
        then = of_then(version)
        if migrated:
            db.migrate(settings)
        backup.restore(settings, then)
        with db.engine_for(settings).connect() as connection:
            assert db.version(connection) == db.newest_migration()
        go_on(settings, rng)


def go_on(settings: Settings, rng: random.Random) -> None:
    """In each of the running games an answer is accepted, and what was encrypted can be read."""
    games = upgrades.running(settings)
    assert set(games) == set(upgrades.TABLES)
    for game, players in games.items():
        with db.open_session(settings) as session:
            before = players.match(session).head
            assert open_texts(session, players.match(session)) == {"Beware of Bert.", f"Well met at {game}."}
        seat = players.asked()[0]
        key = players.submit(seat, rng)
        players.adjudicate()
        assert players.status(key) == "accepted"
        with db.open_session(settings) as session:
            match = players.match(session)
            assert match.halted_at is None and (match.head != before or sealed(session, match, seat))


def open_texts(session: Session, match: Match) -> set[str]:
    """Notes and talk, decrypted; letters and seeds are, too, or this raises."""
    assert match.seed and all(letter.text or letter.written_at is None for letter in session.exec(select(Letter)))
    notes = {row.notes for row in session.exec(select(SeatRow).where(SeatRow.match_id == match.id)) if row.notes}
    return notes | {message.text for message in talk.messages(session, talk.thread_of(session, match, ""), "a")[0]}


def sealed(session: Session, match: Match, seat: str) -> bool:
    """Whether the seat's answer is hidden until all have answered."""
    rows = select(AskRow).where(AskRow.match_id == match.id, AskRow.seat == seat, col(AskRow.serial) == match.serial)
    return any(row.answered_at for row in session.exec(rows))
