"""One web process, by Uvicorn: `python -m service.web.serve ADDRESS PORT`. Several share the port; the system deals out.

Uvicorn, because it does the least for a request, in time and in what it takes to be read; with httptools, which parses what
comes in, and uvloop, which waits for it, a request costs little more than half of what it costs without them. It lets a
connection say nothing, or half a header, for as long as it likes, and a header be as long as it likes: `Patient` has an end.
Gunicorn's workers give a thread to each of those, or keep them for ever; Granian's WSGI gives a thread to a form that comes
slowly, and has no time limit for it.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from typing import Any

from uvicorn import Config, Server
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from service.web import front

HEAD_SECONDS = 5.0
"""In so long the head of a request must be here, from the connection or from the end of the answer before."""
LONGEST_HEAD = 65_536
"""Bytes that come in for a head at most. A browser's cookies, its longest header, are 4 kB each."""
LATE_SECONDS = front.ANSWER_SECONDS
"""In so long who has been told goodbye must have taken what was sent."""


class Patient(HttpToolsProtocol):
    """A connection that is cut when it doesn't get to its point, or doesn't take its answer."""

    leash: asyncio.TimerHandle | None = None
    leaving = False
    awaited = True
    """Whether the head of the next request isn't here yet, and no answer is on its way."""
    heard: int | None = None
    """Bytes that have come in for a head that isn't here yet; None between two."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as Uvicorn's
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.heard is not None:
            self.heard += len(data)
            if self.heard > LONGEST_HEAD:
                self._refuse_head()
        self._watch()

    def on_message_begin(self) -> None:
        self.heard = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self.awaited, self.heard = False, None
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self.awaited = not self.pipeline
        super().on_response_complete()
        self._watch()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._let_go()

    def _refuse_head(self) -> None:
        if self.awaited and not self.transport.is_closing():
            self.send_400_response("The head of the request is too long.")
        self.transport.close()

    def _watch(self) -> None:
        """Set an end to what is awaited; what comes in drops moves none that is set."""
        if self.transport.is_closing():
            if not self.leaving:
                self._let_go()
                self.leaving, self.leash = True, self.loop.call_later(LATE_SECONDS, self.transport.abort)
        elif not self.awaited:
            self._let_go()
        elif self.leash is None:
            self.leash = self.loop.call_later(HEAD_SECONDS, self._close)

    def _close(self) -> None:
        self.transport.close()
        self._watch()

    def _let_go(self) -> None:
        if self.leash is not None:
            self.leash.cancel()
            self.leash = None


def main(address: str, port: int) -> None:
    """Serve the pages until told to stop. Raises OSError when the port is another program's."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    told: dict[str, Any] = {"log_level": "error", "access_log": False, "server_header": False, "ws": "none", "lifespan": "on"}
    # What a proxy says of the visitor is read by the pages, and where `WRIT_PROXIES` says that there is one.
    config = Config(front.app(), http=Patient, loop="uvloop", proxy_headers=False, timeout_graceful_shutdown=5, **told)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    with socket.socket(family, socket.SOCK_STREAM) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        door.bind((address, port))
        Server(config).run([door])


def _end(_number: int, _frame: object) -> None:
    """Before there are doors, and when they are closed: Uvicorn raises the signal again then."""
    sys.exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
