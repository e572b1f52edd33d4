"""Forecasts over a slow line: responses of /ahead that come late, out of order or not at all never undo what is newer."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Locator, Page, Route, expect

from engine.core.procedure import begin
from engine.fief import FIEF
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
RETRY = 3500
PATIENCE = 5500


class Line:
    """Holds what the page asks of /ahead until it is let through; the page's own timers stand still."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.held: list[Route] = []
        page.route(re.compile("/ahead$"), lambda route: self.held.append(route))

    def ask(self, milliseconds: int = DEBOUNCE) -> Route:
        """The request that the page sends once its debounce, or a longer wait, is over."""
        before = len(self.held)
        with self.page.expect_request(re.compile("/ahead$")):
            self.page.clock.run_for(milliseconds)
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
    state = FIEF.rules.notation.read(SCENE)
    begin(state)
    page = browse("about:blank", width=1280, fresh=True)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    line = Line(page)
    page.goto(table.lay_out("a", state))
    line.answer(line.ask())  # a page that has just come asks once
    page.locator('.f-lord[data-value="Charles"]').press("Enter")
    line.answer(line.ask())  # where he can go: the next pick waits for it
    page.locator('.f-village[data-value="villeneuve"]').press("Enter")
    return page, line


def roads(page: Page) -> Locator:
    """What the card of the march says of its road: it comes with each forecast."""
    return page.locator('[data-row] [data-laid="roads"]')


def test_a_forecast_of_what_the_form_held_before_is_dropped(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    expect(roads(page)).to_have_text("2 roads left")
    first = line.ask()
    page.locator('[data-row] [name$="__maa"]').fill("9")  # the page has not asked about it yet
    line.answer(first)
    expect(roads(page)).to_have_text("2 roads left")
    expect(page.locator(".plan-flag")).to_have_count(0)
    line.answer(line.ask())
    expect(page.locator('[data-row] [data-laid="fault"]')).to_contain_text("it must be from 0 to 3")
    expect(page.locator(".plan-flag")).to_have_count(0)


def test_a_form_that_is_changed_and_changed_back_has_its_forecast(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    first = line.ask()
    number = page.locator('[data-row] [name$="__maa"]')
    number.fill("9")
    line.answer(first)
    number.fill("")
    line.answer(line.ask())
    expect(roads(page)).to_have_text("1 road left")


def test_the_newer_of_two_forecasts_stays_whichever_comes_first(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    first = line.ask()
    page.locator('[data-row] [name$="__maa"]').fill("2")
    second = line.ask()
    line.answer(second)
    card = page.locator("[data-row]")
    expect(card).to_contain_text("1 Man-at-Arms and 1 Knight stay at Bourg.")
    first.continue_()  # nobody waits for it any more
    page.wait_for_timeout(300)
    expect(card).to_contain_text("1 Man-at-Arms and 1 Knight stay at Bourg.")


def test_what_a_forecast_leaves_as_it_is_stays_the_same_element(browse: Open, table: Table) -> None:
    """A flag, a card or a number that stands there isn't taken away and put there once more: a press would go amiss."""
    page, line = march(browse, table)
    line.answer(line.ask())
    page.locator('.f-village[data-value="charolles"]').press("Enter")
    page.get_by_role("button", name="Men-at-Arms: one more").click()
    line.answer(line.ask())
    flag, card = page.locator(".plan-flag"), page.locator('[data-row] [data-laid="head"] > span:not(.f-bust)')
    expect(flag).to_have_count(1)
    most = page.get_by_role("button", name="of 3")
    most.focus()
    same = [x.element_handle() for x in (flag, card, most, page.locator(".ahead[data-of=move] > *").first)]
    # What is asked about another order of the same: the forecast is the same, too.
    page.locator('[data-row] [name$="__refused"][value="stay"]').check()
    line.answer(line.ask())
    page.evaluate("dispatchEvent(new Event('resize')); document.dispatchEvent(new Event('marked'))")
    assert [x is not None and x.evaluate("x => x.isConnected") for x in same] == [True, True, True, True]
    assert most.evaluate("x => x.isConnected")


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
    expect(roads(page)).to_have_text("")
    line.answer(line.ask(RETRY))
    expect(roads(page)).to_have_text("1 road left")


def test_a_response_that_never_comes_takes_the_older_forecast_away_and_holds_no_pick_up(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    line.answer(line.ask())
    expect(roads(page)).to_have_text("1 road left")
    page.get_by_role("button", name="Men-at-Arms: one more").click()
    late = line.ask()
    page.locator('.f-village[data-value="charolles"]').press("Enter")
    page.clock.run_for(PATIENCE - DEBOUNCE - 1000)
    expect(page.locator('[data-row] [name$="__then"]')).to_have_value("")
    newest = line.ask(1000)
    expect(roads(page)).to_have_text("")
    expect(page.locator('[data-row] [name$="__then"]')).to_have_value("charolles")
    line.answer(newest)
    expect(roads(page)).to_have_text("all roads used")
    late.continue_()
    page.wait_for_timeout(300)
    expect(page.locator('[data-row] [name$="__maa"]')).to_have_value("1")
    expect(roads(page)).to_have_text("all roads used")
    expect(page.locator(".ahead[data-of=move]")).to_contain_text("Attack at Charolles")


def test_a_late_response_to_what_the_form_still_holds_is_shown(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    late = line.ask()
    page.clock.run_for(PATIENCE)
    expect(page.locator("form[aria-busy]")).to_have_count(0)
    line.answer(late)
    expect(roads(page)).to_have_text("1 road left")


def test_picks_that_wait_for_the_line_are_sent_with_the_form(browse: Open, table: Table) -> None:
    page, line = march(browse, table)
    page.locator('.f-village[data-value="charolles"]').press("Enter")
    page.get_by_role("button", name="March", exact=True).click()
    line.answer(line.ask())
    with page.expect_request(re.compile("/answer$")) as sent:
        line.ask().continue_()
    body = sent.value.post_data or ""
    assert "__to=villeneuve" in body and "__then=charolles" in body


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
    state = FIEF.rules.notation.read(SCENE)
    begin(state)
    path = table.lay_out("a", state)
    page = browse(path, fresh=True)
    leads = page.locator('[name="f_moves__1__lords__Charles"]')
    number = page.locator('[data-row] [name$="__maa"]')
    leads.evaluate("box => box.click()")  # its line hides until the board or a button has sent the Lord
    number.fill("2")
    page.goto("/help")
    held: list[Route] = []
    page.route(re.compile("/typed[^/]*js"), lambda route: held.append(route))
    page.goto(path, wait_until="commit")
    leads.evaluate("box => box.click()")
    number.first.fill("1")
    while not held:
        page.wait_for_timeout(5)
    held[0].continue_()
    page.wait_for_load_state("load")
    expect(number).to_have_value("1")
