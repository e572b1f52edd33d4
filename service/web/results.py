"""The end of a game: standings, story, rematch; and the tutorial's end."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request

from engine.games import game_called
from service.common.i18n import gettext
from service.games import guides, lobby, rematches, results
from service.games.state import position
from service.people import accounts
from service.store.models import Account, MatchStatus
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("results", __name__)


@bp.get("/g/<id:match_id>/result")
def result(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    if match.status != MatchStatus.FINISHED:
        return redirect(f"/g/{match.id}/table", 303)
    rows, people = context.seats_in(match.id), context.accounts_in(match.id)
    called, game = {row.seat: row.name for row in rows}, game_called(match.game)
    winners = (match.outcome or {}).get("winners", [])
    zone = people[seat].zone if seat in people else "UTC"
    me = context.me()
    mine = me is not None and seat in people and people[seat].id == me.id
    told = results.told(context.db(), match, seat)
    return render_template(
        "pages/result.html",
        match=match,
        game=game,
        mine=seat,
        colours={row.seat: row.colour for row in rows},
        standings=results.standings(game, position(context.db(), match), called, winners, told),
        story=results.story(context.db(), match, zone, told),
        winners=[called[s] for s in winners],
        opened=rematches.found(context.db(), match, me) if mine and me is not None else None,
        may_ask=mine or me is None,
    )


@bp.post("/g/<id:match_id>/rematch")
@limiter.limit("20 per hour")
@once
def rematch(match_id: str) -> Page:
    """Open a rematch, or join the one already open."""
    context.fields(request.form)
    context.among_people()
    if context.me() is None:
        context.come_back(f"/g/{match_id}/result")
        return redirect("/sign-in", 303)
    with context.writing() as session:
        match = rematches.again(session, lobby.by_match_id(session, match_id), context.me_in(session))
    if context.gathers(match):
        flash(gettext("You have a seat at the rematch; it begins as soon as all have accepted."), "good")
    else:
        flash(gettext("All have accepted: the rematch begins."), "good")
    return redirect(f"/g/{match.id}", 303)


@bp.post("/g/<id:match_id>/guide")
def send_guide_away(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    context.fields(request.form)
    owner: Account | None = context.accounts_in(match.id).get(seat)
    if owner is not None:
        with context.writing() as session:
            guides.send_away(session, accounts.by_id(session, owner.id), match)
    return redirect(f"/g/{match_id}/table", 303)
