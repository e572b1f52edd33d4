"""A player's own word for the shuffles, through the pages."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.core.chance import commitment, entropy_of, secret
from engine.play import match as matches
from service.settings import Settings
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import match_of, open_game

WORD, OTHER = "a red dragon, asleep", "the ninth wave"


def header_of(settings: Settings, path: str) -> matches.Header:
    return matches.read_header(match_of(settings, path)[0].header or "")


def test_a_host_who_tries_word_after_word_learns_nothing(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = open_game(anna, 2, "open")
    seed = match_of(settings, path)[0].seed
    seen = set()
    for number in range(25):
        word = f"attempt {number}"
        page = anna.post(path + "/word", {"word": word}).text
        assert "Your word counts" in page and entropy_of(word) in page and commitment(seed) in page
        assert seed.hex() not in page and secret(seed, (entropy_of(word),)) not in page
        page = re.sub(r'name="csrf_token" value="[^"]*"', "", page.replace(entropy_of(word), ""))
        seen.add(re.sub(r"\s+", " ", page))
        stranger = bert.page(path)
        assert entropy_of(word) not in stranger and commitment(seed) in stranger
    assert len(seen) == 1, "every word brings the same page"
    page = bert.post(path + "/join", {"word": OTHER}).text
    head = header_of(settings, path)
    assert [s.entropy for s in head.seats] == [entropy_of("attempt 24"), entropy_of(OTHER)]
    before = match_of(settings, path)[0]
    for late in (anna, bert):
        found = late.post(path + "/word", {"word": "too late"})
        assert found.status_code == 403 and "has started" in found.text
    assert match_of(settings, path)[0].header == before.header and match_of(settings, path)[0].seed == seed
    history = bert.page(path + "/history")
    assert entropy_of(OTHER) in history and commitment(seed) in history and "Your word, as its SHA-256 in the log" in history
    assert f"Anna (a: {head.seats[0].entropy[:12]}…)" in history


def test_a_guest_gives_his_word_as_he_accepts_and_a_host_as_he_opens(
    anna: Visitor,
    visitor: Callable[[str], Visitor],
    settings: Settings,
) -> None:
    form: dict[str, object] = {"name": "Words", "game": "ortus", "seats": "2", "access": "invited", "word": WORD}
    path = str(anna.post("/games/new", form, follow=False).location)
    match, seats = match_of(settings, path)
    assert seats[0].entropy == entropy_of(WORD)
    anna.post(path + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    assert commitment(match.seed) in carla.letters("invitation")[-1].text
    link = carla.link("invitation", "i")
    page = carla.page(link)
    assert commitment(match.seed) in page and 'name="word"' in page and 'name="word"' in anna.page("/games/new")
    refused = carla.post(link, {"choice": "accept", "name": "Carla", "word": "x" * 201})
    assert refused.status_code in (400, 422) and match_of(settings, path)[0].status == "lobby"
    carla.post(link, {"choice": "accept", "name": "Carla", "word": OTHER})
    assert header_of(settings, path).seats[1].entropy == entropy_of(OTHER)
    again = carla.post(link, {"choice": "accept", "word": "another"})
    assert again.status_code == 200 and header_of(settings, path).seats[1].entropy == entropy_of(OTHER)


def test_words_that_can_not_be_written_are_refused_with_a_sentence(anna: Visitor, settings: Settings) -> None:
    path = open_game(anna, 2, "open")
    found = anna.post(path + "/word", {"word": "x" * 201})
    assert found.status_code == 422 and "at most 200 fit" in found.text
    assert anna.post(path + "/word", {"word": "a\u202eb"}).status_code == 422
    assert anna.post(path + "/word", {"word": "a\x00b"}).status_code == 422
    form: dict[str, object] = {"name": "Words", "game": "ortus", "seats": "2", "access": "open", "word": "x" * 201}
    found = anna.post("/games/new", form)
    assert found.status_code == 422 and "at most 200 fit" in found.text
    assert match_of(settings, path)[1][0].entropy == ""
    anna.post(path + "/word", {"word": WORD})
    assert "You have taken your word back" in anna.post(path + "/word", {"word": ""}).text
    assert match_of(settings, path)[1][0].entropy == ""
