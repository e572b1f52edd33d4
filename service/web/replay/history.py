"""The history, as the visitor's seat may know it."""

from __future__ import annotations

from flask import Blueprint, render_template

from service.log import shuffle
from service.replay import history
from service.web import context
from service.web.context import Page

bp = Blueprint("history", __name__)


@bp.get("/g/<id:match_id>/history")
def show(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    found = history.page(context.db(), match, seat, context.page_number())
    colours = {row.seat: row.colour for row in context.seats_in(match.id)}
    return render_template("pages/history.html", match=match, history=found, colours=colours, shuffle=shuffle.told(match, seat))
