"""Idempotent forms: a double click acts once, and both responses lead to the first result. The form has a key (`keyed` in
pages/_parts.html), its view the decorator `once`; its writes share a transaction with the key's row. Answers have
`service.seat.submissions.submit`.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from flask import Flask, abort, flash, g, message_flashed, redirect, request
from flask import session as cookie

from service.common.i18n import gettext
from service.post import disclosure
from service.store import used_forms
from service.store.database import transaction
from service.store.models import UsedForm
from service.store.used_forms import UsedAlready
from service.web import context
from service.web.context import FORM_KEY, Page, Press

KEY = re.compile(r"[A-Za-z0-9_-]{16,64}")
PRESSES = "presses"
"""Cookie field: number of forms that acted in this session."""
P = ParamSpec("P")


def form_key() -> str:
    """Idempotency key of browser and number of forms that acted: a deliberate repetition from a later page has another."""
    secrets = (str(cookie.get(name, "")) for name in ("csrf_token", "browser", "seats", PRESSES))
    return hmac.digest(context.settings().keys[0].encode(), "\n".join(("writ form", *secrets)).encode(), "sha256").hex()[:32]


def _count() -> None:
    """Change the key of later pages."""
    cookie[PRESSES] = int(cookie.get(PRESSES, 0)) + 1


def register(app: Flask) -> None:
    message_flashed.connect(_note, app)


def _note(_app: object, message: str, category: str, **_more: Any) -> None:
    press: Press | None = g.get("press")
    if press is not None:
        press.said.append((category, str(message)))


def once(view: Callable[P, Page]) -> Callable[P, Page]:
    """Decorator: the same form sent again gets the first result."""

    @wraps(view)
    def pressed(*args: P.args, **named: P.kwargs) -> Page:
        keys = request.form.getlist(FORM_KEY)
        if not keys:  # answer forms use another field
            keys = [key for key in request.form.getlist("key")[:1] if KEY.fullmatch(key)]
        if not keys:
            return view(*args, **named)
        if len(keys) > 1 or not KEY.fullmatch(keys[0]):
            abort(400, description=gettext("The form’s key is broken; open the page again and press the button there."))
        me = context.me()
        fields = ((name, value) for name, value in request.form.items(multi=True) if name != "csrf_token")
        id = used_forms.id_of(keys[0], request.path, me.id if me is not None else "", fields)
        known = used_forms.found(context.db(), id)
        if known is not None:
            return _as_before(known)
        try:
            return _first(id, lambda: view(*args, **named))
        except UsedAlready:
            context.close_read_session()
            known = used_forms.found(context.db(), id)
            assert known is not None  # the first use of the key is committed
            return _as_before(known)

    return pressed


def _first(id: str, view: Callable[[], Page]) -> Page:
    """Claim the key, run the view and store its target, in one transaction."""
    disclosed = list[str]()
    try:
        with transaction(context.settings()) as session:
            used_forms.claim(session, id)
            g.press = press = Press(session, disclosed=disclosed)
            try:
                page = view()
            finally:
                g.pop("press", None)
            target = getattr(page, "location", None)
            if press.wrote and target:
                used_forms.keep(session, id, target, press.said)
                _count()
            else:
                used_forms.drop(session, id)
    finally:
        disclosure.revoke_all(context.settings(), disclosed)
    return page


def _as_before(known: UsedForm) -> Page:
    _count()
    for category, sentence in known.said:
        flash(sentence, category)
    return redirect(known.target, 303)
