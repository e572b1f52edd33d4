"""Rows in a real browser: by keyboard, with and without scripts, on a phone, in both themes."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Locator, expect

from service.settings import Settings
from tests.service.web.axe import in_both_themes
from tests.service.web.conftest import Visitor, begun
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_orders import game, seat  # noqa: F401  (fixtures)
from tests.service.web.test_rows_played import answer

pytestmark = pytest.mark.browser


def row(order: Locator, n: int) -> Locator:
    """The fieldset of a row, by its legend."""
    return order.get_by_role("group", name=f"Row {n}", exact=True)


def test_rows_fit_a_phone_and_keep_nobody_out(browse: Open, game: str, anna: Visitor) -> None:
    anna.post(f"{game}/orders/all", {"choice": "preset"})
    page = browse(f"{game}/orders", width=390)
    for order in ("so_03", "so_05", "so_13"):
        page.locator(f"#{order} > summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert in_both_themes(page) == []


def test_rows_are_added_filled_moved_and_removed_by_keyboard(
    browse: Open,
    game: str,
    settings: Settings,
) -> None:
    page = browse(f"{game}/orders")
    order = page.locator("#so_05")
    order.locator("summary").click()
    expect(order.locator("[data-row]")).to_have_count(1)  # the empty rows were for those without scripts
    row(order, 1).get_by_label("I field").select_option(label="nothing")
    order.get_by_role("button", name="Add a row").press("Enter")
    expect(row(order, 2).get_by_label("Attack")).to_be_focused()
    expect(row(order, 2).get_by_label("I field")).to_have_value("")
    row(order, 2).get_by_label("Attack").select_option(label="Raid")
    row(order, 2).get_by_label("I field").select_option(label="everything")
    order.get_by_role("button", name="Move row 2 up").press("Enter")
    expect(row(order, 1).get_by_label("Attack")).to_have_value("raid")
    expect(row(order, 2).get_by_label("I field")).to_have_value("none")
    for _ in range(2):
        order.get_by_role("button", name="Add a row").press("Enter")
    expect(order.get_by_role("button", name="Add a row")).to_be_disabled()
    order.get_by_role("button", name="Remove row 4").press("Enter")
    expect(order.locator("[data-told]")).to_have_text("Row 4 is removed.")
    expect(order.get_by_role("button", name="Remove row 3")).to_be_focused()
    row(order, 2).get_by_label("I field").focus()
    order.get_by_role("button", name="Set this order").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The order is kept.")
    assert seat(settings, "a").orders == {"SO-05": "on rules=[(what=raid,forces=everything),(forces=none)]"}


def test_words_changed_elsewhere_go_along_with_an_order_s_own_form(
    browse: Open,
    game: str,
    settings: Settings,
) -> None:
    page = browse(f"{game}/orders")
    page.locator("select[name='so_06.damage']").select_option("rational")
    order = page.locator("#so_16")
    order.locator("summary").click()
    order.locator("select[name='so_16.levy']").select_option("Infantry")
    expect(order.get_by_role("switch")).to_be_checked()
    order.locator(".order-form").get_by_label("Knight").check()
    order.get_by_role("button", name="Set this order").click()
    expect(page.get_by_role("status")).to_contain_text("The order is kept.")
    found = seat(settings, "a").orders
    assert "damage=rational" in found["SO-06"] and found["SO-16"] == "on levy=Knight"


def test_sums_are_told_while_one_chooses(browse: Open, game: str) -> None:
    page = browse(f"{game}/orders")
    order = page.locator("#so_03")
    order.locator("summary").click()
    used = order.locator(".sums")
    expect(used).to_have_attribute("aria-live", "polite")
    row(order, 1).get_by_label("Against").select_option(label="My Hand")
    expect(used.get_by_text("My Hand: 1 of 1", exact=True)).to_be_visible()
    order.get_by_role("button", name="Add a row").click()
    row(order, 2).get_by_label("Against").select_option(label="My Hand")
    expect(used.get_by_text("My Hand: 2 of 1 (1 too many)")).to_be_visible()
    row(order, 2).get_by_label("Against").select_option(label="anything")
    expect(used.get_by_text("My Hand: 1 of 1", exact=True)).to_be_visible()
    row(order, 2).get_by_label("Vassals from the Hand").fill("2")
    order.get_by_label("from the Hand", exact=True).check()
    row(order, 2).get_by_label("Vassals from the Hand").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The order is kept.")


def test_rows_are_filled_in_without_scripts(browse: Open, game: str, settings: Settings) -> None:
    page = browse(f"{game}/orders", width=390, scripts=False)
    order = page.locator("#so_12")
    order.locator("summary").click()
    expect(order.locator("[data-row]")).to_have_count(2)
    row(order, 2).get_by_label("What").select_option(label="Siege")
    order.get_by_role("button", name="Add a row").click()
    expect(page).to_have_url(re.compile("/orders/rows#so_12-raid-attacks$"))
    expect(order.locator("[data-row]")).to_have_count(4)
    expect(row(order, 2).get_by_label("What")).to_have_value("siege")
    order.get_by_role("button", name="Move row 2 up").click()
    expect(row(order, 1).get_by_label("What")).to_have_value("siege")
    assert seat(settings, "a").orders == {}
    row(order, 2).get_by_label("What").select_option(label="Raid")
    order.get_by_role("button", name="Remove row 1").click()
    expect(row(order, 1).get_by_label("What")).to_have_value("raid")
    order.get_by_role("button", name="Attack by a list", exact=True).last.click()
    assert seat(settings, "a").orders == {"SO-12": "raid attacks=[(aim=raid)]"}


@pytest.mark.parametrize("scripts", [True, False])
def test_an_attack_s_cards_are_named_one_by_one(browse: Open, game: str, settings: Settings, scripts: bool) -> None:  # SO-14
    page = browse(f"{game}/orders", width=390, scripts=scripts)
    order = page.locator("#so_14")
    order.locator("summary").click()
    row(order, 1).get_by_label("Action").select_option(label="lay siege to a Fief")
    row(order, 1).get_by_label("the Lord of Fief 1").check()
    row(order, 1).get_by_label("Champion from the Hand").fill("2")
    order.get_by_role("button", name="Set this order").click()
    expect(page.get_by_role("status")).to_contain_text("The order is kept.")
    assert seat(settings, "a").orders == {"SO-14": "on turns=[(turn=attack_siege,sent=[lord:F1,hand:Champion*2])]"}
    said = page.locator("li[data-order]", has=page.locator("#so_14")).locator(".says")
    expect(said).to_contain_text("with exactly the Lord of Fief 1, 2 × Champion from the Hand")


def test_a_question_with_rows_fits_a_phone_and_keeps_nobody_out(browse: Open, toy: None, anna: Visitor, bert: Visitor) -> None:
    path = begun(anna, bert, game="fair")
    answer(anna, path, "bid", "bid", coins="3")
    answer(bert, path, "bid", "bid", coins="2")
    page = browse(f"{path}/table", width=390)
    split = page.locator("details.option", has_text="Split")
    split.locator("summary").click()
    row(split, 1).get_by_label("To", exact=True).select_option(label="Bert")
    row(split, 1).get_by_label("Coins").fill("5")
    split.get_by_role("button", name="Add a row").click()
    row(split, 2).get_by_label("To", exact=True).select_option(label="Anna")
    expect(split.get_by_text("Coins: 6 of 5 (1 too many)")).to_be_visible()  # 1 where nothing is said
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert in_both_themes(page) == []
    row(split, 1).get_by_label("Coins").fill("4")
    split.get_by_role("button", name="Split", exact=True).last.click()
    expect(page.locator(".events, .question").first).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
