"""The history, and the board after an earlier entry, as the visitor's seat may know them."""

from __future__ import annotations

import dataclasses
from datetime import datetime

from flask import Blueprint, render_template

from service.games import history, history_board, shuffle
from service.web import context, seat_page
from service.web.context import Page
from service.web.security import limiter

bp = Blueprint("history", __name__)


@bp.get("/g/<id:match_id>/history")
def show(match_id: str) -> Page:
    """The log as the seat may know it, in pages."""
    match, seat = context.member_of(match_id)
    found = history.page(context.db(), match, seat, context.page_number())
    colours = {row.seat: row.colour for row in context.seats_in(match.id)}
    return render_template("pages/history.html", match=match, history=found, colours=colours, shuffle=shuffle.told(match, seat))


@bp.get("/g/<id:match_id>/at/<int(max=999999):n>")
@limiter.limit("120 per minute")
def board(match_id: str, n: int) -> Page:
    """The board after entry `n`, as the seat knew it then."""
    match, seat = context.member_of(match_id)
    view = seat_page.load(match, seat)
    if view is None:
        return render_template("pages/setting_up.html", match=match), 202
    then = history_board.at(context.db(), match, seat, n, context.zone_in(match_id, seat))
    past = dataclasses.replace(
        view, view=then.view, names=then.names, form=None, offers=[], proposals=[], waiting=[], sent=(), asks={}
    )
    played = datetime.fromisoformat(then.at) if then.at else None
    return seat_page.render("pages/at.html", past, past=then, played=played)
