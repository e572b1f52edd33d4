"""What every page needs of a request: settings, database session, who is there, which seats are theirs, clean fields."""

from __future__ import annotations

from typing import NoReturn

from flask import abort, current_app, g, redirect, request, url_for
from flask import session as cookie
from flask_babel import gettext
from sqlmodel import Session
from werkzeug.datastructures import MultiDict
from werkzeug.routing import BaseConverter
from werkzeug.wrappers import Response

from service.settings import Settings


class IdConverter(BaseConverter):
    """`<id:...>`: an id of ours. Anything else is no address at all."""

    regex = r"[A-Za-z0-9_-]{1,64}"


class TokenConverter(BaseConverter):
    """`<token:...>`: a signed token, whole or cut."""

    regex = r"[A-Za-z0-9._~-]{1,500}"


def settings() -> Settings:
    """The settings that the app was made with."""
    found: Settings = current_app.extensions["writ.settings"]
    return found


def fields(form: MultiDict[str, str], /, **longest: int) -> dict[str, str]:
    """The named fields of a form, trimmed, each at most so many characters; absent ones are empty.

    Unknown, repeated, over-long fields and unprintable characters are refused with a sentence (400).
    """
    for name in form:
        if name not in longest and name != "csrf_token":
            bad(gettext("The form has a field “%(name)s” that does not belong there.", name=name[:40]))
    found: dict[str, str] = {}
    for name, most in longest.items():
        values = form.getlist(name)
        if len(values) > 1:
            bad(gettext("The form has “%(name)s” %(n)s times; once is right.", name=name, n=len(values)))
        text = values[0].strip() if values else ""
        if len(text) > most:
            bad(gettext("“%(name)s” is %(n)s characters long; at most %(most)s fit.", name=name, n=len(text), most=most))
        if any(ord(c) < 32 and c not in "\n\r\t" for c in text):
            bad(gettext("“%(name)s” has characters that cannot be written.", name=name))
        found[name] = text
    return found


def bad(sentence: str) -> NoReturn:
    """End the request with 400 and this sentence."""
    abort(400, description=sentence)
