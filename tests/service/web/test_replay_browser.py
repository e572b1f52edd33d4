"""The replay viewer in a real browser: keys, slider, autoplay, without scripts; axe is silent in both sizes and themes."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import expect
from sqlmodel import select

from engine.games import GAMES
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account
from tests.service.web.axe import in_both_themes
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.tables import games, laid, lay

pytestmark = pytest.mark.browser


def finished(settings: Settings, anna: Visitor, game: str) -> str:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        found = laid(game, GAMES[game].rules.seats[-1], "end")
        return lay(session, account, found, logged=True).removesuffix("/table") + "/replay"


@pytest.mark.parametrize("game", games())
def test_axe_finds_nothing_and_nothing_overflows(browse: Open, anna: Visitor, settings: Settings, game: str) -> None:
    path = finished(settings, anna, game)
    page = browse(f"{path}?n=8&as=open")
    assert in_both_themes(page) == []
    page.goto(f"{path}?n=8")
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("for (const fold of document.querySelectorAll('.question details')) fold.open = true")
    assert in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    low = """() => [...document.querySelectorAll(".question :is(a, button, select, summary, label:has(input))")]
      .filter((x) => x.getBoundingClientRect().height > 0 && x.getBoundingClientRect().height < 40).map((x) => x.outerHTML)"""
    assert page.evaluate(low) == [], "a finger needs room"


def test_keys_slider_and_autoplay_step_through_the_log(browse: Open, anna: Visitor, settings: Settings) -> None:
    path = finished(settings, anna, "mastery")
    page = browse(path)
    heading, loads = page.locator("#then"), []
    page.on("load", lambda _page: loads.append(1))
    for key, said in (("ArrowRight", "Entry 1 "), ("ArrowRight", "Entry 2 "), ("ArrowLeft", "Entry 1 "), ("Home", "The start")):
        page.keyboard.press(key)
        expect(heading).to_contain_text(said)
    page.keyboard.press("End")
    expect(page.locator("a[data-step=next]")).to_have_count(0)
    slider = page.locator("#to-entry")
    slider.focus()
    page.keyboard.press("Home")  # the slider's own
    page.keyboard.press("ArrowRight")
    expect(heading).to_contain_text("Entry 1 ")
    expect(slider).to_be_focused()
    expect(page).to_have_url(re.compile(r"n=1\b"))
    page.locator("a[data-step=next]").press("Enter")
    expect(heading).to_contain_text("Entry 2 ")
    expect(page.locator("a[data-step=next]")).to_be_focused()
    expect(page.locator("[role=status].visually-hidden")).to_contain_text("Entry 2 ")
    page.locator("#speed").select_option("700")
    page.locator("h1").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    expect(page.locator("[data-run]")).to_have_text("Stop")
    expect(heading).to_contain_text("Entry 4 ", timeout=5000)
    page.keyboard.press(" ")
    expect(page.locator("[data-run]")).to_have_text("Play")
    page.get_by_text("What is shown").click()
    page.locator("#as").select_option("open")
    expect(page.locator(".open-hands section")).to_have_count(GAMES["mastery"].rules.seats[-1])
    page.get_by_label("Hide names").check()
    expect(page.locator(".open-hands")).to_contain_text("Seat B")
    assert loads == [], "no step is a new page"


def test_a_step_that_was_prefetched_is_there_within_100_ms(browse: Open, anna: Visitor, settings: Settings) -> None:
    page = browse(finished(settings, anna, "fief") + "?n=100")
    took = []
    for _ in range(4):
        page.wait_for_load_state("networkidle")
        took.append(page.evaluate(STEP))
    assert min(took) < 100, took


STEP = """() => new Promise((done) => {
  const [start, main] = [performance.now(), document.querySelector("main")];
  new MutationObserver(() => done(performance.now() - start)).observe(main, { childList: true });
  document.querySelector("a[data-step=next]").click();
})"""
"""Milliseconds from a click to the next board."""


def test_without_scripts_links_and_one_form_do_it_all(browse: Open, anna: Visitor, settings: Settings) -> None:
    page = browse(finished(settings, anna, "ortus"), scripts=False)
    page.get_by_role("link", name="One entry on").press("Enter")
    expect(page.locator("#then")).to_contain_text("Entry 1 ")
    page.locator("#to-entry").focus()
    page.keyboard.press("PageUp")
    page.get_by_text("What is shown").click()
    page.locator("#as").select_option("public")
    page.get_by_label("Hide what comes later").check()
    page.get_by_role("button", name="Show it").press("Enter")
    expect(page.locator(".question .hint").first).to_contain_text("As spectators see it.")
    expect(page.locator("a[data-step=last]")).to_have_count(0)
    page.get_by_role("link", name="To the start").press("Enter")
    expect(page.locator("#then")).to_have_text("The start")
