"""gzip compression of text responses, where the browser accepts it.

Brotli would save little at such sizes, and is not worth a dependency; nor is zlib-ng, which saves 0.1 ms a page.

A compressed page can tell by its length whether something that somebody has slipped into it occurs in it a second time
(BREACH). What stands against that:

* Our cookie is `SameSite=Lax`. Another site can't have a browser fetch page after page with it, which such guessing needs.
* Nothing of a request's address is shown on a page that is for one person.
* The token in forms is signed anew every second. What is the same in all of a session's tokens opens nothing unsigned.
* The length of every compressed answer is blurred, by a file name of random length in gzip's heading, which browsers skip
  (“Heal the BREACH”, IEEE Access 10, 2022). It is for what the first three don't cover: a guess at a
  secret that a fellow player writes where one may read it, and a listener on the wire. He needs many views of the same page
  for each guess.
"""

from __future__ import annotations

import secrets
import struct
import zlib

from flask import Flask, Response, request

TEXTS = frozenset(
    (
        "text/html",
        "text/css",
        "text/javascript",
        "text/plain",
        "text/calendar",
        "image/svg+xml",
        "application/json",
        "application/jsonl",
    )
)
"""What is worth it; pictures and zip files are packed already."""
LEAST = 600
"""Bytes; a shorter text goes in one packet anyway."""
LEVEL = 6
"""Of 9: the next ones take twice the time for a hundredth of the size."""
MOST_BLUR = 64
"""Bytes of a random length at the most."""
NAME_FOLLOWS = 8
"""The flag of gzip's heading (RFC 1952) that says that a name follows, up to a zero byte."""


def register(app: Flask) -> None:
    """Compress the app's answers. To be called before others that change answers: Flask calls the first one last."""

    @app.after_request
    def pack(response: Response) -> Response:
        if response.is_streamed or response.direct_passthrough or "Content-Encoding" in response.headers:
            return response
        if response.mimetype not in TEXTS or response.content_length is None or response.content_length < LEAST:
            return response
        response.vary.add("Accept-Encoding")
        if taken():
            response.set_data(gzip(response.get_data()))
            response.headers["Content-Encoding"] = "gzip"
        return response


def taken() -> bool:
    """Whether who asks takes gzip."""
    return request.accept_encodings["gzip"] > 0


def gzip(content: bytes, level: int = LEVEL, blur: bool = True) -> bytes:
    """The content as a gzip file. `blur`: under a name of a random length, so that the length tells little."""
    name = b"x" * secrets.randbelow(MOST_BLUR) if blur else b""
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    heading = struct.pack("<2sBBIBB", b"\x1f\x8b", zlib.DEFLATED, NAME_FOLLOWS, 0, 0, 255) + name + b"\0"
    ending = struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)
    return heading + packer.compress(content) + packer.flush() + ending
