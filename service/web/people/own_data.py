"""Export and erasure of an account's data."""

from __future__ import annotations

import json

from flask import Blueprint, Response, request
from flask import session as cookie

from engine.core.asks import Refused
from service.common.i18n import gettext
from service.games import listings
from service.ops import own_data
from service.store.models import MatchStatus
from service.web import context
from service.web.context import Page
from service.web.security import limiter

bp = Blueprint("own_data", __name__)


@bp.get("/account/export")
@limiter.limit("20 per hour")
def export() -> Response:
    found = own_data.export(context.db(), context.need_account())
    text = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    return context.attachment(text, "writ-account.json", "application/json")


@bp.get("/account/erase")
def before(fault: str = "", typed: str = "") -> Page:
    me = context.need_account()
    listed = listings.games_of(context.db(), me)
    games = [found.match for found in listed]
    seated = {found.match.id for found in listed if any(seat.account_id == me.id for seat in found.seats)}
    running = [match for match in games if match.status == MatchStatus.RUNNING and match.id in seated]
    gathering = [match for match in games if match.status == MatchStatus.LOBBY and match.host_id == me.id]
    hosting = any(match.host_id == me.id and match.status in (MatchStatus.RUNNING, MatchStatus.FINISHED) for match in games)
    return context.form_page("pages/erase.html", fault, running=running, gathering=gathering, hosting=hosting, typed=typed)


@bp.post("/account/erase")
@limiter.limit("20 per hour")
def erase() -> Page:
    me = context.need_account()
    typed = context.fields(request.form, email=400)["email"]
    try:
        own_data.confirm(me, typed)
        with context.writing() as session:
            own_data.erase(session, context.me_in(session))
    except Refused as refusal:
        return before(str(refusal), typed[:254])
    cookie.clear()
    context.forget_me()
    return context.done("/", gettext("Your account is erased, and you are signed out. Farewell."))
