"""Lessons for newcomers (`lore/lessons.toml`): a position, a seat, questions with the answer to try. See docs/lessons.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from engine.core.asks import Answer, Seat, read
from engine.language import lore
from engine.language.words import Catalogue

ANY = "any"
"""Section of words for all lessons."""


class Other(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Other legal answers, with this option and values."""

    when: str
    """Part of an answer: `march knights=9`."""
    say: str
    """Key of its explanation."""
    offer: str = ""
    """Kind of the power or proposal; empty: the question."""

    def covers(self, answer: Answer) -> bool:
        wanted = read(self.when)
        values = {name: str(value) for name, value in answer.values.items()}
        return wanted.option == answer.option and all(values.get(k) == str(v) for k, v in wanted.values.items())


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step of a lesson: the note, the answer to try, explanations of others."""

    id: str
    """Words: `ID`, the note; `ID-done`, after the answer; `ID-else`, of any other legal answer."""
    answer: str
    """The answer to try: `march target=C4 knights=3`."""
    offer: str = ""
    """Kind of the power or proposal that it answers; empty: the question."""
    at: str = ""
    """`data-value` of what the note speaks of, on board or hand."""
    letter: bool = False
    """Whether the question comes by letter first."""
    others: Sequence[Other] = ()
    """Explanations of other answers, the first that fits; without one: `ID-else`."""
    then: Sequence[str] = ()
    """Answers that follow, `b: pass` or `offer b KIND: ANSWER`; other seats give the safe default."""


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"steps": "step"}):
    """Steps from one position. Words: `title`, `about`, `end`, and its steps'."""

    id: str
    position: str
    """Position notation without its first line."""
    steps: Sequence[Step]
    seat: Seat = "a"
    chance: Mapping[str, Sequence[str]] = {}
    """Scripted draws by purpose, as in case files: each a list of cards, or a number."""
    before: Sequence[str] = ()
    """Answers played before the first step, as in `then`."""
    skips: Sequence[str] = ()
    """Kinds of questions that the seat's safe default answers, too."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    lesson: Sequence[Lesson]
    others: Sequence[Other] = ()


@dataclass(frozen=True)
class Lessons:
    """A game's lessons, read from `lore/lessons.toml`."""

    package: str
    words: Catalogue

    @cached_property
    def _file(self) -> _File:
        return lore.table(self.package, "lessons.toml", _File)

    @property
    def all(self) -> Sequence[Lesson]:
        return self._file.lesson

    @property
    def others(self) -> Sequence[Other]:
        """Explanations for steps without their own: section `any`."""
        return self._file.others

    def explained(self, lesson: Lesson, step: Step, answer: Answer, offer: str = "") -> str:
        """Text about a legal answer, to the question or `offer`, that isn't the one to try."""
        for section, others in ((lesson.id, step.others), (ANY, self.others)):
            found = next((other.say for other in others if other.offer == offer and other.covers(answer)), None)
            if found is not None:
                return self.words.text(section, found)
        return self.words.text(lesson.id, f"{step.id}-else")

    def said(self, lesson: Lesson, key: str) -> str:
        """A lesson's text; "" if there is none."""
        return self.words.first(lesson.id, key)


def of(package: str) -> Lessons:
    return Lessons(package, Catalogue(package, "lessons"))
