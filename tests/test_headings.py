"""The head of a letter says what is to be done, in few words, for whatever a game asks of a seat."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core import procedure
from engine.core.chance import Chance
from engine.games import GAMES
from engine.ui.forms import describe
from tests.tables import NAMES, Laid, complete, passing, questions, recorded

OWN = {"ortus": {"concession", "variant"}, "mastery": {"variant"}, "fief": {"variant"}}
"""What nobody is ever asked: what a seat does of its own accord, or a host before the start."""
POWERS = (
    "uprising assassination justice cardinal d_arc escape parley extend cede control release lift_siege excommunicate lift_ban"
)
POWERS += " grant revoke take_relic give_relic eyes bone"
LONGEST = 60
OF_A_TURN = {"ortus": {"turn"}, "mastery": {"early"}, "fief": set[str]()}
"""Questions of which a subject says that it is one's own turn, and which,"""
ASIDE = {"exchange", "cession", "annulment", "relic"}
"""and those that somebody puts to a seat aside: of them it says no more than that."""


@pytest.mark.parametrize("game", complete())
def test_every_question_has_a_heading(game: str) -> None:
    words = tomllib.loads((Path(__file__).parents[1] / f"engine/{game}/lore/words.en.toml").read_text("utf-8"))
    assert set(words["ask"]) - OWN[game] - set(POWERS.split()) == set(words["heading"])


@pytest.mark.parametrize("game", complete())
def test_every_question_has_words_for_a_subject(game: str) -> None:
    words = tomllib.loads((Path(__file__).parents[1] / f"engine/{game}/lore/words.en.toml").read_text("utf-8"))
    assert set(words["heading"]) - OF_A_TURN[game] - ASIDE == set(words["subject"])


@pytest.mark.parametrize("game", complete())
def test_a_subject_tells_only_what_everybody_may_know(game: str) -> None:
    """Everything that is hidden from onlookers, or from another seat, is dealt anew: the subject stays what it was."""
    chance, hidden = Chance("redeal"), set[str]()
    for at in _positions(game):
        told = describe(GAMES[game], procedure.ask_of(at.state, at.seat), NAMES, 0)
        for reader in (None, *(other for other in at.seats if other != at.seat)):
            anew = describe(
                GAMES[game], procedure.ask_of(GAMES[game].rules.redeal(at.state, reader, chance), at.seat), NAMES, 0
            )
            assert anew.public == told.public, told.kind
            hidden |= {told.kind} if anew.title != told.title else set()
        assert len(told.public or "") <= LONGEST and not str(told.public).endswith("."), told.public
    assert hidden or game == "ortus"  # or nothing that is hidden was looked at


def _positions(game: str) -> Iterator[Laid]:
    """Positions of recorded games with all their kinds of questions, and some in which purses and Troops are hidden."""
    for seats in GAMES[game].rules.seats:
        if recorded(game, seats):
            yield from questions(game, seats).values()
    if game == "fief":
        hidden = ("3-seats-hidden-deniers", "4-seats-fog-of-war")
        yield from (passing(game, stem, at / 10) for stem in hidden for at in range(1, 10))


@pytest.mark.parametrize("game", complete())
def test_a_heading_is_one_short_sentence(game: str) -> None:
    for seats in GAMES[game].rules.seats:
        for found in questions(game, seats).values() if recorded(game, seats) else ():
            ask = procedure.ask_of(found.state, found.seat)
            heading = describe(GAMES[game], ask, NAMES, 0).heading
            assert heading and len(heading) <= LONGEST and not heading.endswith("."), (ask.kind, heading)


def test_a_defender_is_told_to_defend_and_the_attacker_to_attack() -> None:
    battle = questions("fief", 3)["muster"]
    at = {
        seat: describe(GAMES["fief"], procedure.ask_of(battle.state, seat), NAMES, 0).heading for seat in battle.state.waiting
    }
    assert at[battle.seat] == "You attack Châteauneuf"
    tower = questions("ortus", 4)["defend"]
    ask = procedure.ask_of(tower.state, tower.seat)
    assert describe(GAMES["ortus"], ask, NAMES, 0).heading == f"{NAMES[str(ask.about['attacker'])]} attacks your Towers"
