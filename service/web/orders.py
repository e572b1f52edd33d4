"""Standing orders and answers in advance of a seat: its own pages, which nobody else sees."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request
from flask_babel import gettext
from sqlmodel import Session
from werkzeug.wrappers import Response

from engine import orders as engine_orders
from engine.asks import Answer, Refused, read
from engine.forms import Form, describe
from engine.games import game_called
from service import advance, lobby, orders, turns
from service.models import Match, Seat
from service.web import answers, desk
from service.web.security import limiter

bp = Blueprint("orders", __name__)

Page = str | Response | tuple[str, int]


def _own(session: Session, match: Match, letter: str) -> Seat:
    seat = session.get(Seat, (match.id, letter))
    assert seat is not None
    return seat


def _forms(match: Match, letter: str, names: dict[str, str]) -> list[Form]:
    """Every order as the form by which it is set; nothing before the game has begun."""
    if match.status != "running" or match.snapshot is None:
        return []
    game, state = game_called(match.game), turns.state_of(match)
    return [describe(game, ask, names, 0) for ask in engine_orders.asks(game, state, letter)]


def _said(form: Form, set_: Answer) -> str:
    """A setting in a few words: the option, and the fields that are no mere orders of preference."""
    option = next((o for o in form["options"] if o["id"] == set_.option), None)
    if option is None:
        return set_.option
    parts = []
    for field in option["fields"]:
        value = set_.values.get(field["name"])
        if field["type"] == "one" and isinstance(value, str) and value:
            label = next((c["label"] for c in field["choices"] if c["id"] == value), value)
            parts.append(f"{field['label']}: {label}")
    return "; ".join(parts) or str(option["label"])


@bp.get("/g/<id:match_id>/orders")
def show(match_id: str) -> Page:
    """What is on, the preset, the dry run, and each order's form."""
    match, letter = desk.member_of(match_id)
    return _show(match, letter)


def _show(match: Match, letter: str, fault: str = "", at: str = "", kept: Answer | None = None, trial: Any = None) -> Page:
    session = desk.db()
    row = _own(session, match, letter)
    names = turns.names_of(session, match)
    forms = _forms(match, letter, names)
    set_ = engine_orders.settings(row.orders)
    said = {f["rule"]: _said(f, set_[f["rule"]]) for f in forms if f["rule"] in set_}
    body = render_template(
        "pages/orders.html",
        match=match,
        forms=forms,
        about=game_called(match.game).orders.about,
        set=set_,
        said=said,
        has_preset=bool(game_called(match.game).orders.preset),
        fault=fault,
        at=at if any(form["rule"] == at for form in forms) else "",
        kept=kept,
        trial=trial,
        read=read,
    )
    return (body, 422) if fault else body


@bp.post("/g/<id:match_id>/orders")
@limiter.limit("600 per hour")
def put(match_id: str) -> Page:
    """Set one order, or switch it off."""
    match, letter = desk.member_of(match_id)
    kind, given = answers.once(request.form, "kind"), None
    form = next((f for f in _forms(match, letter, turns.names_of(desk.db(), match)) if f["kind"] == kind), None)
    id = form["rule"] if form is not None else kind.upper().replace("_", "-")
    try:
        given = answers.parse(request.form, form)
        with desk.writing() as session:
            here = lobby.by_match_id(session, match.id)
            orders.put(session, here, _own(session, here, letter), id, given)
    except Refused as refusal:
        return _show(match, letter, fault=str(refusal), at=id, kept=given)
    flash(gettext("The order is kept. It counts for what you are asked from now on."), "good")
    return redirect(f"/g/{match_id}/orders", 303)


@bp.post("/g/<id:match_id>/orders/all")
def all_at_once(match_id: str) -> Page:
    """Take the preset, switch all off, or try on the round that was what is set."""
    match, letter = desk.member_of(match_id)
    choice = desk.fields(request.form, choice=10)["choice"]
    try:
        if choice == "try":
            return _show(match, letter, trial=orders.dry_run(desk.db(), match, _own(desk.db(), match, letter)))
        with desk.writing() as session:
            here = lobby.by_match_id(session, match.id)
            row = _own(session, here, letter)
            if choice == "preset":
                orders.take_preset(session, here, row)
            elif choice == "off":
                orders.clear(session, row)
            else:
                desk.bad(gettext("Press one of the three buttons."))
    except Refused as refusal:
        return _show(match, letter, fault=str(refusal))
    flash(gettext("The preset is set.") if choice == "preset" else gettext("All orders are off."), "good")
    return redirect(f"/g/{match_id}/orders", 303)


# --- in advance -------------------------------------------------------------------------------------------------------


@bp.get("/g/<id:match_id>/advance")
def ahead(match_id: str) -> Page:
    """What may come, as forms, and what is queued."""
    match, letter = desk.member_of(match_id)
    return _ahead(match, letter)


def _ahead(match: Match, letter: str, fault: str = "", kept: Answer | None = None) -> Page:
    session = desk.db()
    game, names = game_called(match.game), turns.names_of(session, match)
    forms = [describe(game, ask, names, 0) for ask in advance.coming(match, letter)]
    for form in forms:
        # What can't be had back isn't given away in advance, except by its own standing order.
        form["options"] = [o for o in form["options"] if not o["grave"]]
    queued = [advance.in_words(a) for a in _own(session, match, letter).advance]
    body = render_template("pages/advance.html", match=match, forms=forms, queued=queued, fault=fault, kept=kept, read=read)
    return (body, 422) if fault else body


@bp.post("/g/<id:match_id>/advance/answer")
@limiter.limit("600 per hour")
def give(match_id: str) -> Page:
    """Queue an answer."""
    match, letter = desk.member_of(match_id)
    kind, given = answers.once(request.form, "kind"), None
    names, game = turns.names_of(desk.db(), match), game_called(match.game)
    form = next((describe(game, a, names, 0) for a in advance.coming(match, letter) if a.kind == kind), None)
    try:
        given = answers.parse(request.form, form)
        with desk.writing() as session:
            here = lobby.by_match_id(session, match.id)
            advance.give(session, here, _own(session, here, letter), kind, given)
    except Refused as refusal:
        return _ahead(match, letter, fault=str(refusal), kept=given)
    flash(gettext("Kept. It is given if it comes to you and your position is still thus."), "good")
    return redirect(f"/g/{match_id}/advance", 303)


@bp.post("/g/<id:match_id>/advance/drop")
def drop(match_id: str) -> Page:
    """Take a queued answer back."""
    match, letter = desk.member_of(match_id)
    id = desk.fields(request.form, id=40)["id"]
    with desk.writing() as session:
        advance.drop(session, _own(session, lobby.by_match_id(session, match.id), letter), id)
    flash(gettext("Taken back."), "good")
    return redirect(f"/g/{match_id}/advance", 303)
