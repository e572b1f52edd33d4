"""The visitor's view of a table, and pages that show its bar, board, hand and forms: a game's and a lesson's."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from flask import render_template, request

from engine.core.asks import Answer, Refused, read, write
from engine.ui.forms import Form, said, without_row
from service.common.dates import lately, nearly, shown, span
from service.log.characters import introduced
from service.seat import seat_view, submissions
from service.seat.costs import NOTHING, Losses
from service.seat.seat_view import SeatView
from service.store.models import Match, now
from service.web import answers, context, presets
from service.web.answers import Asked
from service.web.context import Page
from service.web.games import decks


@dataclass(frozen=True)
class Confirm:
    label: str
    text: str
    sentence: str
    serial: int
    kind: str
    grave: bool
    offered: bool
    """Whether it answers an offer."""
    about: str
    """Title of that offer."""
    begun: str
    """Query string that prefills the form again, without scripts."""
    cost: Losses
    """What it costs for good."""
    counts: bool
    """Whether its odds can be counted."""


def to_confirm(
    asked: Asked, form: Form | None, given: Answer, sentence: str, cost: Losses = NOTHING, counts: bool = False
) -> Confirm:
    """A parsed answer to confirm; `sentence`: its certain effect."""
    option = form.option(given.option) if form is not None else None
    return Confirm(
        label=said(form, given) if form is not None else given.option,
        text=write(given),
        sentence=sentence,
        serial=asked.serial,
        kind=asked.kind,
        grave=option is not None and option.grave,
        offered=asked.is_offer,
        about=form.title if form is not None and asked.is_offer else "",
        begun=presets.address(form, given) if form is not None and not asked.is_offer else "",
        cost=cost,
        counts=counts,
    )


def load(match: Match, seat: str) -> SeatView | None:
    """The seat's view; None before the game opens, or if it never began."""
    rows = seat_view.load_rows(context.db(), match, seat)
    context.note_unread(match, rows.unread)
    return seat_view.load(context.db(), match, seat, context.seats_in(match.id), rows)


def render(template: str, view: SeatView, /, **more: Any) -> str:
    """Render a page of the table; templates call the view `page`; `more`: their own variables."""
    zone = context.zone_in(view.match.id, view.seat)
    # The board ignores pending answers and a half-filled offer.
    form, begun = None if view.pending else view.form, None if more.get("kept_for") else more.get("kept")
    variables: dict[str, Any] = {
        "page": view,
        "board": view.game.face.board(view.view, form, begun),
        "match": view.match,
        "address": f"/g/{view.match.id}",
        "word": cache(view.word),
        "listed": view.listed,
        "moment": lambda at: shown(at, zone),
        "soon": lambda at: nearly(at, zone, now()),
        # Cached: a table of bots has many lines of one time.
        "lately": cache(lambda at: lately(datetime.fromisoformat(at), zone, now())),
        "bank": span(view.own.bank) if view.own is not None and view.own.bank else "",
        "waits_for": view.waits_for,
        "bots": {row.seat: introduced(row) for row in view.seats if row.bot},
        "presets": {},
        "kept": None,
    }
    return render_template(template, **{**variables, **more})


def render_forms(template: str, view: SeatView, kept: Answer | None, asked: Asked | None, linked: bool, /, **more: Any) -> str:
    """Render a page with the open forms. `kept`, or the query string, fills the form of `asked`, by default the question;
    `linked`: board parts are links that fill it.
    """
    kept_for = asked if asked is not None and asked.is_offer else None
    if kept is None and request.method == "GET":
        begun = presets.given_for_offer(request.args, [*view.proposals, *view.offers])
        kept = begun[1] if begun is not None else presets.given(request.args, view.form)
        kept_for = Asked(begun[0].serial, begun[0].kind) if begun is not None else None
    form = view.form_for(*kept_for) if kept_for is not None else view.form
    kept = answers.fitting(kept, form)
    return render(
        template,
        view,
        kept=kept,
        kept_for=kept_for,
        presets=presets.ways(form, kept, view.game.face.last_picked) if linked else {},
        ready=decks.ready_made(view),
        safe=read(view.form.default) if view.form else None,
        standing=answers.terms,
        offer_name=presets.named,
        new_key=lambda: secrets.token_hex(16),
        **more,
    )


def look_ahead(view: SeatView) -> Page:
    """Fragment for an open page: effect and faults of the posted, incomplete answer, row by row."""
    try:
        asked = answers.asked(request.form)
        form = view.form_for(*asked)
        given = answers.parse(request.form, form)
        if not any(value != [] for value in given.values.values()):  # nothing begun
            return "", 204
        found = submissions.forecast(view, *asked, given)
    except Refused:  # reported when the form is sent
        return "", 204
    told = {n: view.refusal(without_row(why), form) for n, why in found.faults.items() if not answers.is_begun(form, given, n)}
    fault = view.refusal(found.fault, form) if found.fault is not None else ""
    kept_for = asked if asked.is_offer else None
    return render("pages/_ahead.html", view, kept=given, kept_for=kept_for, forecast=found, told=told, fault=fault)


def fault_of(view: SeatView, refusal: Refused, given: Answer | None, asked: Asked | None) -> str:
    """A refusal in a sentence; of a `given` answer in the words of the form."""
    form = view.form_for(*asked) if given is not None and asked is not None else None
    return view.refusal(without_row(refusal, given) if form is not None else refusal, form)
