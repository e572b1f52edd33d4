"""Letters and pages of three games that are told from beginning to end read as they did before, word by word.

A game stands in `tests/told/NAME.game` as a script of what its people do (see `tests.telling`); what they came to read then
stands beside it, in `NAME.letters.txt` and `NAME.pages.txt`. After a change that was meant to change words, write both anew

    WRIT_TELL_ANEW=1 .venv/bin/python -m pytest tests/test_words_stay.py

and read the difference that git shows before you keep it: every changed line is one that players will see changed. A change
that was not meant to change any word needs none of that, and has a fault if it seems to. Where a new ruling makes an answer
of a script illegal, put a legal one in its line.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest
import time_machine

from engine.game import Trait
from engine.games import GAMES as KNOWN
from service.web import create_app
from tests.telling import Telling, house_in

TOLD = Path(__file__).with_name("told")
GAMES = sorted(TOLD.glob("*.game"))


@pytest.mark.parametrize("game", GAMES, ids=lambda file: file.stem)
def test_letters_and_pages_read_as_before(
    game: Path,
    tmp_path: Path,
    empty_sqlite: Path,
    clock: time_machine.Traveller,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for small in [name for name, known in KNOWN.items() if Trait.COMPLETE not in known.rules.checks.traits]:
        monkeypatch.delitem(KNOWN, small)
    settings = house_in(tmp_path, empty_sqlite)
    app = create_app(settings)
    telling = Telling(app, settings, clock, monkeypatch, seed=f"{game.stem} told")
    telling.play(game.read_text("utf-8").splitlines())
    faults = [
        *compared(game.with_suffix(".letters.txt"), telling.letters),
        *compared(game.with_suffix(".pages.txt"), telling.pages),
    ]
    assert not faults, "what is read has changed:\n" + "\n".join(faults)


def compared(file: Path, lines: list[str]) -> list[str]:
    """How the lines differ from what is kept in the file; nothing when they are written anew."""
    if os.environ.get("WRIT_TELL_ANEW") == "1":
        file.write_text("\n".join(lines) + "\n", "utf-8")
        return []
    kept = file.read_text("utf-8").splitlines()
    return list(difflib.unified_diff(kept, lines, f"kept in {file.name}", "read now", lineterm="", n=4))[:200]
