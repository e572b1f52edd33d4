"""Benchmark: cost of a move by parts in one process: post, adjudicate, letter, page.

    python bench/moves.py [--moves 60] [--games ortus,mastery] [--against TREE] [--rounds 3] [--profile PART]

Six players answer at random; letters go to a Maildir. Figures are medians of this process's CPU time and statements; PostgreSQL
and Redis (`WRIT_TEST_POSTGRES`, `WRIT_TEST_REDIS`) aren't included. `--against` alternates with another tree; `--profile`
profiles a part.
"""

from __future__ import annotations

import argparse
import cProfile
import logging
import pstats
import random
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

import redis
import structlog
from sqlalchemy import event, text

from bench.figures import figure, machine
from bench.pipeline import REDIS, against, database
from engine.bots.random import legal_at_random
from service.games import lobby
from service.people import accounts
from service.post import links
from service.seat import submissions
from service.seat.state import state_of
from service.settings import Settings
from service.store.database import engine_for, migrate, open_session, transaction
from service.store.models import Match
from service.store.seats import by_match_id, seats_of
from service.web import create_app, warm
from workers.adjudicate import adjudicate
from workers.letters import delivery

SEATS = 6
ASKED = "SELECT seat FROM asks WHERE match_id = :id AND serial = :serial AND answered_at IS NULL"
PARTS = ("post", "adjudication", "letter", "page")
WARM = 8
"""Not profiled: compilation of templates and statements."""


class Meter:
    """CPU time and statements by part."""

    def __init__(self, settings: Settings, profiled: str) -> None:
        self.profiled, self.profile = profiled, cProfile.Profile(time.process_time)
        self.took: dict[str, list[float]] = {part: [] for part in PARTS}
        self.sent: dict[str, list[int]] = {part: [] for part in PARTS}
        self._said = 0
        event.listen(engine_for(settings), "before_cursor_execute", self._note)

    def _note(self, _connection: object, _cursor: object, statement: str, *_: object) -> None:
        self._said += not statement.startswith("BEGIN")

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Measure the block as one sample."""
        self._said, began = 0, time.process_time()
        if part == self.profiled and len(self.took[part]) >= WARM:
            self.profile.enable()
        try:
            yield
        finally:
            self.profile.disable()
        self.took[part].append(time.process_time() - began)
        self.sent[part].append(self._said)


def play(settings: Settings, game: str, moves: int, meter: Meter) -> None:
    with transaction(settings) as session:
        people = [accounts.by_email(session, f"{letter}@{game}.example") for letter in "abcdef"[:SEATS]]
        match = lobby.open_match(session, people[0], "Bench", game, SEATS, "open")
        for person in people[1:]:
            lobby.join(session, match, person)
        id = match.id
    adjudicate(settings, id)
    app = create_app(settings)
    warm.up(app.jinja_env, settings.data_folder)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    _letters(settings, id, Meter(settings, ""))  # those of the start
    app.config["RATELIMIT_ENABLED"] = False
    with transaction(settings) as session:
        match = by_match_id(session, id)
        doors = {s.seat: links.url(settings, links.turn_link(session, match, s)) for s in seats_of(session, match)}
    clients = {seat: app.test_client() for seat in doors}
    for seat, door in doors.items():
        clients[seat].get(door.removeprefix(settings.base_url), base_url=settings.base_url)
    rng = random.Random(1)
    while len(meter.took["post"]) < moves:
        with open_session(settings) as session:
            row: Match = by_match_id(session, id)
            # Snapshots lack hidden answers, and a question may be repeated under its number.
            asked = {seat for (seat,) in session.execute(text(ASKED), {"id": id, "serial": row.serial})}
        if row.outcome is not None:
            return
        position = state_of(row)
        seat = next(s for s in position.waiting if s in asked)
        kind, answer = position.stack[-1].step, legal_at_random(position, seat, rng)
        with meter.of("post"), transaction(settings) as session:
            row = by_match_id(session, id)
            submissions.submit(session, row, seat, secrets.token_hex(16), position.serial, kind, answer)
        with meter.of("adjudication"):
            adjudicate(settings, id)
        _letters(settings, id, meter)
        with meter.of("page"):
            assert clients[seat].get(f"/g/{id}/table", base_url=settings.base_url).status_code == 200


def _letters(settings: Settings, id: str, meter: Meter) -> None:
    """Send the move's letters singly, delayed ones too."""
    queued = "FROM letters WHERE match_id = :id AND status = 'queued'"
    with transaction(settings) as session:
        found = [letter for (letter,) in session.execute(text(f"SELECT id {queued}"), {"id": id})]
        session.execute(
            text("UPDATE letters SET next_try_at = next_try_at - :hold WHERE match_id = :id AND status = 'queued'"),
            {"id": id, "hold": timedelta(seconds=settings.hold_seconds + 60)},
        )
    for letter in found:
        with meter.of("letter"):
            delivery.deliver(settings, letter)


def measure(game: str, moves: int, profiled: str) -> None:
    """Print a game's medians."""
    with database() as url, tempfile.TemporaryDirectory(prefix="writ-bench-") as folder:
        settings = Settings(
            data_folder=Path(folder),
            secret_keys=("a-key-for-the-benchmarks-of-32-letters-and-more",),
            database_url=url,
            broker_url=REDIS,
        )
        migrate(settings)
        meter = Meter(settings, profiled)
        play(settings, game, moves, meter)
        for part in PARTS:
            times, sent = meter.took[part], meter.sent[part]
            figure(f"{game} {part}", 1000 * statistics.median(times), "ms of CPU", times=len(times))
            figure(f"{game} {part} statements", statistics.median(sent), "statements", most=max(sent))
        if profiled:
            pstats.Stats(meter.profile).sort_stats("cumulative").print_stats(70).sort_stats("tottime").print_stats(45)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--games", default="ortus,mastery")
    parser.add_argument("--against", type=Path, help="another tree, to be measured in turns with this one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", choices=PARTS, default="")
    given = parser.parse_args()
    machine()
    if given.against is not None:
        against(Path(__file__).name, given.against, given.rounds)
        return
    server = redis.Redis.from_url(REDIS)
    server.flushdb()
    for game in given.games.split(","):
        measure(game, given.moves, given.profile)
    server.flushdb()


if __name__ == "__main__":
    main()
