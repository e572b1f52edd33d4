"""Scripts hold no rule of a game: what can be chosen comes from the server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.games import GAMES
from service import web

SCRIPTS = sorted((Path(web.__file__).parent / "static").glob("*.js"))
RULE = re.compile(r"\b[A-Z]{2,3}-[A-Z]{2,5}-\d+|\bD-\d+")


def code_of(script: Path) -> str:
    """A script without its comments."""
    return re.sub(r"(^|\s)//.*", "", script.read_text("utf-8"))


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.name for script in SCRIPTS])
def test_no_script_cites_a_rule(script: Path) -> None:
    assert RULE.findall(script.read_text("utf-8")) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.name for script in SCRIPTS])
def test_no_script_names_a_field_or_a_piece_of_a_game(script: Path) -> None:
    code = code_of(script)
    assert re.findall(r"\bf_[a-z]\w*", code) == [], "a field's name comes from the page"
    literals = {text for _, text in re.findall(r"""(["'`])(.*?)\1""", code)}
    for game in GAMES.values():
        assert literals & {*game.words.catalogue.keys("kind"), *game.face.log.turning} == set(), game.name


def test_what_roads_a_group_can_take_isnt_in_the_page() -> None:  # FF-MOV-2, FF-MOV-4
    """It is asked for: what lies in the page are lists of what can be chosen, and none of what they are made from."""
    board = (SCRIPTS[0].parent / "board.js").read_text("utf-8")
    for made_from in ("roads", "walled", "lead", "shut", "army"):
        assert f"dataset.{made_from}" not in board
