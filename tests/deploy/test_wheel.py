"""The package: everything that Writ reads is in the wheel, and it runs in an environment of its own, outside the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest

from service.tools.demo import free_port

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
VERSION = PROJECT["project"]["version"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60)
    return folder / f"writ-{VERSION}-py3-none-any.whl"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `writ` command of a virtual environment with the wheel and, by a .pth file, the packages that are installed here."""
    folder = tmp_path_factory.mktemp("away")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True, timeout=60)
    python = folder / "venv" / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-index", "--no-deps", "--no-compile"]
    subprocess.run([*command, str(wheel)], check=True, timeout=60, cwd=folder)
    packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
    (packages / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "venv" / "bin" / "writ"


def environment(**given: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WRIT_", "PYTHON"))}
    return kept | given


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    listed = subprocess.run(["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no checkout of git")
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert tracked <= names, sorted(tracked - names)
    assert {name.split("/")[0] for name in names} == set(PACKAGES)


def test_unpacked_elsewhere_it_says_its_version(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path)
    assert (tmp_path / f"writ-{VERSION}.dist-info" / "entry_points.txt").read_text().split() == [
        "[console_scripts]", "writ", "=", "service.ops.cli:main"
    ]  # fmt: skip
    command = [sys.executable, "-c", "from service.ops import cli; print(cli.__file__); cli.main()", "--version"]
    env = environment(PYTHONPATH=str(tmp_path))
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    said = [f"{tmp_path}/service/ops/cli.py", f"writ, version {VERSION}"]
    assert (done.stdout.splitlines(), done.returncode) == (said, 0), done.stderr


def test_what_it_needs_is_locked_for_this_version() -> None:
    locked = (ROOT / "requirements.txt").read_text("utf-8")
    for name in (given.split(">")[0].split("[")[0].split(";")[0].strip() for given in PROJECT["project"]["dependencies"]):
        assert f"\n{name.lower()}==" in f"\n{locked}", name
    assert "://" not in locked, "no address to fetch from"


@pytest.mark.soak
def test_it_runs_in_a_folder_of_its_own_and_is_ready(installed: Path, tmp_path: Path) -> None:
    port = free_port()
    with open(tmp_path / "up.log", "wb") as out:
        process = subprocess.Popen(
            [str(installed), "up", "--host", "0.0.0.0"],
            env=environment(WRIT_PORT=str(port), WRIT_SWEEP_SECONDS="1"),
            cwd=tmp_path,
            stdout=out,
            stderr=out,
        )
    try:
        until, said = time.monotonic() + 120, f"Writ is up at http://127.0.0.1:{port}"
        while not (found := ready(port)).get("ready") or said not in (tmp_path / "up.log").read_text():
            assert time.monotonic() < until and process.poll() is None, (found, (tmp_path / "up.log").read_text())
            time.sleep(0.5)
    finally:
        process.terminate()
        assert process.wait(60) == 0
    assert (tmp_path / "data" / "writ.db").exists()


def ready(port: int) -> dict[str, object]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as reply:
            found: dict[str, object] = json.loads(reply.read())
            return found
    except urllib.error.HTTPError as refused:
        return {"ready": False, "said": refused.read().decode()}
    except OSError:
        return {}
