"""The table of Ortus Regni in a browser: what is under way, and what is being put together."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from typing import cast

import pytest

pytest.importorskip("axe_playwright_python")
from playwright.sync_api import Page, expect

from engine.ortus.face.view import OrtusState
from tests.service.web.axe import violations
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_table_browser import inside, sits, sized  # noqa: F401  (fixtures)
from tests.tables import Laid, laid, reached

pytestmark = pytest.mark.browser

SIZES = ((1280, 800), (390, 844))
LOOK = "(button) => button.setAttribute('formaction', button.form.action.replace(/answer$/, 'preview'))"
WHOLE = "(x) => x.scrollHeight <= x.clientHeight + 1 && x.scrollWidth <= x.clientWidth + 1"
"""Whether nothing of an element is scrolled out of it."""


def looked_at(page: Page, verb: str) -> None:
    """Press a verb that asks once more, as it does while something else is half composed: see typed.js."""
    button = page.locator(f"#verb-{verb}")
    button.evaluate(LOOK)
    button.click()


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


def test_a_role_leaves_what_is_counted_of_one_s_own_whole_on_a_phone(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = browse("about:blank")
    for moment in ("start", "middle"):
        sized(page, 390, 844, sits(laid("ortus", 6, moment)))
        board, counts = page.locator("[data-part=board]").bounding_box(), page.locator(".near .plaque dl").bounding_box()
        assert board and counts and counts["y"] + counts["height"] <= board["y"] + board["height"], moment
    for honour in page.locator(".far .honour:visible").all():
        box, header = honour.bounding_box(), page.locator(".far header").first.bounding_box()
        assert box and header and box["y"] + box["height"] <= header["y"] + header["height"], "over no Castle"


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
    # OR-JOU-9, 10: what was dealt lies there, tilt by tilt, until the Turn is over, and in the log.
    page.goto(sits(reached("ortus", "6-earls-last-falls-by-deck", 272, "f")))
    expect(page.locator(".lists .won .dealt .card")).to_have_count(5)
    expect(page.locator(".events .of-line").first.locator(".told")).to_have_count(5)
    page.locator(".past-joust > summary").click()
    expect(page.locator(".lists")).to_be_hidden()


def test_a_card_of_the_hand_enters_a_joust_by_a_tap(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = sized(browse("about:blank"), 390, 844, sits(reached("ortus", "6-earls-last-falls-by-deck", 208)))
    expect(page.locator(".doing.joust .between")).to_contain_text("Now you enter, or stay out.")
    page.locator("[data-part=question] summary", has_text="Stake and tilt").click()
    page.locator(".ortus-hand [data-value^='hand:']").first.click()
    expect(page.locator("[data-part=question] input[name=f_tilter]:checked")).to_have_count(1)


@pytest.mark.parametrize(
    ("stem", "n", "seat"),
    [
        ("6-earls-last-falls-by-anchors", 61, "f"),  # six in the lists
        ("6-earls-last-falls-by-anchors", 63, "f"),  # and when it is over
        ("5-earls-last-falls-by-anchors", 16, "b"),  # with Joust Cards
        ("2-earls-first-rulings-last-falls-by-deck", 50, "a"),  # Politics
        ("6-earls-last-falls-by-anchors", 39, "f"),  # a Struggle
        ("6-earls-last-falls-by-anchors", 192, "d"),  # seven Fiefs
    ],
)
def test_on_a_phone_the_own_land_is_seen_whatever_is_under_way(
    browse: Open, sits: Callable[[Laid], str], stem: str, n: int, seat: str
) -> None:
    page = sized(browse("about:blank"), 390, 844, sits(reached("ortus", stem, n, seat)))
    board, hold = page.locator("[data-part=board]").bounding_box(), page.locator(".near .hold").first.bounding_box()
    assert board and hold and hold["height"] >= 28, hold
    assert hold["y"] + hold["height"] <= board["y"] + board["height"]
    ribbon = page.locator(".near .fief .ribbon").first.bounding_box()
    assert ribbon and ribbon["y"] + ribbon["height"] <= board["y"] + board["height"] + 1
    for rider in page.locator(".lists > li").all():
        box = rider.bounding_box()
        assert box and box["y"] + box["height"] <= hold["y"], "all who ride are in view, too"
    assert violations(page) == []


def test_what_the_vikings_do_bears_their_sign_in_the_log(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = browse(sits(laid("ortus", 2, "fight")))
    line = page.locator(".events > li", has_text="The Viking host raided").first
    expect(line.locator(".nobody use")).to_have_attribute("href", re.compile(r"/ortus\.svg\?v=\w+#actor-v$"))


def test_what_another_has_done_to_one_s_own_land_is_marked_there(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = sized(browse("about:blank"), 1280, 800, sits(reached("ortus", "6-earls-last-falls-by-deck", 139, "a")))
    expect(page.locator(".near .fief.fresh")).to_have_count(1)
    page.locator(".events [data-lights~='a:F1']").first.hover()
    expect(page.locator(".near .fief.lit")).to_have_count(1)


def test_a_ribbon_goes_round_the_bag_and_the_decks(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "6-earls-last-falls-by-anchors", 37, "f")))
        page.locator("#verb-treachery").click()
        for aim in ("hand:a", "hand:d", "hand:e"):
            page.locator(f"[data-value='{aim}']").click(force=True)
            expect(page.locator(".plan")).to_have_count(1)
            assert page.evaluate(COVERED) == [], (width, aim)
            expect(page.locator(".told-sum")).to_contain_text("Two Hand cards")


COVERED = """() => {
  const line = document.querySelector(".plan-over"), clear = [...document.querySelectorAll(".bag, .decks")];
  const to = (p) => new DOMPoint(p.x, p.y).matrixTransform(line.getScreenCTM());
  const dots = Array.from({ length: 60 }, (_, i) => to(line.getPointAtLength((line.getTotalLength() * i) / 59)));
  const boxes = clear.map((x) => [x.className, x.getBoundingClientRect()]);
  const over = (b) => dots.some((p) => p.x > b.left && p.x < b.right && p.y > b.top && p.y < b.bottom);
  return boxes.filter(([, box]) => over(box)).map(([name]) => name);
}"""
"""What must stay in view, and has the ribbon over it."""


def test_what_is_gained_is_attached_on_the_board(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-JOU-13, OR-DEST-6: one Fief after the other is told what it gets, and all of it is drawn there."""
    page = sized(browse("about:blank"), 1280, 800, sits(reached("ortus", "6-earls-last-falls-by-deck", 211)))
    expect(page.locator(".plan-ghost")).to_have_count(4)
    for fief in ("F2", "F3"):
        page.locator(f".near [data-value={fief}]").click()
    chosen = page.locator("[data-part=question] select").evaluate_all("(all) => all.map((x) => x.value)")
    assert chosen == ["F2", "F3", "F1", "F1"]
    expect(page.locator(".plan-ghost[data-at=F1]")).to_have_count(2)
    page.set_viewport_size({"width": 390, "height": 844})  # it has hardly any room for the Fiefs below the Joust
    page.wait_for_function("""() => [...document.querySelectorAll(".plan-ghost")].every((ghost) =>
      ghost.querySelector("use").getBoundingClientRect().height <=
      document.querySelector(`.near [data-value=${ghost.dataset.at}]`).getBoundingClientRect().height + 1)""")


def test_what_a_mercenary_brings_is_drawn_before_it_counts(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = sized(browse("about:blank"), 1280, 800, sits(reached("ortus", "5-earls-last-falls-by-deck", 8)))
    looked_at(page, "mercenary")
    expect(page.locator(".confirm")).to_be_visible()
    expect(page.locator(".quarters .still-ghost .card")).to_have_count(1)


def test_with_three_rows_of_verbs_an_attack_is_put_together_in_view(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = sized(browse("about:blank"), 1280, 800, sits(reached("ortus", "5-earls-last-falls-by-deck", 120)))
    page.locator("#verb-attack").click()
    page.locator("[data-value='siege:e:F1']").click()
    page.locator("[data-value='lord:F1']").click()
    form = page.locator("[data-part=question] .option[open] form")
    forces, button = form.locator("fieldset").nth(1).bounding_box(), form.locator(".row").last.bounding_box()
    assert forces and button and forces["y"] + forces["height"] <= button["y"], "Lords and Hand lie above what is pressed"
    assert page.locator("[data-part=hand]").evaluate("(x) => x.scrollHeight <= x.clientHeight + 1")


def test_a_switch_says_how_one_attacks_and_follows_what_is_chosen(browse: Open, sits: Callable[[Laid], str]) -> None:
    """By its keys, and without scripts: what there is to attack in that way is all that the form shows."""
    page = sized(browse("about:blank"), 1280, 800, sits(reached("ortus", "6-earls-last-falls-by-deck", 154)))
    page.locator("#verb-attack").click()
    ways, picks = page.locator(".kinds input"), page.locator(".switched > .pick:visible input")
    assert {x.input_value().split(":")[0] for x in picks.all()} == {"siege"}
    anchors = page.locator(".switched > .pick.of-siege .what")
    shown = [" ".join(text.split()) for text in anchors.all_inner_texts()]
    assert shown and all(re.search(r"\S Fief \d, (.*'s )?(Castle|Palace)$", text) for text in shown), shown
    does = page.locator(".switched > .hint:visible")
    assert does.count() == 1 and "bring down a Castle" in does.inner_text()
    page.locator(".far [data-value^='raid:c']").first.click()
    expect(page.locator(".kinds input[value=raid]")).to_be_checked()
    chosen = page.locator(".switched > .pick input:checked")
    place = chosen.input_value().split(":")[1:]
    page.locator(".kinds input[value=raid]").focus()
    assert "destroys a Property" in does.inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".far .chosen")).to_have_attribute("data-value", ":".join(["siege", *place]))
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    assert chosen.input_value() == "tower:c" and ways.count() == 3
    assert violations(page) == []


def test_on_a_narrow_board_the_names_of_five_rivals_are_whole(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = sized(browse("about:blank"), 960, 800, sits(laid("ortus", 6, "middle")))
    cut = page.locator(".far .name").evaluate_all(
        "(all) => all.filter((x) => x.scrollHeight > x.clientHeight + 2).map((x) => x.textContent)"
    )
    assert cut == []
    signs = page.locator(".far .count:not(:has(details)) .part").evaluate_all(
        "(all) => all.map((x) => x.getBoundingClientRect().width)"
    )
    assert signs and min(signs) > 10


def test_the_deck_that_a_question_asks_for_is_built_in_it(browse: Open, sits: Callable[[Laid], str]) -> None:
    """The numbers stand under the cards and are added up; without scripts they are the same boxes."""
    path = sits(reached("ortus", "6-earls-last-falls-by-deck", 1, "f"))
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, path)
        deck = page.locator("[data-part=question] .deck-picks")
        expect(deck.locator(".card.sample")).to_have_count(15)
        expect(deck.locator("[data-total]")).to_contain_text("24 of 24")
        castle = page.get_by_role("spinbutton", name="Castle")
        usual = int(castle.input_value())
        castle.fill(str(usual + 1))
        expect(deck.locator("[data-total]")).to_contain_text("1 too many")
        castle.fill(str(usual))  # what one has typed is kept for the next visit
        assert page.locator("[data-part=question]").evaluate("(x) => x.scrollWidth <= x.clientWidth")
    assert violations(page, frames=False) == []
    plain = browse(path, scripts=False)
    expect(plain.locator(".deck-pick input[type=number]")).to_have_count(15)


def test_without_scripts_a_deck_is_added_up_by_a_button(browse: Open, sits: Callable[[Laid], str]) -> None:
    """The page comes again with what was chosen, the total, and what there is too much of; nothing is played by it."""
    page = browse(sits(reached("ortus", "6-earls-last-falls-by-deck", 1, "f")), scripts=False)
    total, castle = page.locator("[data-total]"), page.get_by_role("spinbutton", name="Castle")
    expect(total).to_have_text("24 of 24 cards: the deck is full.")
    usual = int(castle.input_value())
    for n, said in (
        (usual - 1, "23 of 24 cards: 1 to go."),
        (usual + 1, "25 of 24 cards: 1 too many."),
        (7, f"{24 - usual + 7} of 24 cards: {7 - usual} too many. Castle: 6 at most."),
    ):
        castle.fill(str(n))
        page.get_by_role("button", name="Add it up").click()
        expect(total).to_have_text(said)
        expect(castle).to_have_value(str(n))
        expect(page.get_by_role("button", name="Submit this deck")).to_be_visible()
        assert not page.locator("[role=alert]").count()
    # With scripts it is added up at once, and the Enter key submits the deck.
    scripted = browse(page.url.partition("/sum")[0] + "/table")
    expect(scripted.locator("[data-total]")).to_have_text("24 of 24 cards: the deck is full.")
    expect(scripted.locator(".add-up")).to_have_count(0)


def test_a_deck_of_the_house_is_taken_in_the_question(browse: Open, sits: Callable[[Laid], str]) -> None:
    """On a phone, too, two rows of cards, the total and the button are in view; without scripts a link fills the numbers in."""
    path = sits(reached("ortus", "6-earls-last-falls-by-deck", 1, "f"))
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, path)
        before = page.get_by_role("spinbutton", name="Champion").input_value()
        page.get_by_role("link", name="The Marshal").click()
        expect(page.locator("#f_cards-Champion")).to_have_value("4")
        expect(page.locator("[data-fills][aria-current]")).to_have_text("The Marshal")
        expect(page.locator("[data-total]")).to_contain_text("the deck is full")
        page.get_by_role("button", name="Champion: one fewer").click()
        expect(page.locator("#f_cards-Champion")).to_have_value("3")
        expect(page.locator("[data-total]")).to_contain_text("1 to go")
        expect(page.locator("[data-fills][aria-current]")).to_have_count(0)
        for part in (page.locator("[data-total]"), page.get_by_role("button", name="Submit this deck")):
            assert inside(part, width, height), (width, part)
        page.get_by_role("link", name="The Steward").click()
        assert before == "2"
        expect(page.locator("#f_cards-Champion")).to_have_value(before)
        apart = page.locator(".deck-pick").evaluate_all("(all) => all.filter((x) => x.scrollWidth > x.clientWidth + 1).length")
        assert apart == 0, width
    total = page.locator("[data-total]").bounding_box()
    boxes = [x.bounding_box() for x in page.locator(".deck-pick input").all()]
    assert total and sum(bool(box and box["y"] + box["height"] < total["y"]) for box in boxes) >= 8
    plain = browse(path, scripts=False)
    plain.get_by_role("link", name="The Schemer").click()
    expect(plain.locator("#f_cards-Vassal")).to_have_value("5")
    expect(plain.locator("#f_cards-Champion")).to_have_value("0")


def test_what_a_banquet_brings_and_bequeathing_takes_is_drawn(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-BANQ-1, OR-BEQ-3: while it is asked whether that is meant, on a phone with the sheet below the Hand."""
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "5-earls-last-falls-by-deck", 120)))
        looked_at(page, "banquet")
        expect(page.locator(".ortus-hand .comes")).to_have_count(2)
        expect(page.locator(".ortus-hand .leaves")).to_have_text("BanquetDraw 2")
        expect(page.locator(".near .plaque .then")).to_have_text(["→ 8", "→ 2"])
        for card in page.locator(".ortus-hand .comes").all():
            assert inside(card, width, height)
        confirm, hand = page.locator(".confirm").bounding_box(), page.locator("[data-part=hand]").bounding_box()
        assert confirm and hand and (width > 960 or confirm["y"] >= hand["y"] + hand["height"])
        assert inside(page.locator(".confirm"), width, height)
        sized(page, width, height, sits(reached("ortus", "5-earls-last-falls-by-anchors", 89)))
        page.locator("#verb-bequeath").click()
        expect(page.locator(".near .medal.leaves")).to_have_count(1)
        expect(page.locator(".near .plaque .then")).to_have_text(["→ 15", "→ 0"])
        expect(page.locator(".ortus-hand .comes")).to_have_count(0)
    assert violations(page, frames=False) == []


def test_an_anchor_that_was_staked_and_lost_stays_a_card(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-JOU-12: it is the winner's newest Fief by then."""
    page = sized(browse("about:blank"), 1280, 800, sits(reached("ortus", "6-earls-last-falls-by-deck", 211)))
    stakes = page.locator(".lists > li .staked .card .cname")
    expect(stakes).to_have_text(["Castle", "Market Town", "Land", "Church", "Land", "Palace"])


def test_what_is_chosen_on_the_board_is_seen_in_the_form(browse: Open, sits: Callable[[Laid], str]) -> None:
    """However many there are to choose from: above the button, which stays, and fades what goes on below it."""
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "5-earls-last-falls-by-deck", 221)))
        page.locator("#verb-intrigue").click()
        page.locator("[data-part=board] [data-value='armies:a']").click(force=True)
        form = page.locator("[data-part=question] .option[open] form")
        chosen, button = form.locator("label:has(:checked)").bounding_box(), form.locator(".row").last.bounding_box()
        assert chosen and button and chosen["y"] + chosen["height"] <= button["y"], width
        assert inside(form.locator("label:has(:checked)"), width, height)
    sized(page, 1280, 800, sits(reached("ortus", "4-earls-with-roles-picked-last-falls-by-anchors", 80)))
    page.locator("#verb-attack").click()
    page.locator("[data-value='siege:d:F1']").click()
    page.locator("[data-value='lord:F1']").click()
    page.locator("[data-part=hand] [data-value].can").first.click(force=True)
    form = page.locator("[data-part=question] .option[open] form")
    chosen, button = form.locator("label:has(:checked)").last.bounding_box(), form.locator(".row").last.bounding_box()
    assert chosen and button and chosen["y"] + chosen["height"] <= button["y"]
    assert form.locator(".row").last.evaluate("(x) => getComputedStyle(x, '::before').backgroundImage.includes('gradient')")


def test_ten_cards_lie_beside_the_reserve(browse: Open, sits: Callable[[Laid], str]) -> None:
    """Fanned, and none of one under the other; what is asked stays in view."""
    found = deepcopy(reached("ortus", "4-earls-with-roles-picked-last-falls-by-anchors", 80))
    earl = cast("OrtusState", found.state).table.earls[found.seat]
    while len(earl.hand) < 10:
        earl.hand.append(earl.deck.pop())
    path, page = sits(found), browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, path)
        cards = [x.bounding_box() for x in page.locator(".ortus-hand li").all()]
        assert len(cards) == 10 + len(earl.reserve)
        for card, after in pairwise(cards):
            assert card and after and after["x"] >= card["x"] + 14
        last, first = cards[9], cards[10]
        assert last and first and last["x"] + last["width"] <= first["x"], width
        for part in ("bar", "board", "hand"):
            assert inside(page.locator(f"[data-part={part}]"), width, height), (width, part)


def test_a_field_that_holds_no_more_makes_room(browse: Open, sits: Callable[[Laid], str]) -> None:
    """What nobody picked goes out for what is picked on the board, and both are said."""
    page = sized(browse("about:blank"), 1280, 800, sits(reached("ortus", "2-earls-first-rulings-last-falls-by-deck", 50)))
    form = page.locator("[data-part=question] .option[open] form")
    before = form.locator(":checked").count() + sum(int(x.input_value()) for x in form.locator("[type=number]").all())
    page.locator(".troops [data-value].can").last.click()
    expect(page.locator("[data-step]")).to_contain_text("chosen.")
    expect(page.locator("[data-step]")).to_contain_text("taken out again.")
    after = form.locator(":checked").count() + sum(int(x.input_value()) for x in form.locator("[type=number]").all())
    assert before == after == 2


def test_a_list_of_aims_is_one_line_while_the_force_is_chosen(browse: Open, sits: Callable[[Laid], str]) -> None:
    """So all of an attack is in view beside its button; the list is whole again for who comes back to it."""
    path = sits(reached("ortus", "4-earls-with-roles-picked-last-falls-by-anchors", 80))
    page = sized(browse("about:blank"), 1280, 800, path)
    page.locator("#verb-attack").click()
    page.locator("[data-value='siege:d:F1']").click()
    form = page.locator("[data-part=question] .option[open] form")
    expect(form.locator(".pick [type=radio]:visible")).to_have_count(1)
    page.locator("[data-value='lord:F1']").click()
    button = form.locator(".row").last.bounding_box()
    for forces in form.locator("fieldset").all()[1:4]:
        box = forces.bounding_box()
        assert box and button and box["y"] + box["height"] <= button["y"], "Lords, Hand and Reserve lie above what is pressed"
    form.locator(".pick [type=radio]:checked").focus()
    expect(form.locator(".pick [type=radio]:visible")).to_have_count(form.locator(".of-siege").count())


def test_an_attack_of_the_vikings_counts_their_host(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-VIK-9: nobody is picked for it, and what it meets is told all the same."""
    page = sized(browse("about:blank"), 1280, 800, sits(reached("ortus", "6-earls-last-falls-by-anchors", 101)))
    force = page.locator(".host .medal b").all_text_contents()
    page.locator("#verb-attack").click()
    page.locator("[data-part=board] [data-value^='siege:']").first.click()
    expect(page.locator(".told-sum")).to_contain_text(f"Points sent: {sum(map(int, force))}.")


def test_on_a_phone_the_camp_is_beside_the_fiefs(browse: Open, sits: Callable[[Laid], str]) -> None:
    """What is hired stands there whole, and a pick of what lies before a Castle is one of the Castle."""
    page = sized(browse("about:blank"), 390, 844, sits(reached("ortus", "5-earls-last-falls-by-deck", 8)))
    looked_at(page, "mercenary")
    assert inside(page.locator(".quarters .still-ghost .card"), 390, 844)
    assert page.locator(".fore").first.evaluate("(x) => getComputedStyle(x).pointerEvents") == "none"


def test_a_role_says_what_it_brings_before_it_is_taken(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "4-earls-with-roles-picked-last-falls-by-anchors", 0)))
        expect(page.locator(".role-words dt")).to_have_text(["King", "Archbishop", "Duke", "Earl"])
        assert inside(page.locator(".role-words"), width, height)
    looked_at(page, "king")
    expect(page.locator(".confirm")).to_contain_text("keep this role to the end of the game")


def test_who_is_out_of_the_game_leaves_the_shore_to_the_others(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(laid("ortus", 6, "middle")))
        gone, there = (
            page.locator(".far .gone").first.bounding_box(),
            page.locator(".far .earl:not(.gone)").first.bounding_box(),
        )
        assert gone and there and gone["width"] < there["width"] * 0.7


def test_the_own_land_is_scrolled_by_keyboard_where_nothing_is_picked(browse: Open, sits: Callable[[Laid], str]) -> None:
    found = reached("ortus", "6-earls-last-falls-by-deck", 211, "a")
    page = sized(browse("about:blank"), 390, 844, sits(found))
    expect(page.locator(".estate")).to_have_attribute("tabindex", "0")
    assert violations(page, frames=False) == []


def test_a_defence_is_put_together_on_its_side_of_the_battle(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-OBJ-1, OR-ROLE-27: whoever is picked stands there with the sum, and it is said how many it takes to hold."""
    page = browse("about:blank")
    for width, height in SIZES:
        path = sits(reached("ortus", "4-earls-with-roles-picked-last-falls-by-anchors", 76, "c"))
        sized(page, width, height, path)
        page.locator("[data-part=question] .option summary").click()
        told, force = page.locator(".told-sum"), page.locator(".battle .mustered")
        expect(told).to_have_text("Cards you need to hold: 8.")
        page.locator(".near [data-value='lord:F1']").click()
        page.locator(".near [data-value='lord:F2']").click()
        page.locator(".troops [data-value=Knight]").click(force=True)
        expect(force.locator(".medal b")).to_have_text(["1", "0", "2"])
        expect(force).to_have_attribute("data-sum", "3")
        expect(told).to_have_text("Cards fielded: 3. You need 8 to hold, or “Defender Wins”.")
        expect(page.locator(".battle .fielded").last).to_be_hidden()
        for part in (force, told, page.get_by_role("button", name="Field cards")):
            assert inside(part, width, height), (width, part)
        assert page.locator(".doing.battle").evaluate(WHOLE), width
    assert violations(page, frames=False) == []
    plain = browse(f"{path}?option=field&lords=lord:F1&reserve=Knight", scripts=False)
    expect(plain.locator(".battle .mustered .medal")).to_have_count(2)


def test_a_battle_that_is_decided_says_how_and_what_fell(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-BAT-3, OR-BAT-2: nobody is waited for any more, no card is about to be drawn, and nothing is scrolled out of it."""
    game, page = "4-earls-with-roles-picked-last-falls-by-anchors", browse("about:blank")
    for width, height in (*SIZES, (1024, 768)):
        sized(page, width, height, sits(reached("ortus", game, 82)))
        battle = page.locator(".doing.battle")
        expect(battle.locator(".side").last).to_contain_text("fields nothing")
        expect(battle.locator(".battle-card")).to_have_count(0)
        expect(battle.locator(".fallen .card")).to_have_count(5)
        assert battle.evaluate(WHOLE), width
        sized(page, width, height, sits(reached("ortus", game, 78)))
        expect(page.locator(".doing .decided")).to_have_text("Defender Wins")
        assert page.locator(".doing.battle").evaluate(WHOLE), width
        if width > 960:
            assert page.locator(".near .plaque").evaluate(WITHIN), "what is counted of a King's is whole"


WITHIN = "(x) => x.getBoundingClientRect().bottom <= x.closest('.near').getBoundingClientRect().bottom"
"""Whether something ends where the own land does, or before it."""


def test_seven_fiefs_are_seen_in_a_fight_and_another_s_castles_bear_his_arms(browse: Open, sits: Callable[[Laid], str]) -> None:
    found, page = reached("ortus", "6-earls-last-falls-by-anchors", 198, "d"), browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(found))
        keeps = [x.bounding_box() for x in page.locator(".near .keep").all()]
        assert len(keeps) == 7 and all(box and box["height"] > 30 for box in keeps), width
        expect(page.locator(".near .fief .ribbon .arms")).to_have_count(6)
        cut = page.locator(".near .fief .ribbon").evaluate_all(
            "(all) => all.filter((x) => x.scrollWidth > x.clientWidth + 1 || x.scrollHeight > x.clientHeight + 1).length"
        )
        assert cut == 0, width


def test_whoever_placed_towers_looks_them_up(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-ZONE-1, rules 3: their faces are their holder's, in the order in which they were placed."""
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "3-earls-last-falls-by-deck", 40)))
        slip = page.locator(".near .plaque .slip", has_text="Towers, from the first (7)")
        page.locator(".near .plaque summary", has_text="Towers").click()
        expect(slip).to_contain_text("Land, Market Town, Intrigue, Allies, Vassal, Banner, Land")
        assert inside(slip, width, height)


def test_a_contest_shows_everybody_s_legacy_points(browse: Open, sits: Callable[[Laid], str]) -> None:
    """OR-ROLE-41, OR-ROLE-42: points as cubes of their owners' colours, in view while roles are picked and bid for."""
    page = browse("about:blank")
    for width, height in SIZES:
        for n in (1, 2):  # a role is picked, and bid for
            sized(page, width, height, sits(reached("ortus", "4-earls-with-roles-contested-last-falls-by-anchors", n)))
            muster = page.locator(".muster")
            expect(muster.locator(".legacy li")).to_have_count(4)
            assert muster.evaluate(WHOLE), (width, n)
            assert not violations(page)
    expect(page.locator(".muster")).to_contain_text("Both bid in secret.")


def test_a_tapped_card_opens_what_plays_it_and_towers_only_by_their_verb(browse: Open, sits: Callable[[Laid], str]) -> None:
    """What lies down as a Tower never comes back, so that nobody is led there by a tap on a card."""
    page = browse("about:blank")
    for width, height in SIZES:
        sized(page, width, height, sits(reached("ortus", "5-earls-last-falls-by-deck", 120)))
        page.locator("[data-part=hand] [data-value^=Banquet]").first.click()
        expect(page.locator("#verb-banquet")).to_be_focused()
        expect(page.locator("[data-part=question] .option[open]:not(.shut)")).to_have_count(0)
        tower, end, attack = (page.locator(f"#verb-{verb}").bounding_box() for verb in ("tower", "end", "attack"))
        assert tower and end and attack and min(tower["height"], end["height"]) >= 44
        assert tower["y"] + tower["height"] + 6 <= attack["y"] and attack["y"] + attack["height"] + 6 <= end["y"], width
        page.locator("#verb-tower").click()
        page.locator("[data-part=hand] [data-value^=Banquet]").first.click()
        expect(page.locator("[data-part=hand] [data-value^=Banquet].chosen")).to_have_count(1)
