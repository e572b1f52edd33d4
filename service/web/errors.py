"""Pages for what went wrong: a sentence that says what, and a way on."""

from __future__ import annotations

from flask import Flask, render_template
from flask_babel import gettext
from flask_limiter import RateLimitExceeded
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, InternalServerError

from engine.asks import Refused


def register(app: Flask) -> None:
    """Let every refusal and every mishap end in a page."""
    app.register_error_handler(CSRFError, _old_form)
    app.register_error_handler(RateLimitExceeded, _too_often)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Refused, _refused)


def page(status: int, title: str, sentence: str) -> tuple[str, int]:
    """The page of an error: what it is, what can be done."""
    return render_template("pages/error.html", status=status, title=title, sentence=sentence), status


def _old_form(error: CSRFError) -> tuple[str, int]:
    return page(
        400,
        gettext("That form was no longer good"),
        gettext(
            "A form can be sent only from the page that it was on, with cookies allowed. Nothing was changed. "
            "Go back, load the page anew and send it again."
        ),
    )


def _too_often(error: RateLimitExceeded) -> tuple[str, int]:
    return page(
        429,
        gettext("Too many at once"),
        gettext("That was asked for too often within a short time. Nothing was changed; wait a while and try again."),
    )


def _refused(error: Refused) -> tuple[str, int]:
    return page(422, gettext("That can’t be done"), str(error))


def _http(error: HTTPException) -> tuple[str, int]:
    status = error.code or 500
    words = {
        400: (gettext("That could not be read"), gettext("Something in the request was missing, twice there or not in its form.")),
        401: (gettext("Sign in first"), gettext("That page is for people who are signed in.")),
        403: (gettext("Not yours to see"), gettext("That page belongs to somebody else.")),
        404: (gettext("Nothing lies here"), gettext("There is no page at that address. Perhaps the link was cut off in the letter.")),
        405: (gettext("Not in this way"), gettext("That address does something only when a form is sent to it.")),
        409: (gettext("Somebody was faster"), gettext("Things have changed since you saw that page.")),
        410: (gettext("That is over"), gettext("What was at this address is gone.")),
        413: (gettext("Too much at once"), gettext("What was sent is longer than any form of ours. Nothing was changed.")),
        500: (gettext("Something broke on our side"), gettext("It is not your doing, and nothing was half done. Try again in a moment.")),
    }
    title, sentence = words.get(status, (gettext("That did not work"), gettext("Nothing was changed.")))
    if isinstance(error, HTTPException) and not isinstance(error, InternalServerError) and error.description:
        described = type(error).description
        if error.description != described:
            sentence = error.description
    return page(status, title, sentence)
