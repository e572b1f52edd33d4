"""Statistics of a finished match, and the reason for a place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engine.core.asks import Seat
from engine.core.figures import Beat, Count, Figure, Hit, lasting, tally
from engine.core.procedure import State
from engine.fief.face.narrate import WORDS
from engine.fief.rules.realm.table import Table
from engine.language.words import Names, capital


def deniers_spent() -> Count:
    """Deniers paid or given away, by purses and income."""
    purses: dict[Seat, int] = {}

    def count(beat: Beat) -> Iterable[Hit]:
        came = Counter[Seat]()
        for event in beat.events:
            facts = event.facts
            if event.kind == "income":
                came.update(facts["gained"])
            elif event.kind == "pillaged":
                came[facts["seat"]] += len(facts["villages"])
            elif event.kind == "ransomed":
                came[facts["captor"]] += facts["sum"]
            elif event.kind == "exchanged":
                one, other = facts["seats"]
                came.update({one: facts["deniers"][other], other: facts["deniers"][one]})
        for seat, family in beat.state.table.families.items():
            spent = purses.get(seat, family.deniers) + came[seat] - family.deniers
            purses[seat] = family.deniers
            if spent:
                yield Hit((seat,), spent)

    return count


def best_roll(beat: Beat) -> Iterable[Hit]:
    """Hits of each roll in a battle, without seats: a side may have several."""
    return [Hit((), hits) for event in beat.events if event.kind == "battle_roll" for hits in event.facts["hits"]]


FIGURES = (
    Figure("battles", tally("battle")),
    Figure("deniers", deniers_spent),
    Figure("siege", lasting("siege", ("siege_lifted", "siege_over"), ("seat", "village")), record=True),
    Figure("weddings", tally("married", by="seats")),
    Figure("deaths", tally("died")),
    Figure("captives", tally("captured", by="captor")),
    Figure("roll", lambda: best_roll, record=True),
    Figure("titles", tally("title_bought")),
    Figure("elections", tally("elected")),
)


def reason(state: State[Table, object], seat: Seat, names: Names) -> str:
    return capital(WORDS.listed("comma", _merits(state.table, seat, names)))


def _merits(table: Table, seat: Seat, names: Names) -> Iterator[str]:
    for person in table.family(seat):
        for title in ("king", "queen", "pope"):
            if getattr(person, title):
                yield WORDS.text("merit", title, {"lord": person.id}, names)
        for fief in person.fiefs:
            yield WORDS.text("merit", "fief", {"fief": fief}, names)
    yield WORDS.amount("villages", len(table.controlled(seat)))
    if ally := table.ally(seat):
        yield WORDS.text("merit", "ally", {"seat": ally}, names)
