"""The turn page of Fief in a real browser: all parts in the first screen, both sizes, both themes; axe finds nothing."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")
axe_module = pytest.importorskip("axe_playwright_python.sync_playwright")

from playwright.sync_api import Page, expect

from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_fief_pages import Table, at, table  # noqa: F401  (fixtures)

pytestmark = pytest.mark.browser


def bottom(page: Page, part: str) -> float:
    box = page.locator(f"[data-part={part}]").first.bounding_box()
    assert box is not None and box["height"] > 0, part
    return box["y"] + box["height"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_keeps_nobody_out(browse: Open, table: Table, scheme: str, width: int) -> None:
    page = browse(table.lay_out(*at(6, "movement")), width=width, scheme=scheme)
    for seats, kind in ((6, "movement"), (6, "vote"), (6, "battle_next"), (3, "purchase")):
        page.goto(table.lay_out(*at(seats, kind)))
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        report = axe_module.Axe().run(page)
        assert report.violations_count == 0, report.generate_report()


def test_all_parts_stand_in_the_first_screen(browse: Open, table: Table) -> None:
    page = browse(table.lay_out(*at(6, "movement")), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert all(bottom(page, part) <= 800 for part in ("bar", "question", "board", "hand", "log"))
    families = page.locator(".f-family")
    assert families.count() == 6
    for n in range(6):
        box = families.nth(n).bounding_box()
        assert box is not None and box["y"] + box["height"] <= 801
    for name in page.locator(".f-village").all():
        box = name.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 930


def test_a_village_is_chosen_on_the_chart(browse: Open, table: Table) -> None:
    seat, state = at(6, "movement")
    page = browse(table.lay_out(seat, state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("[data-part=question] details.option > summary").first.click()
    lord = page.locator(".f-lords [data-value].can").first
    code = lord.get_attribute("data-value") or ""
    lord.click()
    expect(page.locator(f'[data-part=question] [name$="__lords__{code}"]').first).to_be_checked()
    village = page.locator(".f-village.can").first
    to = village.get_attribute("data-value") or ""
    village.click(position={"x": 40, "y": 40})
    expect(page.locator('[data-part=question] [name$="__to"]').first).to_have_value(to)
