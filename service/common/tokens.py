"""Token scanner: finds private links and reply addresses of this service in text, however mail programs have quoted them.

A token is recognised by its form alone, without keys or a database: signed ids of seat, sign-in, invitation and leave links,
reply addresses, and paths under which only such tokens stand. Each text is searched as it is, decoded (percent signs,
quoted-printable, HTML entities, base64, Proofpoint's code), and without spaces, because mail programs wrap long lines anywhere.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import msgspec

LONGEST = 64 * 1024
"""Characters that are scanned; no text that reaches others is longer."""
MOST_VIEWS = 24
ROUNDS = 3
"""How often a text is decoded: links that two gateways have rewritten are encoded twice."""
KEY_LENGTH = 32
"""Characters of a calendar's key."""

SIGNED = re.compile(r"(?=((?:Ij|Wy)[A-Za-z0-9_-]{20,200}?\.[A-Za-z0-9_-]{27}))")
"""base64 of JSON, which begins with a quotation mark or a bracket, and a signature behind it."""
PATH = re.compile(r"/(?:t|in|i|leave)/[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}")
CALENDAR = re.compile(r"/calendar/([A-Za-z0-9_-]{32})")
MAIL = re.compile(r"(?<![0-9a-z])[rb]\.[0-9a-f]{32}\.[0-9a-f]{16}(?![0-9a-f])", re.I)
INBOX = re.compile(r"(?<![\w.])writ\+[^\s@<>]{1,120}@|\+[rb]\.[0-9a-f]{6,64}[.@]", re.I)
WORD = re.compile(r"[A-Za-z0-9_-]+")
ID = re.compile(r"[0-9a-f]{32}")

SOFT_BREAK = re.compile(r"=[ \t]*\r?\n[ \t>]*")
QUOTED = re.compile(r"=([0-9A-F]{2})", re.I)
PROOFPOINT = re.compile(r"(?:urldefense[^\s?]*\?(?:[^\s]*&(?:amp;)?)?u=|(?=https?-3A|mailto-3A))([^&\s>\"]+)", re.I)
BASE64 = re.compile(r"(?:aHR0c|d3JpdC)[A-Za-z0-9+/_-]{24,2000}|(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,2000}")
"""Of `http` and of `writ+`, and long words that may be of anything."""
ESCAPED = re.compile(r"\\(?:u00|x)([0-9a-f]{2})", re.I)
TAG = re.compile(r"</?[a-z][^<>]{0,200}>", re.I)
WRAPPED = re.compile(r"[-=]?[ \t]*[\r\n\x0b\x0c\x85\u2028\u2029]+[ \t]*(?:(?:[-+#:>|*•·]|[0-9]{1,2}[.)])+[ \t]*)*")
"""A line's end and what quoting and lists put before the next; with the hyphen of a program that divides words."""
BETWEEN = re.compile(r"[^A-Za-z0-9_./@+%=&#;:?-]+")
"""What no link has in it."""
INVISIBLE = frozenset(("Cf", "Mn", "Me"))
BLANK = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0))
"""Control characters, and letters that have no shape."""


@dataclass(frozen=True)
class Token:
    """A private token in a text. `kind`: signed, calendar, mail, or path for one that is mangled."""

    kind: str
    value: str


def find(text: str) -> set[Token]:
    """The private tokens in a text."""
    return {token for view in views(text) for token in _in_view(view)}


def words_like_keys(text: str) -> set[str]:
    """Words as long as a calendar's key, which only the database can tell from others."""
    found = {word for view in views(text) for word in WORD.findall(view) if len(word) == KEY_LENGTH}
    return {word for word in found if word.lower() != word != word.upper()}


def views(text: str) -> list[str]:
    """A text as it is and decoded in every way that mail programs and gateways encode links."""
    plain = _plain(text[:LONGEST])
    found = list(dict.fromkeys((plain, WRAPPED.sub("", plain))))
    fresh = found[:]
    for _ in range(ROUNDS):
        made = [view for one in fresh for view in _decoded(one)]
        fresh = [view for view in dict.fromkeys(made) if view and view not in found][: MOST_VIEWS - len(found)]
        found += fresh
    return found


def _plain(text: str) -> str:
    """Without invisible characters, with letters of full width and all kinds of dashes made plain."""
    text = text.translate(BLANK)
    if text.isascii():
        return text
    kinds = [(c, unicodedata.category(c)) for c in unicodedata.normalize("NFKC", text).translate(BLANK)]
    return "".join(
        "-" if kind == "Pd" or c == "\u2212" else "." if c == "\u3002" else c for c, kind in kinds if kind not in INVISIBLE
    )


def _decoded(text: str) -> Iterator[str]:
    for found, decode in DECODERS:
        if found in text or found in text.lower():
            yield _plain(decode(text))
    for run in BASE64.findall(text):
        whole = run.replace("-", "+").replace("_", "/")
        try:
            whole = whole[: len(whole) - (len(whole) % 4 == 1)]
            made = base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("latin-1")
        except binascii.Error:
            continue
        if made.isascii() or run.startswith(("aHR0c", "d3JpdC")):
            yield made


def _quoted_printable(text: str) -> str:
    return QUOTED.sub(lambda hit: chr(int(hit[1], 16)), SOFT_BREAK.sub("", text))


def _proofpoint(text: str) -> str:
    return " ".join(unquote(url.replace("_", "/").replace("-", "%")) for url in PROOFPOINT.findall(text))


DECODERS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("%", unquote),
    ("=", _quoted_printable),
    ("&", html.unescape),
    ("urldefense", _proofpoint),
    ("-3a", _proofpoint),
    ("\\", lambda text: ESCAPED.sub(lambda hit: chr(int(hit[1], 16)), text)),
    ("<", lambda text: TAG.sub("", text)),
)
"""Each with what a text has in it that is encoded so."""


def _in_view(view: str) -> Iterator[Token]:
    for text in (view, BETWEEN.sub("", view)):
        yield from (Token("signed", hit[1]) for hit in SIGNED.finditer(text) if payload(hit[1]) is not None)
        yield from (Token("calendar", key) for key in CALENDAR.findall(text))
        yield from (Token("mail", hit.lower()) for hit in MAIL.findall(text))
    yield from (Token("path", hit) for hit in PATH.findall(view))
    yield from (Token("path", hit) for hit in INBOX.findall(view))


def payload(token: str) -> Any:
    """What a signed token holds, whether or not its signature is right: an id, or a list that begins with a word; None for no
    token of this service."""
    raw = token.partition(".")[0]
    try:
        value = msgspec.json.decode(base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4)))
    except (ValueError, binascii.Error):
        return None
    if isinstance(value, str) and ID.fullmatch(value):
        return value
    named = isinstance(value, list) and len(value) == 3 and all(isinstance(part, str | int) for part in value)
    return value if named else None


def cut(text: str, others: Callable[[str], bool] | None = None) -> tuple[str, str]:
    """The lines above the first private token, and those from its line on. `others`: a further test for what is private."""

    def private(lines: Iterable[str]) -> bool:
        whole = "\n".join(lines)
        return bool(find(whole)) or (others is not None and others(whole))

    lines = text.split("\n")
    if not private(lines):
        return text, ""
    # The line in which the first token ends, then the one in which it begins: it may be wrapped.
    least, most = 1, len(lines)
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if private(lines[:middle]) else (middle + 1, most)
    end = least
    begin = end - 1
    while begin > 0 and not private(lines[begin:end]):
        begin -= 1
    return "\n".join(lines[:begin]).rstrip(), "\n".join(lines[begin:])
