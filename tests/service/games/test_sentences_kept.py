"""Sentences of games that are kept: what is told is the same as if it had been told anew, whoever was told before."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import pytest

from engine.core.asks import Seat
from engine.core.views import Event
from engine.games import GAMES
from engine.language import i18n
from engine.language.i18n import speaking
from engine.language.words import Named, addressed, calling
from service.log import chronicle
from service.log.chronicle import SENTENCES_KEPT, about_table, tell, teller
from tests.contract.walk import NAMES, fresh, walk
from tests.marked import PseudoLocale

ANEW = {**NAMES, "a": "Zoe"}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Nothing is kept before a test, and after it."""
    SENTENCES_KEPT.clear()
    yield
    SENTENCES_KEPT.clear()


@pytest.mark.parametrize("name", ["ortus", "mastery", "fief"])
def test_what_is_told_is_the_same_whoever_was_told_before(name: str) -> None:
    game, rng = GAMES[name], random.Random(7)
    events = [event for step in walk(fresh(game, 6, 7), rng, stop=60) for event in step.events]
    readers: list[tuple[Mapping[Seat, str], Seat | None, str]] = [
        (names, reader, spoken) for names in (NAMES, ANEW) for reader in (None, "a", "b") for spoken in ("en", "de")
    ]
    for names, reader, spoken in [*readers, *readers]:
        with speaking(spoken):
            told = teller(game, addressed(names, reader), "UTC")
            assert [told(event, "") for event in events] == [tell(game, event, names, reader, "UTC") for event in events]
    assert SENTENCES_KEPT.size


def test_a_sentence_is_looked_up_and_not_told_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def noted(_game: object, event: Event, *_: object) -> str:
        told.append(event.kind)
        return event.kind

    monkeypatch.setattr(chronicle, "tell", noted)
    for names in (NAMES, NAMES, ANEW, Named.by(NAMES, "name = 1")):
        assert teller(GAMES["ortus"], names, "UTC")(Event("round", {"number": 1}), "") == "round"
    with calling(Named.by({}, "name = 2")):
        teller(GAMES["ortus"], NAMES, "UTC")(Event("round", {"number": 1}), "")
    teller(GAMES["ortus"], NAMES, "UTC")(Event("round", {"number": True}), "")
    teller(GAMES["ortus"], NAMES, "UTC")(Event("round", {"number": True}), "a")
    teller(GAMES["ortus"], addressed(NAMES, "a"), "UTC")(Event("round", {"number": 1}), "")
    assert len(told) == 7


def test_what_happens_around_the_board_and_in_a_made_up_language_is_told_anew() -> None:
    """Of the first the moments are in the reader's zone; of the second nobody knows what it says by its name."""
    paused = about_table("pause", until="2026-01-01T12:00:00Z")
    here, there = (teller(GAMES["ortus"], NAMES, zone)(paused, "") for zone in ("UTC", "Asia/Tokyo"))
    assert here != there
    with i18n.made_up("xx", PseudoLocale(lambda text: "*" + text)), speaking("xx"):
        assert "*" in teller(GAMES["ortus"], NAMES, "UTC")(Event("round", {"number": 1}), "")
    assert not SENTENCES_KEPT.size
