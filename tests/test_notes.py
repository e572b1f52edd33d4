"""Notes of first games: one for each kind of question, short, and silent about what can't be done."""

from __future__ import annotations

import re
from itertools import product

import pytest

from engine.core import procedure
from engine.games import GAMES
from engine.ui.forms import describe
from tests.tables import NAMES, complete, questions, recorded
from tests.test_headings import ASIDE

LONGEST = 200
CARDS = {"Church", "Fracture", "Intrigue", "Lord", "Monks", "Property", "Towers", "Treachery"}
"""Verbs called like what they play: a note may name a card."""
SENTENCE_END = re.compile(r"[.?!](?= |$)")


@pytest.mark.parametrize("game", complete())
def test_every_kind_of_question_has_a_note(game: str) -> None:
    words = GAMES[game].words
    noted = {key.partition("-")[0] for key in words.catalogue.keys("note")}
    assert noted == set(words.catalogue.keys("heading")) - ASIDE - {"deck_role"}, "a deck for a role is a deck"


@pytest.mark.parametrize("game", complete())
def test_a_note_has_two_short_sentences_and_names_no_verb_unless_it_can_be_chosen(game: str) -> None:
    catalogue = GAMES[game].words.catalogue
    verbs = {catalogue.text("verb", key) for key in catalogue.keys("verb")}
    for key, seats in product(catalogue.keys("note"), GAMES[game].rules.seats):
        text = catalogue.text("note", key, {"seats": seats})
        assert len(text) <= LONGEST and len(SENTENCE_END.findall(text)) <= 2, (key, len(text))
        named = {word for word in re.findall(r"\w+", text) if word in verbs - CARDS}
        _, speaks_of, option = key.partition("-")
        assert not named or speaks_of, (key, named)
        assert not speaks_of or catalogue.has("option", option), key


@pytest.mark.parametrize("game", complete())
def test_questions_of_recorded_games_have_notes_by_what_can_be_chosen(game: str) -> None:
    found = set[str]()
    for seats in GAMES[game].rules.seats:
        for at in questions(game, seats).values() if recorded(game, seats) else ():
            form = describe(GAMES[game], procedure.ask_of(at.state, at.seat), NAMES, 0)
            found.add(GAMES[game].words.note(form.kind, {option.id for option in form.options}, seats))
    assert "" not in found and len(found) > 5


def test_the_note_on_marriages_has_the_rule_of_this_table() -> None:  # FF-MAR-9
    three, four, six = (GAMES["fief"].words.note("court", {"refuse"}, seats) for seats in (3, 4, 6))
    assert "allies: everybody wins alone" in three and "four points" not in three
    assert "together, with four points" in four == six and "three" not in four
