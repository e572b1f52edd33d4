"""How a game reads, from its catalogue alone: what most games need of it, and what those with more to say begin with.

The sections: `event` (by kind, with its facts; the empty string for one that needs no words), `chapter` (by kind of event, for
those that begin a chapter of the journal), `ask`, `option`, `field` and `choice` (by kind, by option, by field, by id),
`heading` and `subject` (of kinds of asks: the head of a letter, and what everybody may know of it), `kind` (cards and pieces,
by id, with their number `n`). A choice without an entry is a seat, or else a card or a piece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.asks import Ask, Seat
from engine.labels import Labels, headed, public
from engine.views import Event
from engine.words import Catalogue, Names

Word = Callable[[str, Names, Seat], str]
"""id of a card or piece, names, the seat at whose place it lies -> what people call it."""


def by_id(words: Catalogue) -> Word:
    """What people call cards and pieces: their entry in the section `kind`, or the id where there is none."""
    return lambda id, _names, _home: words.text("kind", id, {"n": 1}) if words.has("kind", id) else id


def teller(words: Catalogue) -> Callable[[Event, Names, Seat | None], str]:
    """An event as a sentence: the entry of its kind with its facts. Raises Missing for a kind that has none."""
    return lambda event, names, _reader: words.text("event", event.kind, event.facts, names)


def chapters(words: Catalogue) -> Callable[[Event], str]:
    """The heading of the chapter that an event begins; the empty string for kinds without an entry."""
    return lambda event: words.text("chapter", event.kind, event.facts) if words.has("chapter", event.kind) else ""


class Catalogued(Labels):
    """Labels that are made of a catalogue alone, so that it has to have an entry for everything."""


def labels(words: Catalogue, word: Word) -> Catalogued:
    """How asks read: `ask` with what the ask is about (and `seat`, who is asked), `option`, `field`, `choice`."""

    def facts(ask: Ask) -> Mapping[str, Any]:
        return {"seat": ask.seat, **ask.about}

    def choice(ask: Ask, _option: str, _field: str, id: str, names: Names) -> str:
        if words.has("choice", id):
            return words.text("choice", id, facts(ask), names)
        return names[id] if id in names else word(id, names, ask.seat)

    return Catalogued(
        title=lambda ask, names: words.text("ask", ask.kind, facts(ask), names),
        heading=lambda ask, names: headed(words, ask.kind, facts(ask), names),
        public=lambda ask, names: public(words, ask.kind, facts(ask), names),
        option=lambda ask, option, names: words.text("option", option, facts(ask), names),
        field=lambda ask, _option, field, names: words.text("field", field, facts(ask), names),
        choice=choice,
    )
