"""The odds of a march are counted by a button, and are the same once more."""

from __future__ import annotations

import html
import re

from sqlmodel import select

from engine.games import GAMES
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Submission
from tests.service.web.conftest import Visitor
from tests.tables import lay, questions


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_a_march_says_its_odds_when_they_are_asked_for_and_nothing_is_sent(anna: Visitor, settings: Settings) -> None:
    found = questions("mastery", 3)["early"]
    clashes = GAMES["mastery"].rules.view(found.state, found.seat)["own"]["clashes"]
    with transaction(settings) as session:
        path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), found)
    page = anna.page(path)
    form = next(f for f in page.split("<form ") if 'name="option" value="march"' in f).partition("</form>")[0]
    assert 'class="odds"' not in page and "Count the odds" in form
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    numbers = dict(re.findall(r'name="(f_in_\w+)" min="\d+" max="\d+" value="(\d+)"', form))
    march = {**hidden, **numbers, "f_target": min(clashes), "f_knights": "1"}
    told = []
    for _ in range(2):
        asked = anna.post(path.replace("/table", "/odds"), march).text
        panel = words(asked.partition('id="confirm"')[2].partition("</section>")[0])
        told.append(re.findall(r"Strength \d+ \d+ Of 100 such battles you win \d+.*?How we count this", panel))
    assert len(told[0]) == 1 and told[0] == told[1], panel
    nowhere = anna.post(path.replace("/table", "/odds"), {**march, "f_target": "", "f_knights": "0", min(numbers): "1"}).text
    assert "Of 100" not in nowhere
    with open_session(settings) as session:
        assert session.exec(select(Submission)).all() == []
