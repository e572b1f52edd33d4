"""Bans: what a banned account loses at once, what its tables read, and what the end of the ban gives back."""

from __future__ import annotations

import random
import threading
from datetime import timedelta

import pytest
import time_machine
from sqlmodel import Session, col, select

from engine.core.asks import NotLegal, NotUnderstood
from engine.play.match import verify
from service.errors import Banned, LinkRevoked
from service.games import lobby
from service.inbox import receiving
from service.people import accounts, browsers
from service.post import letters, links
from service.replay import replay_copy
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Command, Letter, LetterStatus, Link, Match, Message, SeatRow
from service.store.seats import by_match_id, seats_of
from service.table import bans, commands, host, lateness, substitutes, talk
from tests.house import START, House, Sent, do, invite
from tests.service.conftest import on_sqlite, person
from workers.letters import delivery

WHY = "Threats at two tables."


@pytest.fixture
def house(settings: Settings, sent: Sent, clock: time_machine.Traveller) -> House:
    return House(settings, sent, clock, people=3)


def owner(session: Session, house: House, seat: str) -> Account:
    row = session.get_one(SeatRow, (house.players.match_id, seat))
    return accounts.by_id(session, row.account_id)


def ban(house: House, seat: str = "b") -> str:
    """Ban who sits there; their address."""
    with transaction(house.settings) as session:
        account = owner(session, house, seat)
        bans.ban(session, account, WHY)
        email = account.email
    house.tick()
    return email


def to_go(session: Session, email: str) -> list[str]:
    """The kinds of the letters that are to go to an address, or went."""
    found = select(Letter).where(Letter.to_address == email, col(Letter.status) != LetterStatus.DROPPED)
    return [letter.kind for letter in session.exec(found.order_by(col(Letter.created_at), Letter.id))]


def test_a_steward_keeps_the_seats_the_table_is_told_and_the_game_goes_on(house: House, rng: random.Random) -> None:
    name, before = house.seat("b").name, len(house.entries())
    ban(house)
    assert house.seat("b").steward and house.seat("b").name == name
    assert f"{name} can’t play at the moment. A steward plays for now." in house.history(None)
    notices = [letter for letter in house.letters("notice") if letter.status != LetterStatus.DROPPED]
    assert sorted({letter.seat for letter in notices}) == ["a", "c"]
    assert all("can’t play at the moment" in letter.text and WHY not in letter.text for letter in notices)
    for _ in range(3):
        house.answer_all(rng)
    assert len(house.entries()) > before + 3, "nobody waits"
    with open_session(house.settings) as session:
        assert [row.seat for row in lateness.absentees(session, house.players.match(session))] == ["b"]
    do(house, lambda session, match: host.end(session, match, "Snow."))
    with open_session(house.settings) as session:
        assert verify(replay_copy.download(session, house.players.match(session), None)).holds


def test_the_only_letter_says_so_with_the_reason_and_what_waited_is_dropped(house: House, rng: random.Random) -> None:
    known = house.settings.model_copy(update={"house_contact": "host@club.example"})
    with transaction(known) as session:
        email = owner(session, house, "b").email
        waits = letters.test_letter(session, owner(session, house, "b")).id
        bans.ban(session, owner(session, house, "b"), WHY)
        (letter,) = session.exec(select(Letter).where(Letter.kind == "banned")).all()
        assert (letter.to_address, letter.status) == (email, LetterStatus.QUEUED)
        assert WHY in " ".join(letter.text.split()) and WHY in letter.html and "host@club.example" in letter.text
        went = to_go(session, email)
        assert session.exec(select(Letter.status).where(Letter.id == waits)).one() == LetterStatus.DROPPED
    house.tick()
    for _ in range(2):
        house.answer_all(rng)
    with transaction(house.settings) as session:
        letters.test_letter(session, accounts.known(session, email))
        match = house.players.match(session)
        letters.to_seat(session, "kept", match, session.get_one(SeatRow, (match.id, "b")), {"missed": 1, "waits": False})
        session.flush()
        assert to_go(session, email) == went


def test_a_letter_that_is_sent_again_is_dropped_at_the_door(house: House) -> None:
    with transaction(house.settings) as session:
        id = letters.test_letter(session, owner(session, house, "b")).id
    with transaction(house.settings) as session:
        bans.ban(session, owner(session, house, "b"), WHY)
    with transaction(house.settings) as session:
        letter = session.get_one(Letter, id)
        assert letter.status == LetterStatus.DROPPED
        letter.status, letter.next_try_at = LetterStatus.QUEUED, START - timedelta(days=1)
        session.add(letter)
    delivery.deliver(house.settings)
    with open_session(house.settings) as session:
        assert session.get_one(Letter, id).status == LetterStatus.DROPPED
        sent = session.exec(select(Letter).where(Letter.kind == "banned")).one()
        assert sent.status == LetterStatus.SENT, "the letter about the ban itself goes out"


def test_browsers_links_and_replies_open_nothing(house: House) -> None:
    with transaction(house.settings) as session:
        match, bert = house.players.match(session), owner(session, house, "b")
        seat = session.get_one(SeatRow, (match.id, "b"))
        secret = browsers.enter(session, bert, bert.generation)
        turn, sign_in = links.turn_link(session, match, seat), links.sign_in_link(session, bert)
        ids = [turn.id, sign_in.id]
        talk.say(session, match, "a", "", "Good day to you.", "key-of-anna")
    house.tick()
    with open_session(house.settings) as session:
        to_answer = session.exec(select(Letter.id).where(Letter.seat == "b").order_by(col(Letter.created_at).desc())).first()
    ban(house)
    with transaction(house.settings) as session:
        assert browsers.of_cookie(session, secret) is None
        for id, purpose in zip(ids, (links.TURN, links.SIGN_IN), strict=True):
            with pytest.raises(Banned, match="can’t be used here at the moment"):
                links.good(session, session.get_one(Link, id), purpose)
        # Even a browser that would have been let in a moment later.
        bert = owner(session, house, "b")
        assert browsers.of_cookie(session, browsers.enter(session, bert, bert.generation)) is None
    assert receiving._reply(house.settings, str(to_answer), receiving.Read("key-of-bert", "I shall be back.")) == "dropped"
    with open_session(house.settings) as session:
        assert [m.seat for m in session.exec(select(Message))] == ["a"]


def test_the_end_gives_back_all_but_what_was_given_away(house: House) -> None:
    with transaction(house.settings) as session:
        id = links.sign_in_link(session, owner(session, house, "b")).id
    email = ban(house)
    with transaction(house.settings) as session:
        bert = accounts.known(session, email)
        bans.unban(session, bert)
        assert bert.banned_at is None and bert.banned_why == "" and to_go(session, email)[-1] == "unbanned"
        assert browsers.of_cookie(session, browsers.enter(session, bert, bert.generation)) is not None
        with pytest.raises(LinkRevoked):
            links.good(session, session.get_one(Link, id), links.SIGN_IN)
        with pytest.raises(NotLegal, match="isn’t banned"):
            bans.unban(session, bert)
    house.command("b", "back seat=b")
    assert house.seat("b").steward == ""


def test_a_seat_that_was_given_away_meanwhile_stays_so(house: House) -> None:
    email = ban(house)
    do(house, lambda session, match: host.replace(session, match, "b", "", commands.OPERATOR))
    with transaction(house.settings) as session:
        match = house.players.match(session)
        substitutes.take(session, match, session.get_one(SeatRow, (match.id, "b")), person(session, "Gwen"))
    house.tick()
    with transaction(house.settings) as session:
        bert = accounts.known(session, email)
        bans.unban(session, bert)
        assert not accounts.seated_at(session, bert, [house.players.match_id])


def test_a_seat_that_changed_hands_before_the_command_was_played_has_no_steward(house: House) -> None:
    with transaction(house.settings) as session:
        match, cleo = house.players.match(session), owner(session, house, "c")
        commands.command(session, match, commands.OPERATOR, "keep seat=b", account="another")
        commands.command(session, match, commands.HOST, "keep seat=c", account=cleo.id)
    house.tick()
    assert house.seat("b").steward == house.seat("c").steward == ""
    with open_session(house.settings) as session:
        assert {c.status for c in session.exec(select(Command).where(col(Command.words).startswith("keep")))} == {"refused"}


@on_sqlite
def test_who_was_banned_while_a_seat_was_on_its_way_does_not_get_it(house: House) -> None:
    do(house, lambda session, match: host.replace(session, match, "b", "", commands.OPERATOR))
    with transaction(house.settings) as session:
        match, gwen = house.players.match(session), person(session, "Gwen")
        substitutes.take(session, match, session.get_one(SeatRow, (match.id, "b")), gwen)
        bans.ban(session, gwen, WHY)
    house.tick()
    assert house.seat("b").account_id is None and house.seat("b").wanted == "open"


def test_before_the_start_seats_and_invitations_are_free_and_hosted_games_called_off(settings: Settings, sent: Sent) -> None:
    with transaction(settings) as session:
        anna, bert = person(session, "Anna"), person(session, "Bert")
        own = lobby.open_match(session, bert, "Of Bert", "ortus", 3, "open")
        lobby.join(session, own, anna)
        joined = lobby.open_match(session, anna, "Joined", "ortus", 3, "open")
        lobby.join(session, joined, bert)
        invited = lobby.open_match(session, anna, "Invited", "ortus", 3)
        invite(session, invited, anna, bert.email)
        bans.ban(session, bert, WHY)
        assert session.get_one(Match, own.id).status == "cancelled"
        for match in (joined, invited):
            assert [s.status for s in seats_of(session, match)] == ["taken", "empty", "empty"]
        assert sorted(to_go(session, anna.email)) == ["cancelled", "declined"]
        # From now on a host reads of that address what he reads of one that wants no invitations.
        with pytest.raises(NotLegal, match="sends no invitations to that address"):
            invite(session, invited, anna, bert.email)


@on_sqlite
def test_a_substitute_s_invitation_is_taken_back(house: House) -> None:
    do(house, lambda session, match: host.replace(session, match, "b", "gwen@example.org", commands.OPERATOR))
    assert house.seat("b").wanted == "invited"
    with transaction(house.settings) as session:
        bans.ban(session, person(session, "Gwen"), WHY)
    assert (house.seat("b").wanted, house.seat("b").invited_email) == ("open", "")


def test_a_game_joined_while_its_player_is_being_banned_is_locked_too(
    settings: Settings, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(settings) as session:
        anna, cleo = person(session, "Anna"), person(session, "Cleo").id
        match_id = lobby.open_match(session, anna, "Harvest war", "ortus", 2, "open", mustered="never").id
    locked = threading.Event()
    leave = bans._leave

    def lock() -> None:
        with transaction(settings) as session:
            session.exec(select(Match.id).where(Match.id == match_id).with_for_update(key_share=True)).one()
            locked.set()

    working, early = threading.Thread(target=lock), list[bool]()

    def leave_as_a_worker_begins(session: Session, match: Match, seat: SeatRow, account: Account) -> None:
        leave(session, match, seat, account)
        working.start()
        early.append(locked.wait(1))

    def ban_cleo() -> None:
        with transaction(settings) as session:
            bans.ban(session, accounts.by_id(session, cleo), WHY)

    monkeypatch.setattr(bans, "_leave", leave_as_a_worker_begins)
    with transaction(settings) as session:
        lobby.join(session, by_match_id(session, match_id), accounts.by_id(session, cleo))
        banning = threading.Thread(target=ban_cleo)  # its first look at the tables misses this one
        banning.start()
        banning.join(1)
    banning.join()
    working.join()
    assert early == [False] and locked.is_set(), "a worker waits until the ban is done"
    with open_session(settings) as session:
        assert session.get_one(SeatRow, (match_id, "b")).steward


@on_sqlite
@pytest.mark.parametrize(
    ("why", "sentence"),
    [(" \t", "needs a reason"), ("x" * 301, "at most 300"), ("a\x07b", "can't be shown"), ("a\u202eb", "can't be shown")],
)
def test_a_ban_has_a_reason_that_can_be_read(settings: Settings, why: str, sentence: str) -> None:
    with transaction(settings) as session:
        anna = person(session, "Anna")
        with pytest.raises(NotUnderstood, match=sentence):
            bans.ban(session, anna, why)
        assert anna.banned_at is None and bans.banned(session) == []


def test_operators_are_not_banned_and_nobody_twice(settings: Settings, sent: Sent) -> None:
    with transaction(settings.model_copy(update={"operators": ("ole@example.org",)})) as session:
        ole, anna = person(session, "Ole"), person(session, "Anna")
        with pytest.raises(NotLegal, match="take it out of WRIT_OPERATORS"):
            bans.ban(session, ole, WHY)
        bans.ban(session, anna, WHY)
        with pytest.raises(NotLegal, match="banned already"):
            bans.ban(session, anna, WHY)
        assert [account.email for account in bans.banned(session)] == ["anna@example.org"]
