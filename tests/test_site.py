"""The documentation site: its navigation, and that its pages fetch nothing from other hosts."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.games import GAMES

ROOT = Path(__file__).parents[1]
NAVIGATION = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
ENTRY = re.compile(r"^ +- .+: (\S+\.md)$", re.M)
LOADED = re.compile(r"""(?:src|href)=["']?(?:https?:)?//[^"' >]+|url\((?:https?:)?//[^)]+""")
MOST = 120_000
"""Bytes of a picture."""


def test_every_page_is_in_the_navigation_once_and_none_is_missing() -> None:
    named = ENTRY.findall(NAVIGATION)
    there = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert len(named) == len(set(named)) == NAVIGATION.count(".md")
    assert set(named) == there


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    assert len(pictures) == 3 and all(picture.stat().st_size <= MOST for picture in pictures)


def test_the_reference_has_every_package_of_the_engine_but_games_and_tools() -> None:
    kernel = {path.parent.name for path in (ROOT / "engine").glob("*/__init__.py")} - {*GAMES, "tools", "bots"}
    named = re.findall(r"^::: engine\.(\w+)$", (ROOT / "docs" / "reference.md").read_text("utf-8"), re.M)
    assert set(named) == kernel | {path.stem for path in (ROOT / "engine").glob("[a-z]*.py")}


@pytest.mark.soak
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="`make docs` installs mkdocs")
def test_the_site_is_built_and_fetches_nothing_from_other_hosts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Raises Refused at the first bad entry." in (tmp_path / "site" / "reference.html").read_text("utf-8")
    fetched = {
        found
        for file in (tmp_path / "site").rglob("*")
        if file.suffix in (".html", ".css")
        for tag in re.findall(r"<(?:script|link|img|iframe)[^>]*>|@import[^;]*;|url\([^)]*\)", file.read_text("utf-8"))
        for found in LOADED.findall(tag)
    }
    assert fetched == set()
