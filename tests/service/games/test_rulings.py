"""A match in the database goes on by the rulings that it began with, whatever becomes of the defaults."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec
import pytest

from engine.core import rulings
from engine.core.rulings import Ruling
from engine.games import GAMES
from engine.play import match as matches
from service.replay import replay_copy
from service.settings import Settings
from service.store import database as db
from tests.service.conftest import Players, open_table


def header_of(settings: Settings, players: Players) -> matches.Header:
    with db.open_session(settings) as session:
        return matches.read_header(players.match(session).header or "")


def mend(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Another default for every ruling, one ruling more, and a new version of the rules."""
    known = GAMES[name].rules.rulings
    assert isinstance(known, dict)
    for id, ruling in list(known.items()):
        other = next(value for value in ruling.alternatives if value != ruling.default)
        monkeypatch.setitem(known, id, replace(ruling, default=other))
    monkeypatch.setitem(known, "NEW-1", Ruling("NEW-1", "Something", {"old": "As it was", "new": "Mended"}, "new", "old"))
    monkeypatch.setitem(
        GAMES, name, replace(GAMES[name], rules=replace(GAMES[name].rules, version=GAMES[name].rules.version + 1))
    )


@pytest.mark.parametrize("name", ["ortus", "mastery"])
def test_a_new_game_lists_every_ruling_in_its_header(name: str, settings: Settings, sent: list[tuple[str, ...]]) -> None:
    players = open_table(settings, game=name)
    assert header_of(settings, players).rulings == rulings.defaults(GAMES[name].rules.rulings) != {}


@pytest.mark.parametrize(
    ("name", "listed", "settings"),
    [("ortus", True, "sqlite"), ("ortus", False, "postgres"), ("mastery", True, "postgres"), ("mastery", False, "sqlite")],
    indirect=["settings"],
)
def test_a_match_begun_before_the_change_is_played_to_its_end_and_its_log_verifies(
    name: str,
    listed: bool,
    settings: Settings,
    sent: list[tuple[str, ...]],
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    players = open_table(settings, game=name)
    with db.transaction(settings) as session:
        match = players.match(session)
        header = matches.read_header(match.header or "")
        # None, as it stood in the database before there were rulings; or the host's own, by which a game of Mastery ends soon.
        ruled = {**header.rulings, **({"MM-AMB-56": "6"} if name == "mastery" else {})} if listed else {}
        header = msgspec.structs.replace(header, rulings=ruled)
        match.header, match.head = msgspec.json.encode(header).decode(), header.hash()
        assert ("rulings" in match.header) == listed
        session.add(match)
    began_with = header_of(settings, players).rulings
    players.adjudicate()
    for _ in range(6):
        for seat in players.asked():
            players.submit(seat, rng)
        players.adjudicate()
    mend(monkeypatch, name)
    fresh = open_table(settings, game=name)
    assert header_of(settings, fresh).rulings["NEW-1"] == "new"
    with db.transaction(settings) as session:  # what a snapshot holds is a cache; the log says the same
        match = players.match(session)
        match.snapshot = None
        session.add(match)
    players.adjudicate()
    players.finish(rng)
    with db.open_session(settings) as session:
        match = players.match(session)
        assert match.status == "finished"
        assert matches.read_header(match.header or "").rulings == began_with
        verdict = matches.verify(replay_copy.download(session, match, None))
    assert verdict.holds, verdict.sentence
