"""Confirming changed options: on the lobby page, and by the link of the letter; looking changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from service.settings import Settings
from service.store.models import MatchStatus
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import match_of

New = Callable[..., Visitor]
TERMS = re.compile(r'name="terms" value="([0-9a-f]{64})"')


def opened(anna: Visitor, *guests: Visitor, seats: str = "3") -> str:
    form = {"name": "Harvest war", "game": "ortus", "seats": seats, "access": "open"}
    path = str(anna.post("/games/new", form, follow=False).location)
    for guest in guests:
        guest.post(path + "/join")
    return path


def change(anna: Visitor, path: str) -> None:
    page = anna.page(path)
    radios = re.findall(r'<input type="radio" name="([^"]+)" value="([^"]+)"( checked)?', page[page.index(path + "/rulings") :])
    name = radios[0][0]
    value = next(v for n, v, checked in radios if n == name and not checked)
    assert "The house rulings are set" in anna.post(path + "/rulings", {name: value}).text


def test_the_lobby_shows_who_has_not_confirmed_and_a_button(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = opened(anna, bert)
    assert "I agree" not in bert.page(path)
    change(anna, path)
    assert "when those who sit here have confirmed" not in anna.page(path), "it is said once"
    assert "has not confirmed the options" in anna.page(path) and "The game waits for Bert to confirm" in anna.page(path)
    assert "I agree" not in anna.page(path)
    page = bert.page(path)
    assert "I agree" in page and bert.page(path + "/confirm")
    anna.post(path + "/bot", {"bot": "steady"})
    assert match_of(settings, path)[0].status == MatchStatus.LOBBY, "neither looking nor the last seat starts it"
    assert "The game starts when everybody has confirmed" in bert.page(path)
    found = TERMS.search(page)
    assert found is not None
    bert.post(path + "/confirm", {"terms": found[1]})
    assert match_of(settings, path)[0].status == MatchStatus.RUNNING


def test_the_letters_link_leads_to_the_button_without_signing_in(
    anna: Visitor, bert: Visitor, visitor: New, settings: Settings
) -> None:
    path = opened(anna, bert)
    change(anna, path)
    phone = visitor()
    page = phone.page(bert.link("terms", "t") + "?to=confirm")
    found = TERMS.search(page)
    assert found is not None and "I agree" in page
    assert phone.page(path + "/confirm").count("I agree") == 1
    answer = phone.post(path + "/confirm", {"terms": found[1]})
    assert "You have confirmed" in answer.text and "has not confirmed" not in anna.page(path)


def test_what_was_changed_meanwhile_is_shown_again(anna: Visitor, bert: Visitor, visitor: New, settings: Settings) -> None:
    path = opened(anna, bert)
    carla = visitor("carla@example.org")
    carla.sign_in("Carla")
    seen = TERMS.search(carla.page(path))
    assert seen is not None
    change(anna, path)
    refused = carla.post(path + "/join", {"terms": seen[1]})
    assert refused.status_code == 422 and "The host has changed the options since" in refused.text
    late = bert.post(path + "/confirm", {"terms": seen[1]})
    assert late.status_code == 422 and "The host has changed the options since" in late.text
    assert bert.post(path + "/confirm").status_code == 422
    fresh = TERMS.search(refused.text)
    assert fresh is not None and "You have a seat" in carla.post(path + "/join", {"terms": fresh[1]}).text
    assert match_of(settings, path)[0].status == MatchStatus.LOBBY


def test_strangers_confirm_nothing(anna: Visitor, bert: Visitor, visitor: New) -> None:
    path = opened(anna, bert)
    dora = visitor("dora@example.org")
    dora.sign_in("Dora")
    assert dora.get(path + "/confirm").status_code == 403
    assert dora.post(path + "/confirm", {"terms": "0" * 64}).status_code == 403


def test_a_shared_link_and_an_invitation_carry_what_they_showed(anna: Visitor, visitor: New) -> None:
    path = opened(anna, seats="4")
    anna.post(path + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    link = carla.link("invitation", "i")
    seen = TERMS.search(carla.page(link))
    assert seen is not None
    change(anna, path)
    answer = carla.post(link, {"choice": "accept", "terms": seen[1]})
    assert answer.status_code == 422 and "The host has changed the options since" in answer.text
    fresh = TERMS.search(answer.text)
    assert fresh is not None and "You have a seat" in carla.post(link, {"choice": "accept", "terms": fresh[1]}).text
