"""Mail headers. People's text is encoded whole: the standard library would decode encoded words in it, line ends included
(header injection).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from email.utils import parseaddr

from service.common.text_input import TURNING

PLAIN = re.compile(r"[!-~](?:[ -~]*[!-~])?")
ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,255}")
IN_UNICODE = re.compile(r"[^\x00-\x20\x7f-\xa0\s\"(),:;<>@\[\\\]]{1,64}@[A-Za-z0-9.-]{1,255}")
PHRASE = re.compile(r"[A-Za-z0-9'_-]+(?: [A-Za-z0-9'_-]+)*")
NAME = re.compile(r"[A-Za-z0-9-]{1,60}")
WIDEST = 998
"""Longest line in bytes."""
WORD = 39
"""Bytes of text in an encoded word: keeps lines within 76 characters."""
HIDDEN = re.compile(f"[{TURNING}]")
HARMFUL = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{TURNING}]")
"""Direction marks, line ends, controls, surrogates."""


def is_encoded(text: str) -> bool:
    """Whether a mail program might decode the text (RFC 2047)."""
    return "=?" in text


def shown(text: str) -> str:
    """Replace harmful characters with U+FFFD."""
    return HARMFUL.sub("\ufffd", text)


def encoded(text: str) -> str:
    """Encode a value: plain where unambiguous, else as encoded words."""
    text = shown(text)
    plain = not text or (PLAIN.fullmatch(text) and not is_encoded(text) and len(text) < WIDEST - 100)
    return text if plain else _words(text)


def _words(text: str) -> str:
    return "\r\n ".join(f"=?utf-8?b?{base64.b64encode(piece).decode()}?=" for piece in _pieces(text))


def _pieces(text: str) -> Iterator[bytes]:
    held = b""
    for c in text:
        more = c.encode()
        if len(held) + len(more) > WORD:
            yield held
            held = b""
        held += more
    yield held


def line(name: str, text: str) -> bytes:
    """Encode a header line. Raises ValueError for an invalid name."""
    if not NAME.fullmatch(name):
        raise ValueError(f"“{name[:60]}” is no name of a header.")
    return f"{name}: {encoded(text)}\r\n".encode("ascii")


def recipient(address: str, utf8: bool = False) -> bytes:
    """The `To:` line; `utf8`: allow a UTF-8 local part. Raises ValueError for addresses that some servers decode."""
    good = ADDRESS.fullmatch(address) or (utf8 and IN_UNICODE.fullmatch(address) and shown(address) == address)
    if not good or is_encoded(address):
        raise ValueError("The letter is to no address that could be written into a header.")
    return f"To: {address}\r\n".encode()  # UTF-8 local part: RFC 6532


def sender(mailbox: str) -> bytes:
    name, address = parseaddr(mailbox)
    called = name if PHRASE.fullmatch(name) else _words(shown(name))
    return f"From: {called} <{address}>\r\n".encode("ascii") if name else line("From", address)


def is_mailbox(text: str) -> bool:
    """Whether a text is an address, or a name and an address in angle brackets."""
    name, address = parseaddr(text)
    bare, _, bracketed = text.rpartition("<")
    whole = bracketed == f"{address}>" and bare.strip().strip('"') == name if bare or name else text == address
    host = address.rpartition("@")[2]
    proper = all(part and not part.startswith("-") for part in host.split("."))
    return bool(whole and ADDRESS.fullmatch(address) and proper and shown(text) == text and not is_encoded(text))
