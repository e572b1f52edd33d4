"""The board is the form, in every game: by mouse, tap and keyboard; what it will do is drawn, its number set on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Locator, Page, expect

from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import address  # noqa: F401  (fixture)
from tests.service.web.test_table_browser import At, at, sits  # noqa: F401  (fixtures)
from tests.tables import Laid, passing

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, anna: Visitor, address: str) -> Iterator[Page]:
    """A page that can be touched, too."""
    faults: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True, base_url=address)
    cookie = anna.client.get_cookie("writ", domain="writ.test")
    assert cookie is not None
    context.add_cookies([{"name": "writ", "value": cookie.value, "url": address}])
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert faults == []


def on_board(page: Page, code: str) -> Locator:
    return page.locator(f'[data-part=board] svg [data-value="{code}"], [data-part=board] [data-value="{code}"]').last


def test_the_board_is_the_form_in_every_game(page: Page, at: At, anna: Visitor) -> None:
    ribbons, number = page.locator(".drawn .plan"), page.locator(".drawn .plan-number text")

    # A march: source, target, number. By mouse, keyboard, touch.
    path = at("mastery", 2, "middle")
    page.goto(path)
    target = page.locator("select[name=f_target]").first
    knights = page.locator("input[name=f_knights]").first
    page.locator('[data-slot="A2"]').click()
    goes, fold = page.locator(".option[open] .row > .primary"), page.locator(".option[open] .by-hand > summary")
    expect(target).to_be_hidden()  # what the board says lies folded
    expect(goes).to_have_count(0)
    expect(ribbons).to_have_count(0)
    place = page.locator('.hexmap [data-value="D2"]')
    place.focus()
    page.keyboard.press("Enter")
    expect(target).to_have_value("D2")
    expect(ribbons).to_have_count(1)
    less, more = page.locator(".stepper button").first, page.locator(".stepper button").last
    box = more.bounding_box()
    assert box and min(box["width"], box["height"]) >= 44
    expect(knights).to_have_value("3")  # four hold it, more than the castle has: all go
    page.locator('.hexmap [data-value="B2"]').tap()
    expect(target).to_have_value("B2")
    expect(knights).to_have_value("1")  # what it takes, where the castle has it
    place.focus()
    page.keyboard.press("Enter")
    expect(target).to_have_value("D2")
    expect(knights).to_have_value("3")
    less.tap()
    less.tap()
    expect(knights).to_have_value("1")
    more.tap()
    place.focus()
    page.keyboard.press("+")
    page.keyboard.press("-")
    expect(knights).to_have_value("2")
    expect(number).to_have_text("3 : 4")  # his sceptre counts one of it
    sums = page.locator(".told-sum .mm-odds-sums td, .told-sum [data-count]").filter(visible=True)
    expect(sums).to_have_text(["2", "3", "4", "2"])
    expect(goes).to_have_text("March with 2")
    fold.click()
    expect(target).to_be_visible()
    knights.fill("3")
    expect(number).to_have_text("4 : 4")
    expect(sums).to_have_text(["3", "4", "4", "3"])
    expect(goes).to_have_text("March with 3")
    target.select_option("B2")
    expect(number).to_have_text("3")
    expect(sums).to_have_text(["3"])
    page.locator('.hexmap [data-value="D2"]').tap()
    expect(number).to_have_text("4 : 4")
    page.locator(".take-back:visible").click()
    expect(ribbons).to_have_count(0)
    expect(page.locator(".take-back:visible")).to_have_count(0)
    expect(page.locator(".stepper")).to_have_count(0)
    # Without scripts the server draws what a link has begun.
    begun = anna.get(path + "?option=march&target=D2&knights=3").text
    assert begun.count('class="plan-over"') == 1 and ">3</text></g></g>" in begun
    assert 'class="plan-over"' not in anna.get(path).text

    # An attack: what it sends against what all can see; and a verb that is shut says why.
    path = at("ortus", 6, "middle")
    page.goto(path)
    page.locator('[data-value="siege:d:F2"]').tap()
    page.locator('[data-value="lord:F1"]').click()
    expect(number).to_have_text("1 : 10")
    expect(page.locator("[data-sent] .medal b")).to_have_text("1")  # who marches stands on the banner
    stands = page.locator(".against:visible .guard")  # each point over what it meets
    expect(stands).to_have_count(9)
    expect(page.locator(".against .guard.holds")).to_have_count(8)
    expect(page.locator(".against .castle.holds, .against .palace.holds")).to_have_count(1)
    told = page.locator(".told-sum:visible")
    expect(told).to_contain_text("Walls and Towers stop 10")
    below = page.locator("[data-part=question]").bounding_box()
    box = told.bounding_box()
    assert box and below and box["y"] + box["height"] <= below["y"] + below["height"], "the sum is seen without scrolling"
    page.keyboard.press("Escape")
    expect(number).to_have_count(0)
    expect(page.locator("[data-sent] .medal")).to_have_count(0)
    expect(page.locator(".against .guard.holds")).to_have_count(9)  # what stands there is seen before anybody is sent
    expect(told).to_contain_text("Nobody is sent yet")
    page.keyboard.press("Escape")
    expect(page.locator(".against:visible")).to_have_count(0)
    # Without scripts: an arrow at the target with both sums, the force on its banner; with them nothing of it stays.
    begun = path + "?option=attack&target=siege:d:F2&lords=lord:F1"
    still = anna.get(begun).text
    assert still.count("data-still") == 1 and "<b>1 : 10</b></span>" in still
    assert still.split("data-sent")[1].split("</div>")[0].count('class="medal"') == 1
    assert "data-still" not in anna.get(path).text
    page.goto(begun)
    expect(number).to_have_text("1 : 10")
    expect(page.locator("[data-still]")).to_have_count(0)
    page.locator(".shut > summary", has_text="Found a Fief").click()
    expect(page.locator(".shut .why:visible")).to_have_text("Founding a Fief needs a Castle or a Palace in your Hand.")

    # Groups that march: a card each, and the road drawn on the chart by the server, until the card is taken back.
    roads = page.locator("[data-laid=course] .plan")
    page.goto(at("fief", 3, "middle"))
    for code in ("Thierry", "pugnac"):
        page.locator(f'.f-chart .f-lord[data-value="{code}"], .f-chart .f-village[data-value="{code}"]').click()
    expect(roads).to_have_count(1)
    knights = page.locator("[name=f_moves__1__knights]")
    expect(page.locator(".f-lordcard [data-laid=head]")).to_contain_text("Thierry leads from")
    page.locator(".f-lordcard .stepped", has=knights).get_by_role("button", name="one more").click()
    expect(knights).to_have_value("1")
    expect(page.locator("[data-laid=course] .f-plate text").first).to_have_text("1")
    page.locator("[data-row] [data-do=drop]").first.click()
    expect(roads).to_have_count(0)


def test_an_attack_says_while_it_is_put_together_what_it_can_take(page: Page, sits: Callable[[Laid], str]) -> None:
    path = sits(passing("ortus", "4-earls-last-falls-by-deck", 0.499))
    told, cards = page.locator(".told-sum:visible"), page.locator("details[open] input[name=f_reserve__Infantry]")
    page.goto(path)
    page.locator('[data-value="siege:a:F2"]').click()
    page.locator('[data-value="lord:F1"]').click()
    expect(told).to_have_text("Points sent: 1. Walls and Towers stop 2, and each defender one more.")
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        cards.fill("1")
        expect(told).to_have_text("Points sent: 2. It falls if the defender fields no card.")
        cards.fill("2")
        expect(told).to_have_text(
            "Points sent: 3. It falls if the defender fields at most 1 of 3 possible cards, unless “Defender Wins” is drawn."
        )
        box = told.bounding_box()
        assert box and box["height"] > 30 and box["y"] + box["height"] <= height, "the sentence is in sight, on a phone too"
    # Without scripts the look ahead says the same.
    page.get_by_role("button", name="Look ahead").filter(visible=True).click()
    ahead = page.locator(".confirm")
    expect(ahead).to_contain_text("It still falls if the defender fields a single card, unless the result is “Defender Wins”.")
    expect(ahead).to_contain_text("“Defender Wins” is on 3 of the 23 Battle Cards left, “Church Decides” on 3.")
