"""Against bots in a real browser: from the home page to a table, with and without scripts, on a desk and a phone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Locator, Page, expect
from sqlmodel import select

from engine.core.asks import read
from service.seat import seat_view, submissions
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Match, new_id
from tests.service.web.axe import in_both_themes, violations
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)

pytestmark = pytest.mark.browser


def until_the_turn(settings: Settings) -> int:
    """Answer bots' first questions by the default; returns how many. No seed fixes this: bots draw at random."""
    answered = 0
    while True:
        with transaction(settings) as session:
            match = session.exec(select(Match)).one()
            view = seat_view.load(session, match, "a")
            assert view is not None and view.form is not None
            if any(option.id == "march" for option in view.form.options):
                return answered
            submissions.submit(session, match, "a", new_id(), view.form.serial, view.form.kind, read(view.form.default))
        answered += 1


def preset(question: Locator) -> int:
    """The knights of the march that the board filled in: as many as its place takes, and at least one."""
    knights = question.locator("details[open] input[name=f_knights]")  # an advance, closed, may have its own
    expect(knights).to_have_value(re.compile("^[1-9][0-9]*$"))
    return int(knights.input_value())


@pytest.mark.parametrize(("width", "scripts"), [(1280, True), (390, False)])
def test_from_the_home_page_to_a_committed_march(browse: Open, settings: Settings, width: int, scripts: bool) -> None:
    page: Page = browse("/", width, scripts=scripts, signed_in=False, fresh=True)
    button = page.get_by_role("button", name="Play Medieval Mastery")
    box = button.bounding_box()
    assert box is not None and box["y"] + box["height"] < 844 and box["height"] >= 40, "in the first screen"
    if scripts:
        assert in_both_themes(page) == []
    button.click()
    question = page.locator("[data-part=question]")
    expect(question).to_contain_text("Keep this game")
    if until_the_turn(settings):
        page.reload()
    actions: list[Callable[[], object]] = [question.locator("summary", has_text="March").first.click]
    if scripts:
        actions += [page.locator("[data-part=board] .legal").first.click]
        actions += [lambda: question.get_by_role("button", name=f"March with {preset(question)}", exact=True).click()]
    else:
        actions += [lambda: question.locator("select").first.select_option(index=1)]
        actions += [lambda: question.locator("input[type=number]").first.fill("1")]
        actions += [question.get_by_role("button", name="Redistribute and march").first.click]
    assert len(actions) < 5
    for act in actions:
        act()
    expect(page.locator("[data-part=log]")).to_contain_text("You marched")
    if scripts:
        page.get_by_text("Keep this game").click()
        assert in_both_themes(page) == []


PLACED = """() => [...document.querySelectorAll(
  "[data-part=question] .options summary, [data-part=question] .options button, .at-any-time > summary, [data-part=log]"
)].map((x) => { const b = x.getBoundingClientRect(); return [x.textContent, b.x, b.y, b.width, b.height]; })"""


@pytest.mark.parametrize("game", ["ortus", "mastery", "fief"])
def test_the_note_of_a_first_question_moves_no_verb(browse: Open, game: str) -> None:
    """Nor *Open at any time*; it lies in the first screen of a desk and a phone, and goes for good, without scripts, too."""
    page: Page = browse("/", fresh=True, signed_in=False)
    page.locator(f"form:has([name=game][value={game}]) button.primary").click()
    page.wait_for_load_state()  # before, the note was measured where the style sheet had not put it yet
    note = page.locator(".first-note")
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        box = note.bounding_box()
        sheet = page.locator("[data-part=question]").bounding_box()
        assert box and sheet and box["y"] + box["height"] <= (height if width > 960 else sheet["y"]), width
        assert all(button.bounding_box()["height"] >= 40 for button in note.locator("button").all())  # type: ignore[index]  # shown
        there = page.evaluate(PLACED)
        note.evaluate("note => { note.hidden = true; note.style.display = 'none'; }")
        assert page.evaluate(PLACED) == there != []
        note.evaluate("note => { note.hidden = false; note.style.display = ''; }")
    assert violations(page) == []
    note.get_by_role("button", name="Got it").click()
    expect(page.locator("[data-part=board]")).to_be_visible()
    expect(note).to_have_count(0)
