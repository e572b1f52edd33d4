"""Normalise typed text from any keyboard, program or language. Non-breaking spaces, invisible marks, foreign line ends and
unknown emoji aren't refused.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

JOINERS = "\u200c\u200d"
"""Zero-width joiners, in Persian and emoji."""
TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Bidirectional controls, which make text display as something else."""
UNSEEN = "\u00ad\u180e\u200b\u2060\u2061\u2062\u2063\u2064\ufeff"
"""Soft hyphen, zero-width spaces, byte order mark."""
BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters without a shape."""
ALIKE = {
    "АВЕЅІЈКМНОРСТУХҮԌԚԜӀ": "ABESIJKMHOPCTYXYGQWI",  # Cyrillic
    "аеѕіјкорсухԁһӏԛԝү": "aesijkopcyxdhlqwy",
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ": "ABEZHIKMNOPTYX",  # Greek
    "αγικνορυχ": "ayikvopux",
    "ꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜꓮ": "BCDEFGHIJKLMNOPRSTUVWXYZA",  # Lisu
    "ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ": "ABCDEGHJKLMPRSTVWZ",  # Cherokee
    "օոսհզցյ": "onuhqgj",  # Armenian
    "ıɩɑɡǀ|10": "iiaglllo",  # Latin, digits
}
"""Letters that look like Latin ones (confusables of UTS 39, the plainest)."""
MOST_MARKS = 3
"""Combining marks on one letter, enough for Hebrew, Arabic or Vietnamese. More are “Zalgo”."""
FLAGS = range(0xE0020, 0xE0080)
"""Tag characters, in three flags."""

_DROPPED = dict.fromkeys(map(ord, TURNING + UNSEEN))
_NAMED = dict.fromkeys(map(ord, UNSEEN)) | dict.fromkeys(map(ord, BLANK), " ")
_ALIKE = {ord(c): latin for letters, latins in ALIKE.items() for c, latin in zip(letters, latins, strict=True)}
_JOINED = dict.fromkeys(map(ord, JOINERS))
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def lines(text: str) -> str:
    """Normalise line ends and spaces, drop invisible marks, strip lines."""
    text = _SPACE.sub(" ", _LINE_END.sub("\n", text).translate(_DROPPED))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def in_a_line(text: str) -> str:
    """Collapse white space to one line. Direction marks stay, for the caller to refuse."""
    return " ".join(text.translate(_NAMED).split())


def bare(text: str) -> str:
    """Remove joiners, for parsing."""
    return text.translate(_JOINED)


def face(text: str) -> str:
    """Drop spaces and invisible marks, to compare names."""
    return "".join(c for c in text.translate(_NAMED) if not c.isspace() and category(c) not in ("Mn", "Me", "Cf"))


def alike(text: str) -> str:
    """Replace letters that look like Latin ones, to compare names."""
    return text.translate(_ALIKE)


def unfit(text: str) -> bool:
    """Whether a text has controls (except tab, line feed), surrogates, private use or direction marks."""
    return not text.isprintable() and any(_is_unfit(c) for c in text)


def _is_unfit(c: str) -> bool:
    match category(c):
        case "Cc":
            return c not in "\n\t"
        case "Cf":
            return c not in JOINERS and ord(c) not in FLAGS
        case "Cn":
            # Unassigned: newer than Python's Unicode, or a noncharacter.
            return ord(c) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(c) <= 0xFDEF
        case kind:
            return kind in ("Cs", "Co", "Zl", "Zp")


def piled(text: str) -> bool:
    """Whether more than `MOST_MARKS` combining marks follow one letter."""
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
                pass  # joiners don't start a letter
            case _:
                marks = 0
    return False
