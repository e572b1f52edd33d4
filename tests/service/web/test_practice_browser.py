"""Against bots in a real browser: from the home page to a table, with and without scripts, on a desk and a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Page, expect
from sqlmodel import select

from engine.asks import read
from service.games import seat_view, submissions
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Match, new_id
from tests.service.web.axe import in_both_themes
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)

pytestmark = pytest.mark.browser


def until_the_turn(settings: Settings) -> int:
    """Answer what bots that begin ask with the default; returns how often. No seed decides it, for bots draw anew."""
    answered = 0
    while True:
        with transaction(settings) as session:
            match = session.exec(select(Match)).one()
            view = seat_view.load(session, match, "a")
            assert view is not None and view.form is not None
            if any(option.id == "march" for option in view.form.options):
                return answered
            submissions.submit(session, match, "a", new_id(), view.form.serial, view.form.kind, read(view.form.default))
        answered += 1


@pytest.mark.parametrize(("width", "scripts"), [(1280, True), (390, False)])
def test_from_the_home_page_to_a_committed_march(browse: Open, settings: Settings, width: int, scripts: bool) -> None:
    page: Page = browse("/", width, scripts=scripts, signed_in=False, fresh=True)
    button = page.get_by_role("button", name="Play Medieval Mastery")
    box = button.bounding_box()
    assert box is not None and box["y"] + box["height"] < 844 and box["height"] >= 40, "in the first screen"
    if scripts:
        assert in_both_themes(page) == []
    button.click()
    question = page.locator("[data-part=question]")
    expect(question).to_contain_text("Keep this game")
    if until_the_turn(settings):
        page.reload()
    actions: list[Callable[[], object]] = [question.locator("summary", has_text="March").first.click]
    if scripts:
        actions += [page.locator("[data-part=board] .legal").first.click]
        actions += [question.get_by_role("button", name="March with 1").click]
    else:
        actions += [lambda: question.locator("select").first.select_option(index=1)]
        actions += [lambda: question.locator("input[type=number]").first.fill("1")]
        actions += [question.get_by_role("button", name="Redistribute and march").first.click]
    assert len(actions) < 5
    for act in actions:
        act()
    expect(page.locator("[data-part=log]")).to_contain_text("Guest advances into")
    if scripts:
        page.get_by_text("Keep this game").click()
        assert in_both_themes(page) == []
