"""Error pages."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import structlog
from flask import Flask, g, render_template, request
from flask_limiter import RateLimitExceeded
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import Conflict, HTTPException, InternalServerError, MethodNotAllowed

from engine.core.asks import Refused
from service.common.dates import span
from service.common.i18n import gettext
from service.errors import BadLink, Banned, CannotDecrypt, LinkForged, NotAllowed, NotFound, Stale, Taken
from service.store import counters
from service.store.database import PAUSE, is_away, is_gone
from service.web import context, request_metrics
from service.web.security import retry_after

log = structlog.get_logger()

GAME = re.compile("/g/[0-9a-f]{32}(?=/)")
"""URL prefix of a game's pages."""
PATH = re.compile("/(?:[^/].*)?")
"""A local path; two leading slashes would lead to another host."""
PASSING = frozenset((409, 429, 500, 502, 503))
"""Statuses worth a retry."""


def register(app: Flask) -> None:
    app.register_error_handler(CSRFError, _old_form)
    app.register_error_handler(RateLimitExceeded, _too_often)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(CannotDecrypt, _undecryptable)
    app.register_error_handler(SQLAlchemyError, _database)


Way = tuple[str, str]
"""Label and URL."""


def page(status: int, title: str, sentence: str, way_on: Way | None = None) -> tuple[str, int]:
    """Render an error page with links, the best first."""
    try:
        me = context.me()
    except SQLAlchemyError:  # error pages must work without the database
        g.me = me = None
    ways = [way for way in (way_on, _again(status), *_home()) if way is not None]
    return render_template("pages/error.html", status=status, title=title, sentence=sentence, ways=ways, me=me), status


def _again(status: int) -> Way | None:
    if request.method == "GET":
        ours = PATH.fullmatch(request.path) is not None
        return (gettext("Try again"), request.full_path.removesuffix("?")) if ours and status in PASSING else None
    path = _came_from()
    return (gettext("Back to that page"), path) if path else None


def _came_from() -> str:
    asked, found = urlsplit(request.url_root), urlsplit(request.referrer or "")
    ours = found.netloc == asked.netloc and PATH.fullmatch(found.path) is not None
    return found.path + (f"?{found.query}" if found.query else "") if ours else ""


def _home() -> list[Way]:
    own = (gettext("My games"), "/games")
    return [own] if context.me() is not None else [(gettext("To the front page"), "/"), own]


def _old_form(_error: CSRFError) -> tuple[str, int]:
    counters.refused("csrf")
    return page(
        400,
        gettext("That form has expired"),
        gettext("Nothing was changed. Go back, reload the page and send the form again; your browser has to allow cookies."),
        _to_the_game(),
    )


def _too_often(_error: RateLimitExceeded) -> tuple[str, int, dict[str, str]]:
    counters.refused("rate_limit")
    seconds = retry_after()
    body, status = page(
        429,
        gettext("Too many at once"),
        gettext("You asked for that too often. Nothing was changed; try again in %(time)s.", time=span(seconds)),
        _to_the_game(),
    )
    return body, status, {"Retry-After": str(seconds)}


def _refused(error: Refused) -> tuple[str, int]:
    sentence = str(error)
    request_metrics.refused(error)
    match error:
        case Banned():
            contact = context.settings().club.contact_url
            return page(
                403, gettext("This account is closed"), sentence, (gettext("Write to us"), contact) if contact else None
            )
        case BadLink():
            status = 404 if isinstance(error, LinkForged) else 410
            to_sign_in = (gettext("Sign in by e-mail"), "/sign-in") if context.me() is None else None
            return page(status, gettext("This link doesn’t work"), sentence, to_sign_in)
        case NotFound():
            to_tables = (gettext("Games that look for players"), "/games/open") if request.path.startswith("/s/") else None
            return page(404, gettext("Nothing here"), sentence, _to_the_game() or to_tables)
        case NotAllowed():
            title = gettext("That can’t be done") if request.method == "POST" else gettext("Not yours to see")
            return page(403, title, sentence, _to_the_game())
        case Taken() | Stale():
            return page(409, gettext("Somebody was faster"), sentence, _to_the_game())
    return page(422, gettext("That can’t be done"), sentence, _to_the_game())


def _to_the_game() -> Way | None:
    found = GAME.match(request.path)
    pressed = request.method == "POST" or isinstance(request.routing_exception, MethodNotAllowed)
    if found is None or not (pressed or context.seat_in(found[0].removeprefix("/g/")) is not None):
        return None
    return gettext("To the game"), found[0]


def _database(error: SQLAlchemyError) -> tuple[str, int, dict[str, str]]:
    """503 with Retry-After if the database is down, 409 if a row was deleted by another request; else raise."""
    if is_gone(error):
        log.warning("row deleted meanwhile", problem=type(error).__name__)
        context.close_read_session()  # it holds the deleted account, perhaps
        return *_http(Conflict()), {}
    if not is_away(error):
        raise error
    log.error("database away", problem=type(error).__name__)
    g.me = None
    if request.method == "GET":
        sentence = gettext("Our database can’t be reached just now. Nothing is lost; try again in %(time)s.", time=span(PAUSE))
    else:
        sentence = gettext(
            "Our database couldn’t be reached for a moment. Look at the page again in %(time)s; if what you sent isn’t there, "
            "send it again.",
            time=span(PAUSE),
        )
    body, status = page(503, gettext("Just a moment"), sentence)
    return body, status, {"Retry-After": str(PAUSE)}


def _undecryptable(error: CannotDecrypt) -> tuple[str, int]:
    log.error("encrypted with another key", about=str(error))
    return page(
        503,
        gettext("This can’t be opened just now"),
        gettext(
            "This page is locked, and the service is missing the key. Nothing is lost or changed; those who run the service "
            "have to put the key back. Try again later."
        ),
    )


def _http(error: HTTPException) -> tuple[str, int]:
    status = error.code or 500
    if status >= 500:
        # The error page must work without the database.
        g.me = None
    words = {
        400: (gettext("We couldn’t read that"), gettext("Something was missing, there twice, or in the wrong form.")),
        401: (gettext("Sign in first"), gettext("That page is for people who are signed in.")),
        403: (gettext("Not yours to see"), gettext("That page belongs to somebody else.")),
        404: (
            gettext("Nothing here"),
            gettext("There is no such page. If you followed a link, part of it may be cut off; open it from the letter again."),
        ),
        405: (gettext("Open its page first"), gettext("This address only takes a form; send it from the form’s own page.")),
        409: (gettext("Somebody was faster"), gettext("Things have changed since you saw that page.")),
        410: (gettext("That is over"), gettext("What was at this address is gone.")),
        413: (
            gettext("Too much at once"),
            gettext("That is too long. Nothing was changed; go back and shorten it."),
        ),
        500: (
            gettext("Something broke on our side"),
            gettext(
                "You did nothing wrong, and nothing is half done: what you sent was played, or it wasn’t. Those who run this "
                "service can see what broke. Try again soon."
            ),
        ),
    }
    title, sentence = words.get(status, (gettext("That did not work"), gettext("Nothing was changed.")))
    described = error.description
    if described and described != type(error).description and not isinstance(error, InternalServerError):
        sentence = described
    return page(status, title, sentence, _to_the_game() if status < 500 else None)
