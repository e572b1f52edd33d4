"""Upload of a finished game's log, and its replay for an hour."""

from __future__ import annotations

from flask import Blueprint, request
from flask_limiter.util import get_remote_address

from engine.core.asks import Refused
from service.common.i18n import gettext, ngettext
from service.games import opened
from service.replay.viewer import OPEN, Reader
from service.store import limits
from service.web import context
from service.web.context import Page
from service.web.replay import replay
from service.web.security import limiter

bp = Blueprint("open_log", __name__)


def _network() -> str:
    return limits.network_of(get_remote_address())


def _everybody() -> str:
    return "everybody"


@bp.get("/open-log")
def form(fault: str = "") -> Page:
    return context.form_page("pages/open_log.html", fault, most=f"{opened.LONGEST / 1_000_000:g}", entries=opened.MOST_ENTRIES)


@bp.post("/open-log")
@limiter.limit("20 per hour", key_func=_network)
# Bounds memory in the broker, where each stays for an hour.
@limiter.limit("100 per hour", key_func=_everybody, deduct_when=lambda response: response.status_code == 303)
def upload() -> Page:
    file = request.files.get("log")
    try:
        found = opened.check(file.read(opened.LONGEST + 1) if file is not None else b"")
        key = opened.keep(context.settings(), found)
    except Refused as refusal:
        return form(str(refusal))
    n = len(found.entries)
    return context.done(
        f"/opened/{key}/replay?as={OPEN}",
        ngettext("The log holds: its entry was checked.", "The log holds: all %(num)s entries were checked.", n),
    )


@bp.get("/opened/<id:key>/replay")
@limiter.limit("240 per minute")
def show(key: str) -> Page:
    """The viewer on an opened log: any seat's view, without times."""
    found = opened.load(context.settings(), key)
    opened.put_in(context.db(), found)
    name = gettext("A log of %(game)s", game=found.match.name)
    access = replay.ReplayAccess(f"/opened/{key}/replay", out="/open-log", title=name, views=True)
    return replay.for_strangers(found.match, found.seats, Reader("", member=False), access)
