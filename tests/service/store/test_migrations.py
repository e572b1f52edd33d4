"""Migrations, up and down, with a played game in the tables."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.script import ScriptDirectory
from sqlmodel import select

from service.clock import calendar
from service.games import journal, lobby
from service.post import ledger
from service.settings import Settings
from service.store import database as db
from service.store.models import Account, LedgerStatus, Letter, LetterStatus, SeatRow
from service.table import talk
from tests.service.conftest import Players, open_table
from workers import delivery


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Settings whose database has no tables yet."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    found = Settings(data_folder=tmp_path / "data", database_url=url, secret_keys=("a-key-for-tests-of-32-letters-and-more",))
    yield found
    db.engine_for(found).dispose()


def go(settings: Settings, to: str, up: bool = False) -> None:
    config = db._migrations()
    with db.engine_for(settings).connect() as connection:
        config.attributes["connection"] = connection
        (command.upgrade if up else command.downgrade)(config, to)
        connection.commit()


def raw(settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, as it lies in the database."""
    engine = db.engine_for(settings)
    with engine.connect() as connection:
        names = [name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"]
        rows = {name: connection.exec_driver_sql(f"SELECT * FROM {name}").mappings().all() for name in sorted(names)}
    return {name: sorted(map(dict, found), key=repr) for name, found in rows.items()}


def shape(settings: Settings) -> dict[str, Any]:
    """Tables, columns and indices, and the triggers that refuse changes."""
    with db.engine_for(settings).connect() as connection:
        seen = sa.inspect(connection)
        found: dict[str, Any] = {}
        for name in sorted(seen.get_table_names()):
            columns = {column["name"]: (str(column["type"]), column["nullable"]) for column in seen.get_columns(name)}
            found[name] = (columns, sorted(str(index["name"]) for index in seen.get_indexes(name)))
        where = "sqlite_master WHERE type = 'trigger'" if "sqlite" in settings.database else "pg_trigger WHERE NOT tgisinternal"
        name = "name" if "sqlite" in settings.database else "tgname"
        found["triggers"] = sorted(connection.exec_driver_sql(f"SELECT {name} FROM {where}").scalars())
    return found


def versions() -> list[str]:
    """All migrations, the newest first."""
    return [script.revision for script in ScriptDirectory.from_config(db._migrations()).walk_revisions()]


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
        journal.let_watch(session, match, True)
        row = session.get(SeatRow, (match.id, "a"))
        assert row is not None
        row.notes, row.orders = "Beware of Bert.", {"SO-01": "on"}
        session.add(row)
        calendar.renew(session, session.exec(select(Account).where(Account.name == "Anna")).one())
    return players


def test_step_by_step_down_to_nothing_and_up_again(settings: Settings, played: Players, rng: random.Random) -> None:
    whole = shape(settings)
    for version in versions()[1:]:
        go(settings, version)
    go(settings, "base")
    assert raw(settings) == {} and shape(settings)["triggers"] == []
    go(settings, "head", up=True)
    assert shape(settings) == whole
    again = open_table(settings)
    again.adjudicate()
    again.finish(rng)


def test_one_step_down_opens_what_is_sealed_and_one_up_seals_it(
    settings: Settings, played: Players, rng: random.Random
) -> None:
    with db.open_session(settings) as session:
        seed, letter = played.match(session).seed, played.letters("started")[0].text
        feed = session.exec(select(Account).where(Account.name == "Anna")).one().calendar_key
    sealed = raw(settings)
    go(settings, "0002")
    opened = raw(settings)
    (match,) = opened["matches"]
    assert bytes(match["seed"]) == seed and "calendar_mark" not in opened["accounts"][0]
    assert letter in {row["text"] for row in opened["letters"]}
    assert {row["notes"] for row in opened["seats"]} == {"", "Beware of Bert."}
    assert feed in {row["calendar_key"] for row in opened["accounts"]}
    go(settings, "head", up=True)
    after = raw(settings)
    kept = {name: len(rows) for name, rows in sealed.items()}
    assert {name: len(rows) for name, rows in after.items()} == kept
    assert after["entries"] == sealed["entries"] and letter not in {row["text"] for row in after["letters"]}
    with db.open_session(settings) as session:
        assert played.match(session).seed == seed
        assert letter in [x.text for x in session.exec(select(Letter)).all()]
        # Addresses that were given away before go on leading where they led.
        assert b"VCALENDAR" in calendar.feed(session, feed)
        assert journal.watched(session, played.match(session).watch_key)[0].id == played.match_id
    played.adjudicate()
    assert played.asked()
    played.finish(rng)


def test_who_has_played_a_game_needs_no_guide_to_it_and_others_do(settings: Settings, played: Players) -> None:
    with db.transaction(settings) as session:
        players = {row.account_id for row in session.exec(select(SeatRow)) if row.account_id}
        anna = session.exec(select(Account).where(Account.name == "Anna")).one()
        session.add(Account(email="dora@example.org", name="Dora"))
        # A table that never began has taught nobody.
        lobby.open_match(session, anna, "Still gathering", "mastery", 3, "open")
    assert players
    go(settings, "0015")
    assert "guides" not in raw(settings)["accounts"][0]
    go(settings, "0016", up=True)
    for row in raw(settings)["accounts"]:
        guides = json.loads(row["guides"]) if isinstance(row["guides"], str) else row["guides"]
        assert guides == ({"ortus": ""} if row["id"] in players else {}), row["name"]


def test_statuses_of_letters_are_renamed_and_back(settings: Settings, played: Players) -> None:
    def statuses() -> tuple[list[str], list[str]]:
        rows = raw(settings)
        letters, lines = (sorted({row["status"] for row in rows[name]}) for name in ("letters", "letter_events"))
        return letters, lines

    with db.open_session(settings) as session:
        first, second, third, *_ = session.exec(select(Letter).order_by(Letter.id)).all()
    before = raw(settings)["letter_events"]
    assert {row["status"] for row in before} == {"sent"}
    with db.transaction(settings) as session:
        for letter, status in ((first, "rejected"), (second, "failed"), (third, "unknown")):
            letter.status = LetterStatus(status)
            session.add(letter)
            ledger.note(session, letter.id, LedgerStatus(status), "554 no")
        ledger.note(session, third.id, LedgerStatus.AUTORESPONDED)
    go(settings, "0018")
    letters, lines = statuses()
    assert {"refused", "given_up"} <= set(letters) and not {"rejected", "failed", "unknown"} & {*letters, *lines}
    assert set(lines) == {"accepted", "refused", "given_up", "deferred"}
    with db.engine_for(settings).begin() as connection:  # as letters had it that went out before
        columns = "letter_id, at, status, words"
        connection.exec_driver_sql(
            f"INSERT INTO letter_events (id, {columns}) SELECT 'x' || substr(id, 2), letter_id, at, 'sent', ''"
            " FROM letter_events WHERE status = 'accepted'"
        )
    go(settings, "head", up=True)
    assert {"rejected", "failed"} <= set(statuses()[0]) and set(statuses()[1]) == {"sent", "rejected", "failed", "deferred"}
    assert [row for row in raw(settings)["letter_events"] if row["status"] == "sent"] == before, "one line for each"
