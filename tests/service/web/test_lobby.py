"""Opening a game, gathering players, choosing colours and decks, calling it off."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine

from service.settings import Settings
from service.store.database import open_session
from service.store.models import Match, SeatRow, now
from service.store.seats import seats_of
from tests.service.web.conftest import TOKEN, Visitor

New = Callable[[str], Visitor]
STEWARD = (
    "Castle:3 Land:3 MarketTown:1 Church:1 Prince:2 Vassal:3 Champion:2 Monk:1 Mercenary:1 Treachery:1 Intrigue:1 Allies:2"
)
STEWARD += " Banquet:1 Banner:2"
DECK: dict[str, object] = {name: n for name, n in (part.split(":") for part in STEWARD.split())}


def open_game(host: Visitor, seats: int = 3, access: str = "invited", name: str = "The Long Winter") -> str:
    """The path of a new game's lobby."""
    form: dict[str, object] = {"name": name, "game": "ortus", "seats": seats, "access": access}
    found = host.post("/games/new", form, follow=False)
    assert found.status_code == 303, found.text
    return str(found.location)


def match_of(settings: Settings, lobby: str) -> tuple[Match, list[SeatRow]]:
    with open_session(settings) as session:
        match = session.get(Match, lobby.rpartition("/")[2])
        assert match is not None
        return match, seats_of(session, match)


def test_a_game_is_opened_and_its_host_has_the_first_seat(anna: Visitor, settings: Settings) -> None:
    lobby = open_game(anna)
    page = anna.page(lobby)
    assert "The Long Winter" in page and "2 seats are still to be taken" in page
    assert [seat.status for seat in match_of(settings, lobby)[1]] == ["taken", "empty", "empty"]
    assert "The Long Winter" in anna.page("/games")


@pytest.mark.parametrize(
    "form",
    [
        {"name": "", "game": "ortus", "seats": "3", "access": "open"},
        {"name": "x" * 61, "game": "ortus", "seats": "3", "access": "open"},
        {"name": "x", "game": "chess", "seats": "3", "access": "open"},
        {"name": "x", "game": "ortus", "seats": "7", "access": "open"},
        {"name": "x", "game": "ortus", "seats": "1", "access": "open"},
        {"name": "x", "game": "ortus", "seats": "", "access": "open"},
        {"name": "x", "game": "ortus", "seats": "-3", "access": "open"},
        {"name": "x", "game": "ortus", "seats": "٣", "access": "open"},
        {"name": "x", "game": "ortus", "seats": "3", "access": "secret"},
        {"name": "x", "game": "ortus", "seats": "3", "access": "open", "status": "finished"},
        {},
    ],
)
def test_a_game_that_won_t_do_is_not_opened(anna: Visitor, form: dict[str, object]) -> None:
    found = anna.post("/games/new", form)
    assert found.status_code in (400, 422)
    assert "You are not in any game yet" in anna.page("/games")


def test_an_invitation_is_accepted_from_the_letter(anna: Visitor, visitor: New, settings: Settings) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/invite", {"email": "Carla@example.org"})
    carla = visitor("carla@example.org")
    link = carla.link("invitation", "i")
    assert "The Long Winter" in carla.page(link) and "carla@example.org" in carla.page(link)
    assert match_of(settings, lobby)[1][1].status == "invited", "opening the link changes nothing"
    done = carla.post(link, {"choice": "accept", "name": "Carla"}, follow=False)
    assert (done.status_code, done.location) == (303, lobby)
    seat = match_of(settings, lobby)[1][1]
    assert (seat.status, seat.name) == ("taken", "Carla")
    assert "Carla" in carla.page(lobby), "she is signed in"
    assert carla.post(link, {"choice": "accept"}).status_code == 200, "accepting twice is once"


def test_an_accepted_invitation_is_no_key_any_more(anna: Visitor, visitor: New) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    link = carla.link("invitation", "i")
    carla.post(link, {"choice": "accept"})
    thief = visitor("")
    thief.post(link, {"choice": "accept"})
    assert thief.get("/games").location == "/sign-in"


def test_an_accepted_invitation_says_the_true_thing_to_each_who_opens_it(anna: Visitor, bert: Visitor, visitor: New) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    carla, dora = visitor("carla@example.org"), visitor("")
    link = carla.link("invitation", "i")
    bert.post(link, {"choice": "mine"})  # who was invited has sent it on
    assert "You have accepted this invitation." in bert.page(link)
    assert bert.post(link, {"choice": "accept"}, follow=False).location == lobby
    carla.sign_in("Carla")
    for reader, said in (
        (carla, "This invitation has been accepted, but not by Carla."),
        (dora, "This invitation has been accepted. If you did that, sign in to see your seat."),
    ):
        for page in (reader.get(link), *(reader.post(link, {"choice": choice}) for choice in ("open", "accept", "decline"))):
            assert said in page.text and "You have" not in page.text
            assert "Bert" not in page.text and "The Long Winter" not in page.text and lobby not in page.text
    assert dora.post(link, {"choice": "stay"}, follow=False).location == "/games"
    assert dora.get("/games").location == "/sign-in"
    assert carla.post(link, {"choice": "mine"}).status_code == 409
    assert "Bert" in anna.page(lobby)


def test_who_accepted_and_signed_out_is_told_to_sign_in(anna: Visitor, visitor: New) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    link = carla.link("invitation", "i")
    carla.post(link, {"choice": "accept", "name": "Carla"})
    carla.post("/sign-out", {"where": "here"})
    with time_machine.travel(now() + timedelta(minutes=11)):
        assert "If you did that, sign in to see your seat." in carla.page(link)


def test_an_invitation_is_declined_and_the_seat_is_free(anna: Visitor, visitor: New, settings: Settings) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    link = carla.link("invitation", "i")
    assert "You have declined" in carla.post(link, {"choice": "decline"}).text
    assert match_of(settings, lobby)[1][1].status == "empty"
    assert carla.get(link).status_code == 410
    assert carla.post(link, {"choice": "accept"}).status_code == 410


def test_an_invitation_is_sent_again(anna: Visitor, visitor: New) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    assert anna.post(lobby + "/resend", {"seat": "b"}).status_code == 200
    carla = visitor("carla@example.org")
    assert len(carla.letters("invitation")) == 2
    assert carla.get(carla.link("invitation", "i")).status_code == 200
    assert anna.post(lobby + "/resend", {"seat": "c"}).status_code == 403
    assert anna.post(lobby + "/resend", {"seat": "z"}).status_code == 404


def test_a_withdrawn_invitation_opens_nothing(anna: Visitor, visitor: New) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    anna.post(lobby + "/clear", {"seat": "b"})
    carla = visitor("carla@example.org")
    assert carla.get(carla.link("invitation", "i")).status_code == 410


@pytest.mark.parametrize("email", ["", "nobody", "anna@example.org", "carla@example.org", "x" * 260 + "@example.org"])
def test_a_bad_or_already_used_address_is_not_invited(anna: Visitor, settings: Settings, email: str) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    found = anna.post(lobby + "/invite", {"email": email})
    assert found.status_code == 422 and 'role="alert"' in found.text
    assert [seat.status for seat in match_of(settings, lobby)[1]] == ["taken", "invited", "empty"]


def test_anybody_joins_an_open_game_and_leaves_it(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = open_game(anna, access="open")
    assert "The Long Winter" in bert.page("/games/open")
    assert "Join this game" in bert.page(lobby)
    assert bert.post(lobby + "/join").status_code == 200
    assert bert.post(lobby + "/join").status_code == 409
    assert match_of(settings, lobby)[1][1].name == "Bert"
    bert.post(lobby + "/leave")
    assert match_of(settings, lobby)[1][1].status == "empty"
    assert bert.post(lobby + "/leave").status_code == 403


def test_a_seat_taken_a_moment_ago_is_said_to_be(anna: Visitor, bert: Visitor, visitor: New) -> None:
    lobby = open_game(anna, seats=3, access="open")
    assert bert.post(lobby + "/join").status_code == 200
    anna.post(lobby + "/invite", {"email": "dora@example.org"})
    late = visitor("carla@example.org").sign_in("Carla").post(lobby + "/join")
    assert late.status_code == 409 and "taken or promised" in late.text


def test_an_invited_table_is_seen_by_its_guests_alone(anna: Visitor, bert: Visitor, visitor: New) -> None:
    lobby = open_game(anna)
    assert bert.get(lobby).status_code == 403
    assert bert.post(lobby + "/join").status_code == 403
    assert visitor("").get(lobby).location == "/sign-in"
    assert "The Long Winter" not in bert.page("/games/open")
    anna.post(lobby + "/invite", {"email": "bert@example.org"})
    page = bert.page(lobby)
    assert "The Long Winter" in page and "anna@example.org" not in page


def test_only_the_host_invites_seats_bots_clears_and_cancels(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = open_game(anna, access="open")
    bert.post(lobby + "/join")
    for action, form in (
        ("invite", {"email": "x@example.org"}),
        ("bot", {"bot": "steady", "how_many": "one"}),
        ("clear", {"seat": "a"}),
        ("cancel", {"sure": "yes"}),
    ):
        assert bert.post(f"{lobby}/{action}", dict(form)).status_code == 403
    match, seats = match_of(settings, lobby)
    assert match.status == "lobby" and [s.status for s in seats] == ["taken", "taken", "empty"]


def test_bots_fill_the_free_seats_and_the_game_starts(anna: Visitor, settings: Settings) -> None:
    lobby = open_game(anna, seats=4)
    assert "Seat a bot" in anna.page(lobby)
    assert "The bot has sat down." in anna.post(lobby + "/bot", {"bot": "random", "how_many": "one"}).text
    anna.post(lobby + "/clear", {"seat": "b"})
    found = anna.post(lobby + "/bot", {"bot": "random", "how_many": "all"}, follow=False)
    assert found.status_code == 303
    assert "3 bots have sat down." in anna.page("/games")
    match, seats = match_of(settings, lobby)
    assert match.status == "running" and [seat.bot for seat in seats] == ["", "random", "random", "random"]
    assert anna.get(lobby).location == lobby + "/table"
    assert "1 game waits for you" in anna.page("/games") and "The table waits for you" in anna.page("/games")


def test_a_bot_that_there_is_none_of_is_not_seated(anna: Visitor, settings: Settings) -> None:
    lobby = open_game(anna)
    found = anna.post(lobby + "/bot", {"bot": "genius", "how_many": "one"})
    assert found.status_code == 422 and "steady" in found.text
    assert match_of(settings, lobby)[1][1].status == "empty"


def test_a_colour_is_worn_unless_a_player_has_it(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = open_game(anna, access="open")
    bert.post(lobby + "/join")
    anna.post(lobby + "/colour", {"colour": "purple"})
    assert match_of(settings, lobby)[1][0].colour == "purple"
    assert bert.post(lobby + "/colour", {"colour": "purple"}).status_code == 409
    assert bert.post(lobby + "/colour", {"colour": "beige"}).status_code == 422
    assert len({seat.colour for seat in match_of(settings, lobby)[1]}) == 3


def test_a_deck_is_laid_ready_and_seen_by_its_owner_alone(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = open_game(anna, access="open")
    bert.post(lobby + "/join")
    assert "have not chosen a deck" in anna.page(lobby)
    anna.post(lobby + "/deck", {"deck": "house:marshal"})
    assert "Nobody else sees it" in anna.page(lobby)
    assert "have not chosen a deck" in bert.page(lobby)
    found = bert.post(lobby + "/deck", {"name": "Steward of mine"} | DECK)
    assert "Your deck is ready. Nobody else sees it." in found.text and "Steward of mine" in bert.page("/decks")
    summed = bert.post(lobby + "/deck", DECK | {"sum": "1", "Land": "1"})
    assert summed.status_code == 200 and "22 of 24 cards: 2 to go." in " ".join(summed.text.split())
    bert.post(lobby + "/deck", {"deck": "house:pilgrim"})
    deck = re.search(r'value="(saved:[^"]+)"', bert.page(lobby))
    assert deck is not None
    assert bert.post(lobby + "/deck", {"deck": deck[1]}).status_code == 200
    assert anna.post(lobby + "/deck", {"deck": deck[1]}).status_code == 404, "another's deck is not to be had"
    assert anna.post(lobby + "/deck", {"deck": "house:nothing"}).status_code == 400


def test_a_deck_for_a_game_is_refused_with_every_reason(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = open_game(anna)
    for change, words in (({"Land": 2}, "23"), ({"Vassal": 7, "Castle": 0}, "7 of Vassal"), ({"Land": "many"}, "many")):
        found = anna.post(lobby + "/deck", DECK | change)
        assert found.status_code == 422 and words in found.text
    assert anna.post(lobby + "/deck", DECK | {"Dragon": 1}).status_code == 400
    assert match_of(settings, lobby)[1][0].prepared == {}
    assert bert.post(lobby + "/deck", dict(DECK)).status_code == 403


def test_a_game_is_called_off_and_its_guests_are_told(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = open_game(anna, access="open")
    bert.post(lobby + "/join")
    anna.post(lobby + "/cancel")
    assert match_of(settings, lobby)[0].status == "lobby", "only with the box ticked"
    anna.post(lobby + "/cancel", {"sure": "yes"})
    assert match_of(settings, lobby)[0].status == "cancelled"
    assert "called off before it began" in bert.page(lobby)
    assert bert.letters("cancelled")
    assert bert.post(lobby + "/join").status_code in (403, 409)


def test_what_belongs_before_the_start_is_refused_afterwards(anna: Visitor) -> None:
    lobby = open_game(anna, seats=2)
    anna.post(lobby + "/bot", {"bot": "random", "how_many": "one"}, follow=False)
    for action, form in (
        ("invite", {"email": "x@example.org"}),
        ("bot", {"bot": "steady", "how_many": "one"}),
        ("clear", {"seat": "b"}),
        ("cancel", {"sure": "yes"}),
        ("leave", {}),
        ("colour", {"colour": "black"}),
    ):
        found = anna.post(f"{lobby}/{action}", dict(form))
        assert found.status_code == 403 and "has started" in found.text and f'href="{lobby}"' in found.text


def test_a_started_game_that_asks_for_the_deck_takes_a_house_deck(anna: Visitor) -> None:
    lobby = open_game(anna, seats=2)
    anna.post(lobby + "/bot", {"bot": "random", "how_many": "one"}, follow=False)
    page = anna.page(lobby + "/deck")
    hidden: dict[str, object] = dict(re.findall(r'name="(key|serial)" value="([^"]+)"', page))
    found = anna.post(lobby + "/deck", DECK | hidden | {"Land": "2"})
    assert found.status_code == 422 and "23" in found.text
    done = anna.post(lobby + "/deck", hidden | {"deck": "house:marshal"}, follow=False)
    assert (done.status_code, done.location) == (303, f"{lobby}/answer/{hidden['key']}")
    again = anna.post(lobby + "/deck", hidden | {"deck": "house:marshal"}, follow=False)
    assert again.status_code == 303, "a doubled post counts once"
    assert anna.get(lobby + "/deck").location == lobby, "the deck is in, nothing is asked any more"
    late = anna.post(lobby + "/deck", hidden | {"key": "0" * 32, "deck": "house:marshal"})
    assert late.status_code == 409


def test_the_address_of_who_sits_there_is_invited_like_any_other(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    seen = []
    for email in ("bert@example.org", "nobody@example.org"):
        lobby = open_game(anna, 3, "open", name=f"War about {email}")
        bert.post(lobby + "/join")
        answer = anna.post(lobby + "/invite", {"email": email})
        plain = re.sub(r"[0-9a-f]{64}", "…", TOKEN.sub("", answer.text))  # each table's own commitment
        seen.append((answer.status_code, plain.replace(email, "…").replace(lobby, "…")))
        assert f"The invitation to {email} is on its way." in answer.text
    assert seen[0] == seen[1]
    assert len(bert.letters("invitation")) == 1 == len(visitor("nobody@example.org").letters("invitation"))


def test_who_sits_there_already_lets_a_second_seat_go(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = open_game(anna, 3, "open")
    bert.post(lobby + "/join")
    anna.post(lobby + "/invite", {"email": "bert@example.org"})
    link = bert.link("invitation", "i")
    page = bert.page(link)
    assert "You have a seat at this table already" in page and "Let it go" in page
    assert match_of(settings, lobby)[1][2].status == "invited", "opening the link changes nothing"
    assert bert.post(link, {"choice": "accept"}).status_code == 409
    bert.post(link, {"choice": "decline"})
    assert [seat.status for seat in match_of(settings, lobby)[1]] == ["taken", "taken", "empty"]
    assert "seat in this game already" not in anna.page(lobby) and "seat at this table already" not in anna.page(lobby)


def test_a_substitute_who_sits_there_already_lets_the_seat_fall_to_the_open_list(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    lobby = open_game(anna, 3, "open")
    bert.post(lobby + "/join")
    cleo = visitor("cleo@example.org").sign_in("Cleo")
    cleo.post(lobby + "/join")
    cleo.post(lobby + "/give-up", {"sure": "yes"})
    page = anna.post(lobby + "/host", {"do": "replace", "seat": "c", "sure": "yes", "email": "bert@example.org"}).text
    assert "The seat is looked for; the table is told." in page
    link = bert.link("substitute", "i")
    assert "You have a seat at this table already" in bert.page(link)
    assert bert.post(link, {"choice": "accept"}).status_code == 409
    bert.post(link, {"choice": "decline"})
    assert match_of(settings, lobby)[1][2].wanted == "open" and bert.get(link).status_code == 410
    assert "the seat of Cleo is free" in bert.page("/games/open")


def test_everybody_who_sits_or_joins_is_told_of_spectators(anna: Visitor, bert: Visitor, visitor: New) -> None:
    lobby = open_game(anna, 3, "open")
    bert.post(lobby + "/join")
    assert "the players alone" in bert.page(lobby) and bert.post(lobby + "/watching", {"on": "yes"}).status_code == 403
    assert "everybody in the lobby sees it" in anna.post(lobby + "/watching", {"on": "yes"}).text
    assert "the players and spectators" in bert.page(lobby)
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    assert "Spectators may read along." in carla.letters("invitation")[0].text
    assert "Spectators may read along." in carla.page(carla.link("invitation", "i"))
    assert "Spectators may read along: " in bert.letters("terms")[-1].text
    assert "Confirm the options" in bert.page(lobby) and "Spectators may read along." in bert.page(lobby)
    asked = bert.page(lobby + "/confirm")
    assert "Spectators may read along." in asked
    bert.post(lobby + "/confirm", {"terms": re.findall(r'name="terms" value="([^"]+)"', asked)[0]})
    carla.post(carla.link("invitation", "i"), {"choice": "accept", "name": "Carla"})
    for who in (anna, bert, carla):
        started = who.letters("started")[0]
        assert "Spectators may read along" in started.text and "Spectators may read along" in started.html
