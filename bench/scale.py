"""Benchmark: cost of periodic queries by the number of finished games, and of the sweep by the number of running ones.

    python bench/scale.py [--finished 100000] [--running 10000] [--rounds 5] [--times 5] [--postgres]

Databases are filled with copies of one game: seats, questions, letters, packed logs; five running and twenty finished games per
person. First, 100 running games against 10,000, deadlines far away: the sweep that only reads what is due, and the one that
also scans for stranded games. Then 1,000 running games with 1,000 finished ones against 100,000: sweep, Prometheus metrics, *my
games*, own letters. Each work alternates between two databases. Milliseconds of CPU; of wall time with PostgreSQL. 0 skips a
part.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

from sqlalchemy import Connection, text, update
from sqlmodel import SQLModel, col, delete, select

from bench.figures import figure, machine
from bench.pages import FIRST, set_up, settings_in, statements
from service.games import listings
from service.ops import metrics
from service.post import ledger
from service.settings import Settings
from service.store.database import engine_for, open_session, transaction
from service.store.models import Account, AskRow, Beat, Match, now
from workers import retention, sweep

RUNNING = 1000
FEW = 1000
FEW_RUNNING = 100
FAR = timedelta(days=30)
EACH_RUNNING, EACH_FINISHED = 5, 20
"""Per person."""
LETTERS, ASKS = 12, 12
"""Rows of each finished game."""
ME = "p0a"
Works = Callable[[Settings], dict[str, Callable[[], object]]]


def series(n: int, first: int = 0) -> str:
    """SQL: a table `s` of `n` numbers from `first`, on both databases."""
    numbers = f"SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n + 1 < {first + n}"
    return f"(WITH RECURSIVE s(n) AS ({numbers}) SELECT n FROM s) s"


def copied(connection: Connection, table: str, where: str, source: str, **other: str) -> None:
    """Copy a table's rows for every row of `source`, some columns by expressions."""
    columns = [c.name for c in SQLModel.metadata.tables[table].columns]
    values = ", ".join(other.get(name, f"t.{name}") for name in columns)
    connection.execute(
        text(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table} t, {source} WHERE {where}")
    )


def fill(settings: Settings, finished: int, running: int = RUNNING) -> None:
    """Copy one game: running and finished. No deadline is near."""
    id = set_up(settings, FIRST)
    with open_session(settings) as session:
        someone = session.exec(select(Account.id).limit(1)).one()
    with transaction(settings) as session:
        match = session.get(Match, id)
        assert match is not None
        match.host_id = someone
        session.exec(update(AskRow).values(due_at=now() + FAR, falls_at=now() + FAR, remind_at=now() + FAR))
    groups = max(running // EACH_RUNNING, finished // EACH_FINISHED)
    seats = f"(SELECT DISTINCT seat FROM seats WHERE match_id = '{id}') x"
    with engine_for(settings).execution_options(writ_writes=True).begin() as connection:
        own = {"id": "'p' || s.n || x.seat", "email": "'p' || s.n || x.seat || '@bench.example'"}
        copied(connection, "accounts", f"t.id = '{someone}'", f"{series(groups)}, {seats}", **own)
        for mark, games, each in (("r", running, EACH_RUNNING), ("f", finished, EACH_FINISHED)):
            if not games:
                continue
            game, group, numbers = f"'{mark}' || s.n", f"'p' || (s.n / {each})", series(games)
            over = {} if mark == "r" else {"status": "'finished'", "finished_at": "t.created_at", "snapshot": "NULL"}
            copied(connection, "matches", f"t.id = '{id}'", numbers, id=game, host_id=f"{group} || 'a'", **over)
            copied(connection, "seats", f"t.match_id = '{id}'", numbers, match_id=game, account_id=f"{group} || t.seat")
            _follow(connection, id, numbers, game, group, mark)
    with transaction(settings) as session:
        retention.tidy(settings)


def _follow(connection: Connection, id: str, numbers: str, game: str, group: str, mark: str) -> None:
    """Questions and letters; answered and sent in finished games."""
    one = f"t.match_id = '{id}' AND t.answered_at IS NULL"
    if mark == "r":
        copied(connection, "asks", one, numbers, match_id=game)
        return
    many = f"{numbers}, (SELECT n AS k FROM {series(ASKS, 1)}) k"
    done = {"answered_at": "t.opened_at", "serial": "1000 + k.k"}
    copied(connection, "asks", one, many, match_id=game, **done)
    letter = f"t.id = (SELECT min(id) FROM letters WHERE match_id = '{id}')"
    ids = {"id": f"{game} || '-' || k.k", "message_id": f"{game} || '-' || k.k || '@bench'", "account_id": f"{group} || t.seat"}
    copied(connection, "letters", letter, many, match_id=game, status="'sent'", html="''", text="''", **ids)


def sweeps(settings: Settings) -> dict[str, Callable[[], object]]:
    """The sweep without and with its scan for stranded games."""

    def scan() -> None:
        with transaction(settings) as session:
            session.exec(delete(Beat).where(col(Beat.name) == sweep.BEAT))
        sweep.sweep(settings)

    return {"sweep": lambda: sweep.sweep(settings), "sweep_and_scan": scan}


def works(settings: Settings) -> dict[str, Callable[[], object]]:
    """Periodic work, and two pages of a player."""

    def my_games() -> object:
        with open_session(settings) as session:
            account = session.get(Account, ME)
            assert account is not None
            return listings.games_of(session, account)

    def my_letters() -> object:
        with open_session(settings) as session:
            account = session.get(Account, ME)
            assert account is not None
            return ledger.of_account(session, account)

    def figures() -> object:
        with open_session(settings) as session:
            return metrics.figures(session)

    return {"sweep": lambda: sweep.sweep(settings), "metrics": figures, "my_games": my_games, "my_letters": my_letters}


@contextlib.contextmanager
def databases(postgres: bool) -> Iterator[list[Settings]]:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="writ-bench-")))
        found = [settings_in(folder / name) for name in ("few", "many")]
        if postgres:
            from bench.pipeline import database

            found = [s.model_copy(update={"database_url": stack.enter_context(database())}) for s in found]
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--finished", type=int, default=100_000)
    parser.add_argument("--running", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    machine()
    if given.running:
        with databases(given.postgres) as (few, many):
            fill(few, 0, FEW_RUNNING)
            fill(many, 0, given.running)
            compare(sweeps, {FEW_RUNNING: few, given.running: many}, "running", given)
    if given.finished:
        with databases(given.postgres) as (few, many):
            fill(few, FEW)
            fill(many, given.finished)
            compare(works, {FEW: few, given.finished: many}, "finished", given)


def compare(works: Works, by_games: dict[int, Settings], kind: str, given: argparse.Namespace) -> None:
    """Print each work's milliseconds and statements in the second database, and its ratio to the first."""
    clock = time.perf_counter if given.postgres else time.process_time
    few, many = by_games
    for name in works(by_games[few]):
        spent: dict[int, list[float]] = {few: [], many: []}
        for _ in range(given.rounds + 1):
            for games, settings in by_games.items():
                work, began = works(settings)[name], clock()
                for _ in range(given.times):
                    work()
                spent[games].append(1000 * (clock() - began) / given.times)
        base, found = (statistics.median(times[1:]) for times in spent.values())
        sends = statements(by_games[many], works(by_games[many])[name])
        more = {kind: many, "statements": sends, "beside": round(base, 3), "times": round(found / base, 2)}
        figure(f"scale_{name}", found, "ms", database="PostgreSQL" if given.postgres else "SQLite", **more)


if __name__ == "__main__":
    main()
