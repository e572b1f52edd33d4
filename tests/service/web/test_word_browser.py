"""A word for the shuffles, in a real browser: drawn there, kept, and the same without script."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from engine.core.chance import entropy_of
from service.settings import Settings
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_lobby import match_of, open_game

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1280, 390])
def test_the_browser_draws_a_word_that_counts(
    browse: Open,
    bert: Visitor,
    settings: Settings,
    width: int,
) -> None:
    path = open_game(bert, 3, "open")
    page = browse(path, width=width)
    field = page.get_by_label("Your own word for the shuffles")
    expect(field).to_have_value(re.compile("^[0-9a-f]{32}$"))
    first = field.input_value()
    page.locator("summary", has_text="Your own word for the shuffles").click()
    page.get_by_role("button", name="Draw one here").click()
    drawn = field.input_value()
    assert drawn != first and re.fullmatch("[0-9a-f]{32}", drawn)
    page.get_by_role("button", name="Join this game").click()
    page.get_by_text("Your word for the shuffles", exact=True).click()
    expect(page.get_by_text(entropy_of(drawn))).to_be_visible()
    assert match_of(settings, path)[1][1].entropy == entropy_of(drawn)
    own = page.get_by_label("Your own word for the shuffles")
    expect(own).to_have_value("")
    own.fill("a red dragon, asleep")
    page.get_by_role("button", name="Give another word").click()
    page.get_by_text("Your word for the shuffles", exact=True).click()
    expect(page.get_by_text(entropy_of("a red dragon, asleep"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
