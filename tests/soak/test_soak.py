"""Ten minutes in a house where everything is killed at random: the game ends, and nothing that matters is lost or doubled.

Six players: one vanishes, one is away for a while, one has week-ends off, one has standing orders, two just play. Deadlines are
seconds. `make soak` runs it; WRIT_SOAK_MINUTES says how long the processes are killed under Ortus Regni (10), and a fifth of it
under each of the other games.
"""

from __future__ import annotations

import email
import email.policy
import http.client
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from engine.core import rulings
from engine.game import Game, options_of
from engine.games import game_called
from engine.play import match as matches
from engine.play import orders
from service.clock.deadlines import OWN_HAND
from service.games import lobby, terms
from service.people import accounts
from service.replay import replay_copy
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, EntryRow, Letter, LetterStatus, Match, Reminder, SeatRow, Submission, SubmissionStatus
from service.store.seats import by_match_id, seats_of
from service.table import commands
from service.tools.robot import Browser, Lost, Mailbox, answer_all
from tests.soak.house import House, open_house

MINUTES = float(os.environ.get("WRIT_SOAK_MINUTES", "10"))
PLAYED = {
    "ortus": ("play roles=drawn mix=[king,archbishop,duke,duke]", MINUTES),
    "mastery": ("", MINUTES / 5),
    "fief": ("play rounds=4", MINUTES / 5),
}
"""Game -> its optional rules, and for how many minutes processes are killed."""
ASKS_AGAIN = frozenset(("fief",))
"""Games in which a step may ask the same seat once more, under the same number."""
SEED = os.environ.get("WRIT_SOAK_SEED", "1")
"""What the house rulings are drawn from."""
AFTERWARDS = 20 * 60
"""Seconds that the game may take to its end once the house is quiet."""
STEWARD_AFTER = 2
PACE = {"turn": 16, "reaction": 8, "grace": 2, "bank": 6, "saved": 25, "steward_after": STEWARD_AFTER, "answers": "decent"}
NAMES = ("Anna", "Bert", "Cleo", "Dora", "Egon", "Fay")
T = TypeVar("T")
VANISHES, AWAY, WEEKENDS, ORDERS = "b", "c", "d", "e"


def patient(work: Callable[[], T]) -> T:
    """Do something with the database, again and again until it is there."""
    until = time.monotonic() + 60
    while True:
        try:
            return work()
        except (DBAPIError, OSError):
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def gather(settings: Settings, game: Game) -> str:
    """A game of six with deadlines of seconds; its id."""
    with transaction(settings) as session:
        people = []
        for name in NAMES:
            account = accounts.by_email(session, f"{name.lower()}@soak.example")
            accounts.rename(session, account, name)
            account.quiet_from = account.quiet_to = "00:00"
            account.ladder = ["half", "4s", "2s"]
            session.add(account)
            people.append(account)
        # By house rulings at random, but for the last round of Ortus Regni: the game has to last.
        drawn = rulings.drawn(game.rules.rulings, random.Random(SEED))
        ruled = {ruling.id: drawn[ruling.id] for ruling in rulings.house(game.rules.rulings)}
        ruled |= {"OR-HOUSE-1": "none"} if "OR-HOUSE-1" in ruled else {}
        options = options_of(game, len(NAMES), PLAYED[game.name][0])
        match = lobby.open_match(session, people[0], "The haunted table", game.name, len(NAMES), "open", options, ruled=ruled)
        match.pace = dict(PACE)
        session.add(match)
        seats_of(session, match)[0].agreed = terms.digest(match)  # the host agrees to the new pace
        for person in people[1:]:
            lobby.join(session, match, person)
        for seat in seats_of(session, match):
            account = accounts.by_id(session, seat.account_id)
            account.weekends_off = seat.seat == WEEKENDS
            if seat.seat == ORDERS:
                seat.orders = dict(orders.preset(game))
            session.add(account)
            session.add(seat)
        return match.id


class Player(threading.Thread):
    """Somebody who has nothing but their letters, answers what they ask, and tries again when the service is down."""

    def __init__(self, house: House, name: str, rng: random.Random, vanishes_after: int = 0) -> None:
        super().__init__(name=name, daemon=True)
        self.house, self.rng, self.vanishes_after = house, rng, vanishes_after
        self.browser, self.mailbox = Browser(house.base), Mailbox(house.mail)
        self.answers, self.link = 0, ""
        self.away_until = 0.0
        self.troubles: Counter[str] = Counter()

    def run(self) -> None:
        waiting = False
        while not self.house.stopped.wait(self.rng.uniform(0.1, 0.8)):
            for mail in self.mailbox.fresh():
                link = mail.link(self.house.base, "/t/") if f"{self.name.lower()}@" in mail.to else ""
                if link:
                    self.link, waiting = link, True
            if not waiting or time.monotonic() < self.away_until:
                continue
            if self.vanishes_after and self.answers >= self.vanishes_after:
                return
            try:
                page = self.browser.get(self.link)
                if page.status >= 500:
                    raise Lost(f"The service is down: {page.status}.")
                for _ in answer_all(self.browser, page, self.rng):
                    self.answers += 1
                    if self.vanishes_after and self.answers >= self.vanishes_after:
                        return
                waiting = False
            except (Lost, OSError, http.client.HTTPException) as trouble:
                self.troubles[type(trouble).__name__] += 1


def arrived(folder: Path) -> Counter[str]:
    """How often each Message-ID lies in the mailbox."""
    found: Counter[str] = Counter()
    for file in [*folder.glob("new/*"), *folder.glob("cur/*")]:
        found[str(email.message_from_bytes(file.read_bytes(), policy=email.policy.default)["Message-ID"])] += 1
    return found


@pytest.mark.soak
@pytest.mark.services
@pytest.mark.parametrize("name", PLAYED)
def test_a_game_goes_on_whatever_dies(tmp_path: Path, name: str) -> None:
    minutes = PLAYED[name][1]
    rng = random.Random(os.environ.get("WRIT_SOAK_SEED", "1"))
    with open_house(tmp_path) as house:
        settings = Settings(
            data_folder=tmp_path / "data",
            database_url=house.database,
            broker_url=house.broker,
            base_url=house.base,
            smtp_url=house.smtp,
            secret_keys=("a-key-for-the-soak-run-of-32-letters-and-more",),
        )
        match_id = gather(settings, game_called(name))
        players = {
            seat: Player(house, who, random.Random(rng.random()), 12 if seat == VANISHES else 0)
            for seat, who in zip("abcdef", NAMES, strict=True)
        }
        for player in players.values():
            player.start()
        ghost = threading.Thread(target=house.haunt, args=(minutes * 60, rng), daemon=True)
        ghost.start()
        time.sleep(30)
        away = timedelta(seconds=45)
        players[AWAY].away_until = time.monotonic() + away.total_seconds()
        start = datetime.now(UTC)
        words = f"away seat={AWAY} from={start.isoformat()} until={(start + away).isoformat()}"
        patient(lambda: _command(settings, match_id, AWAY, words))
        until = time.monotonic() + minutes * 60 + AFTERWARDS
        while patient(lambda: _status(settings, match_id)) != "finished":
            assert time.monotonic() < until, "the game doesn't end"
            time.sleep(2)
        house.calm.wait()
        patient(lambda: _status(settings, match_id))  # the database may just be starting, the last that was killed
        _quiet(settings)
        _check(settings, match_id, house)
        kills = {process.name: process.kills for process in house.processes}
        print(f"{name}: kills {kills}, answers { {p.name: p.answers for p in players.values()} }")


def _command(settings: Settings, match_id: str, actor: str, words: str) -> None:
    with transaction(settings) as session:
        commands.command(session, by_match_id(session, match_id), actor, words)


def _status(settings: Settings, match_id: str) -> str:
    with open_session(settings) as session:
        return by_match_id(session, match_id).status


def _quiet(settings: Settings) -> None:
    """Wait until no letter is on its way any more; those that wait for another try are given a push."""
    until = time.monotonic() + 300
    under_way = col(Letter.status).in_((LetterStatus.QUEUED, LetterStatus.SENDING))
    while True:
        with transaction(settings) as session:
            rows = session.exec(select(Letter).where(under_way)).all()
            for row in rows:
                if row.status != LetterStatus.SENDING:
                    row.next_try_at = min(row.next_try_at, datetime.now(UTC))
                    session.add(row)
        if not rows:
            return
        assert time.monotonic() < until, [(row.kind, row.status, row.error) for row in rows]
        time.sleep(3)


def _check(settings: Settings, match_id: str, house: House) -> None:
    with open_session(settings) as session:
        match = by_match_id(session, match_id)
        verdict = matches.verify(replay_copy.download(session, match, None))
        assert verdict.holds, verdict.sentence
        _check_letters(session, match, arrived(house.mail), _check_defaults(session, match))


def _check_defaults(session: Session, match: Match) -> Counter[tuple[str, int]]:
    """No default before its deadline, none twice; the one who vanished has a steward, if he was asked anything after that.

    How often each seat has answered under each number.
    """
    entries = session.exec(select(EntryRow).where(EntryRow.match_id == match.id)).all()
    asks = {(a.seat, a.serial): a for a in session.exec(select(AskRow).where(AskRow.match_id == match.id))}
    defaults = [e for e in entries if e.via == "clock" and e.ask != matches.TABLE]
    missed = asked_in_vain(entries, asks)
    assert defaults or not missed, "the one who vanished let no deadline pass"
    for e in defaults:
        ask, at = asks[(e.actor, e.serial)], datetime.fromisoformat(e.at)
        if match.game in ASKS_AGAIN and at <= ask.opened_at.replace(microsecond=0):
            continue  # the row is of the same question asked once more, after this answer
        assert ask.falls_at is not None
        if e.ask in game_called(match.game).rules.windows:  # the log has the time at which the window opened
            assert ask.answered_at is not None
            at = ask.answered_at
        assert at >= ask.falls_at.replace(microsecond=0), (e.n, ask)
    given = Counter((e.actor, e.serial) for e in entries if e.serial)
    assert max(given.values()) == 1 or match.game in ASKS_AGAIN
    _check_given_once(session, match, entries)
    assert sum(e.via == "order" for e in entries if e.actor == ORDERS), "no order ever answered"
    last = max((e.n for e in entries if e.actor == VANISHES and e.via in OWN_HAND), default=0)
    let_pass = [e.n for e in defaults if e.actor == VANISHES and e.n > last]
    if missed and (len(let_pass) >= STEWARD_AFTER or match.status != "finished"):  # it may end before
        assert any(e.ask == matches.TABLE and (e.move or "").startswith(f"kept seat={VANISHES}") for e in entries)
        vanished = session.get(SeatRow, (match.id, VANISHES))
        assert vanished is not None and vanished.steward
    return given


def asked_in_vain(entries: Sequence[EntryRow], asks: Collection[tuple[str, int]]) -> bool:
    """Whether the one who vanishes was asked anything after his last answer, by the log and the questions that were put to him.

    He may be out of the game before he was to vanish, or with that answer; then there is nothing that he could miss.
    """
    his = [e for e in entries if e.actor == VANISHES and e.ask != matches.TABLE and e.serial > 0]
    last = max((e.n for e in his if e.via in OWN_HAND), default=0)
    answered = max((e.serial for e in his if e.n <= last), default=0)
    return any(e.n > last for e in his) or any(seat == VANISHES and serial > answered for seat, serial in asks)


OUT = [(1, "b", 3, "page"), (2, "c", 3, "page"), (3, "b", 4, "reply"), (4, "c", 5, "clock")]


@pytest.mark.parametrize(
    ("log", "asked", "in_vain"),
    [
        (OUT, {("b", 3), ("b", 4), ("c", 3), ("c", 5)}, False),
        (OUT, {("b", 4), ("c", 5), ("b", 6)}, True),  # asked, and the game was over
        ([*OUT, (5, "b", 7, "clock")], {("b", 4), ("b", 7)}, True),
        ([*OUT, (5, "b", 4, "clock")], {("b", 4)}, True),  # asked once more under the same number
        ([*OUT, (5, "b", 7, "steward")], {("b", 4)}, True),  # one who keeps a seat is asked without a row
        ([], {("c", 1)}, False),
        ([], {("b", 1)}, True),
    ],
)
def test_who_is_out_of_the_game_misses_nothing(
    log: list[tuple[int, str, int, str]], asked: set[tuple[str, int]], in_vain: bool
) -> None:
    unused = {"match_id": "", "move": "", "sealed_via": "", "prev": "", "hash": ""}
    entries = [EntryRow(**unused, n=n, actor=seat, serial=serial, ask="turn", via=via) for n, seat, serial, via in log]
    assert asked_in_vain(entries, asked) is in_vain


def _check_given_once(session: Session, match: Match, entries: Sequence[EntryRow]) -> None:
    """No answer that somebody gave is in the log more often than it was taken, also where a question is asked again."""
    rows = session.exec(
        select(Submission).where(Submission.match_id == match.id, Submission.status == SubmissionStatus.ACCEPTED)
    ).all()
    given = Counter((e.actor, e.serial) for e in entries if e.serial and e.via in ("page", "reply", "api"))
    assert given - Counter((row.seat, row.serial) for row in rows) == Counter()


def _check_letters(session: Session, match: Match, arrived: Counter[str], answers: Counter[tuple[str, int]]) -> None:
    """Every letter that was sent lies in the mailbox, one row a question, one letter a reminder; none was given up.

    `answers`: how often a seat has answered under a number; nobody is written to more often than that.
    """
    letters = session.exec(select(Letter).where(Letter.match_id == match.id)).all()
    assert {x.status for x in letters} <= {"sent", "dropped"}
    lost = [x for x in letters if x.status == "sent" and not arrived[x.message_id]]
    assert not lost, [(x.kind, x.seat, x.serial) for x in lost]
    # A server that dies after it has kept a letter and before it says so gets it again, under the same Message-ID.
    doubled = [x for x in letters if arrived[x.message_id] > x.attempts]
    assert not doubled
    asked = Counter((x.seat, x.serial) for x in letters if x.kind == "turn")
    assert not asked or max(asked.values()) == 1 or match.game in ASKS_AGAIN
    assert [key for key, n in asked.items() if n > max(1, answers[key])] == []
    reminders = session.exec(select(Reminder).where(Reminder.match_id == match.id)).all()
    assert reminders
    assert sum(x.kind == "reminder" for x in letters) == sum(r.sent for r in reminders)
    over = [x for x in letters if x.kind == "over"]
    assert len(over) == len(NAMES) and all(x.status == "sent" for x in over)
