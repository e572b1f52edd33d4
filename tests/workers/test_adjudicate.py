"""Adjudication: once, whole, or not at all; and a game to its end."""

from __future__ import annotations

import operator
import random
import sqlite3
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session, SQLModel, col, func, select

from engine.games import GAMES
from engine.play import match as matches
from service.log import entries as log_rows
from service.post import letters, links
from service.replay import history, replay_copy
from service.seat import seat_view, submissions
from service.seat.seat_view import load
from service.seat.state import state_of
from service.settings import Settings
from service.store import database as db
from service.store import queue
from service.store.models import Account, AskRow, EntryRow, EventRow, HiddenAnswer, Letter, Match, Submission, SubmissionStatus
from service.store.seats import by_match_id, seats_of
from service.table import talk, votes
from tests.service.conftest import Players, on_postgres, on_sqlite, open_table, statements
from workers import adjudicate, questions, save

TABLES = ("matches", "seats", "entries", "sealed_answers", "events", "asks", "submissions", "letters", "links")


def everything(settings: Settings) -> dict[str, list[Any]]:
    """Every row of every table of the game."""
    with db.open_session(settings) as session:
        tables = SQLModel.metadata.tables
        return {t: sorted(map(repr, session.execute(select(*tables[t].columns)).all())) for t in TABLES}


def entries(session: Session, players: Players) -> int:
    return session.exec(select(func.count()).select_from(EntryRow).where(EntryRow.match_id == players.match_id)).one()


def sealed(session: Session, players: Players) -> list[HiddenAnswer]:
    """The answers that lie sealed outside the log."""
    return list(session.exec(select(HiddenAnswer).where(HiddenAnswer.match_id == players.match_id)))


# --- opening ----------------------------------------------------------------------------------------------------------


def test_a_full_table_is_opened_and_everybody_is_told(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    players = open_table(settings, people=2, bots=1)
    assert sent == [(queue.ADJUDICATE, players.match_id)]
    players.adjudicate()
    assert [letter.to_address for letter in players.letters("started")] == ["anna@example.org", "bert@example.org"]
    assert players.letters("turn") == []  # the first letter asks already
    with db.open_session(settings) as session:
        assert players.match(session).snapshot is not None


@on_sqlite
def test_opening_twice_is_once(table: Players, settings: Settings) -> None:
    before = everything(settings)
    table.adjudicate()
    table.adjudicate()
    assert everything(settings) == before


def test_a_game_that_does_not_exist_is_passed_over(settings: Settings) -> None:
    adjudicate.adjudicate(settings, "0" * 32)


# --- once -------------------------------------------------------------------------------------------------------------


@on_sqlite
def test_a_task_that_runs_twice_plays_once(table: Players, settings: Settings, rng: random.Random) -> None:
    key = table.submit(table.asked()[0], rng)
    table.adjudicate()
    assert table.status(key) == "accepted"
    before = everything(settings)
    table.adjudicate()
    assert everything(settings) == before


def test_two_workers_at_once_play_once(table: Players, settings: Settings, rng: random.Random) -> None:
    seats = table.asked()
    for seat in seats:
        table.submit(seat, rng)
    workers = [threading.Thread(target=table.adjudicate) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with db.open_session(settings) as session:
        assert entries(session, table) == len(seats)
        statuses = session.exec(select(Submission.status).where(Submission.match_id == table.match_id)).all()
        assert statuses == ["accepted"] * len(seats)


def test_a_held_answer_that_a_worker_plays_just_now_is_not_taken_back(table: Players, settings: Settings) -> None:
    its: dict[str, Any] = {"match_id": table.match_id, "seat": "a", "serial": -5, "kind": "trade", "via": "page", "order": 1}
    with db.transaction(settings) as session:
        session.add(Submission(id="held", move="refuse", status=SubmissionStatus.HELD, **its))

    def take_back() -> None:
        with db.transaction(settings) as session:
            submissions.take_back(session, table.match(session), "a", -5, "trade")

    with db.transaction(settings) as playing:
        playing.execute(adjudicate.LOCKED, {"match": table.match_id})
        playing.get_one(Submission, "held").status = SubmissionStatus.ACCEPTED
        playing.flush()
        late = threading.Thread(target=take_back)
        late.start()
        late.join(1)
    late.join()
    assert table.status("held") == "accepted"


@on_sqlite
def test_of_two_answers_to_one_question_the_first_counts(table: Players, settings: Settings, rng: random.Random) -> None:
    seat = table.asked()[0]
    first = table.submit(seat, rng)
    with db.open_session(settings) as session:
        one = session.get(Submission, first)
    table.adjudicate()
    with db.transaction(settings) as session:  # a second one that was posted before the first was taken up
        assert one is not None and one.status == "queued"
        double = Submission(**{**one.model_dump(), "id": "second-of-two-answers", "order": one.order + 1})
        session.add(double)
    table.adjudicate()
    assert (table.status(first), table.status("second-of-two-answers")) == ("accepted", "stale")
    with db.open_session(settings) as session:
        assert [s.seat for s in sealed(session, table)] == [seat]


def test_an_illegal_answer_is_refused_with_a_sentence_and_changes_nothing(table: Players, settings: Settings) -> None:
    seat = table.asked()[0]
    with db.transaction(settings) as session:
        state = state_of(table.match(session))
        broken = {"one": "conquer everything=1", "two": "((", "three": ""}
        posted = [(key, seat, move) for key, move in broken.items()] + [("four", "f", "end")]
        id, serial = table.match_id, state.serial
    for key, by, move in posted:
        with db.transaction(settings) as session:
            session.add(Submission(id=key, match_id=id, seat=by, serial=serial, kind="deck", move=move, via="page"))
        table.adjudicate()
    with db.open_session(settings) as session:
        assert entries(session, table) == 0
        for key in broken:
            found = session.get(Submission, key)
            assert found is not None and found.status == "refused" and found.refusal and found.done_at
        assert table.status("four") == "stale"


# --- whole or not at all ----------------------------------------------------------------------------------------------

STAGES = [
    *((adjudicate, stage) for stage in ("load", "_queued", "_take")),
    (log_rows, "store"),
    (save, "write_snapshot"),
    (questions, "write"),
    (save, "_owe_letters"),
]


class Killed(BaseException):
    """A worker that dies; no handler of ours may catch it."""


@on_sqlite
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("where", "stage"), STAGES)
def test_a_worker_that_dies_leaves_nothing_half_done(
    table: Players, settings: Settings, sent: list[tuple[str, ...]], rng: random.Random, monkeypatch: pytest.MonkeyPatch,
    where: ModuleType, stage: str, when: str,
) -> None:  # fmt: skip
    keys = [table.submit(seat, rng) for seat in table.asked()]
    before = everything(settings)
    sent.clear()
    whole = getattr(where, stage)

    def dies(*args: Any, **more: Any) -> Any:
        if when == "after":
            whole(*args, **more)
            args[0].flush() if isinstance(args[0], Session) else None
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(where, stage, dies)
        with pytest.raises(Killed):
            table.adjudicate()
    assert everything(settings) == before
    assert sent == []  # no letter leaves for what did not happen
    table.adjudicate()
    assert [table.status(key) for key in keys] == ["accepted"] * len(keys)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_worker_that_dies_as_it_writes_has_written_all_or_nothing(
    table: Players, settings: Settings, rng: random.Random, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    seats = table.asked()
    keys = [table.submit(seat, rng) for seat in seats]
    before = everything(settings)
    whole = save._write_together

    def dies(session: Session) -> None:
        if when == "after":
            whole(session)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(save, "_write_together", dies)
        with pytest.raises(Killed):
            table.adjudicate()
    assert everything(settings) == before
    table.adjudicate()
    assert [table.status(key) for key in keys] == ["accepted"] * len(keys)
    with db.open_session(settings) as session:
        assert entries(session, table) == len(seats)


@on_sqlite
def test_a_letter_that_cannot_be_owed_leaves_nothing_half_done(
    settings: Settings, sent: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    players = open_table(settings)
    before = everything(settings)
    with monkeypatch.context() as patch:
        patch.setattr(letters, "subject_of", lambda _match: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            players.adjudicate()
    assert everything(settings) == before
    players.adjudicate()
    assert len(players.letters("started")) == 2


# --- append-only ------------------------------------------------------------------------------------------------------

TAMPERING = [
    "UPDATE entries SET move = 'end'",
    "UPDATE entries SET hash = hash",
    "DELETE FROM entries",
    "DELETE FROM entries WHERE n = 1",
    "UPDATE events SET kind = 'x'",
    "DELETE FROM events",
]
ONLY = {
    "sqlite": ["INSERT OR REPLACE INTO entries SELECT * FROM entries", "REPLACE INTO events SELECT * FROM events"],
    "postgresql": [
        "TRUNCATE entries",
        "TRUNCATE events",
        "INSERT INTO entries SELECT * FROM entries ON CONFLICT (match_id, n) DO UPDATE SET move = 'end'",
    ],
}


def test_the_database_itself_refuses_to_change_the_log(table: Players, settings: Settings, rng: random.Random) -> None:
    for seat in table.asked():
        table.submit(seat, rng)
    table.adjudicate()
    before = everything(settings)
    assert before["entries"] and before["events"]
    engine = db.engine_for(settings)
    for statement in TAMPERING + ONLY[engine.dialect.name]:
        with pytest.raises(DatabaseError, match="append-only"), engine.begin() as connection:
            connection.execute(text(statement))
    assert everything(settings) == before


def test_a_number_stands_in_the_log_once(table: Players, settings: Settings, rng: random.Random) -> None:
    for seat in table.asked():
        table.submit(seat, rng)
    table.adjudicate()
    with pytest.raises(DatabaseError), db.engine_for(settings).begin() as connection:
        connection.execute(text("INSERT INTO entries SELECT * FROM entries"))


# --- caches -----------------------------------------------------------------------------------------------------------


def looks(settings: Settings, table: Players) -> list[object]:
    """What every seat and a spectator see."""
    shown = operator.attrgetter("view", "form", "offers", "proposals", "waits", "news", "waiting", "serial", "n", "head")
    with db.open_session(settings) as session:
        return [shown(load(session, table.match(session), seat)) for seat in ("a", "b", "")]


@on_sqlite
def test_a_dropped_snapshot_is_built_again_from_the_log(table: Players, settings: Settings, rng: random.Random) -> None:
    for _ in range(12):
        before, seen = everything(settings), looks(settings, table)
        with db.transaction(settings) as session:
            match = table.match(session)
            match.snapshot = None
            session.add(match)
        assert looks(settings, table) == seen, "pages go on without it"
        table.adjudicate()
        assert everything(settings) == before
        asked = table.asked()
        if not asked:
            break
        table.submit(asked[0], rng)
        table.adjudicate()


@on_sqlite
def test_a_broken_snapshot_is_replaced(table: Players, settings: Settings) -> None:
    before = everything(settings)
    with db.transaction(settings) as session:
        match = table.match(session)
        match.snapshot = b"\xc1 no MessagePack"
        session.add(match)
    table.adjudicate()
    assert everything(settings) == before


# --- what it costs ----------------------------------------------------------------------------------------------------


def test_a_plain_move_is_played_and_written_in_eleven_statements(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    players = open_table(settings, people=4)
    players.adjudicate()
    counted: list[int] = []
    for _ in range(16):
        seat = players.asked()[0]
        players.submit(seat, rng)
        with statements(settings) as said:
            players.adjudicate()
        counted.append(len([s for s in said if not s.startswith(("BEGIN", "PRAGMA", "SAVEPOINT"))]))
    # Decks lie sealed until the last is in; after that a move is a move.
    assert max(counted[5:]) <= 11, counted


# --- what a seat may know ---------------------------------------------------------------------------------------------


def test_a_sealed_answer_shows_in_nothing_of_the_other_seat(table: Players, settings: Settings, rng: random.Random) -> None:
    first, second = table.asked()  # both choose their decks at once
    with db.open_session(settings) as session:
        before = seat_view.load(session, table.match(session), second)
        lines = list(replay_copy.download(session, table.match(session), second))
        old = history.page(session, table.match(session), second)
    table.submit(first, rng)
    table.adjudicate()
    with db.open_session(settings) as session:
        assert entries(session, table) == 0 and [s.seat for s in sealed(session, table)] == [first]
        after = seat_view.load(session, table.match(session), second)
        assert after is not None and before is not None
        for name in ("view", "form", "offers", "news", "serial", "n", "head", "pending"):
            assert getattr(after, name) == getattr(before, name), name
        assert list(replay_copy.download(session, table.match(session), second)) == lines
        assert history.page(session, table.match(session), second) == old
    assert table.letters("turn") == []


def test_no_letter_or_page_holds_another_seats_hand(table: Players, settings: Settings, rng: random.Random) -> None:
    game = GAMES["ortus"]
    for _ in range(12):
        with db.open_session(settings) as session:
            match = table.match(session)
            if match.status != "running":
                break
            state = state_of(match)
            for seat in ("a", "b", ""):
                seen = load(session, match, seat)
                assert seen is not None and seen.view == game.rules.view(state, seat or None)
                assert all(form.seat == seat for form in [*seen.offers, *([seen.form] if seen.form else [])])
        for seat in table.asked():
            table.submit(seat, rng)
        table.adjudicate()


HOLD: list[Callable[[Session, str], object]] = [
    lambda session, id: session.execute(adjudicate.LOCKED, {"match": id}),
    votes._locked,
    lambda session, id: talk.thread_of(session, by_match_id(session, id), ""),
]
"""Those who hold a running game."""


@on_postgres
@pytest.mark.parametrize("hold", HOLD, ids=("adjudication", "vote", "first message"))
def test_what_refers_to_a_game_is_written_while_somebody_holds_it(
    hold: Callable[[Session, str], object], table: Players, settings: Settings, rng: random.Random
) -> None:
    """Else whoever sends a letter, which holds its row, waits for a run that is to drop it and waits for the row."""
    with db.transaction(settings) as holding:
        hold(holding, table.match_id)
        with db.transaction(settings) as other:
            other.execute(text("SET LOCAL lock_timeout = '5s'"))
            match = table.match(other)
            seat = seats_of(other, match)[0]
            account = other.get(Account, seat.account_id)
            assert account is not None
            links.turn_link(other, match, seat)
            letters.owe(other, "reminder", match, seat, account, serial=1)
            other.flush()
        table.submit(table.asked()[0], rng)


# --- letters and asks -------------------------------------------------------------------------------------------------


def test_who_is_asked_anew_gets_one_letter_and_it_is_dropped_when_answered(
    table: Players, settings: Settings, rng: random.Random
) -> None:
    for seat in table.asked():
        table.submit(seat, rng)
    table.adjudicate()
    table.adjudicate()
    asked = table.asked()
    turn = table.letters("turn")
    assert sorted(letter.seat for letter in turn) == asked and {letter.status for letter in turn} == {"queued"}
    for seat in asked:
        table.submit(seat, rng)
    table.adjudicate()
    with db.open_session(settings) as session:
        assert all(found.status == "dropped" for letter in turn if (found := session.get(Letter, letter.id)))
        unanswered = session.exec(select(AskRow.seat).where(col(AskRow.answered_at).is_(None))).all()
        assert sorted(unanswered) == table.asked()


@on_sqlite
def test_every_letter_of_a_game_is_in_one_thread_a_reader(over: Players) -> None:
    for seat in "ab":
        own = [x for kind in ("started", "turn", "over") for x in over.letters(kind) if x.seat == seat and x.text]
        assert own and len({x.subject for x in own}) == len(own), "each says what it is"
        assert len({x.headers["References"] for x in own}) == 1
        assert len({x.message_id for x in own}) == len(own)
        assert all(x.headers["Auto-Submitted"] == "auto-generated" for x in own)


# --- a whole game -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("people", "bots", "settings"), [(2, 0, "sqlite"), (2, 0, "postgres"), (2, 4, "sqlite")], indirect=["settings"]
)
def test_a_game_is_played_to_its_end_and_its_log_holds(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random, people: int, bots: int
) -> None:
    played_to_its_end(settings, rng, people, bots)


@on_sqlite
def test_a_game_of_six_is_played_to_its_end_and_its_log_holds(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    played_to_its_end(settings, rng, people=6, bots=0)


def played_to_its_end(settings: Settings, rng: random.Random, people: int, bots: int) -> None:
    players = open_table(settings, people, bots)
    players.adjudicate()
    players.finish(rng)
    with db.open_session(settings) as session:
        match = players.match(session)
        assert match.status == "finished" and match.finished_at and match.outcome
        lines = list(replay_copy.download(session, match, None))
        verdict = matches.verify(lines)
        assert verdict.holds, verdict.sentence
        assert list(verdict.winners) == match.outcome["winners"]
        assert verdict.entries == entries(session, players)
        assert match.head == msgspec.json.decode(lines[-1])["hash"]
        assert session.exec(select(AskRow).where(col(AskRow.answered_at).is_(None))).all() == []
        told = session.exec(select(func.count()).select_from(EventRow)).one()
        assert told > verdict.entries / 2
    assert len(players.letters("over")) == people
    before = everything(settings)
    players.adjudicate()
    assert everything(settings) == before


def test_bots_that_play_long_give_the_lock_back_and_are_taken_up_again(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = open_table(settings, people=1, bots=5)
    monkeypatch.setattr(adjudicate, "BOTS_SECONDS", 0.02)
    commits = []
    once = adjudicate._go_on

    def go_on(*given: Any) -> Any:
        commits.append(1)
        return once(*given)

    monkeypatch.setattr(adjudicate, "_go_on", go_on)
    players.adjudicate()
    players.finish(rng)
    with db.open_session(settings) as session:
        assert players.match(session).status == "finished"
        assert matches.verify(replay_copy.download(session, players.match(session), None)).holds
    assert len(commits) > len(players.letters("turn")) + 1


@on_sqlite
def test_what_comes_after_the_end_is_told_so(over: Players, settings: Settings) -> None:
    with db.transaction(settings) as session:
        late = Submission(id="late", match_id=over.match_id, seat="a", serial=1, kind="turn", move="end", via="page", order=1)
        session.add(late)
    over.adjudicate()
    with db.open_session(settings) as session:
        found = session.get(Submission, "late")
        assert found is not None and found.status == "stale" and "over" in found.refusal


@on_sqlite
def test_writers_take_the_lock_at_the_start_of_their_transaction(settings: Settings) -> None:
    with db.transaction(settings) as session:
        session.exec(select(Match)).all()  # no write yet
        other = sqlite3.connect(settings.data_folder / "writ.db", timeout=0.01)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()
