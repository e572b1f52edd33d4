"""The page of a finished game in a real browser: both sizes, both themes, large text, keyboard, no scripts."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import expect
from sqlmodel import select

from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account
from tests.service.web.axe import in_both_themes, violations
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.tables import LONG_NAMES, lay, whole

pytestmark = pytest.mark.browser


def laid_out(anna: Visitor, settings: Settings, game: str, stem: str) -> str:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        return lay(session, account, whole(game, stem), names=LONG_NAMES, logged=True).replace("table", "result")


@pytest.mark.parametrize(
    ("game", "stem"),
    [
        ("ortus", "6-earls-with-roles-last-falls-by-deck"),
        ("mastery", "6-lords-teams-of-3-points"),
        ("mastery", "2-lords-siege"),
        ("fief", "6-seats-allied-by-the-crown"),
    ],
)
def test_axe_finds_nothing_and_nothing_overflows_also_with_large_text(
    browse: Open, anna: Visitor, settings: Settings, game: str, stem: str
) -> None:
    page = browse(laid_out(anna, settings, game, stem))
    page.locator(".as-table summary").click()
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert (in_both_themes(page) if width == 1280 else violations(page)) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "with root text of 200 %"
        cut = "all => all.filter((x) => x.scrollWidth > x.clientWidth + 1).map((x) => x.outerHTML)"
        assert (
            page.locator(".result :is(h1, h2, p, li, dt, dd, .button, button):not(.visually-hidden)").evaluate_all(cut) == []
        ), width
        page.evaluate("document.documentElement.style.fontSize = ''")


def test_names_in_the_plot_do_not_cover_each_other(browse: Open, anna: Visitor, settings: Settings) -> None:
    page = browse(laid_out(anna, settings, "ortus", "6-earls-last-falls-by-anchors"))
    boxes = page.locator(".plot .name").evaluate_all(
        "all => all.map((x) => x.getBoundingClientRect()).map((b) => [b.top, b.bottom, b.right])"
    )
    frame = page.locator(".plot").bounding_box()
    assert frame is not None and len(boxes) == 6
    tops = sorted(boxes)
    assert all(one[1] <= other[0] + 3 for one, other in pairwise(tops))
    assert all(
        frame["y"] <= top and bottom <= frame["y"] + frame["height"] and right <= frame["x"] + frame["width"]
        for top, bottom, right in boxes
    )


def test_by_keyboard_and_without_scripts_the_rematch_comes_first_and_a_sentence_opens_the_replay(
    browse: Open, anna: Visitor, settings: Settings
) -> None:
    path = laid_out(anna, settings, "fief", "3-seats-alone")
    page = browse(path, scripts=False)
    page.locator(".hero .eyebrow a").focus()
    page.keyboard.press("Tab")
    assert page.locator(".hero form button").inner_text() == page.evaluate("document.activeElement.textContent")
    page.locator(".as-table summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".as-table table")).to_be_visible()
    told = page.locator(".told a").first
    n = (told.get_attribute("href") or "").partition("n=")[2]
    told.press("Enter")
    expect(page).to_have_url(re.compile(rf"/replay\?n={n}$"))
    expect(page.locator("h2").first).to_contain_text(f"Entry {n} of")
