"""An answer asks before it counts only where it costs its seat something for good, and says what."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from sqlmodel import select

from engine.core.procedure import ask_of
from engine.games import GAMES
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, Match, Submission
from service.tools import robot
from tests.fief.test_costs import HOUSE, proposed
from tests.fief.test_lapsed_parts import scene
from tests.service.web.conftest import Visitor
from tests.tables import Laid, complete, games, laid, lay, questions


def ways(page: str) -> dict[str, str]:
    """What pressing a verb without fields does, by option: preview or answer."""
    forms = re.findall(r'<form method="post" action="[^"]*/(\w+)" class="option plain-option">(.*?)</form>', page, re.S)
    return {re.findall(r'name="option" value="(\w+)"', inside)[0]: way for way, inside in forms}


def sat(anna: Visitor, settings: Settings, found: Laid) -> str:
    with transaction(settings) as session:
        return lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), found)


def pressed(anna: Visitor, path: str, option: str) -> str:
    """The page after a verb without fields was pressed."""
    form = next(f for f in anna.page(path).split("<form ") if f'name="option" value="{option}"' in f).partition("</form>")[0]
    hidden = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    return anna.post(path.replace("/table", "/answer"), hidden).text


def sent(settings: Settings) -> int:
    with open_session(settings) as session:
        return len(session.exec(select(Submission)).all())


@pytest.mark.parametrize("game", complete())
def test_a_verb_without_fields_is_sent_unless_its_question_calls_it_grave(game: str, anna: Visitor, settings: Settings) -> None:
    found: dict[str, str] = {}
    grave = set()
    for at in questions(game, GAMES[game].rules.seats[-1]).values():
        path = sat(anna, settings, at)
        grave |= {f"{at.moment} {o.id}" for o in ask_of(at.state, at.seat).options if o.grave}
        question = anna.page(path).partition('data-part="question"')[2].partition("</section>")[0].partition('class="offers')[0]
        found |= {f"{at.moment} {option}": way for option, way in ways(question).items()}
    assert found
    assert all((way == "preview") == (verb in grave) for verb, way in found.items())


def test_the_end_of_a_turn_that_costs_nothing_counts_at_once(anna: Visitor, settings: Settings) -> None:
    path = sat(anna, settings, laid("mastery", 6, "middle"))
    assert 'id="confirm"' not in pressed(anna, path, "end") and sent(settings) == 1


def test_a_turn_that_ends_without_its_march_is_confirmed(anna: Visitor, settings: Settings) -> None:
    """MM-DEC-3: “End” is next to “March”, and what follows is others' turns, so that no take-back mends a slip."""
    path = sat(anna, settings, questions("mastery", 6)["early"])
    assert "End the turn (no march)" in anna.page(path)
    panel = pressed(anna, path, "end").partition('id="confirm"')[2].partition("</section>")[0]
    assert "You won’t march this turn. Your turn is over" in panel and sent(settings) == 0
    sure = dict(re.findall(r'name="(\w+)" value="([^"]*)"', panel))
    anna.post(path.replace("/table", "/answer"), sure)
    assert sent(settings) == 1


def test_an_answer_that_ends_the_game_for_its_seat_says_so_in_the_question_and_beside_the_button(
    anna: Visitor, settings: Settings
) -> None:
    """It is the default here, and asks all the same."""
    found = laid("ortus", 6, "middle")
    earl = found.state.table.earls[found.seat]
    earl.discard, earl.deck = [*earl.discard, *earl.deck], []
    path = sat(anna, settings, found)
    question = anna.page(path).partition('data-part="question"')[2].partition("</section>")[0]
    assert re.search("If you don’t answer by [^<]+: Your deck has too few cards left: you will be out of the game", question)
    asked = pressed(anna, path, "end")
    panel = asked.partition('id="confirm"')[2].partition("</section>")[0]
    assert "you will be out of the game" in panel and 'aria-describedby="cost"' in panel and sent(settings) == 0
    assert asked.count('name="option" value="end"') == 0, "the form that was pressed lies beside it"
    sure = dict(re.findall(r'name="(\w+)" value="([^"]*)"', panel))
    anna.post(path.replace("/table", "/answer"), sure)
    assert sent(settings) == 1


def test_the_default_may_cost_a_fief_without_asking(anna: Visitor, settings: Settings) -> None:
    """It comes to pass without an answer as well; the question says so."""
    found = next(
        replace(at, state=at.state) for n in (6, 5, 4) for kind, at in questions("ortus", n).items() if kind == "allies"
    )
    path = sat(anna, settings, found)
    assert 'id="confirm"' not in pressed(anna, path, "decline") and sent(settings) == 1


def test_somebody_without_a_plan_ends_a_turn_before_giving_up(anna: Visitor, settings: Settings) -> None:
    """Giving up for good waits until nothing else is left."""
    path = sat(anna, settings, laid("ortus", 6, "middle"))
    forms = robot.questions(robot.page_of("http://writ.test/x", 200, anna.page(path).encode()))
    options = {form.hidden("option"): form.action for form in forms}
    assert options["end"].endswith("/answer") and "concede" not in options


@pytest.mark.parametrize("game", list(games()))
def test_a_button_says_that_what_it_sends_is_final(game: str, anna: Visitor, settings: Settings) -> None:
    """Beside the button of a form; but not of what lies open beside the question."""
    kinds = questions(game, GAMES[game].rules.seats[-1])
    at = next(at for at in kinds.values() if any(o.fields for o in ask_of(at.state, at.seat).options))
    path = sat(anna, settings, at)
    question, _, beside = anna.page(path).partition('data-part="question"')[2].partition('class="offers')
    assert question.count("can’t be undone") == len(re.findall(r'<details class="option[^s]*?"(?! shut)', question)) > 0
    assert "can’t be undone" not in beside.partition("</section>")[0]


def test_a_window_that_closes_at_its_deadline_alone_is_not_called_final(anna: Visitor, settings: Settings) -> None:
    """Until then another answer takes the place of the last."""
    at = questions("mastery", 6)["fracture"]
    for windows, said in (("answered", True), ("deadline", False)):
        with transaction(settings) as session:
            path = lay(session, session.exec(select(Account).where(Account.email == anna.email)).one(), at)
            match = session.get_one(Match, path.split("/")[2])
            match.pace = {**match.pace, "windows": windows}
        assert ("can’t be undone" in anna.page(path)) == said


LOST = "You lose Blaye with its walls."


def test_an_exchange_says_what_its_acceptance_costs_before_it_counts(anna: Visitor, settings: Settings) -> None:
    both = f"Arthur: a blaye\nHenri: b blaye\nblaye.b: 1 maa\n{HOUSE}a.deniers: 5\nb.deniers: 5\n"
    state, number = proposed(both, "want_villages=[blaye]")
    path = sat(anna, settings, Laid("fief", "exchange", ["a", "b", "c"], state, "a"))
    assert LOST not in anna.page(path), "the question itself costs nothing"
    offer = {"serial": str(-number), "kind": "exchange", "option": "accept"}
    panel = anna.post(path.replace("/table", "/preview"), offer).text.partition('id="confirm"')[2].partition("</section>")[0]
    assert LOST in panel and 'aria-describedby="cost"' in panel and sent(settings) == 0


def test_a_march_that_leaves_a_stronghold_empty_asks_before_it_counts(anna: Visitor, settings: Settings) -> None:
    state = scene("phase: 5\nArthur: a bourg\nHenri: b sigy\nbourg: a stronghold\nbourg.a: 1 maa\n")
    path = sat(anna, settings, Laid("fief", "movement", ["a", "b", "c"], state, "a"))
    kind = {"key": "a-key-of-a-march", "serial": str(state.serial), "kind": "movement", "option": "move"}
    march = {f"f_moves__1__{name}": value for name, value in {"lords__Arthur": "1", "maa": "1", "to": "villeneuve"}.items()}
    ahead = {name: value for name, value in kind.items() if name != "key"} | march | {"f_moves__rows": "1"}
    assert "You lose Bourg with its walls." in anna.post(path.replace("/table", "/ahead"), ahead).text
    page = anna.post(path.replace("/table", "/answer"), kind | march | {"f_moves__rows": "1"}).text
    assert "You lose Bourg with its walls." in page.partition('id="confirm"')[2].partition("</section>")[0]
    assert sent(settings) == 0


@pytest.mark.parametrize(
    ("game", "kind", "back"), [("mastery", "conflict", False), ("mastery", "early", True), ("ortus", "attach", False)]
)
def test_back_is_shown_only_where_it_leads_somewhere(
    game: str, kind: str, back: bool, anna: Visitor, settings: Settings
) -> None:
    """The only option of a question is always open: a link back would lead to itself."""
    path = sat(anna, settings, questions(game, 6)[kind])
    links = re.findall(
        r'<a class="button quiet" href="[^"]*/table" data-esc( hidden)?>', anna.page(path).partition('class="offers')[0]
    )
    assert links and all((link == "") == back for link in links)
