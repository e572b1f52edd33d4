"""What takes something from somebody is announced, told to all, and stopped by who is there."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine
from sqlmodel import Session, select

from engine.core.asks import NotLegal, Refused
from engine.play.match import verify
from service.clock import deadlines, pace, standstill
from service.errors import NotAllowed, Taken
from service.people import accounts
from service.replay import journal, replay_copy
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Absence, Account, AskRow, Command, Match, Notice, SeatRow
from service.store.seats import names_of
from service.table import absences, host, lateness, notices, substitutes, votes
from service.table import commands as table_commands
from tests.house import HOUR, START, House, Sent, do
from tests.service.conftest import on_sqlite, person
from tests.workers.test_clocks import set_pace
from workers import commands

DAY = timedelta(days=1)


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=3)


def stands(house: House) -> list[Notice]:
    with open_session(house.settings) as session:
        return notices.open_notices(session, house.players.match(session))


def late(house: House, rng: random.Random) -> str:
    """Play until somebody lets a deadline pass before all eyes; whose seat it is."""
    house.answer_all(rng)
    while True:
        (ask, *others) = house.asks()
        if not others:
            assert ask.falls_at is not None
            house.go_to(ask.falls_at)
            with open_session(house.settings) as session:
                if ask.seat in lateness.let_pass(session, house.players.match(session)):
                    return ask.seat
        house.answer_all(rng)


def test_a_seat_whose_deadline_passed_is_announced_told_to_all_and_then_looked_for(house: House, rng: random.Random) -> None:
    seat = late(house, rng)
    name = house.seat(seat).name
    do(house, lambda s, m: host.replace(s, m, seat, "gwen@example.org"))
    (notice,) = stands(house)
    assert house.seat(seat).account_id and notice.effect_at >= datetime.now(UTC) + DAY
    assert sorted(letter.seat for letter in house.letters("notice")) == ["a", "b", "c"]
    (own,) = house.letters("notice", seat)
    assert "press “I am here”" in own.text and "so the host is giving your seat to somebody else" in " ".join(own.text.split())
    assert not any("gwen@" in letter.text + letter.html for letter in house.letters("notice"))
    assert any(
        f"{name} missed the deadline, so the host is giving the seat to somebody else" in line for line in house.history(None)
    )
    house.go_to(notice.effect_at - HOUR)
    assert house.seat(seat).account_id
    for _ in range(4):  # a question that is open then is waited for, but one alone
        house.go_to(stands(house)[0].effect_at)
        if not stands(house):
            break
    assert house.seat(seat).account_id is None and house.seat(seat).wanted == "invited"
    assert len(house.letters("replaced", seat)) == 1 and [x.to_address for x in house.letters("substitute")] == [
        "gwen@example.org"
    ]


def test_whoever_says_i_am_here_keeps_the_seat_and_is_not_announced_again_before_another_miss(
    house: House, rng: random.Random
) -> None:
    seat = late(house, rng)
    do(house, lambda s, m: host.replace(s, m, seat))
    with transaction(house.settings) as session:
        match = house.players.match(session)
        seats = {s.seat: s for s in session.exec(select(SeatRow))}
        row = Command(match_id=match.id, actor="host", words=f"announce what=replace seat={seat}")
        with pytest.raises(NotLegal, match="announced already"):
            commands.play(session, match, seats, False, row)
    house.command(seat, f"here seat={seat}")
    assert stands(house) == []
    assert f"{house.seat(seat).name} is here and keeps the seat." in house.history(None)
    house.clock.shift(3 * DAY)
    house.tick()
    assert house.seat(seat).account_id
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="has not missed a deadline"):
        host.replace(session, house.players.match(session), seat)


@on_sqlite
def test_an_answer_by_the_own_hand_keeps_the_seat(house: House, rng: random.Random) -> None:
    seat = late(house, rng)
    do(house, lambda s, m: host.replace(s, m, seat))
    for _ in range(100):
        house.answer_all(rng)
        if not stands(house):
            break
    assert stands(house) == []
    house.clock.shift(3 * DAY)
    house.tick()
    assert house.seat(seat).account_id and f"{house.seat(seat).name} has answered and keeps the seat." in " ".join(
        house.history(None)
    )


def test_an_answer_that_lies_sealed_when_the_time_is_up_is_waited_for_and_tells_nothing(
    house: House, rng: random.Random
) -> None:
    # All three build their decks: an answer lies sealed until the last has answered.
    with transaction(house.settings) as session:
        match = house.players.match(session)
        row = session.get_one(SeatRow, (match.id, "b"))
        facts: dict[str, object] = {"email": ""}
        notices.announce(session, match, "replace", row, "host", facts)
        for ask in session.exec(select(AskRow)):
            ask.allowed = ask.allowed * 3
            session.add(ask)
        for seat in session.exec(select(SeatRow)):
            deadlines.again(session, match, [seat])
    house.players.submit("b", rng)
    house.tick()
    house.go_to(START + DAY + HOUR)
    (notice,) = stands(house)
    assert notice.put_off and notice.effect_at > START + 3 * DAY and house.seat("b").account_id
    assert not any("b" in str(e.move) and e.ask == "table" for e in house.entries())
    for seat_ in "ac":
        house.players.submit(seat_, rng)
    house.tick()
    house.tick()
    assert stands(house) == [] and house.seat("b").account_id
    assert "Bert has answered and keeps the seat." in house.history(None)
    assert "You have answered, so the seat stays yours." in house.history("b")


def test_a_pause_stops_the_clock_of_a_notice_and_a_service_that_was_down_gives_time(house: House, rng: random.Random) -> None:
    seat = late(house, rng)
    do(house, lambda s, m: host.replace(s, m, seat))
    first = stands(house)[0].effect_at
    do(house, lambda s, m: host.pause(s, m, datetime.now(UTC) + 5 * DAY))
    house.go_to(first + HOUR)
    assert stands(house)[0].effect_at >= first + 5 * DAY - HOUR
    house.clock.move_to(stands(house)[0].effect_at + 2 * DAY)  # nobody sweeps meanwhile
    house.tick()
    assert house.seat(seat).account_id and stands(house)[0].effect_at == datetime.now(UTC) + standstill.STOPPABLE


def test_a_host_takes_his_announcement_back_and_nobody_elses(house: House, rng: random.Random) -> None:
    seat = late(house, rng)
    do(house, lambda s, m: host.replace(s, m, seat))
    (notice,) = stands(house)
    other = next(s for s in "bc" if s != seat)
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="Only those who made an announcement"):
        host.recall(session, house.players.match(session), notice.id, other)
    do(house, lambda s, m: host.recall(s, m, notice.id))
    assert stands(house) == [] and f"{house.seat(seat).name} keeps the seat after all." in house.history(None)


@on_sqlite
def test_a_table_is_not_flooded_with_announcements(house: House, rng: random.Random) -> None:
    seat = late(house, rng)
    for _ in range(notices.A_DAY + 2):
        do(house, lambda s, m: host.replace(s, m, seat))
        for notice in stands(house):
            do(house, partial(host.recall, notice_id=notice.id))
    assert len(house.letters("notice", seat)) == notices.A_DAY


def test_what_the_table_votes_takes_the_place_of_what_the_host_could_take_back(house: House, rng: random.Random) -> None:
    seat = late(house, rng)
    do(house, lambda s, m: host.replace(s, m, seat))
    (first,) = stands(house)
    by, other = [s for s in "abc" if s != seat]
    with transaction(house.settings) as session:
        vote = votes.propose_substitute(session, house.players.match(session), by, seat)
    do(house, lambda s, m: votes.cast(s, m, vote.id, other, True))
    (notice,) = stands(house)
    assert notice.id != first.id and notice.by == by
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="Only those who made an announcement"):
        host.recall(session, house.players.match(session), notice.id)


def test_no_pace_is_made_faster_behind_the_back_of_who_has_no_vote(house: House) -> None:
    with transaction(house.settings) as session:
        row = session.get_one(SeatRow, (house.players.match_id, "b"))
        row.steward = "steady"
        session.add(row)
    fast, slow = pace.Pace(turn=7200, reaction=3600), pace.Pace(turn=72 * 3600, reaction=36 * 3600)
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="the pace can't be made faster"):
        votes.propose_pace(session, house.players.match(session), "a", fast)
    house.command("table", "pace turn=7200 reaction=3600", pace=pace.stored(fast))
    with transaction(house.settings) as session:
        assert pace.of(house.players.match(session).pace) == pace.Pace()
        assert votes.propose_pace(session, house.players.match(session), "a", slow).status == "open"


def test_a_player_gives_his_own_seat_up_at_once(house: House) -> None:
    house.command("b", "seek seat=b")
    assert house.seat("b").wanted == "open" and "You gave up your seat" in house.letters("replaced", "b")[0].text
    assert "Bert gave up the seat. The table is looking for somebody to take it." in house.history(None)
    house.command("c", "seek seat=a")
    house.command("c", "seek seat=b")
    assert house.seat("a").account_id and [e.actor for e in house.entries() if e.ask == "table"] == ["b"]


@on_sqlite
def test_a_substitute_bears_another_name_than_all_who_sit_or_sat_there(house: House) -> None:
    for i, address in enumerate(("x@example.org", "y@example.org", "z@example.org")):
        house.command("operator", "seek seat=b")
        with transaction(house.settings) as session:
            ((match, seat),) = substitutes.open_seats(session)
            taker = person(session, "Bert") if not i else person(session, f"N{i}")
            taker.email, taker.name = address, ("Bert", "BÉRT", "Anna")[i]
            session.add(taker)
            substitutes.take(session, match, seat, taker)
        house.tick()
    told = house.history(None)
    assert "Bert (b) took Bert’s seat." in told and "BÉRT (b2) took Bert (b)’s seat." in told
    assert house.seat("b").name == "Anna (b)"


def test_what_happened_is_told_of_those_who_sat_there_then(house: House, rng: random.Random) -> None:
    for _ in range(6):
        house.answer_all(rng)
    before = {seat: house.history(seat) for seat in (None, "a")}
    with open_session(house.settings) as session:
        prose = journal.text(session, house.players.match(session))
    assert "Bert" in " ".join(before[None])
    house.command("operator", "seek seat=b")
    with transaction(house.settings) as session:
        ((match, empty),) = substitutes.open_seats(session)
        substitutes.take(session, match, empty, person(session, "Hugo"))
    house.tick()
    for seat, lines in before.items():
        assert house.history(seat)[: len(lines)] == lines
    with open_session(house.settings) as session:
        match = house.players.match(session)
        assert journal.text(session, match).startswith(prose.rstrip()[:-40])
        assert names_of(session, match.id)["b"] == "Hugo"


# --- by vote ----------------------------------------------------------------------------------------------------------


def carried(house: House, propose: Callable[[Session, Match], object]) -> Notice:
    do(house, propose)
    with open_session(house.settings) as session:
        (open_vote,) = votes.open_votes(session, house.players.match(session))
    for seat in "abc":
        with contextlib.suppress(Refused):
            do(house, partial(votes.cast, vote_id=open_vote.vote.id, seat=seat, yes=True))
    (notice,) = stands(house)
    return notice


def test_the_end_by_vote_comes_a_day_after_its_letter_and_verifies(house: House, rng: random.Random) -> None:
    for _ in range(3):
        house.answer_all(rng)
    notice = carried(house, lambda s, m: votes.propose_end(s, m, votes.BY_HOST, "Snow  has closed the passes."))
    assert len(house.letters("vote")) == 3 and len(house.letters("notice")) == 3
    assert "Snow has closed the passes." in house.letters("notice")[0].text
    house.go_to(notice.effect_at - HOUR)
    with open_session(house.settings) as session:
        assert house.players.match(session).status == "running"
    house.go_to(notice.effect_at)
    with open_session(house.settings) as session:
        match = house.players.match(session)
        assert match.status == "finished" and verify(replay_copy.download(session, match, None)).holds
    assert "The table ended the game: Snow has closed the passes." in house.history(None)


@on_sqlite
def test_the_end_is_taken_back_by_who_proposed_it(house: House) -> None:
    notice = carried(house, lambda s, m: votes.propose_end(s, m, "b", "Snow."))
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="Only those who made an announcement"):
        host.recall(session, house.players.match(session), notice.id)
    do(house, lambda s, m: host.recall(s, m, notice.id, "b"))
    house.go_to(notice.effect_at)
    with open_session(house.settings) as session:
        assert house.players.match(session).status == "running"


def test_spectators_are_let_in_by_vote_alone_a_day_after_the_letter(house: House) -> None:
    notice = carried(house, lambda s, m: votes.propose_watching(s, m, "b"))
    assert "The table voted to let spectators read along" in house.letters("notice", "a")[0].text
    with open_session(house.settings) as session:
        assert not house.players.match(session).spectators
    house.go_to(notice.effect_at)
    with open_session(house.settings) as session:
        match = house.players.match(session)
        assert match.spectators and match.watch_key
        with pytest.raises(NotLegal, match="already"):
            votes.propose_watching(session, match, "a")
    do(house, lambda s, m: host.watch(s, m, False))
    assert house.history(None)[-1] == "Spectators can’t read along any more."


def test_of_two_neither_ends_the_game_alone_unless_a_steward_keeps_the_other_who_can_come_back(
    settings: Settings, sent: Sent, clock: time_machine.Traveller
) -> None:
    house = House(settings, sent, clock, people=2)
    do(house, lambda s, m: votes.propose_end(s, m, "a", "Dull."))
    with open_session(settings) as session:
        ((vote, needed),) = [(t.vote, t.needed) for t in votes.open_votes(session, house.players.match(session))]
    assert needed == 2 and stands(house) == []
    do(house, lambda s, m: votes.withdraw(s, m, vote.id, "a"))
    with transaction(settings) as session:
        seat = session.get_one(SeatRow, (house.players.match_id, "b"))
        seat.steward, seat.missed = "steady", 2
        session.add(seat)
    do(house, lambda s, m: votes.propose_end(s, m, "a", "Dull."))
    (notice,) = stands(house)
    house.command("b", "back seat=b")
    assert stands(house) == [] and "What the table decided without that vote is off" in house.history(None)[-1]
    house.go_to(notice.effect_at)
    with open_session(settings) as session:
        assert house.players.match(session).status == "running"


# --- pauses and time --------------------------------------------------------------------------------------------------


def test_a_host_who_ends_a_pause_leaves_everybody_time(house: House) -> None:
    house.go_to(START + DAY - timedelta(minutes=5))
    do(house, lambda s, m: host.pause(s, m, datetime.now(UTC) + 7 * DAY))
    house.go_to(START + DAY + timedelta(minutes=55))
    do(house, lambda s, m: host.resume(s, m))
    more = timedelta(minutes=5) + HOUR
    assert {a.due_at for a in house.asks()} == {datetime.now(UTC) + more}, "what was left, and the hour of the pause"
    house.command("operator", f"pause until={(datetime.now(UTC) + 2 * DAY).isoformat()}")
    before = {a.due_at for a in house.asks()}
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="isn't the host's"):
        host.resume(session, house.players.match(session))
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="isn't yours to change"):
        host.pause(session, house.players.match(session), datetime.now(UTC) + DAY)
    assert {a.due_at for a in house.asks()} == before, "the time that was left counts after another pause too"


def test_a_host_has_thirty_days_of_pause_in_all(house: House) -> None:
    for days in (20, 9):
        do(house, partial(host.pause, until=datetime.now(UTC) + days * DAY))
        house.clock.shift(days * DAY)
        house.tick()
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="30 days in all; for more the table votes"):
        host.pause(session, house.players.match(session), datetime.now(UTC) + 2 * DAY)
    house.command("host", f"pause until={(datetime.now(UTC) + 2 * DAY).isoformat()}")
    with open_session(house.settings) as session:
        assert len(session.exec(select(Absence)).all()) == 2


def test_a_host_gives_one_question_thirty_days_and_no_more(house: House) -> None:
    do(house, lambda s, m: host.extend(s, m, "b", 29 * DAY))
    house.command("host", f"extend seat=b by={30 * 86400}")
    assert {a.seat: a.due_at for a in house.asks()}["b"] == START + 30 * DAY


@on_sqlite
def test_a_faster_pace_has_no_longer_rest_after_a_pause_than_its_questions(house: House, rng: random.Random) -> None:
    set_pace(house, turn=3600, reaction=3600, grace=600)
    house.answer_all(rng)
    house.clock.shift(timedelta(minutes=50))
    house.tick()
    do(house, lambda s, m: host.pause(s, m, datetime.now(UTC) + DAY))
    do(house, lambda s, m: host.resume(s, m))
    assert all(a.due_at is not None and a.due_at == datetime.now(UTC) + HOUR for a in house.asks())


# --- who takes the seat -----------------------------------------------------------------------------------------------


def test_of_two_who_take_a_seat_at_once_one_is_told_that_it_is_taken(house: House) -> None:
    house.command("operator", "seek seat=b")
    with transaction(house.settings) as session:
        people = {name: person(session, name).id for name in ("Gwen", "Hugo")}
    said = dict[str, str]()

    def take(name: str) -> None:
        try:
            with transaction(house.settings) as session:
                ((match, seat),) = substitutes.open_seats(session)
                substitutes.take(session, match, seat, accounts.by_id(session, people[name]))
                said[name] = ""
        except Taken as refusal:
            said[name] = str(refusal)

    threads = [threading.Thread(target=take, args=(name,)) for name in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first = next(name for name, words in said.items() if not words)
    take(first)
    assert sorted(said.values()) == ["", "The seat has been taken by somebody else."], "and a second press changes nothing"
    house.tick()
    assert house.seat("b").account_id == people[first]


def test_neither_the_host_nor_who_sits_there_takes_a_seat_that_is_looked_for(house: House) -> None:
    house.command("operator", "seek seat=b")
    with transaction(house.settings) as session:
        ((match, seat),) = substitutes.open_seats(session)
        with pytest.raises(Taken, match="seat in this game already"):
            substitutes.take(session, match, seat, person(session, "Cleo"))
    house.command("a", "seek seat=a")
    with transaction(house.settings) as session:
        match, seat = next((m, s) for m, s in substitutes.open_seats(session) if s.seat == "b")
        anna = person(session, "Anna")
        with pytest.raises(NotAllowed, match="You are the host"):
            substitutes.take(session, match, seat, anna)
        table_commands.command(
            session, match, "host", "replace seat=b", account=anna.id
        )  # past the door: the log has the last word
    house.tick()
    assert house.seat("b").account_id is None
    with open_session(house.settings) as session:
        assert absences.pause_of(session, house.players.match(session)) is None
        assert session.exec(select(Account)).all()
