"""What the pages in docs/ name is there, and none is longer than two screens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.settings import FROM_FILES, PREFIX, Settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
PLACE = re.compile(r"`((?:docs|engine|migrations|service|templates|tests|workers|bench)/[\w./-]*)`")
STANDS_FOR = re.compile(r"/(GAME|ID|N)\b")
"""What a reader puts his own into."""
LONGEST = {"adding-a-game.md": 150}
"""Pages that hold a whole program; all others are at most two screens."""
TWO_SCREENS = 90


@pytest.mark.parametrize("document", PAGES, ids=lambda file: file.name)
def test_what_a_page_names_is_there(document: Path) -> None:
    text = document.read_text("utf-8")
    named = [document.parent / link for link in LINK.findall(text)] + [
        ROOT / p for p in PLACE.findall(text) if not STANDS_FOR.search(p)
    ]
    assert [str(place) for place in named if not place.exists()] == []


@pytest.mark.parametrize("document", [p for p in PAGES if p.parent == ROOT / "docs"], ids=lambda file: file.name)
def test_a_page_is_two_screens_long(document: Path) -> None:
    assert len(document.read_text("utf-8").splitlines()) <= LONGEST.get(document.name, TWO_SCREENS)


def test_the_page_of_settings_lists_each_once() -> None:
    text = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `(WRIT_\w+)` \|", text, re.M)) == sorted(
        PREFIX + name.upper() for name in Settings.model_fields
    )
    assert set(re.findall(r"`(WRIT_\w+_FILE)`", text)) == {f"{PREFIX}{name.upper()}_FILE" for name in FROM_FILES}
