"""Lessons in a real browser: played on the board on a phone, the note on its place, the verbs in view."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Page, expect

from service.games import lessons
from tests.service.web.axe import in_both_themes
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)

pytestmark = pytest.mark.browser
PHONE = 844
VERBS = "[data-part=question] .options :is(summary, .plain-option > button, button.primary)"


def in_view(page: Page) -> bool:
    """Whether a verb stands in the first screen."""
    boxes = [verb.bounding_box() for verb in page.locator(VERBS).all() if verb.is_visible()]
    return any(box["y"] + box["height"] <= PHONE for box in boxes if box is not None)


def veiled(page: Page) -> bool:
    """Whether a veil lies round the place that the note speaks of; it lets clicks through."""
    content, events = page.evaluate("(s => [s.content, s.pointerEvents])(getComputedStyle(document.body, '::after'))")
    return bool(content != "none" and events == "none")


def test_lessons_are_played_on_a_phone_and_their_notes_never_hide_the_verbs(browse: Open) -> None:
    page: Page = browse("/learn/mastery/1/1", 390, signed_in=False, fresh=True)
    note = page.locator(".lesson-note")
    expect(note).to_have_class("lesson-note afloat under")
    assert in_both_themes(page) == [] and veiled(page)
    page.locator("[data-part=board] a[data-value=A2]").click()
    page.get_by_role("button", name="March with 1").click()
    expect(page.locator(".lesson-other")).to_contain_text("Few knights there are easy prey")
    page.get_by_role("link", name="Try another way").click()
    page.locator("[data-part=board] a[data-value=A2]").click()
    for _ in range(2):
        page.get_by_role("button", name="How many knights: one more").click()
    page.get_by_role("button", name="March with 3").click()
    expect(page.locator(".lesson-note.afloat")).to_contain_text("Every turn brings you 3 more")
    assert veiled(page)
    note.click()
    expect(note).to_have_class("lesson-note")
    assert not veiled(page)
    for game in lessons.offered():
        longest = max(
            (
                (len(course.said(step.id)), course.number, n)
                for course in lessons.courses(game.name)
                for n, step in enumerate(course.lesson.steps, 1)
            )
        )
        page.goto(f"/learn/{game.name}/{longest[1]}/{longest[2]}/table")
        expect(page.locator(".lesson-note.afloat")).to_be_visible()
        assert in_view(page), longest


@pytest.mark.parametrize("step", ["2/2", "2/3", "3/1"])
def test_on_a_phone_a_note_on_a_card_leaves_the_battle_in_view(browse: Open, step: str) -> None:
    page: Page = browse(f"/learn/mastery/{step}/table", 390, signed_in=False, fresh=True)
    expect(page.locator(".lesson-note")).to_have_class("lesson-note afloat loose")
    note, fight = page.locator(".lesson-note").bounding_box(), page.locator("[data-fight]").bounding_box()
    assert note is not None and fight is not None and note["y"] + note["height"] < fight["y"]


def test_a_letter_leads_to_the_step_without_scripts(browse: Open) -> None:
    page: Page = browse("/learn/fief/4/1", 390, scripts=False, signed_in=False, fresh=True)
    page.frame_locator("iframe.letter").get_by_role("link", name="Answer on your page").click()
    expect(page.locator(".lesson-note")).to_contain_text("offer a truce")
    assert in_view(page)
