"""The turn page in a real browser: a whole Turn by keyboard and without scripts, on a phone, in both themes."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import expect

from service.settings import Settings
from tests.service.web.axe import in_both_themes
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_turn import started, table  # noqa: F401  (fixtures)
from tests.service.web.test_typed_browser import sat
from tests.tables import laid

pytestmark = pytest.mark.browser


@pytest.fixture
def at_turn(anna: Visitor, bert: Visitor, table: str, settings: Settings) -> str:
    """The table's address, with Anna asked something on it."""
    if started(anna, bert, table, settings) is bert:
        from tests.service.web.test_turn import answer

        bert.post(table + "/answer", answer(settings, "turn", "end"))
    return table


def test_the_table_fits_a_phone_and_keeps_nobody_out(browse: Open, at_turn: str) -> None:
    page = browse(at_turn + "/table", width=390)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert in_both_themes(page) == []
    page.goto(at_turn + "/history")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert in_both_themes(page) == []


def test_a_turn_without_scripts(browse: Open, at_turn: str) -> None:
    page = browse(at_turn + "/table", scripts=False)
    page.locator("summary", has_text="Place Towers").first.click()
    page.locator("details[open] input[type=checkbox], details[open] input[type=number]").first.focus()
    first = page.locator("details[open] input").filter(visible=True).first
    if first.get_attribute("type") == "checkbox":
        first.check()
    else:
        first.fill("1")
    page.get_by_role("button", name="Place Towers").press("Enter")
    expect(page.locator(".events")).to_contain_text("You raised a Tower with ")
    page.get_by_role("button", name=re.compile("End the turn")).press("Enter")
    expect(page.get_by_role("heading", name="Nothing to do here now")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
def test_the_question_that_asks_once_more_is_gone_on_from(
    browse: Open, anna: Visitor, settings: Settings, scripts: bool
) -> None:
    """From there, and not from the top."""
    page = browse(sat(settings, anna, laid("ortus", 6, "middle")) + "/table", scripts=scripts)
    page.locator("#verb-bequeath").press("Enter")
    expect(page.locator(".confirm")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Yes, do it")).to_be_focused()


def test_who_comes_back_from_the_question_that_asks_once_more_is_at_the_verb(
    browse: Open, anna: Visitor, settings: Settings
) -> None:
    page = browse(sat(settings, anna, laid("ortus", 6, "middle")) + "/table")
    verb = page.locator("#verb-bequeath")
    verb.press("Enter")
    expect(page.locator(".confirm")).to_be_visible()
    page.locator("[data-back]").press("Enter")
    expect(page.locator(".confirm")).to_have_count(0)
    expect(verb).to_be_focused()
    page.reload()
    expect(verb).not_to_be_focused()
