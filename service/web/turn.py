"""The turn page: table, question, answer."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from flask import Blueprint, jsonify, redirect, render_template, request

from engine.asks import Answer, Refused, read, write
from engine.forms import said, untouched
from engine.match import OFFER
from service.common.i18n import gettext
from service.games import guides, results, seat_view, submissions
from service.games.seat_view import SeatView
from service.store.models import Match, MatchStatus, SubmissionStatus
from service.table import practice
from service.web import answers, context, decks, measures, presets, seat_page, visits
from service.web.answers import Asked
from service.web.context import Page
from service.web.security import limiter

bp = Blueprint("turn", __name__)


@dataclass(frozen=True)
class Confirm:
    """An answer to confirm."""

    label: str
    text: str
    sentence: str
    serial: int
    kind: str
    grave: bool
    offered: bool
    """Whether it answers an offer."""
    about: str = ""
    """Title of that offer."""
    begun: str = ""
    """Query string that prefills the form again, without scripts."""


@bp.get("/g/<id:match_id>/table")
def turn_page(match_id: str) -> Page:
    return _show(*context.member_of(match_id))


def _show(
    match: Match,
    seat: str,
    view: SeatView | None = None,
    fault: str = "",
    status: int = 200,
    confirm: Confirm | None = None,
    kept: Answer | None = None,
    asked: Asked | None = None,
    forecast: submissions.Forecast | None = None,
) -> Page:
    """Render, with the view if already loaded; `kept` fills the form of what is `asked`: by default the question."""
    if context.gathers(match):
        return redirect(f"/g/{match.id}", 303)
    view = view or seat_page.load(match, seat)
    if match.practice and (view is None or view.pending or not view.form):
        practice.wake(context.db(), match)
    if view is None:
        return render_template("pages/setting_up.html", match=match), 202
    kept_for = asked if asked is not None and asked.is_offer else None
    if kept is None and request.method == "GET":
        begun = presets.given_beside(request.args, [*view.proposals, *view.offers])
        kept = begun[1] if begun is not None else presets.given(request.args, view.form)
        kept_for = Asked(begun[0].serial, begun[0].kind) if begun is not None else None
    form = view.form_for(*kept_for) if kept_for is not None else view.form
    kept = answers.fitting(kept, form)
    own, over, running = view.own, bool(view.view.get("outcome")), match.status == MatchStatus.RUNNING
    accounts, me = context.accounts_in(match.id), context.me()
    account = accounts.get(seat)
    visit = visits.note(match.id, seat, view.n)
    for line in view.log:
        line.new = line.new and (visit is None or line.n > visit.n)
    body = seat_page.render(
        "pages/turn.html",
        view,
        fault=fault,
        confirm=confirm,
        kept=kept,
        kept_for=kept_for,
        forecast=forecast,
        presets=presets.ways(form, kept) if not view.pending else {},
        ready=decks.ready_made(view),
        safe=read(view.form.default) if view.form else None,
        standing=answers.terms,
        new_key=lambda: secrets.token_hex(16),
        named_beside=presets.named,
        notice=view.notice if running else None,
        no_letters=own is not None and own.letters == "none",
        troubled=[view.names[s] for s in sorted(accounts) if accounts[s].bounced_at is not None],
        # A link reveals nothing of its owner's other games.
        guide=view.game.guide if account is not None and guides.guided(account, match) and not over else [],
        elsewhere=view.elsewhere if account is not None and me is not None and me.id == account.id else 0,
        # Else the news since a later move are shown.
        fresh=sum(line.new for line in view.log),
        visited=visit if visit is not None and own is not None and visit.n >= own.moved_n else None,
        ending=results.ending(context.db(), match, context.zone_in(match.id, seat), seat) if over else "",
        offer_orders=running and own is not None and not own.orders and bool(view.game.orders.preset),
    )
    return body if status == 200 else (body, status)


@bp.get("/g/<id:match_id>/moved")
@limiter.limit("240 per minute")
def moved(match_id: str) -> Page:
    """Version tag for polling by an open page."""
    return jsonify(mark=seat_view.load_mark(context.db(), *context.member_of(match_id)))


@bp.post("/g/<id:match_id>/preview")
@limiter.limit("1200 per minute")
def preview(match_id: str) -> Page:
    """The page with an answer to confirm and its certain effect."""
    match, seat = context.member_of(match_id)
    view = seat_page.load(match, seat)
    given: Answer | None = None
    asked: Asked | None = None
    if view is None:
        return _show(match, seat)
    try:
        asked = answers.asked(request.form)
        form = view.form_for(*asked)
        given = answers.parse(request.form, form)
        forecast = submissions.preview(context.db(), view, *asked, given)
    except Refused as refusal:
        return _refused(match_id, refusal, given, asked, view)
    option, sentence = form.option(given.option) if form is not None else None, forecast.words
    if asked.is_offer and not sentence and asked.kind not in view.waits:
        sentence = gettext("It counts at once, and can’t be taken back.")
        if asked.serial == OFFER and submissions.leaves_open(context.db(), view, asked.kind, given):
            sentence = gettext("You can withdraw it until it is answered.")
    confirm = Confirm(
        label=said(form, given) if form is not None else given.option,
        text=write(given),
        sentence=sentence,
        serial=asked.serial,
        kind=asked.kind,
        grave=option is not None and option.grave,
        offered=asked.is_offer,
        about=form.title if form is not None and asked.is_offer else "",
        begun=presets.address(view.form, given) if view.form is not None and not asked.is_offer else "",
    )
    return _show(match, seat, view, confirm=confirm, kept=given, asked=asked, forecast=forecast)


@bp.post("/g/<id:match_id>/ahead")
@limiter.limit("1200 per minute")
def look_ahead(match_id: str) -> Page:
    """Fragment: effect and faults of an incomplete answer, row by row, for an open page."""
    view = seat_page.load(*context.member_of(match_id))
    if view is None:
        return "", 204
    try:
        asked = answers.asked(request.form)
        form = view.form_for(*asked)
        given = answers.parse(request.form, form)
        if not any(value != [] for value in given.values.values()):  # nothing begun
            return "", 204
        found = submissions.forecast(context.db(), view, *asked, given)
    except Refused:  # reported when the form is sent
        return "", 204
    told = {n: view.refusal(why, form) for n, why in found.faults.items() if not answers.is_begun(form, given, n)}
    fault = view.refusal(found.fault, form) if found.fault is not None else ""
    return seat_page.render("pages/_ahead.html", view, kept=given, forecast=found, told=told, fault=fault)


@bp.post("/g/<id:match_id>/rows")
@limiter.limit("1200 per minute")
def rows(match_id: str) -> Page:
    """The page with a row added, dropped or moved; saves nothing."""
    match, seat = context.member_of(match_id)
    view = seat_page.load(match, seat)
    try:
        asked = answers.asked(request.form)
        kept = answers.rearranged(request.form, view.form_for(*asked) if view is not None else None)
    except Refused as refusal:
        return _refused(match_id, refusal, view=view)
    return _show(match, seat, view, kept=kept, asked=asked)


@bp.post("/g/<id:match_id>/sum")
@limiter.limit("1200 per minute")
def sum_up(match_id: str) -> Page:
    """The page with the deck's total; saves nothing."""
    match, seat = context.member_of(match_id)
    view = seat_page.load(match, seat)
    try:
        kept = answers.parse(request.form, view.form if view is not None else None)
    except Refused as refusal:
        return _refused(match_id, refusal, view=view)
    return _show(match, seat, view, kept=kept)


@bp.post("/g/<id:match_id>/answer")
@limiter.limit("1200 per minute")
def answer(match_id: str) -> Page:
    """Queue the answer, wait briefly for the worker, and redirect or show the refusal.

    An untouched form (`once`) must be confirmed.
    """
    key = answers.once(request.form, "key")
    given: Answer | None = None
    asked: Asked | None = None
    try:
        submissions.check_key(key)
        match, seat = context.member_of(match_id)
        asked = answers.asked(request.form)
        beside = seat_view.load_rows(context.db(), match, seat)
        form = None
        if not request.form.get("answer") and match.status == MatchStatus.RUNNING:
            form = seat_view.posted_form(context.db(), match, seat, context.seats_in(match_id), beside, *asked)
        given = answers.parse(request.form, form)
        if request.form.get("once") and form is not None and untouched(form, given):
            return preview(match_id)
        context.let_go()
        with context.writing() as session:
            submissions.submit(session, match, seat, key, *asked, given, rows=beside)
    except Refused as refusal:
        return _refused(match_id, refusal, given, asked)
    return _word(match_id, key, submissions.wait(context.db(), key))


@bp.get("/g/<id:match_id>/answer/<id:key>")
def look_again(match_id: str, key: str) -> Page:
    """Poll until the worker has decided."""
    _, seat = context.member_of(match_id)
    found = submissions.outcome(context.db(), key)
    if found is None or (found.match_id, found.seat) != (match_id, seat):
        return redirect(f"/g/{match_id}/table", 303)
    return _word(match_id, key, found)


def _word(match_id: str, key: str, found: submissions.Decision | None) -> Page:
    if found is None or found.status in (SubmissionStatus.ACCEPTED, SubmissionStatus.HELD):
        return redirect(f"/g/{match_id}/table", 303)
    if found.status == SubmissionStatus.QUEUED and request.method == "POST":
        return redirect(f"/g/{match_id}/answer/{key}", 303)
    match, seat = context.member_of(match_id)
    if found.status == SubmissionStatus.QUEUED:
        return render_template("pages/on_its_way.html", match=match)
    status = 409 if found.status == SubmissionStatus.STALE else 422
    return _show(match, seat, fault=submissions.refusal_of(found), status=status)


def _refused(
    match_id: str, refusal: Refused, given: Answer | None = None, asked: Asked | None = None, view: SeatView | None = None
) -> Page:
    """Render with a refusal, in the words of the form if it is of a `given` answer to what was `asked`."""
    measures.refused(refusal)
    match, seat = context.member_of(match_id)
    view = view or seat_page.load(match, seat)
    status = {"stale": 409, "not understood": 400, "not allowed": 403}.get(refusal.kind, 422)
    form = view.form_for(*asked) if view is not None and given is not None and asked is not None else None
    fault = view.refusal(refusal, form) if view is not None else str(refusal)
    return _show(match, seat, view, fault, status, kept=given, asked=asked)


@bp.post("/g/<id:match_id>/held")
def held(match_id: str) -> Page:
    """Withdraw a held answer."""
    match, seat = context.member_of(match_id)
    asked = answers.asked(request.form)
    with context.writing() as session:
        submissions.take_back(session, match, seat, *asked)
    return redirect(f"/g/{match_id}/table", 303)
