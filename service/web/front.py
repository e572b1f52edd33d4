"""The door of the web process: takes requests in and sends answers out without a thread, however slow the other end is.

The pages are plain functions that run in threads. A thread is given to a request when all of it is here, and is free again
before its answer goes out, so that idle, slow and half-open connections hold up nobody. Nor does one who waits for a worker's
word: his answer is held back here. An ASGI app.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
from collections.abc import Awaitable, Callable, Iterable
from io import BytesIO
from typing import Any

from flask import Flask

from service.ground.settled import settle
from service.ops import logs
from service.settings import Settings, load
from service.store import queue
from service.store.models import SubmissionStatus
from service.store.word import Ear
from service.web import create_app, waiting, warm
from service.web.hands import Hands
from service.web.security import LONGER_FORMS, LONGEST_FORM

THREADS = 8
"""Pages that one process makes at the same time."""
BODY_SECONDS = 20.0
"""In so long a form must be here, whole."""
ANSWER_SECONDS = 120.0
"""In so long an answer must be taken."""
LONGEST_BODY = max(LONGEST_FORM, *LONGER_FORMS.values())

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
TOO_SLOW: Answer = (408, [(b"content-length", b"0"), (b"connection", b"close")], b"")


class Gone(Exception):
    """The visitor has closed the connection."""


class Front:
    """A WSGI app as an ASGI app. `ear` hears the workers' words; without it nobody is held back."""

    def __init__(self, pages: Callable[..., Iterable[bytes]], threads: int = THREADS, ear: Ear | None = None) -> None:
        self.pages = pages
        self.ear = ear
        self.hands = Hands(threads)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _request(self, scope: Message, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _whole(receive)
        except Gone:
            return
        except TimeoutError:
            answer = TOO_SLOW
        else:
            held = waiting.Hold(ear=self.ear.mark if self.ear is not None else "")
            known = {waiting.KEY: held} if self.ear is not None else {}
            answer = await self.hands.make(functools.partial(self._page, environ(scope, body) | known))
            if self.ear is not None and held.id:
                answer = _then(answer, held.then, await self.ear.word(held.id, waiting.MOMENT))
        status, headers, content = answer
        with contextlib.suppress(TimeoutError):  # the connection is cut then
            async with asyncio.timeout(ANSWER_SECONDS):
                await send({"type": "http.response.start", "status": status, "headers": headers})
                await send({"type": "http.response.body", "body": content})

    async def _live(self, receive: Receive, send: Send) -> None:
        """Listen to the workers as long as the process takes requests."""
        listening = asyncio.create_task(self.ear.listen()) if self.ear is not None else None
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown" and listening is not None:
                listening.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await listening
            if message["type"] == "lifespan.shutdown":
                self.hands.close()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    def _page(self, asked: dict[str, Any]) -> Answer:
        """Make a page, in a thread."""
        begun: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], _error: Any = None) -> None:
            begun.append((status, headers))

        parts = self.pages(asked, start)
        try:
            content = b"".join(parts)
        finally:
            close = getattr(parts, "close", None)
            if close is not None:
                close()
        status, headers = begun[-1]
        return int(status.split(" ", 1)[0]), [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in headers], content


def _then(answer: Answer, place: str, word: str) -> Answer:
    """An answer that was held back: it sends to that place if the word is that the move was accepted."""
    if word != SubmissionStatus.ACCEPTED:
        return answer
    status, headers, content = answer
    return status, [(n, place.encode("latin-1") if n == b"location" else v) for n, v in headers], content


async def _whole(receive: Receive) -> bytes:
    """The body of a request, or its beginning where it is longer than any form of ours. Raises Gone."""
    body = bytearray()
    while len(body) <= LONGEST_BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return bytes(body)


def environ(scope: Message, body: bytes) -> dict[str, Any]:
    """A request as WSGI has it."""
    server = scope.get("server") or ("localhost", 80)
    made: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1] or 80),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw, value in scope["headers"]:
        # `X_Forwarded_For` would pass for `X-Forwarded-For`, which a proxy has set.
        if b"_" in raw or raw.lower() in (b"content-length", b"transfer-encoding"):
            continue
        name = raw.decode("latin-1").upper().replace("-", "_")
        name = name if name == "CONTENT_TYPE" else f"HTTP_{name}"
        said = value.decode("latin-1")
        made[name] = f"{made[name]}{'; ' if name == 'HTTP_COOKIE' else ','}{said}" if name in made else said
    return made


def app() -> Front:
    """The app of a web process, for the settings of its environment; all that pages need is made."""
    settings = load()
    made = pages(settings)
    # Made in the process that this one was forked from, it would write to that one's streams.
    logs.configure(postman=not settings.smtp_url)
    queue.reach(settings)
    settle()
    return Front(made, ear=Ear(settings))


def share() -> None:
    """Make the pages in a process that web processes are forked from: they use these very ones. Nothing is connected."""
    pages(load())


@functools.cache
def pages(settings: Settings) -> Flask:
    """The pages for these settings, and what they need; made once."""
    made = create_app(settings)
    warm.up(made.jinja_env)
    return made
