"""House rulings on pages: chosen when a game is opened or in its lobby, told to all who may join, and read at the table."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from flask import Flask

from service.settings import Settings
from tests.service.web.conftest import Visitor
from tests.service.web.test_lobby import match_of
from tests.service.web.test_roles import Shown

New = Callable[[str], Visitor]
TOGETHER = "How the Earls enter a Joust: All at once and in secret; it takes one wait for the whole table (OR-AMB-99)"


def form(game: str = "ortus", **ruled: str) -> dict[str, object]:
    fields: dict[str, object] = {"name": "Michaelmas", "game": game, "seats": "2", "access": "open"}
    return fields | {f"ruling:{id.replace('_', '-')}": value for id, value in ruled.items()}


def opened(host: Visitor, **ruled: str) -> str:
    found = host.post("/games/new", form(**ruled), follow=False)
    assert found.status_code == 303, found.text
    return str(found.location)


def folds(page: str) -> dict[str, bool]:
    """The games that have a fold of rulings, and whether it lies open."""
    return {game: bool(then) for game, then in re.findall(r'<details class="rulings" data-of-game="(\w+)"( open)?>', page)}


def test_the_form_of_a_new_game_has_them_folded_with_the_usual_marked(anna: Visitor) -> None:
    page = html.unescape(anna.page("/games/new"))
    assert "House rulings of Ortus Regni" in page and "House rulings of Medieval Mastery" in page
    assert folds(page) == {"ortus": False, "mastery": False, "fief": False}
    for id, usual, other in (("OR-AMB-99", "in_turn", "together"), ("MM-AMB-24", "attacker", "defender")):
        assert f'name="ruling:{id}" value="{usual}" checked' in page and f'name="ruling:{id}" value="{other}">' in page
    assert "DEF-2" not in page and "MM-ASY-4" not in page, "a mend is no choice"


def test_what_is_chosen_is_told_to_all_who_may_join(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = opened(anna, OR_AMB_99="together", OR_AMB_3="discarded", MM_AMB_24="attacker")
    assert match_of(settings, lobby)[0].options["rulings"] == {"OR-AMB-99": "together"}
    for page in (anna.page(lobby), bert.page(lobby), bert.page("/games/open")):
        assert TOGETHER in html.unescape(page) and "OR-AMB-3)" not in page
    assert "Choose house rulings" not in bert.page(lobby)
    bert.post(lobby + "/join")
    assert TOGETHER in html.unescape(anna.page(lobby + "/clock")), "and stays to be read at the table"
    assert "All else is as usual." in bert.page(lobby + "/clock")


def test_an_invited_guest_reads_them_in_the_letter_and_before_accepting(anna: Visitor, visitor: New) -> None:
    found = anna.post("/games/new", form(OR_AMB_99="together") | {"access": "invited"}, follow=False)
    anna.post(str(found.location) + "/invite", {"email": "carla@example.org"})
    carla = visitor("carla@example.org")
    assert TOGETHER in " ".join(carla.letters("invitation")[-1].text.split())
    assert TOGETHER in html.unescape(carla.page(carla.link("invitation", "i")))


def test_they_are_changed_in_the_lobby_until_the_start(anna: Visitor, bert: Visitor, settings: Settings) -> None:
    lobby = opened(anna)
    assert "this game is played as usual" in anna.page(lobby)
    found = anna.post(lobby + "/rulings", {"ruling:OR-AMB-99": "together", "ruling:OR-HOUSE-1": "8"})
    assert found.status_code == 200 and TOGETHER in html.unescape(found.text)
    assert 'value="together" checked' in found.text and 'value="8" checked' in found.text
    anna.post(lobby + "/rulings", {"ruling:OR-HOUSE-1": "none"})
    assert "rulings" not in match_of(settings, lobby)[0].options
    assert bert.post(lobby + "/rulings", {"ruling:OR-HOUSE-1": "8"}).status_code == 403
    bert.post(lobby + "/join")
    assert anna.post(lobby + "/rulings", {"ruling:OR-HOUSE-1": "8"}).status_code == 403
    assert "All else is as usual." not in anna.page(lobby + "/clock")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("ruling:OR-AMB-999", "x", "There is no house ruling “OR-AMB-999” in this game"),
        ("ruling:DEF-2", "fielded", "There is no house ruling “DEF-2” in this game"),
        ("ruling:OR-AMB-99", "x", "The ruling OR-AMB-99 can't be “x”"),
        ("ruling:OR-AMB-99", "", "The ruling OR-AMB-99 can't be “”"),
    ],
)
def test_what_there_is_not_to_choose_gets_a_sentence(
    anna: Visitor, settings: Settings, field: str, value: str, words: str
) -> None:
    found = anna.post("/games/new", form() | {field: value, "ruling:OR-HOUSE-1": "12"})
    text = html.unescape(found.text)
    assert found.status_code == 422 and words in text
    assert 'name="ruling:OR-HOUSE-1" value="12" checked' in text
    assert folds(text) == {"ortus": True, "mastery": False, "fief": False}
    lobby = opened(anna, OR_AMB_99="together")
    found = anna.post(lobby + "/rulings", {field: value})
    assert found.status_code == 422 and words in html.unescape(found.text)
    assert match_of(settings, lobby)[0].options["rulings"] == {"OR-AMB-99": "together"}
    assert anna.post(lobby + "/rulings", {"what": "x"}).status_code == 400


@pytest.mark.parametrize("given", [{"ruling:OR-AMB-99": "x"}, {"ruling:OR-AMB-99": "together", "seats": "9"}])
def test_a_refusal_opens_the_fold_of_what_was_refused_or_chosen(anna: Visitor, given: dict[str, str]) -> None:
    found = anna.post("/games/new", form() | given)
    assert found.status_code == 422 and folds(found.text) == {"ortus": True, "mastery": False, "fief": False}
    found = anna.post("/games/new", form("mastery", MM_AMB_24="defender", OR_AMB_99="together") | {"name": "", "seats": "9"})
    assert folds(found.text) == {"ortus": False, "mastery": True, "fief": False}, "those of the chosen game"
    for kept in ('"ruling:MM-AMB-24" value="defender"', '"ruling:OR-AMB-99" value="together"'):
        assert f"name={kept} checked" in found.text


def test_the_rules_of_a_game_list_all_that_can_be_chosen(anna: Visitor) -> None:
    page = html.unescape(anna.page("/help/ortus"))
    assert "House rulings" in page and "OR-AMB-68" in page and "They travel with it" in page and "DEF-2" not in page


PILES = """a.F1: Palace (-) {}
b.F1: Palace (-) {}
c.F1: Palace (-) {}
a.deck: 3 Land, 6 MarketTown
b.deck: 3 Land, 4 MarketTown
b.discard: Monk
"""


def said(board: str) -> str:
    """What a reader gets of a board: its text, and the words that stand for pictures; no addresses, sizes or colours."""
    spoken = re.findall(r'(?:aria-label|title|alt|data-value)="([^"]*)"', board)
    return " ".join([re.sub(r"<[^>]*>", " ", board), *spoken])


def test_boards_of_closed_piles_show_neither_numbers_nor_cards(app: Flask) -> None:
    # OR-AMB-5
    page, _, text = Shown(app, PILES).texts  # an HTML letter has no discard piles
    assert "Monk" in page and "Monk" in text
    shown = Shown(app, PILES + "rulings: OR-AMB-5=closed")
    assert shown.none_says("Monk")
    assert not any(word in said(text) for text in shown.texts for word in ("None", "24"))
    assert "not searched" in shown.texts[0]
    assert re.search(r"<td[^>]*><b><font[^>]*>–</font></b></td>", shown.texts[1])
    assert "deck -, hand" in shown.texts[2].replace("–", "-")
