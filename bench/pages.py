"""Benchmark: CPU time and statements of pages, by length of log and number of games.

    python bench/pages.py [--seconds 0.5] [--rounds 5]

A six-player game is played to its first turn; its log is lengthened by extending a deadline, which leaves the table unchanged.
Pages are rendered in this process on SQLite, alternating with a text-only page as baseline. Lists show copies of the game, half
of them finished.
"""

from __future__ import annotations

import argparse
import random
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

from flask.testing import FlaskClient
from sqlalchemy import event, text
from sqlmodel import SQLModel

from bench.figures import figure, machine, side_by_side
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
from service.table import commands
from service.web import create_app
from workers import adjudicate

SIZES = (150, 500, 1500)
GAMES = (5, 200)
FIRST = 10
"""Played entries."""
SEATS = 6


def settings_in(folder: Path) -> Settings:
    return Settings(
        data_folder=folder,
        secret_keys=("a-key-for-the-benchmarks-of-32-letters-and-more",),
        broker_url="memory://",
        sqlite_synchronous="NORMAL",
    )


def set_up(settings: Settings, entries: int) -> str:
    """Play a game at random to that many entries; returns its id."""
    migrate(settings)
    with transaction(settings) as session:
        people = [accounts.by_email(session, f"{letter}@bench.example") for letter in "abcdef"[:SEATS]]
        match = lobby.open_match(session, people[0], "Bench", "ortus", SEATS, "open")
        for person in people[1:]:
            lobby.join(session, match, person)
        id = match.id
    adjudicate.adjudicate(settings, id)
    rng, given = random.Random(1), set[tuple[int, str]]()
    while (state := _match(settings, id)).snapshot_n < entries:
        position = state_of(state)
        # Snapshots lack hidden answers.
        seat = next(s for s in position.waiting if (position.serial, s) not in given)
        given.add((position.serial, seat))
        kind, answer = position.stack[-1].step, legal_at_random(position, seat, rng)
        with transaction(settings) as session:
            row, key = by_match_id(session, id), secrets.token_hex(16)
            submissions.submit(session, row, seat, key, position.serial, kind, answer)
        adjudicate.adjudicate(settings, id)
    return id


def _match(settings: Settings, id: str) -> Match:
    with open_session(settings) as session:
        return by_match_id(session, id)


def lengthen(settings: Settings, id: str, entries: int) -> None:
    """Lengthen the log without changing the table. As an operator: a host can't extend their own seat's deadline."""
    seat, before = state_of(_match(settings, id)).waiting[0], -1
    while before < (length := _match(settings, id).snapshot_n) < entries:
        before = length
        with transaction(settings) as session:
            for _ in range(50):
                commands.command(session, by_match_id(session, id), commands.OPERATOR, f"extend seat={seat} by=1")
        adjudicate.adjudicate(settings, id)
    if length < entries:
        raise RuntimeError(f"The log doesn't grow beyond {length} entries.")


def pages_of(settings: Settings, id: str) -> tuple[Callable[[], int], Callable[[], int]]:
    """Functions that fetch the turn page of the player who is asked, and a step of that player's replay, back and forth."""
    app = create_app(settings)
    app.config["RATELIMIT_ENABLED"] = False
    client = app.test_client()
    with transaction(settings) as session:
        match = by_match_id(session, id)
        seat = state_of(match).waiting[0]
        row = next(s for s in seats_of(session, match) if s.seat == seat)
        link = links.url(settings, links.turn_link(session, match, row))
    client.get(link.removeprefix(settings.base_url), base_url=settings.base_url)

    def work() -> int:
        reply = client.get(f"/g/{id}/table", base_url=settings.base_url)
        assert reply.status_code == 200 and 'name="serial"' in reply.text
        return 1

    last = _match(settings, id).snapshot_n
    steps = cycle([*range(last, 0, -1), *range(last)])

    def step() -> int:
        reply = client.get(f"/g/{id}/replay?n={next(steps)}&part=1", base_url=settings.base_url)
        assert reply.status_code == 200
        return 1

    return work, step


def copies(settings: Settings, id: str, many: int) -> None:
    """Copy a game's rows without its log; half are finished."""
    tables = [t for t in SQLModel.metadata.sorted_tables if t.name in ("matches", "seats", "asks")]
    with transaction(settings) as session:
        for n in range(1, many):
            for table in tables:
                key = "id" if table.name == "matches" else "match_id"
                made = {key: f"{n:032d}"} | ({"status": "finished"} if table.name == "matches" and n % 2 else {})
                names = [f'"{column.name}"' for column in table.columns]
                values = [f":{column.name}" if column.name in made else f'"{column.name}"' for column in table.columns]
                chosen = f"SELECT {', '.join(values)} FROM {table.name} WHERE {key} = :of"
                session.execute(text(f"INSERT INTO {table.name} ({', '.join(names)}) {chosen}"), made | {"of": id})


def visitor(settings: Settings) -> FlaskClient:
    """The host's signed-in client."""
    app = create_app(settings)
    app.config.update(RATELIMIT_ENABLED=False, WTF_CSRF_ENABLED=False)
    client = app.test_client()
    with transaction(settings) as session:
        link = links.sign_in_link(session, accounts.by_email(session, "a@bench.example"))
        door = links.url(settings, link).removeprefix(settings.base_url)
    client.post(door, data={"choice": "enter", "name": "Anna"}, base_url=settings.base_url)
    return client


def looking(client: FlaskClient, settings: Settings, address: str) -> Callable[[], int]:

    def work() -> int:
        assert client.get(address, base_url=settings.base_url).status_code == 200, address
        return 1

    return work


def statements(settings: Settings, work: Callable[[], object]) -> int:
    """Number of SQL statements."""
    sent = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    work()
    event.listen(engine_for(settings), "before_cursor_execute", note)
    work()
    event.remove(engine_for(settings), "before_cursor_execute", note)
    return sum(not statement.startswith("BEGIN") for statement in sent)


def turn_pages(first: Path, id: str, seconds: float, rounds: int) -> None:
    """Print the cost of the turn page and of a replay step by log length."""
    works = {"words": looking(visitor(settings_in(first)), settings_in(first), "/help")}
    for size in SIZES:
        folder = first.with_name(str(size))
        shutil.copytree(first, folder)
        lengthen(settings_in(folder), id, size)
        works[f"turn_page {size}"], works[f"replay_step {size}"] = pages_of(settings_in(folder), id)
    rates = side_by_side(works, seconds, rounds)
    base = 1000 / rates.pop("words")
    for name, found in rates.items():
        kind, _, entries = name.partition(" ")
        sends = statements(settings_in(first.with_name(entries)), works[name])
        figure(kind, 1000 / found, "ms of CPU", entries=int(entries), statements=sends, words_alone=round(base, 3))
    times = [1 / found for name, found in rates.items() if name.startswith("turn_page")]
    figure("turn_page_ratio", max(times) / min(times), "largest to smallest")


def lists(first: Path, id: str, seconds: float, rounds: int) -> None:
    """Print pages' cost with 5 and 200 games."""
    works, of = {}, {}
    for games in GAMES:
        folder = first.with_name(f"games-{games}")
        shutil.copytree(first, folder)
        settings = settings_in(folder)
        copies(settings, id, games)
        client = visitor(settings)
        for page in ("/games", f"/g/{id}/table", f"/g/{id}/clock", f"/g/{id}/journal", f"/g/{id}/host", "/account/letters"):
            name = f"{page.replace(f'/g/{id}', '/g')} {games}"
            works[name], of[name] = looking(client, settings, page), settings
    rates = side_by_side(works, seconds, rounds)
    for name, found in rates.items():
        page, _, many = name.partition(" ")
        figure("page", 1000 / found, "ms of CPU", page=page, games=int(many), statements=statements(of[name], works[name]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    machine()
    with tempfile.TemporaryDirectory(prefix="writ-bench-") as name:
        first = Path(name) / "first"
        id = set_up(settings_in(first), FIRST)
        turn_pages(first, id, given.seconds, given.rounds)
        lists(first, id, given.seconds, given.rounds)


if __name__ == "__main__":
    main()
