"""The visitor's view of a table, and pages that show its bar, board and hand."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from flask import render_template

from service.common.dates import ahead, lately, shown, span
from service.games import seat_view
from service.games.seat_view import SeatView
from service.store.models import Match, now
from service.web import context


def load(match: Match, seat: str) -> SeatView | None:
    """The seat's view, in few statements; None before the game opens, or if it never began."""
    rows = seat_view.load_rows(context.db(), match, seat)
    context.note_unread(match, rows.unread)
    return seat_view.load(context.db(), match, seat, context.seats_in(match.id), rows)


def render(template: str, view: SeatView, /, **more: Any) -> str:
    """Render a page of the table; templates call the view `page`, and `more` are their own variables."""
    zone = context.zone_in(view.match.id, view.seat)
    # The board ignores pending answers and what fills an offer's form.
    form, begun = None if view.pending else view.form, None if more.get("kept_for") else more.get("kept")
    variables: dict[str, Any] = {
        "page": view,
        "board": view.game.board(view.view, form, begun),
        "match": view.match,
        "word": cache(view.word),
        "listed": view.listed,
        "moment": lambda at: shown(at, zone),
        # Cached: a table of bots has many lines of one moment.
        "lately": cache(lambda at: lately(datetime.fromisoformat(at), zone, now())),
        "bank": span(view.own.bank) if view.own is not None and view.own.bank else "",
        "waits_for": view.waits_for,
        "ahead": ahead,
        "seconds_to": lambda at: (at - now()).total_seconds(),
        "presets": {},
        "kept": None,
    }
    return render_template(template, **{**variables, **more})
