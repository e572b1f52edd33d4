"""The odds of a march are counted by a button, and are the same once more."""

from __future__ import annotations

import html
import re

from sqlmodel import select

from engine.games import GAMES
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Submission
from tests.mastery.scene import Scene
from tests.service.web.conftest import Visitor
from tests.tables import Laid, lay, questions


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
    empty = next(choice for choice in re.findall(r'<option value="(\w\d)"', form) if choice not in clashes)
    look = anna.post(path.replace("/table", "/preview"), {**march, "f_target": empty}).text
    panel = look.partition('id="confirm"')[2].partition("</section>")[0]
    assert "Redistribute and march:" in panel and "Count the odds" not in panel, "nothing is at stake in an empty land"
    look = anna.post(path.replace("/table", "/preview"), march).text
    assert "Count the odds" in look.partition('id="confirm"')[2].partition("</section>")[0]
    nowhere = anna.post(path.replace("/table", "/odds"), {**march, "f_target": "", "f_knights": "0", min(numbers): "1"}).text
    assert "Of 100" not in nowhere
    with open_session(settings) as session:
        assert session.exec(select(Submission)).all() == []


def test_odds_are_offered_only_where_a_fight_can_follow(anna: Visitor, settings: Settings) -> None:
    """Not in a window on a crown, nor to somebody whose march can meet nobody."""
    alone = Scene("a: knights=4\na.hand: TacticalAdvance\nB1: Forest")
    crown = Scene("a: knights=4\na.artefacts: Insight\nb.hand: Fracture").play("a: crown")
    meets = Scene("a: knights=4\nB1: Forest b 1")
    offered = []
    for scene, seat in ((alone, "a"), (crown, "b"), (meets, "a")):
        assert seat in scene.state.waiting
        found = Laid("mastery", "a fight?", ["a", "b"], scene.state, seat, [])
        with transaction(settings) as session:
            path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), found)
        offered.append("Count the odds" in anna.page(path))
    assert offered == [False, False, True]
