"""The turn page: table, question, answer."""

from __future__ import annotations

from flask import Blueprint, jsonify, redirect, render_template, request

from engine.core.asks import Answer, Refused
from engine.play.match import OFFER, TAKE_BACK
from service.common.i18n import gettext
from service.log import results
from service.people import accounts as people
from service.seat import chances, guides, seat_view, submissions, take_back
from service.seat.seat_view import SeatView
from service.seat.submissions import Vetted
from service.store.models import Match, MatchStatus, SubmissionStatus
from service.table import mine as my_games
from service.table import practice
from service.web import answers, context, request_metrics
from service.web.answers import Asked
from service.web.context import Page
from service.web.security import limiter
from service.web.table import seat_page, visits

bp = Blueprint("turn", __name__)
STATUS = {"stale": 409, "not understood": 400, "not allowed": 403}
"""HTTP status by kind of refusal; 422 for others."""


@bp.get("/g/<id:match_id>/table")
def turn_page(match_id: str) -> Page:
    return _show(*context.member_of(match_id))


def _show(
    match: Match,
    seat: str,
    view: SeatView | None = None,
    fault: str = "",
    status: int = 200,
    confirm: seat_page.Confirm | None = None,
    kept: Answer | None = None,
    asked: Asked | None = None,
    forecast: submissions.Forecast | None = None,
    counted: list[chances.Counted] | None = None,
    refusal: Refused | None = None,
) -> Page:
    """Render. `kept` fills the form of `asked`, by default the question; `refusal`: of that answer."""
    if context.is_before_start(match):
        # An invited table's lobby requires sign-in; the muster's page doesn't.
        return redirect(f"/g/{match.id}/muster" if match.muster_until and context.me() is None else f"/g/{match.id}", 303)
    view = view or seat_page.load(match, seat)
    if refusal is not None:
        request_metrics.refused(refusal)
        fault = seat_page.fault_of(view, refusal, kept, asked) if view is not None else str(refusal)
        status = STATUS.get(refusal.kind, 422)
    if match.practice and (view is None or view.pending or not view.form):
        practice.wake(context.db(), match)
    if view is None:
        return render_template("pages/setting_up.html", match=match), 202
    own, over, running = view.own, bool(view.view.get("outcome")), match.status == MatchStatus.RUNNING
    accounts, me = context.accounts_in(match.id), context.me()
    account = accounts.get(seat)
    visit = visits.note(match.id, seat, view.n)
    for line in view.news.log:
        line.new = line.new and (visit is None or line.n > visit.n)
    first_game = account is not None and guides.guided(account, match)
    body = seat_page.render_forms(
        "pages/turn.html",
        view,
        kept,
        asked,
        not view.pending,
        fault=fault,
        confirm=confirm,
        forecast=forecast,
        counted=counted,
        countable=not view.pending and chances.offered(view),
        notice=view.rows.notice if running else None,
        back=take_back.offered(context.db(), match, own) if not view.pending else take_back.Offered(),
        no_letters=own is not None and own.letters == "none",
        troubled=[view.names[s] for s in sorted(accounts) if accounts[s].bounced_at is not None],
        # A link reveals nothing of its owner's other games.
        first_note=guides.note(account, view) if account is not None and running else "",
        elsewhere=_elsewhere(view, account is not None and me is not None and me.id == account.id),
        # Else the news since an older move are shown.
        fresh=sum(line.new for line in view.news.log),
        moved=own is not None and own.moved_n > 0,
        visited=visit if visit is not None and own is not None and visit.n >= own.moved_n else None,
        ending=results.ending(context.db(), match, context.zone_in(match.id, seat), seat) if over else "",
        offer_orders=bool(own and not own.orders and view.game.orders.preset and first_game),
        offer_lessons=first_game and own is not None and not own.moved_n and view.game.face.lessons is not None,
    )
    return body if status == 200 else (body, status)


def _elsewhere(view: SeatView, own: bool) -> int:
    """Number of other waiting games."""
    if own:
        return view.rows.elsewhere
    if context.me() is not None or not context.holds_links() or (view.form is not None and not view.pending):
        return 0
    held_here = context.held_in(view.match.id)
    if held_here is not None and not held_here.others:
        return 0
    held = my_games.of_links(context.db(), context.held_links())
    return sum(game.asked and game.match.id != view.match.id for game in held)


@bp.post("/g/<id:match_id>/note")
def note_read(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    given = context.fields(request.form, kind=40, off=3)
    owner = context.accounts_in(match.id).get(seat)
    if owner is not None:
        with context.writing() as session:
            account = people.by_id(session, owner.id)
            if given["off"]:
                guides.turn_off(session, account, match)
            else:
                guides.dismiss(session, account, match, given["kind"])
    return redirect(f"/g/{match_id}/table", 303)


@bp.get("/g/<id:match_id>/moved")
@limiter.limit("240 per minute")
def moved(match_id: str) -> Page:
    """Version tag, polled by an open page, and whether the answer `step` can still be taken back."""
    match, seat = context.member_of(match_id)
    told: dict[str, object] = {"mark": seat_view.load_mark(context.db(), match, seat)}
    if step := request.args.get("step"):
        own = next((row for row in context.seats_in(match_id) if row.seat == seat), None)
        told["back"] = take_back.offered(context.db(), match, own).step == step
    return jsonify(told)


@bp.post("/g/<id:match_id>/preview")
@limiter.limit("1200 per minute")
def preview(match_id: str) -> Page:
    """The page with an answer to confirm and its certain effect."""
    return _laid_out(*context.member_of(match_id))


def _laid_out(match: Match, seat: str, odds: bool = False) -> Page:
    """The page with the posted answer to confirm, perhaps with its odds."""
    view = seat_page.load(match, seat)
    given: Answer | None = None
    asked: Asked | None = None
    if view is None:
        return _show(match, seat)
    try:
        asked = answers.asked(request.form)
        given = answers.parse(request.form, view.form_for(*asked))
        vetted = submissions.vet_for(view, *asked, given)
    except Refused as refusal:
        return _show(match, seat, view, kept=given, asked=asked, refusal=refusal)
    return _to_confirm(view, asked, given, vetted, odds)


def _to_confirm(view: SeatView, asked: Asked, given: Answer, vetted: Vetted, odds: bool = False) -> Page:
    form, forecast = view.form_for(*asked), submissions.preview(view, vetted)
    sentence = forecast.words
    if asked.serial == OFFER and not sentence and submissions.leaves_open(view, vetted):
        sentence = gettext("You can withdraw it until it is answered.")
    cost = submissions.cost_of_offer(view, vetted) if asked.is_offer else forecast.cost
    counted = [chances.count(view, vetted)] if odds else None
    counts = not odds and bool(chances.stakes(view, vetted))
    confirm = seat_page.to_confirm(asked, form, given, sentence, cost, counts)
    return _show(view.match, view.seat, view, confirm=confirm, kept=given, asked=asked, forecast=forecast, counted=counted)


@bp.post("/g/<id:match_id>/odds")
@limiter.limit("40 per minute")
def count_odds(match_id: str) -> Page:
    """The page with the odds of the posted answer, or of each verb if none is posted; saves nothing."""
    match, seat = context.member_of(match_id)
    if "option" in request.form or "answer" in request.form:
        return _laid_out(match, seat, odds=True)
    view = seat_page.load(match, seat)
    return _show(match, seat, view, counted=chances.all_plain(view) if view is not None else None)


@bp.post("/g/<id:match_id>/ahead")
@limiter.limit("1200 per minute")
def look_ahead(match_id: str) -> Page:
    view = seat_page.load(*context.member_of(match_id))
    return seat_page.look_ahead(view) if view is not None else ("", 204)


@bp.post("/g/<id:match_id>/rows")
@bp.post("/g/<id:match_id>/sum")
@limiter.limit("1200 per minute")
def rows(match_id: str) -> Page:
    """Add, drop or move a row, or show the deck's total; saves nothing."""
    match, seat = context.member_of(match_id)
    view = seat_page.load(match, seat)
    try:
        asked = answers.asked(request.form)
        read = answers.rearranged if "rows" in request.form else answers.parse
        kept = read(request.form, view.form_for(*asked) if view is not None else None)
    except Refused as refusal:
        return _show(match, seat, view, refusal=refusal)
    return _show(match, seat, view, kept=kept, asked=asked)


@bp.post("/g/<id:match_id>/answer")
@limiter.limit("1200 per minute")
def answer(match_id: str) -> Page:
    """Queue the answer, wait briefly for the worker, and redirect or show the refusal. What costs something for good,
    or gives up a turn's march, must be confirmed: see `submissions.warns`.
    """
    key = answers.once(request.form, "key")
    match, seat = context.member_of(match_id)
    given: Answer | None = None
    asked: Asked | None = None
    try:
        asked = answers.asked(request.form)
        view = seat_view.load_asked(context.db(), match, seat, context.seats_in(match_id), asked.serial)
        given = answers.parse(request.form, view.form_for(*asked))
        vetted = submissions.vet_for(view, *asked, given)
        if not asked.is_offer and not request.form.get("answer") and submissions.warns(view, vetted):
            shown = seat_page.load(match, seat)
            assert shown is not None
            return _to_confirm(shown, asked, given, vetted)
        context.close_read_session()
        with context.writing() as session:
            submissions.submit(session, match, seat, key, *asked, given, rows=view.rows, vetted=vetted)
    except Refused as refusal:
        if (known := _decision(match_id, seat, key)) is not None:  # pressed twice
            return _word(match_id, key, known)
        return _show(*context.member_of(match_id), kept=given, asked=asked, refusal=refusal)
    return _word(match_id, key, submissions.wait(context.db(), key))


@bp.post("/g/<id:match_id>/take-back")
@limiter.limit("240 per hour")
def back(match_id: str) -> Page:
    """Queue a take-back, and wait as for an answer."""
    key = answers.once(request.form, "key")
    try:
        match, seat = context.member_of(match_id)
        given = Answer("back", {"step": answers.once(request.form, "step")})
        context.close_read_session()
        with context.writing() as session:
            submissions.submit(session, match, seat, key, OFFER, TAKE_BACK, given)
    except Refused as refusal:
        return _show(*context.member_of(match_id), refusal=refusal)
    return _word(match_id, key, submissions.wait(context.db(), key))


@bp.get("/g/<id:match_id>/answer/<id:key>")
def look_again(match_id: str, key: str) -> Page:
    _, seat = context.member_of(match_id)
    return _word(match_id, key, _decision(match_id, seat, key))


def _decision(match_id: str, seat: str, key: str) -> submissions.Decision | None:
    """What became of the seat's form with this key, after a wait if it is queued."""
    found = submissions.outcome(context.db(), key)
    if found is None or (found.match_id, found.seat) != (match_id, seat):
        return None
    return submissions.wait(context.db(), key) if found.status == SubmissionStatus.QUEUED else found


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


@bp.post("/g/<id:match_id>/held")
def held(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    asked = answers.asked(request.form)
    with context.writing() as session:
        submissions.take_back(session, match, seat, *asked)
    return redirect(f"/g/{match_id}/table", 303)
