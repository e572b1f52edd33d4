"""The page of an account's rhythm, and absences in all games."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from flask import Blueprint, flash, render_template, request

from engine.core.asks import NotLegal, Refused
from service.common.dates import of_date, shown, zone_called
from service.common.i18n import gettext, listed
from service.people import rhythm
from service.store.models import now
from service.table import absences
from service.web import context
from service.web.answers import day_typed
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("rhythm", __name__)


@bp.get("/account/rhythm")
def show(
    typed: Mapping[str, str] = MappingProxyType({}),
    fault: str = "",
    away: Mapping[str, str] = MappingProxyType({}),
    unsaid: str = "",
) -> Page:
    """Render the page; `typed`: the refused form; `away`: dates of a refused absence, `unsaid`: the reason."""
    me = context.need_account()
    kept = {
        "zone": me.zone,
        "quiet_from": me.quiet_from,
        "quiet_to": me.quiet_to,
        "weekends_off": "yes" if me.weekends_off else "",
        "ladder": ", ".join(me.ladder),
    }
    given = {**kept, **typed}
    body = render_template(
        "pages/rhythm.html",
        given=given,
        fault=fault,
        away=away,
        unsaid=unsaid,
        today=now().astimezone(zone_called(me.zone)).date().isoformat(),
        chosen=me.zone_chosen,
        time=shown(now(), given["zone"] or "UTC"),
    )
    return (body, 422) if fault or unsaid else body


@bp.post("/account/away")
@limiter.limit("30 per hour")
@once
def away_everywhere() -> Page:
    context.need_account()
    given = context.fields(request.form, first=40, last=40)
    try:
        first, last = day_typed(given["first"]), day_typed(given["last"])
        with context.writing() as session:
            done, refused = absences.announce_everywhere(session, context.me_in(session), first, last)
        if not done:
            raise NotLegal(" ".join(refused) or gettext("No game of yours is running; there is nothing to be away from."))
    except Refused as refusal:
        return show(away=given, unsaid=str(refusal))
    if refused:
        flash(gettext("Not in: %(games)s.", games="; ".join(refused)), "bad")
    return context.done("/account/rhythm", _away_said(first, last, listed(done)))


def _away_said(first: date, last: date, games: str) -> str:
    if first == last:
        return gettext("On %(day)s you are away in: %(games)s.", day=of_date(first), games=games)
    return gettext(
        "From %(first)s to %(last)s you are away in: %(games)s.", first=of_date(first), last=of_date(last), games=games
    )


@bp.post("/account/rhythm")
def keep() -> Page:
    given = context.fields(request.form, zone=80, quiet_from=20, quiet_to=20, weekends_off=5, ladder=5000)
    try:
        rhythm.check_quiet(given["quiet_from"], given["quiet_to"])
        with context.writing() as session:
            me = context.me_in(session)
            off = bool(given["weekends_off"])
            rhythm.keep(session, me, given["zone"], given["quiet_from"], given["quiet_to"], off, given["ladder"])
    except Refused as refusal:
        return show(given | {"ladder": given["ladder"][:200]}, str(refusal))
    return context.done("/account/rhythm", gettext("Your rhythm is kept."))
