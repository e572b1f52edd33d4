"""Answers on their way in: what counts, what counts once, and what is refused at once."""

from __future__ import annotations

import random
import threading

import pytest
from sqlalchemy import insert
from sqlmodel import Session, select

from engine.core import procedure
from engine.core.asks import Answer, NotLegal, NotUnderstood, Refused, write
from service.errors import NotAllowed, NotFound, Stale
from service.games import listings
from service.people import accounts
from service.replay import history
from service.seat import seat_view, submissions
from service.seat.state import state_of
from service.settings import Settings
from service.store import database as db
from service.store import queue
from service.store.models import MatchStatus, Submission, new_id
from tests.service.conftest import Players, on_sqlite, open_table

KEY = "0123456789abcdef"


def ready(table: Players, rng: random.Random) -> None:
    """Past the decks: one seat is asked for its turn."""
    for seat in table.asked():
        table.submit(seat, rng)
    table.adjudicate()
    assert len(table.asked()) == 1


@on_sqlite
def test_the_page_shows_the_question_and_what_is_on_its_way(table: Players, settings: Settings, rng: random.Random) -> None:
    with db.open_session(settings) as session:
        page = seat_view.load(session, table.match(session), "a")
        assert page is not None and page.form is not None and page.pending is None and page.form.serial == page.serial
        assert page.names == {"a": "Anna", "b": "Bert"}
    key = table.submit("a", rng)
    with db.open_session(settings) as session:
        page = seat_view.load(session, table.match(session), "a")
        assert page is not None and page.pending is not None and page.pending.id == key
        other = seat_view.load(session, table.match(session), "b")
        assert other is not None and other.pending is None


def test_there_is_no_page_before_the_workers_have_opened_the_game(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    players = open_table(settings)
    with db.open_session(settings) as session:
        assert seat_view.load(session, players.match(session), "a") is None
        with pytest.raises(NotFound, match="opens in a moment"):
            state_of(players.match(session))


def test_a_doubled_post_counts_once(
    table: Players, settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    sent.clear()
    assert table.submit("a", rng, KEY) == table.submit("a", rng, KEY) == KEY
    assert sent == [(queue.ADJUDICATE, table.match_id)]
    table.adjudicate()
    assert table.submit_again("a", KEY) == "accepted"  # long after: already done
    with db.open_session(settings) as session:
        assert len(session.exec(select(Submission)).all()) == 1


def test_a_second_form_is_refused_while_the_first_is_on_its_way(table: Players, rng: random.Random) -> None:
    table.submit("a", rng)
    with pytest.raises(Stale, match="on its way already"):
        table.submit("a", rng)


def test_of_two_forms_at_the_same_moment_the_first_counts(
    table: Players, settings: Settings, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.transaction(settings) as session:
        match = table.match(session)
        ask = procedure.ask_of(state_of(match), "a")

        def overtaken(answer: Answer) -> str:
            """The other form's row is there after this one has looked for it, and before it is written."""
            first = Submission(id=KEY, match_id=match.id, seat="a", serial=1, kind="deck", move=write(answer), via="page")
            session.execute(insert(Submission), first.model_dump())
            return write(answer)

        monkeypatch.setattr("service.seat.submissions.write", overtaken)
        with pytest.raises(Stale, match="on its way already"):
            submissions.submit(session, match, "a", new_id(), 1, "deck", ask.default)
    with db.open_session(settings) as session:
        assert [row.id for row in session.exec(select(Submission))] == [KEY]


@pytest.mark.parametrize("same", [True, False])
def test_of_two_posts_at_the_same_moment_one_is_written(table: Players, settings: Settings, same: bool) -> None:
    """Both have looked, and found nothing on its way, before either writes."""
    keys = [KEY, KEY if same else new_id()]
    both, found = threading.Barrier(2), dict[int, str]()

    def post(n: int) -> None:
        with db.open_session(settings) as session:
            match = table.match(session)
            answer, rows = procedure.ask_of(state_of(match), "a").default, seat_view.load_rows(session, match, "a")
            assert not rows.sent
        both.wait(10)
        try:
            with db.transaction(settings) as session:
                found[n] = submissions.submit(session, match, "a", keys[n], 1, "deck", answer, rows=rows).id
        except Stale as refusal:
            found[n] = str(refusal)

    posts = [threading.Thread(target=post, args=(n,)) for n in (0, 1)]
    for one in posts:
        one.start()
    for one in posts:
        one.join()
    with db.open_session(settings) as session:
        written = [row.id for row in session.exec(select(Submission))]
    later = KEY if same else "An answer of yours to this question is on its way already; it counts."
    assert len(written) == 1 and sorted(found.values()) == sorted([written[0], later])


def test_the_key_of_another_seat_is_refused(table: Players, rng: random.Random) -> None:
    table.submit("a", rng, KEY)
    with pytest.raises(NotAllowed, match="another seat"):
        table.submit("b", rng, KEY)


@on_sqlite
@pytest.mark.parametrize("key", ["", "short", "x" * 65, "0123456789abcde/", "0123456789abcdef\n"])
def test_a_broken_key_is_refused(table: Players, settings: Settings, key: str) -> None:
    with db.transaction(settings) as session, pytest.raises(NotUnderstood, match="key"):
        submissions.submit(session, table.match(session), "a", key, 1, "deck", Answer("deck"))


@on_sqlite
def test_a_stale_form_is_refused(table: Players, settings: Settings, rng: random.Random) -> None:
    ready(table, rng)
    asked = table.asked()[0]
    with db.transaction(settings) as session:
        match = table.match(session)
        state = state_of(match)
        answer = procedure.ask_of(state, asked).default
        kind = procedure.ask_of(state, asked).kind
        for serial, of in (
            (state.serial - 1, kind),
            (state.serial + 1, kind),
            (-1, kind),
            (10**12, kind),
            (-(10**12), kind),
            (state.serial, kind + "\0"),
            (state.serial, "deck"),
        ):
            with pytest.raises(Stale, match="moved on" if serial > 0 else "no longer open"):
                submissions.submit(session, match, asked, new_id(), serial, of, answer)
        assert session.exec(select(Submission).where(Submission.status == "queued")).all() == []


@on_sqlite
def test_a_seat_that_is_not_asked_is_refused(table: Players, settings: Settings, rng: random.Random) -> None:
    ready(table, rng)
    other = "b" if table.asked() == ["a"] else "a"
    with db.transaction(settings) as session:
        match = table.match(session)
        state = state_of(match)
        with pytest.raises(Stale):
            submissions.submit(session, match, other, new_id(), state.serial, "turn", Answer("end"))


def test_a_plainly_illegal_answer_is_refused_at_once_with_what_would_be_right(
    table: Players, settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    ready(table, rng)
    sent.clear()
    seat = table.asked()[0]
    with db.transaction(settings) as session:
        match = table.match(session)
        state = state_of(match)
        kind = procedure.ask_of(state, seat).kind
        for answer, sentence in (
            (Answer("conquer"), "You can: "),
            (Answer("end", {"surely": "yes"}), "has no field"),
            (Answer("x" * 10_000), "not open to you"),
        ):
            with pytest.raises(Refused, match=sentence):
                submissions.submit(session, match, seat, new_id(), state.serial, kind, answer)
        with pytest.raises(NotLegal):
            submissions.submit(session, match, seat, new_id(), 0, "no-such-offer", Answer("queue"))
        assert session.exec(select(Submission).where(Submission.status == "queued")).all() == []
    assert sent == []


@pytest.mark.parametrize(("status", "words"), [("finished", "is over"), ("cancelled", "called off"), ("lobby", "not started")])
def test_an_answer_to_a_game_that_does_not_run_is_refused(table: Players, settings: Settings, status: str, words: str) -> None:
    with db.transaction(settings) as session:
        match = table.match(session)
        match.status = MatchStatus(status)
        with pytest.raises(Stale, match=words):
            submissions.submit(session, match, "a", KEY, 1, "deck", Answer("deck"))
        session.rollback()


def test_waiting_ends_with_the_workers_word_or_in_time(table: Players, settings: Settings, rng: random.Random) -> None:
    key = table.submit("a", rng)
    with db.open_session(settings) as session:
        found = submissions.wait(session, key, 0.1)
        assert found is not None and found.status == "queued"
        table.adjudicate()
        found = submissions.wait(session, key, 5)
        assert found is not None and found.status == "accepted"
        assert submissions.wait(session, "unknown", 5) is None


def test_a_quick_worker_costs_one_poll(
    table: Players, settings: Settings, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, poll, polled = table.submit("a", rng), submissions._poll, list[str]()

    def noted(session: Session, id: str) -> submissions.Decision | None:
        polled.append(id)
        return poll(session, id)

    monkeypatch.setattr(submissions, "_poll", noted)
    monkeypatch.setattr("service.seat.submissions.time.sleep", lambda _: table.adjudicate())
    with db.open_session(settings) as session:
        found = submissions.wait(session, key)
    assert found is not None and found.status == "accepted" and polled == [key]


def test_while_as_many_wait_as_may_the_next_is_told_at_once(
    table: Players, settings: Settings, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, places = table.submit("a", rng), submissions.MOST_WAIT
    polled, poll = list[str](), submissions._poll

    def noted(session: Session, id: str) -> submissions.Decision | None:
        polled.append(id)
        return poll(session, id)

    monkeypatch.setattr(submissions, "_poll", noted)
    with db.open_session(settings) as session:
        for _ in range(places + 1):  # each gives its place back
            submissions.wait(session, key, 0)
        assert polled == [key] * (places + 1)
        monkeypatch.setattr(submissions, "MOST_WAIT", 0)
        found = submissions.wait(session, key, 5)
        assert found is not None and found.status == "queued" and len(polled) == places + 1


def test_the_history_tells_each_reader_what_they_may_know(table: Players, settings: Settings, rng: random.Random) -> None:
    table.finish(rng)
    with db.open_session(settings) as session:
        match = table.match(session)
        told = {seat: history.page(session, match, seat, 1) for seat in ("a", "b", None)}
        assert told["a"] != told["b"] != told[None]
        for page in told.values():
            assert page.lines and page.page == 1
        first = history.page(session, match, "a", 1)
        numbers = [n for n, _ in first.lines if n is not None]
        assert len(numbers) == len(first.lines)
        assert numbers == sorted(numbers) and history.page(session, match, "a", -5).page == 1
        assert history.page(session, match, "a", 10**6).page == first.pages
        assert listings.page_of_games(session, accounts.by_id(session, match.host_id))[0][0].asked is False
