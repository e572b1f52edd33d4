"""The `writ` command, run as a shell runs it."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.core import procedure
from engine.games import GAMES
from engine.play.match import to_lines
from engine.tools import playout
from service.ops.cli import main
from service.tools import new_game
from tests.contract.walk import finished
from tests.forked import Forked
from tests.once import started_before

ORTUS = GAMES["ortus"]


def writ(*args: str | int | Path) -> Result:
    return CliRunner().invoke(main, [str(a) for a in args])


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a finished two-Earl game."""
    match = finished(ORTUS, 2, 7)
    file = tmp_path_factory.mktemp("logs") / "game.jsonl"
    file.write_text("".join(line + "\n" for line in to_lines(match.header, match.entries)))
    return file


# --- verify -----------------------------------------------------------------------------------------------------------


def test_a_whole_log_is_verified_with_a_sentence(log: Path) -> None:
    result = writ("verify", log)
    assert result.exit_code == 0, result.output
    assert "won." in result.output


def test_a_changed_byte_anywhere_is_found(log: Path, tmp_path: Path) -> None:
    whole = log.read_bytes()
    rng = random.Random(3)
    file = tmp_path / "changed.jsonl"
    for _ in range(40):
        at = rng.randrange(len(whole) - 1)
        changed = bytes([whole[at] ^ (1 << rng.randrange(8))])
        file.write_bytes(whole[:at] + changed + whole[at + 1 :])
        result = writ("verify", file)
        assert result.exit_code == 1, (at, whole[at : at + 1], changed)
        assert result.output.strip() and "Traceback" not in result.output
        assert result.exception is None or isinstance(result.exception, SystemExit), (at, result.exception)


def test_cut_and_reordered_logs_are_found(log: Path, tmp_path: Path) -> None:
    lines = log.read_text().splitlines(keepends=True)
    file = tmp_path / "broken.jsonl"
    for broken in (lines[:-1], lines[:5] + lines[6:], [*lines[:5], lines[6], lines[5], *lines[7:]], [], lines[1:]):
        file.write_text("".join(broken))
        result = writ("verify", file)
        assert result.exit_code == 1 and result.output.strip()
        assert isinstance(result.exception, SystemExit)


def test_a_file_that_is_no_text_gets_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG\xff\xfe")
    assert "Line 1" in writ("verify", file).output


# --- playouts ---------------------------------------------------------------------------------------------------------


def test_playouts_print_one_line_of_figures() -> None:
    result = writ("playout", "--game", "ortus", "--seats", 3, "--games", 5, "--seed", "x")
    assert result.exit_code == 0, result.output
    (line,) = result.output.splitlines()
    figures = json.loads(line)
    assert figures["games"] == 5 and figures["stalls"] == 0 and figures["errors"] == 0
    assert figures["asks"] >= figures["moves"] > 50 and figures["moves_per_second"] > 0


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("bots", ["random", "default", "steady,random"])
def test_games_of_bots_end_at_every_seat_count(seats: int, bots: str) -> None:
    tally = playout.run(ORTUS, seats, 4, "ends", bots.split(","))
    assert (tally.games, tally.stalls, tally.errors) == (4, 0, 0), tally.faults
    assert sum(tally.wins.values()) >= 4


def test_the_same_seed_gives_the_same_games() -> None:
    first, second = (playout.run(ORTUS, 4, 3, "same") for _ in range(2))
    assert (first.moves, first.wins) == (second.moves, second.wins)


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--game", "chess"], "no game called"),
        (["--bots", "clever"], "no bot"),
        (["--seats", "9"], "9"),
    ],
)
def test_a_playout_that_can_not_be_is_refused_with_a_sentence(args: list[str], word: str) -> None:
    result = writ("playout", *args)
    assert result.exit_code != 0 and word in result.output
    assert isinstance(result.exception, SystemExit)


def test_errors_in_a_game_are_counted_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **_more: object) -> None:
        raise KeyError("a card")

    monkeypatch.setattr(procedure, "play", broken)
    tally = playout.run(ORTUS, 2, 2, "x")
    assert (tally.games, tally.errors) == (2, 2)
    assert "KeyError" in tally.faults[0]


# --- positions --------------------------------------------------------------------------------------------------------


@pytest.fixture
def position(tmp_path: Path) -> Path:
    """A position some way into a game, as a file."""
    tally = playout.Tally()
    state = playout.play_one(ORTUS, 3, ["random"], "position", tally)
    file = tmp_path / "position.txt"
    file.write_text(ORTUS.rules.notation.whole(state), encoding="utf-8")
    return file


def test_a_position_is_printed_as_text_and_as_a_seat_sees_it(position: Path) -> None:
    result = writ("position", position, "--seat", "b")
    assert result.exit_code == 0, result.output
    assert "as b sees it" in result.output
    assert position.read_text().strip() in result.output


def test_the_position_after_an_entry_of_a_log_is_printed_and_reads_back(tmp_path: Path) -> None:
    log = Path(__file__).parents[2] / "games/ortus/2-earls-last-falls-by-anchors.jsonl"
    result = writ("position", log, "--entry", "20", "--seat", "b")
    assert result.exit_code == 0, result.output
    assert "# asked of " in result.output and "as b sees it" in result.output
    whole = result.output.partition("\n\n# asked")[0]
    file = tmp_path / "position.txt"
    file.write_text(whole, encoding="utf-8")
    assert writ("position", file, "--seat", "b").output == result.output
    assert "# asked of" not in writ("position", log).output
    assert "There is no entry 9999 here" in writ("position", log, "--entry", "9999").output
    assert "--entry goes with a log" in writ("position", file, "--entry", "1").output


def test_a_seat_that_is_not_there_gets_a_sentence(position: Path) -> None:
    result = writ("position", position, "--seat", "f")
    assert result.exit_code == 1 and "no seat" in result.output


def test_a_text_that_is_no_position_gets_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "nonsense.txt"
    for nonsense in ("", "hello", "ortus: 1\nno such line"):
        file.write_text(nonsense)
        result = writ("position", file)
        assert result.exit_code == 1 and result.output.startswith("Error: ")


# --- starting ---------------------------------------------------------------------------------------------------------


def test_migrate_makes_the_database(tmp_path: Path) -> None:
    env = {**os.environ, "WRIT_DATA_FOLDER": str(tmp_path / "data")}
    done = subprocess.run([sys.executable, "-m", "service.ops.cli", "migrate"], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data" / "writ.db").exists()
    again = Forked(["migrate"], env)
    assert again.communicate(timeout=60)[0].decode() == done.stdout and again.returncode == 0


def test_a_bad_setting_is_named(tmp_path: Path) -> None:
    env = {**os.environ, "WRIT_DATA_FOLDER": str(tmp_path), "WRIT_PORT": "many"}
    done = Forked(["migrate"], env)
    said = done.communicate(timeout=60)[1].decode()
    assert done.returncode == 1
    assert "WRIT_PORT" in said and "Traceback" not in said


def test_a_queue_that_is_not_there_gets_a_sentence() -> None:
    for queues in ("post", "", "play,nothing"):
        result = writ("worker", "--queues", queues)
        assert result.exit_code == 1 and "There is no queue" in result.output and "play, letters" in result.output


@pytest.mark.parametrize(
    "args", [("record", "ortus", "--seats", "2", "--folder"), ("new-game", "foo", "--folder"), ("demo", "--keep")]
)
def test_a_folder_that_can_not_be_made_gets_a_sentence(args: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = writ(*args, tmp_path / "file" / "inner")
    assert result.exit_code == 1 and result.output.endswith("can't be used: Not a directory.\n"), result.output


def test_a_full_disk_gets_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(new_game, "write", full)
    assert writ("new-game", "foo", "--folder", tmp_path).output == "Error: A file can't be used: No space left on device.\n"


def test_every_command_has_help() -> None:
    for name in main.commands:
        result = writ(name, "--help")
        assert result.exit_code == 0 and len(result.output) > 80


# --- the demo ---------------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_a_game_is_played_through_letters_and_links_on_the_embedded_default(tmp_path: Path) -> None:
    """In `make test`, a game is played so on servers, and test_up plays on the embedded default."""
    started_before(tmp_path)
    result = writ("demo", "--seats", 2, "--seed", "test", "--keep", tmp_path)
    last = result.output.strip().splitlines()[-1]
    assert result.exit_code == 0 and last.startswith("demo: ok, "), result.output
    assert writ("verify", tmp_path / "game-1" / "log.jsonl").exit_code == 0


@pytest.mark.services
def test_a_game_is_played_through_letters_and_links_on_servers(tmp_path: Path, postgres_url: str, redis_url: str) -> None:
    started_before(tmp_path)
    args = ["--database", postgres_url, "--broker", redis_url, "--smtp"]
    result = writ("demo", "--seats", 2, "--seed", "test", "--keep", tmp_path, *args)
    last = result.output.strip().splitlines()[-1]
    assert result.exit_code == 0 and last.startswith("demo: ok, "), result.output


# --- what a command loads ---------------------------------------------------------------------------------------------


def _loaded_by(*args: str) -> set[str]:
    """The modules that a command has loaded when it ends."""
    said = "import sys, atexit; atexit.register(lambda: print(*sys.modules)); from service.ops.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", said, *args], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.fixture(scope="module")
def loaded_by_verify(log: Path) -> set[str]:
    return _loaded_by("verify", str(log))


def test_a_log_is_verified_without_loading_the_service(loaded_by_verify: set[str]) -> None:
    assert "engine.play.match" in loaded_by_verify
    assert not {"sqlalchemy", "pydantic", "flask", "celery", "redis", "structlog"} & loaded_by_verify


def test_a_log_is_verified_without_loading_another_game_or_languages(loaded_by_verify: set[str]) -> None:
    others = {f"engine.{name}" for name in GAMES if name != ORTUS.name}
    assert others and not ({"babel", "jinja2"} | others) & loaded_by_verify


def test_the_games_are_listed_without_loading_the_database() -> None:
    assert not {"sqlalchemy", "sqlmodel", "celery", "redis", "alembic"} & _loaded_by("games")


@pytest.mark.parametrize(
    "args",
    [
        ("--help",),
        ("playout", "--help"),
        ("host", "--help"),
        ("host", "games", "--help"),
        ("up", "--help"),
        ("worker", "--help"),
    ],
)
def test_help_loads_neither_the_games_nor_the_service(args: tuple[str, ...]) -> None:
    assert not {"sqlalchemy", "pydantic", "flask", "engine.games", "engine.core.asks", "rich"} & _loaded_by(*args)
