"""One web process, served by Waitress: `python -m service.web.serve ADDRESS PORT`. Several share the port (SO_REUSEPORT).

Waitress reads a request whole before a thread sees it, so idle connections, half headers and slow forms hold up no page, and
it cuts a connection that is silent for `CHANNEL_TIMEOUT`. It doesn't cut one that sends a byte now and then for ever: a
proxy in front does (see docs/hosting.md).
"""

from __future__ import annotations

import logging
import resource
import signal
import socket
import sys
import threading

from flask import Flask
from waitress.server import BaseWSGIServer, create_server

from service.settings import load
from service.store import queue
from service.web import create_app, warm
from service.web.security import LONGER_FORMS, LONGEST_FORM

THREADS = 16
"""Pages that one process makes at the same time. Those that wait for a worker hold half of them at most
(`submissions.MOST_WAIT`)."""
CONNECTIONS = 15_000
"""At Waitress's default of 1,000 as many idle connections stop the service; each takes a file descriptor."""
SPARE_DESCRIPTORS = 256
"""Kept for the database, the broker and files."""
STOP = (signal.SIGINT, signal.SIGTERM)
FAREWELL_SECONDS = 5
"""How long pages that are being made may take once the process is told to stop."""
CHANNEL_TIMEOUT = 15
"""Seconds after which a silent connection is cut."""
CLEANUP_INTERVAL = 5
"""Seconds between two looks for silent connections."""
LONGEST_HEAD = 64 * 1024
LONGEST_BODY = max(LONGEST_FORM, *LONGER_FORMS.values()) + LONGEST_FORM
"""Bytes: a file that a host uploads, and the rest of its form. A longer body is refused with 413 before a page sees it."""


def listen(address: str, port: int) -> socket.socket:
    """A bound socket with SO_REUSEPORT: other web processes share its port. Raises OSError when another program has it."""
    bound = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind((address, port))
    return bound


def connection_limit() -> int:
    """How many connections one process accepts, after raising its limit of open files as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE_DESCRIPTORS
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(CONNECTIONS, soft - SPARE_DESCRIPTORS)


def server_for(app: Flask, bound: socket.socket) -> BaseWSGIServer:
    """A Waitress server for the app on a bound socket."""
    server = create_server(
        app,
        sockets=[bound],
        threads=THREADS,
        asyncore_use_poll=True,
        connection_limit=connection_limit(),
        channel_timeout=CHANNEL_TIMEOUT,
        cleanup_interval=CLEANUP_INTERVAL,
        max_request_header_size=LONGEST_HEAD,
        max_request_body_size=LONGEST_BODY,
        ident="",
        # The app trusts as many proxies as WRIT_PROXIES says (ProxyFix), and looks for signs of others.
        clear_untrusted_proxy_headers=False,
    )
    assert isinstance(server, BaseWSGIServer)  # several sockets would make it another kind
    return server


def main(address: str, port: int) -> None:
    """Serve the pages until SIGINT or SIGTERM. Raises OSError when another program has the port."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while it starts there is nothing to finish
    settings = load()
    app = create_app(settings)
    warm.up(app.jinja_env)
    logging.getLogger("waitress").setLevel(logging.ERROR)
    queue.reach(settings)
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)  # before Waitress starts its threads, which inherit the mask
    server = server_for(app, listen(address, port))
    threading.Thread(target=server.run, daemon=True).start()
    signal.sigwait(STOP)
    server.task_dispatcher.shutdown(timeout=FAREWELL_SECONDS)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
