"""A player who wants another to hear nothing, or to look absent: by words that filters refuse, and by forged reports."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import time_machine

from engine.core.asks import NotLegal
from service.inbox import receiving as inbox
from service.post import ledger, links
from service.settings import Settings
from service.store import database as db
from service.store import queue
from service.store.models import Account, SeatRow
from service.table import lateness, talk, votes
from tests.house import HOUR, START, House
from tests.service.conftest import Sink, sink
from tests.service.post.test_ledger import report

smtp = sink


@pytest.fixture
def house(tmp_path: Path, empty_sqlite: Path, monkeypatch: pytest.MonkeyPatch, smtp: tuple[Sink, str]) -> Iterator[House]:
    """A running game of two whose letters go to a server that can be told what to say."""
    tasks: list[tuple[str, ...]] = []
    monkeypatch.setattr(queue, "send", lambda _settings, task, *args, **_later: tasks.append((task, *args)))
    mail = {"smtp_url": smtp[1], "inbox": "writ@writ.test", "hold_seconds": 0}
    settings = Settings(
        data_folder=tmp_path, secret_keys=("a-key-for-tests-of-32-letters-and-more",), sqlite_synchronous="NORMAL"
    ).model_copy(update=mail)
    shutil.copy(empty_sqlite, tmp_path / "writ.db")
    with time_machine.travel(START, tick=False) as clock:
        yield House(settings, tasks, clock)
    db.engine_for(settings).dispose()


def vote_opens(house: House) -> bool:
    """Whether Anna may propose to replace Bert."""
    with db.open_session(house.settings) as session:
        match = house.players.match(session)
        if "b" not in {seat.seat for seat in lateness.absentees(session, match)}:
            with pytest.raises(NotLegal):
                votes.propose_substitute(session, match, "a", "b")
            return False
        return True


def say(house: House, n: int) -> None:
    with db.transaction(house.settings) as session:
        talk.say(session, house.players.match(session), "a", "b", f"buy cheap pills {n}", f"key-of-anna-{n:04d}")
    house.tick()


@pytest.mark.parametrize(
    "words", ["554 5.7.1 spam", "554 no", "550 no words like these", "550 5.1.1 no such mailbox", "552 5.2.2 full"]
)
def test_talk_that_is_refused_silences_nobody(house: House, smtp: tuple[Sink, str], rng: random.Random, words: str) -> None:
    kept, _ = smtp
    for n in range(8):  # more than it takes, and for longer (`ledger.REFUSALS`, `ledger.SPAN`)
        kept.says_of_letters = words
        say(house, n)
        kept.says_of_letters = ""
        house.clock.shift(HOUR)
    states = [x.status for x in house.letters("talk", "b")]
    print(f"talk refused with “{words}”: {states}")
    assert not vote_opens(house) and ledger_of(house) == set()
    while not house.letters("turn", "b"):
        house.answer_all(rng)
    (turn,) = house.letters("turn", "b")
    assert turn.status == "sent" and turn.sent_at == turn.created_at


def ledger_of(house: House) -> set[str]:
    with db.open_session(house.settings) as session:
        return ledger.troubled(session, house.players.match(session))


def test_forged_reports_mark_nobody_else(house: House) -> None:
    """Anna has the addresses of her own letters, and knows whatever stands in Bert's but for his."""
    tried = 0
    mine, his = house.letters("started", "a")[0], house.letters("started", "b")[0]
    own = links.mail_address(house.settings, "b", mine.id)
    forged = links.mail_address(house.settings.model_copy(update={"secret_keys": ("another",)}), "b", his.id)
    for to in (own, forged, own.replace(mine.id, his.id), links.mail_address(house.settings, "r", mine.id), "writ@writ.test"):
        for _ in range(5):
            inbox.receive(house.settings, report(his, to), (to,))
            inbox.receive(house.settings, report(his, to), sender="")
            house.clock.shift(3 * HOUR)
            tried += 2
    print(f"forged reports: {tried}")
    (after,) = house.letters("started", "b")
    with db.open_session(house.settings) as session:
        row = session.get(SeatRow, (house.players.match_id, "b"))
        account = session.get(Account, row.account_id) if row else None
        assert account is not None and account.bounced_at is None and after.status == "sent"


def test_reports_without_end_are_not_kept_without_end(house: House) -> None:
    (letter,) = house.letters("started", "a")
    to = links.mail_address(house.settings, "b", letter.id)
    for _ in range(ledger.MOST_LINES + 20):
        inbox.receive(house.settings, report(letter, to, "delayed", "4.4.7"), (to,))
    with db.open_session(house.settings) as session:
        assert len(ledger.lines(session, letter)) == ledger.MOST_LINES


@pytest.fixture
def rng() -> random.Random:
    return random.Random(7)
