"""Time in a real browser: its zone is filled in, relative times stay true, and four links that are opened at once come in."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Browser, expect

from tests.service.web.axe import violations
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_clock import game  # noqa: F401  (fixtures)
from tests.service.web.test_link_seats import opened

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("WRIT_SHOTS", "")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_browsers_zone_stands_in_the_field_and_can_be_changed(
    browser: Browser, address: str, anna: Visitor, width: int
) -> None:
    cleo = Visitor(anna.client.application.test_client(), anna.settings, "cleo@example.org")
    cleo.post("/sign-in", {"email": cleo.email})
    link = cleo.link("sign_in", "in")
    context = browser.new_context(base_url=address, timezone_id="America/Los_Angeles", viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(link)
    zone = page.get_by_label("Your time zone")
    expect(zone).to_have_value("America/Los_Angeles")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"door-{width}.png"))
    zone.fill("Europe/Vienna")
    page.get_by_label("Your name at the table").fill("Cleo")
    page.get_by_role("button", name="Sign in").click()
    page.goto("/account/rhythm")
    expect(page.get_by_label("Time zone")).to_have_value("Europe/Vienna")
    context.close()


def test_a_page_that_lies_open_tells_how_long_it_is_now(browse: Open, game: str) -> None:
    page = browse("about:blank", fresh=True)
    page.clock.install()
    page.goto(f"{game}/table")
    due = page.locator("time[data-until]")
    before = due.inner_text()
    found = re.fullmatch(r"in (\d+) h", before)
    assert found is not None and before in page.title()
    page.clock.fast_forward("05:00:00")
    expect(due).to_have_text(f"in {int(found[1]) - 5} h")
    assert f"in {int(found[1]) - 5} h" in page.title() and before not in page.title()
    page.clock.fast_forward(72 * 3600 * 1000)
    expect(due).to_have_text("now")


@pytest.mark.parametrize("width", [1280, 390])
def test_four_windows_of_a_browser_without_cookies_come_in_at_once(
    browse: Open, anna: Visitor, bert: Visitor, width: int
) -> None:
    games = opened(anna, bert, [f"War {n}" for n in range(4)])
    first = browse("about:blank", width=width, signed_in=False)
    pages = [first, *(first.context.new_page() for _ in range(3))]
    for page in pages:
        page.goto("/help")
    first.context.clear_cookies()
    for page, link in zip(pages, games.values(), strict=True):
        page.evaluate("(to) => { setTimeout(() => location.assign(to), 50); }", link)
    for page, path in zip(pages, games, strict=True):
        page.wait_for_url(f"**{path}/table")
        expect(page.locator("[data-part=question]")).to_be_visible()
    for page in pages:
        page.reload()
        expect(page.locator("[data-part=question]")).to_be_visible()
    page = pages[0]
    page.goto("/games")
    expect(page.locator("main a[href$='/table']")).to_have_count(4)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"links-{width}.png"))
