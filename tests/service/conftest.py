"""Settings on a fresh database, once on SQLite and once on PostgreSQL, and a table of people to play at."""

from __future__ import annotations

import contextlib
import random
import shutil
import socket
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from aiosmtpd.controller import Controller
from sqlalchemy import event
from sqlmodel import Session, col, select

from engine.bots.random import legal_at_random
from engine.core import procedure
from engine.core.asks import read
from engine.games import GAMES
from service.games import lobby, writing
from service.people import accounts
from service.seat import seat_view, submissions
from service.seat.state import state_of
from service.settings import Settings
from service.store import database as db
from service.store import queue
from service.store.models import Account, AskRow, Letter, LetterStatus, Match, Submission, new_id
from service.store.seats import by_match_id, seats_of
from tests import kept
from workers import adjudicate

on_sqlite = pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
"""For what no database does in its own way: whole games that are played for what is said of them, refusals, and tests whose
functions of the service another test of their file calls on both. Locks, bulk statements, constraints and odd text stay on
both."""
on_postgres = pytest.mark.parametrize("settings", ["postgres"], indirect=True)
"""For locks of rows between two transactions that write at once: SQLite has one writer at a time."""


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Settings whose database is migrated and empty."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("migrated_postgres_url")
    if not url:
        shutil.copy(request.getfixturevalue("empty_sqlite"), tmp_path / "writ.db")
    found = Settings(
        data_folder=tmp_path,
        database_url=url,
        secret_keys=("a-key-for-tests-of-32-letters-and-more",),
        base_url="http://writ.test",
        sqlite_synchronous="NORMAL",
    )
    yield found
    db.engine_for(found).dispose()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The tasks that were handed to the broker; nothing is run."""
    tasks: list[tuple[str, ...]] = []
    monkeypatch.setattr(queue, "send", lambda _settings, task, *args, **_later: tasks.append((task, *args)))
    return tasks


def person(session: Session, name: str) -> Account:
    """An account by that name."""
    account = accounts.by_email(session, f"{name.lower()}@example.org")
    accounts.rename(session, account, name)
    accounts.take_zone(session, account, "UTC")
    return account


def as_sent(settings: Settings, letters: Iterable[Letter]) -> list[Letter]:
    """The letters, those that are still owed and due as they would be sent now; nothing of theirs is changed."""
    found = list(letters)
    with db.transaction(settings) as session:
        ids = [letter.id for letter in found if letter.written_at is None and letter.status != LetterStatus.DROPPED]
        owed = writing.gather(session, session.exec(select(Letter).where(col(Letter.id).in_(ids))).all())
    written: dict[str, Letter] = {}
    for one in owed:
        writing.write(settings, one)
        written[one.letter.id] = one.letter
    return [written.get(letter.id, letter) for letter in found]


@contextlib.contextmanager
def statements(settings: Settings) -> Iterator[list[str]]:
    """The statements that are sent to the database meanwhile."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        found.append(statement)

    event.listen(db.engine_for(settings), "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(db.engine_for(settings), "before_cursor_execute", note)


@dataclass
class Players:
    """A running game and the hands of those who play it."""

    settings: Settings
    match_id: str

    def match(self, session: Session) -> Match:
        return by_match_id(session, self.match_id)

    def asked(self) -> list[str]:
        """The people's seats whose pages show a form."""
        with db.open_session(self.settings) as session:
            match = self.match(session)
            seats = [s.seat for s in seats_of(session, match) if s.account_id]
            pages = [seat_view.load(session, match, seat) for seat in seats]
            return [p.seat for p in pages if p is not None and p.form is not None]

    def submit(self, seat: str, rng: random.Random, key: str = "") -> str:
        """Queue a random legal answer of that seat; the submission's id."""
        with db.transaction(self.settings) as session:
            match = self.match(session)
            state = state_of(match)
            answer = legal_at_random(state, seat, rng)
            kind = procedure.ask_of(state, seat).kind
            return submissions.submit(session, match, seat, key or new_id(), state.serial, kind, answer).id

    def submit_again(self, seat: str, key: str) -> str:
        """Send a form once more whose answer was played; what is said of it."""
        with db.transaction(self.settings) as session:
            known = session.get(Submission, key)
            assert known is not None
            answer = read(known.move)
            return submissions.submit(session, self.match(session), seat, key, known.serial, known.kind, answer).status

    def adjudicate(self) -> None:
        adjudicate.adjudicate(self.settings, self.match_id)

    def status(self, key: str) -> str:
        with db.open_session(self.settings) as session:
            found = session.get(Submission, key)
            assert found is not None
            return found.status

    def letters(self, kind: str) -> list[Letter]:
        """The letters of that kind, those that are still owed as they would be sent now."""
        with db.open_session(self.settings) as session:
            query = select(Letter).where(Letter.match_id == self.match_id, Letter.kind == kind)
            found = session.exec(query.order_by(col(Letter.created_at), Letter.id)).all()
        return as_sent(self.settings, found)

    def _waited_for(self) -> list[str]:
        """The people's seats that have a question."""
        with db.open_session(self.settings) as session:
            people = [s.seat for s in seats_of(session, self.match(session)) if s.account_id]
            open_ = select(AskRow.seat).where(
                AskRow.match_id == self.match_id, col(AskRow.answered_at).is_(None), AskRow.serial > 0
            )
            return sorted({*people} & {*session.exec(open_)})

    def finish(self, rng: random.Random, most: int = 3000) -> None:
        """Everybody answers at random until the game is over."""
        for n in range(most):
            asked = self._waited_for()
            if n % LOOKED_AT == 0 or not asked:
                assert self.asked() == asked, "those who are asked have a form on their pages, and nobody else has"
            if not asked:
                return
            for seat in asked:
                self.submit(seat, rng)
            self.adjudicate()
        raise AssertionError("the game doesn't end")


LOOKED_AT = 8
"""So many rounds of a whole game go by between two in which every page is made: that takes a third of its time."""


class Drawn:
    """What stands in for `secrets` when a game is opened: the same every time, so that no game ends sooner than the last."""

    def __init__(self, of: str = "a game for tests") -> None:
        self.rng = random.Random(of)

    def token_bytes(self, n: int) -> bytes:
        return self.rng.randbytes(n)

    def token_hex(self, n: int) -> str:
        return self.rng.randbytes(n).hex()


def open_table(settings: Settings, people: int = 2, bots: int = 0, game: str = "ortus") -> Players:
    """A game that has just become full; the workers have not opened it yet."""
    with mock.patch.object(lobby, "secrets", Drawn()), db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Harvest war", game, people + bots, "open")
        for name in ("Bert", "Cleo", "Dora", "Egon", "Fay")[: people - 1]:
            lobby.join(session, match, person(session, name))
        for i in range(bots):
            names = lobby.bots_of(GAMES[game])
            lobby.add_bot(session, match, host, names[i % len(names)])
        return Players(settings, match.id)


@pytest.fixture
def table(settings: Settings, sent: list[tuple[str, ...]]) -> Players:
    """A running game of two people, at its first question."""
    players = open_table(settings)
    players.adjudicate()
    return players


@pytest.fixture
def over(settings: Settings, sent: list[tuple[str, ...]]) -> Players:
    """A game of two people that was played to its end, in this test or in another of this run."""

    def play() -> str:
        players = open_table(settings)
        players.adjudicate()
        players.finish(random.Random(7))
        return players.match_id

    return Players(settings, kept.begin(settings, "over", play))


@pytest.fixture
def rng() -> random.Random:
    return random.Random(7)


class Sink:
    """An SMTP server that keeps what it gets, or answers as it is told to."""

    def __init__(self) -> None:
        self.got: list[Any] = []
        self.says, self.says_of_letters = "", ""
        self.of = ""
        """What addresses hold to which it answers so; all do by default."""

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any) -> str:
        if self.says and self.of in address:
            return self.says
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        if self.says_of_letters:
            return self.says_of_letters
        self.got.append(envelope)
        return "250 OK"


@pytest.fixture
def sink() -> Iterator[tuple[Sink, str]]:
    kept = Sink()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Controller(kept, hostname="127.0.0.1", port=port)
    server.start()
    yield kept, f"smtp://127.0.0.1:{port}"
    server.stop()
