"""A neighbour on the same machine, and somebody with a copy of the data but without the key."""

from __future__ import annotations

import os
import random
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from engine.core.asks import NotUnderstood
from engine.play.match import verify
from service.common.folder import OTHERS
from service.ops import reencryption, up
from service.replay import replay_copy
from service.settings import Settings
from service.store import broker
from service.store.database import engine_for, open_session
from tests.forked import Forked
from tests.service.conftest import Players, open_table, sent, settings

__all__ = ["sent", "settings"]  # fixtures


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(folder: Path, **more: str) -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("WRIT_")}
    return env | {"WRIT_DATA_FOLDER": str(folder), "WRIT_PORT": str(free_port()), "PYTHONUNBUFFERED": "1", **more}


def writ(folder: Path, *args: str, **more: str) -> subprocess.Popen[str]:
    """A command in a process of its own, with a umask that lets everybody read."""
    run = [sys.executable, "-c", "import os, sys; os.umask(0o022); from service.ops.cli import main; main(sys.argv[1:])", *args]
    out, env = subprocess.PIPE, environment(folder, **more)
    return subprocess.Popen(run, env=env, stdout=out, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def forked(folder: Path, *args: str, **more: str) -> str:
    """What a command prints that ends well, in a fork with such a umask."""
    before = os.umask(0o022)
    try:
        process = Forked(args, environment(folder, **more))
    finally:
        os.umask(before)
    said = b"".join(process.communicate(timeout=60)).decode()
    assert process.returncode == 0, said
    return said


def open_to_others(folder: Path) -> dict[str, str]:
    """Whatever others may read, write or enter, with its mode."""
    found = {}
    for path in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & OTHERS and not path.is_symlink():
            found[str(path.relative_to(folder))] = oct(mode)
    return found


def test_nothing_in_the_data_folder_is_open_to_others_while_the_service_runs(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for name in ("new", "cur", "tmp"):
        (folder / "mail" / name).mkdir(parents=True)
    # As an older Writ has left it.
    (folder / "mail" / "new" / "1.letter").write_text("Subject: of old\n\n")
    (folder / "secret-key").write_text("0123456789abcdef" * 4)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    port = free_port()
    running = writ(folder, "up", WRIT_PORT=str(port), WRIT_SWEEP_SECONDS="0.5")
    try:
        assert up.answers(f"http://127.0.0.1:{port}/healthz")
        assert up.answers(f"http://127.0.0.1:{port}/readyz")
        until = time.monotonic() + 60
        while len(list((folder / "mail" / "new").iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.2)
        names = {path.name for path in folder.rglob("*")}
        assert {"writ.db", "writ.db-wal", "writ.db-shm", "valkey.sock", "lock", "secret-key"} <= names
        assert len(list((folder / "mail" / "new").iterdir())) > 1  # a letter was sent
        found = open_to_others(folder)
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        said = running.communicate(timeout=60)[0]
    print(f"{len(names)} files and folders looked at, {len(found)} open to others")
    assert found == {} and open_to_others(folder) == {}
    assert "data was open to others" in said


@pytest.mark.parametrize("url", ["", "sqlite:///{}/elsewhere.db"])
def test_a_fresh_folder_and_what_commands_write_are_their_owners_alone(tmp_path: Path, url: str) -> None:
    folder = tmp_path / "house" / "data"
    folder.parent.mkdir()
    database = url.format(folder.parent)
    for args in (["migrate"], ["host", "backup", str(folder.parent / "all.zip")]):
        forked(folder, *args, WRIT_DATABASE_URL=database)
    found = open_to_others(folder.parent)
    assert set(found) <= {"."}  # which was made by the test
    assert database == "" or (folder.parent / "elsewhere.db").exists()


def test_a_database_elsewhere_that_others_may_read_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.db"
    file.touch(0o644)
    file.chmod(0o644)
    said = forked(tmp_path / "data", "migrate", WRIT_DATABASE_URL=f"sqlite:///{file}")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and "data was open to others" in said


def test_a_folder_of_somebody_else_is_said_and_nothing_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from service.common import folder as folders

    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o755)
    theirs.chmod(0o755)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError("not the owner")

    monkeypatch.setattr(Path, "chmod", refused)
    folders.make_private(theirs)
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o755


@pytest.mark.parametrize("games", [2, pytest.param(12, marks=pytest.mark.soak)])
def test_a_key_is_changed_while_people_play(settings: Settings, sent: list[tuple[str, ...]], games: int) -> None:
    """Nobody who plays meanwhile is refused, nothing is lost, and the old key is needed no more."""
    both = settings.model_copy(update={"secret_keys": ("a-new-key", *settings.keys)})
    tables = [open_table(settings) for _ in range(games)]
    for table in tables:
        table.adjudicate()
    stop, problems = threading.Event(), []

    def play(players: Players) -> None:
        rng = random.Random(players.match_id)
        try:
            while not stop.is_set():
                for seat in players.asked():
                    players.submit(seat, rng)
                    players.adjudicate()
        except Exception as problem:
            problems.append(problem)

    hands = [threading.Thread(target=play, args=(Players(both, table.match_id),)) for table in tables]
    for hand in hands:
        hand.start()
    done, passes = 0, 0
    while passes < 3 or (games > 2 and passes < 30):
        done, passes = done + reencryption.reencrypt(both).done, passes + 1
    stop.set()
    for hand in hands:
        hand.join()
    assert not problems
    assert reencryption.reencrypt(both).undecryptable == 0
    alone = settings.model_copy(update={"secret_keys": ("a-new-key",)})
    for n, table in enumerate(tables):
        moved, rng = Players(alone, table.match_id), random.Random(7)
        if n and games == 2:  # one game to its end is enough; the soak run plays them all
            with open_session(alone) as session:
                over = moved.match(session).outcome is not None  # on a slow machine it was played to its end meanwhile
            assert over or moved.asked()
            for seat in moved.asked():
                key = moved.submit(seat, rng)
                moved.adjudicate()
                assert moved.status(key) == "accepted"
            continue
        moved.finish(rng)
        with open_session(alone) as session:
            assert verify(replay_copy.download(session, moved.match(session), None)).holds
    print(f"{games} games, {passes} passes, {done} values encrypted again")
    engine_for(both).dispose()
    engine_for(alone).dispose()


def test_a_socket_that_lies_elsewhere_lies_in_a_folder_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name can be foretold, so a neighbour may have been there first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    long = Settings(data_folder=tmp_path / ("x" * 90), secret_keys=("a-key-for-tests-of-32-letters-and-more",))
    folder = broker.socket_path(long).parent
    assert folder.parent == tmp_path and stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert broker.socket_path(long).parent == folder
    folder.chmod(0o755)
    with pytest.raises(NotUnderstood, match="not this user's alone"):
        broker.socket_path(long)
    folder.rmdir()
    folder.symlink_to("/")
    with pytest.raises(NotUnderstood):
        broker.socket_path(long)
