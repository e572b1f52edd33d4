"""Votes of the table: who votes, what is carried, what is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine

from engine.core.asks import NotLegal, NotUnderstood, Refused
from service.clock import pace
from service.errors import NotFound
from service.log import sharing
from service.ops import own_data
from service.people import accounts
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, SeatRow, Vote
from service.table import bans, lateness, notices, votes
from tests.house import HOUR, START, House, Sent, do
from tests.service.conftest import on_sqlite

FAST = pace.Pace(turn=12 * pace.HOUR, reaction=6 * pace.HOUR)


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=4, bots=1)


def pause(house: House, seat: str, days: str = "3") -> Vote:
    with transaction(house.settings) as session:
        found = votes.propose_pause(session, house.players.match(session), seat, days)
    house.tick()
    return found


def cast(house: House, vote: Vote, seat: str, yes: bool = True) -> str:
    with transaction(house.settings) as session:
        status = votes.cast(session, house.players.match(session), vote.id, seat, yes).status
    house.tick()
    return status


def cool(house: House) -> None:
    """Let the cooling-off of what is announced pass."""
    with open_session(house.settings) as session:
        (notice,) = notices.open_notices(session, house.players.match(session))
    house.go_to(notice.effect_at)


def missed(house: House, letter: str, steward: str = "steady") -> None:
    with transaction(house.settings) as session:
        seat = session.get(SeatRow, (house.players.match_id, letter))
        assert seat is not None
        seat.missed, seat.steward = 1, steward
        session.add(seat)


def test_the_greater_half_carries_a_pause_and_its_end_is_counted_from_then(house: House) -> None:
    vote = pause(house, "a")
    assert sorted(letter.seat for letter in house.letters("vote")) == ["b", "c", "d"]  # not the bot, not who proposed it
    assert "The table pauses for 3 days." in house.letters("vote")[0].text
    assert cast(house, vote, "b") == "open"
    house.clock.shift(timedelta(minutes=1))
    assert cast(house, vote, "c") == "carried"
    assert {a.due_at for a in house.asks()} == {START + timedelta(days=4)}
    assert house.history(None)[-1].startswith("The table pauses until Fri 27 Nov 2026, 09:01 UTC")
    assert [(e.actor, e.ask) for e in house.entries()][-1] == ("table", "table")


@on_sqlite
def test_a_vote_fails_as_soon_as_it_can_not_be_carried(house: House) -> None:
    vote = pause(house, "a")
    assert cast(house, vote, "b", yes=False) == "open"
    assert cast(house, vote, "c", yes=False) == "failed"
    with pytest.raises(NotLegal, match="over"):
        cast(house, vote, "d")


def test_another_pace_needs_everybody(house: House) -> None:
    with transaction(house.settings) as session:
        vote = votes.propose_pace(session, house.players.match(session), "a", FAST)
    assert cast(house, vote, "b") == cast(house, vote, "c") == "open"
    assert cast(house, vote, "d") == "carried"
    with open_session(house.settings) as session:
        assert pace.of(house.players.match(session).pace) == FAST
    assert "12 h a turn, 6 h for reactions" in house.history(None)[-1]


@on_sqlite
def test_a_seat_that_a_steward_keeps_does_not_count(house: House) -> None:
    missed(house, "d")
    vote = pause(house, "a")
    assert cast(house, vote, "b") == "carried"
    with pytest.raises(NotLegal, match="over"):
        cast(house, vote, "d")


def test_an_absent_player_is_replaced_by_the_others(house: House) -> None:
    missed(house, "b")
    with transaction(house.settings) as session:
        vote = votes.propose_substitute(session, house.players.match(session), "a", "b", "gwen@example.org")
    with pytest.raises(NotLegal, match="no vote on that"):
        cast(house, vote, "b", yes=False)
    assert cast(house, vote, "c") == "carried"
    assert house.seat("b").account_id and house.seat("b").wanted == ""  # it is announced first
    cool(house)
    assert house.seat("b").wanted == "invited" and house.seat("b").account_id is None
    assert [letter.to_address for letter in house.letters("substitute")] == ["gwen@example.org"]


@on_sqlite
def test_whom_a_steward_keeps_takes_the_seat_back_before_proposing(house: House) -> None:
    missed(house, "b")
    with pytest.raises(NotLegal, match="take your seat back from the steward first"):
        pause(house, "b")
    with open_session(house.settings) as session:
        assert votes.open_votes(session, house.players.match(session)) == []


@on_sqlite
def test_nobody_carries_nothing(house: House) -> None:
    with transaction(house.settings) as session:
        vote = votes.propose_pace(session, house.players.match(session), "a", FAST)
    for letter in "abcd":
        missed(house, letter)
    house.go_to(START + timedelta(days=3))
    with open_session(house.settings) as session:
        found = session.get(Vote, vote.id)
        assert found is not None and found.status == "failed"


def test_a_deadline_that_passed_in_secret_makes_nobody_absent(house: House) -> None:  # OR-DEC-3
    house.go_to(START + 25 * HOUR)
    assert house.seat("b").missed == 1  # the deck, which nobody else may know of
    with transaction(house.settings) as session:
        match = house.players.match(session)
        assert lateness.let_pass(session, match) == set() and lateness.absentees(session, match) == []
        with pytest.raises(NotLegal, match="has not missed a deadline"):
            votes.propose_substitute(session, match, "a", "b")


@on_sqlite
def test_a_deadline_that_passed_before_all_eyes_does_until_the_next_answer(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.falls_at is not None
    house.go_to(ask.falls_at)
    with open_session(house.settings) as session:
        assert lateness.let_pass(session, house.players.match(session)) == {ask.seat}
    other = "a" if ask.seat != "a" else "b"
    with transaction(house.settings) as session:
        assert votes.propose_substitute(session, house.players.match(session), other, ask.seat).status == "open"
    while ask.seat not in house.players.asked():
        house.answer_all(rng)
    house.answer_all(rng)
    while house.asks()[0].serial == ask.serial:
        house.answer_all(rng)
    with open_session(house.settings) as session:
        assert ask.seat not in lateness.let_pass(session, house.players.match(session))


def test_a_seat_that_was_taken_back_begins_anew(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    (ask,) = house.asks()
    assert ask.falls_at is not None
    house.go_to(ask.falls_at)
    missed(house, ask.seat)
    house.command(ask.seat, f"back seat={ask.seat}")
    with open_session(house.settings) as session:
        assert lateness.absentees(session, house.players.match(session)) == []


def test_whom_letters_do_not_reach_can_be_replaced(house: House) -> None:
    with transaction(house.settings) as session:
        account = session.get(Account, house.seat("b").account_id)
        assert account is not None
        account.bounced_at = START
        session.add(account)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        assert [s.seat for s in lateness.absentees(session, match)] == ["b"]
        assert votes.propose_substitute(session, match, "a", "b").status == "open"


def test_no_vote_is_taken_when_its_time_is_up(house: House) -> None:
    vote = pause(house, "a")
    house.clock.shift(timedelta(days=3))
    with pytest.raises(NotLegal, match="over"):
        cast(house, vote, "b")


@on_sqlite
def test_votes_whose_time_is_up_have_failed(house: House) -> None:
    vote = pause(house, "a")
    house.go_to(START + timedelta(days=3))
    with open_session(house.settings) as session:
        found = session.get(Vote, vote.id)
        assert found is not None and found.status == "failed"
    assert pause(house, "b").status == "open"


def test_a_proposal_can_be_taken_back_by_who_made_it(house: House) -> None:
    vote = pause(house, "a")
    with transaction(house.settings) as session, pytest.raises(NotLegal, match="Only the player who proposed"):
        votes.withdraw(session, house.players.match(session), vote.id, "b")
    with transaction(house.settings) as session:
        votes.withdraw(session, house.players.match(session), vote.id, "a")
        assert votes.open_votes(session, house.players.match(session)) == []


def test_a_vote_twice_is_refused(house: House) -> None:
    vote = pause(house, "a")
    cast(house, vote, "b")
    for seat in ("a", "b"):
        with pytest.raises(NotLegal, match="voted on that already"):
            cast(house, vote, seat, yes=False)
    with pytest.raises(NotLegal, match="voting on that already"):
        pause(house, "c")
    with pytest.raises(NotLegal, match="no vote on that"):
        cast(house, vote, "e")  # the bot's
    with pytest.raises(NotFound):
        cast(house, Vote(match_id="x", kind="pause", by_seat="a", closes_at=START), "b")


@on_sqlite
@pytest.mark.parametrize("days", ["", "0", "31", "365", "-1", "1.5", "forever", "٣"])
def test_a_pause_always_has_an_end(house: House, days: str) -> None:
    with pytest.raises(NotUnderstood, match="1 to 30 days"):
        pause(house, "a", days)


def test_a_vote_that_makes_no_sense_is_refused(house: House) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        refused: list[tuple[Callable[[], object], str]] = [
            (lambda: votes.propose_pace(session, match, "a", pace.Pace()), "the pace of this game already"),
            (lambda: votes.propose_pace(session, match, "a", pace.Pace(turn=60)), "1 to 720 hours, not"),
            (lambda: votes.propose_substitute(session, match, "a", "b"), "has not missed a deadline"),
            (lambda: votes.propose_substitute(session, match, "a", "a"), "your own seat"),
            (lambda: votes.propose_substitute(session, match, "a", "e"), "nobody in that seat"),
            (lambda: votes.propose_substitute(session, match, "a", "z"), "nobody in that seat"),
        ]
        for proposal, sentence in refused:
            with pytest.raises(Refused, match=sentence):
                proposal()
        assert votes.open_votes(session, match) == []


def test_of_two_people_the_other_one_decides_alone(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> None:
    house = House(settings, sent, clock, people=2)
    missed(house, "b")
    with transaction(settings) as session:
        assert votes.propose_substitute(session, house.players.match(session), "a", "b").status == "carried"
    house.tick()
    assert house.seat("b").account_id and len(house.letters("notice", "b")) == 1
    cool(house)
    assert house.seat("b").wanted == "open"


# --- voters who leave -------------------------------------------------------------------------------------------------


def status(house: House, vote: Vote) -> str:
    with open_session(house.settings) as session:
        return session.get_one(Vote, vote.id).status


def give_up(house: House, seat: str) -> None:
    house.command(seat, f"seek seat={seat}")


def be_banned(house: House, seat: str) -> None:
    do(house, lambda session, _: bans.ban(session, accounts.by_id(session, str(house.seat(seat).account_id)), "Threats."))


def be_erased(house: House, seat: str) -> None:
    do(house, lambda session, _: own_data.erase(session, accounts.by_id(session, str(house.seat(seat).account_id))))


@on_sqlite
@pytest.mark.parametrize("leave", [give_up, be_banned, be_erased])
def test_a_vote_is_settled_when_its_last_missing_voter_leaves(house: House, leave: Callable[[House, str], None]) -> None:
    vote = pause(house, "a")
    assert cast(house, vote, "b") == "open"
    leave(house, "d")
    assert status(house, vote) == "carried"
    house.tick()
    assert any(line.startswith("The table pauses until Fri 27 Nov 2026, 09:00 UTC") for line in house.history(None))


@on_sqlite
def test_a_vote_fails_when_so_many_leave_that_it_can_not_be_carried(house: House) -> None:
    vote = pause(house, "a")
    cast(house, vote, "b", yes=False)
    give_up(house, "d")
    assert status(house, vote) == "open"
    give_up(house, "c")
    assert status(house, vote) == "failed"


@on_sqlite
def test_a_vote_is_settled_when_a_steward_comes_for_a_missed_deadline(house: House, rng: random.Random) -> None:
    house.answer_all(rng)
    with transaction(house.settings) as session:
        match = house.players.match(session)
        match.pace = {**match.pace, "steward_after": 1}
        session.add(match)
    (ask,) = house.asks()
    first, second, _ = [seat for seat in "abcd" if seat != ask.seat]
    vote = pause(house, first)
    assert cast(house, vote, second) == "open"
    assert ask.falls_at is not None
    house.go_to(ask.falls_at)
    assert house.seat(ask.seat).steward and status(house, vote) == "carried"


@on_sqlite
def test_a_vote_without_voters_waits_for_one_to_return(house: House) -> None:
    vote = pause(house, "a")
    for seat in "bcd":
        missed(house, seat)
    be_banned(house, "a")
    assert status(house, vote) == "open"


@on_sqlite
def test_a_faster_pace_is_not_carried_by_a_steward_who_comes(house: House) -> None:
    with transaction(house.settings) as session:
        vote = votes.propose_pace(session, house.players.match(session), "a", FAST)
    for seat in "bc":
        cast(house, vote, seat)
    be_banned(house, "d")
    assert status(house, vote) == "open", "the command would be refused"
    house.command("operator", "seek seat=d")
    house.tick()
    assert status(house, vote) == "carried"
    with open_session(house.settings) as session:
        assert pace.of(house.players.match(session).pace) == FAST


@on_sqlite
def test_a_vote_on_sharing_is_settled_when_the_last_missing_player_is_erased(house: House) -> None:
    house.command("operator", "end reason=Snow")
    with transaction(house.settings) as session:
        vote = votes.propose_sharing(session, house.players.match(session), "a")
    for seat in "bc":
        cast(house, vote, seat)
    be_erased(house, "d")
    assert status(house, vote) == "carried"
    with open_session(house.settings) as session:
        assert sharing.is_open(house.players.match(session))
