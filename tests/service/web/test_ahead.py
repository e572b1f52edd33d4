"""What a list of moves comes to is said while it is written: row by row, of the rows that can be played."""

from __future__ import annotations

import html
import re

from sqlmodel import col, func, select

from engine.core.procedure import begin
from engine.fief import FIEF
from service.settings import Settings
from service.store.database import transaction
from service.store.models import Match, Submission
from tests.service.web.conftest import Visitor
from tests.service.web.test_fief_pages import NAMES, Table, at, table  # noqa: F401  (fixtures)

SCENE = """fief: 1
seats: a b c
phase: 5
Charles: a bourg
Henri: a bourg
bourg: a
bourg.a: 3 maa 1 knights
villeneuve: b
villeneuve.b: 1 maa 1 knights
Arthur: b villeneuve
"""
ROW = {"lords__Charles": "1", "maa": "2", "to": "villeneuve"}


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def asked(anna: Visitor, path: str, *rows: dict[str, str], option: str = "move") -> tuple[int, str]:
    """What the page is told of these rows."""
    form = next(f for f in anna.page(path).split("<form ") if f'name="option" value="{option}"' in f).partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    hidden["f_moves__rows"] = str(len(rows))
    cells = {f"f_moves__{n}__{name}": value for n, row in enumerate(rows, 1) for name, value in row.items()}
    answer = anna.post(path.replace("/table", "/ahead"), {**hidden, **cells})
    return answer.status_code, answer.text


def laid(table: Table, text: str = SCENE) -> str:
    state = FIEF.rules.notation.read(text)
    begin(state)
    assert state.waiting == ["a"]
    return table.lay_out("a", state)


def test_each_row_has_its_card_and_the_battle_that_may_come_its_dice(table: Table) -> None:
    status, page = asked(table.anna, laid(table), ROW, {"lords__Henri": "1", "to": "st_vivien"})
    assert status == 200 and page.count('data-into="head"') == 2
    first, second = (words(card) for card in page.split('data-into="head"')[1:])
    assert "Charles leads from Bourg" in first and "1 Man-at-Arms and 1 Knight stay at Bourg." in first
    assert "Henri leads from Bourg" in second
    assert "Attack at Villeneuve" in words(page) and "Strength 3" in words(page) and NAMES["b"] in words(page)


def test_a_march_that_needs_leave_has_its_flag(table: Table) -> None:
    status, page = asked(table.anna, laid(table), {**ROW, "then": "charolles"})
    assert status == 200 and f"Villeneuve: leave is needed of {NAMES['b']}" in words(page)
    assert page.count('class="plan-flag') == 1 and "#sh-b" in page.partition('class="plan-flag')[2]
    # Without scripts, looking ahead draws it on the ribbon.
    form = next(f for f in table.anna.page(laid(table)).split("<form ") if 'value="move"' in f).partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    row = {f"f_moves__1__{name}": value for name, value in {**ROW, "then": "charolles"}.items()}
    whole = table.anna.post(laid(table).replace("/table", "/preview"), {**hidden, "f_moves__rows": "1", **row}).text
    assert whole.count('class="plan-flag') == 1 and "you need the leave of" in words(whole)


def test_a_row_that_can_not_be_played_is_told_and_those_before_it_stand(table: Table) -> None:
    path = laid(table)
    status, page = asked(table.anna, path, ROW, {"lords__Henri": "1", "maa": "3", "to": "st_vivien"}, ROW)
    assert status == 200 and page.count('data-into="way"') == 1
    (fault,) = re.findall(r'<p class="over" data-card="2" data-into="fault">(.*?)</p>', page)
    assert "Row" not in fault and "Bourg" in fault
    # A row that lacks what every row has is still being written.
    _, page = asked(table.anna, path, ROW, {"lords__Henri": "1"})
    assert page.count('data-into="way"') == 1 and 'class="over"' not in page
    assert asked(table.anna, path)[0] == 204


def test_looking_ahead_changes_nothing_and_is_the_seat_s_own(table: Table, settings: Settings, bert: Visitor) -> None:
    path = laid(table)
    with transaction(settings) as session:
        before = session.get_one(Match, table.game(3)).snapshot
    asked(table.anna, path, ROW)
    with transaction(settings) as session:
        assert session.get_one(Match, table.game(3)).snapshot == before
        assert session.exec(select(func.count(col(Submission.id)))).one() == 0
    assert bert.post(path.replace("/table", "/ahead"), {"serial": "1", "kind": "movement"}).status_code in (302, 303, 403)


def test_a_purchase_says_its_sum_while_it_is_written(table: Table) -> None:
    path = laid(table, "fief: 1\nseats: a b c\nphase: 4b\nCharles: a mazilles\nmazilles: a\nmazilles.a: 1 maa\na.deniers: 30\n")
    form = next(f for f in table.anna.page(path).split("<form ") if 'name="option" value="buy"' in f).partition("</form>")[0]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    row = {"f_items__rows": "1", "f_items__1__what": "maa", "f_items__1__at": "mazilles", "f_items__1__n": "2"}
    told = words(table.anna.post(path.replace("/table", "/ahead"), {**hidden, **row}).text)
    assert told == "That costs 2 Deniers and leaves you 28 Deniers."
