"""The muster of a full table."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request

from engine.games import GAMES
from service.clock import pace
from service.common.dates import shown
from service.common.i18n import gettext
from service.games import lobby, muster
from service.people import accounts
from service.store import rulings
from service.store.models import MatchStatus
from service.store.seats import seats_of
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("musters", __name__)


@bp.get("/g/<id:match_id>/muster")
def muster_page(match_id: str) -> Page:
    """The question to a player. GET changes nothing: mail programs open links."""
    match, seat = context.member_of(match_id)
    if match.status != MatchStatus.LOBBY:
        return redirect(f"/g/{match.id}/table", 303)
    seats, me = seats_of(context.db(), match), context.me()
    mine = next(row for row in seats if row.seat == seat)
    missing = muster.absent(match, seats)
    return render_template(
        "pages/muster.html",
        match=match,
        game=GAMES[match.game],
        asked=mine in missing,
        until=shown(match.muster_until, context.zone_in(match.id, seat)) if match.muster_until else "",
        missing=[row.name for row in missing if row is not mine],
        options=rulings.told_options(match),
        rulings=rulings.told(match),
        pace=pace.words(pace.of(match.pace)),
        hosting=mine.account_id == match.host_id,
        at_lobby=me is not None and me.id == mine.account_id,
    )


@bp.post("/g/<id:match_id>/muster")
@limiter.limit("120 per hour")
@once
def be_there(match_id: str) -> Page:
    """Confirm presence or leave the table; starts the game if that was the last one."""
    match, seat = context.member_of(match_id)
    leaves = context.fields(request.form, choice=10)["choice"] == "leave"
    if match.status != MatchStatus.LOBBY:
        return redirect(f"/g/{match.id}/table", 303)
    with context.changing(match.id) as (session, found):
        if leaves:
            lobby.leave(session, found, accounts.by_id(session, context.forget_member()))
        else:
            lobby.be_there(session, found, seat)
        begun = found.status == MatchStatus.RUNNING
    if leaves:
        return context.done("/games" if context.me() is not None else "/", gettext("You have left the game."))
    flash(
        gettext("All are there: the game begins.") if begun else gettext("You are there. The game begins when all are."), "good"
    )
    return redirect(f"/g/{match.id}/table" if begun else f"/g/{match.id}/muster", 303)
