"""The head of a letter says what is to be done, in few words, for whatever a game asks of a seat."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from engine import procedure
from engine.forms import describe
from engine.games import GAMES
from tests.tables import NAMES, games, questions, recorded

OWN = {"ortus": {"concession", "variant"}, "mastery": {"variant"}, "fief": {"variant"}}
"""What nobody is ever asked: what a seat does of its own accord, or a host before the start."""
POWERS = (
    "uprising assassination justice cardinal d_arc escape parley extend cede control release lift_siege excommunicate lift_ban"
)
POWERS += " grant revoke take_relic give_relic eyes bone"
LONGEST = 60


@pytest.mark.parametrize("game", games())
def test_every_question_has_a_heading(game: str) -> None:
    words = tomllib.loads((Path(__file__).parents[1] / f"engine/{game}/lore/words.en.toml").read_text("utf-8"))
    assert set(words["ask"]) - OWN[game] - set(POWERS.split()) == set(words["heading"])


@pytest.mark.parametrize("game", games())
def test_a_heading_is_short_and_no_sentence(game: str) -> None:
    for seats in range(GAMES[game].least, GAMES[game].most + 1):
        for found in questions(game, seats).values() if recorded(game, seats) else ():
            ask = procedure.ask_of(found.state, found.seat)
            heading = describe(GAMES[game], ask, NAMES, 0).heading
            assert heading and len(heading) <= LONGEST and not heading.endswith("."), (ask.kind, heading)


def test_a_defender_is_told_to_defend_and_the_attacker_to_attack() -> None:
    battle = questions("fief", 3)["muster"]
    at = {
        seat: describe(GAMES["fief"], procedure.ask_of(battle.state, seat), NAMES, 0).heading for seat in battle.state.waiting
    }
    assert at[battle.seat] == "Attack Châteauneuf"
    tower = questions("ortus", 4)["defend"]
    assert describe(GAMES["ortus"], procedure.ask_of(tower.state, tower.seat), NAMES, 0).heading == "Defend your Towers"
