"""What is thrown away in time, and what stays."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
import time_machine
from sqlmodel import Session, func, select, update

from engine.core.asks import Refused
from service.errors import BadLink
from service.log import packing
from service.post import links
from service.seat import copies
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import AskRow, Letter, LetterEvent, LetterStatus, Link, Match, PackedLog, now
from service.store.seats import seat_called
from service.table import host, practice
from service.table.commands import OPERATOR, command
from tests.house import START, House, Sent
from tests.service.conftest import Players, on_sqlite, open_table
from workers import adjudicate, retention, sweep

DAY = timedelta(days=1)


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=2)


def all_sent(settings: Settings) -> None:
    with transaction(settings) as session:
        for letter in session.exec(select(Letter)).all():
            letter.status = LetterStatus.SENT
            written(letter)
            session.add(letter)


def written(letter: Letter) -> None:
    """Give a letter that is but owed a body."""
    letter.text = letter.text or "Words."
    letter.html, letter.written_at = letter.html or "<p>Words.</p>", letter.written_at or letter.created_at


def bodies(settings: Settings) -> dict[str, str]:
    with open_session(settings) as session:
        return {letter.id: letter.html for letter in session.exec(select(Letter))}


def events(settings: Settings) -> int:
    with open_session(settings) as session:
        return session.exec(select(func.count()).select_from(LetterEvent)).one()


def test_letters_that_went_out_are_emptied_and_their_ledger_stays(house: House, settings: Settings, rng: random.Random) -> None:
    for _ in range(2):
        for seat in house.players.asked():
            house.players.submit(seat, rng)
        house.players.adjudicate()
    all_sent(settings)
    before = events(settings)
    house.clock.shift(29 * DAY)
    retention.tidy(settings)
    assert all(bodies(settings).values())
    house.clock.shift(2 * DAY)
    sweep.sweep(settings)
    with open_session(settings) as session:
        found = session.exec(select(Letter).where(Letter.html == "")).all()
        asked = session.exec(select(Letter).where(Letter.html != "", Letter.status == "sent")).all()
        assert found and all(letter.text == "" and letter.subject and letter.to_address for letter in found)
        assert {name for letter in found for name in letter.headers} <= retention.KEPT_HEADERS
        assert any(letter.headers for letter in found)
        # What is still asked is still needed, for another copy.
        assert {(x.seat, x.serial) for x in asked} <= {(a.seat, a.serial) for a in house.asks()}
    assert events(settings) >= before


def test_it_is_done_at_most_once_an_hour_and_in_batches(
    house: House, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    monkeypatch.setattr(retention, "MOST_BATCHES", 2)
    with transaction(settings) as session:
        match = house.players.match(session)
        for _ in range(12):
            link = links.turn_link(session, match, seat_called(session, match, "a"))
            link.expires_at = START - 40 * DAY
    house.clock.shift(timedelta(minutes=61))
    assert [retention.tidy(settings), retention.tidy(settings)] == [4, 0]
    house.clock.shift(timedelta(minutes=61))
    assert retention.tidy(settings) == 4


def test_links_that_ran_out_long_ago_are_deleted_and_say_so(house: House, settings: Settings) -> None:
    with transaction(settings) as session:
        match = house.players.match(session)
        seat = seat_called(session, match, "a")
        old, dead, good = (links.turn_link(session, match, seat) for _ in range(3))
        links.revoke(session, dead)
        good.expires_at = START + 300 * DAY
        tokens = [links.sign(settings, link) for link in (old, dead, good)]
    house.clock.shift(timedelta(days=settings.link_days + 1))
    retention.tidy(settings)
    with open_session(settings) as session:
        assert session.get(Link, old.id) is not None and session.get(Link, dead.id) is None
    house.clock.shift(31 * DAY)
    retention.tidy(settings)
    with open_session(settings) as session:
        assert links.verify(settings, session, tokens[2], links.TURN).id == good.id
        for token in tokens[:2]:
            for expired in (False, True):
                with pytest.raises(BadLink, match=r"no longer works\. Sign in with your address"):
                    links.verify(settings, session, token, links.TURN, expired)


def test_an_old_letter_is_not_sent_again_empty(house: House, settings: Settings) -> None:
    with transaction(settings) as session:
        match = house.players.match(session)
        letter = copies.resend(session, match, seat_called(session, match, "a"))
        test = next(x for x in session.exec(select(Letter)).all() if x.id == letter.id)
        test.status, test.text, test.html, test.written_at = LetterStatus.BOUNCED, "", "", test.created_at
        session.add(test)
        alone = Letter(to_address="x@example.org", kind="test", subject="x", text="", html="", message_id="<1>")
        alone.status, alone.written_at = LetterStatus.BOUNCED, alone.created_at
        session.add(alone)
    with transaction(settings) as session:
        before = session.exec(select(func.count()).select_from(Letter)).one()
        host.send_again(session, letter.id)
        assert session.exec(select(func.count()).select_from(Letter)).one() == before + 1
        again = session.get(Letter, letter.id)
        assert again is not None and again.status == "bounced"
        with pytest.raises(Refused, match="too old to be kept"):
            host.send_again(session, alone.id)


@on_sqlite
def test_a_game_whose_log_can_not_be_packed_keeps_nothing_else(
    over: Players, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither another game, nor a guest's table, nor the letters, nor the rest of the sweep."""
    other = open_table(settings)
    other.adjudicate()
    with transaction(settings) as session:
        command(session, other.match(session), OPERATOR, "end reason=Snow")
        guest = practice.begin(session, practice.guest(session, "192.0.2.0/24"), "mastery").id
    for id in (other.match_id, guest):
        adjudicate.adjudicate(settings, id)
    with transaction(settings) as session:
        command(session, session.get_one(Match, guest), OPERATOR, "end reason=left")
    adjudicate.adjudicate(settings, guest)
    all_sent(settings)
    real = packing.pack

    def pack(session: Session, match_id: str) -> bool:
        if match_id != other.match_id:
            raise ValueError("its log is not one")
        return real(session, match_id)

    monkeypatch.setattr(packing, "pack", pack)
    with time_machine.travel(now() + 40 * DAY):
        sweep.sweep(settings)
    with open_session(settings) as session:
        assert set(session.exec(select(PackedLog.match_id))) == {other.match_id}
    assert not any(bodies(settings).values())
    said = capsys.readouterr()
    assert all(f"{what} can't be" in said.out + said.err for what in ("log", "table"))


@pytest.mark.parametrize("status", LetterStatus)
def test_what_waits_is_never_thrown_away_and_all_else_is(
    house: House, settings: Settings, rng: random.Random, status: LetterStatus
) -> None:
    house.answer_all(rng)
    with transaction(settings) as session:
        session.exec(update(AskRow).values(answered_at=START))
        for letter in session.exec(select(Letter)).all():
            letter.created_at -= 400 * DAY
            letter.status = status
            written(letter)
            session.add(letter)
    house.clock.shift(2 * timedelta(hours=1))
    retention.tidy(settings)
    assert {bool(html) for html in bodies(settings).values()} == {status in ("queued", "gathered", "sending")}
