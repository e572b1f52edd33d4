"""Benchmark: time to parse malicious replies by mail, at full and half size.

    python bench/inbox.py [--rounds 5]

Parsing comes before the transaction, so it costs one thread of `writ inbox` only.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # not bench/: its engine.py would shadow the package

from bench.figures import figure, machine
from engine.core.asks import NotUnderstood
from service.inbox import mime, replies
from service.inbox import receiving as inbox
from service.inbox.receiving import LARGEST

OURS = ("writ@example.org", "games@example.org")
WORDS = "On Tue, Nov 24, 2026 at 9:00 AM somebody wrote wrote wrote\n"


def _text(unit: str) -> Callable[[int], bytes]:
    return lambda size: b"Content-Type: text/plain\n\n" + (unit * (size // len(unit.encode()))).encode()


def _page(unit: str) -> Callable[[int], bytes]:
    return lambda size: b"Content-Type: text/html\n\n" + (unit * (size // len(unit))).encode()


def _head(unit: str) -> Callable[[int], bytes]:
    return lambda size: (unit * (size // len(unit))).encode() + b"\n\nend\n"


def _nested(size: int) -> bytes:
    levels = [f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(size // 60)]
    return "".join(levels).encode() + b"\nend\n"


def _flat(size: int) -> bytes:
    return b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * (size // 8)


def _in_messages(size: int) -> bytes:
    return b"Content-Type: message/rfc822\n\n" * (size // 31) + b"end\n"


def _transfer(encoding: str, unit: bytes) -> Callable[[int], bytes]:
    head = f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n".encode()
    return lambda size: head + unit * (size // len(unit))


def _charset(name: str) -> Callable[[int], bytes]:
    return lambda size: f"Content-Type: text/plain; charset={name}\n\n".encode() + b"ab-" * (size // 3)


CASES: dict[str, Callable[[int], bytes]] = {
    "blank lines": _text("\n"),
    "blank lines of spaces": _text(" \n"),
    "carriage returns": _text("\r"),
    "quoted marks": _text("x>"),
    "short lines": _text("x\n"),
    "one line of letters": _text("a"),
    "said by somebody": _text(WORDS),
    "begun and never said": _text("On "),
    "on and on": _text("On x\n"),
    "rules": _text("-" * 39 + "x\n"),
    "one rule": _text("-"),
    "from": _text("From: x\n\n\n\n"),
    "signatures": _text("\n- x\n_" + "_" * 31),
    "disclaimers": _text("Disclaimer: mail "),
    "less than": _page("<"),
    "less than, closed at last": lambda size: _page("<")(size - 1) + b">",
    "tags never closed": _page("<a "),
    "elements": _page("<div>"),
    "short lines in elements": _page("<div>x"),
    "quotes in quotes": _page("<blockquote>x"),
    "comments never closed": _page("<!--x"),
    "styles": _page("<style></style>"),
    "styles never closed": _page("<style>"),
    "attributes": _page('<a b="x" '),
    "entities": _page("&#38;&amp"),
    "endless number": _page("&#9" + "9" * 5000),
    "marks of quotes": _page("<p class=gmail_quot>"),
    "headers": _head("X-A: b\n"),
    "folded header": _head(" b\n"),
    "one long header": _head("X-Long-Name"),
    "addresses": lambda size: b"To: " + b"a" * size + b"\n\nend\n",
    "addresses with marks": lambda size: b"To: " + b"+@ " * (size // 3) + b"\n\nend\n",
    "encoded words": lambda size: b"To: " + b"=?utf-8?q?=41?= " * (size // 16) + b"\n\nend\n",
    "parameters": lambda size: b"Content-Type: text/plain" + b';a="' * (size // 4) + b"\n\nend\n",
    "parts in parts": _nested,
    "many parts": _flat,
    "lines that begin as a boundary": lambda size: (
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--bb\n" * (size // 5) + b"--b\n\nend\n"
    ),
    "messages in messages": _in_messages,
    "base64": _transfer("base64", b"QUJD\n"),
    "base64 of nothing": _transfer("base64", b"=!"),
    "quoted-printable": _transfer("quoted-printable", b"=41=\n"),
    "quoted-printable broken": _transfer("quoted-printable", b"="),
    "punycode": _charset("punycode"),
    "utf-16": _charset("utf-16"),
}
"""Name -> generator of a message of about that many bytes."""


def read(data: bytes) -> str:
    """Parse as the inbox does."""
    try:
        message = mime.read(data)
        inbox.addresses(message)
        return replies.words(message, OURS)
    except NotUnderstood as refusal:
        return str(refusal)


def seconds(data: bytes, rounds: int) -> float:
    """Median thread time."""
    spent = []
    for _ in range(rounds):
        began = time.thread_time()
        read(data)
        spent.append(time.thread_time() - began)
    return statistics.median(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    machine()
    worst = 0.0
    for name, make in CASES.items():
        small, full = (seconds(make(size), rounds) for size in (LARGEST // 2, LARGEST - 100))
        worst = max(worst, full)
        figure("reply_read", 1000 * full, "ms", case=name, bytes=LARGEST, half_of_it=round(1000 * small, 3))
    figure("reply_read_worst", 1000 * worst, "ms", bytes=LARGEST)


if __name__ == "__main__":
    main()
