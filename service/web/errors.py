"""Pages for what went wrong: a sentence that says what, and a way on."""

from __future__ import annotations

import re

import structlog
from flask import Flask, g, render_template, request
from flask_limiter import RateLimitExceeded
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, InternalServerError, MethodNotAllowed

from engine.asks import Refused
from service.errors import BadLink, CannotUnseal, LinkForged, NotAllowed, NotFound, Stale, Taken
from service.ground.moments import span
from service.ground.words import gettext
from service.web import desk
from service.web.security import retry_after

log = structlog.get_logger()

GAME = re.compile("/g/[0-9a-f]{32}(?=/)")
"""The page of a game, at the head of the addresses of all that its pages do."""


def register(app: Flask) -> None:
    """Let every refusal and every mishap end in a page."""
    app.register_error_handler(CSRFError, _old_form)
    app.register_error_handler(RateLimitExceeded, _too_often)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(CannotUnseal, _shut)


def page(status: int, title: str, sentence: str, way_on: tuple[str, str] | None = None) -> tuple[str, int]:
    """The page of an error: what it is, what can be done."""
    return render_template("pages/error.html", status=status, title=title, sentence=sentence, way_on=way_on), status


def _old_form(_error: CSRFError) -> tuple[str, int]:
    return page(
        400,
        gettext("That form was no longer good"),
        gettext(
            "A form can be sent only from the page that it was on, with cookies allowed. Nothing was changed. "
            "Go back, load the page anew and send it again."
        ),
        _to_the_game(),
    )


def _too_often(_error: RateLimitExceeded) -> tuple[str, int, dict[str, str]]:
    seconds = retry_after()
    body, status = page(
        429,
        gettext("Too many at once"),
        gettext(
            "That was asked for too often within a short time. Nothing was changed; try again in %(time)s.", time=span(seconds)
        ),
        _to_the_game(),
    )
    return body, status, {"Retry-After": str(seconds)}


def _refused(error: Refused) -> tuple[str, int]:
    sentence = str(error)
    match error:
        case BadLink():
            status = 404 if isinstance(error, LinkForged) else 410
            return page(status, gettext("This link opens nothing"), sentence, (gettext("Sign in by e-mail"), "/sign-in"))
        case NotFound():
            return page(404, gettext("Nothing lies here"), sentence, _to_the_game())
        case NotAllowed():
            return page(403, gettext("That can’t be done"), sentence, _to_the_game())
        case Taken() | Stale():
            return page(409, gettext("Somebody was faster"), sentence, _to_the_game())
    return page(422, gettext("That can’t be done"), sentence, _to_the_game())


def _to_the_game() -> tuple[str, str] | None:
    """The way on for whoever pressed a button of a page that lay open while its game went on, or comes to where one leads; and
    for who sits at the table and followed a link that leads nowhere there."""
    found = GAME.match(request.path)
    pressed = request.method == "POST" or isinstance(request.routing_exception, MethodNotAllowed)
    if found is None or not (pressed or desk.seat_in(found[0].removeprefix("/g/")) is not None):
        return None
    return gettext("To the game"), found[0]


def _shut(error: CannotUnseal) -> tuple[str, int]:
    log.error("sealed with another key", about=str(error))
    return page(
        503,
        gettext("This lies sealed"),
        gettext(
            "What this page shows is sealed with a key that this service hasn’t got just now. Nothing is lost and nothing was "
            "changed; those who run the service have to put the key back. Try again later."
        ),
    )


def _http(error: HTTPException) -> tuple[str, int]:
    status = error.code or 500
    if status >= 500:
        # The database may be what broke: the page must do without it.
        g.me = None
    words = {
        400: (gettext("That could not be read"), gettext("Something in it was missing, twice there or not in its form.")),
        401: (gettext("Sign in first"), gettext("That page is for people who are signed in.")),
        403: (gettext("Not yours to see"), gettext("That page belongs to somebody else.")),
        404: (gettext("Nothing lies here"), gettext("There is no such page. Perhaps the link was cut off in the letter.")),
        405: (gettext("Not in this way"), gettext("That address does something only when its form is sent.")),
        409: (gettext("Somebody was faster"), gettext("Things have changed since you saw that page.")),
        410: (gettext("That is over"), gettext("What was at this address is gone.")),
        413: (
            gettext("Too much at once"),
            gettext("That is longer than any form of ours. Nothing was changed; go back and shorten it."),
        ),
        500: (
            gettext("Something broke on our side"),
            gettext("It is not your doing, and nothing is half done. Try again soon."),
        ),
    }
    title, sentence = words.get(status, (gettext("That did not work"), gettext("Nothing was changed.")))
    if isinstance(error, HTTPException) and not isinstance(error, InternalServerError) and error.description:
        described = type(error).description
        if error.description != described:
            sentence = error.description
    return page(status, title, sentence, _to_the_game() if status < 500 else None)
