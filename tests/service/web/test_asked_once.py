"""What is final asks once before it counts: also where all other verbs of the row can't be done just now."""

from __future__ import annotations

import re

import pytest
from sqlmodel import select

from engine.games import GAMES
from service.ops import robot
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Submission
from tests.service.web.conftest import Visitor
from tests.tables import games, laid, lay


def ways(page: str) -> dict[str, str]:
    """What pressing a verb without fields does, by option: preview or answer."""
    forms = re.findall(r'<form method="post" action="[^"]*/(\w+)" class="option plain-option">(.*?)</form>', page, re.S)
    return {re.findall(r'name="option" value="(\w+)"', inside)[0]: way for way, inside in forms}


@pytest.mark.parametrize("game", list(games()))
def test_a_verb_of_a_long_row_asks_and_one_of_a_short_row_is_sent(game: str, anna: Visitor, settings: Settings) -> None:
    found: dict[bool, set[str]] = {}
    for seats in (GAMES[game].most, GAMES[game].least):
        for moment in ("start", "middle", "fight"):
            with transaction(settings) as session:
                account = session.exec(select(Account).where(Account.email == anna.email)).one()
                path = lay(session, account, laid(game, seats, moment))
            page = anna.page(path)
            question = page.partition('data-part="question"')[2].partition("</section>")[0].partition('class="offers')[0]
            verbs = len(re.findall(r'class="option(?: |")', question))
            found.setdefault(verbs > 3, set()).update(ways(question).values())
    assert found.get(True, {"preview"}) == {"preview"} and found.get(False, {"answer"}) <= {"answer"}


def test_the_only_verb_that_is_left_asks_once_and_needs_no_script(anna: Visitor, settings: Settings) -> None:
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        path = lay(session, account, laid("mastery", 6, "middle"))
    page = anna.page(path)
    assert ways(page) == {"end": "preview"} and page.count('class="option shut"') == 5
    form = page.partition('class="option plain-option"')[2].partition("</form>")[0]
    hidden = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    asked = anna.post(path.replace("/table", "/preview"), hidden).text
    assert "Is this what you mean?" in asked and 'name="answer" value="end"' in asked
    with open_session(settings) as session:
        assert session.exec(select(Submission)).all() == []


def test_somebody_without_a_plan_ends_a_turn_before_giving_up(anna: Visitor, settings: Settings) -> None:
    """A verb that asks once more is answered like the others; giving up for good waits until nothing else is left."""
    turn = laid("ortus", 6, "middle")
    with transaction(settings) as session:
        path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), turn)
    forms = robot.questions(robot.page_of("http://writ.test/x", 200, anna.page(path).encode()))
    options = {form.hidden("option"): form.action for form in forms}
    assert options["end"].endswith("/preview") and "concede" not in options
