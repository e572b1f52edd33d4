"""The table of Ortus Regni in a browser: what is under way, and what is being put together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_table_browser import sits, sized  # noqa: F401  (fixtures)
from tests.tables import Laid, reached

pytestmark = pytest.mark.browser

SIZES = ((1280, 800), (390, 844))
WHOLE = "(x) => x.scrollHeight <= x.clientHeight + 1 && x.scrollWidth <= x.clientWidth + 1"
"""Whether nothing of an element is scrolled out of it."""


def test_a_crowning_shows_the_kings_army_and_who_gives_to_it(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-KING-3 to 5: a slot for each other Earl; what one is about to give stands in the first of them."""
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "2-earls-first-rulings-last-falls-by-deck", 83)))
        crowning = page.locator(".doing.crowning")
        expect(crowning.locator(".side").first).to_contain_text("Æthelflæd")
        expect(crowning.locator(".fielded .card")).to_have_count(1)
        expect(crowning.locator(".fielded .gap")).to_have_count(1)
        expect(crowning.locator(".levy li")).to_have_count(1)
        expect(page.locator(".plan-ghost")).to_have_count(1)
        assert crowning.evaluate(WHOLE), width


def test_politics_show_whose_vassals_count_and_what_the_card_does(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-POL-2, OR-STR-4: Vassal Lords are seen by all, Hands by their holders alone."""
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "5-earls-last-falls-by-deck", 97)))
        theirs, own = page.locator(".doing.politics .side").all()
        expect(theirs.locator(".card.back")).to_have_count(2)
        expect(own.locator(".may .card:not(.back)")).to_have_count(2)  # the Lord, and the Vassal of the Hand
        expect(page.locator(".doing .does")).to_contain_text("The Properties of Fief 1")
        assert page.locator(".doing.politics").evaluate(WHOLE), width
    page.goto(sits(reached("ortus", "5-earls-last-falls-by-deck", 196)))
    expect(page.locator(".doing .scale .card")).to_have_count(1)
    expect(page.locator(".doing .points")).to_have_count(2)


def test_the_stakes_of_a_joust_are_cards(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-JOU-1: antes are seen by all, an entered card of a Hand face down."""
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "6-earls-last-falls-by-deck", 208)))
        stakes = [one.locator(".pledge .card").all() for one in page.locator(".lists > li:not(.waits)").all()]
        assert [len(cards) for cards in stakes] == [1, 2, 1]
        assert "back" in (stakes[1][1].get_attribute("class") or "").split()
        assert page.locator(".doing.joust").evaluate(WHOLE), width
