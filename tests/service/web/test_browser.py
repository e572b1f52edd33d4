"""The pages around a game in a real browser: phone width, both themes, keyboard alone, without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from playwright.sync_api import FilePayload

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request, expect

from service.settings import Settings
from service.web import create_app
from tests.service.web.axe import in_both_themes, violations
from tests.service.web.conftest import EMPTY, Front, Visitor
from tests.service.web.test_lobby import open_game
from tests.service.web.test_options import open_game as open_toy

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
Scheme = Literal["light", "dark"]


@pytest.fixture
def address(front: Front, settings: Settings) -> Iterator[str]:
    """The app on a free port, as one tries it out on one's own machine."""
    front.app = create_app(settings.model_copy(update={"base_url": "http://127.0.0.1"}))
    yield front.address
    front.app = None


class Taken:
    """Pages that a test has open, and what their consoles said. When it leaves them, only cached files stay in them."""

    def __init__(self, browser: Browser, address: str, free: dict[bool, list[Page]]) -> None:
        self.browser, self.address, self.free = browser, address, free
        self.kept: list[tuple[bool, Page]] = []
        self.own: list[BrowserContext] = []
        self.said: list[str] = []

    def page(self, scripts: bool, fresh: bool) -> Page:
        found = self.free[scripts].pop() if self.free[scripts] and not fresh else None
        page = found or self.browser.new_context(java_script_enabled=scripts, base_url=self.address).new_page()
        if fresh:
            self.own.append(page.context)
        else:
            self.kept.append((scripts, page))
        page.mouse.move(-1, -1)
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("request", self._request)
        return page

    def leave(self) -> None:
        for context in self.own:
            context.close()
        for scripts, page in self.kept:
            for other in page.context.pages:
                if other is not page:
                    other.close()
            page.goto(EMPTY)  # first: what a script of the old page still asks for would have no cookie
            if scripts:
                page.evaluate("sessionStorage.clear(); localStorage.clear()")
            page.context.clear_cookies()
            page.remove_listener("console", self._console)
            page.remove_listener("pageerror", self._error)
            page.remove_listener("request", self._request)
            self.free[scripts].append(page)

    def _console(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)

    def _error(self, problem: Error) -> None:
        self.said.append(f"script: {problem}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith(self.address):
            self.said.append(f"foreign: {request.url}")


@pytest.fixture
def browse(address: str, browser: Browser, anna: Visitor, windows: dict[bool, list[Page]]) -> Iterator[Open]:
    """browse(path, width, scheme, ...) -> a page that Anna has open; messages of the console are failures.

    `fresh`: in a context of its own, for what would stay in one: a clock that is held, routes, an empty cache.
    """
    taken = Taken(browser, address, windows)

    def open_page(
        path: str,
        width: int = 1280,
        scheme: Scheme = "light",
        scripts: bool = True,
        signed_in: bool = True,
        fresh: bool = False,
    ) -> Page:
        page = taken.page(scripts, fresh)
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(media="null", color_scheme=scheme, reduced_motion="null")
        cookie = anna.client.get_cookie("writ", domain="writ.test")
        if signed_in and cookie is not None:
            page.context.add_cookies([{"name": "writ", "value": cookie.value, "url": address}])
        if path != "about:blank":
            page.goto(path)
        elif page.url == path:
            page.goto(EMPTY)
        return page

    yield open_page
    taken.leave()
    assert taken.said == []


def paths(anna: Visitor) -> list[str]:
    """Every kind of page, with something on it."""
    lobby = open_game(anna, seats=6, access="open")
    anna.post(lobby + "/invite", {"email": "somebody.with.a.very.long.name.indeed@subdomain.of.an.example.org"})
    anna.post(lobby + "/bot", {"bot": "steady", "how_many": "one"})
    anna.post(lobby + "/deck", {"deck": "house:marshal"})
    # A link that signs in somebody else than is here, so that the page asks; one's own would lead on at once when used.
    other = Visitor(anna.client.application.test_client(), anna.settings, "cleo@example.org")
    other.post("/sign-in", {"email": other.email})
    anna.post("/sign-in", {"email": anna.email})
    shown = ["/", "/help", "/help/ortus", "/games", "/games/open", "/games/new", lobby, lobby + "/deck", "/decks", "/account"]
    return [*shown, "/mailbox", a_letter(anna), anna.link("sign_in", "in"), other.link("sign_in", "in")]


def a_letter(anna: Visitor) -> str:
    """The page of a letter to her in the mailbox."""
    at_home = create_app(anna.settings.model_copy(update={"base_url": "http://localhost"}))
    found = re.search(r'href="(/mailbox/[^"?]+)"', at_home.test_client().get("/mailbox").text)
    assert found is not None
    return found[1]


def test_no_page_is_wider_than_a_phone(browse: Open, anna: Visitor) -> None:
    page, widths = browse("/", width=390), {}
    for path in paths(anna):
        page.goto(path)
        widths[path] = page.evaluate("document.documentElement.scrollWidth")
    assert {path: width for path, width in widths.items() if width > 390} == {}


def test_no_page_keeps_anybody_out(browse: Open, anna: Visitor) -> None:
    page, faults = browse("/"), []
    for path in paths(anna):
        page.goto(path)
        faults += [f"{path}: {fault}" for fault in in_both_themes(page, frames=False)]
    assert faults == []


def test_the_deck_form_counts_while_one_types(browse: Open) -> None:
    page = browse("/decks/new?from=marshal")
    expect(page.locator("[data-total]")).to_have_text("24 of 24 cards: the deck is full.")
    page.get_by_role("spinbutton", name="Monk").fill("2")
    expect(page.locator("[data-total]")).to_have_text("26 of 24 cards: 2 too many.")
    page.get_by_role("spinbutton", name="Land").first.fill("0")
    expect(page.locator("[data-total]")).to_have_text("21 of 24 cards: 3 to go.")
    # A deck that is kept may be one for a role, which has 22 cards (DEF-7).
    page.get_by_role("spinbutton", name="Monk").fill("3")
    expect(page.locator("[data-total]")).to_have_text("22 of 22 cards: the deck is full.")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_deck_is_built_of_whole_cards_and_its_total_stays_in_view(
    browse: Open, anna: Visitor, width: int, height: int
) -> None:
    page = browse("/decks/new?from=steward", width=width)
    page.set_viewport_size({"width": width, "height": height})
    cards, total = page.locator(".deck-row .card"), page.locator("[data-total]")
    assert cards.count() == 15
    for card in cards.all():
        drawn, name = card.bounding_box(), card.locator(".cname").bounding_box()
        assert drawn and name and drawn["height"] / drawn["width"] == pytest.approx(122 / 84, abs=0.05)
        assert drawn["y"] < name["y"] and name["y"] + name["height"] <= drawn["y"] + drawn["height"]
    for part in (0, 0.5, 1):
        page.evaluate("(part) => scrollTo(0, part * document.documentElement.scrollHeight)", part)
        expect(total).to_be_in_viewport(ratio=1)
    number = page.get_by_role("spinbutton", name=re.compile("^Castle"))  # its name is read out, though it is seen on the card
    number.fill("4")
    expect(total).to_contain_text("1 too many")


def test_a_deck_is_built_without_scripts(browse: Open) -> None:
    page = browse("/decks/new?from=steward", scripts=False)
    page.get_by_label("Name of the deck").fill("By hand")
    page.get_by_role("button", name="Keep this deck").click()
    expect(page.get_by_role("status")).to_contain_text("“By hand” is kept.")


def test_optional_rules_are_chosen_on_a_phone_without_scripts(browse: Open, anna: Visitor, toy: None) -> None:
    page = browse(open_toy(anna), width=390, scripts=False)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_text("Choose optional rules").click()
    page.get_by_label("Rounds").fill("2")
    page.get_by_label("Poor").check()
    wares = FilePayload(name="wares.txt", mimeType="text/plain", buffer=b"salt tin wool wax wine yarn zinc leek mead")
    page.get_by_label("A file").set_input_files([wares])
    page.get_by_role("button", name="Play by these rules").click()
    expect(page.get_by_role("status")).to_contain_text("The optional rules are set")
    page.get_by_text("Choose optional rules").click()
    expect(page.get_by_label("Rounds")).to_have_value("2")
    expect(page.get_by_text("9 wares of the host's own.")).to_be_visible()


def test_the_form_for_optional_rules_keeps_nobody_out(browse: Open, anna: Visitor, toy: None) -> None:
    page = browse(open_toy(anna))
    assert violations(page, frames=False) == []


def test_house_rulings_are_chosen_on_a_phone_by_keyboard_without_scripts(browse: Open, anna: Visitor) -> None:
    page = browse("/games/new", width=390, scripts=False)
    page.get_by_label("Name of the game").fill("Michaelmas")
    fold = page.get_by_text("House rulings of Ortus Regni")
    expect(page.get_by_label("All at once and in secret", exact=False)).to_be_hidden()
    fold.focus()
    page.keyboard.press("Enter")
    chosen = page.get_by_label("One after the other, seeing", exact=False)
    chosen.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("All at once and in secret", exact=False)).to_be_checked()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Open the game").press("Enter")
    expect(page.get_by_text("All at once and in secret", exact=False).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_house_rulings_keep_nobody_out(browse: Open, anna: Visitor) -> None:
    for path in (open_game(anna), "/help/ortus"):
        _open_rulings(browse(path))
    page = browse("/games/new")
    for game in page.locator("input[name=game]").all():
        game.check()  # the rulings of the chosen game alone are shown
        _open_rulings(page)


def _open_rulings(page: Page) -> None:
    for fold in page.locator("details.rulings:visible:not([open])").all():
        fold.locator("summary").click()
    assert violations(page, frames=False) == []


def test_signing_in_and_opening_a_game_needs_the_keyboard_alone(browse: Open, visitor: Callable[[str], Visitor]) -> None:
    page = browse("/", signed_in=False)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_label("E-mail address").focus()
    page.keyboard.type("dora@example.org")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("A letter is on its way")
    dora = visitor("dora@example.org")
    dora.settings = dora.settings.model_copy(update={"base_url": "http://127.0.0.1"})
    page.goto(dora.link("sign_in", "in"))
    page.get_by_label("Your name at the table").focus()
    page.keyboard.type("Dora")
    page.keyboard.press("Tab")
    expect(page.locator("[name=pronoun]")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/games")
    page.goto("/games/new")
    page.get_by_label("Name of the game").focus()
    page.keyboard.type("Keys only")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Keys only")
    expect(page.get_by_text("Dora").first).to_be_visible()


def test_a_letter_s_link_leads_out_of_its_frame(browse: Open, anna: Visitor, address: str, settings: Settings) -> None:
    page = browse(a_letter(anna))
    frame = page.frame_locator("iframe.letter")
    link = frame.locator(f'a[href^="{settings.base_url}/in/"]').first
    expect(link).to_be_visible()
    assert link.get_attribute("target") in (None, "_top")
