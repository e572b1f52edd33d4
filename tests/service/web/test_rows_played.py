"""Rows in a game, the whole way: the small game's gifts on the page, in the letter, by reply, and by robot."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import col, select

from service.inbox import machines, receiving
from service.settings import Settings
from service.store.database import open_session
from service.store.models import EntryRow
from service.tools import robot
from tests.service.web.conftest import Visitor, begun

pytestmark = pytest.mark.usefixtures("toy")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"inbox": "writ@writ.test", "hold_seconds": 0})


def answer(who: Visitor, path: str, kind: str, option: str, button: str = "", **fields: str) -> str:
    """The page after an answer, or after a button of its rows."""
    page = who.page(f"{path}/table")
    key, serial = (re.findall(rf'name="{n}" value="([^"]+)"', page)[0] for n in ("key", "serial"))
    given = {"key": key, "serial": serial, "kind": kind, "option": option, **{f"f_{name}": v for name, v in fields.items()}}
    return who.post(f"{path}/rows" if button else f"{path}/answer", given | ({"rows": button} if button else {})).text


def moves(settings: Settings) -> list[str]:
    with open_session(settings) as session:
        return [e.move for e in session.exec(select(EntryRow).order_by(col(EntryRow.n))) if e.ask == "share"]


@pytest.fixture
def sharing(anna: Visitor, bert: Visitor) -> str:
    """The path of a game in which Bert has won the round, and shares out three coins."""
    path = begun(anna, bert, game="fair")
    answer(bert, path, "bid", "bid", coins="2")
    answer(anna, path, "bid", "bid", coins="1")
    return path


def test_gifts_are_given_on_the_page(sharing: str, bert: Visitor, settings: Settings) -> None:
    page = bert.page(f"{sharing}/table")
    assert "<legend>Row 1</legend>" in page and "Coins: 0 of 3" in page and "rows.js" in page
    one = {"gifts__rows": "1", "gifts__1__to": "a", "gifts__1__coins": "2"}
    page = answer(bert, sharing, "share", "split", "add:gifts", **one)
    assert "<legend>Row 2</legend>" in page and "Coins: 2 of 3" in page and moves(settings) == []
    two = {**one, "gifts__rows": "3", "gifts__3__to": "b", "gifts__3__coins": "2"}
    page = answer(bert, sharing, "share", "split", **two)
    assert "Gifts, no. 2: This brings “Coins” to 4 in all; it must be from 0 to 3." in page
    assert 'value="2"' in page and moves(settings) == []
    answer(bert, sharing, "share", "split", **{**two, "gifts__3__coins": "1"})
    assert moves(settings) == ["split gifts=[(to=a,coins=2),(to=b,coins=1)]"]


def test_gifts_are_told_in_the_letter_and_given_by_reply(
    sharing: str, bert: Visitor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machines, "AT_ONCE", timedelta(0))  # the reply comes within seconds of the letter
    letter = bert.letters("turn")[-1]
    assert "       Gifts (1-2), in each row:\n         - To: Anna | Bert\n         - Coins: 1-3\n" in letter.text
    assert "In all rows together: Coins: at most 3; Anna, Bert: each at most 1." in letter.text
    assert "       by reply: 2: Anna, 2 Coins\n" in letter.text and "Coins: 1–3" in letter.html
    assert "then a line for each row:\n\n  - Anna, 2 Coins\n" in letter.text
    assert replied(settings, letter.headers["Reply-To"], "split\n- to=b\n- to=a coins=9") == "refused"
    refused = " ".join(bert.letters("reply_refused")[-1].text.split())
    assert "Line 2: “coins” is 9; it must be from 1 to 3." in refused and moves(settings) == []
    assert replied(settings, letter.headers["Reply-To"], "split\n- to=b coins=2\n- to=a\n\nYours, Bert") == "answered"
    assert moves(settings) == ["split gifts=[(to=b,coins=2),(to=a,coins=1)]"]


def replied(settings: Settings, to: str, text: str) -> str:
    made = EmailMessage()
    made["From"], made["To"], made["Message-ID"] = "bert@example.org", to, f"<{len(text)}@reader>"
    made.set_content(text)
    return receiving.receive(settings, made.as_bytes(), (to,), "bert@example.org")


def test_a_robot_gives_gifts(sharing: str, bert: Visitor, settings: Settings) -> None:
    rng = random.Random(2)
    for _ in range(60):
        page = robot.page_of("http://writ.test/x", 200, bert.page(f"{sharing}/table").encode())
        form = next(f for f in page.forms if f.hidden("option") == "split")
        filled = {c.name: c.value for c in form.controls if c.kind not in ("checkbox", "radio") or c.on}
        bert.post(f"{sharing}/answer", {**filled, **robot.fill(page, form, rng)})
        if moves(settings):
            break
    assert moves(settings)[0].startswith("split gifts=[(")
