"""The health check of containers, against servers that answer, refuse or aren't there."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink

from deploy.healthcheck import failure
from service.tools.demo import free_port

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "healthcheck.py"


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 503)
        self.end_headers()
        self.wfile.write(b'{"beat":false}')

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on standard error."""


@contextmanager
def web() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_200_is_well_and_anything_else_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with web() as base:
        assert failure(f"{base}/healthz") == ""
        assert failure(f"{base}/readyz") == '503 {"beat":false}'
    assert "refused" in failure(f"{base}/healthz")


def test_the_exit_code_says_it() -> None:
    with web() as base:
        for page, code in (("healthz", 0), ("readyz", 1)):
            done = subprocess.run(
                [sys.executable, "-I", SCRIPT, f"{base}/{page}"], capture_output=True, timeout=20, check=False
            )
            assert done.returncode == code, done.stderr


def test_a_mail_server_has_to_greet() -> None:
    server = Controller(Sink(), hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        assert failure(f"smtp://127.0.0.1:{server.port}") == ""
    finally:
        server.stop()
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    assert "refused" in failure(f"smtp://127.0.0.1:{port}")
