"""Opened logs and shared replays in a real browser: dropped, chosen without scripts, by keyboard; axe is silent."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Page, expect

from service.settings import Settings
from service.store import broker
from tests.service.web.axe import in_both_themes
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_open_log import FIEF, LOG, send
from tests.service.web.test_replay import over  # noqa: F401  (fixture)
from tests.service.web.test_sharing import shared

pytestmark = pytest.mark.browser

DROP = """([text, name]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name));
  const form = document.querySelector("[data-drop]");
  for (const kind of ["dragover", "drop"]) {
    form.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture(autouse=True)
def kept_by(settings: Settings) -> Iterator[None]:
    server = subprocess.Popen(broker.command(settings))
    while not broker.answers(settings):
        time.sleep(0.02)
    yield
    server.terminate()
    server.wait()


def sound(page: Page) -> None:
    """Nothing that axe finds, and nothing wider than the window, in both sizes."""
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
        assert in_both_themes(page) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_dropped_log_is_opened_and_walked(browse: Open) -> None:
    page = browse("/open-log", signed_in=False)
    expect(page.get_by_text("You can also drop the file here.")).to_be_visible()
    sound(page)
    page.evaluate(DROP, [LOG.read_text("utf-8"), "game.jsonl"])
    page.wait_for_url(re.compile("/opened/[^/]+/replay"))
    expect(page.get_by_role("status").first).to_contain_text("The log holds:")
    expect(page.locator("#then")).to_have_text("The start")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#then")).to_contain_text("Entry 1 ")
    sound(page)


def test_the_refusal_of_a_broken_log_stands_at_its_field(browse: Open, visitor: Callable[[str], Visitor]) -> None:
    """As that page stands: a browser that asked for it would say in its console that it was refused."""
    refused = send(visitor(""), LOG.read_bytes()[:9000])
    page = browse("/help", signed_in=False)
    page.set_content(refused.text)
    expect(page.get_by_role("alert")).to_contain_text("Line ")
    expect(page.locator("#log")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#log")).to_have_attribute("aria-describedby", "log-hint fault")
    sound(page)


def test_without_scripts_and_by_keyboard_a_log_is_chosen_and_walked(browse: Open) -> None:
    page = browse("/open-log", signed_in=False, scripts=False)
    page.locator("#log").set_input_files(Path(FIEF))
    page.get_by_role("button", name="Open it").press("Enter")
    expect(page.locator("#then")).to_have_text("The start")
    page.get_by_role("link", name="One entry on").press("Enter")
    expect(page.locator("#then")).to_contain_text("Entry 1 ")
    page.get_by_text("What is shown").press("Enter")
    page.locator("#as").select_option("b")
    page.get_by_label("Hide names").check()
    page.get_by_role("button", name="Show it").press("Enter")
    expect(page.locator(".question .hint").first).to_contain_text("As Seat B knew it then.")


def test_a_player_shares_by_keyboard_and_strangers_read(
    browse: Open,
    over: str,
    anna: Visitor,
    bert: Visitor,
    settings: Settings,
    visitor: Callable[[str], Visitor],
) -> None:
    page = browse(f"{over}/replay?n=40")
    page.get_by_text("Share this moment").press("Enter")
    page.get_by_role("button", name="Share it with others").press("Enter")
    expect(page.get_by_text("1 of 2 have agreed")).to_be_visible()
    sound(page)
    _, without = shared(settings, over)
    page.goto(f"{over}/replay?n=40")
    page.get_by_text("Share this moment").press("Enter")
    expect(page.get_by_label("With names", exact=True)).to_have_value(re.compile(r"/watch/[^/]+/replay\?as=a&n=40$"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Without names")).to_have_value(re.compile("n=41$"))
    sound(page)
    eve = browse(f"{without}?n=40&as=open", signed_in=False)
    expect(eve.locator("h1")).to_have_text("Fief: France 1429")
    eve.keyboard.press("ArrowRight")
    expect(eve.locator("#then")).to_contain_text("Entry 41 ")
    sound(eve)
