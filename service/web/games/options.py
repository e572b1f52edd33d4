"""The host's optional rules and house rulings in the lobby."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, redirect, request
from werkzeug.datastructures import MultiDict

from engine.core.asks import NotLegal, NotUnderstood, Refused
from engine.games import GAMES
from engine.ui.forms import Form
from service.clock import pace
from service.common.i18n import gettext
from service.errors import NotAllowed
from service.games import lobby, options, terms
from service.store import rulings
from service.store.models import Match, MatchStatus
from service.store.seats import by_match_id, seats_of
from service.web import answers, context
from service.web.context import Page
from service.web.games import lobby as gathering
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("options", __name__)

FILE_FIELDS = ("file_text", "file")
RULING = "ruling:"
"""Prefix of the names of rulings' fields."""


@bp.post("/g/<id:match_id>/options")
@limiter.limit("120 per hour")
def choose_options(match_id: str) -> Page:
    form, tried = _open_form(match_id), dict[str, Any]()
    try:
        given = answers.parse(_without_file(), form)
        tried["options_kept"] = given
        tried["options_text"] = text = _file_text()
        with context.changing(match_id) as (session, here):
            options.set_options(session, here, context.me_in(session), given, text)
    except Refused as refused:
        if form is None or isinstance(refused, NotAllowed):
            raise
        return gathering.page(*gathering.found(match_id), options_fault=str(refused), **tried)
    return _set(match_id, gettext("The optional rules are set; everybody in the lobby sees them."))


def _open_form(match_id: str) -> Form | None:
    """The form of the optional rules; None unless the visitor may set them now."""
    me = context.need_account()
    match, _ = gathering.found(match_id)
    shown = options.has_options(match) and match.status == MatchStatus.LOBBY and match.host_id == me.id
    return gathering.options_form(GAMES[match.game], match) if shown else None


def _without_file() -> MultiDict[str, str]:
    return MultiDict((k, v) for k, v in request.form.items(multi=True) if k not in FILE_FIELDS)


def _set(match_id: str, said: str) -> Page:
    if terms.unconfirmed(*gathering.found(match_id)):
        said = f"{said} {gettext('The game starts when those who sit here have confirmed.')}"
    return gathering.done(match_id, said)


@bp.post("/g/<id:match_id>/rulings")
@limiter.limit("120 per hour")
def choose_rulings(match_id: str) -> Page:
    rest, given = split_rulings(request.form)
    context.fields(rest)
    try:
        with context.changing(match_id) as (session, match):
            options.set_rulings(session, match, context.me_in(session), given)
    except (NotLegal, NotUnderstood) as refused:
        return gathering.page(*gathering.found(match_id), rulings_fault=str(refused), rulings_kept=given)
    return _set(match_id, gettext("The house rulings are set; everybody in the lobby sees them."))


def split_rulings(form: MultiDict[str, str]) -> tuple[MultiDict[str, str], dict[str, str]]:
    """Split a form into other fields, and rulings by id."""
    rest = MultiDict((k, v) for k, v in form.items(multi=True) if not k.startswith(RULING))
    names = [name for name in form if name.startswith(RULING)]
    given = context.fields(MultiDict((k, v) for k, v in form.items(multi=True) if k in names), **dict.fromkeys(names, 40))
    return rest, {name.removeprefix(RULING): value for name, value in given.items()}


@bp.post("/g/<id:match_id>/options/rows")
@limiter.limit("600 per hour")
def rows(match_id: str) -> Page:
    """Add, drop or move a row; saves nothing."""
    form = _open_form(match_id)
    if form is None:
        abort(404)
    try:
        kept = answers.rearranged(_without_file(), form)
        return gathering.page(*gathering.found(match_id), options_kept=kept, options_text=_file_text())
    except Refused as refused:
        return gathering.page(*gathering.found(match_id), options_fault=str(refused))


@bp.get("/g/<id:match_id>/confirm")
def terms_page(match_id: str) -> Page:
    return _terms(*context.member_of(match_id))


def _terms(match: Match, seat: str, fault: str = "") -> Page:
    if match.status != MatchStatus.LOBBY:
        return redirect(f"/g/{match.id}/table", 303)
    seats = seats_of(context.db(), match)
    mine = next(row for row in seats if row.seat == seat)
    waited = terms.unconfirmed(match, seats)
    me = context.me()
    return context.form_page(
        "pages/confirm.html",
        fault,
        match=match,
        game=GAMES[match.game],
        to_confirm=mine in waited,
        unconfirmed=[row.name for row in waited if row is not mine],
        terms=terms.digest(match),
        options=rulings.told_options(match),
        rulings=rulings.told(match),
        pace=pace.words(pace.of(match.pace)),
        lobby=me is not None and me.id == mine.account_id,
    )


@bp.post("/g/<id:match_id>/confirm")
@limiter.limit("120 per hour")
@once
def confirm(match_id: str) -> Page:
    """Confirm the options shown; the last one starts the game."""
    match, seat = context.member_of(match_id)
    seen = context.fields(request.form, terms=64)["terms"]
    try:
        with context.changing(match.id) as (session, here):
            lobby.agree(session, here, seat, seen)
    except NotUnderstood as refused:
        return _terms(by_match_id(context.db(), match_id), seat, str(refused))
    return context.done(
        f"/g/{match_id}" if context.me() is not None else f"/g/{match_id}/confirm", gettext("You have confirmed the options.")
    )


def _file_text() -> str:
    """The uploaded or pasted file. Raises NotUnderstood unless it is UTF-8."""
    sent = request.files.get("file")
    raw = sent.read(options.LONGEST_FILE + 1) if sent is not None and sent.filename else b""
    if len(raw) > options.LONGEST_FILE:
        raise NotUnderstood(gettext("The file is too long; at most %(most)s KB fit.", most=options.LONGEST_FILE // 1000))
    try:
        text = raw.decode("utf-8-sig") or request.form.get("file_text", "")
    except UnicodeDecodeError:
        raise NotUnderstood(gettext("The file isn’t UTF-8 text; save it as UTF-8 and send it again.")) from None
    return text.replace("\r\n", "\n").strip()
