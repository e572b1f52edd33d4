"""Health check of a container: exit code 0 if a URL answers.

    python healthcheck.py http://127.0.0.1:8080/healthz     # expects 200
    python healthcheck.py smtp://127.0.0.1:8025             # expects a greeting

Imports only the standard library, since it runs every 30 seconds. http.client, because urllib would use the proxy of
`http_proxy`.
"""

from __future__ import annotations

import http.client
import smtplib
import sys
from urllib.parse import SplitResult, urlsplit

SECONDS = 5


def failure(url: str) -> str:
    """Reason if the service at a URL doesn't answer; else empty."""
    parts = urlsplit(url)
    try:
        return _mail(parts) if parts.scheme == "smtp" else _page(parts)
    except (OSError, http.client.HTTPException, smtplib.SMTPException) as problem:
        return str(problem) or type(problem).__name__


def _mail(parts: SplitResult) -> str:
    with smtplib.SMTP(parts.hostname or "", parts.port or 25, timeout=SECONDS) as server:
        code, words = server.noop()
    return "" if code == 250 else f"{code} {words!r}"


def _page(parts: SplitResult) -> str:
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=SECONDS)
    connection.request("GET", parts.path)
    reply = connection.getresponse()
    return "" if reply.status == 200 else f"{reply.status} {reply.read(300).decode('utf-8', 'replace')}"


if __name__ == "__main__":
    sys.exit(failure(sys.argv[1]) or None)
