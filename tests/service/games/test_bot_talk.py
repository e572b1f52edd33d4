"""Bots speak at great moments: a line each at most once, by public events alone, on pages and never by letter."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from sqlmodel import Session, col, select

from engine.core.asks import Answer, write
from engine.core.views import Event
from engine.games import GAMES, game_called
from engine.play.match import TAKE_BACK
from service.log import bot_talk
from service.log.characters import BY_NAME, CHARACTERS
from service.log.chronicle import SAID
from service.replay import history
from service.seat import seat_view
from service.settings import Settings
from service.store.database import open_session, transaction
from service.store.models import EntryRow, EventRow, Letter, Match
from service.store.seats import seats_of
from service.table import talk
from tests.service.conftest import Players, on_sqlite, open_table


def spoken(session: Session, match: Match, *answers: list[Event]) -> list[list[tuple[str, str]]]:
    """What bots say in these answers: seat and moment."""
    told = [(n, [*events]) for n, events in enumerate(answers)]
    bot_talk.speak(session, match, seats_of(session, match), told)
    return [[(e.facts["seat"], e.facts["moment"]) for e in events if e.kind == SAID] for _, events in told]


def test_every_character_has_a_line_for_every_moment() -> None:
    for one in CHARACTERS:
        assert set(one.talk) == {*bot_talk.MOMENTS}, one.name
        assert all(0 < len(line) <= 60 and "\n" not in line for line in one.talk.values()), one.name
    lines = [line for one in CHARACTERS for line in one.talk.values()]
    assert len({*lines}) == len(lines)


@pytest.mark.parametrize("game", ["ortus", "mastery", "fief"])
def test_great_moments_are_events_of_the_game(game: str) -> None:
    great, catalogue = game_called(game).face.log.great, game_called(game).words.catalogue
    assert great and {*great} <= {*catalogue.keys("event")}
    assert {moment for moments in great.values() for moment in moments} <= {*bot_talk.MOMENTS}


@on_sqlite
def test_a_bot_says_its_greatest_line_once_and_people_say_none(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    players = open_table(settings, 2, 2, "mastery")
    with open_session(settings) as session:
        match = players.match(session)
        stormed = Event("stormed", {"seat": "c", "slot": "A1", "defender": "d"})
        won = Event("won", {"seats": ["a", "c"]})
        assert spoken(session, match, [Event("turn", {"seat": "c"}), stormed]) == [[("c", "took"), ("d", "lost")]]
        assert spoken(session, match, [stormed], [stormed]) == [[("c", "took"), ("d", "lost")], []]
        assert spoken(session, match, [stormed, won]) == [[("c", "won"), ("d", "lost")]], "one line a moment"
        assert spoken(session, match, [Event("stormed", {"seat": "a", "slot": "A1", "defender": "b"})]) == [[]]
        match.quiet_bots = True
        assert spoken(session, match, [stormed, won]) == [[]]


@on_sqlite
def test_what_not_everybody_sees_makes_no_bot_speak(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    players = open_table(settings, 2, 2, "mastery")
    facts = {"seat": "c", "slot": "A1", "defender": "d"}
    with open_session(settings) as session:
        match = players.match(session)
        assert spoken(session, match, [Event("stormed", facts, ("a", "b"))], [Event("stormed", facts, None, ("a",))]) == [
            [],
            [],
        ]


@pytest.fixture
def chatty(settings: Settings, sent: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> Players:
    """A table whose bots have a great moment with every turn."""
    game = GAMES["mastery"]
    log = replace(game.face.log, great={"turn": {"crown": "seat"}, "invested": {"took": "seat"}})
    monkeypatch.setattr(bot_talk, "game_called", lambda _name: replace(game, face=replace(game.face, log=log)))
    players, rng = open_table(settings, 2, 2, "mastery"), random.Random(4)
    players.adjudicate()
    for _ in range(12):
        for seat in players.asked():
            players.submit(seat, rng)
        players.adjudicate()
    return players


def lines_of(settings: Settings, players: Players) -> dict[str, str]:
    with open_session(settings) as session:
        match = players.match(session)
        found = session.exec(select(EventRow).where(EventRow.match_id == match.id, EventRow.kind == SAID)).all()
        seats = {s.seat: s for s in seats_of(session, match)}
        assert len(found) == len({(row.facts["seat"], row.facts["moment"]) for row in found}) >= 4
        return {BY_NAME[seats[row.facts["seat"]].name].talk[row.facts["moment"]]: row.facts["seat"] for row in found}


def test_lines_are_told_in_log_and_history_and_in_no_letter(chatty: Players, settings: Settings) -> None:
    lines = lines_of(settings, chatty)
    with open_session(settings) as session:
        kinds = sorted(set(session.exec(select(Letter.kind))))
    letters = "".join(f"{one.text}{one.html}" for kind in kinds for one in chatty.letters(kind))
    assert letters and not [line for line in lines if line in letters]
    with open_session(settings) as session:
        match = chatty.match(session)
        view = seat_view.load(session, match, "a")
        assert view is not None
        told = " ".join(words for line in view.news.log for _, words in line.talk)
        page = " ".join(words for _, said in history.page(session, match, "a", 1).lines for words in said)
        unsaid = " ".join([*view.news.sentences, *view.news.story, *view.news.brief, *(line.said for line in view.news.log)])
    assert lines and all(line in page for line in lines) and any(line in told for line in lines)
    assert all("(a bot): “" in words for line in view.news.log for _, words in line.talk)
    assert not [line for line in lines if line in unsaid]


def test_lines_are_messages_of_the_public_talk_that_call_nobody(chatty: Players, settings: Settings) -> None:
    lines = lines_of(settings, chatty)
    with transaction(settings) as session:
        match = chatty.match(session)
        thread = talk.thread_of(session, match, "")
        talk.mute(session, match, "b", "c", True)
        heard = {
            seat: [one for one in talk.messages(session, thread, seat)[0] if isinstance(one, bot_talk.BotLine)] for seat in "ab"
        }
        assert {one.text: one.seat for one in heard["a"]} == lines
        assert {one.text: one.seat for one in heard["b"]} == {line: seat for line, seat in lines.items() if seat != "c"}
        assert [one.at for one in heard["a"]] == sorted(one.at for one in heard["a"])
        assert talk.unread(session, match, "a") == 0
        match.quiet_bots = True
        assert bot_talk.lines(session, match, ()) == []


def test_a_line_of_an_answer_taken_back_is_forgotten(chatty: Players, settings: Settings) -> None:
    with transaction(settings) as session:
        match = chatty.match(session)
        stored = select(EventRow).where(EventRow.match_id == match.id, EventRow.kind == SAID).order_by(col(EventRow.n).desc())
        last = session.exec(stored).first()
        assert last is not None
        moment = {"crown": "turn", "took": "invested"}[last.facts["moment"]]
        again = Event(moment, {"seat": last.facts["seat"]})
        assert spoken(session, match, [again]) == [[]]
        before = len(bot_talk.lines(session, match, ()))
        newest = session.exec(select(EntryRow).where(EntryRow.match_id == match.id).order_by(col(EntryRow.n).desc())).first()
        assert newest is not None
        back = write(Answer("back", {"to": last.n - 1}))
        session.add(EntryRow(**newest.model_dump() | {"n": newest.n + 1, "ask": TAKE_BACK, "move": back}))
        session.flush()
        assert spoken(session, match, [again]) == [[(last.facts["seat"], last.facts["moment"])]]
        assert len(bot_talk.lines(session, match, ())) < before


def test_a_muted_bot_is_silent_for_the_seat_that_muted_it_alone(chatty: Players, settings: Settings) -> None:
    lines = lines_of(settings, chatty)
    with transaction(settings) as session:
        talk.mute(session, chatty.match(session), "a", "c", True)
    with open_session(settings) as session:
        match = chatty.match(session)
        heard = {
            seat: " ".join(words for _, said in history.page(session, match, seat, 1).lines for words in said) for seat in "ab"
        }
        view = seat_view.load(session, match, "a")
        assert view is not None and not [seat for line in view.news.log for seat, _ in line.talk if seat == "c"]
    for line, seat in lines.items():
        assert line in heard["b"] and (line in heard["a"]) is (seat != "c")
