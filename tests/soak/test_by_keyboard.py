"""A whole game of each kind, against opponents, by the keyboard alone in a real browser: every control is reached by Tab.

Nothing is clicked, and no element is focused but by keys. The player has no plan: what it fills in is the robot's choice within
the bounds that the page shows. `WRIT_KEYBOARD_SHOTS` names a folder for a picture of the page every now and then, and
`WRIT_KEYBOARD_ANSWERS` ends a game early.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Error, Locator, Page, ViewportSize

from engine.games import GAMES
from service.tools import robot
from service.tools.demo import Instance, instance, players, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.soak]

ANSWERS = int(os.environ.get("WRIT_KEYBOARD_ANSWERS", "0"))
SHOTS = os.environ.get("WRIT_KEYBOARD_SHOTS", "")
MOST_TABS = 400
PATIENCE = 120.0
"""Seconds until opponents have played on."""
REFUSALS = 60

DESK, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)


class Stuck(AssertionError):
    """The keyboard doesn't get there; the message says where and what."""


class Keys:
    """Two hands on a keyboard, at one page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def to(self, target: Locator) -> None:
        """Press Tab until the focus is on the target."""
        for _ in range(MOST_TABS):
            if target.evaluate("e => e === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise Stuck(f"{self.page.url}: no Tab leads to {target.evaluate('e => e.outerHTML')[:300]}")

    def press(self, target: Locator, key: str = "Enter") -> None:
        self.to(target)
        self.page.keyboard.press(key)

    def fill(self, form: Locator, name: str, value: str) -> None:
        """Bring one control of a form to a value, as its kind wants it."""
        found = form.locator(f'[name="{name}"]')
        kind = found.first.evaluate("e => e.type")
        if kind == "radio":
            side = form.locator(f'.kinds [value="{value.split(":")[0]}"]')
            if side.count() and not side.is_checked():  # a switch of kinds shows what there is of one
                self._radio(form.locator(".kinds input"), value.split(":")[0])
            self._radio(found, value)
        elif kind == "checkbox":
            if found.is_checked() != bool(value and value != "0"):
                self.press(found, "Space")
        elif kind.startswith("select"):
            self._select(found, value)
        elif found.input_value() != value:
            self.to(found)
            self.page.keyboard.press("Control+A")
            if value:
                self.page.keyboard.type(value)
            else:
                self.page.keyboard.press("Delete")

    def _radio(self, group: Locator, value: str) -> None:
        """Tab comes to the chosen one, or into the group; arrows go on from there."""
        within = "e => e.name === document.activeElement?.name && e.form === document.activeElement?.form"
        for _ in range(MOST_TABS):
            if group.first.evaluate(within):
                break
            self.page.keyboard.press("Tab")
        else:
            raise Stuck(f"{self.page.url}: no Tab leads into the choices {group.first.get_attribute('name')}")
        self.page.keyboard.press("Space")
        for _ in range(group.count()):
            if self.page.evaluate("document.activeElement.value") == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise Stuck(f"{self.page.url}: arrows don't lead to {value} of {group.first.get_attribute('name')}")

    def _select(self, found: Locator, value: str) -> None:
        self.to(found)
        self.page.keyboard.press("Home")
        for _ in range(found.locator("option").count()):
            if found.input_value() == value:
                return
            self.page.keyboard.press("ArrowDown")
        if found.input_value() != value:
            raise Stuck(f"{self.page.url}: arrows don't lead to {value} of {found.get_attribute('name')}")


def asked(page: Page) -> list[robot.Form]:
    """What the page asks of its reader, apart from giving the game up, as far as it can be seen."""
    forms = robot.questions(robot.page_of(page.url, 200, page.content().encode()))
    return [f for f in forms if f.hidden("option") != "concede" and not f.hidden("serial").startswith("-")]


def answer(keys: Keys, rng: random.Random) -> None:
    """Answer the open question once; the page that comes may refuse it."""
    page = keys.page
    chosen = rng.choice(asked(page))
    option, seen = chosen.hidden("option"), robot.page_of(page.url, 200, page.content().encode())
    form = page.locator(f'[data-part=question] .options form:has(> input[name=option][value="{option}"])').first
    fold = page.locator(f'[data-part=question] details.option:has(> form > input[name=option][value="{option}"])').first
    if fold.count() and fold.get_attribute("open") is None:
        keys.press(fold.locator("> summary"))
    for lists in form.locator("details:not([open]) > summary").all():  # the same as on the board, for the keyboard
        keys.press(lists)
    filled = robot.fill(seen, chosen, rng)
    for control in {c.name for c in chosen.controls if c.name.startswith("f_") and not c.name.endswith("__rows")}:
        if form.locator(f'[name="{control}"]:visible').count():
            keys.fill(form, control, filled.get(control, ""))
    before = page.evaluate("performance.timeOrigin")
    button = form.locator("button:not([formaction]):not([tabindex]):not([type=button])")
    if not button.count():  # it stands beside another option's
        button = page.locator(f'button[form="{form.get_attribute("id")}"]')
        beside = page.locator("details:not([open])", has=button).locator("> summary")
        if beside.count():
            keys.press(beside.first)
    if not button.last.is_visible():  # on a phone an open option hides the others, until it is folded
        keys.press(page.locator("[data-part=question] details.option[open] > summary").first)
    keys.press(button.last)
    arrived(page, before)
    sure = page.locator(".confirm form button")
    if sure.count():
        before = page.evaluate("performance.timeOrigin")
        keys.press(sure.first)
        arrived(page, before)


def arrived(page: Page, before: float) -> None:
    """Wait until another page than that one is there."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if page.evaluate("performance.timeOrigin") != before:
                page.wait_for_load_state()
                return
        except Error:  # in between two pages
            pass
        time.sleep(0.02)
    raise Stuck(
        f"{page.url}: nothing came of the Enter key; the focus is on {page.evaluate('document.activeElement.outerHTML')[:300]}"
    )


def come_to_table(page: Page, table: str) -> bool:
    """Look again until something is asked; whether the game still goes on."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if page.locator("#over").count():
            return False
        if not page.locator("meta[http-equiv=refresh]").count() and page.locator("main.asked").count() and asked(page):
            return True
        time.sleep(0.3)
        page.goto(table)
    raise Stuck(
        f"{table}: nothing is asked for {PATIENCE:.0f} seconds: {page.locator('[data-part=question]').inner_text()[:200]}"
    )


def seated(at: Instance, game: str) -> tuple[robot.Browser, str]:
    """Somebody who sits at a running table among opponents, and the table's address."""
    host = players(at.base, 1)[0]
    sign_in(at, host)
    page = host.browser.get("/games/new")
    filled = {"name": "By hand", "game": game, "seats": str(GAMES[game].rules.seats[0]), "access": "invited"}
    lobby = host.browser.submit(page, page.form("name", "seats"), filled)
    host.browser.submit(lobby, lobby.form("bot"), button="all")
    return host.browser, f"{lobby.url}/table"


@pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])
@pytest.mark.parametrize("game", [game for game in GAMES if game != "skeleton"])
def test_a_whole_game_is_played_by_keyboard_alone(game: str, scripts: bool, browser: Browser, tmp_path: Path) -> None:
    scheme: Literal["light", "dark"] = "light" if scripts else "dark"
    rng, faults = random.Random(f"{game} {scripts}"), []
    with instance(tmp_path) as at:
        session, table = seated(at, game)
        context = browser.new_context(viewport=DESK if scripts else PHONE, color_scheme=scheme, java_script_enabled=scripts)
        context.add_cookies([{"name": c.name, "value": c.value or "", "url": at.base} for c in session.jar])
        page = context.new_page()
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda problem: faults.append(f"script: {problem}"))
        page.goto(table)
        answers = refused = 0
        while come_to_table(page, table) and not (ANSWERS and answers >= ANSWERS):
            if SHOTS and answers % 10 == 0:
                page.screenshot(path=Path(SHOTS) / f"{game}-{'scripts' if scripts else 'plain'}-{answers:03}.png")
            answer(Keys(page), rng)
            if page.locator("[data-part=question] [role=alert]").count():
                refused += 1
                assert refused < REFUSALS, page.locator("[data-part=question] [role=alert]").inner_text()
            else:
                answers, refused = answers + 1, 0
        if SHOTS:
            page.screenshot(path=Path(SHOTS) / f"{game}-{'scripts' if scripts else 'plain'}-end.png")
        context.close()
    assert answers, "nothing was ever asked"
    assert [fault for fault in faults if "422" not in fault] == []
