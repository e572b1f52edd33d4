"""One web process, served by Waitress: `python -m service.web.serve ADDRESS PORT`. Several share the port (SO_REUSEPORT).

Waitress reads a request whole before a thread gets it, so idle connections and slow forms block no page. A client that sends a
byte now and then is only stopped by a proxy (see docs/hosting.md).
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

from service.common import garbage
from service.settings import load
from service.store import queue
from service.web import create_app, warm
from service.web.security import LONGER_FORMS, LONGEST_FORM

THREADS = 32
"""Requests served concurrently by one process; at most half of them wait for a worker (`submissions.MOST_WAIT`). With 16, on a
busy machine, many who post in a rush got the waiting page and asked again: 1.25 times the CPU per move (`bench/pipeline.py`).
"""
CONNECTIONS = 15_000
"""Waitress's default of 1,000 would let as many idle connections block the service. Each takes a file descriptor."""
SPARE_DESCRIPTORS = 256
"""Reserved for the database, the broker and files."""
STOP = (signal.SIGINT, signal.SIGTERM)
FAREWELL_SECONDS = 5
"""Seconds to finish open requests after a signal to stop."""
CHANNEL_TIMEOUT = 15
"""Seconds after which a silent connection is closed."""
CLEANUP_INTERVAL = 5
"""Seconds between two checks for silent connections."""
LONGEST_HEAD = 64 * 1024
LONGEST_BODY = max(LONGEST_FORM, *LONGER_FORMS.values()) + LONGEST_FORM
"""Bytes: the largest upload and the rest of its form. A longer body is refused with 413 before a page sees it."""


def listen(address: str, port: int) -> socket.socket:
    """A bound socket with SO_REUSEPORT. Raises OSError if another program has it."""
    bound = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind((address, port))
    return bound


def connection_limit() -> int:
    """Most connections of one process, after raising the limit of open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE_DESCRIPTORS
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(CONNECTIONS, soft - SPARE_DESCRIPTORS)


def server_for(app: Flask, bound: socket.socket) -> BaseWSGIServer:
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
    """Serve until SIGINT or SIGTERM. Raises OSError if another program has the port."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing to finish during start-up
    settings = load()
    app = create_app(settings)
    warm.up(app.jinja_env, settings.data_folder)
    logging.getLogger("waitress").setLevel(logging.ERROR)
    queue.reach(settings)
    garbage.spare_what_is_loaded()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)  # before Waitress starts its threads, which inherit the mask
    server = server_for(app, listen(address, port))
    threading.Thread(target=server.run, daemon=True).start()
    signal.sigwait(STOP)
    server.task_dispatcher.shutdown(timeout=FAREWELL_SECONDS)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
