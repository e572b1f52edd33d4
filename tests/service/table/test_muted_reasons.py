"""Free text around the table obeys mute and flood rules as talk does, and proposals are capped by person."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
import time_machine
from sqlmodel import Session, select

from engine.core.asks import NotLegal
from service.log import results
from service.replay import viewer
from service.seat import handover
from service.seat.state import shown_n, state_of
from service.settings import Settings
from service.store import limits
from service.store.database import open_session, transaction
from service.store.models import Letter, Match, MatchStatus, Notice, SeatRow, new_id
from service.table import notices, talk, votes
from tests.house import House, Sent, do
from tests.service.conftest import on_sqlite, person

INSULT = "because you are a toad"


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=4)


def muted(house: House, seat: str = "b", other: str = "a") -> None:
    do(house, lambda session, match: talk.mute(session, match, seat, other, True))


def everything(house: House, seat: str) -> str:
    """All that a seat has had by letter, its history, and what its page of the newest board tells."""
    with open_session(house.settings) as session:
        kinds, match = sorted(set(session.exec(select(Letter.kind)))), house.players.match(session)
        last = shown_n(match, state_of(match))
        views = [viewer.Reader(seat, seat)] + [viewer.Reader(viewer.OPEN, seat)] * (match.status == MatchStatus.FINISHED)
        told = [
            part
            for reader in views
            for part in viewer.at(session, match, reader, last, last, viewer.names_at(session, match, reader)).told
        ]
    letters = [letter for kind in kinds for letter in house.letters(kind, seat)]
    return "\n".join(
        [text for x in letters for text in (x.subject, x.text, x.html)] + house.history(seat) + [t.words for t in told]
    )


@pytest.mark.parametrize("proposer", ["a", votes.BY_HOST], ids=["a player", "the host"])
def test_the_reason_of_a_muted_player_reaches_nobody_who_muted_them(house: House, proposer: str) -> None:
    muted(house)
    do(house, lambda session, match: votes.propose_end(session, match, proposer, INSULT))
    assert "The game ends without a winner." in house.letters("vote", "b")[0].text, "the vote itself arrives"
    assert INSULT not in everything(house, "b") and INSULT in everything(house, "c")
    with open_session(house.settings) as session:
        (stands,) = votes.open_votes(session, house.players.match(session))
    for seat in "acd":
        if seat not in stands.yes:
            cast(house, stands.vote.id, seat)
    (notice,) = announced(house)
    assert "ends" in house.letters("notice", "b")[-1].text.lower() or "end the game" in house.letters("notice", "b")[-1].text
    assert INSULT not in everything(house, "b") and INSULT in everything(house, "d")
    house.go_to(notice.effect_at + timedelta(minutes=1))
    with open_session(house.settings) as session:
        match = house.players.match(session)
        assert match.status == MatchStatus.FINISHED
        assert INSULT in results.ending(session, match, "UTC") and INSULT in results.ending(session, match, "UTC", "c")
        assert results.ending(session, match, "UTC", "b") == "The table ended the game."
    assert INSULT not in everything(house, "b") and INSULT in everything(house, "d")


def say(text: str, session: Session, match: Match) -> None:
    talk.say(session, match, "a", "", text, new_id())


def cast(house: House, vote: str, seat: str) -> None:
    with contextlib.suppress(NotLegal):  # it was carried before
        do(house, lambda session, match: votes.cast(session, match, vote, seat, True))


def announced(house: House) -> list[Notice]:
    with open_session(house.settings) as session:
        return notices.open_notices(session, house.players.match(session))


def test_who_is_muted_while_a_letter_of_talk_waits_is_not_heard_in_it(house: House) -> None:
    do(house, lambda session, match: talk.say(session, match, "a", "", INSULT, new_id()))
    muted(house)
    assert INSULT not in everything(house, "b") and INSULT in everything(house, "c")


@on_sqlite
def test_who_has_flooded_the_table_gives_no_reasons_either(house: House) -> None:
    for n in range(talk.AN_HOUR - 1):
        do(house, partial(say, f"Toad {n}!"))
    do(house, lambda session, match: votes.propose_end(session, match, "a", INSULT))
    with pytest.raises(NotLegal, match="within an hour"):
        do(house, lambda session, match: talk.say(session, match, "a", "", INSULT, new_id()))
    do(house, lambda session, match: votes.withdraw(session, match, votes.open_votes(session, match)[0].vote.id, "a"))
    with pytest.raises(NotLegal, match="within an hour"):
        do(house, lambda session, match: votes.propose_end(session, match, "a", INSULT))
    do(house, lambda session, match: votes.propose_pause(session, match, "a", "3"))


def loop(house: House, act: Callable[[Session, Match], object], times: int = 20) -> int:
    """How often it is let through."""
    through = 0
    for _ in range(times):
        try:
            do(house, act)
        except NotLegal as refusal:
            assert "tomorrow" in str(refusal) or "enough" in str(refusal)
        else:
            through += 1
    return through


def test_proposals_are_capped_by_person_and_day_and_nobody_uses_up_anothers(house: House) -> None:
    def propose(seat: str) -> Callable[[Session, Match], object]:
        def act(session: Session, match: Match) -> None:
            found = votes.propose_pause(session, match, seat, "3")
            votes.withdraw(session, match, found.id, seat)

        return act

    most = limits.PROPOSALS[0][0]
    assert loop(house, propose("b")) == most
    assert len(house.letters("vote", "c")) <= most
    assert loop(house, propose("a"), 3) == 3, "another player has a budget of their own"
    assert loop(house, propose(votes.BY_HOST)) == most - 3, "the host's is that of the seat which they play"
    house.clock.shift(timedelta(days=1, minutes=1))
    assert loop(house, propose("b"), 1) == 1


def test_a_seat_that_changes_hands_has_a_fresh_budget(house: House) -> None:
    with transaction(house.settings) as session:
        match = house.players.match(session)
        for _ in range(limits.PROPOSALS[0][0]):
            votes.withdraw(session, match, votes.propose_pause(session, match, "b", "3").id, "b")
    with transaction(house.settings) as session:
        match = house.players.match(session)
        row = session.get_one(SeatRow, (match.id, "b"))
        handover.detach_player(session, match, row)
        row.account_id = person(session, "Zoe").id
        session.add(row)
        session.flush()
        assert votes.propose_pause(session, match, "b", "3").status == "open"
