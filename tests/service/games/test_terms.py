"""Options changed under people who sit there: who is told, who confirms, and when the game starts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from sqlmodel import Session, col, select

from engine.core.asks import NotLegal, NotUnderstood
from engine.core.rulings import house
from engine.games import GAMES
from service.games import inviting, lobby, options, rematches, terms
from service.post import links
from service.settings import Settings
from service.store import limits
from service.store.database import open_session, transaction
from service.store.models import Account, Letter, LetterStatus, Match, MatchStatus, SeatRow, now
from service.store.seats import by_match_id, seats_of
from tests.house import invite
from tests.service.conftest import Players, as_sent, on_sqlite, person
from workers.letters import delivery


@pytest.fixture(autouse=True)
def _quiet(sent: list[tuple[str, ...]]) -> None:
    """Nothing is run."""


def ruling() -> tuple[str, str]:
    """A house ruling of Ortus, and a value that is not the usual one."""
    found = house(GAMES["ortus"].rules.rulings)[0]
    return found.id, next(value for value in found.alternatives if value != found.default)


def opened(session: Session, seats: int = 3, *guests: str) -> Match:
    match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", seats, "open")
    for name in guests:
        lobby.join(session, match, person(session, name))
    return match


def change(session: Session, match: Match, usual: bool = False) -> None:
    id, value = ruling()
    options.set_rulings(session, match, person(session, "Anna"), {} if usual else {id: value})


def running(match: Match) -> bool:
    return match.status == MatchStatus.RUNNING


def waits(session: Session, match: Match) -> list[str]:
    return [seat.name for seat in terms.unconfirmed(match, seats_of(session, match))]


def told(session: Session, status: LetterStatus = LetterStatus.QUEUED) -> list[Letter]:
    found = select(Letter).where(Letter.kind == terms.KIND, Letter.status == status)
    return list(session.exec(found.order_by(col(Letter.created_at))))


def seat(session: Session, match: Match, name: str) -> SeatRow:
    return next(row for row in seats_of(session, match) if row.name == name)


def test_the_start_waits_until_everybody_who_sits_there_has_confirmed(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        change(session, match)
        assert waits(session, match) == ["Bert"], "the host has chosen it"
        lobby.join(session, match, person(session, "Cleo"), seen=terms.digest(match))
        assert not running(match) and waits(session, match) == ["Bert"], "Cleo has read it before she joined"
        lobby.agree(session, match, "b", terms.digest(match))
        assert running(match)


def test_a_bot_confirms_by_itself_and_starts_nothing_that_people_have_not_confirmed(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        host = person(session, "Anna")
        change(session, match)
        lobby.add_bot(session, match, host)
        assert not running(match) and waits(session, match) == ["Bert"]
        lobby.leave(session, match, person(session, "Bert"))
        lobby.add_bot(session, match, host)
        assert running(match)


@pytest.mark.parametrize("let", [lobby.let_watch, lobby.let_share])
def test_who_sits_there_agrees_to_more_readers_before_the_start(
    let: Callable[[Session, Match, Account, bool], None], settings: Settings
) -> None:
    with transaction(settings) as session:
        match, host = opened(session, 3, "Bert"), person(session, "Anna")
        before = terms.digest(match)
        let(session, match, host, True)
        assert waits(session, match) == ["Bert"] and [letter.seat for letter in told(session)] == ["b"]
        with pytest.raises(NotUnderstood, match="changed the options since"):
            lobby.join(session, match, person(session, "Cleo"), seen=before)
        lobby.add_bot(session, match, host)
        assert not running(match)
        let(session, match, host, False)
        assert running(match) and told(session) == [], "nobody has to agree to what was closed again"


@on_sqlite
def test_several_changes_in_a_row_are_one_letter_that_says_how_it_stands_then(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        for _ in range(5):
            change(session, match)
            change(session, match, usual=True)
        change(session, match)
        (letter,) = told(session)
        assert letter.seat == "b" and letter.next_try_at > now()
    (letter,) = as_sent(settings, [letter])
    id, _value = ruling()
    for form in (letter.text, letter.html):
        assert id in form and "1 day a turn" in form and "?to=confirm" in form
    assert "do you agree to the new options?" in letter.subject


@on_sqlite
def test_options_that_are_as_they_were_again_ask_nobody(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        change(session, match)
        change(session, match, usual=True)
        assert waits(session, match) == [] and told(session) == []
        lobby.join(session, match, person(session, "Cleo"))
        assert running(match)


@on_sqlite
def test_a_change_back_at_a_full_table_starts_the_game(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        change(session, match)
        lobby.add_bot(session, match, person(session, "Anna"))
        assert not running(match)
        change(session, match, usual=True)
        assert running(match)


def test_a_letter_that_nobody_needs_any_more_is_not_sent(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        change(session, match)
        (letter,) = told(session)
        session.get_one(SeatRow, (match.id, "b")).agreed = terms.digest(match)
    with time_machine.travel(now() + timedelta(seconds=settings.hold_seconds + 1)):
        delivery.deliver(settings)
    with open_session(settings) as session:
        assert session.get_one(Letter, letter.id).status == LetterStatus.DROPPED


@on_sqlite
def test_nobody_joins_or_confirms_what_was_changed_since_the_page_was_shown(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        before = terms.digest(match)
        change(session, match)
        with pytest.raises(NotUnderstood, match="changed the options since"):
            lobby.join(session, match, person(session, "Cleo"), seen=before)
        with pytest.raises(NotUnderstood, match="changed the options since"):
            lobby.agree(session, match, "b", before)
        for nothing in ("", "é", "0" * 64):
            with pytest.raises(NotUnderstood):
                lobby.agree(session, match, "b", nothing)
        assert waits(session, match) == ["Bert"]


@on_sqlite
def test_a_host_who_changes_options_in_a_loop_is_stopped(settings: Settings) -> None:
    with transaction(settings) as session:
        id = opened(session, 3, "Bert").id
    changed, start = 0, now()
    for n in range(30):
        with time_machine.travel(start + timedelta(minutes=10 * n)):
            try:
                with transaction(settings) as session:
                    change(session, by_match_id(session, id), usual=n % 2 == 1)
                changed += 1
            except NotLegal as refusal:
                assert "wait until tomorrow" in str(refusal)
            delivery.deliver(settings)
    with open_session(settings) as session:
        assert len(session.exec(select(Letter).where(Letter.kind == terms.KIND)).all()) <= limits.CHANGES[0][0] < 15
    assert changed < 30


@on_sqlite
def test_a_seat_that_changes_hands_before_the_start_has_agreed_to_nothing_old(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        change(session, match)
        lobby.leave(session, match, person(session, "Bert"))
        assert told(session) == [], "who has left is asked nothing"
        lobby.join(session, match, person(session, "Cleo"), seen=terms.digest(match))
        assert waits(session, match) == []


@on_sqlite
def test_an_own_file_or_optional_rule_is_an_option_like_a_ruling(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        before = terms.digest(match)
        match.options = {**match.options, "anything": "else"}
        assert terms.digest(match) != before
        match.options = {key: value for key, value in match.options.items() if key != "anything"}
        match.pace = {"turn": 3600 * 30}
        assert terms.digest(match) != before


@on_sqlite
def test_who_sat_in_a_lobby_before_there_was_such_a_mark_has_agreed_until_something_changes(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 3, "Bert")
        seat(session, match, "Bert").agreed = seat(session, match, "Anna").agreed = ""
        session.flush()
        assert waits(session, match) == []
        change(session, match)
        assert waits(session, match) == ["Bert"]


def test_a_rematch_is_joined_as_the_game_before_was_played(over: Players, settings: Settings) -> None:
    def sit(act: Callable[[Session, Match], None]) -> list[str]:
        with transaction(settings) as session:
            old = over.match(session)
            again = rematches.again(session, old, person(session, "Anna"))
            act(session, again)
            bert = session.exec(select(Account).where(Account.email == "bert@example.org")).one()
            joined = rematches.again(session, old, bert)
            found = waits(session, joined)
            assert joined.status == (MatchStatus.LOBBY if found else MatchStatus.RUNNING)
            session.rollback()
            return found

    assert sit(lambda _session, _match: None) == []
    assert sit(change) == ["Bert"], "he has seen no page of the changed one"


def test_an_invitation_is_accepted_as_it_stood_on_the_page(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 2)
        host = person(session, "Anna")
        row = invite(session, match, host, "dora@example.org")
        link, before = links.invite_link(session, match, row), terms.digest(match)
        change(session, match)
        with pytest.raises(NotUnderstood, match="changed the options since"):
            inviting.accept(session, link, "", seen=before)
        inviting.accept(session, link, "", seen=terms.digest(match))
        assert running(match)


def test_the_started_letter_lists_options_rulings_and_pace(settings: Settings) -> None:
    with transaction(settings) as session:
        match = opened(session, 2)
        change(session, match)
        lobby.join(session, match, person(session, "Bert"))
        players = Players(settings, match.id)
        told = options.told_rules(match)
    players.adjudicate()
    for letter in players.letters("started"):
        assert told and "1 day a turn" in letter.text and "1 day a turn" in letter.html
        for sentence in told:
            about = sentence.split(":")[0]
            assert about in letter.text and about in letter.html
