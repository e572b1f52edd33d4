"""How many statements a page sends to the database: as many with fifty games as with five, and few."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from flask import Flask
from sqlalchemy import event
from sqlmodel import select

from service.games import listings, lobby
from service.seat import submissions
from service.settings import Settings
from service.store import queue
from service.store.database import engine_for, open_session, transaction
from service.store.models import Account, MatchStatus, Report, SeatRow, new_id, now
from service.store.seats import by_match_id
from service.table import talk
from tests.service.conftest import Drawn
from tests.service.web.conftest import Visitor
from workers import adjudicate

BESIDE = {
    "site.health",
    "static",
    "turn.look_again",
    "turn_links.enter",
    "account.address_change",
    "account.at_the_door",
    "invitations.invitation",
    "post.leaving",
    "post.feed",
    "mailbox.letter",
    "mailbox.letter_html",
    "decks.one",
    "site.rules_of",
    "talk.thread",
    "talk.thread_beside",
    "journal.watch",
    "joining.shared",
    "invitations.free_seat",
    "replay.watch",
    "open_log.show",
    "problems.show",
    "downloads.page",
    "downloads.transcript",
}
"""Addresses that name something beside a game, or are there after its end alone."""
MOST = {"turn.turn_page": 4, "operators.show": 20, "own_data.export": 13}  # an export: one a table with something of a person
"""Statements that a page may send, where it is not `MOST_ELSEWHERE`."""
MOST_ELSEWHERE = 10


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"operators": ("anna@example.org",), "base_url": "http://127.0.0.1:8080"})


@contextmanager
def counted(settings: Settings) -> Iterator[list[str]]:
    """The statements that are sent meanwhile."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if not statement.startswith("BEGIN"):  # which PostgreSQL's driver sends with the first statement
            sent.append(statement)

    engine = engine_for(settings)
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)


New = Callable[[str], Visitor]


class World:
    """Anna's and Bert's games, of all kinds in the same parts, and what is said and written about them."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.games, self.first = settings, 0, ""

    def grow(self, games: int) -> None:
        """Open games until there are so many."""
        while self.games < games:
            self._one(self.games % 5)
            self.games += 1

    def _people(self) -> tuple[Account, Account]:
        with open_session(self.settings) as session:
            a, b = (session.exec(select(Account).where(Account.email == f"{n}@example.org")).one() for n in ("anna", "bert"))
        return a, b

    def _one(self, kind: int) -> None:
        anna, bert = self._people()
        with mock.patch.object(lobby, "secrets", Drawn()), transaction(self.settings) as session:
            match = lobby.open_match(session, anna, f"Game {self.games}", "ortus", 4, "open")
            id = match.id
            if kind:
                lobby.join(session, match, bert)
                lobby.add_bot(session, match, anna, "steady")
                lobby.add_bot(session, match, anna, "random")
        adjudicate.adjudicate(self.settings, id)
        if kind == 1 and not self.first:
            self.first = id
        with transaction(self.settings) as session:
            match = by_match_id(session, id)
            if kind == 2:
                match.status, match.outcome, match.finished_at = MatchStatus.FINISHED, {"winners": ["a"]}, now()
            if kind == 3:
                match.halted_at, match.halt = now(), {"entry": 1, "step": "", "problem": "", "trace": ""}
            if kind == 4:
                seat = session.get_one(SeatRow, (id, "c"))
                seat.wanted = "open"
            session.add(match)
        self._talk(id)

    def _talk(self, id: str) -> None:
        """What is said at a table, and letters that came back."""
        with transaction(self.settings) as session:
            match = by_match_id(session, id)
            if match.status != MatchStatus.RUNNING or match.halted_at:
                return
            message = talk.say(session, match, "b", "", f"Hail {id}", new_id())
            session.add(Report(match_id=id, message_id=message.id, seat="a", why="rude"))


def pages(app: Flask, world: World) -> dict[str, str]:
    """Address of every page, by its endpoint."""
    found = {}
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint not in BESIDE:
            address = re.sub("<id:match_id>", world.first, str(rule))
            found[rule.endpoint] = re.sub("<int:[a-z]+>", "1", re.sub("<id:game>", "ortus", address))
    return found


def test_no_page_sends_more_statements_for_more_games(app: Flask, settings: Settings, anna: Visitor, bert: Visitor) -> None:
    world = World(settings)

    def measure() -> dict[str, list[str]]:
        sent = {}
        for endpoint, address in pages(app, world).items():
            anna.get(address)  # what is loaded once
            with counted(settings) as statements:
                reply = anna.get(address)
            assert reply.status_code in (200, 303, 503), (endpoint, address, reply.status_code, reply.text[:2000])
            sent[endpoint] = statements
        return sent

    world.grow(5)
    few = measure()
    world.grow(50)
    many = measure()
    more = {name: (len(few[name]), len(many[name])) for name in few if len(many[name]) > len(few[name])}
    assert not more
    too_many = {name: sent for name, sent in many.items() if len(sent) > MOST.get(name, MOST_ELSEWHERE)}
    assert not too_many


def test_who_comes_by_a_letter_s_link_costs_no_more(settings: Settings, anna: Visitor, bert: Visitor, visitor: New) -> None:
    world = World(settings)
    world.grow(3)
    guest = visitor("")
    letter = next(letter for letter in anna.letters("started") if letter.match_id == world.first)
    guest.get(re.findall(r"/t/[A-Za-z0-9._~-]+", letter.text)[0])
    address = f"/g/{world.first}/table"
    assert guest.get(address).status_code == 200
    with counted(settings) as sent:
        page = guest.page(address)
    assert "Game 1" in page and len(sent) <= MOST["turn.turn_page"], sent


def test_an_answer_is_written_in_four_statements(settings: Settings, anna: Visitor, bert: Visitor) -> None:
    """Four: account and match; related rows; the answer; the owner of the seat.

    None reads again what was read.
    """
    world = World(settings)
    world.grow(2)
    page = anna.page(f"/g/{world.first}/table")
    asked = {name: re.findall(rf'name="{name}" value="([^"]+)"', page)[0] for name in ("csrf_token", "serial", "kind")}
    form = asked | {"key": "k" * 32, "answer": "deck cards=[Castle*6,Land*6,Vassal*6,Prince*6]"}
    with (
        mock.patch.object(queue, "send"),
        mock.patch.object(submissions, "wait", return_value=None),
        counted(settings) as sent,
    ):
        reply = anna.client.post(f"/g/{world.first}/answer", data=form, base_url=settings.base_url)
    assert reply.status_code == 303 and reply.location.endswith("/table"), reply.text
    assert len(sent) == 4, sent


def test_games_that_are_over_come_page_by_page_and_those_that_are_not_on_each(
    settings: Settings, anna: Visitor, bert: Visitor
) -> None:
    world, most = World(settings), listings.PAGE + 4
    with transaction(settings) as session:
        host = session.exec(select(Account).where(Account.email == "anna@example.org")).one()
        for n in range(most):
            match = lobby.open_match(session, host, f"Old game {n}.", "ortus", 2, "invited")
            match.status = MatchStatus.CANCELLED
            session.add(match)
    world.grow(2)
    first, second = anna.page("/games"), anna.page("/games?page=2")
    assert anna.page("/games?page=99") == second and anna.page("/games?page=x") == first
    for page, shown in ((first, range(4, most)), (second, range(4))):
        assert "Game 1" in page and "Page " in page
        assert [n for n in range(most) if f"Old game {n}." in page] == [*shown]
