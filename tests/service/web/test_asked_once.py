"""What one press would make final asks once before it counts, in every game."""

from __future__ import annotations

import re

import pytest
from sqlmodel import select

from engine.asks import Answer, write
from engine.forms import AssignField, describe, untouched
from engine.games import GAMES
from engine.procedure import ask_of
from engine.words import NOBODY
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Match, Submission
from service.tools import robot
from tests.service.web.conftest import Visitor
from tests.tables import complete, games, laid, lay, questions


def ways(page: str) -> dict[str, str]:
    """What pressing a verb without fields does, by option: preview or answer."""
    forms = re.findall(r'<form method="post" action="[^"]*/(\w+)" class="option plain-option">(.*?)</form>', page, re.S)
    return {re.findall(r'name="option" value="(\w+)"', inside)[0]: way for way, inside in forms}


@pytest.mark.parametrize("game", complete())
def test_a_verb_without_fields_asks_however_few_there_are(game: str, anna: Visitor, settings: Settings) -> None:
    found: dict[str, str] = {}
    for seats in (GAMES[game].most, GAMES[game].least):
        for at in questions(game, seats).values():
            with transaction(settings) as session:
                account = session.exec(select(Account).where(Account.email == anna.email)).one()
                path = lay(session, account, at)
            question = (
                anna.page(path).partition('data-part="question"')[2].partition("</section>")[0].partition('class="offers')[0]
            )
            found |= {f"{at.moment} {option}": way for option, way in ways(question).items()}
    assert found and set(found.values()) == {"preview"}


def test_a_form_that_is_sent_as_it_stood_there_asks_once(anna: Visitor, settings: Settings) -> None:
    """One press would make it final. What somebody has filled in counts at once."""
    at = questions("ortus", 6)["attach"]
    with transaction(settings) as session:
        account = session.exec(select(Account).where(Account.email == anna.email)).one()
        path = lay(session, account, at)
    page = robot.page_of(f"http://writ.test{path}", 200, anna.page(path).encode())
    form = next(f for f in robot.questions(page) if f.hidden("once"))
    sent = {c.name: c.value for c in form.controls}
    asked = anna.post(path.replace("/table", "/answer"), sent).text
    assert "Is this what you mean?" in asked and 'name="answer" value="attach attach=' in asked
    with open_session(settings) as session:
        assert session.exec(select(Submission)).all() == []
    found = describe(GAMES["ortus"], ask_of(at.state, at.seat), NOBODY, 1)
    (field,) = found.options[0].fields
    assert isinstance(field, AssignField)
    ways = [Answer("attach", {"attach": {item.id: target.id for item in field.items}}) for target in field.targets]
    assert [untouched(found, way) for way in ways] == [write(way) == found.default for way in ways]


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


@pytest.mark.parametrize("game", list(games()))
def test_a_button_says_that_what_it_sends_is_final(game: str, anna: Visitor, settings: Settings) -> None:
    """Beside the button of a form, and of what is asked once more; but not of what lies open beside the question."""
    kinds = questions(game, GAMES[game].most)
    at = next(at for at in kinds.values() if any(o.fields for o in ask_of(at.state, at.seat).options))
    with transaction(settings) as session:
        path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), at)
    question, _, beside = anna.page(path).partition('data-part="question"')[2].partition('class="offers')
    assert question.count("final once sent") == question.count('name="once"') > 0
    assert "final once sent" not in beside.partition("</section>")[0]


def test_a_window_that_closes_at_its_deadline_alone_is_not_called_final(anna: Visitor, settings: Settings) -> None:
    """Until then another answer takes the place of the last."""
    at = questions("mastery", 6)["fracture"]
    for windows, said in (("answered", True), ("deadline", False)):
        with transaction(settings) as session:
            path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), at)
            match = session.get_one(Match, path.split("/")[2])
            match.pace = {**match.pace, "windows": windows}
        assert ("final once sent" in anna.page(path)) == said
