"""What lies around a table in a real browser: axe is silent in both sizes and both themes, and nothing overflows."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from flask import Flask
from playwright.sync_api import Page, expect
from sqlmodel import select

from engine.games import GAMES
from service.games import inviting, lobby
from service.log.sharing import let_watch
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account, Letter, Match
from service.table import talk
from service.web import errors
from tests.house import invite
from tests.service.web.axe import in_both_themes, violations
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.shots import letter_of
from tests.tables import complete, laid, lay, questions, whole

pytestmark = pytest.mark.browser


def silent(page: Page, path: str) -> None:
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        # The dark one where more is in sight.
        assert (in_both_themes(page) if width == 1280 else violations(page)) == [], (path, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
        # What leads elsewhere takes one line, to swipe where it is longer.
        high = page.locator(".masthead nav, main > .table-nav").evaluate_all("all => all.map((x) => x.offsetHeight)")
        assert all(h < 60 for h in high), (path, width, high)
        over = "all => all.filter((x) => x.getBoundingClientRect().right > innerWidth + 1).map((x) => x.textContent)"
        assert page.locator(".badge").evaluate_all(over) == [], (path, width)
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320, path


def test_axe_finds_nothing_around_a_table(browse: Open, anna: Visitor, bert: Visitor, settings: Settings) -> None:
    game = "ortus"
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        end = lay(session, account, laid(game, GAMES[game].rules.seats[-1], "end"), logged=True)
        found = laid(game, GAMES[game].rules.seats[-1], "middle")
        running = lay(session, account, found)
        other = next(seat for seat in found.seats if seat != found.seat)
        talk.say(session, session.get_one(Match, running.split("/")[2]), other, "", "Unread until now.", "a-key-of-16-letters")
        host = session.exec(select(Account).where(Account.email == bert.email)).one()
        match = lobby.open_match(
            session, host, "A table with quite a long name indeed", game, GAMES[game].rules.seats[-1], "invited"
        )
        inviting.share(session, match, host, True)
        shared = session.get_one(Match, match.id).share_key
        called_off = f"/g/{lobby.open_match(session, account, 'Called off', game, 2, 'open').id}"
        lobby.cancel(session, session.get_one(Match, called_off.removeprefix("/g/")), account)
        watched = session.get_one(Match, end.split("/")[2])
        let_watch(session, watched, True)
        watch = f"/watch/{watched.watch_key}"
        past = lay(session, account, whole("fief", "4-seats-fog-of-war"), logged=True).replace("table", "replay?n=40")
    page = browse("/help", width=390)
    others = [running.replace("table", view) for view in ("orders", "talk", "notes")]
    others += [
        running.replace("table", "talk/new?to=all"),
        *(end.replace("table", view) for view in ("clock", "letters", "advance")),
    ]
    others += ["/account/rhythm", "/account/letters", "/account/erase", called_off, watch, watch + "?open=all"]
    others += [past.replace("replay?n=40", "history"), end.replace("table", "journal")]
    assert anna.page(others[-1]).count("Pages of the journal") == 2, "above it and at its end"
    for path in (end.replace("table", "result"), f"/s/{shared}", past, "/", "/games/new", *others):
        assert anna.get(path).status_code == 200, path
        page.goto(path)
        silent(page, path)


def test_all_places_of_the_head_are_in_sight_on_a_phone(browse: Open, anna: Visitor) -> None:
    """The last of five was cut off, and of the four of a house without decks, or of a browser that plays by links."""
    page = browse("/games", width=390)
    places = page.locator(".masthead nav")
    assert places.locator("a").count() == 5
    assert places.evaluate("e => e.scrollWidth - e.clientWidth") == 0
    places.locator("li").nth(2).evaluate("(decks) => decks.remove()")
    assert places.evaluate("e => e.scrollWidth - e.clientWidth") == 0


def test_axe_finds_nothing_where_something_went_wrong(browse: Open, app: Flask, settings: Settings) -> None:
    """As these pages stand: a browser that asked for them would say so in its console, where nothing may be said."""
    page = browse("/help", width=390)
    for status in (400, 403, 404, 405, 410, 413, 429, 500):
        with app.test_request_context("/nothing", base_url=settings.base_url):
            text, _ = errors.page(status, "What it is", "What is wrong, in a sentence or two, and what to do now.")
        page.set_content(text)
        assert page.locator(".mishap-scene").is_visible() and page.locator(".button.primary").count() == 1
        silent(page, str(status))


@pytest.mark.parametrize("game", complete())
def test_what_the_keyboard_comes_to_lies_never_under_the_sheet_of_a_phone(
    game: str, browse: Open, anna: Visitor, settings: Settings
) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        table = lay(session, account, laid(game, GAMES[game].rules.seats[-1], "middle"))
    page = browse("/help", width=390)
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 844})
    under = """() => {
        const over = document.querySelector(".set-them, main.table > .question"), focused = document.activeElement
        if (focused === document.body) return "done"
        const hidden = !over.contains(focused) && focused.getBoundingClientRect().top >= over.getBoundingClientRect().top
        return hidden ? focused.textContent : ""
    }"""
    for path in (table, table.replace("table", "orders")):
        page.goto(path)
        found: list[str] = []
        while len(found) < 80 and "done" not in found:
            page.keyboard.press("Tab")
            found.append(page.evaluate(under))
        assert len(found) > 12 and set(found) <= {"", "done"}, path


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_button_of_an_invitation_is_in_view_however_long_its_names_are(
    browse: Open, anna: Visitor, bert: Visitor, settings: Settings, width: int, height: int
) -> None:
    with transaction(settings) as session:
        host = session.exec(select(Account).where(Account.email == bert.email)).one()
        host.name = 40 * "W"
        session.add(host)
        match = lobby.open_match(session, host, 60 * "W", "mastery", 6, "invited")
        inviting.share(session, match, host, True)
        shared = session.get_one(Match, match.id).share_key
    page = browse(f"/s/{shared}", width=width)
    page.set_viewport_size({"width": width, "height": height})
    head = page.locator(".masthead").bounding_box()
    assert head is not None and head["height"] <= 70, "all places in one line, on a phone too"
    box = page.locator(".inviting .buttons .primary").bounding_box()
    assert box is not None and box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("game", list(GAMES))
def test_no_letter_is_wider_than_a_phone(game: str, browse: Open, settings: Settings) -> None:
    page = browse("/help", width=375)
    page.goto("about:blank")  # a letter is read under its reader's own rules, not under those of our pages
    for found in (*questions(game, GAMES[game].rules.seats[-1]).values(), laid(game, GAMES[game].rules.seats[-1], "end")):
        page.set_content(letter_of(settings, found))
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, found.moment


def test_the_front_page_of_a_phone_has_its_picture_and_the_way_in_before_the_rest(browse: Open) -> None:
    page = browse("/", width=390, signed_in=False)
    parts = (".miniature", "h1", "#try", "#enter", ".way-in + .steps")
    tops = [page.locator(part).evaluate("x => x.getBoundingClientRect().y") for part in parts]
    assert tops == sorted(tops) and tops[1] < 500


@pytest.mark.parametrize(("game", "kind", "cell"), [("mastery", "support", ".hand td"), ("fief", "movement", ".card")])
def test_cards_of_a_letter_are_cards_and_lie_at_the_left(
    game: str, kind: str, cell: str, browse: Open, settings: Settings
) -> None:
    """One alone took the whole width, or lay in the middle of a phone."""
    page = browse("/help", width=640)
    page.goto("about:blank")
    page.set_content(letter_of(settings, questions(game, 6)[kind]))
    for width in (640, 375):
        page.set_viewport_size({"width": width, "height": 800})
        cards = page.locator(cell).evaluate_all("all => all.map((x) => [x.getBoundingClientRect().x, x.offsetWidth])")
        assert cards and max(wide for _, wide in cards) < 130 and min(x for x, _ in cards) < 50, (width, cards)


@pytest.mark.parametrize("game", complete())
def test_an_invitation_weighs_less_than_24_kb_and_is_no_wider_than_a_phone(
    game: str, browse: Open, anna: Visitor, settings: Settings
) -> None:
    """With most seats, the longest names, and no ruling as usual."""
    with transaction(settings) as session:
        host = session.exec(select(Account).where(Account.email == anna.email)).one()
        host.name = 40 * "W"
        session.add(host)
        ruled = {
            id: next(v for v in rule.alternatives if v != rule.default)
            for id, rule in GAMES[game].rules.rulings.items()
            if rule.house
        }
        match = lobby.open_match(session, host, 60 * "W", game, GAMES[game].rules.seats[-1], "invited", ruled=ruled)
        for _ in range(GAMES[game].rules.seats[-1] - 2):
            lobby.add_bot(session, match, host)
        invite(session, match, host, "carla@example.org")
        session.flush()
        letter = session.exec(select(Letter).where(Letter.match_id == match.id, Letter.kind == "invitation")).one()
        html = letter.html
    assert 20_000 < len(html.encode()) < 24_000
    page = browse("/help", width=375)
    page.goto("about:blank")
    page.set_content(html)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_the_markers_of_the_vikings_are_as_black_in_the_dark_as_they_are_called(
    browse: Open, anna: Visitor, settings: Settings
) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        path = lay(session, account, laid("ortus", 6, "middle"))
    for scheme in ("light", "dark"):
        fill = "x => getComputedStyle(x).fill.match(/[0-9]+/g).slice(0, 3).map(Number)"
        page = browse(path, scheme=scheme)
        assert page.locator(".step.past").count() and max(page.locator(".step.past").first.evaluate(fill)) < 60


def test_of_house_rulings_and_seats_those_of_the_chosen_game_are_shown(browse: Open) -> None:
    page = browse("/games/new", width=390)
    shown = page.locator("[data-of-game]:visible")
    assert page.locator("[data-of-game]").count() > 1
    for game in page.locator("[data-of-game]").all():
        name = game.get_attribute("data-of-game") or ""
        page.locator(f"[name=game][value={name}]").check()
        expect(shown).to_have_count(1)
        expect(shown).to_have_attribute("data-of-game", name)
    page.locator("[name=game][value=ortus]").check()
    page.locator("[name=seats][value='2']").check()
    page.locator("[name=game][value=fief]").check()
    expect(page.locator("[name=seats]:disabled")).to_have_count(1)
    expect(page.locator("[name=seats][value='3']")).to_be_checked()


def test_a_page_printed_from_the_dark_theme_is_dark_on_white(browse: Open) -> None:
    page = browse("/help")
    page.emulate_media(media="print", color_scheme="dark")
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    assert page.evaluate(colours) == ["rgb(255, 255, 255)", "rgb(42, 28, 18)"]
