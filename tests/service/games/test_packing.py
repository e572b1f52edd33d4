"""The log of a finished game in one row: it says what it said before, and the database lets nothing else go."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session, func, select

from engine.play import match as matches
from service.log import names, packing
from service.ops import exports
from service.replay import history, journal, replay_copy
from service.seat import state
from service.settings import Settings
from service.store.database import engine_for, migrate, open_session, transaction
from service.store.models import EntryRow, EventRow, Match, PackedLog, Submission, now
from tests.service.conftest import Players, open_table
from workers import retention


def said(session: Session, match: Match) -> dict[str, object]:
    """All that anybody reads of a log."""
    then = names.then(session, match)
    return {
        "log": list(replay_copy.download(session, match, None)),
        "journal": journal.text(session, match),
        "histories": [history.page(session, match, seat, page) for seat in ("a", "b", None) for page in (1, 2, None)],
        "names": [then(n) for n in range(5)] + [names.borne(session, match)],
    }


def rows(session: Session, match_id: str) -> tuple[int, int]:
    entries = session.exec(select(func.count()).where(EntryRow.match_id == match_id)).one()
    return entries, session.exec(select(func.count()).where(EventRow.match_id == match_id)).one()


def test_a_packed_log_says_what_its_rows_said(over: Players, settings: Settings) -> None:
    with open_session(settings) as session:
        before = said(session, over.match(session))
        assert min(rows(session, over.match_id)) > 20
    with transaction(settings) as session:
        assert packing.pack(session, over.match_id) and not packing.pack(session, over.match_id)
    with open_session(settings) as session:
        assert rows(session, over.match_id) == (0, 0)
        assert session.exec(select(Submission)).first() is None
        assert said(session, over.match(session)) == before
        assert over.match(session).snapshot is None
        position = state.position(session, over.match(session))
        assert position is not None and position.table.outcome is not None
        packed = session.get(PackedLog, over.match_id)
        assert packed is not None
        log = "\n".join(before["log"])  # type: ignore[arg-type]  # a list of lines
        assert len(packed.entries) + len(packed.events) < len(log) / 2
    assert matches.verify(log.splitlines()).holds


def test_logs_are_packed_some_time_after_the_end(over: Players, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def tidy(days: int) -> None:
        monkeypatch.setattr(retention, "now", lambda: now() + timedelta(days=days))
        retention.tidy(settings)

    tidy(settings.pack_days - 1)
    with open_session(settings) as session:
        assert session.get(PackedLog, over.match_id) is None
    tidy(settings.pack_days + 1)
    with open_session(settings) as session:
        assert session.get(PackedLog, over.match_id) is not None and rows(session, over.match_id) == (0, 0)


def test_a_game_that_goes_on_is_not_packed(table: Players, settings: Settings) -> None:
    table.adjudicate()
    with transaction(settings) as session:
        assert not packing.pack(session, table.match_id)
        assert packing.due(session, now() + timedelta(days=400), 10) == []


REFUSED = (
    "DELETE FROM entries",
    "DELETE FROM events",
    "UPDATE entries SET move = 'end'",
    "UPDATE packed_logs SET entries = events",
    "DELETE FROM packed_logs",
    "INSERT OR REPLACE INTO packed_logs SELECT match_id, events, events FROM packed_logs",
)


def run(settings: Settings, statements: str) -> None:
    with engine_for(settings).begin() as connection:
        for statement in statements.split("; "):
            connection.execute(text(statement))


def test_the_database_refuses_all_else(over: Players, settings: Settings, rng: random.Random) -> None:
    """Rows of a game that is not packed stay, although another's may go; what is packed is append-only itself."""
    with transaction(settings) as session:
        packing.pack(session, over.match_id)
    other = open_table(settings)
    other.adjudicate()
    for _ in range(3):
        for seat in other.asked():
            other.submit(seat, rng)
        other.adjudicate()
    with open_session(settings) as session:
        assert min(rows(session, other.match_id)) > 0
    forged = f"INSERT INTO packed_logs SELECT '{other.match_id}', entries, events FROM packed_logs; "
    for statement in (*REFUSED, forged + "DELETE FROM entries"):
        if "OR REPLACE" in statement and "sqlite" not in settings.database:
            continue  # a word of SQLite's
        with pytest.raises(DatabaseError, match="append-only"):
            run(settings, statement)


def test_a_packed_game_moves_to_another_house(over: Players, settings: Settings, tmp_path: Path) -> None:
    with open_session(settings) as session:
        before = said(session, over.match(session))
    with transaction(settings) as session:
        packing.pack(session, over.match_id)
    counts = exports.export(settings, over.match_id, tmp_path / "game.zip")
    assert counts["entries"] == len(before["log"]) - 1 and counts["events"]  # type: ignore[arg-type]  # a list of lines
    elsewhere = settings.model_copy(update={"database_url": f"sqlite:///{tmp_path}/elsewhere.db", "data_folder": tmp_path})
    migrate(elsewhere)
    exports.import_(elsewhere, tmp_path / "game.zip")
    with open_session(elsewhere) as session:
        there = session.get(Match, over.match_id)
        assert there is not None and list(replay_copy.download(session, there, None)) == before["log"]
