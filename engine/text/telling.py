"""Default wording of a game from its catalogue.

Sections: `event` (by kind; an empty entry isn't shown), `chapter` (by event kind), `ask`, `option`, `field`, `choice`,
`heading` and `subject` (by ask kind), `proposed` (by a proposal's kind: its title for its proposer), `kind` (cards and pieces,
with number `n`). Choices without an entry are seats, cards or pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.core.asks import Ask, Seat
from engine.core.offers import AMEND, WITHDRAW
from engine.core.views import Event
from engine.language.words import KERNEL, Catalogue, Names, addressed
from engine.text.labels import Labels, questions

Word = Callable[[str, Names, Seat], str]
"""Card or piece id, names, seat that has it -> label."""


def by_id(words: Catalogue) -> Word:
    return lambda id, _names, _home: words.text("kind", id, {"n": 1}) if words.has("kind", id) else id


def listed(word: Word) -> Callable[[Iterable[str], Names, Seat], str]:
    return lambda ids, names, home: KERNEL.listed("comma", [word(id, names, home) for id in ids])


def teller(words: Catalogue) -> Callable[[Event, Names, Seat | None], str]:
    """Sentence from section `event`, for a reader. Raises Missing."""
    return lambda event, names, reader: words.text("event", event.kind, event.facts, addressed(names, reader))


def merged(merge: Callable[[Event, Event], Event | None], events: Iterable[Event]) -> list[Event | None]:
    """An answer's events with pairs merged: the merged event takes the later place, None the earlier."""
    found: list[Event | None] = []
    for event in events:
        one = found[-1] if found else None
        both = merge(one, event) if one is not None else None
        if both is not None:
            found[-1], event = None, Event(both.kind, both.facts, event.only, event.but)
        found.append(event)
    return found


def chapters(words: Catalogue) -> Callable[[Event], str]:
    return lambda event: words.first("chapter", event.kind, facts=event.facts)


class Catalogued(Labels):
    """Labels from a catalogue alone, which needs every entry."""


def labels(words: Catalogue, word: Word) -> Catalogued:
    """Labels from a catalogue; facts are the ask's and `seat`. The kernel words withdrawing and amending a proposal."""

    def facts(ask: Ask) -> Mapping[str, Any]:
        return {"seat": ask.seat, **ask.about}

    def choice(ask: Ask, _option: str, _field: str, id: str, names: Names) -> str:
        if words.has("choice", id):
            return words.text("choice", id, facts(ask), names)
        return names[id] if id in names else word(id, names, ask.seat)

    def option(ask: Ask, id: str, names: Names) -> str:
        if id in (WITHDRAW, AMEND) and not words.has("option", id):
            return KERNEL.text("offer", id)
        return words.text("option", id, facts(ask), names)

    title, heading, public = questions(words, lambda ask, _names: (ask.kind, facts(ask)))
    return Catalogued(
        title=title,
        heading=heading,
        public=public,
        option=option,
        field=lambda ask, _option, field, names: words.text("field", field, facts(ask), names),
        choice=choice,
    )
