"""Metrics of requests and refusals for `/metrics`."""

from __future__ import annotations

import time

from flask import Flask, Response, g, request

from engine.core.asks import Refused
from service.errors import BadLink, Banned, LinkForged, NotAllowed, Stale, Taken
from service.store import counters

METHODS = frozenset(("GET", "HEAD", "POST"))


def register(app: Flask) -> None:
    """Measure requests. Register it first, so that other handlers' time counts, too."""

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        # Not the path, which holds tokens and ids.
        counters.REQUESTS.labels(request.endpoint or "none", str(response.status_code)).inc()
        method = request.method if request.method in METHODS else "other"
        counters.REQUEST_SECONDS.labels(method).observe(time.perf_counter() - g.get("began", time.perf_counter()))
        return response


def refused(error: Refused) -> None:
    """Count a refusal caused by the request, not by the game's rules."""
    match error:
        case LinkForged():
            counters.refused("forged_link")
        case Banned():
            counters.refused("banned")
        case BadLink():
            counters.refused("old_link")
        case Stale() | Taken():
            counters.refused("stale")
        case NotAllowed():
            counters.refused("not_allowed")
