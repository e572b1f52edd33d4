"""A button that is pressed twice acts once, and shows both times the first one's result: in one process, and in two at once."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlmodel import Session, func, select
from werkzeug.test import TestResponse

from service.games import inviting
from service.games import lobby as games
from service.people import accounts
from service.seat import handover
from service.settings import Settings
from service.store import database as db
from service.store import queue, used_forms
from service.store.database import open_session, transaction
from service.store.models import (
    AskRow,
    Command,
    Letter,
    Match,
    Message,
    SeatRow,
    SeatStatus,
    UsedForm,
    Vote,
    now,
)
from service.web import create_app
from tests.house import work
from tests.service.web.conftest import Visitor, begun
from workers import adjudicate

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"
FORM = re.compile(r'<form method="post"(?: action="([^"]*)")?.*?</form>', re.DOTALL)
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


def form(visitor: Visitor, page: str, action: str, **typed: str) -> dict[str, str]:
    """What the form of that address on a page sends, its hidden fields with it."""
    do = typed.get("do", "")
    forms = (x for x in FORM.finditer(visitor.page(page)) if (x[1] or page).endswith(action))
    fields = next(f for x in forms if do in (f := dict(HIDDEN.findall(x[0]))).get("do", "")) | typed
    fields.pop("csrf_token")
    assert len(fields["form_key"]) >= 16, action
    return fields


def twice(visitor: Visitor, path: str, fields: dict[str, str]) -> list[tuple[int, str, str]]:
    """Status and target of both presses, and what the page then says."""

    def pressed() -> tuple[int, str, str]:
        answer = visitor.post(path, fields, follow=False)
        said = (
            re.findall(r'class="note (?:good|bad)"[^>]*>(.*?)</p>', visitor.page(answer.location), re.DOTALL)
            if answer.location
            else []
        )
        return answer.status_code, str(answer.location), said[0].strip() if said else ""

    return [pressed(), pressed()]


def alike(visitor: Visitor, path: str, fields: dict[str, str]) -> tuple[int, str, str]:
    """What both presses come to, which is the same."""
    first, second = twice(visitor, path, fields)
    assert first == second
    assert first[0] == 303
    return first


def count(settings: Settings, model: type, *where: Any) -> int:
    with open_session(settings) as session:
        return int(session.exec(select(func.count()).select_from(model).where(*where)).one())


NEW = {"name": "Harvest war", "game": "ortus", "seats": "4", "access": "open"}


@pytest.fixture
def lobby(anna: Visitor) -> str:
    return str(anna.post("/games/new", NEW, follow=False).location)


@pytest.fixture
def game(anna: Visitor, bert: Visitor) -> str:
    return begun(anna, bert)


def test_a_game_is_opened_once_and_both_presses_lead_to_it(anna: Visitor, settings: Settings) -> None:
    fields = form(anna, "/games/new", "/games/new", **NEW)
    _, path, _ = alike(anna, "/games/new", fields)
    assert re.fullmatch("/g/[0-9a-f]+", path) and count(settings, Match) == 1
    # The same page sent with another name is another game; and a key is nobody else's.
    anna.post("/games/new", fields | {"name": "Winter war"})
    assert count(settings, Match) == 2


def test_a_key_of_somebody_else_is_a_key_of_ones_own(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    fields = form(anna, "/games/new", "/games/new", **NEW)
    for who in (anna, bert):
        who.post("/games/new", fields)
    assert count(settings, Match) == 2


def test_a_bot_sits_down_once_and_leaves_the_friends_seat_alone(anna: Visitor, lobby: str, settings: Settings) -> None:
    fields = form(anna, lobby, "/bot", bot="steady", how_many="one")
    assert "The bot has sat down." in alike(anna, lobby + "/bot", fields)[2]
    assert count(settings, SeatRow, SeatRow.status == SeatStatus.TAKEN) == 2


def test_who_fills_the_last_seat_is_told_first_that_it_starts_the_game(anna: Visitor, bert: Visitor, lobby: str) -> None:
    last = "It is the last seat: the game starts"
    asked = "This is the last seat: once you take it, everybody is asked “Are you there?”"
    page = anna.page(lobby)
    assert "With all free seats filled the game starts." in page and last not in page
    anna.post(lobby + "/invite", {"email": "cleo@example.org"})
    assert "filled the game starts" not in anna.page(lobby), "a friend is waited for"
    anna.post(lobby + "/clear", {"seat": "b"})
    for _ in range(2):
        anna.post(lobby + "/bot", {"bot": "steady", "how_many": "one"})
    assert last in anna.page(lobby), "bots ask nobody"
    page = bert.page(lobby)
    assert asked in page and last not in page
    anna.post(lobby + "/share", {"choice": "make"})
    shared = re.search(r'value="http://writ.test(/s/[^"]+)"', anna.page(lobby))
    assert shared is not None
    page = bert.page(shared[1])
    assert asked in page and last not in page


def test_who_fills_the_last_seat_of_a_table_without_a_muster_is_told_so(anna: Visitor, bert: Visitor) -> None:
    last = "It is the last seat: the game starts as soon as you take it."
    lobby = str(anna.post("/games/new", NEW | {"seats": "2", "muster": "never"}, follow=False).location)
    anna.post(lobby + "/share", {"choice": "make"})
    shared = re.search(r'value="http://writ.test(/s/[^"]+)"', anna.page(lobby))
    assert last in bert.page(lobby) and shared is not None and last in bert.page(shared[1])


@pytest.mark.parametrize(
    ("action", "typed", "letters"),
    [
        ("/invite", {"email": "cleo@example.org"}, 1),
        ("/share", {"choice": "make"}, 0),
        ("/cancel", {"sure": "yes"}, 0),
    ],
)
def test_what_a_host_adds_to_a_lobby_is_added_once(
    anna: Visitor, lobby: str, settings: Settings, action: str, typed: dict[str, str], letters: int
) -> None:
    fields = form(anna, lobby, action, **typed)
    _, _, said = alike(anna, lobby + action, fields)
    assert said
    assert count(settings, Letter, Letter.kind == "invitation") == letters
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        first = match.share_key
    anna.post(lobby + action, fields)
    with open_session(settings) as session:
        assert session.exec(select(Match)).one().share_key == first, "the link that was shown stays good"


def test_invitations_are_sent_again_and_withdrawn_once(anna: Visitor, lobby: str, settings: Settings) -> None:
    anna.post(lobby + "/invite", {"email": "cleo@example.org"})
    alike(anna, lobby + "/resend", form(anna, lobby, "/resend"))
    assert count(settings, Letter, Letter.kind == "invitation") == 2
    assert "Seat B is free again." in alike(anna, lobby + "/clear", form(anna, lobby, "/clear"))[2]


def test_one_joins_and_leaves_once(anna: Visitor, bert: Visitor, lobby: str) -> None:
    assert "You have a seat at this table." in alike(bert, lobby + "/join", form(bert, lobby, "/join"))[2]
    assert alike(bert, lobby + "/leave", form(bert, lobby, "/leave"))[1] == "/games"


def test_a_deadline_moves_by_what_was_pressed_and_not_by_twice_that(game: str, anna: Visitor, settings: Settings) -> None:
    def due() -> dict[str, object]:
        with open_session(settings) as session:
            return {a.seat: a.due_at for a in session.exec(select(AskRow)) if a.due_at}

    fields = form(anna, f"{game}/host", "/host", by="12h", do="extend")
    assert fields["seat"] == "b"
    alike(anna, f"{game}/host", fields)
    moved = due()
    assert count(settings, Command) == 1
    anna.post(f"{game}/host", fields)
    assert due() == moved
    alike(anna, f"{game}/nearer", form(anna, f"{game}/clock", "/nearer", by="1h"))
    assert count(settings, Command) == 2


def test_a_table_is_asked_and_told_once(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    pause = form(anna, f"{game}/clock", "/votes", days="3")
    assert pause["kind"] == "pause"
    alike(anna, f"{game}/votes", pause)
    assert count(settings, Vote) == 1
    path = next(x[1] for x in FORM.finditer(bert.page(f"{game}/clock")) if x[1] and "/votes/" in x[1])
    alike(bert, path, form(bert, f"{game}/clock", path, choice="yes"))
    first = now().date().isoformat()
    alike(anna, f"{game}/away", form(anna, f"{game}/clock", "/away", first=first, last=first))
    assert count(settings, Command, Command.words.startswith("away")) == 1


def test_letters_and_addresses_are_made_once(game: str, anna: Visitor, settings: Settings) -> None:
    before = len(anna.letters())
    alike(anna, f"{game}/letters/again", form(anna, f"{game}/letters", "/letters/again"))
    assert len(anna.letters()) == before + 1
    alike(anna, f"{game}/letters/links", form(anna, f"{game}/letters", "/letters/links"))
    assert count(settings, Letter, Letter.kind == "fresh_link") == 1
    alike(anna, "/account/letters/test", form(anna, "/account/letters", "/letters/test"))
    assert count(settings, Letter, Letter.kind == "test") == 1
    calendar = form(anna, "/account/letters", "/account/calendar", choice="renew")
    alike(anna, "/account/calendar", calendar)
    feed = re.search(r"/calendar/[^.]+\.ics", anna.page("/account/letters"))
    anna.post("/account/calendar", calendar)
    assert feed is not None and feed[0] in anna.page("/account/letters")


def test_a_sign_in_letter_is_sent_once_also_where_the_first_response_was_lost(
    visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    cleo = visitor("cleo@example.org")
    fields = form(cleo, "/sign-in", "/sign-in", email=cleo.email)
    cookie = cleo.client.get_cookie("writ", domain="writ.test")
    assert cookie is not None
    for _ in range(2):
        # A browser that is sent on by a second press may drop the cookies of the first response.
        cleo.client.set_cookie("writ", cookie.value, domain="writ.test")
        assert "cleo@example.org" in cleo.post("/sign-in", fields).text
    assert len(cleo.letters("sign_in")) == 1


def test_what_was_refused_has_not_used_its_key(anna: Visitor, lobby: str, settings: Settings) -> None:
    fields = form(anna, lobby, "/invite", email="nobody")
    assert anna.post(lobby + "/invite", fields).status_code == 422
    assert count(settings, UsedForm) == 0
    # Of several addresses the good ones are invited although the page shows the others again.
    fields["email"] = "cleo@example.org\nnobody"
    assert anna.post(lobby + "/invite", fields).status_code == 422
    assert count(settings, Letter, Letter.kind == "invitation") == 1


def test_a_broken_key_is_refused_with_a_sentence(anna: Visitor, settings: Settings) -> None:
    answer = anna.post("/games/new", NEW | {"form_key": "short"})
    assert answer.status_code == 400 and "open the page again" in answer.text
    assert count(settings, Match) == 0


def test_results_are_forgotten_after_two_days(anna: Visitor, lobby: str, settings: Settings) -> None:
    anna.post(lobby + "/share", form(anna, lobby, "/share", choice="make"))
    with transaction(settings) as session:
        for row in session.exec(select(UsedForm)):
            row.at = now() - used_forms.KEPT * 2
            session.add(row)
    anna.post(lobby + "/bot", form(anna, lobby, "/bot", bot="steady", how_many="one"))
    assert count(settings, UsedForm) == 1


# --- two processes at the same moment ---------------------------------------------------------------------------------


@pytest.fixture(params=["sqlite", "postgres"])
def house(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Settings]:
    """The settings, on each database."""
    if request.param == "postgres":
        settings = settings.model_copy(update={"database_url": request.getfixturevalue("migrated_postgres_url")})
    yield settings
    db.engine_for(settings).dispose()


@pytest.mark.parametrize("what", ["open", "bot"])
def test_two_presses_that_arrive_at_the_same_moment_act_once(
    house: Settings, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "send", work)
    cleo = Visitor(create_app(house).test_client(), house, "cleo@example.org").sign_in("Cleo")
    if what == "open":
        page = path = "/games/new"
        fields = form(cleo, page, path, **NEW)
    else:
        page = str(cleo.post("/games/new", NEW, follow=False).location)
        path = page + "/bot"
        fields = form(cleo, page, "/bot", bot="steady", how_many="one")
    token = cleo.token()
    cookie = cleo.client.get_cookie("writ", domain="writ.test")
    assert cookie is not None
    both, looked = threading.Barrier(2, timeout=20), used_forms.found
    fresh = threading.local()

    def found(session: Session, id: str) -> UsedForm | None:
        """Both have looked before either of them writes."""
        row = looked(session, id)
        if not getattr(fresh, "met", False):
            fresh.met = True
            both.wait()
        return row

    monkeypatch.setattr(used_forms, "found", found)
    answers: list[TestResponse] = []

    def press(app: Flask) -> None:
        other = Visitor(app.test_client(), house, cleo.email)
        other.client.set_cookie("writ", cookie.value, domain="writ.test")
        other.known = (other._signed_for(), token)
        answers.append(other.post(path, fields, follow=False))

    threads = [threading.Thread(target=press, args=(create_app(house),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [303, 303]
    assert len({answer.location for answer in answers}) == 1
    assert count(house, Match) == 1
    assert count(house, SeatRow, SeatRow.status == SeatStatus.TAKEN) == (1 if what == "open" else 2)


def test_orders_set_while_a_worker_plays_and_what_it_has_used_up_are_both_kept(
    house: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "send", work)
    cleo, dora = (
        Visitor(create_app(house).test_client(), house, f"{name}@example.org").sign_in(name.title())
        for name in ("cleo", "dora")
    )
    path = begun(cleo, dora)
    with transaction(house) as playing:
        playing.execute(adjudicate.LOCKED, {"match": path.rpartition("/")[2]})
        own = playing.get_one(SeatRow, (path.rpartition("/")[2], "a"))
        setting = threading.Thread(target=cleo.post, args=(f"{path}/orders/all", {"choice": "preset"}))
        setting.start()
        setting.join(1)
        own.orders = {"SO-22": "ask"}
    setting.join()
    with open_session(house) as session:
        assert {"SO-01", "SO-22"} <= session.get_one(SeatRow, (path.rpartition("/")[2], "a")).orders.keys()


def test_an_invitation_that_its_host_gives_to_somebody_else_meanwhile_opens_nothing(
    house: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "send", work)
    cleo = Visitor(create_app(house).test_client(), house, "cleo@example.org").sign_in("Cleo")
    table = str(cleo.post("/games/new", NEW, follow=False).location)
    cleo.post(f"{table}/invite", {"email": "dora@example.org"})
    dora = Visitor(create_app(house).test_client(), house, "dora@example.org")
    link, said = dora.link("invitation", "i"), list[int]()
    dora.token()
    with transaction(house) as session:
        match = session.get_one(Match, table.rpartition("/")[2])
        host = accounts.known(session, cleo.email)
        games.clear_seat(session, match, host, "b")
        inviting.hold(session, match, host, "egon@example.org")
        late = threading.Thread(target=lambda: said.append(dora.post(link, {"choice": "accept", "name": "Dora"}).status_code))
        late.start()
        late.join(1)
    late.join()
    assert said == [410]
    with open_session(house) as session:
        assert accounts.owner_of(session, "egon@example.org") is None
        assert session.get_one(SeatRow, (match.id, "b")).status == SeatStatus.INVITED


@pytest.mark.parametrize(
    ("form", "typed"),
    [("talk", {"text": "Hail", "key": "k" * 32, "to_a": "yes"}), ("give-up", {"sure": "yes", "form_key": "k" * 32})],
)
def test_a_form_sent_while_the_seat_changes_hands_does_nothing_for_the_next_player(
    house: Settings, monkeypatch: pytest.MonkeyPatch, form: str, typed: dict[str, str]
) -> None:
    monkeypatch.setattr(queue, "send", work)
    cleo, dora = (
        Visitor(create_app(house).test_client(), house, f"{name}@example.org").sign_in(name.title())
        for name in ("cleo", "dora")
    )
    path, answers = begun(cleo, dora), list[TestResponse]()
    dora.post(f"{path}/letters", {"mode": "each"})  # the browser has a token
    late = threading.Thread(target=lambda: answers.append(dora.post(f"{path}/{form}", typed, follow=False)))
    with transaction(house) as session:
        match = session.execute(adjudicate.LOCKED, {"match": path.rpartition("/")[2]}).scalar_one()
        handover.detach_player(session, match, session.get_one(SeatRow, (match.id, "b")))
        late.start()
        late.join(1)
    late.join()
    assert answers[0].status_code == 403 and "The seat has changed hands since." in answers[0].text
    assert count(house, Message) == count(house, Command) == 0


# --- all forms --------------------------------------------------------------------------------------------------------

KEYED = """
account.ask_address account.ask_sign_in
clock.away clock.give_up clock.here clock.home clock.nearer clock.propose clock.recall
clock.renew_links clock.vote decks.delete
host.do invitations.take_seat joining.sit_down lobby.add_bot lobby.cancel
lobby.clear lobby.invite lobby.join lobby.leave lobby.resend lobby.share mine.ask_sign_in
musters.be_there opening.open_game options.confirm
operators.ban operators.check operators.retry
advance.give post.again post.feed_address post.test practice.begin practice.end problems.report replay.note replay.play_on
results.rematch rhythm.away_everywhere replay.share talk.report journal.spectators clock.back
"""
"""Views whose forms carry a key."""
BY_NATURE = {
    "what stands there is set to what was sent": "account.rename account.speak rhythm.keep post.keep post.keep_for_game "
    "lobby.let_watch practice.quiet lobby.give_word lobby.wear options.choose_options "
    "options.choose_rulings journal.keep_notes talk.mute "
    "talk.read replay.favourite orders.put orders.words orders.all_at_once own_deck.choose_deck decks.keep decks.keep_new "
    "turn.note_read lobby.let_share learn.answer learn.on learn.preview",
    "the form has a key of its own": "turn.answer turn.back talk.say",
    "a link that is good for once knows the browser that used it": "account.answer_address account.enter "
    "invitations.answer_invitation turn_links.pressed",
    "nothing changes by it": "turn.preview turn.count_odds turn.look_ahead turn.rows "
    "orders.rows advance.rows options.rows learn.rows learn.look_ahead",
    "a second copy for an hour harms nobody": "open_log.upload",
    "what is gone is gone": "account.end_browser account.sign_out own_data.erase post.leave operators.deal_with "
    "advance.drop post.invitations_again turn.held",
}


def test_every_form_is_keyed_or_idempotent_by_nature(app: Flask) -> None:
    """A new form that adds something has to say which of the two it is."""
    named = {*KEYED.split(), *(name for names in BY_NATURE.values() for name in names.split())}
    posted = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    assert posted - named == set()
    assert named - posted == set()
