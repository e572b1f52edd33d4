"""Every address with everything that could be sent to it: no answer breaks, and looking changes nothing."""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import text
from sqlmodel import SQLModel, select
from werkzeug.routing import Rule

from service.games import lobby
from service.people import accounts
from service.post import links
from service.settings import Settings
from service.store.database import engine_for, open_session, transaction
from service.store.models import Account, Deck, Letter, Link, Match, Message, Report, Submission, Thread, Vote
from tests.house import invite
from tests.service.web.conftest import Visitor, anna, app, at_once, bert, settings, visitor

__all__ = ["anna", "app", "at_once", "bert", "settings", "visitor"]

JUNK = [
    "",
    "0",
    "-1",
    "999999999999999999999",
    "null",
    "../../etc/passwd",
    "a" * 300,
    "\u202eevil",
    "=?utf-8?q?x=0d=0aBcc:_a@b.c?=",
    "\ud800",
    "{}",
    "[]",
    "'; DROP TABLE matches; --",
    "<script>",
    "%00",
    "a\x00b",
    "\r\nSet-Cookie: x=1",
    "٣",
    "2026-13-45",
    "NaN",
    "1e999",
    "\U0001f3f0" * 40,
]
"""What people don't send."""
QUIET = {"static", "operators.ready"}
"""Files, and what says by its status that something is missing."""
TOKEN = re.compile(r"/(?:t|in|i|leave|watch|calendar)/([A-Za-z0-9._~-]{8,})")


@dataclass
class World:
    """A service with games in every state, and those who come to it."""

    settings: Settings
    app: Flask
    people: list[Visitor]
    ids: list[str]
    tokens: list[str]
    matches: list[str]


@pytest.fixture
def world(app: Flask, settings: Settings, visitor: Callable[[str], Visitor], anna: Visitor, bert: Visitor) -> World:
    stranger, guest = visitor("cleo@example.org").sign_in("Cleo"), visitor("")
    with transaction(settings) as session:
        host = session.exec(select(Account).where(Account.email == "anna@example.org")).one()
        other = session.exec(select(Account).where(Account.email == "bert@example.org")).one()
        running = lobby.open_match(session, host, "Running", "ortus", 3, "open")
        lobby.join(session, running, other)
        lobby.add_bot(session, running, host)
        second = lobby.open_match(session, host, "Also running", "mastery", 2, "open")
        lobby.join(session, second, other)
        waiting = lobby.open_match(session, host, "In the lobby", "mastery", 4, "open")
        invite(session, waiting, host, "dora@example.org")
        called_off = lobby.open_match(session, host, "Called off", "ortus", 2, "open")
        lobby.cancel(session, called_off, host)
        matches = [m.id for m in (running, second, waiting, called_off)]
    anna.post(f"/g/{matches[0]}/talk", {"members": "", "text": "Good day", "key": "k" * 20})
    return World(settings, app, [anna, bert, stranger, guest], _ids(settings), _tokens(settings), matches)


def _ids(settings: Settings) -> list[str]:
    with open_session(settings) as session:
        kinds: tuple[type[Any], ...] = (Match, Account, Letter, Link, Thread, Message, Submission, Vote, Report, Deck)
        return [row.id for kind in kinds for row in session.exec(select(kind)).all()[:4]]


def _tokens(settings: Settings) -> list[str]:
    with open_session(settings) as session:
        return [t for letter in session.exec(select(Letter)) for t in TOKEN.findall(letter.text)][:20]


def _rows(settings: Settings) -> dict[str, str]:
    """A mark of each table's content."""
    found = {}
    with engine_for(settings).connect() as connection:
        # A GET of a seat's link notes that this browser may play the seat, as its cookie did; nothing of a game.
        for name in sorted(SQLModel.metadata.tables.keys() - {"browser_seats"}):
            whole = sorted(map(repr, connection.execute(text(f'SELECT * FROM "{name}"')).all()))
            found[name] = hashlib.sha256("".join(whole).encode(errors="replace")).hexdigest()
    return found


def _path(world: World, rule: Rule, rng: random.Random) -> str:
    path = rule.rule
    for name in rule.arguments:
        if "token" in name or "<token:" in rule.rule:
            fit = [*world.tokens, "x" * 40, "a.b.c"]
        elif name in ("letter", "seat"):
            fit = ["a", "b", "c", "z", "A"]
        elif name == "match_id":
            fit = [*world.matches, *world.matches, rng.choice(world.ids), "nothing"]
        else:
            fit = [*world.ids, "nothing", "a" * 64]
        path = re.sub(rf"<(?:[a-z]+:)?{name}>", lambda _: rng.choice(fit), path)  # noqa: B023 (called at once)
    return path


def _form(names: list[str], world: World, rng: random.Random) -> list[tuple[str, str]]:
    values = [*JUNK, *world.ids[:6], "a", "b", "yes", "1", "12h", "ortus", "mastery", "anna@example.org", "queue", "deck"]
    return [(rng.choice(names), rng.choice(values)) for _ in range(rng.randrange(0, 7))]


def attack(world: World, requests: int, rng: random.Random) -> Counter[int]:
    """So many requests to all addresses, and what was answered."""
    rules = [rule for rule in world.app.url_map.iter_rules() if rule.endpoint not in QUIET]
    names = _field_names(world)
    statuses: Counter[int] = Counter()
    base = world.settings.base_url
    for n in range(requests):
        rule = rules[n % len(rules)]
        who = rng.choice(world.people)
        path = _path(world, rule, rng)
        method = rng.choice(sorted((rule.methods or set()) - {"OPTIONS"}))
        if rng.random() < 0.03:
            method = rng.choice(["GET", "POST", "PUT", "DELETE", "PATCH"])
        known = [*names, "name", "email", "seat", "choice", "key", "serial", "kind", "option", "answer", "f_x", "__"]
        if method in ("GET", "HEAD"):
            query = {k: v.encode("utf-8", "replace").decode() for k, v in _form(known, world, rng)}
            answer = who.client.open(path, method=method, query_string=query, base_url=base)
        else:
            fields: dict[str, list[str]] = {}
            for key, value in _form(known, world, rng):
                fields.setdefault(key, []).append(value.encode("utf-8", "replace").decode())
            if rng.random() < 0.9:
                fields["csrf_token"] = [who.token()]
            answer = who.client.open(path, method=method, data=fields, base_url=base)
            if path.startswith("/sign-out") or (answer.status_code < 400 and who.email and rng.random() < 0.2):
                _back(world, who)
        statuses[answer.status_code] += 1
        assert answer.status_code < 500, (method, path, answer.text[:2000])
        assert "Traceback" not in answer.text, (method, path)
    return statuses


def _back(world: World, who: Visitor) -> None:
    """Sign in again where some request has signed out; by a link of ours, for letters are limited in number."""
    if not who.email or who.get("/account").status_code == 200:
        return
    with transaction(world.settings) as session:
        link = links.url(world.settings, links.sign_in_link(session, accounts.by_email(session, who.email)))
    who.post(link.removeprefix(world.settings.base_url), {"choice": "enter", "name": ""})


def _field_names(world: World) -> list[str]:
    """The fields of all forms that Anna can see."""
    found: set[str] = set()
    pages = ["/games/new", "/account", "/account/letters", "/account/rhythm", "/decks"]
    pages += [
        f"/g/{m}{part}" for m in world.matches for part in ("", "/table", "/clock", "/talk", "/host", "/notes", "/orders")
    ]
    for path in pages:
        found |= set(re.findall(r'name="([A-Za-z0-9_]+)"', world.people[0].get(path).text))
    return sorted(found - {"csrf_token", "viewport"})


def test_no_request_breaks_a_page(world: World) -> None:
    statuses = attack(world, 400, random.Random(11))
    print(f"{statuses.total()} requests: {dict(sorted(statuses.items()))}")
    assert len(statuses) > 4, "some of them got somewhere"


@pytest.mark.soak
def test_no_request_breaks_a_page_in_a_long_run(world: World) -> None:
    statuses: Counter[int] = Counter()
    for seed in range(10):
        statuses += attack(world, 3000, random.Random(seed))
    print(f"{statuses.total()} requests: {dict(sorted(statuses.items()))}")


def test_looking_changes_nothing(world: World) -> None:
    """GET and HEAD, by anybody, with any link: mail scanners follow them all."""
    rng = random.Random(5)
    rules = [rule for rule in world.app.url_map.iter_rules() if "GET" in (rule.methods or set()) and rule.endpoint not in QUIET]
    before = _rows(world.settings)
    looked = 0
    for rule in rules:
        for who in world.people:
            for method in ("HEAD", "GET"):
                path = _path(world, rule, rng)
                assert who.client.open(path, method=method, base_url=world.settings.base_url).status_code < 500, path
                looked += 1
    after = _rows(world.settings)
    print(f"{looked} looks at {len(rules)} addresses")
    assert {name for name in after if after[name] != before[name]} == set()


def test_nobody_reaches_what_is_anothers(world: World) -> None:
    """The stranger and the guest see no page of a game, whatever they put in its place."""
    anna_sees = [
        r for r in world.app.url_map.iter_rules() if r.rule.startswith("/g/<id:match_id>") and "GET" in (r.methods or set())
    ]
    rng, tried = random.Random(3), 0
    for rule in anna_sees:
        path = _path(replace(world, ids=["nothing"]), rule, rng).replace("nothing", world.matches[0])
        for who in world.people[2:]:
            answer = who.client.open(path, base_url=world.settings.base_url)
            tried += 1
            assert answer.status_code in (302, 303, 403, 404, 409, 410), (path, answer.status_code)
    print(f"{tried} closed doors")
    assert tried > 20
