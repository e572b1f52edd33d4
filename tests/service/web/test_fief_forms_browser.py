"""Fief's own forms in a real browser: the felt of an exchange, the choice after a refusal, the steppers of a purchase."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from engine.core.procedure import begin
from engine.fief import FIEF
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_fief_browser import practised  # noqa: F401  (fixtures)
from tests.service.web.test_fief_pages import Table, table  # noqa: F401  (fixtures)

pytestmark = pytest.mark.browser


def test_what_is_ticked_lies_on_the_felt_and_goes_back_to_its_hand(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\nArthur: b sigy\nsigy: b\nsigy.b: 3 maa\n"
        "Henri: c tournus\ntournus: c\ntournus.c: 1 maa\na.deniers: 5\na.hand: bountiful_harvest, taxes\n"
    )
    begin(state)
    path = table.lay_out("a", state)
    page = browse(path, width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".at-any-time > summary").click()
    page.locator(".at-any-time summary", has_text="Offer an exchange").click()
    deal = page.locator("[data-deal]")
    card = deal.get_by_role("checkbox", name="Bountiful Harvest")
    card.press("Space")
    expect(deal.locator(".f-felt .mine [name=f_give_cards__bountiful_harvest]")).to_be_checked()
    expect(card).to_be_focused()
    expect(deal.locator(".f-side-hand.mine [name=f_give_cards__taxes]")).to_have_count(1)
    deal.get_by_role("radio").first.check()
    expect(deal.locator(".f-side-hand.theirs h3")).to_have_text("What Baldwin has")
    expect(deal.locator("[name=f_want_villages__tournus]")).to_be_hidden()
    deal.locator("[name=f_want_villages__sigy]").check()
    expect(deal.locator(".f-felt .theirs [name=f_want_villages__sigy]")).to_be_checked()
    expect(deal.locator(".f-sign-here")).to_have_text("You give Bountiful Harvest for the village of Sigy.")
    card.press("Space")
    expect(deal.locator(".f-side-hand.mine [name=f_give_cards__bountiful_harvest]")).not_to_be_checked()
    # Without scripts what a link has filled in lies on the felt at once.
    still = browse(
        f"{path}?offer=exchange&option=propose&to=b&give_cards=taxes#verb-exchange-propose", width=390, scripts=False
    )
    expect(still.locator(".f-felt .mine [name=f_give_cards__taxes]")).to_be_checked()
    expect(still.locator(".f-side-hand.mine [name=f_give_cards__bountiful_harvest]")).to_have_count(1)


def test_each_march_keeps_its_own_choice_for_a_refusal(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nHenri: a bourg\nbourg: a\nbourg.a: 3 maa 1 knights\n"
        "villeneuve: b\nvilleneuve.b: 2 maa\nArthur: b villeneuve\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    card, asked = page.locator("[data-row]"), page.locator(".f-if-refused")
    for lord in ("Charles", "Henri"):
        page.locator(f'[data-stall] [data-value="{lord}"]').press("Enter")
        page.locator('.f-village[data-value="villeneuve"]').press("Enter")
        page.locator('.f-village[data-value="charolles"]').press("Enter")
        expect(asked.last).to_be_visible()
    expect(asked.nth(1).get_by_role("radio", name="ask me then")).to_be_checked()
    asked.nth(0).get_by_role("radio", name="go back").check()
    asked.nth(1).get_by_role("radio", name="stay").check()
    page.get_by_role("button", name="Another march").click()
    expect(card).to_have_count(3)
    expect(asked.nth(0).get_by_role("radio", name="go back")).to_be_checked()
    expect(asked.nth(1).get_by_role("radio", name="stay")).to_be_checked()
    page.get_by_role("button", name="Take march 1 back").click()
    expect(card).to_have_count(2)
    expect(page.locator('[name="f_moves__1__refused"][value="stay"]')).to_be_checked()
    expect(page.locator('[name="f_moves__2__refused"][value=""]')).to_be_checked()


def test_on_a_phone_each_thing_for_sale_has_a_stepper_of_its_own(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 4b\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\na.deniers: 9\nArthur: b sigy\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    for ware, code in (("Man-at-Arms", "maa"), ("Knight", "knight"), ("Mill", "mill")):
        page.get_by_role("button", name=f"{ware}, Bourg: one more").click()
        expect(page.locator(f"[name^=f_items__][value={code}]")).to_have_count(1)
    expect(page.locator(".f-purse")).to_contain_text("2 Deniers left after this.")


def test_on_a_phone_an_unsent_offer_doesnt_scroll_the_question_away(browse: Open, table: Table) -> None:
    """An offer that was typed and not sent is filled in again inside a closed list: that must not scroll the sheet."""
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 2c\nCharles: a bourg\nbourg: a\nArthur: b sigy\nsigy: b\na.hand: bountiful_harvest\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=390)
    page.set_viewport_size({"width": 390, "height": 560})
    page.locator(".at-any-time > summary").click()
    page.locator(".at-any-time summary", has_text="Offer an exchange").click()
    page.locator("[name=f_want_deniers]").fill("2")
    page.reload()
    expect(page.locator("[name=f_want_deniers]")).to_have_value("2")
    sheet = page.locator("[data-part=question]")
    sheet.evaluate("x => { x.style.transition = 'none'; x.style.height = '120px'; x.scrollTop = 9; }")
    fold = page.locator(".at-any-time:not([open]) details.option[open]").first
    fold.evaluate("x => x.dispatchEvent(new Event('toggle'))")  # the browser tells late that it was opened
    assert sheet.evaluate("x => x.scrollTop") == 9


def test_a_note_of_a_first_game_hides_no_phase_behind_the_hand(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read("fief: 1\nseats: a b c\nphase: 4b\nCharles: a bourg\nbourg: a\nArthur: b sigy\n")
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    page.set_viewport_size({"width": 1280, "height": 800})
    note = "<form class='first-note'><p>Men-at-Arms cost 1 Denier.</p><button>Got it</button></form>"
    page.locator("[data-part=board]").evaluate("(x, note) => x.insertAdjacentHTML('afterbegin', note)", note)
    bar, hand = page.locator(".f-round").bounding_box(), page.locator("[data-part=hand]").bounding_box()
    assert bar and hand and bar["y"] + bar["height"] <= hand["y"] + 2


def test_a_lone_lord_who_marches_isnt_said_to_stay(browse: Open, table: Table) -> None:
    state = FIEF.rules.notation.read(
        "fief: 1\nseats: a b c\nphase: 5\nCharles: a bourg\nbourg: a\nbourg.a: 3 maa\nArthur: b sigy\n"
    )
    begin(state)
    page = browse(table.lay_out("a", state), width=1280)
    expect(page.locator(".f-stays li")).to_contain_text("Charles stays at Bourg")
    page.locator('.f-lord[data-value="Charles"]').press("Enter")
    expect(page.locator("[data-row]")).to_contain_text("Charles leads from Bourg")
    expect(page.locator(".f-stays li")).to_be_hidden()
