"""Answers in advance: a seat's private page."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request
from msgspec.structs import replace

from engine.core.asks import Answer, Refused, read
from engine.games import game_called
from engine.ui.forms import Form, describe
from service.common.i18n import gettext
from service.seat import advance
from service.store.models import Match
from service.store.seats import names_of
from service.web import answers, context, presets
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter
from service.web.table import seat_page
from service.web.table.orders import in_words, of_kind, own_locked

bp = Blueprint("advance", __name__)


@bp.get("/g/<id:match_id>/advance")
def show(match_id: str) -> Page:
    return _show(*context.member_of(match_id))


def _coming(match: Match, seat: str) -> list[Form]:
    game, names = game_called(match.game), names_of(context.db(), match.id)
    return [describe(game, ask, names, 0) for ask in advance.coming(context.db(), match, seat)]


def _show(match: Match, seat: str, fault: str = "", kept: Answer | None = None, about: str = "") -> Page:
    """Render; `fault` concerns an answer of kind `about`."""
    if context.is_before_start(match):
        return redirect(f"/g/{match.id}", 303)
    view = seat_page.load(match, seat)
    if view is None or view.own is None:
        return render_template("pages/setting_up.html", match=match), 202
    game, names = view.game, view.names
    # Irreversible options can only be set by standing orders.
    forms = [replace(form, options=[o for o in form.options if not o.grave]) for form in _coming(match, seat)]
    form = forms[0] if forms else None
    if kept is None and request.method == "GET":
        kept = presets.given(request.args, form)
    body = seat_page.render(
        "pages/advance.html",
        view,
        forms=forms,
        queued=[advance.in_words(game, names, a) | {"kind": a["kind"]} for a in view.own.advance],
        fault=fault,
        about=about,
        kept=kept,
        presets=presets.ways(form, kept),
        read=read,
    )
    return (body, 422) if fault else body


@bp.post("/g/<id:match_id>/advance/answer")
@limiter.limit("600 per hour")
@once
def give(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    kind, given = answers.once(request.form, "kind"), None
    form = of_kind(_coming(match, seat), kind)
    try:
        given = answers.parse(request.form, form)
        with context.writing() as session:
            advance.give(session, *own_locked(session, match, seat), kind, given)
    except Refused as refusal:
        fault = in_words(match, seat, form, refusal)
        return _show(match, seat, fault=fault, kept=answers.fitting(given, form), about=kind)
    return context.done(f"/g/{match_id}/advance", gettext("Kept. It is sent if you are asked and nothing has changed for you."))


@bp.post("/g/<id:match_id>/advance/rows")
@limiter.limit("600 per hour")
def rows(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    kind = answers.once(request.form, "kind")
    form = of_kind(_coming(match, seat), kind)
    try:
        return _show(match, seat, kept=answers.rearranged(request.form, form))
    except Refused as refusal:
        return _show(match, seat, fault=str(refusal), about=kind)


@bp.post("/g/<id:match_id>/advance/drop")
def drop(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    id = context.fields(request.form, id=40)["id"]
    with context.writing() as session:
        _, row = own_locked(session, match, seat)
        advance.drop(session, row, id)
    return context.done(f"/g/{match_id}/advance", gettext("Taken back."))
