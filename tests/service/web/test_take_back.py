"""The button that takes an answer back: when it stands on the page, what it does, and how it goes."""

from __future__ import annotations

import random
import re

import pytest
from sqlmodel import select

from engine.play.match import TAKE_BACK
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import EntryRow, HiddenAnswer, Letter, LetterStatus, Match
from tests.service.conftest import Players
from tests.service.web.conftest import Visitor, begun

FORM = re.compile(r'<form method="post" action="[^"]+/take-back" class="undo".*?</form>', re.DOTALL)
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


@pytest.fixture
def game(anna: Visitor, bert: Visitor) -> str:
    return begun(anna, bert)


def button(visitor: Visitor, game: str) -> dict[str, str]:
    """The fields of the button's form; none without it."""
    found = FORM.search(visitor.page(game + "/table"))
    fields = dict(HIDDEN.findall(found[0])) if found else {}
    fields.pop("csrf_token", "")
    return fields


def backs(settings: Settings) -> int:
    with open_session(settings) as session:
        return len(session.exec(select(EntryRow).where(EntryRow.ask == TAKE_BACK)).all())


def sealed(settings: Settings) -> int:
    with open_session(settings) as session:
        return len(session.exec(select(HiddenAnswer)).all())


def played_until_a_button(settings: Settings, game: str, people: dict[str, Visitor]) -> Visitor:
    """Play at random until a logged answer can be taken back; its player."""
    players, rng = Players(settings, game.rpartition("/")[2]), random.Random(4)
    for _ in range(200):
        seat = rng.choice(players.asked())
        players.submit(seat, rng)
        if button(people[seat], game) and not sealed(settings):
            return people[seat]
    raise AssertionError("no answer could be taken back")


def test_a_hidden_answer_is_taken_back_and_asked_again(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    players = Players(settings, game.rpartition("/")[2])
    assert not button(anna, game)
    players.submit("a", random.Random(1))
    assert sealed(settings) == 1 and not button(bert, game)
    others = bert.get(game + "/moved").json
    fields = button(anna, game)
    answer = anna.post(game + "/take-back", fields, follow=False)
    assert answer.status_code == 303 and answer.location.endswith("/table")
    assert sealed(settings) == 0 and players.asked() == ["a", "b"]
    assert bert.get(game + "/moved").json == others, "nobody else notices"
    # A second press of the same button, and of one on another page, does nothing more.
    players.submit("a", random.Random(1))
    assert anna.post(game + "/take-back", fields, follow=False).status_code == 303
    assert sealed(settings) == 1
    refused = anna.post(game + "/take-back", fields | {"key": "f" * 32})
    assert refused.status_code == 409 and "the game has moved on" in refused.text and sealed(settings) == 1


def test_a_step_is_taken_back_and_everybody_reads_it(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    own = played_until_a_button(settings, game, {"a": anna, "b": bert})
    other = bert if own is anna else anna
    before = other.get(game + "/moved").json
    fields = button(own, game)
    assert own.get(f"{game}/moved?step={fields['step']}").get_json()["back"] is True
    own.post(game + "/take-back", fields)
    assert backs(settings) == 1
    assert other.get(game + "/moved").json != before
    for path in ("/table", "/history", "/replay"):
        assert "took the last step back." in other.page(game + path), path
    assert own.get(f"{game}/moved?step={fields['step']}").get_json()["back"] is False


def test_the_button_goes_with_the_letter(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    own = played_until_a_button(settings, game, {"a": anna, "b": bert})
    fields = button(own, game)
    with transaction(settings) as session:
        for letter in session.exec(select(Letter).where(Letter.kind == "turn")):
            if letter.status == LetterStatus.QUEUED:
                letter.status = LetterStatus.SENT
                session.add(letter)
    assert not button(own, game)
    assert own.get(f"{game}/moved?step={fields['step']}").get_json()["back"] is False
    assert own.post(game + "/take-back", fields).status_code == 409
    assert backs(settings) == 0


def test_a_page_says_why_an_answer_stands(game: str, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    players, rng, said = Players(settings, game.rpartition("/")[2]), random.Random(4), set[str]()
    for _ in range(200):
        seat = rng.choice(players.asked() or [""])
        if not seat or (
            any("drawn" in one or "shuffled" in one for one in said) and any("others were asked" in one for one in said)
        ):
            break
        players.submit(seat, rng)
        said |= set(
            re.findall(r"Your last answer can’t be taken back: [^<]+", {"a": anna, "b": bert}[seat].page(game + "/table"))
        )
    assert any("drawn" in one or "shuffled" in one for one in said) and any("others were asked" in one for one in said), said


@pytest.mark.parametrize(
    "fields", [{}, {"key": "short", "step": "x"}, {"key": "f" * 32, "step": "no such thing (("}, {"key": "f" * 32}]
)
def test_broken_forms_get_a_sentence(game: str, anna: Visitor, settings: Settings, fields: dict[str, str]) -> None:
    answer = anna.post(game + "/take-back", fields)
    assert answer.status_code in (400, 409) and 'role="alert"' in answer.text
    assert backs(settings) == 0


def test_a_host_opens_a_game_without_take_backs(anna: Visitor, settings: Settings) -> None:
    form = {"name": "Strict", "game": "ortus", "seats": "2", "access": "open"}
    for choice, on in (("no", False), ("yes", True), ("", True)):
        path = str(anna.post("/games/new", form | {"take_back": choice}, follow=False).location)
        with open_session(settings) as session:
            match = session.get(Match, path.rpartition("/")[2])
            assert match is not None and match.take_back is on
        assert ("not allowed" in anna.page(path)) is not on
