"""What was typed stays, in a real browser: beside an order that is set, and a proposal that is sent."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Page, expect
from sqlmodel import select

from engine.games import GAMES
from service.people import accounts
from service.settings import Settings
from service.store.database import transaction
from service.store.models import SeatRow
from tests.service.web.conftest import Visitor, begun
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.tables import Laid, laid, lay, questions

pytestmark = pytest.mark.browser


def sat(settings: Settings, anna: Visitor, found: Laid) -> str:
    """Anna at the seat that is asked; the path of its table."""
    with transaction(settings) as session:
        return lay(session, accounts.by_email(session, anna.email), found).removesuffix("/table")


@pytest.mark.parametrize(
    ("game", "scripts"),
    [
        *(("ortus", True), ("mastery", True), ("fief", True), ("ortus", False)),
        # Without scripts the page is one for all games.
        *(pytest.param(game, False, marks=pytest.mark.soak) for game in ("mastery", "fief")),
    ],
)
def test_a_page_of_orders_that_nobody_touched_is_loaded_anew_when_one_is_set(
    browse: Open, anna: Visitor, settings: Settings, game: str, scripts: bool
) -> None:
    """Only what differs from how the page shows it was typed: of a whole page that was sent, nothing is."""
    path = sat(settings, anna, laid(game, GAMES[game].rules.seats[-1], "middle"))
    page = browse(path + "/orders", scripts=scripts)
    page.get_by_role("button", name="Set these orders").click()
    expect(page.locator(".note.good")).to_be_visible()
    assert page.url.endswith("/orders"), "the page that can be loaded again"
    page.get_by_role("button", name="Sensible").click()
    page.get_by_role("button", name="Set these orders").click()
    expect(page.locator(".note.good")).to_be_visible()
    assert page.url.endswith("/orders"), "as they stand, too"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
def test_fields_of_other_orders_stay_when_one_is_set(browse: Open, anna: Visitor, settings: Settings, scripts: bool) -> None:
    path = sat(settings, anna, laid("ortus", 6, "middle"))
    page = browse(path + "/orders", scripts=scripts)
    if scripts:
        word = page.locator("select.w").first
        word.select_option(index=(word.evaluate("x => x.selectedIndex") + 1) % word.locator("option").count())
        expect(page.locator("[data-changed]")).to_have_text("Words changed: 1.")
        page.locator("#so_05 > summary").click()
    else:
        page.locator("#so_05 > summary").press("Enter")
    typed = page.locator('select[name="own.so_05.on.f_rules__1__forces"]')
    typed.select_option("none")
    page.locator("#so_16 > summary").click()
    page.locator('#so_16 input[value="Knight"]').check()
    page.locator("#so_16 button[name=own]").first.click()
    expect(page.locator(".note.good")).to_be_visible()
    expect(typed).to_be_visible()
    expect(typed).to_have_value("none")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
def test_a_question_that_is_begun_stays_when_something_is_proposed(
    browse: Open, anna: Visitor, bert: Visitor, toy: None, scripts: bool
) -> None:
    path = begun(anna, bert, game="fair", seats="2")
    page = browse(path + "/table", scripts=scripts)
    bid = page.locator(".options input[type=number]").first
    unfold(page, "details.option:has(input[type=number]) > summary")
    bid.fill("2")
    unfold(page, ".at-any-time > summary")
    offer = page.locator(".at-any-time form", has=page.locator('input[value="propose"]')).first
    if not offer.is_visible():
        unfold(page, ".at-any-time .option:has(input[value=propose]) > summary")
    offer.locator("input[type=radio]:visible, input[type=radio]").first.check(force=True)
    offer.locator("select").first.select_option(index=1) if offer.locator("select").count() else None
    for name in {r.get_attribute("name") for r in offer.locator("input[type=radio]").all()}:
        offer.locator(f'input[name="{name}"]').first.check(force=True)
    button = offer.locator("button").last
    if scripts:
        button.click()
        there = page
    else:
        with page.context.expect_page() as opened:
            button.click()
        there = opened.value
    there.wait_for_load_state()
    there.get_by_role("button", name="Yes, do it").click() if there.locator(".confirm").count() else None
    expect(there.locator(".offers").first).to_be_visible()
    assert len(page.context.pages) == (1 if scripts else 2)
    expect(bid).to_have_value("2")
    expect(bid).to_be_visible()


def test_a_question_that_is_begun_stays_while_one_looks_elsewhere(browse: Open, anna: Visitor, settings: Settings) -> None:
    """Rows that were added, numbers and boxes alike; what was laid out once more and left alone, too."""
    path = sat(settings, anna, questions("fief", 6)["movement"])
    page = browse(path + "/table")
    unfold(page, "[data-part=question] details.option:has([data-rows]) > summary")
    form = page.locator("[data-part=question] .options form", has=page.locator("[data-rows]")).first
    rows = form.locator("[data-row]")
    form.locator("[data-stall] [name=rows]").first.click()  # a Lord is sent, and another by a row that is added
    form.locator("[data-do=add]").click()
    form.locator("[data-stall] [name=rows]:visible").first.click()
    last = rows.nth(1)
    cell = last.locator("select").first
    cell.select_option(index=1)
    chosen = cell.input_value()
    page.goto(path + "/clock")
    page.goto(path + "/table")
    expect(rows).to_have_count(2)
    expect(cell).to_have_value(chosen)
    expect(cell).to_be_visible()


def test_what_one_seat_has_typed_is_not_shown_to_another_in_the_same_window(
    browse: Open, anna: Visitor, bert: Visitor, toy: None, settings: Settings
) -> None:
    """Both are asked the same, with the same number: what one begins is a secret from who takes the seat beside him here."""
    path = begun(anna, bert, game="fair", seats="2")
    page = browse(path + "/table")
    bid, fold = page.locator(".options input[type=number]").first, "details.option:has(input[type=number]) > summary"
    unfold(page, fold)
    usual = bid.input_value()
    bid.fill("2")
    assert usual != "2"

    def change_seats() -> None:
        with transaction(settings) as session:
            one, other = session.exec(select(SeatRow)).all()
            sat = one.account_id, other.account_id
            one.account_id = None
            session.flush()
            other.account_id = sat[0]
            session.flush()
            one.account_id = sat[1]
        page.goto(path + "/table")
        unfold(page, fold)

    change_seats()
    expect(bid).to_have_value(usual)
    change_seats()
    expect(bid).to_have_value("2")


def unfold(page: Page, summary: str) -> None:
    """Open a fold that may be open already."""
    one = page.locator(summary).first
    if one.count() and one.locator("xpath=..").get_attribute("open") is None:
        one.click()


def test_who_opens_a_verb_goes_on_at_its_first_field(browse: Open, anna: Visitor, settings: Settings) -> None:
    """What lies folded within it is passed over; a verb that the board opens leaves the focus where it is."""
    page = browse(sat(settings, anna, laid("ortus", 6, "middle")) + "/table")
    expect(page.locator("body")).to_be_visible()
    page.locator("#verb-attack").focus()
    page.keyboard.press("Enter")
    expect(page.locator("details.option[open] :is(select, textarea, input):focus")).to_have_count(1)
