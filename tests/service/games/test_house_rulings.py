"""House rulings: the host chooses before the start, everybody is told, the header has them all, and the game keeps them."""

from __future__ import annotations

import random

import pytest
from sqlmodel import select

from engine.core import rulings as kernel
from engine.core.asks import NotUnderstood
from engine.games import GAMES
from engine.play import match as matches
from engine.play.match import read_header
from service.errors import NotAllowed
from service.games import lobby, options
from service.replay import replay_copy
from service.settings import Settings
from service.store import database as db
from service.store import rulings
from service.store.models import Letter
from tests.house import invite
from tests.service.conftest import Players, on_sqlite, person

SHORT = {"OR-HOUSE-1": "8", "OR-AMB-99": "together"}
TOLD = [
    "When the game is over: After round 8, by what the Earldoms count (OR-HOUSE-1)",
    "How the Earls enter a Joust: All at once and in secret; it takes one wait for the whole table (OR-AMB-99)",
]


def test_what_the_host_chooses_stands_in_the_header_and_the_game_is_played_by_it(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    with db.transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Michaelmas", "ortus", 2, "open", ruled=SHORT)
        assert match.options["rulings"] == SHORT, "only what is not as usual"
        assert rulings.told(match) == TOLD and options.told_rules(match) == TOLD and rulings.told_options(match) == []
        lobby.join(session, match, person(session, "Bert"))
        players = Players(settings, match.id)
    with db.open_session(settings) as session:
        match = players.match(session)
        header = read_header(match.header or "")
        assert header.rulings == kernel.defaults(GAMES["ortus"].rules.rulings) | SHORT
        assert "rulings" not in match.options and "rulings" not in header.options
        assert rulings.told(match) == TOLD, "after the start the header says it"
    players.adjudicate()
    players.finish(rng)
    with db.open_session(settings) as session:
        match = players.match(session)
        assert match.status == "finished"
        verdict = matches.verify(replay_copy.download(session, match, None))
    assert verdict.holds, verdict.sentence


def test_the_choice_is_made_anew_each_time_and_beside_the_optional_rules(settings: Settings) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Michaelmas", "mastery", 2, "open")
        plain = dict(match.options)
        options.set_rulings(session, match, host, {"MM-AMB-24": "defender", "MM-AMB-60": "must"})
        assert match.options == plain | {"rulings": {"MM-AMB-24": "defender"}}
        variants = GAMES["mastery"].rules.variants
        answer = variants.write(2, {**plain, "rules": ["mayhem"]})
        options.set_options(session, match, host, answer)
        assert match.options["rules"] == ["mayhem"] and match.options["rulings"] == {"MM-AMB-24": "defender"}
        assert len(options.told_rules(match)) == len(rulings.told_options(match)) + 1
        options.set_rulings(session, match, host, {})
        assert "rulings" not in match.options and match.options["rules"] == ["mayhem"]


@on_sqlite
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"OR-AMB-999": "x"}, "There is no house ruling “OR-AMB-999” in this game"),
        ({"MM-AMB-24": "defender"}, "There is no house ruling “MM-AMB-24” in this game"),
        ({"DEF-2": "fielded"}, "There is no house ruling “DEF-2” in this game"),
        ({"OR-AMB-99": "x"}, "The ruling OR-AMB-99 can't be “x”; it is one of: in_turn, together."),
    ],
)
def test_what_there_is_not_to_choose_gets_a_sentence_and_changes_nothing(
    settings: Settings, wanted: dict[str, str], words: str
) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Michaelmas", "ortus", 2, "open", ruled=SHORT)
        before = dict(match.options)
        with pytest.raises(NotUnderstood) as refusal:
            options.set_rulings(session, match, host, wanted)
        assert words in str(refusal.value) and match.options == before
        with pytest.raises(NotUnderstood):
            lobby.open_match(session, host, "Another", "ortus", 2, "open", ruled=wanted)


def test_only_the_host_chooses_and_only_before_the_start(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "Michaelmas", "ortus", 2, "open")
        with pytest.raises(NotAllowed, match="Only the host"):
            options.set_rulings(session, match, person(session, "Bert"), SHORT)
        lobby.join(session, match, person(session, "Bert"))
        with pytest.raises(NotAllowed, match="has started"):
            options.set_rulings(session, match, host, SHORT)


def test_an_invitation_names_what_is_not_as_usual_and_nothing_else(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        for name, ruled in (("As usual", {}), ("Michaelmas", SHORT)):
            match = lobby.open_match(session, host, name, "ortus", 3, ruled=ruled)
            invite(session, match, host, "bert@writ.example")
            letter = session.exec(select(Letter).where(Letter.match_id == match.id)).one()
            text = " ".join(letter.text.split())
            assert ("House rulings:" in text) == bool(ruled)
            assert all((sentence in text) == bool(ruled) for sentence in TOLD)
            assert "OR-AMB-3)" not in text and ("House rulings" in letter.html) == bool(ruled)


def test_the_letter_of_the_start_names_them_to_everybody(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    for name, ruled in (("As usual", {}), ("Michaelmas", SHORT)):
        with db.transaction(settings) as session:
            match = lobby.open_match(session, person(session, "Anna"), name, "ortus", 2, "open", ruled=ruled)
            lobby.join(session, match, person(session, "Bert"))
            players = Players(settings, match.id)
        players.adjudicate()
        letters = players.letters("started")
        assert len(letters) == 2
        for letter in letters:
            text = " ".join(letter.text.split())
            assert ("House rulings:" in text) == ("House rulings</h2>" in letter.html) == bool(ruled)
            assert all((sentence in text) == bool(ruled) for sentence in TOLD)


def test_pairs_of_a_command_are_read_with_a_sentence_for_what_is_none() -> None:
    assert rulings.read_all(["OR-AMB-99=together", "OR-HOUSE-1=8"]) == {"OR-AMB-99": "together", "OR-HOUSE-1": "8"}
    for wrong in (["OR-AMB-99"], ["OR-AMB-99=together", "OR-AMB-99=in_turn"]):
        with pytest.raises(NotUnderstood, match="write RULE=value"):
            rulings.read_all(wrong)
