"""Replay files: every recorded game is exported and replayed from the file alone; what files for strangers leave out."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest
from flask import Flask
from sqlmodel import select

from engine.games import GAMES
from engine.play import match as matches
from engine.play import proof
from service.replay import replay_copy
from service.replay.viewer import OPEN, Reader
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import Account, EventRow, Match, MatchStatus, SeatRow
from service.web import files, pages_alone
from service.web.replay import replay_file
from tests.engine.test_proof import EVERY
from tests.replays import copied, finished, moment, read_log
from tests.service.web.conftest import Visitor
from tests.tables import NAMES, complete, games, recorded

MOST = 3_000_000
"""Bytes of a file."""
DRAWN = 3
"""Games of each kind that are drawn in every run, the shortest; drawing the others takes minutes, so they are soak runs. Each
is proved without boards by tests/engine/test_proof.py."""


def views() -> Iterator[Any]:
    left = dict.fromkeys(games(), DRAWN)
    shortest = sorted(EVERY, key=lambda one: len(read_log(*one)[1]))
    for (game, stem), seat in zip(shortest, cycle(("a", "", "b")), strict=False):
        left[game] -= 1
        yield pytest.param(game, stem, seat, marks=[] if left[game] >= 0 else [pytest.mark.soak])


@pytest.fixture(scope="module")
def pages() -> Iterator[Flask]:
    app = pages_alone()
    files.register(app)
    with app.app_context():
        yield app


def boards(page: str) -> dict[str, Any]:
    packed = re.search(r'<pre id="writ-boards" hidden>(.*?)</pre>', page, re.DOTALL)
    assert packed is not None
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return found


def drawn(page: str, n: int, part: str) -> str:
    found = boards(page)
    return "\n".join(found["pieces"][i] for i in found["moments"][n][part])


def closed(page: str) -> None:
    """Nothing in the file leads out of it, and the policy lets nothing in."""
    everything = page + "".join(boards(page)["pieces"])
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', everything)
    assert "/static/" not in everything and not re.findall(r"url\((?!#|data:)", everything) and "<link" not in everything
    assert html.unescape(page).count("default-src 'none'; style-src 'sha256-") == 1 and " style=" not in everything
    used = set(re.findall(r'<use href="#([a-z]+-[\w-]+)"', everything))
    assert used and used <= set(re.findall(r'\bid="([\w-]+)"', everything))


@pytest.mark.parametrize(("game", "stem", "seat"), views())
def test_every_recorded_game_is_exported_and_replayed_from_the_file_alone(
    pages: Flask, game: str, stem: str, seat: str
) -> None:
    copy = copied(game, stem, seat)
    page = replay_file.html(copy, "replay.html")
    verdict = proof.verify_file(page)
    assert verdict.holds, verdict.sentence
    assert verdict.winners == tuple(copy.match.outcome["winners"]) if copy.match.outcome else False
    found = boards(page)
    assert len(found["moments"]) == len(copy.entries) + 1 and len(page.encode()) <= MOST
    closed(page)
    text = replay_file.text(copy, True)
    assert f"head of its chain is {copy.entries[-1].hash}" in text
    assert len(re.findall(r"^\d+\. .* \[[A-Z]+(?:-[A-Z]+)?-\d+\]$", text, re.M)) > 10 and "[" not in replay_file.text(
        copy, False
    )


LONG = {"ortus": "6-earls-last-falls-by-deck", "mastery": "6-lords-points", "fief": "6-seats-allied-by-the-crown"}


@pytest.mark.parametrize("game", LONG)
def test_a_long_game_of_six_with_all_hands_fits(pages: Flask, game: str) -> None:
    page = replay_file.html(copied(game, LONG[game], OPEN), "replay.html")
    assert len(boards(page)["moments"]) > 300 and len(page.encode()) <= MOST
    closed(page)
    assert all(f"{name}’s " in drawn(page, 9, "hand") for name in NAMES.values()) and "Your" not in drawn(page, 9, "hand")


@pytest.fixture
def path(anna: Visitor, settings: Settings) -> str:
    return laid(anna, settings, "mastery", "2-lords-points")


def laid(anna: Visitor, settings: Settings, game: str, stem: str, names: dict[str, str] = NAMES) -> str:
    with transaction(settings) as session:
        return finished(session, session.exec(select(Account).where(Account.email == anna.email)).one(), game, stem, names)


def match_of(settings: Settings) -> Match:
    with open_session(settings) as session:
        return session.exec(select(Match)).one()


@pytest.mark.parametrize("stem", ["2-lords-points"])
@pytest.mark.parametrize("seat", ["a", "", OPEN])
def test_the_boards_of_a_file_are_those_of_the_viewer(settings: Settings, path: str, stem: str, seat: str) -> None:
    with open_session(settings) as session:
        match = session.exec(select(Match)).one()
        rows = session.exec(select(SeatRow).order_by(SeatRow.seat)).all()
        copy = replay_copy.take(session, match, rows, Reader(seat))
        for frame in replay_copy.frames(copy, proof.Proof()):
            found = moment(session, match, seat, frame.n)
            assert (frame.view, frame.hands, frame.changed, frame.at) == (found.view, found.hands, found.changed, found.at)
            assert [part.words for part in frame.told] == [part.words for part in found.told]


def test_members_download_all_formats_and_the_pages_lead_there(
    anna: Visitor, bert: Visitor, settings: Settings, path: str
) -> None:
    for page in (anna.page(f"{path}/result"), anna.page(f"{path}/replay?as=b")):
        links = {html.unescape(link) for link in re.findall(r'href="([^"]+/(?:replay\.\w+|log\.jsonl)[^"]*)"', page)}
        assert {link.partition("?")[0].rpartition("/")[2] for link in links} == {"replay.html", "replay.txt", "log.jsonl"}
        for link in links:
            answer = anna.get(link)
            assert answer.status_code == 200 and answer.headers["Content-Disposition"].startswith("attachment; filename="), link
            if ".html" in link:
                assert proof.verify_file(answer.text).holds, link
                assert ("Baldwin’s hand" in drawn(answer.text, 5, "hand")) == (
                    "as=b" in link and "hidden" not in link
                ) or "as=" not in link
    log = anna.get(f"{path}/log.jsonl").text.splitlines()
    assert proof.read_file(anna.get(f"{path}/replay.html").text).log == log, "the table's own copy has the log as it is"
    for form in ("html", "txt"):
        assert bert.get(f"{path}/replay.{form}").status_code == 403
        assert anna.get(f"{path}/replay.{form}?as=z").status_code == 400
    with transaction(settings) as session:
        session.exec(select(Match)).one().status = MatchStatus.RUNNING
    for way in ("replay.html", "replay.txt?as=open", "replay.html?for=strangers", "log.jsonl?for=strangers"):
        refused = anna.get(f"{path}/{way}")
        assert refused.status_code == 403 and "when the game is over" in refused.text


@pytest.mark.parametrize("query", ["for=strangers", "names=hidden", "for=strangers&as=b&names=hidden"])
def test_a_file_for_strangers_says_nothing_of_the_table(anna: Visitor, settings: Settings, path: str, query: str) -> None:
    why = "Bert is on the Orient Express"
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        session.add(EventRow(match_id=match.id, n=9, i=9, kind="table.ended_table", facts={"why": why}))
        session.add(EventRow(match_id=match.id, n=9, i=8, kind="table.default", facts={"who": "Alys"}))
    assert why in anna.get(f"{path}/replay.txt").text and why in "".join(boards(anna.get(f"{path}/replay.html").text)["pieces"])
    files_ = [anna.get(f"{path}/{name}?{query}").text for name in ("replay.html", "replay.txt", "log.jsonl")]
    files_[0] += "".join(boards(files_[0])["pieces"]) + json.dumps(boards(files_[0])["moments"])
    for text in files_:
        for secret in (
            why,
            "let the deadline pass",
            "09:00",
            "T09:",
            anna.email,
            '"via":"bot"',
            "recorded-2-0",
            match_of(settings).id,
        ):
            assert secret not in text, secret
        assert "1429" in text, "the day may be known"
        if "hidden" in query:
            assert not any(name in text for name in ("Alys", "Baldwin", "Wessex", '"Ann"', '"Bob"')) and "Seat B" in text
    assert matches.verify(files_[2].splitlines()).holds


def test_names_are_text_in_the_file(anna: Visitor, settings: Settings) -> None:
    evil = {"a": "<img src='/static/parts.svg?v=0a#sword'>", "b": "</pre></script><script>alert(2)</script>"}
    path = laid(anna, settings, "ortus", "2-earls-last-falls-by-anchors", NAMES | evil)
    with transaction(settings) as session:
        match = session.exec(select(Match)).one()
        match.name = "<b>Wessex</b> & </title>"
    page = anna.get(f"{path}/replay.html").text
    everything = page + "".join(boards(page)["pieces"])
    assert "<img" not in everything and everything.count("<script>") == 1 and "<b>Wessex" not in everything
    assert proof.verify_file(page).holds and "/static/parts.svg?v=0a#sword" in page
    assert evil["a"] in anna.get(f"{path}/replay.txt").text


@pytest.mark.parametrize("game", complete())
def test_the_hand_of_another_seat_has_its_name(anna: Visitor, settings: Settings, game: str) -> None:
    file = recorded(game, GAMES[game].rules.seats[-1])
    assert file is not None
    path = laid(anna, settings, game, file.stem)
    own, other, all_ = (anna.page(f"{path}/replay?n=40{more}") for more in ("", "&as=b", "&as=open"))
    assert re.search(r"Your [Hh]and", own) and not re.search(r"Alys’s [Hh]and", own)
    assert re.search(r"Baldwin’s [Hh]and", other) and not re.search(r"Your [HhRd]", other)
    assert all(re.search(rf"{name}’s [Hh]and", all_) for name in list(NAMES.values())[1:]) and re.search(r"Your [Hh]and", all_)
    assert not re.search(r">\s*you\b", other)
