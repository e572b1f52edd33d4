"""Optional rules, chosen by the host in the lobby: the toy game has some, and takes a file of wares."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from sqlmodel import Session

from engine.core.asks import Answer, NotLegal, NotUnderstood, Refused
from engine.game import Variants
from engine.games import GAMES
from engine.language.words import Catalogue
from engine.play import match as matches
from service.errors import NotAllowed
from service.games import lobby, options
from service.settings import Settings
from service.store import database as db
from service.store import rulings
from service.store.models import Match
from tests.house import invite
from tests.service.conftest import Players, on_sqlite, person
from tests.toy_game import FAIR

SHORT = Answer("play", {"rounds": 1, "rules": ["poor"]})
PLAIN = Answer("play", {"rounds": 3})


@pytest.fixture(autouse=True)
def toy_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, FAIR.name, FAIR)
    monkeypatch.setattr(lobby, "offered", lambda: [FAIR])


def opened(session: Session, seats: int = 2, access: str = "open") -> Match:
    return lobby.open_match(session, person(session, "Anna"), "Michaelmas", "fair", seats, access)


def test_the_host_chooses_and_the_game_is_played_by_it(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match = opened(session)
        options.set_options(session, match, person(session, "Anna"), SHORT)
        assert match.options == {"rounds": 1, "poor": True}
        assert rulings.told_options(match) == ["The fair lasts 1 rounds.", "Everybody begins poor."]
        lobby.join(session, match, person(session, "Bert"))
        players = Players(settings, match.id)
    with db.open_session(settings) as session:
        header = msgspec.json.decode(players.match(session).header or "", type=matches.Header)
        assert header.options == {"rounds": 1, "poor": True}


@on_sqlite
def test_the_whole_choice_is_made_anew_each_time(settings: Settings) -> None:
    with db.transaction(settings) as session:
        match, host = opened(session), person(session, "Anna")
        options.set_options(session, match, host, SHORT, "salt tin wool wax wine yarn")
        assert match.options["wares"] == ["salt", "tin", "wool", "wax", "wine", "yarn"]
        options.set_options(session, match, host, SHORT)
        assert match.options == {"rounds": 1, "poor": True}
        options.set_options(session, match, host, PLAIN)
        assert match.options == {} and rulings.told_options(match) == []


@on_sqlite
@pytest.mark.parametrize(
    ("answer", "file", "refusal", "sentence"),
    [
        (Answer("play", {"rounds": 6}), "", NotLegal, "from 1 to 5"),
        (Answer("play", {"rounds": 1, "rules": ["rich"]}), "", NotLegal, "rich"),
        (Answer("play", {"rounds": 1, "seed": "1"}), "", NotUnderstood, "no field “seed”"),
        (Answer("stop"), "", NotLegal, "You can: play"),
        (PLAIN, "salt salt", NotUnderstood, "different words"),
        (PLAIN, "salt tin", NotLegal, "2 wares are too few for 2 keepers; bring 6 or more"),
        (PLAIN, "salt\x00tin", NotUnderstood, "plain text"),
        (PLAIN, "é" * 100_001, NotUnderstood, "at most 200 KB"),
    ],
)
def test_what_cannot_be_played_is_refused_and_changes_nothing(
    settings: Settings, answer: Answer, file: str, refusal: type[Refused], sentence: str
) -> None:
    with db.transaction(settings) as session:
        match, host = opened(session), person(session, "Anna")
        options.set_options(session, match, host, SHORT)
        with pytest.raises(refusal, match=sentence):
            options.set_options(session, match, host, answer, file)
        assert match.options == {"rounds": 1, "poor": True}


def test_only_the_host_chooses_and_only_before_the_start(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match, host, bert = opened(session, 3), person(session, "Anna"), person(session, "Bert")
        lobby.join(session, match, bert)
        with pytest.raises(NotAllowed, match="Only the host"):
            options.set_options(session, match, bert, SHORT)
        lobby.add_bot(session, match, host)
        with pytest.raises(NotAllowed, match="has started"):
            options.set_options(session, match, host, SHORT)
        assert match.options == {}


def test_a_game_without_optional_rules_takes_none(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = replace(FAIR, rules=replace(FAIR.rules, variants=Variants()))
    monkeypatch.setitem(GAMES, FAIR.name, plain)
    monkeypatch.setattr(lobby, "offered", lambda: [plain])
    with db.transaction(settings) as session:
        match, host = opened(session), person(session, "Anna")
        assert not options.has_options(match)
        with pytest.raises(NotAllowed, match="no optional rules"):
            options.set_options(session, match, host, Answer("play"))
        assert match.options == {}


def test_an_invitation_says_which_optional_rules_are_played(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        match, host = opened(session, 4), person(session, "Anna")
        players = Players(settings, match.id)
        invite(session, match, host, "bert@example.org")
        options.set_options(session, match, host, SHORT)
        invite(session, match, host, "cleo@example.org")
    plain, told = sorted(players.letters("invitation"), key=lambda letter: letter.to_address)
    assert "Optional rules" not in plain.text + plain.html
    for part in (told.text, told.html):
        assert "Optional rules" in part and "Everybody begins poor." in part


def test_a_game_that_can_t_be_shown_is_not_offered_and_says_what_it_lacks(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    mute = replace(FAIR, words=replace(FAIR.words, catalogue=Catalogue("tests.contract")))
    monkeypatch.setitem(GAMES, FAIR.name, mute)
    assert mute not in lobby.offered() and lobby.offered()
    lacks = r"lacks words. .* “pot” in the section “view”"
    with db.transaction(settings) as session, pytest.raises(NotUnderstood, match=lacks):
        opened(session)
