"""“Something is wrong here”: a player's report, read by host and operators."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from engine.core.asks import Refused
from service.common.dates import shown
from service.common.i18n import gettext
from service.replay import viewer
from service.store.models import Match, MatchStatus, SeatRow
from service.table import problems
from service.web import answers, context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("problems", __name__)


@bp.get("/g/<id:match_id>/wrong")
def ask(match_id: str) -> Page:
    """The form; `n`: the entry that it is about, by default the newest."""
    match, _ = context.member_of(match_id)
    return _form(match, request.args.get("n", ""))


def _form(match: Match, n: str, words: str = "", fault: str = "") -> Page:
    last = viewer.last_of(context.db(), match)
    entry = min(int(n), last) if n.isascii() and n.isdecimal() and len(n) < 7 else last
    return context.form_page("pages/wrong.html", fault, match=match, n=entry, words=words, longest=problems.LONGEST)


@bp.post("/g/<id:match_id>/wrong")
@limiter.limit("30 per hour")
@once
def report(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    given = context.fields(request.form, ("words",), n=6, words=10_000)
    try:
        with context.writing() as session:
            problems.report(session, match, seat, answers.number(request.form, "n"), given["words"])
    except Refused as refusal:
        return _form(match, given["n"], given["words"], str(refusal))
    return context.done(
        f"/g/{match_id}/replay?n={given['n']}", gettext("Thank you. The host and those who run the service will look at it.")
    )


@bp.get("/problems/<id:report_id>")
def show(report_id: str) -> Page:
    """A report, for the game's host and operators. Until the game is over, only operators without a seat there see the seat's
    view.
    """
    me = context.need_account()
    row, match = problems.found(context.db(), report_id)
    operator = me.email in context.settings().operators
    if not operator and me.id != match.host_id:
        abort(403, description=gettext("That page is for the game's host and for those who run this service."))
    own = context.db().get(SeatRow, (match.id, row.seat))
    seated = any(seat.account_id == me.id for seat in context.seats_in(match.id))
    theirs = own is not None and own.account_id == me.id
    open_to_all = match.status == MatchStatus.FINISHED
    return render_template(
        "pages/problem.html",
        match=match,
        report=row,
        view=row.view if theirs or open_to_all or (operator and not seated) else "",
        operator=operator,
        seated=seated,
        moment=lambda at: shown(at, me.zone),
    )
