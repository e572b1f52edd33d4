"""axe, which finds what keeps somebody out of a page."""

from __future__ import annotations

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

COLOURS = ["color-contrast", "link-in-text-block"]
"""Rules of axe that look at colours, but for one that is off."""

DARK = pytest.mark.parametrize("dark", [(1280,), pytest.param((1280, 390), marks=pytest.mark.soak)], ids=["desk", "both"])
"""Widths at which a test looks in the dark, too: contrast takes axe as long as all other rules do."""


def violations(page: Page, frames: bool = True) -> list[str]:
    """What axe finds on the page as it stands now: each rule, and the elements that break it."""
    return _found(page, frames)


def in_both_themes(page: Page, frames: bool = True) -> list[str]:
    """What axe finds by light, and of colours in the dark: no other rule depends on the theme, and all take twice as long."""
    found = _found(page, frames)
    page.emulate_media(color_scheme="dark")
    found += [f"dark: {one}" for one in _found(page, frames, runOnly={"type": "rule", "values": COLOURS})]
    page.emulate_media(color_scheme="light")
    return found


def _found(page: Page, frames: bool, **more: object) -> list[str]:
    if not page.evaluate("'axe' in window"):  # a page that is looked at twice has read it already
        page.evaluate(AXE_SCRIPT)
    # And nothing else: to list all that is in order takes three times as long as to look.
    options = {"iframes": frames, "resultTypes": ["violations"], **more}
    found = page.evaluate("(options) => axe.run(options).then((found) => found.violations)", options)
    return [f"{rule['id']}: {[node['html'] for node in rule['nodes']]}" for rule in found]
