"""Token scanner: private links and reply addresses in text, however mail programs have quoted them: percent-encoded, as
quoted-printable, HTML entities, base64 or by Proofpoint, with line breaks anywhere.
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
"""Longest text scanned."""
MOST_VIEWS = 24
ROUNDS = 3
"""Two gateways may have encoded a link twice."""
KEY_LENGTH = 32
"""Characters of a calendar key."""

SIGNED = re.compile(r"(?=((?:Ij|Wy)[A-Za-z0-9_-]{20,200}?\.[A-Za-z0-9_-]{27}))")
"""base64 of JSON starting with `"` or `[`, and a signature."""
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
"""base64 of `http` or `writ+`, or a long word."""
ESCAPED = re.compile(r"\\(?:u00|x)([0-9a-f]{2})", re.I)
TAG = re.compile(r"</?[a-z][^<>]{0,200}>", re.I)
WRAPPED = re.compile(r"[-=]?[ \t]*[\r\n\x0b\x0c\x85\u2028\u2029]+[ \t]*(?:(?:[-+#:>|*•·]|[0-9]{1,2}[.)])+[ \t]*)*")
"""A line end with the next line's quoting marks, and a hyphen before it."""
BETWEEN = re.compile(r"[^A-Za-z0-9_./@+%=&#;:?-]+")
"""Not part of links."""
INVISIBLE = frozenset(("Cf", "Mn", "Me"))
BLANK = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0))
"""Controls, and letters without a shape."""


@dataclass(frozen=True)
class Token:
    """`kind`: signed, calendar, mail, or path for a mangled one."""

    kind: str
    value: str


def find(text: str) -> set[Token]:
    return {token for view in views(text) for token in _in_view(view)}


def words_like_keys(text: str) -> set[str]:
    """Words as long as a calendar key."""
    found = {word for view in views(text) for word in WORD.findall(view) if len(word) == KEY_LENGTH}
    return {word for word in found if word.lower() != word != word.upper()}


def views(text: str) -> list[str]:
    """The text, and all its decodings."""
    plain = _plain(text[:LONGEST])
    found = list(dict.fromkeys((plain, WRAPPED.sub("", plain))))
    fresh = found[:]
    for _ in range(ROUNDS):
        made = [view for one in fresh for view in _decoded(one)]
        fresh = [view for view in dict.fromkeys(made) if view and view not in found][: MOST_VIEWS - len(found)]
        found += fresh
    return found


def _plain(text: str) -> str:
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


def _proofpoint(text: str) -> str:
    return " ".join(unquote(url.replace("_", "/").replace("-", "%")) for url in PROOFPOINT.findall(text))


DECODERS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("%", unquote),
    ("=", lambda text: QUOTED.sub(lambda hit: chr(int(hit[1], 16)), SOFT_BREAK.sub("", text))),  # quoted-printable
    ("&", html.unescape),
    ("urldefense", _proofpoint),
    ("-3a", _proofpoint),
    ("\\", lambda text: ESCAPED.sub(lambda hit: chr(int(hit[1], 16)), text)),
    ("<", lambda text: TAG.sub("", text)),
)
"""(hint of the encoding, decoder)"""


def _in_view(view: str) -> Iterator[Token]:
    for text in (view, BETWEEN.sub("", view)):
        yield from (Token("signed", hit[1]) for hit in SIGNED.finditer(text) if payload(hit[1]) is not None)
        yield from (Token("calendar", key) for key in CALENDAR.findall(text))
        yield from (Token("mail", hit.lower()) for hit in MAIL.findall(text))
    yield from (Token("path", hit) for hit in PATH.findall(view))
    yield from (Token("path", hit) for hit in INBOX.findall(view))


def payload(token: str) -> Any:
    """Decode without verifying: an id, or a list that begins with a word; None if it isn't ours."""
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
    """Split a text at its first private token; `others`: a further test."""

    def private(lines: Iterable[str]) -> bool:
        whole = "\n".join(lines)
        return bool(find(whole)) or (others is not None and others(whole))

    lines = text.split("\n")
    if not private(lines):
        return text, ""
    # Bisect for the line that completes the token, then go back to its start: it may be wrapped.
    least, most = 1, len(lines)
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if private(lines[:middle]) else (middle + 1, most)
    end = least
    begin = end - 1
    while begin > 0 and not private(lines[begin:end]):
        begin -= 1
    return "\n".join(lines[:begin]).rstrip(), "\n".join(lines[begin:])
