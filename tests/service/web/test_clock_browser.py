"""The pages of clock and rhythm in a real browser: on a phone and a desk, in both themes."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from sqlmodel import select

from service.settings import Settings
from service.store.database import transaction
from service.store.models import Match, SeatRow
from service.table import notices
from tests.service.web.axe import in_both_themes
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_clock import game  # noqa: F401  (fixtures)

pytestmark = pytest.mark.browser


def announce(settings: Settings) -> None:
    """Announce that the seat of the visitor goes to somebody else, and the end of the game."""
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        notices.announce(session, match, "replace", session.get_one(SeatRow, (match.id, "a")), "host", {"email": ""})
        notices.announce(session, match, "end", None, "a", {"reason": "Half of us are at sea until the spring."})


@pytest.mark.parametrize("width", [1280, 390])
def test_clock_and_rhythm_fit_and_keep_nobody_out(
    browse: Open,
    game: str,
    bert: Visitor,
    settings: Settings,
    width: int,
) -> None:
    bert.post(f"{game}/votes", {"kind": "pause", "days": "3"})
    announce(settings)
    for path in (f"{game}/clock", f"{game}/table", "/account/rhythm"):
        page = browse(path, width=width)
        page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert in_both_themes(page) == []
