"""Odds are counted by a button, with and without scripts, and read the same once more."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("playwright")
pytest.importorskip("axe_playwright_python")

from playwright.sync_api import Page, expect
from sqlmodel import select

from engine.games import GAMES
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Account
from tests.service.web.axe import in_both_themes
from tests.service.web.conftest import Visitor
from tests.service.web.test_browser import Open, address, browse  # noqa: F401  (fixtures)
from tests.tables import lay, questions

pytestmark = pytest.mark.browser


def pictured(page: Page, name: str) -> None:
    """For a look at it: WRIT_TEST_PICTURES names a folder."""
    if folder := os.environ.get("WRIT_TEST_PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png")


@pytest.mark.parametrize(
    ("game", "kind", "width"), [("mastery", "support", 390), ("ortus", "allies", 1280), ("fief", "battle_next", 1280)]
)
def test_the_odds_of_each_verb_are_counted_on_demand(
    game: str, kind: str, width: int, browse: Open, anna: Visitor, settings: Settings
) -> None:
    found = next(at for n in (6, 5, 4, 3) if (at := questions(game, n).get(kind)) is not None)
    with transaction(settings) as session:
        path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), found)
    told = []
    for scripts in (True, False):
        page = browse(path, width=width, scripts=scripts)
        assert page.locator(".odds").count() == 0
        page.locator(".question > form").get_by_role("button", name="Count the odds").click()
        expect(page.locator(".odds").first).to_contain_text("Of 100 such")
        told.append(page.locator(".odds").all_inner_texts())
        page.get_by_text("How we count this").click()
        if scripts:
            assert in_both_themes(page) == []
            pictured(page, f"odds-{game}-{kind}-{width}")
    assert told[0] == told[1]


@pytest.mark.parametrize("width", [390, 1280])
def test_a_march_has_odds_once_it_meets_somebody(width: int, browse: Open, anna: Visitor, settings: Settings) -> None:
    """With scripts by the place that is chosen; without them the form can't know it, and offers them if any place is held."""
    found = questions("mastery", 3)["early"]
    clashes = GAMES["mastery"].rules.view(found.state, found.seat)["own"]["clashes"]
    with transaction(settings) as session:
        path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), found)
    page = browse(path, width=width, scripts=True)
    page.locator("#verb-march").click()
    form = page.locator('form:has([name="f_target"])').first
    target, button = form.locator('[name="f_target"]'), form.get_by_role("button", name="Count the odds")
    expect(button).to_be_hidden()
    held = min(clashes)
    empty = next(
        at for at in target.locator("option").evaluate_all("all => all.map((x) => x.value)") if at and at not in clashes
    )
    for place, offered in ((empty, False), (held, True), (empty, False)):
        target.select_option(place, force=True)
        expect(button).to_be_visible() if offered else expect(button).to_be_hidden()
        pictured(page, f"march-{'meets' if offered else 'empty'}-{width}")
    plain = browse(path, width=width, scripts=False)
    plain.locator("#verb-march").click()
    expect(plain.get_by_role("button", name="Count the odds").first).to_be_visible()
