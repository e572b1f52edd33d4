"""Data of a table's bar, board and hand, for all pages that show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from flask import render_template

from engine.game import listed
from service.common.dates import ahead, lately, shown, span
from service.games import turns
from service.games.turns import TurnPage
from service.post import waiting_for
from service.store.models import Account, Match, MatchStatus, SeatRow, now
from service.table import glance
from service.table.glance import Glance
from service.web import context


@dataclass(frozen=True)
class Frame:
    page: TurnPage | None
    """None before the game opens, or if it never began."""
    beside: Glance
    seats: list[SeatRow]
    own: SeatRow | None
    account: Account | None
    """The seat's owner."""

    @property
    def zone(self) -> str:
        return self.account.zone if self.account is not None else "UTC"


def look(match: Match, seat: str) -> Frame:
    """The seat's view of the table, in few statements."""
    seats, accounts = context.seats_in(match.id), context.accounts_in(match.id)
    beside = glance.look(context.db(), match, seat, seats)
    context.note_unread(match, beside.unread)
    going = match.status in (MatchStatus.RUNNING, MatchStatus.FINISHED)
    page = turns.page(context.db(), match, seat, beside.beside) if going else None
    own = next((row for row in seats if row.seat == seat), None)
    return Frame(page, beside, seats, own, accounts.get(seat))


def render(template: str, frame: Frame, page: TurnPage, /, **more: Any) -> str:
    """Render a page of the table; `more` are its own variables."""
    shown_to = frame.zone
    # The board ignores pending answers and what fills an offer's form.
    form, begun = None if page.pending else page.form, None if more.get("kept_for") else more.get("kept")
    context: dict[str, Any] = {
        "page": page,
        "board": page.game.board(page.view, form, begun),
        "match": page.match,
        "word": cache(lambda id, home="": page.game.word(id, page.names, home)),
        "listed": lambda ids, home="": listed(page.game, ids, page.names, home),
        "moment": lambda at: shown(at, shown_to),
        # Cached: a table of bots has many lines of one moment.
        "lately": cache(lambda at: lately(datetime.fromisoformat(at), shown_to, now())),
        "bank": span(frame.own.bank) if frame.own is not None and frame.own.bank else "",
        "waits_for": waiting_for.said(page.waiting, page.names, page.seat),
        "ahead": ahead,
        "seconds_to": lambda at: (at - now()).total_seconds(),
        "presets": {},
        "kept": None,
    }
    return render_template(template, **{**context, **more})
