"""The cookie by which a browser is known: signed when it has changed, and once a day, so that who comes by stays signed in."""

from __future__ import annotations

from flask import Flask, Response
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import URLSafeTimedSerializer

from service.store.models import now

DAY = "day"
"""The day on which it was signed, in the cookie."""


class Sessions(SecureCookieSessionInterface):
    """Flask signs a lasting cookie with every answer, with files too, which takes as long as two statements to the database.
    What signs it, it makes anew each time."""

    _kept: tuple[list[object], URLSafeTimedSerializer | None] = ([], None)
    """What signs, and the keys that it was made for."""

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """What signs cookies with the app's keys; None where it has none."""
        keys = [app.secret_key, *(app.config["SECRET_KEY_FALLBACKS"] or ())]
        if self._kept[0] != keys:
            self._kept = keys, super().get_signing_serializer(app)
        return self._kept[1]

    def save_session(self, app: Flask, session: SecureCookieSession, response: Response) -> None:  # type: ignore[override]  # its own interface, too, is never given another
        """Set the cookie where that is due."""
        today = now().toordinal()
        if session.accessed and session.permanent and session.get(DAY) != today:
            session[DAY] = today
        super().save_session(app, session, response)
