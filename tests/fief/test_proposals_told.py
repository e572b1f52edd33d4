"""One's own proposals read from one's own side (FF-DIP-3, FF-CTL-4)."""

from __future__ import annotations

import pytest

from engine.core.asks import Answer, Ask, Option
from engine.fief import FIEF

NAMES = {"a": "Anna", "b": "Bert"}
VILLAGE = "C1"


@pytest.mark.parametrize(("option", "begins"), [("withdraw", "You cede "), ("accept", "Anna cedes ")])
def test_a_cession_reads_from_the_side_of_its_reader(option: str, begins: str) -> None:
    ask = Ask("a", "cession", (Option(option),), Answer(option), "", {"by": "a", "to": ["b"], "village": VILLAGE})
    title = FIEF.words.labels.title(ask, NAMES)
    assert title.startswith(begins) and title.endswith("to Bert." if option == "withdraw" else "to you.")
