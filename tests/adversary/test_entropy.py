"""Trying seeds until a hand fits: what a host and players could do to the shuffles before the start, and after it.

The seed is drawn once, when the table is opened, and its commitment is shown to everybody from then on. The words of the
players are mixed into it. A host who has the last word still knows nothing of the seed, and nothing tells him what his word
would bring.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable
from unittest import mock

import pytest
from sqlmodel import Session, select

from engine.core.asks import Answer, NotUnderstood, Refused
from engine.core.chance import commitment, entropy_of, secret
from engine.play import match as matches
from service.errors import NotAllowed
from service.games import lobby, options
from service.log import shuffle
from service.replay import replay_copy
from service.seat import seat_view
from service.settings import Settings
from service.store import database as db
from service.store.models import Account, Letter, Match
from service.store.seats import by_match_id, seats_of
from tests.house import invite
from tests.service.conftest import Drawn, Players, as_sent, on_sqlite, person, rng, sent, settings  # noqa: F401  (fixtures)

WORD, OTHER = "a red dragon, asleep", "the ninth wave"


def header_of(settings: Settings, match_id: str) -> matches.Header:
    with db.open_session(settings) as session:
        return matches.read_header(by_match_id(session, match_id).header or "")


def test_a_word_is_its_sha_256_as_anybody_can_make_it() -> None:
    assert shuffle.of_word("  " + WORD + " ") == entropy_of(WORD) == hashlib.sha256(WORD.encode()).hexdigest()
    assert shuffle.of_word("") == shuffle.of_word("  ") == ""
    assert shuffle.of_word("Żółw ☂") == hashlib.sha256("Żółw ☂".encode()).hexdigest()
    for wrong in ("x" * 201, "a\x00b", "a\nb", "\ud800", "a\u202eb", "\ue000"):
        with pytest.raises(NotUnderstood, match="That word"):
            shuffle.of_word(wrong)


def test_nothing_that_is_done_in_the_lobby_draws_another_seed(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    chosen = random.Random(16)
    for game in ("ortus", "mastery"):
        with db.transaction(settings) as session:
            host = person(session, "Anna")
            people = [person(session, name) for name in ("Bert", "Cleo", "Dora", "Egon")]
            match = lobby.open_match(session, host, f"Seeds of {game}", game, 6, "open", word=WORD)
            seed, published = match.seed, match.commitment
            done = 0
            for number in range(80):
                if sum(s.status == "taken" for s in seats_of(session, match)) >= 5:
                    for letter in "cdef":
                        lobby.clear_seat(session, match, host, letter)
                try:
                    _one_deed(session, match, host, chosen.choice(people), number, chosen)
                    done += 1
                except Refused:
                    pass
                session.expire(match)
                assert match.seed == seed and match.commitment == published == commitment(seed)
                assert match.header is None and match.snapshot is None
            assert all(seat_view.load(session, match, seat) is None for seat in ("", *"abcdef")), "nobody has seen a card"
            letters = session.exec(select(Letter).where(Letter.match_id == match.id, Letter.kind == "invitation")).all()
            assert letters and all(published in x.text and published in x.html for x in letters)
            for letter in "bcdef":
                lobby.clear_seat(session, match, host, letter)
            for _ in range(5):
                lobby.add_bot(session, match, host)
            header = matches.read_header(match.header or "")
            assert match.seed == seed and header.commitment == published
        print(f"{game}: {done} deeds in the lobby, one seed")
        assert done > 30


def _one_deed(session: Session, table: Match, host: Account, who: Account, number: int, chosen: random.Random) -> None:
    """Something that the host or a guest does before the start."""
    letter, word = chosen.choice("bcdef"), chosen.choice(("", WORD, OTHER, f"word {number}"))
    match chosen.randrange(9):
        case 0:
            lobby.join(session, table, who, word)
        case 1:
            lobby.leave(session, table, who)
        case 2:
            lobby.give_word(session, table, who, word)
        case 3:
            lobby.give_word(session, table, host, word)
        case 4:
            lobby.clear_seat(session, table, host, letter)
        case 5:
            invite(session, table, host, f"guest{number}@example.org")
        case 6:
            lobby.set_colour(session, table, who, "red")
        case 7:
            options.set_options(session, table, host, Answer("play", {"seating": chosen.choice(("random", "fixed"))}))
        case _:
            lobby.add_bot(session, table, host)


def test_all_words_go_in_and_are_fixed_at_the_start(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        host, guest = person(session, "Anna"), person(session, "Bert")
        match = lobby.open_match(session, host, "Words", "ortus", 3, "open", word="first thought")
        lobby.give_word(session, match, host, WORD)
        lobby.join(session, match, guest, OTHER)
        lobby.add_bot(session, match, host)
        players = Players(settings, match.id)
        with pytest.raises(NotAllowed, match="has started"):
            lobby.give_word(session, match, host, "a better one")
    header = header_of(settings, players.match_id)
    assert [(s.entropy, s.given) for s in header.seats[:2]] == [(entropy_of(WORD), True), (entropy_of(OTHER), True)]
    assert header.seats[2].given is False and re.fullmatch("[0-9a-f]{32}", header.seats[2].entropy)
    players.adjudicate()
    with db.open_session(settings) as session:
        match = players.match(session)
        live = matches.start(header, match.seed)
        assert live.state.table.chance.secret == secret(match.seed, [s.entropy for s in header.seats])
        found = session.exec(select(Letter).where(Letter.match_id == match.id, Letter.kind == "started")).all()
        started = as_sent(settings, found)
        assert len(started) == 2 and all(header.commitment in x.text and header.commitment in x.html for x in started)
        assert {entropy_of(WORD) in x.text for x in started if x.to_address.startswith("anna")} == {True}


def test_another_word_is_another_shuffle(settings: Settings) -> None:
    with db.transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Words", "mastery", 2, "open")
        seed = match.seed
    found = {secret(seed, (entropy_of(word), entropy_of(OTHER))) for word in ("", "a", "b", WORD)}
    assert len(found) == 4


def test_a_word_goes_with_the_one_who_gave_it(settings: Settings, sent: list[tuple[str, ...]]) -> None:
    with db.transaction(settings) as session:
        host, bert = person(session, "Anna"), person(session, "Bert")
        match = lobby.open_match(session, host, "Words", "ortus", 3, "open")
        undoings: list[Callable[[], object]] = [
            lambda: lobby.leave(session, match, bert),
            lambda: lobby.clear_seat(session, match, host, "b"),
        ]
        for undo in undoings:
            assert lobby.join(session, match, bert, OTHER).entropy == entropy_of(OTHER)
            undo()
            assert seats_of(session, match)[1].entropy == ""
        lobby.join(session, match, person(session, "Cleo"))
        lobby.add_bot(session, match, host)
        assert [s.given for s in matches.read_header(match.header or "").seats] == [False, False, False]


@on_sqlite
def test_verify_says_that_the_seed_fits_and_whose_words_were_used(
    settings: Settings, sent: list[tuple[str, ...]], rng: random.Random
) -> None:
    with mock.patch.object(lobby, "secrets", Drawn("sand")), db.transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Words", "mastery", 2, "open", word=WORD)
        lobby.join(session, match, person(session, "Bert"))
        players = Players(settings, match.id)
    players.adjudicate()
    players.finish(rng)  # by these draws a short game
    with db.open_session(settings) as session:
        match = players.match(session)
        verdict = matches.verify(replay_copy.download(session, match, None))
        told = shuffle.told(match, "a")
    assert verdict.holds and "the seed fits its commitment" in verdict.sentence
    words = f"of the seed and of the words of Anna (a: {entropy_of(WORD)[:12]}…); for Bert (b) the server drew."
    assert verdict.sentence.endswith(words) and told.whose.endswith(words)
    assert (told.entropy, told.given, told.commitment) == (entropy_of(WORD), True, commitment(match.seed))


def test_an_outsider_gives_no_word(settings: Settings) -> None:
    with db.transaction(settings) as session:
        match = lobby.open_match(session, person(session, "Anna"), "Words", "ortus", 2, "open")
        with pytest.raises(NotAllowed, match="no seat"):
            lobby.give_word(session, match, person(session, "Mallory"), WORD)
        assert [s.entropy for s in seats_of(session, match)] == ["", ""]
