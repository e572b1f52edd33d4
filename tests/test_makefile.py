"""`make install`, with a Python that only pretends: which one is refused, what is said, and which .venv is made again."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PRETENDS = """#!/bin/sh
# Version {version}. Makes a .venv that holds itself, and installs nothing.
case "$*" in
  *"import ensurepip"*) exit {venv} ;;
  *"import pip"*) case "$*" in *'"{version}"'*) exit 0 ;; *) exit 1 ;; esac ;;
  *"import sys"*) {says} ;;
  "-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *"pip"*) echo "Collecting everything"; exit {pip} ;;
esac
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def python(folder: Path, version: str, says: str = "", venv: int = 0, pip: int = 0) -> Path:
    found = folder / f"python{version}"
    says = says or f"echo {version}"
    found.write_text(PRETENDS.format(version=version, says=says, venv=venv, pip=pip))
    found.chmod(0o755)
    return found


def make(folder: Path, python: object, target: str = "install") -> tuple[int, str]:
    done = subprocess.run(
        ["make", "-C", str(folder), "--no-print-directory", target, f"PYTHON={python}"],
        capture_output=True,
        text=True,
        timeout=60,
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
    )
    return done.returncode, done.stdout + done.stderr


def test_an_older_python_is_refused_in_a_sentence_before_anything_is_made(folder: Path) -> None:
    for given in (python(folder, "3.10", says="exit 1"), folder / "nowhere", ""):
        code, said = make(folder, given)
        assert code == 2 and said.startswith("Writ needs Python 3.11 or newer, and "), said
        assert "make PYTHON=/path/to/python3.11" in said
        assert not (folder / ".venv").exists()


def test_a_python_without_venv_is_named(folder: Path) -> None:
    code, said = make(folder, python(folder, "3.12", venv=1))
    assert code == 2 and "apt install python3.12-venv" in said and not (folder / ".venv").exists()


def test_each_step_is_said_while_it_installs(folder: Path) -> None:
    code, said = make(folder, python(folder, "3.12"))
    assert code == 0, said
    lines = [line for line in said.splitlines() if line[0].isdigit() or line == "Installed."]
    assert [line.split()[0] for line in lines] == ["1/3", "2/3", "3/3", "Installed."]
    assert "Python 3.12" in lines[0] and "Collecting everything" in said, "and what pip says is not kept back"
    assert make(folder, python(folder, "3.12")) == (0, "make: Nothing to be done for 'install'.\n")


def test_a_venv_of_another_python_or_half_a_one_is_made_again(folder: Path) -> None:
    assert make(folder, python(folder, "3.11"))[0] == 0
    kept = folder / ".venv" / "of the old one"
    kept.touch()
    (folder / "pyproject.toml").touch()
    code, said = make(folder, folder / "python3.11")
    assert code == 0 and kept.exists() and "made again" not in said, "of the same version it is kept"
    code, said = make(folder, python(folder, "3.12"))
    assert code == 0 and "of another Python: it is made again" in said and not kept.exists()
    assert (folder / ".venv" / "installed-3.12").exists() and not (folder / ".venv" / "installed-3.11").exists()
    (folder / ".venv" / "installed-3.12").unlink()
    (folder / ".venv" / "bin" / "python").unlink()
    code, said = make(folder, folder / "python3.12")
    assert code == 0 and "unfinished" in said


def test_what_fails_is_tried_again_the_next_time(folder: Path) -> None:
    code, said = make(folder, python(folder, "3.11", pip=1))
    assert code == 2 and "Installed." not in said and not list((folder / ".venv").glob("installed*"))
    assert make(folder, python(folder, "3.11"))[0] == 0
