"""The board after an earlier entry, as the visitor's seat knew it then."""

from __future__ import annotations

import dataclasses
from datetime import datetime

from flask import Blueprint, render_template

from service.games import history_board
from service.web import context
from service.web import frame as frames
from service.web.context import Page
from service.web.security import limiter

bp = Blueprint("past", __name__)


@bp.get("/g/<id:match_id>/at/<int(max=999999):n>")
@limiter.limit("120 per minute")
def show(match_id: str, n: int) -> Page:
    match, seat = context.member_of(match_id)
    frame = frames.look(match, seat)
    if frame.page is None:
        return render_template("pages/setting_up.html", match=match), 202
    then = history_board.at(context.db(), match, seat, n, frame.zone)
    page = dataclasses.replace(
        frame.page, view=then.view, names=then.names, form=None, offers=[], proposals=[], pending=None, ask=None, waiting=[]
    )
    played = datetime.fromisoformat(then.at) if then.at else None
    return frames.render("pages/at.html", frame, page, past=then, played=played, waits_for="")
