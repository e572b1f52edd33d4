"""Whether a game can be shown: what is broken or missing is found before a game is opened, and said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.game import Game
from engine.games import GAMES
from engine.language.words import Catalogue
from service.games import boards, lobby
from tests.followed import playable


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    with playable(tmp_path / "new") as gambit:
        yield gambit


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for templates of the game's own."""
    monkeypatch.setattr(boards, "TEMPLATES", tmp_path)
    monkeypatch.setattr(boards, "_found", {})
    (tmp_path / "gambit").mkdir()
    return tmp_path / "gambit"


@pytest.mark.parametrize("known", GAMES.values(), ids=list(GAMES))
def test_games_that_are_whole_have_no_fault(known: Game) -> None:
    assert boards.fault(known) is None


def test_what_a_game_does_not_bring_is_taken_from_the_default(game: Game, own: Path) -> None:
    (own / "board.html").write_text("<p>{{ page.view.deck }}</p>", "utf-8")
    assert boards.template(game, "board.html") == "gambit/board.html"
    assert boards.template(game, "board.txt") == "default/board.txt"
    assert boards.fault(game) is None


def test_a_template_that_can_t_be_read_is_named_with_its_line(game: Game, own: Path) -> None:
    (own / "board_letter.html").write_text("<p>\n{% for %}</p>", "utf-8")
    assert "templates/gambit/board_letter.html is broken" in str(boards.fault(game)) and "line 2" in str(boards.fault(game))
    assert game not in lobby.offered()


def test_a_template_that_needs_one_that_there_isn_t_says_which(game: Game, own: Path) -> None:
    (own / "board.html").write_text('{% include "gambit/map.html" %}', "utf-8")
    assert str(boards.fault(game)).endswith("board.html needs templates/gambit/map.html, and there is none.")


def test_a_game_that_lacks_words_says_which(game: Game) -> None:
    mute = replace(game, words=replace(game.words, catalogue=Catalogue("tests")))
    assert str(boards.fault(mute)).endswith("has no entry ask.swap, ask.lay, ask.look.")
