"""What is read and what is pressed at a table, measured in a browser: text of 12 px at least, targets of 44 px."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")

from engine.games import GAMES
from service.settings import Settings
from tests import shots
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.service.web.test_table_browser import SIZES, At, at  # noqa: F401  (fixture)
from tests.tables import complete, laid

pytestmark = pytest.mark.browser

SMALL_TEXT = """() => {
  const found = new Map(), range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, x = text.parentElement;
    if (!text.data.trim() || !x.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect(), drawn = x instanceof SVGElement && x.getScreenCTM();
    const px = parseFloat(getComputedStyle(x).fontSize) * (drawn ? Math.hypot(drawn.b, drawn.d) : 1);
    if (box.width < 2 || box.height < 2 || px > 11.95) continue;
    found.set(x.getAttribute("class") || x.tagName, `${text.data.trim()}: ${px.toFixed(1)}`);
  }
  return [...found];
}"""
SMALL_TARGETS = """(exempt) => {
  const found = new Map(), of = "a[href], button, summary, select, input:not([type=hidden]), [role=button], [tabindex='0']";
  for (const x of document.querySelectorAll(of)) {
    if (!x.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || x.matches(exempt)) continue;
    const boxes = [x, x.closest("label")].filter(Boolean).map((one) => one.getBoundingClientRect());
    const { content, position, width: wide, height: high } = getComputedStyle(x, "::after"); // a larger hit area
    if (content !== "none" && position === "absolute") boxes.push({ width: parseFloat(wide), height: parseFloat(high) });
    const [width, height] = ["width", "height"].map((side) => Math.max(...boxes.map((box) => box[side])));
    if (width > 1 && height > 1 && Math.min(width, height) < 43.5) {
      const size = `${Math.round(width)} x ${Math.round(height)}`;
      found.set(x.getAttribute("class") || x.tagName, `${x.textContent.trim().slice(0, 30)}: ${size}`);
    }
  }
  return [...found];
}"""
EXEMPT = ", ".join(
    (
        ":is(p, dd, small, td) a:not(:only-child, .then)",  # links in a sentence
        "ol[tabindex]",  # what is scrolled by keyboard
        ".mm-lord h3",  # a whole name, told once more
        ".f-chart .f-lord",  # Lords stand in pairs on the chart: they are chosen in the families' rows, too
    )
)
STACKED = ".mm-regalia .place"
"""A Lord's three artefacts stand below each other in a corner of the map; on a phone they have room."""


@pytest.mark.parametrize("game", complete())
def test_a_turns_letter_is_short_on_a_phone(browse: Open, settings: Settings, game: str) -> None:
    page = browse("about:blank", width=375)
    for seats in GAMES[game].rules.seats:
        for moment in ("start", "middle"):
            page.set_content(shots.letter_of(settings, laid(game, seats, moment)))
            assert page.evaluate("document.documentElement.scrollWidth") <= 375
            assert 600 < page.evaluate("document.documentElement.scrollHeight") <= 1500, (seats, moment)


@pytest.mark.parametrize("game", complete())
def test_text_is_never_under_12_px_and_a_target_never_under_44(browse: Open, at: At, game: str) -> None:
    page, small = browse("about:blank"), []
    for moment in ("middle", "fight"):
        page.goto(at(game, GAMES[game].rules.seats[-1], moment))
        for width, height in (*SIZES, (768, 1024)) if game == "fief" else SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("document.fonts.ready")
            exempt = f"{EXEMPT}, {STACKED}" if width > 960 else EXEMPT
            found = page.evaluate(SMALL_TEXT) + page.evaluate(SMALL_TARGETS, exempt)
            small += [(moment, width, *one) for one in found]
    assert small == []


def test_type_of_twice_the_size_grows_the_words_and_hides_no_castle(browse: Open, at: At) -> None:
    page = browse(at("ortus", 6, "middle"))
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        sizes = []
        for root in ("100%", "200%"):
            page.evaluate("(root) => { document.documentElement.style.fontSize = root; }", root)
            size = "x => parseFloat(getComputedStyle(x).fontSize)"
            sizes.append(
                [page.locator(part).first.evaluate(size) for part in ("#question", ".turn-state", ".events p", ".short")]
            )
        assert all(double == pytest.approx(2 * one) for one, double in zip(*sizes, strict=True)), sizes
        board, keep = page.locator("[data-part=board]").bounding_box(), page.locator(".near .keep").first.bounding_box()
        assert board and keep and keep["height"] > 40
        page.locator(".near .keep").first.scroll_into_view_if_needed()
        keep = page.locator(".near .keep").first.bounding_box()
        assert keep and board["y"] <= keep["y"] and keep["y"] + keep["height"] <= board["y"] + board["height"] + 1, width
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
