"""The pages of clock and rhythm in a real browser: on a phone and a desk, in both themes."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")
axe_module = pytest.importorskip("axe_playwright_python.sync_playwright")

from tests.web.conftest import Visitor  # noqa: E402
from tests.web.test_browser import Open, address, browse  # noqa: E402, F401  (fixtures)
from tests.web.test_clock import game  # noqa: E402, F401  (a fixture)

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_clock_and_rhythm_fit_and_keep_nobody_out(
    browse: Open,  # noqa: F811
    game: str,  # noqa: F811
    bert: Visitor,
    width: int,
    scheme: str,
) -> None:
    bert.post(f"{game}/votes", {"kind": "pause", "days": "3"})
    for path in (f"{game}/clock", "/account/rhythm"):
        page = browse(path, width=width, scheme=scheme)
        for summary in page.locator("main details > summary").all():
            summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = axe_module.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
