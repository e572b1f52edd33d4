"""Benchmark: a game's size in the database: finished, letters emptied, log packed; a guest's table, played and closed.

    python bench/storage.py [--postgres] [--entries 300] [--games 7]

Six random players; nothing is sent, so all letters have bodies. Sizes are the stored lengths of values, scaled to the number of
entries. The median game is broken down by table.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import secrets
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

from sqlalchemy import select, text, update
from sqlmodel import SQLModel, col

from bench.figures import figure, machine
from bench.pages import set_up, settings_in
from engine.bots.random import legal_at_random
from service.log import packing
from service.seat import submissions
from service.seat.state import state_of
from service.settings import Settings
from service.store.database import engine_for, migrate, open_session, transaction
from service.store.models import Letter, LetterStatus, MatchStatus, now
from service.store.seats import by_match_id
from service.table import practice
from workers import adjudicate, retention


def weigh(settings: Settings, id: str, times: float) -> dict[str, int]:
    """Bytes by table, scaled."""
    found: dict[str, int] = {}
    size = 'pg_column_size("{}")' if "postgresql" in settings.database else 'length(CAST("{}" AS BLOB))'
    with engine_for(settings).connect() as connection:
        for table in SQLModel.metadata.sorted_tables:
            own = {"matches": f"id = '{id}'"}.get(table.name)
            if table.name == "letter_events":
                own = f"letter_id IN (SELECT id FROM letters WHERE match_id = '{id}')"
            elif "match_id" in table.columns:
                own = f"match_id = '{id}'"
            if own:
                sizes = " + ".join(f"coalesce({size.format(c.name)}, 0)" for c in table.columns)
                found[table.name] = connection.execute(text(f"SELECT sum({sizes}) FROM {table.name} WHERE {own}")).scalar() or 0
    return {name: int(times * bytes_) for name, bytes_ in found.items() if bytes_}


def play(settings: Settings, id: str, entries: int) -> None:
    """Play at random to that many entries."""
    rng, given = random.Random(1), set[tuple[int, str]]()
    while True:
        with transaction(settings) as session:
            match = by_match_id(session, id)
            if match.status != MatchStatus.RUNNING or match.snapshot_n >= entries:
                break
            position = state_of(match)
            seat = next(s for s in position.waiting if (position.serial, s) not in given)
            given.add((position.serial, seat))
            kind, answer = position.stack[-1].step, legal_at_random(position, seat, rng)
            submissions.submit(session, match, seat, secrets.token_hex(16), position.serial, kind, answer)
        adjudicate.adjudicate(settings, id)


def tell(name: str, weighed: list[dict[str, int]]) -> None:
    """Print the median game's tables, and the extremes."""
    by_weight = sorted(weighed, key=lambda parts: sum(parts.values()))
    middle, *ends = (by_weight[n] for n in (len(by_weight) // 2, 0, -1))
    least, most = (sum(parts.values()) / 1e6 for parts in ends)
    heaviest = dict(sorted(middle.items(), key=lambda part: -part[1])[:7])
    figure(f"game_{name}", sum(middle.values()) / 1e6, "MB", games=len(weighed), least=least, most=most, **heaviest)


@contextlib.contextmanager
def house(postgres: bool) -> Iterator[Settings]:
    with contextlib.ExitStack() as stack:
        settings = settings_in(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="writ-bench-"))))
        if postgres:
            from bench.pipeline import database

            settings = settings.model_copy(update={"database_url": stack.enter_context(database())})
        yield settings


def stages(postgres: bool, entries: int) -> Iterator[tuple[str, dict[str, int]]]:
    """Stages of one game, with scaled bytes by table."""
    with house(postgres) as settings:
        id = set_up(settings, 1)
        play(settings, id, entries)
        with transaction(settings) as session:
            match = by_match_id(session, id)
            longer = entries / match.snapshot_n
            match.status, match.finished_at = MatchStatus.FINISHED, now() - timedelta(days=settings.pack_days + 1)
            old = now() - timedelta(days=settings.keep_letters_days + 1)
            session.execute(update(Letter).values(status=LetterStatus.SENT, created_at=old))
            session.execute(text("UPDATE asks SET answered_at = opened_at"))
        yield "over", weigh(settings, id, longer)
        for _ in range(20):
            with transaction(settings) as session:
                if not retention.empty_letters(session, now() - timedelta(days=settings.keep_letters_days)):
                    break
        yield "letters_emptied", weigh(settings, id, longer)
        with transaction(settings) as session:
            packing.pack(session, id)
        yield "packed", weigh(settings, id, longer)
        with open_session(settings) as session:
            assert not packing.due(session, now(), 1)
            assert session.execute(select(col(Letter.id)).where(col(Letter.html) != "")).first() is None


def guest_stages(postgres: bool, entries: int) -> Iterator[tuple[str, dict[str, int]]]:
    """Stages of a guest's table with that many entries."""
    with house(postgres) as settings:
        migrate(settings)
        with transaction(settings) as session:
            id = practice.begin(session, practice.guest(session, ""), "ortus").id
        adjudicate.adjudicate(settings, id)
        play(settings, id, entries)
        yield "guest", weigh(settings, id, 1)
        with transaction(settings) as session:
            by_match_id(session, id).started_at = now() - practice.KEPT
        practice.close_due(settings)
        adjudicate.adjudicate(settings, id)
        practice.close_due(settings)
        yield "guest_closed", weigh(settings, id, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--entries", type=int, default=300)
    parser.add_argument("--games", type=int, default=7)
    given = parser.parse_args()
    machine()
    weighed: dict[str, list[dict[str, int]]] = {}
    for _ in range(given.games):
        found = [*stages(given.postgres, given.entries), *guest_stages(given.postgres, given.entries)]
        for stage, parts in found:
            weighed.setdefault(stage, []).append(parts)
    for stage, games in weighed.items():
        tell(stage, games)


if __name__ == "__main__":
    main()
