"""Before the start: seats that are promised, taken, left; and what is refused."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import msgspec
import pytest
from sqlmodel import Session, select

from engine.core.asks import NotLegal, NotUnderstood, Refused
from engine.core.chance import commitment
from engine.play import match as matches
from service.errors import LinkRevoked, NotAllowed, NotFound, Taken
from service.games import decks, inviting, lobby
from service.post import links
from service.settings import Settings
from service.store import database as db
from service.store.models import Letter, Match, SeatRow
from service.store.seats import by_match_id, seat_of, seats_of
from tests.house import invite
from tests.service.conftest import Players, on_sqlite, open_table, person


def lobby_of(session: Session, seats: int = 3, access: str = "open") -> Match:
    return lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", seats, access)


@on_sqlite
def test_the_host_has_the_first_seat(settings: Settings) -> None:
    with db.transaction(settings) as session:
        first, second, third = seats_of(session, lobby_of(session))
        assert (first.name, first.status, second.status, third.status) == ("Anna", "taken", "empty", "empty")


@on_sqlite
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"seats": 1}, "2 to 6 players, not 1"),
        ({"seats": 7}, "2 to 6 players, not 7"),
        ({"name": ""}, "is empty"),
        ({"name": "x" * 61}, "at most 60"),
        ({"access": "secret"}, "choose one"),
        ({"game": "chess"}, "no game called"),
    ],
)
def test_a_game_that_cannot_be_is_refused(settings: Settings, given: dict[str, object], sentence: str) -> None:
    whole: dict[str, Any] = {"name": "Harvest war", "game": "ortus", "seats": 3, "access": "open", **given}
    with db.transaction(settings) as session:
        with pytest.raises(NotUnderstood, match=sentence):
            lobby.open_match(session, person(session, "Anna"), **whole)
        assert session.exec(select(Match)).all() == []


@on_sqlite
def test_one_person_hosts_no_more_games_than_are_good(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MOST_OPEN", 2)
    with db.transaction(settings) as session:
        lobby_of(session), lobby_of(session)
        with pytest.raises(NotAllowed, match="unfinished games"):
            lobby_of(session)


def test_a_seat_that_was_taken_a_moment_ago_is_refused(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match = lobby_of(session, 2)
        invite(session, match, person(session, "Anna"), "bert@example.org")
        with pytest.raises(Taken, match="taken or promised"):
            lobby.join(session, match, person(session, "Cleo"))


def test_two_who_want_the_last_seat_at_once_do_not_both_get_it(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match_id = lobby_of(session, 2).id
        for name in ("Bert", "Cleo", "Dora"):
            person(session, name)
    said: list[object] = []

    def join(name: str) -> None:
        try:
            with db.transaction(settings) as session:
                said.append(lobby.join(session, by_match_id(session, match_id), person(session, name)).seat)
        except Refused as refusal:
            said.append(str(refusal))

    guests = [threading.Thread(target=join, args=(name,)) for name in ("Bert", "Cleo", "Dora")]
    for guest in guests:
        guest.start()
    for guest in guests:
        guest.join()
    assert said.count("b") == 1
    assert sorted(map(str, said))[:2] == ["The game has started; that can only be done before its start."] * 2
    with db.open_session(settings) as session:
        assert by_match_id(session, match_id).status == "running"


@on_sqlite
def test_nobody_sits_twice(settings: Settings) -> None:
    with db.transaction(settings) as session:
        match = lobby_of(session)
        anna = person(session, "Anna")
        joining, promising = partial(lobby.join, session, match, anna), partial(invite, session, match, anna)
        for again in (joining, partial(promising, "ANNA@example.org")):
            with pytest.raises(Taken, match="seat in this game already"):
                again()


@on_sqlite
def test_a_game_by_invitation_is_closed_to_others(settings: Settings) -> None:
    with db.transaction(settings) as session, pytest.raises(NotAllowed, match="by invitation"):
        lobby.join(session, lobby_of(session, access="invited"), person(session, "Bert"))


def test_an_invitation_is_accepted_once_however_often(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match = lobby_of(session)
        seat = invite(session, match, person(session, "Anna"), "bert@example.org")
        link = links.invite_link(session, match, seat)
        account, _ = inviting.accept(session, link)
        assert account.email == "bert@example.org"
        assert inviting.accept(session, link)[0].id == account.id
        letter = session.exec(select(Letter).where(Letter.kind == "invitation")).one()
        assert letter.to_address == "bert@example.org" and "http://writ.test/i/" in letter.text


def test_an_invitation_that_was_declined_or_taken_back_opens_nothing(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match, host = lobby_of(session), person(session, "Anna")
        for undo in (partial(inviting.decline, session, match, "b"), partial(lobby.clear_seat, session, match, host, "b")):
            seat = invite(session, match, host, "bert@example.org")
            link = links.invite_link(session, match, seat)
            undo()
            assert seats_of(session, match)[1].status == "empty"
            with pytest.raises(LinkRevoked):
                links.verify(settings, session, links.sign(settings, link), links.INVITE)
        inviting.decline(session, match, "b")  # declining once more is no matter


@on_sqlite
@pytest.mark.parametrize("email", ["bert", "bert@", "x" * 300 + "@example.org"])
def test_a_bad_address_is_not_invited(settings: Settings, email: str) -> None:
    with db.transaction(settings) as session:
        match = lobby_of(session)
        with pytest.raises(NotUnderstood, match="address"):
            invite(session, match, person(session, "Anna"), email)
        assert [s.status for s in seats_of(session, match)] == ["taken", "empty", "empty"]


@on_sqlite
def test_an_address_that_is_invited_already_is_refused(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match, host = lobby_of(session), person(session, "Anna")
        invite(session, match, host, "bert@example.org")
        with pytest.raises(Taken, match="already"):
            invite(session, match, host, "Bert@Example.org")


@on_sqlite
def test_only_the_host_invites_fills_clears_and_calls_off(settings: Settings) -> None:
    with db.transaction(settings) as session:
        match, guest = lobby_of(session), person(session, "Bert")
        lobby.join(session, match, guest)
        for deed in (
            lambda: invite(session, match, guest, "cleo@example.org"),
            lambda: lobby.add_bot(session, match, guest),
            lambda: lobby.clear_seat(session, match, guest, "a"),
            lambda: lobby.cancel(session, match, guest),
        ):
            with pytest.raises(NotAllowed, match="Only the host"):
                deed()


def test_who_leaves_frees_the_seat_and_voids_its_links(settings: Settings) -> None:
    with db.transaction(settings) as session:
        match, guest = lobby_of(session), person(session, "Bert")
        seat = lobby.join(session, match, guest)
        token = links.sign(settings, links.turn_link(session, match, seat))
        lobby.leave(session, match, guest)
        assert seat_of(session, match, guest) is None
        with pytest.raises(LinkRevoked):
            links.verify(settings, session, token, links.TURN)
        with pytest.raises(NotAllowed, match="no seat"):
            lobby.leave(session, match, guest)
        with pytest.raises(NotAllowed, match="call the game off"):
            lobby.leave(session, match, person(session, "Anna"))


def test_calling_off_tells_everybody_but_the_host(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match, host = lobby_of(session), person(session, "Anna")
        lobby.join(session, match, person(session, "Bert"))
        invite(session, match, host, "cleo@example.org")
        lobby.cancel(session, match, host)
        told = session.exec(select(Letter.to_address).where(Letter.kind == "cancelled")).all()
        assert sorted(told) == ["bert@example.org", "cleo@example.org"]
        with pytest.raises(NotAllowed, match="called off"):
            lobby.cancel(session, match, host)


def test_nothing_of_the_lobby_works_once_the_game_runs(table: Players, settings: Settings) -> None:
    with db.transaction(settings) as session:
        match, host, late = table.match(session), person(session, "Anna"), person(session, "Zoe")
        for deed in (
            lambda: lobby.join(session, match, late),
            lambda: lobby.leave(session, match, host),
            lambda: lobby.cancel(session, match, host),
            lambda: lobby.set_colour(session, match, host, "black"),
            lambda: lobby.add_bot(session, match, host),
        ):
            with pytest.raises(NotAllowed, match="has started"):
                deed()


def test_a_colour_is_one_players(settings: Settings) -> None:
    # MM-DEC-2: what a player chooses of a castle is its colour, any free one, at once; its name goes with the place
    # and does nothing (MM-CMP-7). Who says nothing has the lowest that is free.
    with db.transaction(settings) as session:
        match, host, guest = lobby_of(session), person(session, "Anna"), person(session, "Bert")
        lobby.join(session, match, guest)
        with pytest.raises(Taken, match="Bert has blue"):
            lobby.set_colour(session, match, host, "blue")
        with pytest.raises(NotUnderstood, match="no colour"):
            lobby.set_colour(session, match, host, "mauve")
        lobby.set_colour(session, match, host, "green")
        assert [s.colour for s in seats_of(session, match)] == ["green", "blue", "red"]


@on_sqlite
def test_an_unknown_bot_or_seat_is_refused(settings: Settings) -> None:
    with db.transaction(settings) as session:
        match, host = lobby_of(session), person(session, "Anna")
        with pytest.raises(NotUnderstood, match="no bot"):
            lobby.add_bot(session, match, host, "genius")
        with pytest.raises(NotFound):
            lobby.clear_seat(session, match, host, "q")
        with pytest.raises(NotAllowed, match="your own seat"):
            lobby.clear_seat(session, match, host, "a")


def test_the_header_commits_to_the_seed_and_keeps_it(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    players = open_table(settings)
    with db.open_session(settings) as session:
        match = players.match(session)
        header = msgspec.json.decode(match.header or "", type=matches.Header)
        assert header.commitment == commitment(match.seed) and match.seed.hex() not in (match.header or "")
        assert match.head == header.hash()
        entropies = [s.entropy for s in session.exec(select(SeatRow).where(SeatRow.match_id == match.id))]
        assert len(set(entropies)) == 2 and all(entropies)


# --- decks ------------------------------------------------------------------------------------------------------------


def house() -> dict[str, int]:
    return dict(decks.build_of("ortus").ready[0].cards)


def broken_decks() -> list[tuple[dict[str, int], str]]:
    deck = house()
    some = next(k for k, n in deck.items() if n)
    short = deck | {some: deck[some] - 1}
    return [
        (short, "23"),
        ({"Land": 7, "Vassal": 6, "Monk": 6, "Prince": 5}, "Land|7|six"),
        ({}, "24"),
        (deck | {"Dragon": 1}, "Dragon"),
    ]


@on_sqlite
@pytest.mark.parametrize(("cards", "sentence"), broken_decks())
def test_a_deck_that_is_none_is_refused(settings: Settings, cards: dict[str, int], sentence: str) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby_of(session)
        for deed in (
            lambda: decks.save(session, host, "Mine", cards, "ortus"),
            lambda: decks.for_seat(session, match, host, cards),
        ):
            with pytest.raises((NotLegal, NotUnderstood), match=sentence):
                deed()
        assert decks.of(session, host, "ortus") == []
        assert seats_of(session, match)[0].prepared == {}


def test_a_deck_is_kept_replaced_and_thrown_away_by_its_owner_alone(settings: Settings) -> None:
    with db.transaction(settings) as session:
        anna, bert = person(session, "Anna"), person(session, "Bert")
        deck = decks.save(session, anna, "Mine", house(), "ortus")
        assert decks.save(session, anna, " Mine ", house(), "ortus").id == deck.id
        for deed in (decks.kept, decks.delete):
            with pytest.raises(NotFound):
                deed(session, bert, deck.id)
        decks.delete(session, anna, deck.id)
        assert decks.of(session, anna, "ortus") == []


def test_a_deck_kept_before_the_start_is_played_at_the_start(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby_of(session, 2)
        decks.for_seat(session, match, host, house())
        lobby.join(session, match, person(session, "Bert"))
        players = Players(settings, match.id)
    players.adjudicate()
    assert players.asked() == ["b"]
