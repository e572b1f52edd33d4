"""The frame of the turn page in a real browser: what lies in the first screen, what it weighs, and how it stays quiet."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Locator, Page, expect
from sqlmodel import select

from engine.games import GAMES
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, EntryRow, EventRow, Match, now
from service.web import files
from tests.service.web.axe import DARK, in_both_themes, violations
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.tables import LONG_NAMES, Laid, complete, games, laid, lay, passing, questions, reached, stems

pytestmark = pytest.mark.browser

At = Callable[[str, int, str], str]


@pytest.fixture
def at(anna: Visitor, settings: Settings) -> At:
    """at(game, seats, moment) -> the path of Anna's page there."""

    def laid_out(game: str, seats: int, moment: str) -> str:
        with transaction(settings) as session:
            account = session.exec(select(Account).where(Account.email == anna.email)).one()
            return lay(session, account, laid(game, seats, moment))

    return laid_out


def sized(page: Page, width: int, height: int, path: str) -> Page:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(path)
    return page


def inside(part: Locator, width: int, height: int) -> bool:
    box = part.bounding_box()
    assert box is not None, part
    return box["x"] >= -1 and box["y"] >= -1 and box["x"] + box["width"] <= width + 1 and box["y"] + box["height"] <= height + 1


PLACES = """async () => {
  for (const _ of "12") await new Promise(requestAnimationFrame); // what a new size sets going has been done
  const at = (x) => { const b = x?.getBoundingClientRect();
    return b?.width && b.height && getComputedStyle(x).visibility === "visible" ? [b.left, b.top, b.right, b.bottom] : null; };
  const all = (selector) => [...document.querySelectorAll(selector)], form = "[data-part=question] > .options > ";
  const lone = all("[data-part=question] > .options").map(() => all(`${form}.option form .row button`)[0]);
  const verbs = all(`${form}.option > summary, ${form}.plain-option > button`).filter(at);
  const parts = ["bar", "board", "question", "hand", "log"].flatMap((name) => all(`[data-part=${name}]`).map((x) => [name, x]));
  return [...parts, ...(verbs.length ? verbs : lone).map((x, n) => [`verb ${n}`, x])].map(([name, x]) => [name, at(x)]);
}"""
SIZES = ((1280, 800), (390, 844))
"""A desk's screen, and a phone's."""


def misplaced(page: Page, width: int, height: int) -> list[str]:
    """What should lie in the first screen at this size and doesn't: of the verbs the first alone on a phone."""
    page.set_viewport_size({"width": width, "height": height})
    # All at once: to ask the browser for each of them takes longer than to lay them out.
    named: list[tuple[str, list[float] | None]] = page.evaluate(PLACES)
    places, wide = dict(named), width >= 960
    assert len(places) == len(named) and {"bar", "board"} <= places.keys(), named
    wanted = {name for name in places if wide or name in ("bar", "board", "verb 0")} | ({"question", "log"} if wide else set())

    def shown(box: list[float] | None) -> bool:
        return box is not None and min(box[:2]) >= -1 and box[2] <= width + 1 and box[3] <= height + 1

    found = [f"{width}: {name}" for name in sorted(wanted) if not shown(places.get(name))]
    return found + ([f"{width}: scrolls"] if page.evaluate("document.documentElement.scrollWidth") > width else [])


@pytest.mark.parametrize("moment", ["middle", "fight"])
@pytest.mark.parametrize("game", complete())
def test_the_whole_table_lies_in_the_first_screen_and_on_a_phone_bar_board_and_first_verb(
    browse: Open, at: At, game: str, moment: str
) -> None:
    page = browse(at(game, GAMES[game].rules.seats[-1], moment))
    assert page.locator("main").get_attribute("data-game") == game
    assert misplaced(page, *SIZES[0]) == []
    bar, board, question, log = (page.locator(f"[data-part={part}]") for part in ("bar", "board", "question", "log"))
    box = bar.bounding_box()
    assert box is not None and box["height"] <= 56
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    if moment == "middle":  # a short question: the rail has no hole under it
        asked, told, last = question.bounding_box(), log.bounding_box(), question.locator("> :last-child").bounding_box()
        assert asked and told and last
        assert abs(asked["y"] + asked["height"] - told["y"]) <= 1 and abs(told["y"] + told["height"] - 800) <= 1
        assert asked["y"] + asked["height"] - last["y"] - last["height"] < 30, "as high as what is in it"
    assert misplaced(page, *SIZES[1]) == []
    above, sheet = board.bounding_box(), question.bounding_box()
    assert above and sheet and above["y"] + above["height"] <= sheet["y"] + 1, "the sheet covers nothing of it"
    if moment == "middle":
        newest = page.locator(".latest")
        assert (page.locator(".events > li p").first.text_content() or "") in (newest.text_content() or "")
        newest.click()
        expect(page.locator("#log")).to_be_in_viewport()
        page.set_viewport_size({"width": 1280, "height": 800})
        expect(newest).to_be_hidden()


@pytest.mark.parametrize("game", list(games()))
def test_every_kind_of_question_has_its_place_in_the_first_screen(
    browse: Open, anna: Visitor, settings: Settings, game: str
) -> None:
    page, found = browse("about:blank"), []
    for n, (kind, position) in enumerate(questions(game, GAMES[game].rules.seats[-1]).items()):
        with transaction(settings) as session:
            account = session.exec(select(Account).where(Account.email == anna.email)).one()
            path = lay(session, account, position, names=LONG_NAMES)
        page.goto(path)
        assert page.locator("[data-part=question] > .options").count(), kind
        # Each comes at the size at which the last was looked at: it is laid out twice, and not three times.
        found += [(kind, what) for size in SIZES[:: 1 if n % 2 else -1] for what in misplaced(page, *size)]
    assert found == []


@pytest.fixture
def sits(anna: Visitor, settings: Settings) -> Callable[[Laid], str]:
    """sits(position) -> the path of Anna's page there; all at the table have long names."""

    def laid_out(found: Laid) -> str:
        with transaction(settings) as session:
            account = session.exec(select(Account).where(Account.email == anna.email)).one()
            return lay(session, account, found, names=LONG_NAMES)

    return laid_out


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("game", complete())
def test_recorded_games_keep_their_tables_in_the_first_screen(
    browse: Open, sits: Callable[[Laid], str], game: str, every: int
) -> None:
    page, found = browse("about:blank"), []
    for n, stem in enumerate(stems(game)[::every]):
        page.goto(sits(passing(game, stem, (0.1, 0.35, 0.6, 0.85, 1)[n % 5])))
        found += [(stem, what) for size in SIZES[:: 1 if n % 2 else -1] for what in misplaced(page, *size)]
    assert found == []


CUT = """(selector) => [...document.querySelectorAll(selector)]
  .filter((x) => x.scrollWidth > x.clientWidth + 1 || x.scrollHeight > x.clientHeight + 3).map((x) => x.textContent)"""


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("mastery", ".mm-lord :is(h3, em), .mm-head strong"),
        ("fief", ".f-family h3, .f-card .cname"),
        ("ortus", ".far .name, .doing.facing .cname"),
    ],
)
def test_long_names_are_not_cut_with_the_most_seats(browse: Open, sits: Callable[[Laid], str], game: str, names: str) -> None:
    page = browse("about:blank")
    for moment in ("middle", "fight"):
        page.goto(sits(laid(game, GAMES[game].rules.seats[-1], moment)))
        for width, height in ((1280, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.locator(names).count() and page.evaluate(CUT, names) == [], (moment, width)


@pytest.mark.parametrize(("game", "names"), [("mastery", ".mm-lord h3"), ("fief", ".f-family h3")])
def test_long_names_are_not_cut_on_a_tablet(browse: Open, sits: Callable[[Laid], str], game: str, names: str) -> None:
    page = sized(browse("about:blank"), 960, 800, sits(laid(game, GAMES[game].rules.seats[-1], "middle")))
    assert page.locator(names).count() and page.evaluate(CUT, names) == []


def test_the_deadlines_of_long_names_are_read_without_scrolling(browse: Open, sits: Callable[[Laid], str]) -> None:
    path = sits(laid("fief", 6, "middle")).replace("/table", "/clock")
    deadlines = sized(browse("about:blank", width=320), 320, 640, path).get_by_role("region", name="Table of deadlines")
    expect(deadlines).to_be_visible()
    assert deadlines.evaluate("(box) => box.scrollWidth <= box.clientWidth")


def test_on_a_phone_nothing_of_the_board_lies_over_the_sheet(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = sized(browse("about:blank", width=390), 390, 844, sits(questions("ortus", 6)["deck"]))  # it stands pulled up
    expect(page.locator(".question")).to_have_class(re.compile(r"\bup\b"))
    page.locator(".question").evaluate("(q) => Promise.all(q.getAnimations().map((a) => a.finished))")  # the sheet has risen
    over = """(q) => [...q.querySelectorAll("h2, h2 ~ *")].filter((x) => x.getBoundingClientRect().height).slice(0, 4)
      .filter((x) => { const b = x.getBoundingClientRect(), y = Math.min(b.y + b.height / 2, innerHeight - 4);
        return b.y >= q.getBoundingClientRect().y && !document.elementFromPoint(b.x + b.width / 2, y)?.closest(".question"); })
      .map((x) => x.textContent)"""
    assert page.locator(".question").evaluate(over) == []


def test_on_a_phone_the_chart_of_fief_begins_at_ones_own_army(browse: Open, sits: Callable[[Laid], str]) -> None:
    """Also where the chart is higher than the board shows, so that the chart itself can't be scrolled."""
    page = sized(browse("about:blank", width=390), 390, 844, sits(questions("fief", 6)["movement"]))
    expect(page.locator(".f-chart .f-lord.can").first).to_be_in_viewport(ratio=0.9)
    sized(page, 320, 568, page.url)  # the smallest phone, where the page is some pixels higher than the window
    expect(page.locator(".f-chart .f-lord.can").first).to_be_in_viewport(ratio=0.5)
    page.wait_for_timeout(500)  # a page that is scrolled smoothly begins to move later
    assert page.evaluate("scrollY") == 0


def test_no_sheep_looks_out_from_behind_the_muster(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = sized(browse("about:blank"), 1280, 800, sits(questions("ortus", 6)["deck"]))
    expect(page.locator(".muster")).to_be_visible()
    sheep = page.locator('.wild use[href$="#sheep"]').all()
    assert sheep and not any(one.is_visible() for one in sheep)


@pytest.mark.parametrize("seats", [6, 2])
def test_on_a_phone_a_battle_of_ortus_leaves_the_own_land_in_view(browse: Open, at: At, seats: int) -> None:
    page = sized(browse("about:blank", width=390), 390, 844, at("ortus", seats, "fight"))
    board, keep = page.locator("[data-part=board]").bounding_box(), page.locator(".near .keep").first.bounding_box()
    assert board and keep and keep["height"] > 30
    assert board["y"] < keep["y"] and keep["y"] + keep["height"] <= board["y"] + board["height"]


def test_a_chosen_card_of_ortus_is_lifted_once_and_outlined_once(browse: Open, at: At) -> None:
    page = sized(browse("about:blank"), 1280, 800, at("ortus", 3, "middle"))
    page.locator("summary", has_text="Attack").click()
    card = page.locator(".troops .place").first
    before = card.bounding_box()
    card.click()
    expect(card).to_have_class(re.compile(r"\bchosen\b"))
    card.evaluate("(x) => Promise.all(x.closest('li').getAnimations().map((a) => a.finished))")
    after, drawn = card.bounding_box(), card.locator(".card").bounding_box()
    assert before and after and drawn and before["y"] - after["y"] == pytest.approx(12, abs=1)
    assert drawn["y"] == pytest.approx(after["y"], abs=1), "the outline lies around the card"
    assert card.locator(".card").evaluate("(x) => getComputedStyle(x).outlineStyle") == "none"


def test_with_no_card_in_hand_the_room_is_the_lands(browse: Open, at: At, sits: Callable[[Laid], str]) -> None:
    page = browse("about:blank")
    for path, bare in ((at("ortus", 3, "middle"), False), (sits(laid("ortus", 6, "end")), True)):
        hand = sized(page, 1280, 800, path).locator("[data-part=hand]").bounding_box()
        assert hand and (hand["height"] < 60) == bare


def test_a_battle_of_ortus_shows_what_stands_behind_the_defender(browse: Open, at: At) -> None:
    page = sized(browse("about:blank"), 1280, 800, at("ortus", 6, "fight"))
    stones, fight = page.locator(".doing .stones"), page.locator(".doing")
    assert stones.locator(".tower").count() == 8 and stones.locator("b").text_content() == "×9"
    expect(stones.locator(".good.field")).to_have_count(1)  # what the Raid is about
    box, whole = stones.bounding_box(), fight.bounding_box()
    assert box and whole and box["y"] + box["height"] <= whole["y"] + whole["height"]
    assert fight.evaluate("(x) => x.scrollHeight <= x.clientHeight"), "the whole fight is in view"


def test_a_large_force_in_a_battle_of_ortus_lies_in_view_by_name(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = browse("about:blank")
    page.goto(sits(questions("ortus", 6)["attacker_hits"]))
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        whole = page.locator(".doing").bounding_box()
        for card in page.locator(".doing .fielded .card").all():
            box = card.bounding_box()
            assert whole and box and box["y"] + box["height"] <= whole["y"] + whole["height"], width
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate(CUT, ".doing .fielded .cname") == []


@pytest.mark.parametrize("game", list(games()))
def test_no_script_has_the_form_first_and_the_board_second(browse: Open, at: At, game: str) -> None:
    page = browse(at(game, GAMES[game].rules.seats[-1], "middle"), width=390, scripts=False)
    question, board = page.locator("[data-part=question]").bounding_box(), page.locator("[data-part=board]").bounding_box()
    assert question and board and question["y"] + question["height"] <= board["y"] + 1


@pytest.mark.parametrize(("game", "seats"), [("ortus", 6), ("mastery", 2), ("fief", 3)])
def test_without_scripts_a_place_leads_to_its_verb_and_back_does_too(browse: Open, at: At, game: str, seats: int) -> None:
    page = browse(at(game, seats, "middle"), width=390, scripts=False)
    page.set_viewport_size({"width": 390, "height": 844})
    place = page.locator("a[href*='#verb-']").first
    where = (place.get_attribute("href") or "").split("#")[1]
    place.press("Enter")
    verb, title = page.locator(f"#{where}"), page.locator("#question")
    expect(verb).to_be_focused()
    expect(verb).to_be_in_viewport()
    expect(title).to_be_in_viewport()
    if game == "ortus":  # a verb that asks once more, and the way back from there
        page.locator("#verb-bequeath").press("Enter")
        expect(page.locator(".confirm")).to_be_visible()
        page.locator("[data-back]").press("Enter")
        expect(page.locator(".confirm")).to_have_count(0)
        expect(page.locator("#verb-bequeath")).to_be_focused()


@pytest.mark.parametrize("game", list(games()))
@DARK
def test_axe_finds_nothing_at_the_table(browse: Open, at: At, game: str, dark: tuple[int, ...]) -> None:
    page = browse(at(game, GAMES[game].rules.seats[-1], "middle"), width=390)
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        assert (in_both_themes(page) if width in dark else violations(page)) == []


@pytest.mark.parametrize("game", complete())
def test_the_page_of_a_six_seat_game_is_light(browse: Open, at: At, game: str) -> None:
    """Under 150 kB over the wire on the first visit, 40 kB after it."""
    page = browse("about:blank", fresh=True)
    sent: list[int] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sent.append(int(event["encodedDataLength"])))
    path = at(game, GAMES[game].rules.seats[-1], "middle")
    page.goto(path, wait_until="networkidle")
    first = sum(sent)
    sent.clear()
    page.goto(path, wait_until="networkidle")
    assert 0 < first < 150_000, first
    assert 0 < sum(sent) < 40_000, sent


@pytest.mark.parametrize("game", complete())
def test_every_symbol_that_a_table_uses_is_in_its_file(browse: Open, at: At, game: str) -> None:
    page = browse(at(game, GAMES[game].rules.seats[-1], "middle"))
    hrefs = page.locator("use").evaluate_all("uses => uses.map((one) => one.getAttribute('href'))")
    outer = [re.fullmatch(r"/static/([a-z]+\.svg)\?v=\w+#([\w-]+)", href) for href in hrefs if not href.startswith("#")]
    assert len(outer) > 20 and all(outer), hrefs
    lost = {found[0] for found in outer if found and f'<symbol id="{found[2]}"' not in (files.FOLDER / found[1]).read_text()}
    assert lost == set()


def test_an_open_page_learns_that_the_position_moved(browse: Open, at: At, settings: Settings) -> None:
    game = next(games())
    page = browse(at(game, 2, "middle"))
    notice = page.locator(".moved")
    expect(notice).to_be_empty()
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        match.serial += 1
        session.add(match)
    expect(notice).to_contain_text("Something has happened", timeout=12_000)
    expect(notice.get_by_role("link")).to_have_attribute("href", re.compile("/table$"))


def test_the_menu_holds_the_nine_ways_and_escape_shuts_it(browse: Open, at: At) -> None:
    page = browse(at(next(games()), 2, "middle"))
    page.locator(".menu:not(.chat) > summary").focus()
    page.keyboard.press("Enter")
    ways = page.locator(".menu .table-nav a")
    expect(ways.first).to_be_visible()
    assert ways.count() >= 8
    page.keyboard.press("Escape")
    expect(ways.first).to_be_hidden()


@pytest.mark.parametrize("game", complete())
def test_a_line_of_the_log_lights_what_it_names(browse: Open, at: At, game: str) -> None:
    page = sized(browse("about:blank"), 1280, 800, at(game, GAMES[game].rules.seats[-1], "middle"))
    line, lit = page.locator(".events > li").first, page.locator(".lit")
    stop = line.locator("a")
    named = set((line.get_attribute("data-lights") or "").split())
    expect(lit).to_have_count(0)
    line.hover()
    expect(lit).not_to_have_count(0)
    for thing in lit.all():
        assert named & {thing.get_attribute(f"data-{name}") for name in ("value", "seat", "place")}
    page.locator("[data-part=bar] h1").hover()
    expect(lit).to_have_count(0)
    stop.focus()
    expect(lit).not_to_have_count(0)
    page.keyboard.press("ArrowDown")
    expect(page.locator(".events a[tabindex='0']")).to_be_focused()
    expect(stop).to_have_attribute("tabindex", "-1")
    page.locator("summary").first.focus()
    expect(lit).to_have_count(0)
    # A click shows the board as it stood then; a link, which has the words of the line, does without scripts and by keyboard.
    said, there = stop.text_content(), stop.get_attribute("href") or ""
    assert said and re.fullmatch(r"/g/[^/]+/replay\?n=[0-9]+", there)
    assert page.get_by_role("link", name=said).first.get_attribute("href") == there


@pytest.mark.parametrize("game", complete())
def test_what_is_new_bears_a_ribbon_on_the_board(browse: Open, at: At, game: str) -> None:
    page = sized(browse("about:blank"), 1280, 800, at(game, GAMES[game].rules.seats[-1], "middle"))
    lines = [line.get_attribute("data-lights") or "" for line in page.locator(".events > .new").all()]
    named = set(" ".join(lines).split())
    marked = page.locator("[data-part=board] .fresh")
    assert {thing.get_attribute("data-place") or thing.get_attribute("data-value") for thing in marked.all()} <= named
    places = page.locator("[data-part=board] :is([data-value], [data-place])")
    wanted = places.evaluate_all("all => all.map((x) => x.dataset.place || x.dataset.value)")
    assert bool(marked.count()) == bool({x for x in wanted if len(x) > 1} & named)


def test_a_ribbon_on_the_map_bears_its_day(browse: Open, at: At, settings: Settings) -> None:
    path = at("mastery", 6, "middle")
    with transaction(settings) as session:
        id = path.split("/")[2]
        empty = dict.fromkeys(("move", "via", "sealed_move", "sealed_via", "mark", "prev", "hash"), "")
        at_that = f"{now() - timedelta(days=3):%Y-%m-%dT%H:%M:%SZ}"
        for n in session.exec(select(EventRow.n).where(EventRow.match_id == id).distinct()):
            session.add(EntryRow(match_id=id, n=n, at=at_that, actor="a", ask="turn", serial=n, **empty))
    day = f"{now() - timedelta(days=3):%a}"
    page = sized(browse("about:blank"), 1280, 800, path)
    marked = page.locator("[data-part=board] .hex.fresh")
    assert marked.count()
    for ribbon in marked.locator(".fresh-day text").all():
        expect(ribbon).to_have_text(day)
    assert marked.locator(".fresh-day").count() == marked.count()
    assert page.locator(".events .new").first.get_attribute("data-day") == day


def test_a_line_tells_no_more_than_the_log_that_its_reader_may_download(anna: Visitor, at: At) -> None:
    for game in games():
        page = anna.page(at(game, GAMES[game].rules.seats[-1], "middle"))
        with_codes = re.findall(r'<li[^>]* data-lights="([^"]*)"', page)
        facts = [e.facts for _, events in laid(game, GAMES[game].rules.seats[-1], "middle").told for e in events]
        seat = laid(game, GAMES[game].rules.seats[-1], "middle").seat
        seen = [e for _, events in laid(game, GAMES[game].rules.seats[-1], "middle").told for e in events if e.seen_by(seat)]
        known, places = [str(e.facts) for e in seen], {place for e in seen for place in GAMES[game].face.log.places(e)}
        assert with_codes and len(known) < len(facts)
        for code in {c for codes in with_codes for c in codes.split()}:
            assert code in places or any(f"'{code}'" in text for text in known), code


def test_the_rules_open_over_the_page_and_leave_it_as_it_was(browse: Open, at: At) -> None:
    game = next(games())
    path = at(game, 2, "middle")
    page = browse(path)
    drawer, way = page.locator("dialog.drawer"), page.locator(".question [data-rules]")
    way.focus()
    page.keyboard.press("Enter")
    expect(drawer.get_by_role("heading", level=1)).to_have_text(GAMES[game].title)
    assert page.url.endswith(path)
    assert (
        page.evaluate("new Set([...document.querySelectorAll('[id]')].map((x) => x.id)).size") == page.locator("[id]").count()
    )
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(way).to_be_focused()
    without = browse(path, scripts=False)
    without.locator(".question [data-rules]").click()
    expect(without).to_have_url(re.compile(f"/help/{game}$"))


@pytest.mark.parametrize(("game", "moment"), [(game, moment) for game in ("fief", "mastery") for moment in ("middle", "fight")])
def test_on_a_phone_held_sideways_the_place_in_question_is_in_view_beside_the_question(
    browse: Open, at: At, game: str, moment: str
) -> None:
    page = sized(browse("about:blank", width=390), 844, 390, at(game, 6, moment))
    page.wait_for_timeout(300)
    shown = """() => { const map = document.querySelector("[data-centre]"), code = CSS.escape(map.dataset.centre);
      const box = map.querySelector(`[data-slot="${code}"], [data-place="${code}"]`).getBoundingClientRect();
      return map.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)); }"""
    assert page.evaluate(shown), "neither the sheet nor a panel lies over it"
    assert inside(page.locator(".question"), 844, 390) and inside(page.locator(".question h2"), 844, 390)
    board, question = page.locator("[data-part=board]").bounding_box(), page.locator(".question").bounding_box()
    assert board is not None and question is not None
    assert board["width"] > 450 and board["height"] > 180 and board["x"] + board["width"] <= question["x"] + 1
    page.locator(".grip button").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 844


def test_the_candidates_of_an_election_lie_at_the_edge_away_from_ones_lord(browse: Open, sits: Callable[[Laid], str]) -> None:
    page = sized(browse("about:blank", width=1280), 1280, 800, sits(reached("fief", "3-seats-alone", 275)))
    panel, home = (
        page.locator(".f-election").bounding_box(),
        page.locator('.f-map [data-value="st_vivien"]').first.bounding_box(),
    )
    assert page.locator(".f-map").get_attribute("data-centre") == "st_vivien"
    assert panel is not None and home is not None and panel["y"] + panel["height"] < home["y"]


@pytest.mark.parametrize("game", complete())
def test_on_the_smallest_phone_the_bar_holds_the_name_of_the_game(browse: Open, at: At, game: str) -> None:
    page = sized(browse("about:blank", width=320), 320, 640, at(game, 6, "middle"))
    name = page.locator(".bar h1")
    assert name.evaluate("(h) => h.scrollHeight <= h.clientHeight + 5 && h.scrollWidth <= h.clientWidth")
    assert all(inside(seat, 320, 48) for seat in page.locator(".at-seats .arms").all())
