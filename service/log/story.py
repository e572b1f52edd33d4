"""The story of a finished game in a few paragraphs: who led when, what changed it, how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from engine.core.asks import Seat
from engine.game import Game
from engine.language.words import capital
from engine.play.ending import Course
from service.common.i18n import gettext, ngettext, together
from service.log.chronicle import tell
from service.log.entries import as_event
from service.log.results import Standing, placed, turning
from service.store.models import EventRow

Turn = tuple[EventRow, Mapping[Seat, str]]
"""A turning point, and the names at that time."""


@dataclass(frozen=True)
class StoryLine:
    words: str
    n: int | None = None
    """Its entry, for a link to the replay."""
    chapter: int = -1
    """Index of that entry's chapter; -1 before the first."""


@dataclass(frozen=True)
class Story:
    ending: str
    """"" if no event says how it ended."""
    paragraphs: Sequence[Sequence[StoryLine]]

    @property
    def short(self) -> list[str]:
        """Paragraphs as text for letters: the first sentence of each, and the last."""
        ends = [[*paragraph[:1], *paragraph[1:][-1:]] for paragraph in self.paragraphs]
        return [" ".join(one.words for one in sentences) for sentences in ends]

    @property
    def turns(self) -> list[StoryLine]:
        return [one for paragraph in self.paragraphs for one in paragraph if one.n is not None]


@dataclass(frozen=True)
class Lead:
    """Chapters in a row with the same leaders."""

    seats: tuple[Seat, ...]
    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


def leads(course: Course) -> list[Lead]:
    """Leads in order; chapters without a leader are left out."""
    chapters = range(len(course.chapters))
    found = []
    for seats, group in groupby(chapters, course.leaders):
        of = list(group)
        if seats:
            found.append(Lead(seats, of[0], of[-1]))
    return found


def told_leads(course: Course) -> tuple[Lead | None, Lead | None]:
    """The longest lead that was lost, and the one that lasted to the end."""
    found, end = leads(course), len(course.chapters) - 1
    final = found[-1] if found and found[-1].last == end else None
    lost = [lead for lead in found if final is None or not set(lead.seats) <= set(final.seats)]
    return max(lost, key=lambda lead: lead.length, default=None), final


def decisive(game: Game, course: Course | None, rows: Sequence[EventRow]) -> list[EventRow]:
    """Events of `results.told`, oldest first: causes of leads, then by importance."""
    also = [_cause(game, course, rows, lead) for lead in told_leads(course) if lead is not None] if course is not None else []
    return turning(game, rows, [row for row in also if row is not None])


def _cause(game: Game, course: Course, rows: Sequence[EventRow], lead: Lead) -> EventRow | None:
    own = [
        row
        for row in rows
        if row.kind in game.face.log.turning
        and course.chapter(row.n) == lead.first
        and any(fact in lead.seats for fact in row.facts.values() if isinstance(fact, str))
    ]
    return min(own, key=lambda row: (game.face.log.turning.index(row.kind), -row.n), default=None)


def story(
    game: Game, course: Course | None, turns: Sequence[Turn], called: Mapping[Seat, str], reader: Seat, zone: str
) -> Story:
    """The story in the current language. `turns`: events of `decisive`; `reader`: the seat called "you"."""
    told = [
        StoryLine(tell(game, as_event(row), then, None, zone), row.n, course.chapter(row.n) if course is not None else -1)
        for row, then in turns
    ]
    told = [sentence for sentence in told if sentence.words]
    ending, told = (told[-1].words, told[:-1]) if told else ("", [])
    if course is None or not course.chapters:
        return Story(ending, [told] if told else [])
    opening, turn, at = _Teller(game, course, called, reader).opening_and_turn()
    last = len(course.chapters) - 1
    parts = [
        [*opening, *(one for one in told if one.chapter < at)],
        [*turn, *(one for one in told if at <= one.chapter < last)],
        [one for one in told if one.chapter == last],
    ]
    return Story(ending, [part for part in parts if part])


def own_place(standings: Sequence[Standing], reader: Seat) -> str:
    """The reader's place in a sentence; "" for winners and strangers."""
    own = next((one for one in standings if one.seat == reader), None)
    if own is None or own.won or not any(one.won for one in standings):
        return ""
    return gettext("You came %(place)s.", place=placed(own.place, own.joint))


@dataclass(frozen=True)
class _Teller:
    game: Game
    course: Course
    called: Mapping[Seat, str]
    reader: Seat

    def opening_and_turn(self) -> tuple[list[StoryLine], list[StoryLine], int]:
        """Sentences about the first lead and the final one, and the latter's chapter."""
        last = len(self.course.chapters) - 1
        lost, final = told_leads(self.course)
        if final is None:
            none = StoryLine(gettext("Nobody ever came out ahead of all the others."))
            return [self.led(lost) if lost is not None else none], [], last
        if lost is not None:
            return [self.led(lost)], [self.took(final)], final.first
        long = final.first > last // 2
        return [StoryLine(gettext("For a long time nobody was ahead."))] if long else [], [self.took(final)], final.first

    def led(self, reign: Lead) -> StoryLine:
        height = max(self.course.levels[reign.seats[0]][reign.first : reign.last + 1])
        facts = {"first": self.heading(reign.first), "last": self.heading(reign.last), "what": self.amount(height)}
        if reign.length == 1:
            return self.say(
                reign.seats,
                lambda: gettext("You were ahead in %(first)s, with %(what)s.", **facts),
                lambda names: ngettext(
                    "%(names)s was ahead in %(first)s, with %(what)s.",
                    "%(names)s were ahead in %(first)s, with %(what)s.",
                    len(reign.seats),
                    names=names,
                    **facts,
                ),
            )
        return self.say(
            reign.seats,
            lambda: gettext("You led from %(first)s to %(last)s, at best with %(what)s.", **facts),
            lambda names: gettext("%(names)s led from %(first)s to %(last)s, at best with %(what)s.", names=names, **facts),
        )

    def took(self, reign: Lead) -> StoryLine:
        facts = {"first": self.heading(reign.first)}
        last = len(self.course.chapters) - 1
        if reign.first == 0 and last > 0:
            return self.say(
                reign.seats,
                lambda: gettext("You led from the first day to the last."),
                lambda names: gettext("%(names)s led from the first day to the last.", names=names),
            )
        if reign.first == last:
            return self.say(
                reign.seats,
                lambda: gettext("You went ahead only in %(first)s, at the very end.", **facts),
                lambda names: gettext("%(names)s went ahead only in %(first)s, at the very end.", names=names, **facts),
            )
        return self.say(
            reign.seats,
            lambda: gettext("In %(first)s you took the lead and kept it.", **facts),
            lambda names: gettext("In %(first)s %(names)s took the lead and kept it.", names=names, **facts),
            start=False,
        )

    def say(self, seats: Sequence[Seat], you: Callable[[], str], others: Callable[[str], str], start: bool = True) -> StoryLine:
        """Line about seats; `start`: the names begin the sentence."""
        if tuple(seats) == (self.reader,):
            return StoryLine(you())
        in_order = sorted(seats, key=lambda seat: (seat != self.reader, seat))
        names = together(gettext("you") if seat == self.reader else self.called[seat] for seat in in_order)
        return StoryLine(others(capital(names) if start else names))

    def heading(self, chapter: int) -> str:
        return self.game.words.chapter(self.course.chapters[chapter].event)

    def amount(self, n: int) -> str:
        state = self.course.state
        held = next((held for seat in self.course.levels if (held := self.game.rules.held(state, seat)) is not None), None)
        if held is not None:
            return self.game.words.catalogue.amount(held[0], n)
        return ngettext("%(num)s point", "%(num)s points", n)
