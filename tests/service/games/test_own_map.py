"""A host's own map, brought in the lobby: checked, kept in the header, played on, verified without the file."""

from __future__ import annotations

import json
import random

import pytest

from engine import match as matches
from engine.asks import Answer, NotUnderstood
from engine.mastery.pieces import TEXT
from service.games import lobby, replays, turns
from service.settings import Settings
from service.store import database as db
from tests.service.conftest import Players, person

SLOTS = json.loads(TEXT)["maps"]["2"]["slots"]
CHOICE = Answer("play", {"seating": "fixed"})
OWN = json.dumps({"slots": [s for s in SLOTS if s["slot"] not in ("A3", "E1")]})
"""The shipped map for two, without two of its corners."""


def test_a_game_is_played_on_the_hosts_own_map(settings: Settings, sent: list[tuple[str, ...]], rng: random.Random) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "On our own ground", "mastery", 2, "open")
        assert list(match.options) == ["seating", "data"], "the mark of the data that it is played by"
        lobby.set_options(session, match, host, CHOICE, OWN)
        (told,) = [words for words in lobby.told_options(match) if "own map" in words]
        assert match.options["data"][:12] in told
        lobby.join(session, match, person(session, "Bert"))
        players = Players(settings, match.id)
    players.adjudicate()  # MM-MAP-7, MM-DAT-3
    with db.open_session(settings) as session:
        page = turns.page(session, players.match(session), players.asked()[0])
        assert page is not None
        places = {place["slot"] for place in page.view["map"]}
        assert len(places) == len(SLOTS) - 2 and not places & {"A3", "E1"}
    players.finish(rng)
    with db.open_session(settings) as session:
        verdict = matches.verify(replays.download(session, players.match(session), None))
        assert verdict.holds, verdict.sentence


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("{", "The file is no JSON"),
        ("[]", "The file is no map; a map has `slots`"),
        (json.dumps({"slots": [s for s in SLOTS if s["r"] != 0]}), "can't be reached from"),
        (json.dumps({"slots": [s for s in SLOTS if s["slot"] != "E2"]}), "The map has 1 castle, but 2 play"),
        (json.dumps({"slots": [*SLOTS, SLOTS[0]]}), "Two slots of the map are called A1"),
    ],
)
def test_a_map_that_will_not_do_is_refused_and_changes_nothing(settings: Settings, file: str, sentence: str) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "On our own ground", "mastery", 2, "open")
        before = dict(match.options)
        with pytest.raises(NotUnderstood) as refusal:
            lobby.set_options(session, match, host, CHOICE, file)
        assert sentence in str(refusal.value) and match.options == before
