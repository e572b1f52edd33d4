"""Databases of released versions, to be upgraded: a backup with a running game of each kind, made once and stored in `dumps/`.

`python -m tests.service.store.upgrades NAME` makes one of the tables as they are now; do that at a release, and change none.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import time_machine
from alembic import command
from sqlalchemy import MetaData, Table
from sqlalchemy import select as sa_select
from sqlmodel import select

from engine.games import game_called
from engine.play.orders import preset
from service.ops import backup
from service.settings import Settings
from service.store import database as db
from service.store.models import Match, MatchStatus, SeatRow
from service.table import talk
from tests.conftest import START
from tests.service.conftest import Players, open_table
from workers.letters import delivery

DUMPS = Path(__file__).parent / "dumps"
KEY = "a-key-for-tests-of-32-letters-and-more"
TABLES = {"ortus": 3, "mastery": 3, "fief": 3}
"""Game -> people at its table."""
ROUNDS = 25


def play(settings: Settings, rng: random.Random) -> None:
    """Play the first part of a game of each kind, with talk, notes, standing orders and letters."""
    for game, people in TABLES.items():
        players = open_table(settings, people, 0, game)
        players.adjudicate()
        for _ in range(ROUNDS):
            for seat in players.asked():
                players.submit(seat, rng)
            players.adjudicate()
        with db.transaction(settings) as session:
            match = players.match(session)
            assert match.status == MatchStatus.RUNNING
            talk.say(session, match, "a", "", f"Well met at {game}.", f"key-of-anna-{game}")
            row = session.get_one(SeatRow, (match.id, "a"))
            row.notes, row.orders = "Beware of Bert.", preset(game_called(game))
            session.add(row)
        delivery.deliver(settings)


def back_up_at(settings: Settings, file: Path) -> None:
    """Write the backup that the program of the database's migration would have written: with the tables of then."""
    with backup.one_moment(settings) as connection:
        then = MetaData()
        then.reflect(connection)

        def lines(table: Table) -> Iterator[str]:
            for row in connection.execute(sa_select(table)).mappings():
                yield backup.out(table, {name: in_utc(value) for name, value in row.items()})

        parts = ((table.name, lines(table)) for table in then.sorted_tables if table.name != "alembic_version")
        backup.write(settings, connection, file, backup.EVERYTHING, parts)


def in_utc(value: object) -> object:
    """SQLite's own times have no zone."""
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def migrate_to(settings: Settings, revision: str, up: bool = True) -> None:
    """Bring a database to one revision, up or down."""
    config = db.migrations()
    with db.engine_for(settings).connect() as connection:
        config.attributes["connection"] = connection
        (command.upgrade if up else command.downgrade)(config, revision)
        connection.commit()


def running(settings: Settings) -> dict[str, Players]:
    """The running games by their kind."""
    with db.open_session(settings) as session:
        found = session.exec(select(Match).where(Match.status == MatchStatus.RUNNING)).all()
        return {match.game: Players(settings, match.id) for match in found}


def main(name: str) -> None:
    """Make a dump of a fresh SQLite database."""
    with tempfile.TemporaryDirectory() as folder, time_machine.travel(START, tick=False):
        settings = Settings(data_folder=Path(folder), secret_keys=(KEY,), base_url="http://writ.test", broker_url="memory://")
        db.migrate(settings)
        play(settings, random.Random(7))
        print(backup.back_up(settings, DUMPS / f"{name}.zip"))


if __name__ == "__main__":
    main(sys.argv[1])
