"""Roles of Ortus Regni on pages and in letters: chosen in the lobby, decks of their size, Canterbury, assets, loyalty."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask, render_template
from sqlmodel import select

from engine.core.procedure import Outcome
from engine.game import AnyState
from engine.games import game_called
from service.games.lobby import start_when_full
from service.post import rendering
from service.seat import handover
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, Match, MatchStatus, SeatStatus
from service.store.seats import seats_of
from tests.ortus.scene import Scene
from tests.ortus.test_roles import CHURCH, COURT, DUKES
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import match_of, open_game
from tests.service.web.test_turn import answer
from tests.tables import laid, lay

New = Callable[[str], Visitor]
PICKED: dict[str, object] = {"option": "play", "f_roles": "picked"}
ASSIGNED: dict[str, object] = {"option": "play", "f_roles": "assigned", "f_seats__a": "king", "f_seats__b": "duke"}
DRAWN: dict[str, object] = {"option": "play", "f_roles": "drawn", "f_mix__king": "1", "f_mix__duke": "1"}
SMALL = {"Castle": "6", "Land": "6", "Vassal": "6", "Prince": "4"}


@pytest.fixture
def lobby(anna: Visitor) -> str:
    return open_game(anna, seats=2, access="open")


def test_a_host_chooses_how_roles_are_given_out(anna: Visitor, bert: Visitor, lobby: str, settings: Settings) -> None:
    # OR-ROLE-2, OR-ROLE-3
    assert "Roles" not in bert.page(lobby), "there are none until they are chosen"
    for form, told, kept in (
        (PICKED, "each picks to be King", {"roles": "picked"}),
        (ASSIGNED, "A is King; B is a Duke", {"roles": "assigned", "seats": {"a": "king", "b": "duke"}}),
        (DRAWN, "drawn by lot: a King, a Duke", {"roles": "drawn", "mix": ["king", "duke"]}),
    ):
        found = anna.post(lobby + "/options", dict(form))
        assert found.status_code == 200 and told in found.text, found.text
        assert told in bert.page(lobby) and match_of(settings, lobby)[0].options == kept
    refused = anna.post(lobby + "/options", ASSIGNED | {"f_seats__b": "king"})
    assert refused.status_code == 422 and "at most 1" in refused.text
    refused = anna.post(lobby + "/options", PICKED | {"f_seats__b": "king"})
    assert refused.status_code == 422 and "only where you assign them" in refused.text
    anna.post(lobby + "/options", {"option": "play", "f_roles": "none"})
    assert match_of(settings, lobby)[0].options == {}


def test_a_deck_before_the_start_has_the_size_of_the_seat_s_role(anna: Visitor, lobby: str) -> None:
    # OR-ROLE-4
    assert "The Sovereign" not in anna.page(lobby) and "The Steward" in anna.page(lobby)
    anna.post(lobby + "/options", dict(ASSIGNED))
    page = anna.page(lobby)
    assert "The Sovereign" in page and "The Steward" not in page
    assert "Exactly 22 cards" in anna.page(lobby + "/deck") and 'data-size="22"' in anna.page(lobby + "/deck")
    found = anna.post(lobby + "/deck", SMALL | {"Prince": "6"})
    assert found.status_code == 422 and "exactly 22" in found.text
    anna.post(lobby + "/deck", {"deck": "house:sovereign"})
    assert "This is the deck that you will play" in anna.page(lobby)
    anna.post(lobby + "/options", {"option": "play", "f_roles": "none"})
    assert "This is the deck that you will play" not in anna.page(lobby), "22 cards are no deck of an Earl's"
    anna.post(lobby + "/options", dict(PICKED))
    page = anna.page(lobby)
    assert "known once the game has begun" in page and "The Sovereign" not in page
    assert anna.get(lobby + "/deck").status_code == 303, "nobody knows yet what it must be"


def test_decks_of_both_sizes_are_kept(anna: Visitor) -> None:
    page = anna.page("/decks")
    assert "The Primate" in page and "The Magnate" in page
    assert 'data-size="24 22"' in anna.page("/decks/new?from=magnate")
    assert anna.post("/decks/new", SMALL | {"name": "For a Duke"}).status_code == 200
    assert anna.post("/decks/new", SMALL | {"name": "For nobody", "Prince": "5"}).status_code == 422


def test_roles_are_picked_one_after_the_other_and_then_decks_are_asked_for(
    anna: Visitor, bert: Visitor, lobby: str, settings: Settings
) -> None:
    # D-01, D-02, OR-ROLE-2
    anna.post(lobby + "/options", dict(PICKED))
    bert.post(lobby + "/join")
    first, second = (anna, bert) if "Which role do you take?" in anna.page(lobby + "/table") else (bert, anna)
    assert "Which role do you take?" in first.letters()[-1].text
    assert first.post(lobby + "/answer", answer(settings, "role", "king")).status_code == 200
    assert "King" in second.letters()[-1].text
    page = second.page(lobby + "/table")
    assert "Archbishop" in page and not re.search(r'name="option" value="king"', page)
    assert second.post(lobby + "/answer", answer(settings, "role", "duke")).status_code == 200
    assert "You are King. Choose your Earl Deck of 22 cards." in first.page(lobby + "/table")
    assert 'data-size="22"' in second.page(lobby + "/deck")
    assert second.post(lobby + "/deck", {"deck": "house:magnate", "key": "k" * 32, "serial": "3"}).status_code == 200


# --- the boards -------------------------------------------------------------------------------------------------------


class Shown:
    """A position on the three boards."""

    def __init__(self, app: Flask, text: str, seat: str = "c") -> None:
        game = game_called("ortus")
        names = {"a": "Ann", "b": "Bob", "c": "Cy"}
        view = game.rules.view(Scene(text).state, seat)
        page = {"view": view, "names": names, "seat": seat, "colours": {"a": "red", "b": "blue", "c": "green"}}
        words = {
            "view": view,
            "names": names,
            "seat": seat,
            "page": page,
            "board": game.face.board(view, None, None),
            "word": lambda id, home="": game.words.word(id, names, home),
            "listed": lambda ids, home="": game.words.listed(ids, names, home),
        }
        with app.test_request_context("/"):
            self.texts = [render_template("ortus/board.html", **words)]
        # Letters fail loudly where anything is missing.
        for board in ("board_letter.html", "board.txt"):
            self.texts.append(rendering.environment().get_template(f"ortus/{board}").render(**words))

    def all_say(self, words: str) -> bool:
        return all(words in text for text in self.texts)

    def none_says(self, words: str) -> bool:
        return not any(words in text for text in self.texts)


def test_boards_tell_what_stands_of_the_roles(app: Flask) -> None:
    # OR-ROLE-9, OR-ROLE-21, OR-ROLE-35, OR-ROLE-40
    shown = Shown(app, COURT)
    assert shown.all_say("Duke") and shown.all_say("King")
    page, letter, text = shown.texts
    assert all("owes the King a card for a first hostile act" in one for one in (page, text))
    assert "They owe the King a card for a first hostile act: Bob, Cy" in " ".join(letter.split())
    assert shown.all_say("a permanent Tower") and shown.none_says("Canterbury")
    shown = Shown(app, DUKES)
    assert shown.all_say("may still spend: Allies, Church")
    shown = Shown(app, CHURCH.replace("b.F1: Palace (Champion) {}", "b.F1: Palace (Champion) {Cathedral}") + "canterbury: a")
    assert shown.all_say("in Canterbury") and shown.all_say("holds the Cathedral")
    shown = Shown(app, CHURCH + "canterbury: entering")
    assert shown.all_say("in Canterbury from the end of this Turn")


def test_boards_show_the_back_of_a_loyal_tower_and_never_its_face(app: Flask) -> None:
    # OR-ROLE-14, OR-INFO-9
    shown = Shown(app, COURT + "a.towers: Monk/b, Land\nactive: b")
    assert shown.all_say("Towers of the colour of Bob: 1") and shown.none_says("Monk")


def shown_to_the_king(anna: Visitor, settings: Settings, state: AnyState) -> str:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        path = lay(session, account, replace(laid("ortus", 3, "middle"), state=state, seat="a"))
    return anna.page(path)


def test_a_struggle_shows_a_king_s_vassals_in_their_own_colours(anna: Visitor, settings: Settings) -> None:
    # OR-ROLE-14, OR-STR-4
    text = COURT.replace("a.F1: Palace (-) {}", "a.F1: Palace (Vassal/b) {}\na.hand: Treachery, Vassal/c\nb.hand: Allies, Land")
    page = shown_to_the_king(anna, settings, Scene(text).play("a: treachery aim=hand:b", "b: allies").state)
    doing = page.partition('class="doing ')[2].partition("</section>")[0]
    assert re.findall(r"card k-\w+ \w+ foreign tint-(\w+)", doing) == ["blue", "green"]


def test_an_attack_on_a_duke_s_towers_names_his_permanent_one(anna: Visitor, settings: Settings) -> None:  # OR-ROLE-33
    page = shown_to_the_king(anna, settings, Scene(COURT + "a.reserve: Knight\nc.towers: Monk").state)
    switch = page.partition("switched")[2].partition("</fieldset>")[0]
    assert re.findall(r"<small>([^<]*Tower\w*)</small>", switch) == ["a permanent Tower", "1 Tower"]


def test_a_game_without_roles_is_shown_as_it_was(app: Flask) -> None:
    shown = Shown(app, "a.F1: Palace (-) {Cathedral}\nb.F1: Palace (-) {}\nc.F1: Palace (-) {}")
    assert shown.all_say("Archbishop") and shown.none_says("holds the Cathedral")


def test_the_help_tells_of_roles(anna: Visitor) -> None:
    page = anna.page("/help/ortus")
    for words in ("King, Archbishop and Duke", "owes him loyalty", "Canterbury", "permanent Tower"):
        assert words in page


# --- roles contested with Legacy points -------------------------------------------------------------------------------

CONTESTED: dict[str, object] = {"option": "play", "f_roles": "contested", "f_legacy": "7"}


def test_king_and_archbishop_are_won_by_hidden_bids_on_pages_and_by_letters(
    anna: Visitor, bert: Visitor, lobby: str, settings: Settings
) -> None:
    # OR-ROLE-41, OR-ROLE-42, D-03
    told = anna.post(lobby + "/options", dict(CONTESTED)).text
    assert "each of you has 7" in told and "each of you has 7" in bert.page(lobby)
    assert match_of(settings, lobby)[0].options == {"roles": "contested", "legacy": 7}
    bert.post(lobby + "/join")
    first, second = (anna, bert) if "Which role do you take?" in anna.page(lobby + "/table") else (bert, anna)
    assert "LEGACY POINTS" in first.letters()[-1].text and "The higher bid takes the role" in first.letters()[-1].text
    first.post(lobby + "/answer", answer(settings, "role", "king"))
    page = second.page(lobby + "/table")
    assert 'value="contest_king"' in page and "to be King" in page
    second.post(lobby + "/answer", answer(settings, "role", "contest_king"))
    for visitor in (first, second):
        assert "to be King. How many points?" in visitor.page(lobby + "/table")
        assert "The higher bid takes the role" in visitor.page(lobby + "/table")
        assert "to be King" in visitor.letters()[-1].text and "LEGACY POINTS" in visitor.letters()[-1].text
    assert second.post(lobby + "/answer", answer(settings, "bid", "bid", f_points="5")).status_code == 200
    page = first.page(lobby + "/table")
    assert "outbid" not in page and "How many points?" in page
    refused = first.post(lobby + "/answer", answer(settings, "bid", "bid", f_points="8"))
    assert refused.status_code == 422 and "from 0 to 7" in refused.text
    assert first.post(lobby + "/answer", answer(settings, "bid", "bid", f_points="4")).status_code == 200
    assert "5 to 4 and became King; 2 left." in second.page(lobby + "/table")
    page = first.page(lobby + "/table")
    assert "Which role do you take?" in page and 'value="contest_king"' not in page
    first.post(lobby + "/answer", answer(settings, "role", "duke"))
    assert "You are King. Choose your Earl Deck of 22 cards." in second.page(lobby + "/table")


def test_boards_show_the_legacy_points_as_long_as_the_game_lasts(app: Flask) -> None:
    # OR-ROLE-41
    shown = Shown(app, COURT + "roles: contested\na.legacy: 5\nb.legacy: 0\nc.legacy: 12")
    assert shown.all_say("Legacy points: 5") and shown.all_say("Legacy points: 0") and shown.all_say("Legacy points: 12")
    assert Shown(app, COURT).none_says("Legacy")


def test_a_rematch_begins_with_the_points_that_are_left(anna: Visitor, bert: Visitor, lobby: str, settings: Settings) -> None:
    # OR-ROLE-44
    anna.post(lobby + "/options", dict(CONTESTED))
    bert.post(lobby + "/join")
    with transaction(settings) as session:
        match = session.get_one(Match, lobby.split("/")[2])
        state = game_called("ortus").rules.decode(match.snapshot or b"")
        state.table.earls["a"].legacy, state.table.earls["b"].legacy = 3, 5
        state.table.outcome = Outcome(("b",), "last")
        match.snapshot = game_called("ortus").rules.encode(state)
        match.status, match.outcome = MatchStatus.FINISHED, {"winners": ["b"], "how": "last"}
        session.add(match)
    was = {row.seat: row.account_id for row in match_of(settings, lobby)[1]}
    page = anna.page(lobby + "/result")
    assert "3 Legacy points left" in page and "5 Legacy points left" in page
    again = anna.post(lobby + "/rematch").request.path
    assert match_of(settings, again)[0].options == {"roles": "contested", "legacy": 7}
    assert "A rematch begins with what you have left" in bert.letters("invitation")[-1].text
    bert.post(lobby + "/rematch")
    second, rows = match_of(settings, again)
    expected = {was["a"]: 5, was["b"]: 8}
    assert second.options == {"roles": "contested", "legacy": 7, "points": {r.seat: expected[r.account_id] for r in rows}}
    assert "Legacy points from the game before: A" in anna.page(again + "/clock")


def test_a_newcomer_to_a_rematch_begins_with_the_usual_points(
    anna: Visitor, bert: Visitor, lobby: str, settings: Settings
) -> None:
    # OR-ROLE-44
    anna.post(lobby + "/options", dict(CONTESTED))
    bert.post(lobby + "/join")
    with transaction(settings) as session:
        match = session.get_one(Match, lobby.split("/")[2])
        match.status, match.outcome = MatchStatus.FINISHED, {"winners": ["b"], "how": "last"}
        session.add(match)
    again = anna.post(lobby + "/rematch").request.path
    with transaction(settings) as session:
        match = session.get_one(Match, again.split("/")[2])
        free = next(row for row in seats_of(session, match) if row.account_id is None)
        handover.clean(free)
        free.status, free.bot, free.name = SeatStatus.TAKEN, "steady", "Steady"
        session.add(free)
        session.flush()
        start_when_full(session, match)
    second, rows = match_of(settings, again)
    own = next(r.seat for r in rows if r.account_id)
    assert second.options == {"roles": "contested", "legacy": 7, "points": {own: 9}}
