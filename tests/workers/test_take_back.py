"""Take-backs through the workers: what is restored, what leaves no trace, and what comes too late."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import SQLModel, col, select

from engine.core.asks import Answer, NotLegal, read
from engine.play.match import OFFER, TAKE_BACK, WITH_TAKE_BACKS, read_entry, read_header, verify
from service.errors import Stale
from service.games import lobby
from service.log import packing
from service.replay import checkpoints, replay_copy, viewer
from service.seat import seat_view, submissions, take_back
from service.seat.state import state_of
from service.settings import Settings
from service.store import database as db
from service.store.models import (
    AskRow,
    EntryRow,
    EventRow,
    Letter,
    LetterStatus,
    SeatRow,
    Submission,
    SubmissionStatus,
    new_id,
    now,
)
from service.store.seats import seats_of
from service.table import host, votes
from tests.service.conftest import Players, on_postgres, on_sqlite, open_table, person
from workers import adjudicate

CLOCK = ("seat", "bank", "turn_mark", "turn_left", "missed", "orders")
ASKED = ("seat", "serial", "kind", "opened_at", "answered_at", "allowed", "extended", "given", "recipe", "due_at", "falls_at")


def offered(players: Players, seat: str) -> take_back.Offered:
    with db.open_session(players.settings) as session:
        return take_back.offered(session, players.match(session), session.get(SeatRow, (players.match_id, seat)))


def send(players: Players, seat: str, step: str = "", key: str = "") -> str:
    """Queue a take-back of the seat's last answer; the submission's id."""
    step = step or offered(players, seat).step
    with db.transaction(players.settings) as session:
        given = Answer("back", {"step": step})
        return submissions.submit(session, players.match(session), seat, key or new_id(), OFFER, TAKE_BACK, given).id


def clocks_of(players: Players) -> tuple[list[Any], list[Any], list[Any]]:
    """Serial and position, clocks of seats, and all questions."""
    with db.open_session(players.settings) as session:
        match = players.match(session)
        seats = [tuple(getattr(row, name) for name in CLOCK) for row in seats_of(session, match)]
        asks = session.exec(select(AskRow).where(AskRow.match_id == match.id).order_by(AskRow.seat, col(AskRow.serial)))
        return [match.serial, state_of(match)], seats, [tuple(getattr(ask, name) for name in ASKED) for ask in asks]


def letters(players: Players, seat: str) -> dict[int, LetterStatus]:
    """The newest letter about each question."""
    with db.open_session(players.settings) as session:
        its = select(Letter).where(Letter.match_id == players.match_id, Letter.seat == seat, Letter.kind == "turn")
        return {letter.serial: letter.status for letter in session.exec(its.order_by(col(Letter.created_at), Letter.id))}


def log(players: Players) -> list[tuple[str, str, int, str]]:
    with db.open_session(players.settings) as session:
        rows = session.exec(select(EntryRow).where(EntryRow.match_id == players.match_id).order_by(col(EntryRow.n)))
        return [(row.actor, row.ask, row.serial, row.move) for row in rows]


def until_undoable(
    players: Players, rng: random.Random, wanted: Callable[[Players, str], bool] = lambda _p, _s: True
) -> tuple[str, Any]:
    """Play at random until a logged answer can be taken back; its seat, and the clocks before it."""
    for _ in range(400):
        seat = rng.choice(players.asked())
        before, n = clocks_of(players), len(log(players))
        players.submit(seat, rng)
        players.adjudicate()
        if offered(players, seat).step and len(log(players)) == n + 1 and wanted(players, seat):
            return seat, before
    raise AssertionError("no answer could be taken back")


def test_a_taken_back_answer_restores_position_and_clocks(table: Players, rng: random.Random) -> None:
    seat, before = until_undoable(table, rng)
    after = clocks_of(table)
    assert after != before
    asked = after[0][0]
    assert letters(table, seat)[asked] == LetterStatus.QUEUED
    n = len(log(table))
    key = send(table, seat)
    table.adjudicate()
    assert table.status(key) == SubmissionStatus.ACCEPTED
    assert clocks_of(table) == before
    assert log(table)[n:] == [(seat, TAKE_BACK, 0, f"back to={n - 1}")]
    assert letters(table, seat).get(asked) == LetterStatus.DROPPED or asked == before[0][0]
    assert letters(table, seat)[before[0][0]] == LetterStatus.QUEUED, "whoever leaves the page now is asked by a letter"
    with db.open_session(table.settings) as session:
        told = session.exec(select(EventRow).where(EventRow.match_id == table.match_id, EventRow.n == n + 1)).one()
        assert (told.kind, told.only_seats) == ("table.took_back", None)
        match = table.match(session)
        for reader in ("a", "b"):
            view = seat_view.load(session, match, reader)
            said = "You took your last step back." if reader == seat else "took the last step back."
            assert view is not None and any(said in line.gist for line in view.news.log)


def test_several_answers_are_taken_back_one_by_one(table: Players, rng: random.Random) -> None:
    seat, first = until_undoable(table, rng)
    for _ in range(60):
        if table.asked() != [seat]:
            seat, first = until_undoable(table, rng)
        second = clocks_of(table)
        table.submit(seat, rng)
        table.adjudicate()
        if offered(table, seat).step:
            break
        seat, first = until_undoable(table, rng)
    for before in (second, first):
        send(table, seat)
        table.adjudicate()
        assert clocks_of(table) == before


def everything_but(players: Players, seat: str) -> dict[str, list[str]]:
    """All that others could notice: every row of the game but the seat's own."""
    tables, found = SQLModel.metadata.tables, {}
    with db.open_session(players.settings) as session:
        for name in ("matches", "seats", "entries", "events", "asks", "letters"):
            columns = tables[name].columns
            rows = select(*columns) if "seat" not in columns else select(*columns).where(columns.seat != seat)
            found[name] = sorted(map(repr, session.execute(rows).all()))
        match = players.match(session)
        found["marks"] = [seat_view.load_mark(session, match, other) for other in ("a", "b") if other != seat]
    return found


def test_a_hidden_answer_is_taken_back_without_a_trace(table: Players, rng: random.Random) -> None:
    before, asked = clocks_of(table), everything_but(table, "a")
    table.submit("a", rng)
    table.adjudicate()
    assert table.asked() == ["b"] and everything_but(table, "a") == asked
    key = send(table, "a")
    table.adjudicate()
    assert table.status(key) == SubmissionStatus.ACCEPTED
    assert everything_but(table, "a") == asked and clocks_of(table) == before
    assert sorted(table.asked()) == ["a", "b"] and log(table) == []
    for seat in ("a", "b"):
        table.submit(seat, rng)
    table.adjudicate()
    assert [actor for actor, *_ in log(table)] == ["a", "b"]
    assert not offered(table, "a").step and not offered(table, "b").step, "what all can see stands"


def test_others_answers_never_show_in_the_button(table: Players, rng: random.Random) -> None:
    table.submit("a", rng)
    table.adjudicate()
    first = offered(table, "a").step
    table.submit("b", rng)
    send(table, "a")
    table.adjudicate()
    assert (first and log(table) != []) or table.asked() == ["a"]


def test_a_letter_that_has_left_makes_it_too_late(table: Players, rng: random.Random) -> None:
    seat, _ = until_undoable(table, rng)
    step, after = offered(table, seat).step, clocks_of(table)
    key = send(table, seat)
    with db.transaction(table.settings) as session:  # claimed after the form was sent
        its = (col(Letter.seat) == seat, col(Letter.status) == LetterStatus.QUEUED)
        session.execute(sa.update(Letter).where(*its).values(status=LetterStatus.SENDING))
    table.adjudicate()
    assert table.status(key) == SubmissionStatus.REFUSED and clocks_of(table) == after
    with db.open_session(table.settings) as session:
        found = session.get(Submission, key)
        assert found is not None and "a letter about it has left" in submissions.refusal_of(found)
    assert not offered(table, seat).step
    with pytest.raises(Stale, match="moved on"):
        send(table, seat, step)


@on_sqlite
def test_an_opponent_does_not_end_the_time_for_it_by_having_a_letter_sent(table: Players, rng: random.Random) -> None:
    """A vote's letter, or the question's own, which the host can send again."""
    seat, _ = until_undoable(table, rng)
    with db.transaction(table.settings) as session:
        votes.propose_pause(session, table.match(session), "b" if seat == "a" else "a", "1")
        vote = (col(Letter.seat) == seat, col(Letter.kind) == "vote")
        session.execute(sa.update(Letter).where(*vote).values(status=LetterStatus.SENT, sent_at=now()))
    for status in (LetterStatus.QUEUED, LetterStatus.GATHERED, LetterStatus.DROPPED):
        letter_becomes(table, seat, status)
        with db.transaction(table.settings) as session, pytest.raises(NotLegal, match="moved within the last half hour"):
            host.resend(session, table.match(session), seat)
        assert offered(table, seat).step
    assert send(table, seat)


@on_sqlite
@pytest.mark.parametrize("status", [LetterStatus.SENT, LetterStatus.GATHERED, LetterStatus.DROPPED])
def test_a_host_learns_of_no_digest_by_sending_letters_again(table: Players, rng: random.Random, status: LetterStatus) -> None:
    seat, _ = until_undoable(table, rng)
    letter_becomes(table, seat, status)
    visit = take_back.VISIT
    for later in (visit - timedelta(seconds=5), visit + timedelta(seconds=5)):
        refused = (
            pytest.raises(NotLegal, match="moved within the last half hour") if later < visit else contextlib.nullcontext()
        )
        with time_machine.travel(now() + later, tick=False), db.transaction(table.settings) as session, refused:
            host.resend(session, table.match(session), seat)


def letter_becomes(table: Players, seat: str, status: LetterStatus) -> None:
    with db.transaction(table.settings) as session:
        its = (col(Letter.seat) == seat, col(Letter.kind) == "turn", col(Letter.status) != LetterStatus.SENT)
        session.execute(sa.update(Letter).where(*its).values(status=status))


@on_postgres
def test_a_letter_that_is_being_claimed_is_waited_for(table: Players, rng: random.Random, settings: Settings) -> None:
    seat, _ = until_undoable(table, rng)
    key, after = send(table, seat), clocks_of(table)
    playing = threading.Thread(target=adjudicate.adjudicate, args=(settings, table.match_id))
    with db.transaction(settings) as session:
        its = (col(Letter.seat) == seat, col(Letter.status) == LetterStatus.QUEUED)
        session.execute(sa.update(Letter).where(*its).values(status=LetterStatus.SENDING))
        playing.start()
        time.sleep(0.3)
        assert playing.is_alive(), "the letter's row is locked"
    playing.join(20)
    assert table.status(key) == SubmissionStatus.REFUSED and clocks_of(table) == after


@on_sqlite
def test_no_time_is_gained_and_what_is_overdue_stands(table: Players, rng: random.Random) -> None:
    seat, before = until_undoable(table, rng)
    due = next(ask[ASKED.index("due_at")] for ask in before[2] if (ask[0], ask[1]) == (seat, before[0][0]))
    with time_machine.travel(now() + timedelta(minutes=10), tick=False):
        with db.transaction(table.settings) as session:  # no letter in this game
            session.execute(sa.update(Letter).values(status=LetterStatus.DROPPED))
        assert 0 < offered(table, seat).seconds <= 20 * 60
        step = offered(table, seat).step
        send(table, seat)
        table.adjudicate()
        assert clocks_of(table) == before
    assert due is not None
    seat, before = until_undoable(table, rng)
    key = send(table, seat)
    with time_machine.travel(due + timedelta(hours=40), tick=False):
        assert not offered(table, seat).step
        with db.transaction(table.settings) as session:
            session.execute(sa.update(Letter).values(status=LetterStatus.DROPPED))
        table.adjudicate()
    assert table.status(key) == SubmissionStatus.REFUSED and step


@on_sqlite
def test_two_presses_take_back_one_answer(table: Players, rng: random.Random) -> None:
    seat, before = until_undoable(table, rng)
    step = offered(table, seat).step
    key = send(table, seat)
    assert send(table, seat, step, key) == key
    with pytest.raises(Stale):
        send(table, seat, step)
    table.adjudicate()
    assert send(table, seat, step, key) == key
    with pytest.raises(Stale):
        send(table, seat, step)
    table.adjudicate()
    assert clocks_of(table) == before


@on_sqlite
def test_a_take_back_sent_with_the_next_answer_is_stale(table: Players, rng: random.Random) -> None:
    seat, _ = until_undoable(table, rng, lambda players, own: players.asked() == [own])
    step = offered(table, seat).step
    table.submit(seat, rng)
    key = send(table, seat, step)
    n = len(log(table))
    table.adjudicate()
    assert table.status(key) == SubmissionStatus.STALE and len(log(table)) > n
    assert all(ask != TAKE_BACK for _, ask, _, _ in log(table))


@on_sqlite
@pytest.mark.parametrize("ahead", [True, False])
def test_the_most_of_a_day_leaves_out_what_a_clock_that_ran_ahead_has_dated(
    table: Players, rng: random.Random, monkeypatch: pytest.MonkeyPatch, ahead: bool
) -> None:
    monkeypatch.setattr(take_back, "MOST_A_DAY", 1)
    seat, _ = until_undoable(table, rng)
    with db.transaction(table.settings) as session:
        at = time.time_ns() + ahead * 365 * 24 * 3600 * 1_000_000_000
        its: dict[str, Any] = {"match_id": table.match_id, "seat": seat, "serial": OFFER, "kind": TAKE_BACK, "via": "page"}
        session.add(Submission(id=new_id(), move="back", status=SubmissionStatus.ACCEPTED, order=at, **its))
    with contextlib.nullcontext() if ahead else pytest.raises(NotLegal, match="within a day"):
        send(table, seat)


@on_sqlite
def test_nobody_takes_back_for_another_or_where_it_is_switched_off(
    settings: Settings, sent: object, rng: random.Random
) -> None:
    with db.transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Strict", "ortus", 2, "open", take_back=False)
        lobby.join(session, match, person(session, "Bert"))
        players = Players(settings, match.id)
    players.adjudicate()
    with db.open_session(settings) as session:
        match = players.match(session)
        assert match.header is not None and read_header(match.header).writ == 1
    players.submit("a", rng)
    players.adjudicate()
    assert offered(players, "a") == take_back.Offered()
    with pytest.raises(Stale):
        send(players, "a", "x" * 32)


@on_sqlite
def test_another_seat_cannot_take_it_back(table: Players, rng: random.Random) -> None:
    seat, _ = until_undoable(table, rng)
    other = "b" if seat == "a" else "a"
    with pytest.raises(Stale):
        send(table, other, offered(table, seat).step)


@on_sqlite
def test_a_game_with_take_backs_verifies_packs_and_is_shown(settings: Settings, sent: object, rng: random.Random) -> None:
    players = open_table(settings)
    players.adjudicate()
    taken = 0
    for _ in range(3000):
        asked = players.asked()
        if not asked:
            break
        seat = rng.choice(asked)
        players.submit(seat, rng)
        players.adjudicate()
        while taken < 40 and offered(players, seat).step and rng.random() < 0.6:
            send(players, seat)
            players.adjudicate()
            taken = sum(ask == TAKE_BACK for _, ask, _, _ in log(players))
    assert taken >= 10
    with db.open_session(settings) as session:
        match = players.match(session)
        lines = [*replay_copy.download(session, match, None)]
        header, entries = read_header(lines[0]), [read_entry(i, line) for i, line in enumerate(lines[1:], 2)]
        verdict = verify(lines)
        assert verdict.holds, verdict.sentence
        assert header.writ == WITH_TAKE_BACKS and sum(e.ask == TAKE_BACK for e in entries) == taken
        back = next(e for e in entries if e.ask == TAKE_BACK)
        to = read(back.move or "").number("to")
        before = checkpoints.step(session, match, to)
        shown = checkpoints.step(session, match, back.n)
        assert repr(shown.state.table) == repr(before.state.table)
        reader = viewer.Reader(viewer.OPEN)
        moment = viewer.at(
            session, match, reader, back.n, viewer.last_of(session, match), viewer.names_at(session, match, reader)
        )
        assert next(part.words for part in moment.told).endswith("took the last step back.")
    with db.transaction(settings) as session:
        assert packing.pack(session, players.match_id)
    with db.open_session(settings) as session:
        match = players.match(session)
        assert [*replay_copy.download(session, match, None)] == lines
        assert repr(checkpoints.step(session, match, back.n).state.table) == repr(shown.state.table)


@on_sqlite
def test_a_digest_that_was_made_meanwhile_makes_it_too_late(table: Players, rng: random.Random) -> None:
    seat, _ = until_undoable(table, rng)
    with db.transaction(table.settings) as session:
        its = (col(Letter.seat) == seat, col(Letter.status) == LetterStatus.QUEUED)
        session.execute(sa.update(Letter).where(*its).values(status=LetterStatus.GATHERED))
    assert offered(table, seat).step, "gathered letters can still be dropped"
    key, after = send(table, seat), clocks_of(table)
    with db.transaction(table.settings) as session:
        its = (col(Letter.seat) == seat, col(Letter.status) == LetterStatus.GATHERED)
        session.execute(sa.update(Letter).where(*its).values(status=LetterStatus.DROPPED, digest_id="d" * 32))
    table.adjudicate()
    assert table.status(key) == SubmissionStatus.REFUSED and clocks_of(table) == after
