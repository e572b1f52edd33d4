"""Static files: minified, gzipped, and cached for ever under a URL with a hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from mimetypes import guess_type
from pathlib import Path

from flask import Flask, Response, abort, request
from rcssmin import cssmin
from rjsmin import jsmin

from service.web import packed

FOLDER = Path(__file__).with_name("static")
NAMED = re.compile(r"url\(([a-z-]+\.(?:svg|woff2))\)")
"""A reference in a style sheet to another static file."""
SMALLER: dict[str, Callable[[str], str]] = {".css": cssmin, ".js": jsmin}
"""Minifiers: they save a fifth of a first visit's scripts and styles."""
SYMBOL = re.compile(r'<symbol id="([^"]+)"')
A_YEAR = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


@dataclass(frozen=True)
class File:
    content: bytes
    packed: bytes
    kind: str
    mark: str
    """Hash of the content."""


@cache
def file(name: str) -> File | None:
    """A minified and compressed file, cached for the process; None if there is none."""
    path = FOLDER / name
    if path.parent != FOLDER or not path.is_file():
        return None
    content = path.read_bytes()
    if path.suffix in SMALLER:
        content = SMALLER[path.suffix](content.decode()).encode()
    if path.suffix == ".css":
        content = NAMED.sub(lambda named: f"url({named[1]}?v={mark(named[1])})", content.decode()).encode()
    kind = guess_type(name)[0] or "application/octet-stream"
    small = packed.gzip(content, 9, blur=False) if kind in packed.TEXTS and len(content) >= packed.LEAST else b""
    return File(content, small, kind, hashlib.sha256(content).hexdigest()[:10])


def read_all() -> None:
    for path in FOLDER.iterdir():
        file(path.name)


def mark(name: str) -> str:
    """Content hash of a file. Raises KeyError."""
    found = file(name)
    if found is None:
        raise KeyError(name)
    return found.mark


@cache
def asset(name: str) -> str:
    return f"/static/{name}?v={mark(name)}"


@cache
def _symbols(name: str) -> frozenset[str]:
    found = file(name)
    return frozenset(SYMBOL.findall(found.content.decode())) if found is not None else frozenset()


@cache
def symbol(game: str, id: str) -> str:
    """URL of an SVG symbol, preferably of the game's own file; empty if there is none."""
    return next((f"{asset(name)}#{id}" for name in (f"{game}.svg", "parts.svg") if id in _symbols(name)), "")


def send(filename: str) -> Response:
    """Serve a file: immutable under its hash, else revalidated."""
    found = file(filename)
    if found is None:
        abort(404)
    small = bool(found.packed) and packed.accepts_gzip()
    response = Response(found.packed if small else found.content, mimetype=found.kind)
    if found.packed:
        response.vary.add("Accept-Encoding")
    if small:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Cache-Control"] = A_YEAR if request.args.get("v") == found.mark else ASK_AGAIN
    response.set_etag(f"{found.mark}-{'gzip' if small else 'plain'}")
    response.make_conditional(request)
    return response


def register(app: Flask) -> None:
    app.add_url_rule("/static/<path:filename>", endpoint="static", view_func=send, methods=["GET"])
    app.jinja_env.globals.update(asset=asset, symbol=symbol, has_asset=lambda name: file(name) is not None)
