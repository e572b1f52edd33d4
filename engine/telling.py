"""Default wording of a game, from its catalogue alone.

Sections: `event` (by kind; an empty entry isn't shown), `chapter` (by event kind), `ask`, `option`, `field`, `choice`,
`heading` and `subject` (by ask kind), `proposed` (by a proposal's kind: its title for its proposer), `kind` (cards and pieces,
with number `n`). Choices without an entry are seats, cards or pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.asks import Ask, Seat
from engine.labels import Labels, questions
from engine.offers import AMEND, WITHDRAW
from engine.views import Event
from engine.words import KERNEL, Catalogue, Names

Word = Callable[[str, Names, Seat], str]
"""Card or piece id, names, seat that has it -> label."""


def by_id(words: Catalogue) -> Word:
    """Label from section `kind`, or the id."""
    return lambda id, _names, _home: words.text("kind", id, {"n": 1}) if words.has("kind", id) else id


def teller(words: Catalogue) -> Callable[[Event, Names, Seat | None], str]:
    """Sentence from section `event`. Raises Missing."""
    return lambda event, names, _reader: words.text("event", event.kind, event.facts, names)


def chapters(words: Catalogue) -> Callable[[Event], str]:
    """Heading from section `chapter`, or ""."""
    return lambda event: words.first("chapter", event.kind, facts=event.facts)


class Catalogued(Labels):
    """Labels from a catalogue alone, which therefore needs every entry."""


def labels(words: Catalogue, word: Word) -> Catalogued:
    """Labels from sections `ask`, `proposed`, `option`, `field`, `choice`; facts are the ask's and `seat`.

    The kernel has words for withdrawing and amending a proposal.
    """

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
