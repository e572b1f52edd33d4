"""Sharing a replay: the host's choice in the lobby, the table's vote after the end, and closing it again."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, request

from engine.core.asks import NotUnderstood, Refused
from service.common.i18n import gettext
from service.games import lobby
from service.table import votes
from service.web import context
from service.web.context import Page
from service.web.games import lobby as lobby_page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("sharing", __name__)


@bp.post("/g/<id:match_id>/sharing")
def choose(match_id: str) -> Page:
    context.need_account()
    on = context.fields(request.form, on=3)["on"] == "yes"
    with context.changing(match_id) as (session, match):
        lobby.let_share(session, match, context.me_in(session), on)
    if on:
        return lobby_page.done(match_id, gettext("The replay will be shared. Those who sit here are asked to confirm it."))
    return lobby_page.done(match_id, gettext("The replay stays the players’."))


@bp.post("/g/<id:match_id>/replay/share")
@limiter.limit("60 per hour")
@once
def share(match_id: str) -> Page:
    """Ask the table, vote, or close the replay; then redirect to the shown entry."""
    match, seat = context.member_of(match_id)
    given, query = context.fields(request.form, do=10, vote=32), request.query_string.decode("ascii", "ignore")
    try:
        with context.changing(match.id) as (session, here):
            match given["do"]:
                case "ask":
                    votes.propose_sharing(session, here, seat)
                case "yes" | "no":
                    votes.cast(session, here, given["vote"], seat, given["do"] == "yes")
                case "withdraw":
                    votes.withdraw(session, here, given["vote"], seat)
                case "close":
                    votes.stop_sharing(session, here)
                case _:
                    raise NotUnderstood(gettext("Press one of the buttons of this page."))
            shared = here.shared
    except Refused as refusal:
        flash(str(refusal), "bad")
        return redirect(f"/g/{match_id}/replay?{query}", 303)
    said = {
        "close": gettext("The replay is closed; its links no longer work."),
        "withdraw": gettext("The proposal is taken back."),
        "no": gettext("The vote is given; the replay stays the players’."),
    }
    if given["do"] in said:
        flash(said[given["do"]], "good")
    else:
        flash(gettext("All have agreed: the replay is shared.") if shared else gettext("The others are asked."), "good")
    return redirect(f"/g/{match_id}/replay?{query}", 303)
