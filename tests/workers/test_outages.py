"""Outages cost nobody a turn: the service was down, no letter could leave, or both."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlmodel import Session, col, select

from engine.play.match import DEFAULT
from service.clock import deadlines, standstill
from service.clock import pace as paces
from service.games import lobby
from service.ops import metrics
from service.people import accounts
from service.post import links, pacing, relay
from service.seat import halting
from service.settings import Settings
from service.store import limits
from service.store.database import open_session, transaction
from service.store.models import (
    Account,
    AskRow,
    Beat,
    HiddenAnswer,
    Letter,
    Link,
    Match,
    Message,
    Notice,
    Quota,
    RelayFailure,
    SeatRow,
    Standstill,
    Submission,
    SubmissionStatus,
    Vote,
    new_id,
    now,
)
from service.table import absences, commands, host, notices, talk, votes
from tests.house import HOUR, START, Deed, House, Sent, do
from tests.service.conftest import Sink, on_postgres, on_sqlite, person
from workers import adjudicate, load, outages

DAY = timedelta(days=1)


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock)


@pytest.fixture
def mailing(house: House) -> House:
    """A house whose relay can fail; letters go nowhere."""
    house.settings = house.players.settings = house.settings.model_copy(update={"smtp_url": "smtp://127.0.0.1:1"})
    return house


def set_pace(house: House, **changes: object) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        match.pace = {**paces.stored(paces.of(match.pace)), **changes}
        session.add(match)


def down(house: House, span: timedelta) -> None:
    """An outage of the service that begins now."""
    with transaction(house.settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=now()))
    house.clock.shift(span)
    house.tick()


def mail(house: House, works: bool) -> None:
    with transaction(house.settings) as session:
        if works:
            relay.accepted(session)
        else:
            relay.failed(session, None)
        outages.wake(session)


def beating(house: House, span: timedelta) -> None:
    """Let time go by in which the service runs, but no letter is tried."""
    house.clock.shift(span)
    with transaction(house.settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=now()))
    adjudicate.adjudicate(house.settings, house.players.match_id)
    with transaction(house.settings) as session:
        outages.wake(session)


def dues(house: House) -> set[datetime | None]:
    return {ask.due_at for ask in house.asks()}


def told(house: House) -> list[str]:
    return [line for line in house.history(None) if "deadlines moved" in line]


# --- the service was down ---------------------------------------------------------------------------------------------


@on_sqlite
def test_deadlines_move_by_the_outage_and_one_letter_a_player_says_so(house: House) -> None:
    down(house, 5 * HOUR)
    assert dues(house) == {START + 29 * HOUR}
    assert told(house) == [
        "This service was down from Tue 24 Nov 2026, 09:00 UTC until Tue 24 Nov 2026, 14:00 UTC. That time doesn’t count: "
        "deadlines moved."
    ]
    assert sorted(letter.seat for letter in house.letters("outage")) == ["a", "b"]
    (letter,) = house.letters("outage", "a")
    assert "you can now answer until Wed 25 Nov 2026, 14:00 UTC" in " ".join(letter.text.split())
    assert house.letters("reminder") == []
    house.tick()
    assert dues(house) == {START + 29 * HOUR} and len(house.letters("outage")) == 2, "once"


@on_sqlite
def test_a_short_outage_is_told_in_the_history_alone(house: House) -> None:
    down(house, timedelta(minutes=10))
    assert dues(house) == {START + DAY + timedelta(minutes=10)}
    assert len(told(house)) == 1 and house.letters("outage") == []


@on_sqlite
def test_at_least_the_grace_is_left_and_after_half_a_day_of_outage_half_a_day(house: House) -> None:
    house.go_to(START + DAY - timedelta(minutes=1))
    down(house, 2 * HOUR)
    assert dues(house) == {now() + HOUR}
    house.go_to(now() + timedelta(minutes=59))
    down(house, 13 * HOUR)
    assert dues(house) == {now() + 12 * HOUR}


@on_sqlite
def test_outages_that_touch_count_as_one(house: House) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        for start, end in ((0, 3), (3, 5), (4, 6)):
            stood = Standstill(match_id=match.id, kind="service", starts_at=START + start * HOUR, ends_at=START + end * HOUR)
            session.add(stood)
    house.go_to(START + 6 * HOUR)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        deadlines.again(session, match, session.exec(select(SeatRow)).all())
    assert dues(house) == {START + 30 * HOUR}


@on_sqlite
def test_an_outage_at_a_quiet_pace_without_grace_plays_no_default(house: House, rng: random.Random) -> None:
    set_pace(house, grace=0, bank=0)
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.due_at is not None
    before = len(house.entries())
    house.go_to(ask.due_at - timedelta(seconds=30))
    house.clock.shift(3 * HOUR)
    adjudicate.adjudicate(house.settings, house.players.match_id)  # a worker that is faster than the sweep
    house.tick()
    assert len(house.entries()) == before
    house.go_to(datetime.now(UTC) + timedelta(seconds=31))
    assert house.entries()[before].mark == DEFAULT


@on_sqlite
def test_votes_end_later_and_announcements_can_still_be_stopped(house: House) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        vote = votes.propose_pause(session, match, "a", "2")
        seat = session.get_one(SeatRow, (match.id, "b"))
        announced = notices.announce(session, match, "replace", seat, "host", {"email": ""})
    down(house, 4 * DAY)
    with open_session(house.settings) as session:
        assert session.get_one(Vote, vote.id).closes_at == START + 7 * DAY
        notice = session.get_one(Notice, announced.id)
        assert notice.status == "open" and notice.effect_at == now() + standstill.STOPPABLE
    assert house.seat("b").account_id


@on_sqlite
def test_a_kept_answer_waits_as_long_as_the_service_was_down(house: House) -> None:
    with transaction(house.settings) as session:
        ask = session.exec(select(AskRow).where(AskRow.seat == "a")).one()
        ask.kept, ask.kept_via = "pass", "order"
        deadlines.keep_back(house.players.match(session), ask)
        session.add(ask)
    at = ask.kept_at
    assert at is not None
    with transaction(house.settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=now()))
    house.clock.shift(3 * DAY)
    with transaction(house.settings) as session:
        outages.wake(session)
    assert next(x.kept_at for x in house.asks() if x.seat == "a") == at + 3 * DAY


@on_sqlite
def test_time_that_a_turn_has_left_does_not_count_an_outage_that_is_not_stored_yet(house: House) -> None:
    house.clock.shift(10 * HOUR)  # nobody has swept since
    with transaction(house.settings) as session:
        table = load.load(session, house.players.match(session))
        seat = table.seats["a"]
        ask = table.asks[table.run.key("a")]
        deadlines.close_ask(session, table.row, seat, ask, "page", True, table.stops)
        assert seat.turn_left == 24 * 3600


# --- no letter could leave --------------------------------------------------------------------------------------------


@on_sqlite
def test_while_no_letter_can_leave_nothing_falls_and_then_deadlines_move(mailing: House) -> None:
    house = mailing
    mail(house, works=False)
    beating(house, 30 * HOUR)
    assert house.entries() == [] and house.letters("reminder") == []
    assert dues(house) == {START + DAY}
    with transaction(house.settings) as session:
        match = house.players.match(session)
        assert deadlines.again(session, match, session.exec(select(SeatRow)).all()) == [], "nothing moves before it is over"
    mail(house, works=True)
    assert dues(house) == {START + 54 * HOUR}
    assert told(house)[0].startswith("No letter could leave from Tue 24 Nov 2026, 09:00 UTC until Wed 25 Nov 2026, 15:00 UTC.")
    assert [letter.seat for letter in house.letters("outage")] == ["a", "b"]
    assert "could send no letters" in " ".join(house.letters("outage")[0].text.split())


@on_sqlite
def test_between_the_accepted_letter_and_the_sweep_nothing_falls(mailing: House) -> None:
    house = mailing
    mail(house, works=False)
    beating(house, 30 * HOUR)
    with transaction(house.settings) as session:
        relay.accepted(session)
    adjudicate.adjudicate(house.settings, house.players.match_id)
    assert house.entries() == []


@on_sqlite
def test_mail_and_service_down_at_once_count_once(mailing: House) -> None:
    house = mailing
    mail(house, works=False)
    beating(house, 2 * HOUR)
    house.clock.shift(3 * HOUR)
    with transaction(house.settings) as session:
        outages.wake(session)
    assert house.letters("outage") == []
    beating(house, 5 * HOUR)
    with transaction(house.settings) as session:
        house.players.match(session).halted_at = START + HOUR
    mail(house, works=True)
    with transaction(house.settings) as session:
        halting.retry(session, house.players.match(session))
    assert dues(house) == {START + 34 * HOUR}
    assert len(house.letters("outage")) == 2 and len(told(house)) == 1


@on_sqlite
def test_one_player_whose_letters_come_back_stops_no_clock(mailing: House) -> None:
    house = mailing
    with transaction(house.settings) as session:
        relay.failed(session, "example.org")
        outages.wake(session)
    beating(house, 26 * HOUR)
    assert len(house.entries()) == 2, "two decks by default"


@pytest.fixture
def by_smtp(house: House, sink: tuple[Sink, str]) -> House:
    """A house whose letters go to the sink."""
    house.settings = house.players.settings = house.settings.model_copy(update={"smtp_url": sink[1]})
    return house


def refused(house: House, *emails: str) -> datetime | None:
    """Have links sent to addresses that the relay refuses; since when it counts as down."""
    with transaction(house.settings) as session:
        for email in emails:
            accounts.ask_sign_in(session, email)
    house.tick()
    with open_session(house.settings) as session:
        return relay.down_since(session)


@on_sqlite
@pytest.mark.parametrize(
    "says",
    [
        "550 Unrouteable address",
        "554 5.7.1 <x@dead.example>: Recipient address rejected: Access denied",
        "550 The account or domain may not exist, or it is blocked",
        "451 try later",
    ],
)
def test_a_stranger_whose_letters_to_two_domains_are_refused_stops_no_clock(
    by_smtp: House, sink: tuple[Sink, str], says: str
) -> None:
    house = by_smtp
    sink[0].says, sink[0].of = says, "@dead"
    assert refused(house, "x@dead.example", "x@dead.invalid") is None
    assert sink[0].got == [], "no letter had to be sent for it"
    beating(house, 26 * HOUR)
    assert len(house.entries()) == 2 and told(house) == [], "two decks by default"


@on_sqlite
def test_while_players_are_refused_too_all_clocks_stand_still_and_the_relay_is_asked_each_minute(
    by_smtp: House, sink: tuple[Sink, str]
) -> None:
    house = by_smtp
    sink[0].says = "550 5.7.1 relaying denied"
    assert refused(house, "x@dead.example", "x@dead.invalid") == START
    beating(house, 30 * HOUR)
    house.tick()
    assert house.entries() == [] and house.letters("reminder") == []
    sink[0].says = ""
    house.clock.shift(50)
    house.tick()
    with open_session(house.settings) as session:
        assert relay.down_since(session) == START, "a player was refused less than a minute ago"
    house.clock.shift(20)
    house.tick()
    house.tick()
    assert len(told(house)) == 1 and dues(house) == {START + 54 * HOUR + timedelta(seconds=70)}
    assert [letter.status for letter in house.letters("outage")] == ["sent", "sent"]


@on_sqlite
def test_a_relay_that_fails_for_a_moment_moves_nothing(mailing: House) -> None:
    house = mailing
    mail(house, works=False)
    beating(house, timedelta(seconds=60))
    mail(house, works=True)
    assert dues(house) == {START + DAY} and told(house) == []


@on_sqlite
def test_the_machines_are_told_that_no_letter_leaves(mailing: House, capsys: pytest.CaptureFixture[str]) -> None:
    house = mailing
    with open_session(house.settings) as session:
        assert metrics.readiness(house.settings, session)["mail"] is True
    mail(house, works=False)
    said = capsys.readouterr()
    assert "no letter can leave" in said.out + said.err
    house.clock.shift(60)
    with open_session(house.settings) as session:
        found = metrics.readiness(house.settings, session)
        assert found["mail"] is False and found["mail_down_seconds"] == 60
        assert b"writ_mail_down_seconds 60.0" in metrics.figures(session)


# --- answers that came in time ----------------------------------------------------------------------------------------


def once_read(monkeypatch: pytest.MonkeyPatch, then: Callable[[Session, Match], object]) -> list[bool]:
    """Let something happen right after the queue of answers is read for the first time; true in the list once it has."""
    done: list[bool] = []
    read = adjudicate._queued

    def reads(session: Session, row: Match) -> list[Submission]:
        found = read(session, row)
        if not done:
            done.append(True)
            then(session, row)
        return found

    monkeypatch.setattr(adjudicate, "_queued", reads)
    return done


@on_sqlite
def test_an_answer_that_came_after_the_queue_was_read_is_played_before_the_default(
    house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.falls_at is not None
    house.go_to(ask.falls_at - timedelta(seconds=1))
    before = len(house.entries())
    key = house.players.submit(ask.seat, rng)
    with transaction(house.settings) as session:
        row = session.get_one(Submission, key)
        row.status = SubmissionStatus.REFUSED  # not in the queue when it is read
        session.add(row)
    house.clock.shift(1)

    def arrives(session: Session, _row: Match) -> None:
        late = session.get_one(Submission, key)
        late.status = SubmissionStatus.QUEUED
        session.flush()

    arrived = once_read(monkeypatch, arrives)
    adjudicate.adjudicate(house.settings, house.players.match_id)
    assert arrived and house.entries()[before].mark != DEFAULT and house.entries()[before].via == "page"
    assert house.players.status(key) == "accepted" and house.seat(ask.seat).missed == 0


@on_sqlite
def test_a_command_that_came_after_the_queue_was_read_is_played_before_the_default(
    house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.falls_at is not None
    house.go_to(ask.falls_at - timedelta(seconds=1))
    before = len(house.entries())
    house.clock.shift(1)
    by = f"extend seat={ask.seat} by=7200"
    arrived = once_read(monkeypatch, lambda session, row: commands.command(session, row, "operator", by))
    adjudicate.adjudicate(house.settings, house.players.match_id)
    assert arrived and [entry.actor for entry in house.entries()[before:]] == ["operator"]
    assert {x.seat for x in house.asks()} == {ask.seat}


@on_sqlite
def test_a_kept_answer_is_given_rather_than_the_default(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.falls_at is not None
    with transaction(house.settings) as session:
        row = session.get_one(AskRow, (ask.match_id, ask.seat, ask.serial))
        row.kept, row.kept_via, row.kept_at = "end", "order", ask.falls_at + 5 * HOUR
        session.add(row)
    before = len(house.entries())
    house.go_to(ask.falls_at)
    assert (house.entries()[before].move, house.entries()[before].via) == ("end", "order")


@on_sqlite
@pytest.mark.parametrize("meanwhile", ["kept", "steward", "bank"])
def test_an_answer_that_waits_in_the_queue_is_played_before_what_needs_nobody(
    house: House, rng: random.Random, meanwhile: str
) -> None:
    """The worker is late: meanwhile the time of a kept answer is over, a steward takes the seat, or the deadline falls."""
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.falls_at is not None
    before = len(house.entries())
    key = house.players.submit(ask.seat, rng)
    with transaction(house.settings) as session:
        row = session.get_one(AskRow, (ask.match_id, ask.seat, ask.serial))
        if meanwhile == "kept":
            row.kept, row.kept_via, row.kept_at = "end", "order", now() + 5 * HOUR
        elif meanwhile == "steward":
            session.get_one(SeatRow, (ask.match_id, ask.seat)).steward = "steady"
    house.clock.move_to(ask.falls_at + 5 * HOUR)
    with transaction(house.settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=now()))
    adjudicate.adjudicate(house.settings, house.players.match_id)
    assert house.players.status(key) == "accepted"
    assert house.entries()[before].via == "page" and house.seat(ask.seat).missed == 0


@on_sqlite
def test_of_two_hidden_answers_in_the_queue_neither_gives_way_to_a_kept_one(house: House, rng: random.Random) -> None:
    keys = [house.players.submit(letter, rng) for letter in house.players.asked()]
    with transaction(house.settings) as session:
        for ask in session.exec(select(AskRow)):
            (kept,) = [x.move for x in session.exec(select(Submission)) if x.seat == ask.seat]
            ask.kept, ask.kept_via, ask.kept_at = kept, "order", now() + HOUR
    house.clock.shift(2 * HOUR)
    with transaction(house.settings) as session:
        session.merge(Beat(name=deadlines.BEAT, at=now()))
    adjudicate.adjudicate(house.settings, house.players.match_id)
    assert [house.players.status(key) for key in keys] == ["accepted", "accepted"]
    assert [entry.via for entry in house.entries()[:2]] == ["page", "page"]


def test_the_host_and_account_rows_stay_as_they_are(house: House) -> None:
    """An outage writes standstills, and nothing of people or of the pace."""
    with open_session(house.settings) as session:
        match, people = session.exec(select(Match)).one(), session.exec(select(Account).order_by(Account.id)).all()
    do(house, lambda _s, _m: None)
    down(house, 3 * HOUR)
    with open_session(house.settings) as session:
        again = session.exec(select(Match)).one()
        assert (again.pace, again.head, again.snapshot) == (match.pace, match.head, match.snapshot)
        assert session.exec(select(Account).order_by(Account.id)).all() == people
        assert [(s.kind, s.ends_at - s.starts_at) for s in session.exec(select(Standstill))] == [("service", 3 * HOUR)]


# --- the clock was wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ticks", [1, 3])
def test_a_clock_that_ran_ahead_for_a_moment_stops_no_game_for_a_year(house: House, ticks: int) -> None:
    down(house, timedelta())
    with transaction(house.settings) as session:
        letters = [letter.id for letter in session.exec(select(Letter).where(Letter.html != ""))]
    house.clock.move_to(START + 365 * DAY)
    for _ in range(ticks):
        house.tick()
        house.clock.shift(timedelta(seconds=10))
    house.clock.move_to(START + timedelta(minutes=2))  # by NTP
    house.tick()
    assert dues(house) == {START + DAY + timedelta(minutes=2)}
    with open_session(house.settings) as session:
        assert all(row.ends_at <= now() for row in session.exec(select(Standstill)))
        assert all(row.at <= now() for row in session.exec(select(Beat)))
        assert letters and all(session.get_one(Letter, id).html for id in letters), "kept for a month"
    said = [" ".join(letter.text.split()) for letter in house.letters("outage", "a")]
    assert sum("you can now answer until Wed 25 Nov 2026, 09:02 UTC" in text for text in said) == 1
    house.clock.shift(timedelta(minutes=1))
    house.tick()
    assert dues(house) == {START + DAY + timedelta(minutes=2)}, "once"


def test_a_question_that_was_put_by_a_clock_that_ran_ahead_has_its_time(house: House, rng: random.Random) -> None:
    down(house, timedelta())
    house.clock.move_to(START + 365 * DAY)
    house.tick()
    house.answer_all(rng)
    with transaction(house.settings) as session:
        votes.propose_pause(session, house.players.match(session), "a", "2")
    house.clock.move_to(START + timedelta(minutes=2))
    house.tick()
    with open_session(house.settings) as session:
        assert session.exec(select(Vote.closes_at)).one() == now() + standstill.VOTING
    assert house.asks() and all(ask.due_at and now() + 12 * HOUR <= ask.due_at <= now() + 2 * DAY for ask in house.asks())
    assert all(letter.next_try_at <= now() + DAY for letter in house.letters("turn"))


@pytest.fixture
def leapt(house: House) -> Callable[[Deed], None]:
    """Do something while the clock is a year ahead; then it is set back."""

    def leap(deed: Deed) -> None:
        down(house, timedelta())
        house.clock.move_to(START + 365 * DAY)
        house.tick()
        do(house, deed)
        house.clock.move_to(START + timedelta(minutes=2))
        house.tick()

    return leap


@on_sqlite
def test_an_announcement_of_a_clock_that_ran_ahead_takes_effect_after_its_cooling_off(
    house: House, leapt: Callable[[Deed], None]
) -> None:
    leapt(lambda session, match: notices.announce(session, match, "end", None, "a", {"reason": "Snow.", "voted": True}))
    with open_session(house.settings) as session:
        (notice,) = notices.open_notices(session, house.players.match(session))
    assert (notice.opened_at, notice.effect_at) == (now(), now() + standstill.COOL)
    house.go_to(notice.effect_at - timedelta(minutes=1))
    with open_session(house.settings) as session:
        assert house.players.match(session).status == "running"
    house.go_to(notice.effect_at)
    with open_session(house.settings) as session:
        assert house.players.match(session).status == "finished"


@on_postgres
def test_a_clock_that_is_set_back_waits_for_games_that_are_being_played(
    house: House, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their transactions lock the game before its answers; the other way round would be a deadlock."""
    down(house, timedelta())
    house.clock.move_to(START + 365 * DAY)
    house.tick()
    house.answer_all(rng)
    keys = [house.players.submit(seat, rng) for seat in house.players.asked()]
    house.clock.move_to(START + timedelta(minutes=2))
    locked, going_on, failed = threading.Event(), threading.Event(), list[BaseException]()

    def then(_session: Session, _match: Match) -> None:
        locked.set()
        going_on.wait(20)

    once_read(monkeypatch, then)

    def play() -> None:
        try:
            adjudicate.adjudicate(house.settings, house.players.match_id)
        except BaseException as problem:
            failed.append(problem)

    def set_back() -> None:
        try:
            with transaction(house.settings) as session:
                outages.wake(session)
        except BaseException as problem:
            failed.append(problem)

    both = [threading.Thread(target=play), threading.Thread(target=set_back)]
    both[0].start()
    assert locked.wait(20)
    both[1].start()
    both[1].join(1)
    assert both[1].is_alive()
    going_on.set()
    for one in both:
        one.join(20)
    assert failed == [] and keys and all(house.players.status(key) == "accepted" for key in keys)
    with open_session(house.settings) as session:
        assert all(row.created_at <= now() for row in session.exec(select(Submission)))


@on_postgres
def test_an_outage_locks_lobbies_and_running_games_in_the_order_of_an_address_change(
    settings: Settings, sent: Sent, clock: time_machine.Traveller
) -> None:
    """By id: running games before lobbies would be a deadlock."""
    with transaction(settings) as session:
        gathering = lobby.open_match(session, person(session, "Anna"), "A first game", "ortus", 3, "open")
        gathering.muster_until = START + 2 * DAY
    house = House(settings, sent, clock)
    assert gathering.id < house.players.match_id
    house.clock.shift(DAY)
    failed = list[BaseException]()

    def wake() -> None:
        try:
            with transaction(settings) as session:
                outages.wake(session)
        except BaseException as problem:
            failed.append(problem)

    waking = threading.Thread(target=wake)
    with transaction(settings) as session:
        session.get_one(Match, gathering.id, with_for_update={"key_share": True})
        waking.start()
        waking.join(1)
        assert waking.is_alive()
        session.get_one(Match, house.players.match_id, with_for_update={"key_share": True})
    waking.join(20)
    assert failed == []
    with open_session(settings) as session:
        assert (session.get_one(Match, gathering.id).muster_until or START) > START + 2 * DAY


@on_sqlite
def test_an_announcement_from_before_the_clock_ran_ahead_is_not_put_off_for_a_year(house: House) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        notices.announce(session, match, "replace", session.get_one(SeatRow, (match.id, "b")), "host", {"email": ""})
    down(house, timedelta())
    house.clock.move_to(START + 365 * DAY)
    house.tick()
    house.clock.move_to(START + timedelta(minutes=2))
    house.tick()
    with open_session(house.settings) as session:
        (notice,) = notices.open_notices(session, house.players.match(session))
    assert now() < notice.effect_at <= START + 2 * DAY and house.seat("b").account_id


def test_a_vote_on_sharing_of_a_clock_that_ran_ahead_ends_after_three_days(house: House, leapt: Callable[[Deed], None]) -> None:
    house.command("operator", "end reason=Snow")
    leapt(lambda session, match: votes.propose_sharing(session, match, "a"))
    with open_session(house.settings) as session:
        vote = session.exec(select(Vote)).one()
    assert (vote.opened_at, vote.closes_at) == (now(), now() + standstill.VOTING)


@on_sqlite
def test_quotas_of_a_clock_that_ran_ahead_are_free_again(house: House, leapt: Callable[[Deed], None]) -> None:
    wanted = {"letters": ((2, HOUR), (4, DAY))}
    leapt(lambda session, _: [limits.take(session, wanted) for _ in range(2)])
    with transaction(house.settings) as session:
        assert session.exec(select(Quota.until)).one() <= now() + DAY
        assert [limits.take(session, wanted) for _ in range(3)] == [True, True, False]
        (row,) = session.exec(select(Quota)).all()
        assert row.until == now() + DAY and len(row.times) == 2, "the others are forgotten"


@on_sqlite
def test_a_mail_hold_of_a_clock_that_ran_ahead_ends_within_an_hour(house: House, leapt: Callable[[Deed], None]) -> None:
    leapt(lambda session, _: pacing.hold(session, "example.org"))
    with open_session(house.settings) as session:
        assert pacing.holds(session) == {"example.org": now() + HOUR}


@on_sqlite
def test_who_talked_while_the_clock_ran_ahead_is_not_silenced_and_the_talk_keeps_its_order(
    house: House, leapt: Callable[[Deed], None]
) -> None:
    def say(session: Session, match: Match, seat: str, text: str) -> Message:
        return talk.say(session, match, seat, "", text, new_id())

    leapt(lambda session, match: [say(session, match, "a", f"{n}.") for n in range(talk.AN_HOUR)])
    house.clock.shift(2 * HOUR)
    house.tick()
    do(house, lambda session, match: say(session, match, "b", "later"))
    do(house, lambda session, match: say(session, match, "a", "latest"))
    with open_session(house.settings) as session:
        said = session.exec(select(Message).order_by(col(Message.at))).all()
    assert [one.text for one in said] == [*(f"{n}." for n in range(talk.AN_HOUR)), "later", "latest"]
    assert all(one.at <= now() + timedelta(seconds=1) for one in said)


@on_sqlite
def test_a_pause_of_a_clock_that_ran_ahead_begins_now(house: House, leapt: Callable[[Deed], None]) -> None:
    leapt(lambda session, match: host.pause(session, match, now() + 2 * DAY))
    with open_session(house.settings) as session:
        pause = absences.pause_of(session, house.players.match(session))
    assert pause is not None and (pause.starts_at, pause.ends_at) == (now(), now() + 2 * DAY)
    assert all(ask.due_at is not None and now() + 2 * DAY < ask.due_at <= now() + 4 * DAY for ask in house.asks())


@on_sqlite
def test_absences_of_a_clock_that_ran_ahead_begin_now_or_on_their_day(house: House, leapt: Callable[[Deed], None]) -> None:
    """One from that day on moves with the clock, one for a day that is more than a year away is gone."""

    def announce(session: Session, match: Match) -> None:
        account, today = session.exec(select(Account).where(Account.email == "anna@example.org")).one(), now().date()
        seat = session.get_one(SeatRow, (match.id, "a"))
        absences.announce(session, match, seat, account, today, today)
        absences.announce(session, match, seat, account, today + 30 * DAY, today + 30 * DAY)

    leapt(announce)
    with open_session(house.settings) as session:
        (left,) = absences.of_match(session, house.players.match(session))
    assert (left.seat, left.starts_at, left.ends_at) == ("a", now(), now() + 15 * HOUR)
    assert all(ask.due_at and ask.due_at <= now() + 3 * DAY for ask in house.asks())


@on_sqlite
def test_an_absence_for_a_real_day_outlasts_a_clock_that_ran_ahead(house: House) -> None:
    down(house, timedelta())
    house.clock.move_to(START + 5 * DAY)
    house.tick()
    day = START + 9 * DAY
    do(house, lambda session, match: absences.record(session, match, seat_of(session, match), day, day + DAY))
    house.clock.move_to(START + timedelta(minutes=2))
    house.tick()
    with open_session(house.settings) as session:
        (left,) = absences.of_match(session, house.players.match(session))
    assert (left.starts_at, left.ends_at) == (day, day + DAY)


def seat_of(session: Session, match: Match) -> SeatRow:
    return session.get_one(SeatRow, (match.id, "a"))


@on_sqlite
def test_links_of_a_clock_that_ran_ahead_are_valid_no_longer_than_others(house: House, leapt: Callable[[Deed], None]) -> None:
    def make(session: Session, match: Match) -> None:
        account = session.exec(select(Account).where(Account.email == "anna@example.org")).one()
        links.sign_in_link(session, account).used_at = now()
        links.turn_link(session, match, session.get_one(SeatRow, (match.id, "a")))

    leapt(make)
    with open_session(house.settings) as session:
        found = session.exec(select(Link).where(Link.expires_at > now() + DAY)).all()
        assert {link.purpose for link in found} == {links.TURN}
        assert max(link.expires_at for link in found) == now() + house.settings.link_days * DAY


@on_sqlite
def test_no_time_of_a_clock_that_ran_ahead_stays_in_the_future(house: House, leapt: Callable[[Deed], None]) -> None:
    def store(session: Session, match: Match) -> None:
        account = session.exec(select(Account).where(Account.email == "bert@example.org")).one()
        account.bounced_at = match.fill_at = session.get_one(SeatRow, (match.id, "a")).present_at = now()
        session.add(RelayFailure(domain="example.org", at=now()))
        session.add(HiddenAnswer(match_id=match.id, seat="a", serial=0, kind="x", move="x", via="page"))

    leapt(store)
    with open_session(house.settings) as session:
        for most, columns in outages.LONGEST_AHEAD:
            for column in columns:
                assert session.exec(select(column).where(column > now() + most)).all() == [], column
