"""The small game of the docs, which brings no template: played on pages and told in letters."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from engine.game import Game
from engine.games import GAMES
from service.games import lobby
from service.settings import Settings
from service.store.database import open_session
from service.store.models import Match, MatchStatus
from tests.followed import playable
from tests.service.web.conftest import Visitor, begun

HAND = re.compile(r"<dt>Masks</dt><dd>([^<]*)</dd>")


@pytest.fixture
def masks(tmp_path: Path) -> Iterator[Game]:
    with playable(tmp_path) as game:
        yield game


def answer(settings: Settings, kind: str, option: str) -> dict[str, object]:
    with open_session(settings) as session:
        serial = session.exec(select(Match)).one().serial
    return {"key": secrets.token_hex(16), "serial": str(serial), "kind": kind, "option": option}


def test_it_is_offered_and_told_of(masks: Game, anna: Visitor) -> None:
    assert masks in lobby.offered()
    assert "Masks" in anna.page("/") and "A game for 2 to 4 players." in anna.page("/help/masks")


def test_it_is_played_on_its_page_and_told_in_letters(masks: Game, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = begun(anna, bert, game="masks")
    page = anna.page(path + "/table")
    for shown in ("Who do you claim to be?", "Anna (you)", "Masks in the deck", "<dd>12</dd>", "Whose turn it is"):
        assert shown in page
    own, seen = (HAND.findall(shown) for shown in (page, bert.page(path + "/table")))
    assert len(own[0].split(", ")) == len(seen[0].split(", ")) == 2, "each sees his own hand first"
    assert own[1] == seen[1] == "2", "and of the other's, how many"
    assert anna.post(path + "/answer", answer(settings, "turn", "queen")).status_code == 200
    assert "Do you doubt it?" in bert.page(path + "/table")
    turned = bert.letters("turn")[0]
    for part in (turned.text, turned.html):
        assert "Anna claims to be the Queen." in part and "Do you doubt it?" in part
        assert "Masks in the deck" in part and "12" in part
    assert bert.post(path + "/answer", answer(settings, "doubt", "no")).status_code == 200
    assert "Anna takes 3 coins." in bert.page(path + "/table")


def test_it_comes_to_its_end(masks: Game, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    path = begun(anna, bert, game="masks")
    for _ in range(6):
        for who in (anna, bert):
            who.post(path + "/answer", answer(settings, "turn", "beg"))
    with open_session(settings) as session:
        assert session.exec(select(Match)).one().status == MatchStatus.FINISHED
    over = bert.letters("over")[0]
    assert "Anna" in over.text and "Masks in the deck" in over.text and "Masks in the deck" in over.html
    assert masks.name in GAMES
