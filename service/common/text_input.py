"""What people write, made fit to be kept, shown and mailed, whatever keyboard, program or language it came from.

French keyboards put in spaces that don't break, mail programs marks that nobody sees, other programs line ends of their own;
an emoji may be several characters joined, or newer than this Python knows. None of it is a reason to refuse a word.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

JOINERS = "\u200c\u200d"
"""They stand between letters (in Persian, say) and between the parts of an emoji."""
TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Marks that turn the direction of writing: what follows them reads as something that it is not."""
UNSEEN = "\u00ad\u180e\u200b\u2060\u2061\u2062\u2063\u2064\ufeff"
"""Where a word may break, or must not; the rest of a file's beginning."""
BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs of which nothing is to be seen."""
MOST_MARKS = 3
"""Combining marks on one letter: as many as Hebrew, Arabic or Vietnamese put there. More of them (“Zalgo”) cover neighbours."""
FLAGS = range(0xE0020, 0xE0080)
"""Of these the flags of England, Scotland and Wales are spelled."""

_DROPPED = dict.fromkeys(map(ord, TURNING + UNSEEN))
_NAMED = dict.fromkeys(map(ord, UNSEEN)) | dict.fromkeys(map(ord, BLANK), " ")
_JOINED = dict.fromkeys(map(ord, JOINERS))
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def lines(text: str) -> str:
    """The text with lines that end alike, plain spaces, and without marks that nobody sees; nothing at the ends of lines."""
    text = _SPACE.sub(" ", _LINE_END.sub("\n", text).translate(_DROPPED))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def in_a_line(text: str) -> str:
    """The text in one line, with one space between words. Marks that turn it stay, for whoever keeps it to refuse."""
    return " ".join(text.translate(_NAMED).split())


def bare(text: str) -> str:
    """The text without the marks that join letters, for what a program reads."""
    return text.translate(_JOINED)


def face(text: str) -> str:
    """The text without what readers overlook of it beside case, width and accents: spaces, and marks that nobody sees."""
    return "".join(c for c in text.translate(_NAMED) if not c.isspace() and category(c) not in ("Mn", "Me", "Cf"))


def unfit(text: str) -> bool:
    """Whether it holds what can't be shown: controls other than tab and line end, half characters, those of nobody but a
    font's maker, marks that turn."""
    return not text.isprintable() and any(_is_unfit(c) for c in text)


def _is_unfit(c: str) -> bool:
    match category(c):
        case "Cc":
            return c not in "\n\t"
        case "Cf":
            return c not in JOINERS and ord(c) not in FLAGS
        case "Cn":
            # Newer than this Python knows, or no character at all.
            return ord(c) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(c) <= 0xFDEF
        case kind:
            return kind in ("Cs", "Co", "Zl", "Zp")


def piled(text: str) -> bool:
    """Whether more than `MOST_MARKS` combining marks stand on one letter (“Zalgo” text)."""
    if text.isascii():
        return False
    marks = 0
    for c in normalize("NFD", text):
        match category(c):
            case "Mn" | "Me":
                marks += 1
                if marks > MOST_MARKS:
                    return True
            case "Cf":
                pass  # a joiner begins no letter
            case _:
                marks = 0
    return False
