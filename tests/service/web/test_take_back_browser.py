"""Taking an answer back in a real browser: by keyboard and without scripts, on a phone; and how the button goes by itself."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Page, expect
from sqlmodel import select

from service.settings import Settings
from service.store.database import transaction
from service.store.models import Letter, LetterStatus
from tests.service.web.axe import in_both_themes
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_turn import table  # noqa: F401  (fixtures)
from tests.service.web.test_turn_browser import at_turn  # noqa: F401  (fixtures)

pytestmark = pytest.mark.browser


def place_a_tower(page: Page) -> None:
    page.locator("summary", has_text="Place Towers").first.click()
    page.locator("details[open] input[type=checkbox], details[open] input[type=number]").first.focus()
    first = page.locator("details[open] input").filter(visible=True).first
    if first.get_attribute("type") == "checkbox":
        first.check()
    else:
        first.fill("1")
    page.get_by_role("button", name="Place Towers").press("Enter")
    expect(page.locator(".events")).to_contain_text("You raised a Tower with ")


def test_a_step_is_taken_back_without_scripts_on_a_phone(browse: Open, at_turn: str, bert: Visitor) -> None:
    page = browse(at_turn + "/table", scripts=False, width=390)
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)
    place_a_tower(page)
    button = page.get_by_role("button", name="Take back", exact=True)
    expect(button).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    button.press("Enter")
    expect(page.locator(".events")).to_contain_text("You took your last step back.")
    expect(page.locator("summary", has_text="Place Towers").first).to_be_visible()
    assert "took the last step back." in bert.page(at_turn + "/table")


def test_the_button_goes_by_itself_when_the_letter_leaves(browse: Open, at_turn: str, settings: Settings) -> None:
    page = browse(at_turn + "/table", width=1280)
    place_a_tower(page)
    expect(page.get_by_role("button", name="Take back", exact=True)).to_be_visible()
    assert in_both_themes(page) == []
    with transaction(settings) as session:
        for letter in session.exec(select(Letter).where(Letter.status == LetterStatus.QUEUED)):
            letter.status = LetterStatus.SENT
            session.add(letter)
    expect(page.get_by_role("button", name="Take back", exact=True)).to_have_count(0, timeout=15_000)
    expect(page.locator(".moved")).to_be_empty()
