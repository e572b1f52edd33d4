"""A language that is made up: every piece of text that a catalogue holds stands in marks, so that all other text shows."""

from __future__ import annotations

import gettext
import re
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache

from tests.tags import Tags
from tests.telling import SAID

LANGUAGE = "xx"
OPEN, CLOSE = "⟦", "⟧"
MARKED = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", re.DOTALL)
CUT = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*(?:…|\\.\\.\\.|$)|{OPEN}\\S+", re.DOTALL)
"""A marked piece that was cut short, and has no end: with dots, or to the width of a map."""
WORD = re.compile(r"[^\W\d_]{2,}(?:['’-][^\W\d_]+)*")
PLACES = re.compile(
    r"https?://\S+|\b[A-Z]{2}-[A-Z]+-\d+\b|(?<![\w<])/[a-z][\w./{}?=&-]*|[\w.+-]+@[\w.-]+|\b[0-9a-f]{8,}\b|[A-Za-z0-9._~-]{30,}|\b\w+\.(?:jsonl|txt|ics)\b|\b\w+=(?:…|\[…\])"
)
"""Addresses, ids (those of rules too), tokens, names of files, fields of an answer's text form that are left to fill in."""
EXAMPLE = re.compile(r"\b[a-z_]+(?: [a-z_0-9]+=\S+)+$", re.MULTILINE)
"""An answer as one writes it in a reply, at the end of a line, the same in every language: `attack target=siege:b:F1`."""
SILENT = ("script", "style", "code", "pre", "textarea")
"""Elements whose text nobody wrote for reading, or its reader alone."""
SHOWN_BY_SCRIPTS = tuple(
    f"data-{name}"
    for name in "left short sum say more less right draw rest say over under legend gone label picked far".split()  # noqa: SIM905  (short)
)
PROPER = (
    "Writ",
    "Ortus Regni",
    "Medieval Mastery",
    "Fief: France 1429",
    "Skeleton",
    "SHA-256",
    "UTC",
    "CET",
    "CEST",
    "Europe/Berlin",
    "English",
    "Esc",
    LANGUAGE,
)
"""What is called the same in every language, keys of a keyboard too. Games have names of their own beside these: those of
people and of tables."""


def mark(text: str) -> str:
    """The text in marks, if it has any word."""
    return f"{OPEN}{text}{CLOSE}" if WORD.search(text) else text


def plain(text: str) -> str:
    """The text without the marks."""
    return text.replace(OPEN, "").replace(CLOSE, "")


def bare(text: str, names: Iterable[str] = ()) -> str:
    """What stands outside the marks in a text and is nobody's name; empty if nothing does."""
    left = MARKED.sub(" ", text)
    if not WORD.search(left):
        return ""
    left = PLACES.sub(" ", EXAMPLE.sub(" ", CUT.sub(" ", left)))
    # The head of a letter's text part is in capitals, and so is who is named there.
    for name in sorted({*PROPER, *names, *(name.upper() for name in names)}, key=len, reverse=True):
        if name in left:
            left = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", left)
    return " ".join(left.split()) if WORD.search(left) else ""


@dataclass
class Findings:
    """Text outside the marks, each once, with where it was first read."""

    names: set[str] = field(default_factory=set)
    """What people are called, what they call their tables, and what they have written."""
    found: dict[str, str] = field(default_factory=dict)
    _clean: set[str] = field(default_factory=set)
    """Lines that were found in order."""
    pages: int = 0
    letters: int = 0

    def page(self, where: str, html: str) -> None:
        """Read a page, or the part of a letter that is one."""
        self.pages += 1
        # A message may have elements in it, so what is marked goes before it is read.
        left = MARKED.sub("⋯", html)
        self._look(where, Read(left).texts if "<html" in html else left.splitlines())

    def text(self, where: str, text: str) -> None:
        """Read a letter's text, or its subject."""
        self._look(where, MARKED.sub("⋯", text).splitlines())

    def _look(self, where: str, lines: Iterable[str]) -> None:
        for line in {*lines} - self._clean:
            if left := bare(line, self.names):
                self.found.setdefault(re.sub(r"\d+", "0", left), f"{where}: {' '.join(line.split())[:160]}")
            else:
                self._clean.add(line)

    def told(self) -> str:
        """The findings, one a line, by where they were read."""
        return "\n".join(sorted(where for where in self.found.values()))


class Read(Tags):
    """What is read on a page: its text, its title, and the attributes that are read out or shown, by scripts too."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._silent = 0
        self.feed(html)

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        given = dict(pairs)
        # Zones have the names of their database.
        self._silent += tag in SILENT or given.get("name") == "zone"
        self.texts += [value for name, value in pairs if value and (name in SAID or name in SHOWN_BY_SCRIPTS)]

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(0, self._silent - (tag in SILENT or (tag == "select" and self._silent > 0)))

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)


Change = Callable[[str], str]
"""Transforms literal text of a pseudo-locale."""


class PseudoLocale(gettext.NullTranslations):
    """English with its literal text changed."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.changed = cache(lambda text: _changed(text, change))

    def gettext(self, message: str) -> str:
        return self.changed(message)

    def pgettext(self, _context: str, message: str) -> str:
        return self.changed(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.changed(msgid1 if n == 1 else msgid2)

    def npgettext(self, _context: str, msgid1: str, msgid2: str, n: int) -> str:
        return self.changed(msgid1 if n == 1 else msgid2)


def _changed(text: str, change: Change) -> str:
    pieces = re.split(r"(\n\[[\w.=, -]+\] ?)", text)  # conditions of variants stay
    return "".join(piece if n % 2 else _changed_one(piece, change) for n, piece in enumerate(pieces))


def _changed_one(text: str, change: Change) -> str:
    changed = ""
    for literal, fact, way, _ in string.Formatter().parse(text):
        changed += change(literal).replace("{", "{{").replace("}", "}}") if literal else ""
        changed += "" if fact is None else "{" + fact + (f":{way}" if way else "") + "}"
    return changed
