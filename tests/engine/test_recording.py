"""Recording games: whole ones, the same every time, that verify; and never one in the place of another."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.core.asks import NotLegal, NotUnderstood
from engine.core.procedure import Outcome
from engine.game import Game
from engine.games import GAMES
from engine.play.match import OFFER, REVEAL, TABLE, verify
from engine.tools import recording
from engine.tools.recording import Plan
from tests import recorded
from tests.telling import command
from tests.toy_game import FAIR


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_a_recorded_game_verifies_and_is_the_same_every_time(game: Game) -> None:
    one, two = (recording.play(game, Plan(game.rules.seats[0], "7", [game.bots.steward])) for _ in range(2))
    text = recording.text(one)
    verdict = verify(text.splitlines())
    assert verdict.holds and verdict.winners and text == recording.text(two)
    assert text != recording.text(recording.play(game, Plan(game.rules.seats[0], "8", [game.bots.steward])))


def test_offers_are_taken_too() -> None:
    match = recording.play(GAMES["ortus"], Plan(3, "2", ["random"]))
    assert [e for e in match.entries if e.serial == OFFER and e.ask != REVEAL]


def test_proposals_are_answered_in_recorded_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)
    monkeypatch.setattr(recording, "OFFERS", 0.5)
    games = (recording.play(FAIR, Plan(3, str(n))) for n in range(20))
    match = next(m for m in games if any("trade#" in (e.move or "") for e in m.entries))
    assert verify(recording.text(match).splitlines()).holds


def test_what_can_t_be_recorded_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="2 to 6 players"):
        recording.play(GAMES["ortus"], Plan(7, "1"))
    with pytest.raises(NotUnderstood, match="no bot"):
        recording.play(GAMES["ortus"], Plan(2, "1", ["nobody"]))


def test_entries_about_the_table_are_put_in_where_the_plan_says() -> None:
    match = recording.play(GAMES["ortus"], Plan(3, "1", table=["4 a away seat=a", "9 table end reason=rain"]))
    assert [(e.n, e.actor, e.move) for e in match.entries if e.ask == TABLE] == [
        (5, "a", "away seat=a"),
        (10, "table", "end reason=rain"),
    ]
    assert verify(recording.text(match).splitlines()).holds and match.entries[-1].n == 11
    assert match.outcome == Outcome((), "ended")


def test_a_steward_plays_from_the_entry_on_until_the_player_is_back() -> None:
    plan = Plan(2, "1", ["default"], rulings={"MM-AMB-56": "6"}, table=["6 clock kept seat=b", "16 b back seat=b"])
    match = recording.play(GAMES["mastery"], plan)
    marks = [(e.n, e.mark) for e in match.entries if e.actor == "b" and e.serial > 0]
    kept = {n for n, mark in marks if mark == "steward"}
    assert kept and kept == {n for n, _ in marks if 7 < n < 17}
    assert verify(recording.text(match).splitlines()).holds


def test_an_entry_about_the_table_after_the_end_is_refused() -> None:
    with pytest.raises(NotLegal, match=r"ends after .* before “end reason=rain”"):
        recording.play(GAMES["ortus"], Plan(2, "1", table=["9999 table end reason=rain"]))


def test_a_plan_takes_rulings_of_any_kind_and_a_file_and_refuses_others() -> None:
    header = recording.play(GAMES["fief"], Plan(3, "1", variant="play rounds=1", rulings={"FF-MOV-3": "road"})).header
    assert header.rulings["FF-MOV-3"] == "road" != GAMES["fief"].rules.rulings["FF-MOV-3"].default
    with pytest.raises(NotUnderstood, match="FF-MOV-3 can't be"):
        recording.play(GAMES["fief"], Plan(3, "1", rulings={"FF-MOV-3": "sea"}))
    with pytest.raises(NotUnderstood):
        recording.play(GAMES["fief"], Plan(3, "1", file="{"))


def test_a_curious_player_sees_more_than_one_at_random() -> None:
    def kinds(bot: str) -> set[str]:
        match = recording.play(GAMES["mastery"], Plan(2, "1", [bot], rulings={"MM-AMB-56": "6"}))
        assert verify(recording.text(match).splitlines()).holds
        return {e.ask for e in match.entries}

    assert kinds("curious") > kinds("random")


def listed(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> list[recorded.Recorded]:
    (folder / "ortus.toml").write_text(text, "utf-8")
    monkeypatch.setattr(recorded, "FOLDER", folder)
    monkeypatch.setattr(recorded, "RESULTS", folder / "results.txt")
    recorded.listed.cache_clear()
    return recorded.listed()


def test_a_log_that_is_there_is_never_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = listed(tmp_path, '2-short = { seats = 2, seed = "1", table = ["3 host end reason=rain"] }', monkeypatch)
    recorded.main([])
    before, results = one.file.read_bytes(), recorded.results()
    assert verify(one.lines()).holds and results == {"ortus/2-short": recorded.result(one.lines())}
    listed(tmp_path, '2-short = { seats = 2, seed = "2", table = ["4 host end reason=rain"] }', monkeypatch)
    recorded.main([])
    assert one.file.read_bytes() == before and recorded.results() == results
    with pytest.raises(FileExistsError):
        recorded.write(one, recorded.record(one))
    assert one.file.read_bytes() == before and recorded.results() == results
    recorded.listed.cache_clear()


def test_a_key_that_no_plan_has_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="sets"):
        listed(tmp_path, '2-short = { sets = 2, seed = "1" }', monkeypatch)
    recorded.listed.cache_clear()


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
