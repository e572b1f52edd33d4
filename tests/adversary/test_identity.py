"""Attacks on who somebody is: links of others, links used twice, copied cookies, floods of letters, counts raced past."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from hypothesis import HealthCheck
from hypothesis import given as drawn
from hypothesis import settings as trying
from hypothesis import strategies as st
from itsdangerous import base64_decode
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from engine.core.asks import Refused
from service.clock import calendar
from service.errors import BadLink, LinkForged, LinkUsed
from service.games import decks, inviting, lobby
from service.inbox import receiving as inbox
from service.people import accounts, browsers
from service.post import links
from service.seat import copies
from service.settings import Settings
from service.store import database as db
from service.store import limits, queue
from service.store.models import Account, Browser, Deck, Letter, Link, Match, Message, Quota, SeatRow, Thread, new_id, now
from service.store.seats import seats_of
from service.table import lateness, talk, votes
from service.web import create_app
from service.web.security import limiter
from tests.house import invite, work
from tests.service.conftest import Players, on_sqlite, open_table, person
from tests.service.web.conftest import Visitor, begun

KEY = "a-key-for-tests-of-32-letters-and-more"
RACERS = 8


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Settings whose database is migrated and empty, once on SQLite and once on PostgreSQL."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("migrated_postgres_url")
    if not url:
        shutil.copy(request.getfixturevalue("empty_sqlite"), tmp_path / "writ.db")
    found = Settings(
        data_folder=tmp_path,
        database_url=url,
        secret_keys=(KEY,),
        base_url="http://writ.test",
        inbox="writ@writ.test",
        hold_seconds=0,
        sqlite_synchronous="NORMAL",
    )
    yield found
    db.engine_for(found).dispose()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks run right after the commit; limits of one process are off, so that those of the database are what holds."""
    monkeypatch.setattr(queue, "send", work)
    monkeypatch.setattr(limiter, "enabled", False)


New = Callable[..., Visitor]


@pytest.fixture
def app(settings: Settings) -> Flask:
    return create_app(settings)


@pytest.fixture
def visitor(app: Flask, settings: Settings) -> New:
    return lambda name="": Visitor(app.test_client(), settings, f"{name}@example.org" if name else "")


@pytest.fixture
def anna(visitor: New) -> Visitor:
    return visitor("anna").sign_in("Anna")


@pytest.fixture
def bert(visitor: New) -> Visitor:
    return visitor("bert").sign_in("Bert")


@pytest.fixture
def game(anna: Visitor, bert: Visitor) -> str:
    """The path of a running game of Anna and Bert, each with notes of their own."""
    path = begun(anna, bert)
    for who in (anna, bert):
        who.post(f"{path}/notes", {"text": f"Only {who.email} may read this."})
    return path


def whose(browser: Visitor, game: str) -> str:
    """Whose notes a browser shows; empty when it shows nobody's."""
    page = browser.get(f"{game}/notes")
    found = re.search(r"Only (\w+)@example.org may read this", page.text)
    return found[1] if found and page.status_code == 200 else ""


def copy_of(browser: Visitor, app: Flask) -> Visitor:
    """Another browser with a copy of this one's cookie."""
    stolen = browser.client.get_cookie("writ", domain="writ.test")
    assert stolen is not None
    thief = Visitor(app.test_client(), browser.settings)
    thief.client.set_cookie("writ", stolen.value, domain="writ.test")
    return thief


def count(settings: Settings, query: SelectOfScalar[int]) -> int:
    with db.open_session(settings) as session:
        return session.exec(query).one()


def letters_to(settings: Settings, email: str, kind: str = "") -> int:
    query = select(func.count()).select_from(Letter).where(Letter.to_address == email)
    return count(settings, query.where(Letter.kind == kind) if kind else query)


def race(settings: Settings, deed: Callable[[Session, int], object], racers: int = RACERS) -> list[str]:
    """Do a thing in as many transactions at once; for each “done”, or the name of what it was refused with."""
    ready = threading.Barrier(racers)
    outcomes: list[str] = []

    def run(i: int) -> None:
        ready.wait()
        try:
            with db.transaction(settings) as session:
                deed(session, i)
            outcomes.append("done")
        except Refused as refusal:
            outcomes.append(type(refusal).__name__)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(racers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(outcomes) == racers, f"{racers - len(outcomes)} of {racers} ended in neither way"
    return sorted(outcomes)


# --- somebody else's link ---------------------------------------------------------------------------------------------


@on_sqlite
def test_anothers_turn_link_rebinds_no_browser_that_has_a_seat(game: str, anna: Visitor, bert: Visitor) -> None:
    link = bert.link("started", "t")
    page = anna.get(link)
    assert page.status_code == 200
    assert "This link is for the seat of Bert. You are here as Anna." in page.text
    assert "Harvest war" not in page.text and game not in page.text
    assert whose(anna, game) == "anna", "looking changes nothing"
    assert anna.post(link, {"choice": "stay"}, follow=False).location == f"{game}/table"
    assert whose(anna, game) == "anna"
    assert anna.post(link, {"choice": "take"}, follow=False).location == f"{game}/table"
    assert whose(anna, game) == "bert"
    assert anna.get(link).status_code == 303, "whoever has taken the seat is not asked again"
    assert "You are here as Bert" in anna.get(anna.link("started", "t")).text, "and is asked on the way back"


@on_sqlite
@pytest.mark.parametrize("by_link", [True, False])
def test_a_page_of_one_seat_does_not_act_for_another_that_was_taken_in_the_same_browser(
    game: str, anna: Visitor, bert: Visitor, visitor: New, by_link: bool
) -> None:
    """Two people at one screen: both are asked the same, and the first one's tab is still open."""
    shared = visitor() if by_link else anna
    if by_link:
        shared.get(anna.link("started", "t"))
    opened = shared.token()
    shared.post(bert.link("started", "t"), {"choice": "take"})
    assert whose(shared, game) == "bert"
    form = {"text": "Mine.", "csrf_token": opened}
    old = shared.client.post(f"{game}/notes", data=form, base_url=shared.settings.base_url)
    assert old.status_code == 400 and "Mine." not in bert.page(f"{game}/notes")
    assert whose(shared, game) == "bert" and shared.token() != opened


@on_sqlite
def test_it_asks_whoever_is_signed_in_as_somebody_else(game: str, bert: Visitor, visitor: New) -> None:
    cleo = visitor("cleo").sign_in("Cleo")
    page = cleo.get(bert.link("started", "t"))
    assert page.status_code == 200 and "Harvest war" not in page.text
    assert "You are here as Cleo, who has no seat in that game." in page.text
    assert not whose(cleo, game)
    assert cleo.post(bert.link("started", "t"), {"choice": "stay"}, follow=False).location == "/games"


@on_sqlite
def test_it_asks_a_browser_that_plays_another_seat_by_a_link(game: str, anna: Visitor, bert: Visitor, visitor: New) -> None:
    guest = visitor()
    assert guest.get(anna.link("started", "t")).status_code == 303, "nobody is known: it works at once"
    page = guest.get(bert.link("started", "t"))
    assert "You are here as Anna." in page.text and whose(guest, game) == "anna"


@on_sqlite
def test_ones_own_link_and_a_link_in_a_fresh_browser_work_in_one_step(game: str, anna: Visitor, visitor: New) -> None:
    for browser in (anna, visitor()):
        assert browser.get(anna.link("started", "t")).location == f"{game}/table"
        assert whose(browser, game) == "anna"


@on_sqlite
def test_signing_in_shows_ones_own_seat_whatever_link_was_opened_before(
    game: str, anna: Visitor, bert: Visitor, visitor: New
) -> None:
    shared = visitor("bert")
    shared.get(anna.link("started", "t"))
    assert whose(shared, game) == "anna"
    shared.sign_in()
    assert whose(shared, game) == "bert"


@on_sqlite
def test_anothers_sign_in_link_changes_no_browser_unasked(anna: Visitor, app: Flask, visitor: New, settings: Settings) -> None:
    bert = visitor("bert")
    bert.post("/sign-in", {"email": bert.email})
    link = bert.link("sign_in", "in")
    assert "You are here as Anna." in anna.get(link).text
    for choice in ("enter", "stay", ""):
        anna.post(link, {"choice": choice})
        assert "anna@example.org" in anna.page("/account"), choice
    old = copy_of(anna, app)
    assert anna.post(link, {"choice": "switch", "name": "Bert"}).status_code == 200
    assert "bert@example.org" in anna.page("/account")
    assert old.get("/games").location == "/sign-in", "who was signed in before is signed out on the server"


@on_sqlite
def test_anothers_invitation_says_nothing_of_the_game_before_one_chooses(anna: Visitor, visitor: New) -> None:
    game = str(
        anna.post(
            "/games/new", {"name": "Harvest war", "game": "ortus", "seats": "2", "access": "invited"}, follow=False
        ).location
    )
    dora, cleo = visitor("dora"), visitor("cleo").sign_in("Cleo")
    anna.post(f"{game}/invite", {"email": dora.email})
    link = dora.link("invitation", "i")
    for page in (cleo.get(link), cleo.post(link, {"choice": "accept"})):
        assert page.status_code == 200 and "Harvest war" not in page.text and "Ortus" not in page.text
        assert "This invitation went to dora@example.org. You are here as Cleo." in page.text
    assert cleo.post(link, {"choice": "stay"}, follow=False).location == "/games"
    assert "cleo@example.org" in cleo.page("/account")
    assert "Harvest war" in cleo.post(link, {"choice": "open"}).text
    assert "cleo@example.org" in cleo.page("/account"), "reading signs nobody out"
    cleo.post(link, {"choice": "switch", "name": "Dora"})
    assert "dora@example.org" in cleo.page("/account")
    egon = visitor("egon").sign_in("Egon")
    page = egon.get(link)
    assert "accepted, but not by Egon" in page.text and "Dora" not in page.text, "nor who accepted it"
    assert "Harvest war" not in page.text


# --- sign-in links are good for once ----------------------------------------------------------------------------------


@on_sqlite
def test_a_sign_in_link_is_good_for_one_browser(visitor: New) -> None:
    anna, thief = visitor("anna"), visitor()
    anna.post("/sign-in", {"email": anna.email})
    link = anna.link("sign_in", "in")
    for _ in range(3):
        assert anna.get(link).status_code == 200, "looking doesn't use it up"
    assert anna.post(link, {"choice": "enter"}).status_code == 200
    for found in (thief.get(link), thief.post(link, {"choice": "enter"})):
        assert found.status_code == 410 and "has been used already" in found.text
    assert thief.get("/games").location == "/sign-in"
    assert anna.post(link, {"choice": "enter"}, follow=False).location == "/games", "a repeated press is harmless"
    assert anna.get(link).location == "/games"
    anna.post("/sign-out", {"where": "here"})
    assert anna.post(link, {"choice": "enter"}).status_code == 410


@on_sqlite
def test_a_double_click_signs_in_although_it_brings_the_older_cookie_twice(visitor: New, app: Flask) -> None:
    anna = visitor("anna")
    anna.post("/sign-in", {"email": anna.email})
    link = anna.link("sign_in", "in")
    anna.get(link)
    twin = copy_of(anna, app)
    token = twin.token()
    assert anna.post(link, {"choice": "enter"}).status_code == 200
    twin.client.post(link, data={"choice": "enter", "csrf_token": token}, base_url=anna.settings.base_url)
    assert twin.get("/games").status_code == 200
    assert visitor().post(link, {"choice": "enter"}).status_code == 410
    late = copy_of(anna, app)
    late.client.delete_cookie("writ", domain="writ.test")
    with time_machine.travel(now() + timedelta(minutes=11)):
        assert late.post(link, {"choice": "enter"}).status_code == 410


def test_of_two_who_press_at_once_one_wins(settings: Settings) -> None:
    with db.transaction(settings) as session:
        link = links.sign_in_link(session, person(session, "Anna"))
    outcomes = race(settings, lambda session, i: links.use(session, session.get_one(Link, link.id), f"door {i}"))
    assert outcomes == [LinkUsed.__name__] * (RACERS - 1) + ["done"]


@on_sqlite
def test_an_invitation_signs_one_browser_in(anna: Visitor, visitor: New) -> None:
    filled = {"name": "Harvest war", "game": "ortus", "seats": "3", "access": "invited"}
    game = str(anna.post("/games/new", filled, follow=False).location)
    dora, thief = visitor("dora"), visitor()
    anna.post(f"{game}/invite", {"email": dora.email})
    link = dora.link("invitation", "i")
    dora.post(link, {"choice": "accept", "name": "Dora"})
    thief.post(link, {"choice": "accept"})
    assert "dora@example.org" in dora.page("/account")
    assert thief.get("/games").location == "/sign-in"


# --- sessions on the server -------------------------------------------------------------------------------------------


@on_sqlite
def test_a_copied_cookie_is_dead_once_its_owner_signs_out(game: str, anna: Visitor, bert: Visitor, app: Flask) -> None:
    anna.post(bert.link("started", "t"), {"choice": "take"})
    thief = copy_of(anna, app)
    assert "anna@example.org" in thief.page("/account") and whose(thief, game) == "bert"
    anna.post("/sign-out", {"where": "here"})
    assert thief.get("/games").location == "/sign-in"
    assert not whose(thief, game) and not whose(anna, game), "seats by links are gone as well"


@on_sqlite
def test_a_browser_is_signed_out_from_another(anna: Visitor, visitor: New, settings: Settings) -> None:
    lost = visitor("anna").sign_in()
    stranger = visitor("bert").sign_in("Bert")
    with db.open_session(settings) as session:
        mine = session.exec(select(Browser).join(Account).where(Account.email == anna.email).order_by(Browser.id)).all()
    assert len(mine) == 2
    assert stranger.post("/account/browsers", {"browser": mine[1].id}).status_code == 404
    assert lost.get("/games").status_code == 200
    page = anna.post("/account/browsers", {"browser": mine[1].id})
    assert "That browser is signed out." in page.text and mine[1].id not in page.text
    assert lost.get("/games").location == "/sign-in" and anna.get("/games").status_code == 200
    anna.post("/account/browsers", {"browser": mine[0].id})
    assert anna.get("/games").location == "/sign-in", "one's own, too"


def test_a_browser_that_was_not_seen_for_long_is_signed_out_and_forgotten(
    anna: Visitor, app: Flask, settings: Settings
) -> None:
    thief = copy_of(anna, app)
    for days in (60, 120):
        with time_machine.travel(now() + timedelta(days=days)):
            assert anna.get("/games").status_code == 200, "each visit counts"
    with time_machine.travel(now() + timedelta(days=120 + 91)):
        for browser in (anna, thief):
            assert browser.get("/games").location == "/sign-in"
        anna.sign_in()
    assert count(settings, select(func.count()).select_from(Browser)) == 1


@on_sqlite
def test_no_secret_of_a_browser_lies_in_the_database(anna: Visitor, app: Flask, settings: Settings) -> None:
    stolen = anna.client.get_cookie("writ", domain="writ.test")
    assert stolen is not None
    assert isinstance(app.session_interface, SecureCookieSessionInterface)
    signer = app.session_interface.get_signing_serializer(app)
    assert signer is not None
    inside = signer.loads(stolen.value)
    with db.open_session(settings) as session:
        row = session.exec(select(Browser)).one()
    assert inside["browser"] not in row.model_dump_json() and row.secret not in str(inside)


def test_signing_out_everywhere_ends_all_that_opens_anything(
    game: str, anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    filled = {"name": "Winter war", "game": "ortus", "seats": "2", "access": "invited"}
    other = str(bert.post("/games/new", filled, follow=False).location)
    bert.post(f"{other}/invite", {"email": anna.email})
    elsewhere, by_link = visitor("anna").sign_in(), visitor()
    by_link.get(anna.link("started", "t"))
    assert whose(by_link, game) == "anna"
    anna.post("/account/calendar", {"choice": "renew"})
    with db.open_session(settings) as session:
        feed = session.exec(select(Account.calendar_key).where(Account.email == anna.email)).one()
        letter = anna.letters("started")[-1]
    leave = letter.headers["List-Unsubscribe"].strip("<>").removeprefix(settings.base_url)
    turn, invitation = anna.link("started", "t"), anna.link("invitation", "i")
    anna.post("/sign-in", {"email": anna.email})
    door = anna.post("/sign-out", {"where": "everywhere"})
    assert "You are signed out." in door.text

    for browser in (anna, elsewhere):
        assert browser.get("/games").location == "/sign-in"
    assert not whose(by_link, game)
    assert visitor().get(turn).status_code == visitor().get(invitation).status_code == 410
    assert visitor().get(f"/calendar/{feed}.ics").status_code == 404
    reply = f"From: anna@example.org\nTo: {letter.headers['Reply-To']}\nMessage-ID: <a@b>\n\n1\n".encode()
    assert inbox.receive(settings, reply) == "refused"
    scanner = visitor().client
    for found in (
        scanner.get(leave, base_url=settings.base_url),
        scanner.post(leave, data={"List-Unsubscribe": "One-Click"}, base_url=settings.base_url),
    ):
        assert found.status_code == 200 and "nothing was changed" in found.text
    with db.open_session(settings) as session:
        assert session.get_one(SeatRow, (letter.match_id, "a")).letters == "", "an old address silences nobody"
    assert whose(anna.sign_in(), game) == "anna", "and nobody is locked out"


# --- floods of letters ------------------------------------------------------------------------------------------------


@on_sqlite
def test_one_victim_gets_a_few_letters_however_often_and_from_wherever_they_are_asked_for(
    settings: Settings, app: Flask
) -> None:
    victim, processes = "victim@example.org", (app, create_app(settings))
    start = now()
    pages: set[tuple[int, str | None, str]] = set()
    for i in range(62):
        with time_machine.travel(start + timedelta(seconds=i), tick=False):
            browser = Visitor(processes[i % 2].test_client(), settings, victim)
            answer = browser.client.post(
                "/sign-in",
                data={"email": victim, "csrf_token": browser.token()},
                base_url=settings.base_url,
                environ_overrides={"REMOTE_ADDR": f"198.51.{i}.7"},
            )
            pages.add((answer.status_code, answer.location, re.sub(r"\d", "", browser.get("/sign-in/sent").text)))
    sent = letters_to(settings, victim)
    print(f"62 asked for within a minute, {sent} sent")
    assert sent == limits.SIGN_INS_TO[0][0]
    assert len(pages) == 1, "who asks learns nothing"
    for hours in range(1, 48):
        with time_machine.travel(start + timedelta(hours=hours), tick=False), db.transaction(settings) as session:
            for _ in range(10):
                accounts.ask_sign_in(session, victim, f"203.0.{hours}.0/24")
            first_day = session.exec(
                select(func.count()).select_from(Letter).where(col(Letter.created_at) < start + timedelta(hours=24))
            ).one()
            assert first_day <= limits.SIGN_INS_TO[1][0]
    owner = Visitor(app.test_client(), settings, victim)
    with time_machine.travel(start + timedelta(hours=48)):
        with_link = owner.link("sign_in", "in")
        assert owner.post(with_link, {"choice": "enter"}).status_code == 200, "the flood locks nobody out"


@on_sqlite
def test_one_network_asks_for_a_few_letters(visitor: New, settings: Settings) -> None:
    def ask(i: int, address: str) -> None:
        browser = visitor()
        form = {"email": f"person{i}@example.org", "csrf_token": browser.token()}
        browser.client.post("/sign-in", data=form, base_url=settings.base_url, environ_overrides={"REMOTE_ADDR": address})

    for i in range(40):
        ask(i, f"2001:db8:1:2::{i:x}")
    sent = count(settings, select(func.count()).select_from(Letter))
    assert sent == limits.SIGN_INS_FROM[0][0] == count(settings, select(func.count()).select_from(Account))
    ask(99, "2001:db8:1:3::1")
    assert count(settings, select(func.count()).select_from(Letter)) == sent + 1


@drawn(st.ip_addresses(v=4))
def test_neighbours_of_one_network_count_as_one(address: object) -> None:
    network = limits.network_of(str(address))
    assert network.endswith(".0/24") and network == limits.network_of(f"::ffff:{address}")
    assert network == limits.network_of(str(address).rpartition(".")[0] + ".255")


@drawn(st.text(max_size=60))
def test_any_text_has_a_network(text: str) -> None:
    assert isinstance(limits.network_of(text), str)


def test_letters_asked_for_at_once_are_counted_exactly(settings: Settings) -> None:
    race(settings, lambda session, i: accounts.ask_sign_in(session, "victim@example.org", f"198.51.{i}.0/24"), 12)
    assert letters_to(settings, "victim@example.org") == limits.SIGN_INS_TO[0][0]
    race(settings, lambda session, i: accounts.ask_sign_in(session, f"p{i}@example.org", "10.0.0.0/24"), 12)
    assert count(settings, select(func.count()).select_from(Letter)) == limits.SIGN_INS_TO[0][0] + 12


@on_sqlite
def test_hosts_can_not_flood_a_stranger(settings: Settings) -> None:
    def letters() -> int:
        return letters_to(settings, "victim@example.org", "invitation")

    for host in ("Anna", "Bert", "Cleo"):
        with db.transaction(settings) as session:
            by = person(session, host)
            match = lobby.open_match(session, by, "Harvest war", "ortus", 3)
        for deed in range(10):
            try:
                with db.transaction(settings) as session:
                    if deed % 2:
                        inviting.resend_invitation(session, match, by, "b")
                    else:
                        invite(session, match, by, "victim@example.org")
                        lobby.clear_seat(session, match, by, "b") if deed % 4 else None
            except Refused:
                pass
    print(f"30 invitations tried, {letters()} sent")
    assert letters() == limits.INVITATIONS_TO[0][0]
    with time_machine.travel(now() + timedelta(hours=2)), db.transaction(settings) as session:
        dora = person(session, "Dora")
        other = lobby.open_match(session, dora, "Winter war", "ortus", 2)
        invite(session, other, dora, "victim@example.org")
    assert letters() == limits.INVITATIONS_TO[0][0] + 1


@on_sqlite
def test_those_who_accept_are_invited_again_and_again(anna: Visitor, visitor: New, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "INVITATIONS_BY", ((2, limits.HOUR),))
    dora = visitor("dora")
    for i in range(6):
        filled = {"name": f"War {i}", "game": "ortus", "seats": "3", "access": "invited"}
        game = str(anna.post("/games/new", filled, follow=False).location)
        assert "is on its way" in anna.post(f"{game}/invite", {"email": dora.email}).text
        dora.post(dora.link("invitation", "i"), {"choice": "accept"})
    anna.post(f"{game}/clear", {"seat": "b"})
    for i in range(2):
        assert "is on its way" in anna.post(f"{game}/invite", {"email": f"stranger{i}@example.org"}).text
        anna.post(f"{game}/clear", {"seat": "b"})
    assert "Enough invitations" in anna.post(f"{game}/invite", {"email": "stranger2@example.org"}).text


@on_sqlite
def test_votes_for_a_substitute_can_not_flood_a_stranger(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    players = open_table(settings, 3)
    players.adjudicate()
    monkeypatch.setattr(lateness, "absentees", lambda session, match: [session.get_one(SeatRow, (match.id, "c"))])
    outcomes = []
    for _ in range(8):
        try:
            with db.transaction(settings) as session:
                match = players.match(session)
                vote = votes.propose_substitute(session, match, "a", "c", "victim@example.org")
                votes.withdraw(session, match, vote.id, "a")
            outcomes.append("open")
        except Refused as refusal:
            outcomes.append(str(refusal))
    assert outcomes.count("open") == limits.INVITATIONS_TO[0][0] and "Enough invitations" in outcomes[-1]


@on_sqlite
def test_fresh_links_and_test_letters_are_bounded_for_their_reader(anna: Visitor, game: str, settings: Settings) -> None:
    link = anna.link("started", "t")
    with time_machine.travel(now() + timedelta(days=61)):
        anna.sign_in()
        before = letters_to(settings, anna.email)
        for _ in range(10):
            anna.post(link, {"choice": "again"})
            anna.post("/account/letters/test")
            anna.post(f"{game}/letters/again")
        assert letters_to(settings, anna.email) == before + limits.COPIES_TO[0][0]


def test_counters_hold_no_addresses_and_are_forgotten(settings: Settings) -> None:
    with db.transaction(settings) as session:
        accounts.ask_sign_in(session, "anna@example.org", "198.51.100.0/24")
        rows = session.exec(select(Quota)).all()
        assert len(rows) == 2 and not any("anna" in row.key or "198" in row.key for row in rows)
    with time_machine.travel(now() + timedelta(days=3)), db.transaction(settings) as session:
        accounts.ask_sign_in(session, "bert@example.org", "203.0.113.0/24")
    assert count(settings, select(func.count()).select_from(Quota)) == 2


# --- twins of a signature ---------------------------------------------------------------------------------------------

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@on_sqlite
def test_only_the_spelling_that_we_issue_is_accepted(settings: Settings) -> None:
    with db.transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 2)
        seat = seats_of(session, match)[0]
        token = links.sign(settings, links.turn_link(session, match, seat))
        leave = links.leave_url(settings, seat.match_id, seat.seat, seat.key_generation).rpartition("/")[2]
        tried = 0
        for good, use in (
            (token, lambda text: links.verify(settings, session, text, links.TURN)),
            (leave, lambda text: links.leaving(settings, session, text)),
        ):
            use(good)
            mac = good.rpartition(".")[2]
            twins = [c for c in ALPHABET if c != good[-1] and base64_decode(mac[:-1] + c) == base64_decode(mac)]
            assert twins, "there are twins to try"
            for text in (*(good[:-1] + c for c in twins), good + "=", good + "==", good + "\n", good + "A"):
                tried += 1
                with pytest.raises(LinkForged):
                    use(text)
    print(f"{tried} twins tried")


@on_sqlite
@trying(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@drawn(st.data())
def test_a_changed_token_opens_nothing(tokens: tuple[Settings, Session, str], data: st.DataObject) -> None:
    settings, session, token = tokens
    at = data.draw(st.integers(0, len(token) - 1))
    put = data.draw(st.text(alphabet=ALPHABET + ".=~+/ é\n", max_size=3))
    cut = data.draw(st.integers(0, 3))
    changed = token[:at] + put + token[at + cut :]
    if changed == token:
        return
    with pytest.raises(BadLink):
        links.verify(settings, session, changed, links.TURN)


@pytest.fixture
def tokens(settings: Settings) -> tuple[Settings, Session, str]:
    with db.transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Harvest war", "ortus", 2)
        token = links.sign(settings, links.turn_link(session, match, seats_of(session, match)[0]))
    return settings, db.open_session(settings), token


# --- counts raced past ------------------------------------------------------------------------------------------------


@pytest.fixture
def table(settings: Settings) -> Players:
    players = open_table(settings, 3)
    players.adjudicate()
    return players


def test_open_games_are_counted_exactly(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MOST_OPEN", 3)
    with db.transaction(settings) as session:
        host = person(session, "Anna")
    outcomes = race(settings, lambda session, i: lobby.open_match(session, host, f"War {i}", "ortus", 2))
    assert outcomes.count("done") == 3 == count(settings, select(func.count()).select_from(Match))


def test_messages_and_conversations_are_counted_exactly(
    table: Players, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "AN_HOUR", 3)
    monkeypatch.setattr(talk, "THREADS_AN_HOUR", 1)
    with db.open_session(settings) as session:
        match = table.match(session)
    race(settings, lambda session, i: talk.say(session, match, "a", "", "Good harvest!", f"key-to-all-{i}"))
    assert count(settings, select(func.count()).select_from(Message)) == 3
    race(settings, lambda session, i: talk.say(session, match, "b", "ac"[i % 2], "Psst.", f"key-to-one-{i}"))
    assert count(settings, select(func.count()).select_from(Thread).where(Thread.members != "")) == 1
    race(settings, lambda session, _i: talk.say(session, match, "c", "", "Hear!", "the-same-key"))
    assert count(settings, select(func.count()).select_from(Message).where(Message.seat == "c")) == 1


def test_a_report_and_a_mute_pressed_twice_at_once_end_in_a_sentence(table: Players, settings: Settings) -> None:
    with db.transaction(settings) as session:
        match = table.match(session)
        message = talk.say(session, match, "a", "", "Good harvest!", "key-to-all")
    assert race(settings, lambda session, _i: talk.report(session, match, "b", message.id, "")).count("done") == 1
    assert race(settings, lambda session, _i: talk.mute(session, match, "b", "a", on=True)).count("done") == RACERS
    with db.open_session(settings) as session:
        thread = session.exec(select(Thread)).one()
    assert race(settings, lambda session, _i: talk.mark_read(session, thread, "b")).count("done") == RACERS


def test_copies_are_counted_exactly(table: Players, settings: Settings) -> None:
    def again(session: Session, i: int) -> None:
        match = table.match(session)
        copies.resend(session, match, session.get_one(SeatRow, (match.id, "a")))

    assert race(settings, again, 10).count("done") == limits.COPIES_TO[0][0]


def test_refusals_of_replies_are_counted_exactly(table: Players, settings: Settings) -> None:
    letter = table.letters("started")[0]
    ready = threading.Barrier(RACERS)

    def reply(i: int) -> None:
        ready.wait()
        text = f"To: {letter.headers['Reply-To']}\nMessage-ID: <{i}@reader>\n\nnonsense\n"
        assert inbox.receive(settings, text.encode()) == "refused"

    threads = [threading.Thread(target=reply, args=(i,)) for i in range(RACERS)]
    with time_machine.travel(now() + timedelta(minutes=1)):  # nobody answers a letter in the moment in which it goes out
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert len(table.letters("reply_refused")) == inbox.REFUSALS_AN_HOUR


def test_decks_are_counted_exactly(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decks, "MOST_KEPT", 3)
    build = decks.build_of("ortus")
    with db.transaction(settings) as session:
        anna = person(session, "Anna")
    race(settings, lambda session, i: decks.save(session, anna, f"Deck {i}", build.ready[0].cards, "ortus"))
    assert count(settings, select(func.count()).select_from(Deck)) == 3


def jostle(table: Players, settings: Settings, rounds: int) -> None:
    """Let everything that takes these locks happen at the same time, for the same people and games: all of it ends."""
    with db.open_session(settings) as session:
        match = table.match(session)
        people = {name: person(session, name) for name in ("Anna", "Bert", "Cleo")}

    def deed(session: Session, i: int) -> None:
        who = people[("Anna", "Bert", "Cleo")[i % 3]]
        seat = session.get_one(SeatRow, (match.id, "abc"[i % 3]))
        match i % 7:
            case 0:
                talk.say(session, match, seat.seat, "", "Good harvest!", new_id())
            case 1:
                copies.resend(session, match, seat)
            case 2:
                lobby.open_match(session, who, f"War {i}", "ortus", 2)
            case 3:
                accounts.sign_out_everywhere(session, session.get_one(Account, who.id))
            case 4:
                calendar.renew(session, session.get_one(Account, who.id))
            case 5:
                accounts.ask_sign_in(session, who.email, "10.0.0.0/24")
            case _:
                browsers.enter(session, who, who.generation)

    outcomes = [outcome for _ in range(rounds) for outcome in race(settings, deed, 14)]
    print(f"{outcomes.count('done')} of {len(outcomes)} done, the others refused, none hung")
    assert outcomes.count("done") > len(outcomes) // 2


def test_locks_taken_by_all_at_once_never_lock_each_other_up(table: Players, settings: Settings) -> None:
    jostle(table, settings, 3)


@pytest.mark.soak
def test_locks_taken_by_all_for_long_never_lock_each_other_up(
    table: Players, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "MOST_OPEN", 10_000)
    monkeypatch.setattr(talk, "AN_HOUR", 10_000)
    jostle(table, settings, 60)


# --- keys ---------------------------------------------------------------------------------------------------------------


@on_sqlite
def test_a_form_that_was_open_when_the_keys_were_rotated_is_good(anna: Visitor, app: Flask, settings: Settings) -> None:
    newer = "a-newer-key-for-tests-of-32-letters-and-more"
    token, cookie = anna.token(), anna.client.get_cookie("writ", domain="writ.test")
    assert cookie is not None
    for keys, status in (((newer, KEY), 303), ((newer,), 400)):
        later = create_app(settings.model_copy(update={"secret_keys": keys})).test_client()
        later.set_cookie("writ", cookie.value, domain="writ.test")
        answer = later.post("/account", data={"name": "Anna of Hold", "csrf_token": token}, base_url=settings.base_url)
        assert answer.status_code == status, keys
