"""Rubbish at every address: a page below 500, nothing changed, no traceback."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from sqlmodel import select

from service.settings import Settings
from service.store.database import open_session
from service.store.models import Deck, EntryRow, Match, SeatRow
from tests.service.web.conftest import Visitor, begun
from tests.service.web.test_lobby import open_game

RUBBISH = [
    "", " ", "0", "-1", "٣", "9" * 30, "a" * 500, "\x00", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "<script>", "' OR 1=1 --", "../../etc/passwd", "%s%n", "{{7*7}}", "house:", "saved:", "a\nb", "\u202e", "yes", "b", "a",
]  # fmt: skip
NAMES = ["name", "email", "seat", "seats", "game", "access", "bot", "how_many", "deck", "colour", "sure", "choice", "where"]
NAMES += ["key", "serial", "kind", "option", "Castle", "Dragon", "f_cards", "f_cards__Castle", "csrf_token"]


def addresses(app: Flask, match: str, letter: str) -> list[tuple[str, str]]:
    """Every address of the app, filled in with things that exist and things that don't."""
    found = []
    for rule in app.url_map.iter_rules():
        if rule.endpoint == "static":
            continue
        path = re.sub(r"<id:match_id>", match, rule.rule)
        path = re.sub(r"<id:key>", letter, path)
        path = re.sub(r"<[a-z]+:\w+>", "x" * 32, path)
        found += [(method, path) for method in ("GET", "POST") if method in (rule.methods or ())]
    return sorted(found)


def throw(app: Flask, thrower: Visitor, matches: list[str], seed: int, times: int = 1) -> None:
    """Send rubbish to every address as this visitor, so many times."""
    dice, token = random.Random(seed), thrower.token()
    for match in matches:
        for method, path in addresses(app, match.rpartition("/")[2], "x" * 32):
            for _ in range(times if path != "/sign-out" else 0):
                form = {name: dice.choice(RUBBISH) for name in dice.sample(NAMES, dice.randrange(5))} | {"csrf_token": token}
                if path in ("/account", "/games/new", "/decks/new"):
                    form["unknown"] = "x"
                send: dict[str, Any] = {"query_string": form} if method == "GET" else {"data": form}
                found = thrower.client.open(path, method=method, base_url=thrower.settings.base_url, **send)
                # Whether all that the service needs is there is said by 503, too.
                assert found.status_code < 500 or path == "/readyz", (method, path, form)
                assert "Traceback" not in found.text


def test_rubbish_of_a_stranger_to_the_table_changes_nothing(
    app: Flask, anna: Visitor, bert: Visitor, visitor: Callable[[str], Visitor], settings: Settings
) -> None:
    lobby, running = open_game(anna), open_game(anna, seats=2)
    anna.post(running + "/bot", {"bot": "random", "how_many": "one"}, follow=False)
    before = rows(settings)
    throw(app, bert, [lobby, running], 7)
    throw(app, visitor(""), [lobby, running], 8)
    assert rows(settings) == before


@pytest.mark.soak
def test_rubbish_of_all_sorts_is_never_a_mishap(app: Flask, anna: Visitor, visitor: Callable[[str], Visitor]) -> None:
    lobby, running = open_game(anna), open_game(anna, seats=2)
    anna.post(running + "/bot", {"bot": "random", "how_many": "one"}, follow=False)
    for seed in range(10, 30):
        throw(app, (anna, visitor(""))[seed % 2], [lobby, running], seed, 3)


def test_rubbish_of_a_player_is_never_a_mishap(app: Flask, anna: Visitor) -> None:
    lobby, running = open_game(anna), open_game(anna, seats=2)
    anna.post(running + "/bot", {"bot": "random", "how_many": "one"}, follow=False)
    anna.post(running + "/deck", {"deck": "house:steward"}, follow=False)
    throw(app, anna, [lobby, running], 9)


def rows(settings: Settings) -> list[object]:
    """What must not have changed."""
    with open_session(settings) as session:
        games = [(m.id, m.status, m.head) for m in session.exec(select(Match).order_by(Match.id))]
        seats = [(s.match_id, s.seat, s.status, s.colour, s.prepared) for s in session.exec(select(SeatRow))]
        entries = [(e.match_id, e.n, e.hash) for e in session.exec(select(EntryRow))]
        return [games, sorted(seats, key=str), sorted(entries), [d.name for d in session.exec(select(Deck))]]


@pytest.mark.parametrize("where", ["preview", "answer"])
def test_an_answer_as_a_line_of_text_that_no_field_can_show_is_refused_like_any_other(
    anna: Visitor, bert: Visitor, where: str
) -> None:
    path = begun(anna, bert)
    asked = {name: hidden(anna.page(path + "/table"), name) for name in ("serial", "kind")}
    for cards in ("5", "[(a=b)]", "{a>b}"):
        found = anna.post(f"{path}/{where}", asked | {"key": "k" * 20, "answer": f"{asked['kind']} cards={cards}"})
        assert found.status_code in (400, 422) and "cards" in found.text


def hidden(page: str, name: str) -> str:
    """What a hidden field of the page holds."""
    (found, *_) = re.findall(rf'name="{name}" value="([^"]*)"', page)
    return str(found)
