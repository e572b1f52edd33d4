"""Standing orders and answers in advance of a seat: its own pages, which nobody else sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request
from msgspec.structs import replace
from sqlmodel import Session

from engine import orders as engine_orders
from engine.asks import Answer, Refused, read
from engine.forms import Form, OrderField, describe, picked
from engine.games import game_called
from service.games import advance, lobby, orders
from service.games.state import state_of
from service.ground.words import gettext, listed
from service.store.models import Match, MatchStatus, SeatRow
from service.store.seats import names_of
from service.web import answers, desk
from service.web.desk import Page
from service.web.security import limiter

bp = Blueprint("orders", __name__)


def _own(session: Session, match: Match, letter: str) -> SeatRow:
    seat = session.get(SeatRow, (match.id, letter))
    assert seat is not None
    return seat


def _forms(match: Match, letter: str, names: dict[str, str]) -> list[Form]:
    """Every order as the form by which it is set; nothing before the game has begun."""
    if match.status != MatchStatus.RUNNING or match.snapshot is None:
        return []
    game, state = game_called(match.game), state_of(match)
    return [describe(game, ask, names, 0) for ask in engine_orders.asks(game, state, letter)]


def _said(form: Form, set_: Answer) -> str:
    """A setting in words: its way, and what is chosen in its fields. Lists that stand in their usual order are left out."""
    option = form.option(set_.option)
    if option is None:
        return set_.option
    parts: list[tuple[list[str], str]] = []
    for field in option.fields:
        value = set_.values.get(field.name)
        usual = isinstance(field, OrderField) and value == [c.id for c in field.choices]
        words = "" if usual else picked(field, value)
        if words and parts and parts[-1][1] == words:
            parts[-1][0].append(field.label)
        elif words:
            parts.append(([field.label], words))
    said = _chained([gettext("%(label)s: %(choice)s", label=_listed(labels), choice=words) for labels, words in parts])
    if len(form.options) > 2 or not said:
        said = (
            gettext("%(label)s: %(choice)s", label=option.label, choice=said) if option.label and said else option.label or said
        )
    return said


def _listed(labels: list[str]) -> str:
    """Labels with commas between, the first two of a long list."""
    if len(labels) <= 4:
        return listed(labels)
    return gettext("%(some)s and %(n)s more", some=listed(labels[:2]), n=len(labels) - 2)


def _chained(parts: list[str]) -> str:
    """Parts of a setting, one after the other."""
    return reduce(lambda before, last: gettext("%(before)s; %(last)s", before=before, last=last), parts) if parts else ""


@dataclass(frozen=True)
class Row:
    """An order on the page: its form, and how it stands."""

    form: Form
    said: str
    """The setting in words; what holds without one where nothing is set."""
    on: bool


def _groups(forms: list[Form], settings: Mapping[str, Answer], preset: Mapping[str, Answer]) -> list[tuple[str, list[Row]]]:
    """The orders by how they stand: set by the player, as in the preset, not set. Groups that are empty are left out."""
    own: list[Row] = []
    usual: list[Row] = []
    rest: list[Row] = []
    for form in forms:
        id = form.rule
        if id not in settings:
            rest.append(Row(form, _said(form, read(form.default)), False))
            continue
        as_preset = id in preset and settings[id] == preset[id]
        (usual if as_preset else own).append(Row(form, _said(form, settings[id]), True))
    named = [(gettext("As you have set them"), own), (gettext("As in the preset"), usual), (gettext("Not set"), rest)]
    return [(heading, rows) for heading, rows in named if rows]


@bp.get("/g/<id:match_id>/orders")
def show(match_id: str) -> Page:
    """What is on, the preset, the dry run, and each order's form."""
    match, letter = desk.member_of(match_id)
    return _show(match, letter)


def _show(match: Match, letter: str, fault: str = "", at: str = "", kept: Answer | None = None, trial: Any = None) -> Page:
    session = desk.db()
    row = _own(session, match, letter)
    names = names_of(session, match.id)
    forms = _forms(match, letter, names)
    game = game_called(match.game)
    settings = engine_orders.settings(game, row.orders)
    preset = engine_orders.settings(game, engine_orders.preset(game, state_of(match) if match.snapshot is not None else None))
    body = render_template(
        "pages/orders.html",
        match=match,
        forms=forms,
        about=game.orders.about,
        set=settings,
        groups=_groups(forms, settings, preset),
        has_preset=bool(preset),
        fault=fault,
        at=at if any(form.rule == at for form in forms) else "",
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
    form = next((f for f in _forms(match, letter, names_of(desk.db(), match.id)) if f.kind == kind), None)
    id = form.rule if form is not None else kind.upper().replace("_", "-")
    try:
        given = answers.parse(request.form, form)
        with desk.writing() as session:
            here = lobby.by_match_id(session, match.id)
            orders.put(session, here, _own(session, here, letter), id, given)
    except Refused as refusal:
        return _show(match, letter, fault=str(refusal), at=id, kept=given)
    flash(gettext("The order is kept. It counts for what you are asked from now on."), "good")
    return redirect(f"/g/{match_id}/orders", 303)


@bp.post("/g/<id:match_id>/orders/rows")
@limiter.limit("600 per hour")
def rows(match_id: str) -> Page:
    """The same page with a row more, less or elsewhere in an order's form. Nothing changes by it."""
    match, letter = desk.member_of(match_id)
    kind = answers.once(request.form, "kind")
    form = next((f for f in _forms(match, letter, names_of(desk.db(), match.id)) if f.kind == kind), None)
    try:
        return _show(match, letter, at=form.rule if form else "", kept=answers.rearranged(request.form, form))
    except Refused as refusal:
        return _show(match, letter, fault=str(refusal))


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
    game, names = game_called(match.game), names_of(session, match.id)
    described = [describe(game, ask, names, 0) for ask in advance.coming(match, letter)]
    # What can't be had back isn't given away in advance, except by its own standing order.
    forms = [replace(form, options=[o for o in form.options if not o.grave]) for form in described]
    queued = [advance.in_words(game, names, a) for a in _own(session, match, letter).advance]
    body = render_template("pages/advance.html", match=match, forms=forms, queued=queued, fault=fault, kept=kept, read=read)
    return (body, 422) if fault else body


@bp.post("/g/<id:match_id>/advance/answer")
@limiter.limit("600 per hour")
def give(match_id: str) -> Page:
    """Queue an answer."""
    match, letter = desk.member_of(match_id)
    kind, given = answers.once(request.form, "kind"), None
    names, game = names_of(desk.db(), match.id), game_called(match.game)
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


@bp.post("/g/<id:match_id>/advance/rows")
@limiter.limit("600 per hour")
def advance_rows(match_id: str) -> Page:
    """The same page with a row more, less or elsewhere in a form. Nothing changes by it."""
    match, letter = desk.member_of(match_id)
    kind = answers.once(request.form, "kind")
    names, game = names_of(desk.db(), match.id), game_called(match.game)
    form = next((describe(game, a, names, 0) for a in advance.coming(match, letter) if a.kind == kind), None)
    try:
        return _ahead(match, letter, kept=answers.rearranged(request.form, form))
    except Refused as refusal:
        return _ahead(match, letter, fault=str(refusal))


@bp.post("/g/<id:match_id>/advance/drop")
def drop(match_id: str) -> Page:
    """Take a queued answer back."""
    match, letter = desk.member_of(match_id)
    id = desk.fields(request.form, id=40)["id"]
    with desk.writing() as session:
        advance.drop(session, _own(session, lobby.by_match_id(session, match.id), letter), id)
    flash(gettext("Taken back."), "good")
    return redirect(f"/g/{match_id}/advance", 303)
