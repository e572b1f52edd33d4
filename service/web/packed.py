"""gzip compression of text responses.

Against BREACH (secrets guessed by compressed lengths): the cookie is `SameSite=Lax`, private pages show nothing of the URL, the
CSRF token changes every second, and a file name of random length in gzip's header blurs lengths (“Heal the BREACH”, IEEE Access
10, 2022).
"""

from __future__ import annotations

import io
import secrets
from gzip import GzipFile

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
"""Compressed types; pictures and zip files are compressed already."""
LEAST = 600
"""Bytes; a shorter text fits one packet anyway."""
LEVEL = 6
"""Of 9; higher levels take twice the time for 1 % of the size."""
MOST_BLUR = 64
"""Bytes."""


def register(app: Flask) -> None:
    """Register before other `after_request` functions: Flask calls the first one last."""

    @app.after_request
    def pack(response: Response) -> Response:
        if response.is_streamed or response.direct_passthrough or "Content-Encoding" in response.headers:
            return response
        if response.mimetype not in TEXTS or response.content_length is None or response.content_length < LEAST:
            return response
        response.vary.add("Accept-Encoding")
        if accepts_gzip():
            response.set_data(gzip(response.get_data()))
            response.headers["Content-Encoding"] = "gzip"
        return response


def accepts_gzip() -> bool:
    return request.accept_encodings["gzip"] > 0


def gzip(content: bytes, level: int = LEVEL, blur: bool = True) -> bytes:
    """Compress; `blur`: with a file name of random length."""
    name, out = "x" * secrets.randbelow(MOST_BLUR) if blur else "", io.BytesIO()
    with GzipFile(name, "wb", level, out, mtime=0) as file:
        file.write(content)
    return out.getvalue()
