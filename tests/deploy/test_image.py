"""The image, where a Docker daemon runs: it is built, and a game is played to its end in a read-only container."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
TAG = "writ-test:soak"
BASE = next(line.split()[1] for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines() if line.startswith("FROM"))
RESTRICTED = ["--rm", "--init", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]


def docker(*words: str, seconds: int = 600) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["docker", *words], capture_output=True, text=True, timeout=seconds, cwd=ROOT, check=False)


@pytest.fixture(scope="module")
def image() -> str:
    if shutil.which("docker") is None or docker("info", "--format", "{{.ServerVersion}}", seconds=30).returncode:
        pytest.skip("no Docker daemon answers here")
    if docker("image", "inspect", BASE).returncode and docker("pull", "--quiet", BASE).returncode:
        pytest.skip(f"the base image {BASE} can't be fetched here")
    built = docker("build", "--quiet", "--tag", TAG, ".", seconds=1800)
    assert built.returncode == 0, built.stderr
    return TAG


@pytest.mark.soak
def test_it_says_its_version_and_has_no_compiler_and_no_root(image: str) -> None:
    assert docker("run", *RESTRICTED, image, "--version").stdout == f"writ, version {VERSION}\n"
    assert docker("run", *RESTRICTED, "--entrypoint", "id", image, "-u").stdout == "10001\n"
    for program in ("gcc", "cc", "make", "curl"):
        assert docker("run", *RESTRICTED, "--entrypoint", "which", image, program).returncode != 0, program


@pytest.mark.soak
def test_a_game_is_played_in_it_to_the_end(image: str) -> None:
    played = docker("run", *RESTRICTED, image, "demo", "--game", "mastery", "--seats", "2", seconds=1800)
    assert played.returncode == 0, played.stdout + played.stderr


@pytest.mark.soak
def test_it_becomes_healthy_and_stops_at_a_signal(image: str) -> None:
    started = docker("run", "--detach", *RESTRICTED, image, "up", "--host", "0.0.0.0", "--no-first-game")
    name = started.stdout.strip()
    assert started.returncode == 0, started.stderr
    try:
        waited = docker(
            "exec", name, "sh", "-c", "for n in $(seq 60); do python -I /opt/writ/healthcheck.py "
            "http://127.0.0.1:8080/readyz && exit 0; sleep 2; done; exit 1", seconds=300,
        )  # fmt: skip
        assert waited.returncode == 0, docker("logs", name).stdout
    finally:
        stopped = docker("stop", "--time", "60", name, seconds=120)
    assert stopped.returncode == 0
