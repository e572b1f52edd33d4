"""The host's form for the optional rules, and who is told of them. The toy game has some, and takes a file."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest
from flask import Flask

from engine.core.asks import Ask, Number, Option, Rows
from engine.game import Variants
from engine.games import GAMES
from service.games import lobby as games
from service.settings import Settings
from service.web import security
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import match_of
from tests.toy_game import FAIR, variant

New = Callable[[str], Visitor]
SHORT: dict[str, object] = {"option": "play", "f_rounds": "1", "f_rules__poor": "1"}
WARES = "salt\ntin\nwool\nwax\nwine\nyarn\nzinc\nleek\nmead\n"


def open_game(host: Visitor, access: str = "open") -> str:
    form: dict[str, object] = {"name": "Michaelmas", "game": "fair", "seats": "3", "access": access}
    found = host.post("/games/new", form, follow=False)
    assert found.status_code == 303, found.text
    return str(found.location)


def sent(name: str, data: bytes) -> tuple[io.BytesIO, str]:
    return io.BytesIO(data), name


@pytest.mark.usefixtures("toy")
def test_the_host_chooses_in_the_lobby_and_all_who_may_join_are_told(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = open_game(anna)
    page = anna.page(lobby)
    assert "Optional rules" in page and 'name="f_rounds" min="1" max="5" value="3"' in page and 'type="file"' in page
    assert "Optional rules" not in bert.page(lobby), "there is nothing to tell, and nothing for him to choose"
    found = anna.post(lobby + "/options", dict(SHORT))
    assert found.status_code == 200 and "The fair lasts 1 rounds." in found.text
    assert 'max="5" value="1"' in found.text and 'name="f_rules__poor" value="1" checked' in found.text
    assert match_of(settings, lobby)[0].options == {"rounds": 1, "poor": True}
    for page in (bert.page(lobby), bert.page("/games/open")):
        assert "The fair lasts 1 rounds." in page and "Everybody begins poor." in page
        assert "f_rounds" not in page
    bert.post(lobby + "/join")
    anna.post(lobby + "/options", {"option": "play", "f_rounds": "3"})
    assert "Optional rules" not in bert.page(lobby) and match_of(settings, lobby)[0].options == {}


@pytest.mark.usefixtures("toy")
def test_an_invited_guest_reads_them_before_accepting(anna: Visitor, visitor: New) -> None:
    lobby = open_game(anna, "invited")
    anna.post(lobby + "/options", dict(SHORT))
    anna.post(lobby + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    assert "Everybody begins poor." in carla.letters("invitation")[-1].text
    assert "Everybody begins poor." in carla.page(carla.link("invitation", "i"))


@pytest.mark.usefixtures("toy")
def test_a_file_is_sent_or_its_text_pasted(anna: Visitor, settings: Settings) -> None:
    lobby = open_game(anna)
    anna.post(lobby + "/options", {**SHORT, "file": sent("wares.txt", b"\xef\xbb\xbf" + WARES.encode()), "file_text": ""})
    assert match_of(settings, lobby)[0].options["wares"] == WARES.split()
    anna.post(lobby + "/options", {**SHORT, "file": sent("", b""), "file_text": WARES.upper().replace("\n", "\r\n")})
    assert match_of(settings, lobby)[0].options["wares"] == WARES.upper().split()
    assert "9 wares of the host&#39;s own." in anna.page(lobby)
    anna.post(lobby + "/options", dict(SHORT))
    assert "wares" not in match_of(settings, lobby)[0].options


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"f_rounds": "9"}, "from 1 to 5"),
        ({"f_rounds": "three"}, "whole number"),
        ({"f_rules__rich": "1"}, "does not belong there"),
        ({"seats": "2"}, "does not belong there"),
        ({"option": ""}, "names no option"),
        ({"option": "stop"}, "You can: play"),
        ({"file_text": "salt tin"}, "2 wares are too few for 3 keepers"),
        ({"file_text": "salt & tin"}, "different words"),
        ({"file_text": "x" * 210_000}, "at most 200 KB"),
        ({"file": (b"\xff\xfe\x00", "wares.bin")}, "isn’t UTF-8 text"),
        ({"file": (b"salt\x00tin", "wares.bin")}, "plain text"),
        ({"file": (b"x" * 300_000, "wares.txt")}, "at most 200 KB"),
    ],
)
def test_what_won_t_do_gets_a_sentence_and_keeps_what_was_typed(
    anna: Visitor, settings: Settings, change: dict[str, object], words: str
) -> None:
    lobby = open_game(anna)
    file = change.get("file")
    files = {"file": sent(file[1], file[0])} if isinstance(file, tuple) else {}
    found = anna.post(lobby + "/options", SHORT | change | files)
    assert found.status_code == 422 and 'role="alert"' in found.text and words in found.text
    if str(change.get("file_text", "")).startswith("salt"):
        assert str(change["file_text"]).replace("&", "&amp;") + "</textarea>" in found.text
        assert 'value="1" checked' in found.text
    assert match_of(settings, lobby)[0].options == {}


@pytest.mark.usefixtures("toy")
def test_more_than_any_file_is_not_even_read(anna: Visitor, settings: Settings) -> None:
    lobby = open_game(anna)
    found = anna.post(lobby + "/options", {**SHORT, "file": sent("wares.txt", b"x" * 1_200_000)})
    assert found.status_code == 413
    assert anna.post(lobby + "/colour", {"colour": "x" * 70_000}).status_code == 413, "other forms are as short as ever"
    assert match_of(settings, lobby)[0].options == {}


def in_rows(seats: int) -> Ask:
    """The fair's options with prizes beside them, a row each."""
    asked = variant(seats)
    prizes = Rows("prizes", (Number("coins", 1, 9),), 0, 3)
    return msgspec.structs.replace(asked, options=(Option("play", (*asked.options[0].fields, prizes)),))


@pytest.mark.usefixtures("toy")
def test_a_row_is_added_beside_a_long_file_and_nothing_is_chosen_by_it(
    anna: Visitor, bert: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    rowed = replace(FAIR, rules=replace(FAIR.rules, variants=replace(FAIR.rules.variants, ask=in_rows)))
    monkeypatch.setitem(GAMES, FAIR.name, rowed)
    monkeypatch.setattr(games, "offered", lambda: [rowed])
    lobby, long = open_game(anna), "wool " * 30_000
    one = {**SHORT, "f_prizes__rows": "1", "f_prizes__1__coins": "4", "rows": "add:prizes", "file_text": long}
    found = anna.post(lobby + "/options/rows", one)
    assert found.status_code == 200 and 'name="f_prizes__1__coins"' in found.text and 'name="f_prizes__2__coins"' in found.text
    assert 'value="1" checked' in found.text and long.strip() in found.text
    assert match_of(settings, lobby)[0].options == {}
    assert "has no such rows" in anna.post(lobby + "/options/rows", {**SHORT, "rows": "add:guests"}).text
    assert bert.post(lobby + "/options/rows", one).status_code == 404


def test_longer_forms_are_those_of_pages_that_are_there(app: Flask) -> None:
    assert app.view_functions.keys() >= security.LONGER_FORMS.keys()


@pytest.mark.usefixtures("toy")
def test_only_the_host_may_and_only_before_the_start(anna: Visitor, bert: Visitor, visitor: New, settings: Settings) -> None:
    lobby = open_game(anna)
    assert bert.post(lobby + "/options", dict(SHORT)).status_code == 403
    assert bert.post(lobby + "/options", {"option": "", "x": "y"}).status_code == 422
    assert visitor("").post(lobby + "/options", dict(SHORT), follow=False).location == "/sign-in"
    anna.post(lobby + "/cancel", {"sure": "yes"})
    found = anna.post(lobby + "/options", dict(SHORT))
    assert found.status_code == 403 and "called off" in found.text
    assert match_of(settings, lobby)[0].options == {}


@pytest.mark.usefixtures("toy")
def test_a_game_without_optional_rules_shows_no_form(anna: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = replace(FAIR, rules=replace(FAIR.rules, variants=Variants()))
    monkeypatch.setitem(GAMES, FAIR.name, plain)
    monkeypatch.setattr(games, "offered", lambda: [plain])
    lobby = open_game(anna)
    assert "Optional rules" not in anna.page(lobby)
    assert anna.post(lobby + "/options", {"option": "play"}).status_code == 403


@pytest.mark.usefixtures("toy")
def test_a_game_without_a_deck_to_build_has_no_page_for_it(anna: Visitor) -> None:
    lobby = open_game(anna)
    assert "Your deck" not in anna.page(lobby)
    assert anna.get(lobby + "/deck").status_code == 404
    assert anna.post(lobby + "/deck", {"deck": "house:steward"}).status_code == 404
    assert "Decks</a>" not in anna.page("/games")
    assert anna.get("/decks/new").status_code == 404
    assert "<h1>Decks</h1>" in anna.page("/decks")
