"""axe, which finds what keeps somebody out of a page."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page


def violations(page: Page, frames: bool = True) -> list[str]:
    """What axe finds on the page as it stands now: each rule, and the elements that break it."""
    if not page.evaluate("'axe' in window"):  # a page that is looked at twice has read it already
        page.evaluate(AXE_SCRIPT)
    # And nothing else: to list all that is in order takes three times as long as to look.
    options = {"iframes": frames, "resultTypes": ["violations"]}
    found = page.evaluate("(options) => axe.run(options).then((found) => found.violations)", options)
    return [f"{rule['id']}: {[node['html'] for node in rule['nodes']]}" for rule in found]
