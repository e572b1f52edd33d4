"""Recording games: whole ones, the same every time, that verify; and never one in the place of another."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.asks import NotUnderstood
from engine.game import Game
from engine.games import GAMES
from engine.match import OFFER, REVEAL, verify
from engine.tools import recording
from tests.telling import command
from tests.toy_game import FAIR


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_a_recorded_game_verifies_and_is_the_same_every_time(game: Game) -> None:
    one, two = (recording.record(game, game.least, "7", [game.steward]) for _ in range(2))
    text = recording.text(one)
    verdict = verify(text.splitlines())
    assert verdict.holds and verdict.winners and text == recording.text(two)
    assert text != recording.text(recording.record(game, game.least, "8", [game.steward]))


def test_offers_are_taken_too() -> None:
    match = recording.record(GAMES["ortus"], 3, "2", ["random"])
    assert [e for e in match.entries if e.serial == OFFER and e.ask != REVEAL]


def test_proposals_are_answered_in_recorded_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)
    monkeypatch.setattr(recording, "OFFERS", 0.5)
    games = (recording.record(FAIR, 3, str(n)) for n in range(20))
    match = next(m for m in games if any("trade#" in (e.move or "") for e in m.entries))
    assert verify(recording.text(match).splitlines()).holds


def test_what_can_t_be_recorded_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="2 to 6 players"):
        recording.record(GAMES["ortus"], 7, "1")
    with pytest.raises(NotUnderstood, match="no bot"):
        recording.record(GAMES["ortus"], 2, "1", ["nobody"])


def took(*words: str) -> Result:
    return CliRunner().invoke(command(), ["record", *words])


def test_the_command_writes_a_file_for_each_number_of_seats_and_leaves_those_that_are_there(tmp_path: Path) -> None:
    one = took("mastery", "--seats", "2", "--folder", str(tmp_path), "--variant", "play rules=[skirmish]")
    assert one.exit_code == 0, one.output
    (file,) = tmp_path.glob("mastery/*.jsonl")
    assert file.name.startswith("2-seats-") and verify(file.read_text("utf-8").splitlines()).holds
    before = file.read_bytes()
    again = took("mastery", "--seats", "2", "--folder", str(tmp_path), "--variant", "play rules=[skirmish]")
    assert again.exit_code == 1 and "stays" in again.output and file.read_bytes() == before
    assert took("ortus", "--bots", "random", "--name", "quick", "--folder", str(tmp_path)).exit_code == 0
    assert {f.name for f in tmp_path.glob("ortus/*")} == {f"{n}-seats-quick.jsonl" for n in range(2, 7)}
