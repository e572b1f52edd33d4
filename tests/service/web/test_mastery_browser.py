"""The map of Medieval Mastery in a real browser: by mouse, by keyboard, without scripts, on a phone, in both themes."""

from __future__ import annotations

import itertools
import re

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Locator, Page, expect

from engine.core import procedure
from engine.games import GAMES
from tests.service.web.axe import in_both_themes
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_mastery_pages import Desk, Position, desk, form_of, positions  # noqa: F401  (fixtures)
from tests.tables import moments, passing, questions, reached

pytestmark = pytest.mark.browser


def at(n: int, kind: str) -> Position:
    return next(p for p in positions(n) if p.kind == kind)


def laid_out(desk: Desk, found: Position) -> str:
    return desk.lay_out(found.n, found.seat, found.state)


def test_the_map_fits_a_phone_and_keeps_nobody_out(browse: Open, desk: Desk) -> None:
    page = browse("about:blank", width=390)
    for found in (at(6, "early"), at(4, "support"), at(2, "conflict"), at(3, "fracture")):
        page.goto(laid_out(desk, found))
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert in_both_themes(page) == []


def march_page(browse: Open, desk: Desk, scripts: bool = True) -> tuple[Page, Position, str]:
    """An early window's page, and a place that can be advanced to."""
    found = at(6, "early")
    march = form_of(found.state, found.seat)["options"][0]
    aim = next(f for f in march["fields"] if f["name"] == "target")["choices"][-1]["id"]
    return browse(laid_out(desk, found), scripts=scripts), found, aim


def unfold(page: Page) -> None:
    """Show the lists that say what is chosen on board and hand."""
    # The board hears of it before one goes on.
    page.evaluate("""() => new Promise((done) => {
      document.addEventListener("toggle", () => done(), { capture: true, once: true });
      document.querySelector(".option[open] .by-hand > summary").click();
    })""")


def test_a_click_or_enter_on_a_place_chooses_it(browse: Open, desk: Desk) -> None:
    page, found, aim = march_page(browse, desk)
    place, select = page.locator(f'.hexmap [data-value="{aim}"]'), page.locator("#early-march-target")
    press(page, aim)
    expect(select).to_have_value(aim)
    expect(place).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-step]").first).to_contain_text(aim)
    other = page.locator(f'.hexmap .place:not([data-value="{aim}"])').first
    other.focus()
    page.keyboard.press("Enter")
    expect(select).to_have_value(other.get_attribute("data-value") or "")
    expect(place).to_have_attribute("aria-pressed", "false")
    rival = next(lord for seat, lord in found.state.table.lords.items() if seat != found.seat)
    theirs = page.locator(f'.hexmap [data-value="{rival.slot}"]')
    assert theirs.get_attribute("tabindex") is None, "only what can be chosen takes the focus"


def test_the_castle_is_what_is_left(browse: Open, desk: Desk) -> None:
    page, found, aim = march_page(browse, desk)
    castle = found.state.table.lords[found.seat].knights
    page.locator("details.option > summary").first.click()
    unfold(page)
    pool, share = page.locator("[data-pool]").first, page.locator("[data-share]").first
    expect(pool).to_have_text(f"In your castle: {castle}.")
    before = int(share.input_value())
    share.fill("1")
    expect(pool).to_have_text(f"In your castle: {castle + before - 1}.")
    page.locator("#early-march-target").select_option(aim)
    page.locator("#early-march-knights").fill("1")
    expect(pool).to_have_text(f"In your castle: {castle + before - 1}. Of these, {castle + before - 2} stay.")
    page.locator("#early-march-knights").fill("60")
    expect(pool).to_have_class(re.compile("wrong"))
    expect(page.locator(".mm-chosen").first).to_contain_text("too many are placed")


def test_without_scripts_the_list_does_it(browse: Open, desk: Desk) -> None:
    page, _, aim = march_page(browse, desk, scripts=False)
    assert page.locator(".hexmap [role=button]").count() == 0
    page.get_by_text("The map as a table").click()
    expect(page.get_by_role("row", name=re.compile(rf"^{aim} ")).first).to_be_visible()
    page.locator("summary", has_text="Redistribute and march").first.click()
    page.locator("#early-march-target").select_option(aim)
    expect(page.locator("[data-pool]").first).to_contain_text("In your castle:")


HIDDEN = """() => [...document.querySelectorAll(".hexmap .hex .mm-tile")].filter((name) => {
  const a = name.getBoundingClientRect();
  return [...document.querySelectorAll(".mm-lord")].some((lord) => {
    const b = lord.getBoundingClientRect();
    return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
  });
}).map((name) => name.textContent)"""
SMALL = """() => [...document.querySelectorAll(".mm-lord *")].filter((x) => {
  const said = [...x.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim());
  const drawn = new DOMMatrix(getComputedStyle(x.closest(".mm-lord")).transform).a;
  const shown = x.getClientRects().length && !x.closest(".visually-hidden");
  return said && shown && parseFloat(getComputedStyle(x).fontSize) * drawn < 12;
}).map((x) => x.textContent)"""


def press(page: Page, slot: str) -> None:
    """Click the middle of a place; its box may be larger by a mark that hangs over a neighbour."""
    ground = page.locator(f'.hexmap [data-value="{slot}"] .mm-outline')
    ground.scroll_into_view_if_needed()
    [(left, top, right, bottom)] = boxes(ground)
    page.mouse.click((left + right) / 2, (top + bottom) / 2)


COVERED = """() => [...document.querySelectorAll(".hexmap .hex")].filter((hex) => {
  const ground = hex.querySelector(".mm-outline").getBoundingClientRect();
  const [x, y] = [ground.left + ground.width / 2, ground.top + ground.height / 2];
  const end = document.querySelector(".mm-battle")?.getBoundingClientRect().top ?? Infinity; // what lies below is covered
  const corners = [[0, -0.5], [0.5, -0.25], [0.5, 0.25], [0, 0.5], [-0.5, 0.25], [-0.5, -0.25], [0, 0]];
  const points = corners.map(([a, b]) => [x + 0.85 * a * ground.width, y + 0.85 * b * ground.height]);
  return points.some((at) => at[1] < end && document.elementFromPoint(...at)?.closest(".mm-lord, .mm-note"));
}).map((hex) => hex.dataset.slot)"""


def test_neither_lords_nor_notes_cover_a_place(browse: Open, desk: Desk) -> None:
    page = browse("about:blank")
    page.set_viewport_size({"width": 1280, "height": 800})
    for n in (2, 3, 4, 5, 6):
        for kind in ("fracture", "verdict", "arrange", "early"):
            page.goto(laid_out(desk, at(n, kind)))
            assert page.evaluate(COVERED) == [], (n, kind)
            assert page.locator(".mm-note").count() <= 1, (n, kind, "what is told of lies not over itself")
        page.set_viewport_size({"width": 1280, "height": 900})
        assert page.evaluate(COVERED) == [], (n, "a higher window")
        page.set_viewport_size({"width": 1280, "height": 800})
    middle = page.locator(".at-mr:has(h3:not(.long))").first
    middle.evaluate("""x => {
      x.querySelector("h3 .place, h3").textContent = "Steady B";
      x.querySelector("h3").className = "mid";
      x.querySelector(".mm-points > small").before("1");
    }""")
    assert middle.locator("h3").evaluate("x => x.scrollWidth <= x.clientWidth"), "beside two digits a name is whole"
    for stem, after in (("6-lords-teams-of-3-points", 0.5), ("6-lords-fear-with-the-fractures-points", 0.993)):
        found = passing("mastery", stem, after)
        page.goto(desk.lay_out(6, found.seat, found.state))
        assert page.evaluate(COVERED) == [], stem


def test_on_a_tablet_the_lords_can_be_read_and_cover_no_place(browse: Open, desk: Desk) -> None:
    page = browse("about:blank")
    for n, width, height in ((6, 960, 700), (6, 1024, 768), (4, 1200, 768)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(laid_out(desk, at(n, "early")))
        assert page.evaluate(HIDDEN) == [] and page.evaluate(SMALL) == [], (n, width)
        for words, least in ((".mm-tile", 12), (".mm-slot", 11), (".mm-value", 11), (".mm-mark text", 10.5)):
            size = "x => x.getScreenCTM().a * parseFloat(getComputedStyle(x).fontSize)"
            assert page.locator(f".hexmap {words}").first.evaluate(size) > least, (words, width)
        assert page.evaluate('(x => x.scrollHeight <= x.clientHeight)(document.querySelector(".mm-lords"))'), (n, width)


def test_a_march_to_a_place_takes_one_knight_at_least(browse: Open, desk: Desk) -> None:
    page, _, aim = march_page(browse, desk)
    press(page, aim)
    number = page.locator("#early-march-knights")
    expect(number).to_have_value("1")
    unfold(page)
    number.fill("")
    expect(number).to_have_value("")  # who writes a number is not written over
    number.fill("3")
    expect(page.locator(".stepper output")).to_have_text("3")


@pytest.mark.parametrize("n", [2, 6])
def test_on_a_phone_the_number_is_set_beside_the_place_it_is_for(browse: Open, desk: Desk, n: int) -> None:
    page = browse(laid_out(desk, at(n, "early")), width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".question summary", has_text="March").first.click()
    unfold(page)
    for aim in form_of(at(n, "early").state, at(n, "early").seat)["options"][0]["fields"]:
        for choice in aim["choices"] if aim["name"] == "target" else ():
            page.locator("#early-march-target").select_option(choice["id"])
            hex, stepper = (page.locator(x).bounding_box() for x in (f'.hexmap [data-slot="{choice["id"]}"]', ".steppers"))
            assert hex and stepper
            wide = min(hex["x"] + hex["width"], stepper["x"] + stepper["width"]) - max(hex["x"], stepper["x"])
            high = min(hex["y"] + hex["height"], stepper["y"] + stepper["height"]) - max(hex["y"], stepper["y"])
            assert wide <= 0 or high <= 0 or wide * high < 0.15 * hex["width"] * hex["height"], choice["id"]


def boxes(found: Locator) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of all that is found."""
    shown = [box for box in (x.bounding_box() for x in found.all()) if box is not None]
    return [(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]) for box in shown]


@pytest.mark.parametrize("width", [1280, 960])
def test_what_is_known_of_a_deck_lies_beside_cards_and_piles_and_makes_the_hand_no_higher(
    browse: Open, desk: Desk, width: int
) -> None:
    plain = at(4, "early")
    known = Position(4, "early", plain.seat, GAMES["mastery"].rules.decode(GAMES["mastery"].rules.encode(plain.state)))
    known.state.table.lords[known.seat].known = {known.seat: 4}
    page = browse(laid_out(desk, plain), width=width)
    page.set_viewport_size({"width": width, "height": 800})
    hand = page.locator("[data-part=hand]").bounding_box()
    page.goto(laid_out(desk, known))
    now = page.locator("[data-part=hand]").bounding_box()
    assert hand and now and now["height"] == hand["height"]
    columns = (".mm-hand-head", ".mm-hand .mm-card", ".mm-piles > span", ".mm-known")
    parts = [boxes(page.locator(column)) for column in columns]
    assert all(parts)
    for before, after in itertools.pairwise(parts):
        assert max(box[2] for box in before) <= min(box[0] for box in after)
    assert max(box[2] for box in parts[-1]) <= now["x"] + now["width"]
    assert all(now["y"] <= box[1] and box[3] <= now["y"] + now["height"] for part in parts for box in part)


def test_a_march_says_on_the_map_what_stays_and_stitches_both_its_ends(browse: Open, desk: Desk) -> None:
    page, found, aim = march_page(browse, desk)
    castle = found.state.table.lords[found.seat]
    ends = [page.locator(f'.hexmap [data-slot="{slot}"] .mm-ink') for slot in (castle.slot, aim)]
    assert not any(end.is_visible() for end in ends)
    press(page, aim)
    assert all(end.is_visible() for end in ends)
    expect(page.locator(".plan-left text")).to_have_text(str(castle.knights - 1))
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(page.locator(".plan-left text")).to_have_text(str(castle.knights - 3))
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator(".plan-left")).to_have_count(0)
    assert not any(end.is_visible() for end in ends)


def test_the_stepper_leaves_the_points_of_lords_in_view(browse: Open, desk: Desk) -> None:
    found = questions("mastery", 6)["early"]
    page = browse("about:blank")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(desk.lay_out(6, found.seat, found.state))
    page.locator("#verb-march").click()
    for aim in next(f for f in form_of(found.state, found.seat)["options"][0]["fields"] if f["name"] == "target")["choices"]:
        press(page, aim["id"])
        (stepper,) = boxes(page.locator(".steppers"))
        for box in boxes(page.locator(".mm-points")):
            wide, high = min(box[2], stepper[2]) - max(box[0], stepper[0]), min(box[3], stepper[3]) - max(box[1], stepper[1])
            assert wide <= 0 or high <= 0, aim["id"]


UNDER = """() => {
  const over = document.querySelector(".steppers").getBoundingClientRect();
  const share = (x) => {
    const box = x.getBoundingClientRect();
    const wide = Math.min(box.right, over.right) - Math.max(box.left, over.left);
    const high = Math.min(box.bottom, over.bottom) - Math.max(box.top, over.top);
    return wide > 0 && high > 0 ? (wide * high) / (box.width * box.height) : 0;
  };
  const places = [...document.querySelectorAll(".hexmap :is(.can, .chosen) .mm-ground")].map(share);
  const read = [...document.querySelectorAll(".hexmap :is(.mm-token path, .mm-tile)")].map(share);
  return [Math.max(...places), read.filter((one) => one > 0.5).length];
}"""
"""How much of a place that can be chosen lies under the stepper at the most, and how many names and knights are lost there."""


@pytest.mark.parametrize(("size", "most", "lost"), [((1280, 800), 0.25, 4), ((390, 844), 0.4, 10)])
def test_the_stepper_leaves_aims_in_view_and_seldom_hides_a_name(
    browse: Open, desk: Desk, size: tuple[int, int], most: float, lost: int
) -> None:
    found = next(
        at
        for at in moments("mastery", "6-lords-points")
        if len(at.told) > 60 and [o.id for o in procedure.ask_of(at.state, at.seat).options][:1] == ["march"]
    )
    page = browse("about:blank")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(desk.lay_out(6, found.seat, found.state))
    page.locator("#verb-march").click()
    unfold(page)
    fields = form_of(found.state, found.seat)["options"][0]["fields"]
    aims = [choice["id"] for choice in next(f for f in fields if f["name"] == "target")["choices"]]
    hidden = 0
    for aim in aims:
        page.locator("#early-march-target").select_option(aim)
        share, names = page.evaluate(UNDER)
        assert share < most, aim
        hidden += names
    assert len(aims) > 5 and hidden <= lost


def test_a_plan_of_three_cases_lies_whole_on_a_phone(browse: Open, desk: Desk) -> None:
    """All cases and the button are in view at once, without a scroll, once it is opened."""
    found = next(
        at
        for at in moments("mastery", "6-lords-points")
        for ask in [procedure.ask_of(at.state, at.seat)]
        if ask.kind == "fracture" and len(next(o for o in ask.options if o.id == "plan").fields) == 3
    )
    page = browse("about:blank")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(desk.lay_out(6, found.seat, found.state))
    form = page.locator("form:has(> input[name=option][value=plan])")
    page.locator("details", has=form).locator("> summary").click()
    expect(form).to_be_visible()
    expect(form.locator(".primary")).to_be_in_viewport(ratio=1)  # the sheet brings it up
    page.locator(".question").evaluate("(q) => Promise.all(q.getAnimations().map((a) => a.finished))")
    (sheet,), cases, (button,) = (
        boxes(page.locator(".question")),
        boxes(form.locator("select")),
        boxes(form.locator(".primary")),
    )
    assert len(cases) == 3 and all(sheet[1] <= case[1] and case[3] <= button[1] + 1 for case in cases)
    assert button[3] <= 844 and all(case[3] - case[1] >= 44 for case in cases)


def test_the_number_of_a_march_stands_at_its_head_and_covers_no_name_or_knights(browse: Open, desk: Desk) -> None:
    page, found, _ = march_page(browse, desk)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator(".question summary", has_text="March").first.click()
    unfold(page)
    march = form_of(found.state, found.seat)["options"][0]
    for aim in next(f for f in march["fields"] if f["name"] == "target")["choices"]:
        page.locator("#early-march-target").select_option(aim["id"])
        (number,) = boxes(page.locator(".drawn .plan-number"))
        (ribbon,) = boxes(page.locator(".drawn .plan-over"))
        (hex,) = boxes(page.locator(f'.hexmap [data-slot="{aim["id"]}"] .mm-ground'))
        (castle,) = boxes(page.locator(f'.hexmap [data-slot="{found.state.table.lords[found.seat].slot}"] .mm-ground'))
        middle = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in (number, hex, castle)]
        near, far = (((x - middle[0][0]) ** 2 + (y - middle[0][1]) ** 2) ** 0.5 for x, y in middle[1:])
        assert near < far + 12 and ribbon, aim["id"]
        for token in boxes(page.locator(".hexmap .mm-token text")):
            wide = min(number[2], token[2]) - max(number[0], token[0])
            high = min(number[3], token[3]) - max(number[1], token[1])
            assert wide <= 0 or high <= 0 or wide * high < 0.3 * (token[2] - token[0]) * (token[3] - token[1]), aim["id"]


def test_knights_are_set_anew_on_the_map_after_vitality(browse: Open, desk: Desk) -> None:
    found = next(p for n in (6, 4, 3, 2) for p in positions(n) if p.kind == "redistribute")
    page = browse(laid_out(desk, found))
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("#verb-redistribute").click()
    own = page.locator(".hexmap .can").first
    code = (own.get_attribute("data-value") or "").lower()
    own.press("Enter")
    expect(page.locator(".stepper")).to_have_count(1)
    share = page.locator(f"input[name=f_in_{code}]")
    before = int(share.input_value())
    page.get_by_role("button", name="one fewer" if before > 1 else "one more").click()
    expect(share).to_have_value(str(before - 1 if before > 1 else before + 1))


def test_cards_of_a_hand_dont_answer_what_is_asked_of_the_deck(browse: Open, desk: Desk) -> None:
    found = next(p for n in (4, 6, 3, 2) for p in positions(n) if p.kind == "arrange")
    page = browse(laid_out(desk, found))
    expect(page.locator("[data-part=hand] :is([data-value], .chosen, .can)")).to_have_count(0)
    tops = found.state.table.lords[found.seat].deck[::-1][: page.locator(".mm-top .mm-card").count()]
    places = page.locator("[name^=f_cards__]")
    assert tops and len(tops) == places.count()
    expect(page.locator(".mm-known")).to_have_count(0)  # they lie beside the question
    values = "all => all.map((x) => x.value)"
    last = next(code for code in tops[::-1] if code != tops[0])
    places.first.select_option(last)
    at = tops.index(last)
    then = [last, *tops[1:at], tops[0], *tops[at + 1 :]]
    assert places.evaluate_all(values) == then, "what stood there gives way"
    assert page.locator(".mm-top li").evaluate_all("all => all.map((x) => x.dataset.code)") == then, "and so they lie"


def test_in_a_battle_the_lords_cover_neither_each_other_nor_go_below_it(browse: Open, desk: Desk) -> None:
    page = browse("about:blank")
    page.set_viewport_size({"width": 1280, "height": 800})
    for stem, after in (("6-lords-teams-of-3-points", 0.5), ("6-lords-fear-with-the-fractures-points", 0.993)):
        found = passing("mastery", stem, after)
        page.goto(desk.lay_out(6, found.seat, found.state))
        (battle,) = boxes(page.locator(".mm-battle"))
        assert page.locator(".mm-regalia:visible").count(), "artefacts are asked for"
        lords = boxes(page.locator(".mm-lord"))
        for a, b in itertools.combinations(lords, 2):
            assert min(a[2], b[2]) - max(a[0], b[0]) <= 2 or min(a[3], b[3]) - max(a[1], b[1]) <= 2, stem
        assert all(box[3] <= battle[1] + 1 for box in lords), stem


def test_in_a_battle_of_four_every_lord_has_a_whole_name(browse: Open, desk: Desk) -> None:
    page = browse("about:blank")
    page.set_viewport_size({"width": 1280, "height": 800})
    found = passing("mastery", "4-lords-teams-of-2-points", 0.655)
    page.goto(desk.lay_out(4, found.seat, found.state))
    assert page.locator(".mm-battle").count() == 1
    page.locator(".mm-lord h3 .place, .mm-lord h3").evaluate_all("all => all.forEach((x) => { x.textContent = 'Baldwin'; })")
    assert page.locator(".mm-lord h3").evaluate_all("all => all.map((x) => x.scrollWidth - x.clientWidth)") == [0] * 4


def test_on_a_phone_artefacts_come_into_view_when_they_are_asked_for(browse: Open, desk: Desk) -> None:
    for n in (6, 5, 4, 3, 2):
        found = next((p for p in positions(n) if p.kind == "fracture"), None)
        if found is None:
            continue
        page = browse(laid_out(desk, found), width=390)
        page.set_viewport_size({"width": 390, "height": 844})
        page.locator("#verb-plan").click()
        aim = page.locator(".mm-regalia .can").first
        confirm = page.locator("details[open] form .row button").first
        (place, hand, button) = (x.bounding_box() for x in (aim, page.locator("[data-part=hand]"), confirm))
        assert place and hand and button
        assert place["y"] >= 48 and place["y"] + place["height"] <= hand["y"], n
        assert button["y"] + button["height"] <= 844, n
        break
    page.goto(desk.lay_out(5, "b", reached("mastery", "5-lords-mayhem-points", 273, "b").state))
    page.locator("#verb-plan").click()
    both = boxes(page.locator(".mm-regalia .can"))
    assert len(both) == 2 and all(box[0] >= 0 and box[2] <= 390 for box in both), "two aims lie side by side"


def test_on_a_phone_a_battle_stays_in_view_whatever_is_asked_beside_it(browse: Open, desk: Desk) -> None:
    page = browse("about:blank")
    page.set_viewport_size({"width": 390, "height": 844})
    fought = [reached("mastery", "2-lords-defender-supports-first-points", 36, "a")]
    fought += [q[kind] for q in (questions("mastery", n) for n in (6, 4, 2)) for kind in ("fracture", "support") if kind in q]
    for found in fought:
        page.goto(desk.lay_out(len(found.seats), found.seat, found.state))
        if not page.locator(".mm-battle").count():
            continue
        for fold in page.locator(".question details.option:not([open]) > summary").all():
            fold.click()
        (sides,), (hand,) = boxes(page.locator(".mm-sides")), boxes(page.locator("[data-part=hand]"))
        assert sides[1] >= 48 and sides[3] <= hand[1] + 1, (found.moment, sides, hand)
        assert all(box[0] >= 0 and box[2] <= 390 for box in boxes(page.locator(".mm-battle .mm-card"))), found.moment
        expect(page.locator(".question")).not_to_have_class(re.compile(r"\bup\b"))
    page.evaluate("""() => document.querySelectorAll(".mm-battle .mm-cards").forEach((list) => {
      while (list.children.length < 5) list.append(list.firstElementChild.cloneNode(true));
    })""")
    (scores,), cards = boxes(page.locator(".mm-scores .mm-total").first), boxes(page.locator(".mm-battle .left .mm-card"))
    assert len(cards) == 5 and max(box[2] for box in cards) <= scores[0] + 2, "many cards cover no score"


def test_without_scripts_a_phone_shows_the_place_of_a_battle(browse: Open, desk: Desk) -> None:
    found = at(6, "support")
    page = browse(laid_out(desk, found), scripts=False, width=390)
    field = page.locator(".mm-field").bounding_box()
    place = page.locator(".hexmap .hex.disputed").first.bounding_box()
    assert field and place
    assert field["y"] <= place["y"] and place["y"] + place["height"] <= field["y"] + field["height"]


def test_support_cards_are_added_up_while_they_are_picked(browse: Open, desk: Desk) -> None:
    found = next(q["support"] for n in (6, 4, 3, 2) if (q := questions("mastery", n)).get("support"))
    page = browse("about:blank")
    page.set_viewport_size({"width": 1280, "height": 800})
    for cards in (["Support1"], ["Support1", "Support2"]):
        state = GAMES["mastery"].rules.decode(GAMES["mastery"].rules.encode(found.state))
        state.table.lords[found.seat].hand = ["Conflict2", *cards]
        view = GAMES["mastery"].rules.view(state, found.seat)
        told = view["own"]["support"]
        sides = {x["seat"] == told["for"]: x["score"] for d in view["doing"] if d["what"] == "battle" for x in d["sides"]}
        page.goto(desk.lay_out(len(found.seats), found.seat, state))
        page.locator("#verb-support").click()
        if len(cards) > 1:
            expect(page.locator(".told-sum")).to_have_text("")
        score = sides[True]
        for card, then in told["then"].items():
            page.locator(f'[data-part=hand] [data-value="{card}"]').first.press("Enter")
            score += then - sides[True]
            expect(page.locator(".told-sum")).to_have_text(f"Then it stands {score} to {sides[False]}.")
            expect(page.locator(f"[name=f_cards__{card}]")).to_be_checked()


def test_beside_the_hand_stands_what_of_it_a_verb_plays_without_a_battle(browse: Open, desk: Desk) -> None:
    def at_once(p: Position) -> set[str]:
        verbs = {option["id"] for option in form_of(p.state, p.seat)["options"]}
        cards = {"CallToArms": "call", "TacticalAdvance": "tactical", "Fracture": "fracture"}
        hand = GAMES["mastery"].rules.view(p.state, p.seat)["own"]["hand"]
        return {card for card, verb in cards.items() if card in hand and verb in verbs}

    found = next(p for n in range(2, 7) for p in positions(n) if at_once(p))
    page = browse(laid_out(desk, found))
    for card in at_once(found):
        expect(page.locator(".mm-at-once")).to_contain_text(GAMES["mastery"].words.word(card, {}, ""))


def test_what_one_looks_at_says_what_it_is_for(browse: Open, desk: Desk) -> None:
    plain = at(6, "early")
    state = GAMES["mastery"].rules.decode(GAMES["mastery"].rules.encode(plain.state))
    state.table.lords[plain.seat].hand = ["Conflict2", "Ambush"]
    page = browse(desk.lay_out(6, plain.seat, state))
    told, cards, field = page.locator(".mm-help"), page.locator(".mm-hand .mm-card"), page.locator(".mm-field")
    cards.first.hover()
    expect(told).to_have_text(re.compile(r"^Ambush .*a die|^Conflict 2 .*adds 2"))
    assert page.locator(":is(.mm, .mm-hand) [title], .hexmap .hex > title").count() == 0, "no hint lies over the other"
    cards.first.focus()
    expect(cards.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(cards.last).to_be_focused()
    expect(told).to_contain_text("one conflict card" if "Conflict" in cards.last.inner_text() else "a die shows")
    page.keyboard.press("Escape")
    expect(told).to_be_hidden()
    page.locator(".mm-regalia li").first.hover()
    expect(told).to_be_visible()
    field.focus()
    page.keyboard.press("ArrowUp")
    lord = state.table.lords[plain.seat]
    expect(told).to_contain_text(f"{lord.slot}: castle")
    page.keyboard.press("ArrowUp" if lord.slot[0] > "A" else "ArrowDown")
    expect(told).to_contain_text(re.compile(r"[A-G]\d: "))
    expect(told).not_to_contain_text(f"{lord.slot}: castle")
    rival = next(other.slot for seat, other in state.table.lords.items() if seat != plain.seat)
    page.locator(f'.hexmap [data-slot="{rival}"]').dispatch_event("click", {"detail": 1, "pointerType": "touch"})
    expect(told).to_contain_text(f"{rival}: castle")


def test_on_a_phone_an_empty_hand_leaves_its_room_to_the_map(browse: Open, desk: Desk) -> None:
    plain = at(6, "early")
    empty = Position(6, "early", plain.seat, GAMES["mastery"].rules.decode(GAMES["mastery"].rules.encode(plain.state)))
    lord = empty.state.table.lords[empty.seat]
    lord.deck, lord.hand = [*lord.hand, *lord.deck], []
    page = browse("about:blank")
    page.set_viewport_size({"width": 390, "height": 844})
    heights = []
    for found in (plain, empty):
        page.goto(laid_out(desk, found))
        heights.append([box[3] - box[1] for part in (".mm-field", "[data-part=hand]") for box in boxes(page.locator(part))])
    (map, hand), (larger, smaller) = heights
    assert larger - map >= 45 and hand - smaller >= 45


@pytest.mark.parametrize("width", [390, 1280])
def test_the_only_option_has_a_back_while_a_pick_can_be_undone(width: int, browse: Open, desk: Desk) -> None:
    page = browse("about:blank", width=width)
    page.goto(laid_out(desk, at(3, "conflict")))
    back = page.get_by_role("link", name=re.compile("^Back"))
    expect(back).to_be_hidden()
    page.locator("[data-part=hand] [role=button]").first.click()
    expect(back).to_be_visible()
    back.click()
    expect(page.locator("[data-part=hand] .chosen")).to_have_count(0)
    expect(back).to_be_hidden()
