"""What the others' pages, logs and clocks tell of who has answered, and how: nothing, until everybody has."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from sqlmodel import col, select

from engine.core.asks import Answer
from engine.play.match import verify
from service.clock import deadlines
from service.log import chronicle
from service.log.entries import stored_entries
from service.ops import exports
from service.replay import history, journal
from service.replay import replay_copy as replays
from service.seat import seat_view, submissions
from service.seat.state import state_of
from service.seat.waits import shown_waits
from service.settings import Settings
from service.store import database as db
from service.store.database import open_session, transaction
from service.store.models import Account, EntryRow, HiddenAnswer, Match, SeatRow
from service.table import absences
from tests.house import START, House, Sent
from tests.service.conftest import open_table


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=3)


def seen_by(settings: Settings, match_id: str, seat: str | None) -> dict[str, Any]:
    """All that a seat's pages, its log and its letters may show of a game."""
    with open_session(settings) as session:
        match = session.get(Match, match_id)
        assert match is not None
        page = seat_view.load(session, match, seat or "")
        assert page is not None
        names = ("view", "form", "offers", "news", "serial", "n", "head", "pending", "steward")
        return {
            "page": {name: getattr(page, name) for name in names},
            "log": list(replays.download(session, match, seat)),
            "history": history.page(session, match, seat),
            "journal": journal.text(session, match),
            "waits": shown_waits(session, match),
        }


def announce(house: House, letter: str) -> None:
    with transaction(house.settings) as session:
        seat = session.get(SeatRow, (house.players.match_id, letter))
        assert seat is not None
        account = session.get(Account, seat.account_id)
        assert account is not None
        first = START.date() + timedelta(days=1)
        absences.announce(session, house.players.match(session), seat, account, first, first + timedelta(days=2))
    house.tick()


def answer(house: House, seat: str, rng: random.Random) -> None:
    house.players.submit(seat, rng)
    house.tick()


@pytest.mark.parametrize("first", ["a", "b"])
def test_who_has_answered_shows_in_nothing_that_others_see(house: House, rng: random.Random, first: str) -> None:
    before = {reader: seen_by(house.settings, house.players.match_id, reader) for reader in ("c", None)}
    answer(house, first, rng)
    assert {r: seen_by(house.settings, house.players.match_id, r) for r in before} == before


def test_an_absence_moves_the_shown_deadline_alike_whether_its_seat_has_answered(
    house: House, rng: random.Random, clock: time_machine.Traveller
) -> None:
    answer(house, "a", rng)
    clock.shift(timedelta(minutes=10))
    for seat in "ab":
        announce(house, seat)
    with open_session(house.settings) as session:
        waits = {w.seat: w.due_at for w in shown_waits(session, house.players.match(session))}
    assert waits["a"] == waits["b"] != waits["c"]


def test_a_pause_and_its_end_tell_nothing_either(house: House, rng: random.Random, clock: time_machine.Traveller) -> None:
    answer(house, "a", rng)
    house.command("host", f"pause until={(START + timedelta(days=2)).isoformat()}")
    clock.shift(timedelta(hours=5))
    house.command("host", "resume")
    with open_session(house.settings) as session:
        waits = shown_waits(session, house.players.match(session))
    assert len({w.due_at for w in waits}) == 1


def test_the_order_in_the_log_is_that_of_the_seats_and_its_times_are_one(
    house: House, rng: random.Random, clock: time_machine.Traveller
) -> None:
    for seat in "cab":
        clock.shift(timedelta(minutes=7))
        answer(house, seat, rng)
    with open_session(house.settings) as session:
        rows = session.exec(select(EntryRow).where(EntryRow.serial == 1).order_by(col(EntryRow.n))).all()
    assert [row.actor for row in rows] == ["a", "b", "c"] and len({row.at for row in rows}) == 1


def test_a_deadline_missed_in_secret_is_told_when_the_step_closes(
    house: House, rng: random.Random, clock: time_machine.Traveller
) -> None:
    with transaction(house.settings) as session:
        for letter in "bc":  # theirs stand still meanwhile
            seat = session.get(SeatRow, (house.players.match_id, letter))
            assert seat is not None
            absences.record(session, house.players.match(session), seat, START, START + timedelta(days=20))
            deadlines.again(session, house.players.match(session), [seat])
    before = seen_by(house.settings, house.players.match_id, "c")
    (falls_at,) = [ask.falls_at for ask in house.asks() if ask.seat == "a"]
    assert falls_at is not None
    house.go_to(falls_at)
    with open_session(house.settings) as session:
        assert [s.via for s in session.exec(select(HiddenAnswer)).all()] == ["clock"]
    after = seen_by(house.settings, house.players.match_id, "c")
    assert after == before
    for letter in "bc":
        answer(house, letter, rng)
    assert any("You let the deadline pass" in line for line in house.history("a"))


# --- a concession in secret -------------------------------------------------------------------------------------------------


def to_turns(house: House, rng: random.Random) -> tuple[str, str]:
    """Past the decks; whose Turn it is, and who comes next."""
    for seat in "abc":
        answer(house, seat, rng)
    with open_session(house.settings) as session:
        table = state_of(house.players.match(session)).table
        active = table.seats.index(table.active)
        return table.active, table.seats[(active + 1) % 3]


def offer(house: House, seat: str, word: str) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        submissions.submit(
            session, match, seat, f"offer-{seat}-{word}-{random.random()}".replace(".", ""), 0, "concession", Answer(word)
        )
    house.tick()


def test_a_queued_concession_shows_nowhere_but_to_its_earl(house: House, rng: random.Random) -> None:  # OR-TURN-6
    _, other = to_turns(house, rng)
    before = {r: seen_by(house.settings, house.players.match_id, r) for r in ("a", "b", "c", None) if r != other}
    offer(house, other, "queue")
    assert {r: seen_by(house.settings, house.players.match_id, r) for r in before} == before
    own = seen_by(house.settings, house.players.match_id, other)["page"]
    assert [o.options[0].id for o in own["offers"]] == ["withdraw"]
    assert any("concession was announced" in line.lower() for line in own["news"].sentences)
    offer(house, other, "withdraw")
    with open_session(house.settings) as session:
        assert session.exec(select(HiddenAnswer)).all() == []
    assert {r: seen_by(house.settings, house.players.match_id, r) for r in before} == before


def test_a_concession_takes_effect_and_the_log_verifies(house: House, rng: random.Random) -> None:
    active, other = to_turns(house, rng)
    offer(house, other, "queue")
    for _ in range(40):
        if house.players.asked() in ([], ["x"]) or "falls" in " ".join(house.history(active)).lower():
            break
        answer(house, house.players.asked()[0], rng)
        with open_session(house.settings) as session:
            if not state_of(house.players.match(session)).table.earls[other].alive:
                break
    with open_session(house.settings) as session:
        assert not state_of(house.players.match(session)).table.earls[other].alive
        assert session.exec(select(HiddenAnswer).where(HiddenAnswer.serial == 0)).all() == []
    house.command("operator", "end reason=Enough")
    with open_session(house.settings) as session:
        assert verify(replays.download(session, house.players.match(session), "a")).holds


def test_what_lies_sealed_goes_along_when_a_game_moves_house(house: House, rng: random.Random, tmp_path: Any) -> None:
    answer(house, "a", rng)
    assert "sealed_answers" in exports.TABLES
    written = exports.export(house.settings, house.players.match_id, tmp_path / "game.writ")
    assert written["sealed_answers"] == 1


# --- torn reads -------------------------------------------------------------------------------------------------------------


def test_a_log_is_never_read_with_another_positions_secrets(
    settings: Settings, sent: Sent, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While answers are played, others download the log: the position and the entries that they read belong together."""
    players = open_table(settings, 4)
    players.adjudicate()
    torn: list[str] = []
    reads = 0
    stop = threading.Event()
    real: Callable[..., Any] = stored_entries

    def slowly(session: Any, match_id: str) -> Any:
        stop.wait(0.01)  # a worker commits between the reading of the position and that of the log
        return real(session, match_id)

    monkeypatch.setattr(replays, "stored_entries", slowly)

    def read() -> None:
        nonlocal reads
        while not stop.is_set():
            with db.open_session(settings) as session:
                match = players.match(session)
                try:
                    list(replays.download(session, match, None))
                except ValueError as problem:
                    torn.append(str(problem))
                reads += 1

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(10):
        for seat in players.asked():
            players.submit(seat, rng)
            players.adjudicate()
    stop.set()
    for reader in readers:
        reader.join()
    print(f"{reads} logs read while answers were played")
    assert torn == [] and reads > 5


def test_the_words_for_a_returned_answer_are_there() -> None:
    told = chronicle.tell(None, chronicle.about_table("returned", why="It is too late."), {}, None)  # type: ignore[arg-type]  # no game is asked for it
    assert told.endswith("It is too late.")
