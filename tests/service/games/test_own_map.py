"""A host's own map, brought in the lobby: checked, kept in the header, played on, verified without the file."""

from __future__ import annotations

import json
import random
from unittest import mock

import pytest
from sqlmodel import select

from engine.core.asks import Answer, NotUnderstood, of_row
from engine.fief.rules.realm.pieces import COMPONENTS
from engine.fief.rules.realm.pieces import MAP as FIEF_MAP
from engine.games import game_called
from engine.language.words import say
from engine.mastery.rules.pieces import TEXT
from engine.play import match as matches
from engine.ui.forms import choices_of
from service.common.messages import read as stored_sentence
from service.games import lobby, options
from service.post import letters
from service.replay import replay_copy
from service.seat import seat_view, submissions
from service.settings import Settings
from service.store import database as db
from service.store import rulings
from service.store.models import SeatRow, new_id
from service.store.seats import names_of
from service.web import context, create_app
from tests.service.conftest import Drawn, Players, on_sqlite, person

SLOTS = json.loads(TEXT)["maps"]["2"]["slots"]
CHOICE = Answer("play", {"seating": "fixed"})
OWN = json.dumps({"slots": [s for s in SLOTS if s["slot"] not in ("A3", "E1")]})
"""The shipped map for two, without two of its corners."""


@on_sqlite
def test_a_game_is_played_on_the_hosts_own_map(settings: Settings, sent: list[tuple[str, ...]], rng: random.Random) -> None:
    with mock.patch.object(lobby, "secrets", Drawn("a short war")), db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "On our own ground", "mastery", 2, "open")
        assert list(match.options) == ["seating", "data"], "the mark of the data that it is played by"
        options.set_options(session, match, host, CHOICE, OWN)
        (told,) = [words for words in rulings.told_options(match) if "own map" in words]
        assert match.options["data"][:12] in told
        lobby.join(session, match, person(session, "Bert"))
        players = Players(settings, match.id)
    players.adjudicate()  # MM-MAP-7, MM-DAT-3
    with db.open_session(settings) as session:
        page = seat_view.load(session, players.match(session), players.asked()[0])
        assert page is not None
        places = {place["slot"] for place in page.view["map"]}
        assert len(places) == len(SLOTS) - 2 and not places & {"A3", "E1"}
    players.finish(rng)
    with db.open_session(settings) as session:
        verdict = matches.verify(replay_copy.download(session, players.match(session), None))
        assert verdict.holds, verdict.sentence


@on_sqlite
@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("{", "The file isn't JSON"),
        ("[]", "The file isn't a map; a map has `slots`"),
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
            options.set_options(session, match, host, CHOICE, file)
        assert sentence in str(refusal.value) and match.options == before


def renamed() -> str:
    """The shipped board and box of Fief, with a village and its Fief of another id and name, and a Lord of another name."""
    board = {key: json.loads(FIEF_MAP)[key] for key in ("villages", "fiefs", "roads", "bishoprics")}
    board = json.loads(json.dumps(board).replace('"blaye"', '"xanten"').replace('"Blaye"', '"Sankt <i>Xanten"'))
    lords = json.loads(COMPONENTS)["lords"]
    lords[0]["name"] = "Häwart"
    return json.dumps({**board, "lords": lords})


def at_xanten(settings: Settings) -> Players:
    """A game of three that has begun on a map of its host's own."""
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "At Xanten", "fief", 3, "open")
        options.set_options(session, match, host, Answer("play", {"battle_die": "found", "rounds": 1}), renamed())
        for name in ("Bert", "Carl"):
            lobby.join(session, match, person(session, name))
        players = Players(settings, match.id)
    players.adjudicate()
    return players


def test_things_are_called_as_a_hosts_own_file_calls_them(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    """FF-MAP-5, FF-CMP-5: in labels of questions, news, words of cards; without the file everything keeps its name."""
    players = at_xanten(settings)
    first = players.asked()[0]
    with db.transaction(settings) as session:
        match = players.match(session)
        page = seat_view.load(session, match, first)
        assert page is not None and page.form is not None and page.form.kind == "village"
        labels = {c.label for option in page.form.options for f in option.fields for c in choices_of(f)}
        assert "Sankt <i>Xanten" in labels and not any("xanten" in label for label in labels)
        for names in (page.names, names_of(session, match.id)):
            assert (
                page.game.words.word("xanten", names, "") == "Sankt <i>Xanten"
                and page.game.words.word("Hawart", names, "") == "Häwart"
            )
        answer = Answer(page.form.options[0].id, {page.form.options[0].fields[0].name: "xanten"})
        submissions.submit(session, match, first, new_id(), page.form.serial, page.form.kind, answer)
    players.adjudicate()
    with db.open_session(settings) as session:
        told = seat_view.load(session, players.match(session), next(seat for seat in "abc" if seat != first))
        assert told is not None
        assert any("Sankt <i>Xanten" in sentence for sentence in told.news.sentences), told.news.sentences
    letter = players.letters("turn")[-1]
    assert "Sankt <i>Xanten" in letter.text and "<i>Xanten" not in letter.html and "Sankt &lt;i&gt;Xanten" in letter.html
    assert game_called("fief").words.word("blaye", {}, "") == "Blaye"


def test_refusals_too_call_things_as_a_hosts_own_file_does(
    settings: Settings, sent: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """FF-MAP-5: on the page, where they come from the worker too, and in the letter that answers a reply."""
    players = at_xanten(settings)
    why = say("fief.no_road", a="xanten", b="sigy")
    assert str(why) == "No road leads from Xanten to Sigy.", "nobody said whose village that is"
    with db.transaction(settings) as session:
        match = players.match(session)
        row = session.exec(select(SeatRow).where(SeatRow.match_id == match.id, SeatRow.seat == "a")).one()
        for sentence in (why, of_row("moves", 2, why)):
            letters.to_seat(session, "reply_refused", match, row, {"why": sentence, "again": True})
        app = create_app(settings)
        monkeypatch.setattr(context, "seat_in", lambda _match_id: "a")
        with app.test_request_context(f"/g/{match.id}/table", base_url=settings.base_url):
            app.preprocess_request()
            context.member_of(match.id)
            assert str(why) == "No road leads from Sankt <i>Xanten to Sigy."
            assert str(stored_sentence(why.stored())) == str(why)
    written = players.letters("reply_refused")
    assert len(written) == 2 and all("from Sankt <i>Xanten to Sigy" in letter.text for letter in written)
    assert str(why) == "No road leads from Xanten to Sigy.", "the next who asks may sit at another table"


@on_sqlite
def test_a_file_whose_names_cover_their_neighbours_is_refused(settings: Settings) -> None:
    with db.transaction(settings) as session:
        host = person(session, "Anna")
        match = lobby.open_match(session, host, "At Xanten", "fief", 3, "open")
        before = dict(match.options)
        file = json.loads(renamed())
        file["lords"][0]["name"] = "Ha\u0301\u0302\u0303\u0304wart"
        with pytest.raises(NotUnderstood, match="three marks on one letter"):
            options.set_options(session, match, host, Answer("play", {"battle_die": "found", "rounds": 1}), json.dumps(file))
        assert match.options == before
