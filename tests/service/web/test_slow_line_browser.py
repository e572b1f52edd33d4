"""Forecasts over a slow line: responses of /ahead that come late, out of order or not at all never undo what is newer."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Page, Route, expect

from engine.fief import FIEF
from engine.procedure import begin
from service.settings import Settings
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_fief_pages import Table, table  # noqa: F401  (fixtures)
from tests.service.web.test_typed_browser import sat
from tests.tables import laid

pytestmark = pytest.mark.browser

SCENE = (
    "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nHenri: a bourg\nbourg: a\nbourg.a: 3 maa 1 knights\n"
    "villeneuve: b\nvilleneuve.b: 2 maa\nArthur: b villeneuve\ncharolles.c: 1 maa\ncharolles: c\n"
)
DEBOUNCE = 250


class Line:
    """Holds what the page asks of /ahead until it is let through; the page's own timers stand still."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.held: list[Route] = []
        page.route(re.compile("/ahead$"), lambda route: self.held.append(route))

    def ask(self) -> Route:
        """The request that the page sends once its debounce is over."""
        before = len(self.held)
        with self.page.expect_request(re.compile("/ahead$")):
            self.page.clock.run_for(DEBOUNCE)
        while len(self.held) == before:
            self.page.wait_for_timeout(5)
        return self.held[-1]

    def answer(self, route: Route) -> None:
        """The response of the house arrives, and the page has done with it what it does."""
        with self.page.expect_event("requestfinished", lambda request: request == route.request):
            route.continue_()
        self.page.evaluate(
            "new Promise((done) => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); })"
        )
        self.page.evaluate("() => null")


def march(browse: Open, table: Table) -> tuple[Page, Line]:
    """A list of moves on a page whose timers run only when the test says so."""
    state = FIEF.read_position(SCENE)
    begin(state)
    page = browse("about:blank", width=1280, fresh=True)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    line = Line(page)
    page.goto(table.lay_out("a", state))
    line.answer(line.ask())  # a page that has just come asks once
    page.locator("[data-part=question] details.option > summary").first.click()
    page.locator('.f-lord[data-value="Charles"]').press("Enter")
    page.locator('.f-village[data-value="villeneuve"]').press("Enter")
    return page, line


def test_a_forecast_of_what_the_form_held_before_is_dropped(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    card = page.locator("[data-row] > .f-march")
    first = line.ask()
    page.locator('[data-row] [name$="__maa"]').fill("9")  # the page has not asked about it yet
    line.answer(first)
    expect(card).to_have_count(0)
    expect(page.locator(".plan-flag")).to_have_count(0)
    line.answer(line.ask())
    expect(page.locator(".ahead .over")).to_contain_text("Row 1")
    expect(card).to_have_count(0)


def test_a_form_that_is_changed_and_changed_back_has_its_forecast(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    first = line.ask()
    number = page.locator('[data-row] [name$="__maa"]')
    number.fill("9")
    line.answer(first)
    number.fill("")
    line.answer(line.ask())
    expect(page.locator("[data-row] > .f-march")).to_have_count(1)


def test_the_newer_of_two_forecasts_stays_whichever_comes_first(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    first = line.ask()
    page.locator('[data-row] [name$="__maa"]').fill("2")
    second = line.ask()
    line.answer(second)
    card = page.locator("[data-row] > .f-march")
    expect(card).to_contain_text("2 of yours stay at Bourg")
    first.continue_()  # nobody waits for it any more
    page.wait_for_timeout(300)
    expect(card).to_contain_text("2 of yours stay at Bourg")


def test_what_a_forecast_leaves_as_it_is_stays_the_same_element(browse: Open, table: Table) -> None:
    """A flag, a card or a number that stands there isn't taken away and put there once more: a press would go amiss."""
    page, line = march(browse, table)
    page.locator('.f-village[data-value="charolles"]').press("Enter")
    page.get_by_role("button", name="Men-at-Arms: one more").click()
    line.answer(line.ask())
    flag, card = page.locator(".plan-flag"), page.locator("[data-row] > .f-march")
    expect(flag).to_have_count(1)
    change = card.get_by_role("button", name="Change")
    change.focus()
    same = [x.element_handle() for x in (flag, card, page.locator(".ahead > *").first)]
    # What is asked about another order of the same: the forecast is the same, too.
    page.locator('[data-row] [name$="__refused"]').select_option(index=1)
    line.answer(line.ask())
    page.evaluate("dispatchEvent(new Event('resize')); document.dispatchEvent(new Event('marked'))")
    assert [x is not None and x.evaluate("x => x.isConnected") for x in same] == [True, True, True]
    assert change.evaluate("x => x === document.activeElement || x.isConnected")


def test_a_forecast_that_the_line_has_swallowed_is_asked_for_once_more(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    page.evaluate(
        """() => {
            const [real, lost] = [fetch, new Set()];
            window.fetch = (to, ...more) => {
                if (!to.endsWith("/ahead") || lost.size) return real(to, ...more);
                lost.add(to);
                return Promise.reject(new TypeError("offline"));
            };
        }"""
    )
    page.clock.run_for(DEBOUNCE)
    expect(page.locator("[data-row] > .f-march")).to_have_count(0)
    with page.expect_request(re.compile("/ahead$")):
        page.clock.run_for(3500)
    while len(line.held) < 2:
        page.wait_for_timeout(5)
    line.answer(line.held[-1])
    expect(page.locator("[data-row] > .f-march")).to_have_count(1)


def test_the_rules_are_fetched_once_however_often_they_are_asked_for(browse: Open, anna: Visitor, settings: Settings) -> None:
    page = browse(sat(settings, anna, laid("ortus", 2, "middle")) + "/table", fresh=True)
    held: list[Route] = []
    page.route(re.compile("/help/ortus"), lambda route: held.append(route))
    page.evaluate("document.querySelectorAll('[data-rules]').forEach((x) => { x.click(); x.click(); })")
    while not held:
        page.wait_for_timeout(5)
    page.wait_for_timeout(100)
    for route in held:
        route.continue_()
    expect(page.locator("dialog.drawer h1")).to_have_count(1)
    page.wait_for_timeout(100)
    assert (len(held), page.locator("dialog.drawer > form").count()) == (1, 1)


def test_what_is_typed_before_the_scripts_have_come_is_not_put_back(browse: Open, table: Table) -> None:
    """What this window kept of the form is older than what one types while a slow line still brings the scripts."""
    state = FIEF.read_position(SCENE)
    begin(state)
    path = table.lay_out("a", state)
    page = browse(path, fresh=True)
    page.locator("[data-part=question] details.option > summary").first.click()
    number = page.locator('[data-row] [name$="__maa"]')
    number.fill("2")
    page.goto("/help")
    held: list[Route] = []
    page.route(re.compile("/typed[^/]*js"), lambda route: held.append(route))
    page.goto(path, wait_until="commit")
    page.locator("[data-part=question] details.option > summary").first.click()
    number.first.fill("1")
    while not held:
        page.wait_for_timeout(5)
    held[0].continue_()
    page.wait_for_load_state("load")
    expect(number).to_have_value("1")
