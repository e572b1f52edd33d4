"""An answer's sentences: two events in one, names once, "you" for the reader alone."""

from __future__ import annotations

from engine.core.views import Event
from engine.games import GAMES
from engine.language.words import Named, Names, addressed
from service.log.chronicle import about_table, sentences, tell, teller
from service.log.entries import EventRecord
from service.log.names import before
from tests.tables import NAMES


def said(game: str, names: Names, *events: Event) -> list[str]:
    found = sentences(GAMES[game], events, teller(GAMES[game], names, "UTC"), names)
    assert len(found) == len(events)
    return [one.words for one in found if one is not None]


def called(reader: str = "") -> Names:
    names = Named(NAMES)
    names.pronouns = {"b": "he", "c": "she"}
    return addressed(names, reader)


MARCH = (
    Event("advanced", {"seat": "b", "slot": "C4", "tile": "City", "count": 5}),
    Event("conquered", {"seat": "b", "slot": "C4", "tile": "City", "count": 5, "points": 6}),
    Event("gained", {"seat": "b", "count": 1, "lost": 0, "why": "tile"}),
)


def test_a_march_and_what_it_brings_are_told_together() -> None:
    marched = ["Baldwin marched 5 knights into vacant City (C4): 6 points now.", "It sent him 1 knight."]
    assert said("mastery", called(), *MARCH) == marched
    assert said("mastery", called("b"), *MARCH) == [marched[0].replace("Baldwin", "You"), "It sent you 1 knight."]
    assert said("mastery", called("a"), *MARCH) == marched, "for others it is his march"


def test_a_sentence_about_the_same_seat_begins_with_a_pronoun() -> None:
    left = Event("control", {"village": "bourg", "seat": "", "old": "c"})
    taken = Event("control", {"village": "st_vivien", "seat": "c", "old": ""})
    drawn = Event("drawn_own", {"seat": "c", "card": "taxes"})
    assert said("fief", called(), left, taken, drawn) == ["Cecily left Bourg and took St Vivien.", "She drew Taxes."]
    played = Event("played", {"seat": "d", "card": "CallToArms"}), Event("drew", {"seat": "d", "count": 2})
    assert said("mastery", called(), *played)[1] == "They drew 2 cards."
    peeked = Event("peeked", {"seat": "c", "lord": "b"})
    left = Event("left", {"seat": "c", "lord": "b", "own": False})
    assert said("mastery", called(), peeked, left)[1] == "Cecily left Baldwin’s top card where it was.", "two were named"


def test_equal_incomes_are_told_once() -> None:
    even, uneven = Event("income", {"gained": {"a": 1, "b": 1}}), Event("income", {"gained": {"a": 1, "b": 3}})
    assert said("fief", called("a"), even) == ["Each family took in 1 Denier."]
    assert said("fief", called("a"), uneven) == ["Income in Deniers: you 1, Baldwin 3."]


def test_what_did_not_happen_is_no_news() -> None:
    assert said("mastery", called(), Event("no_fracture", {}), Event("nobody_could", {})) == []


def test_what_a_seat_did_for_its_former_player_is_not_the_reader_s() -> None:
    names = called("b")
    then = before(names, EventRecord(9, "table.replace", {"seat": "b", "who": "Wat", "to": "Baldwin"}, None, []))
    drew = Event("drew", {"seat": "b", "count": 1})
    assert said("mastery", names, drew) == ["You drew 1 card."] and said("mastery", then, drew) == ["Wat drew 1 card."]
    assert isinstance(then, Named) and then.pronouns == {"c": "she"}


def test_what_happens_around_the_board_calls_its_seat_you() -> None:
    missed = about_table("default", seat="b")
    assert tell(GAMES["ortus"], missed, called("b"), None) == "You let the deadline pass, so the safe answer was played."
    assert tell(GAMES["ortus"], missed, called("a"), "a").startswith("Baldwin let the deadline pass")
