"""The turn page: table, question, answer, history."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Blueprint, flash, jsonify, redirect, render_template, request

from engine.asks import Answer, Refused, Value, are_rows, read, write
from engine.forms import Form, OneField, RowsField, SimpleField, SomeField, said, untouched, worded
from engine.match import OFFER
from engine.offers import AMEND
from engine.words import Line, calling
from service.common.i18n import gettext
from service.common.messages import read as stored_sentence
from service.errors import LinkExpired, Stale
from service.games import guides, lobby, results, shuffle, submissions, turns
from service.games.history import page as history_page
from service.games.seen import forms_of
from service.games.state import position
from service.games.turns import TurnPage
from service.people import accounts
from service.post import letters, links
from service.store import limits
from service.store.models import Link, Match, MatchStatus, SealedAnswer, SeatRow, Submission, SubmissionStatus
from service.store.seats import called, names_of
from service.table import commands as table
from service.table import glance
from service.web import answers, context, decks, measures, presets, visits
from service.web import frame as frames
from service.web.context import Page
from service.web.once import once
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
    about: str = ""
    """Title of the offer answered, if any."""
    begun: str = ""
    """Query string that prefills the form again, without scripts."""


LED_TO = re.compile(r"result|history|log\.jsonl|clock|confirm|talk/[A-Za-z0-9_-]{1,64}")
"""Other targets of a letter's link, which need no sign-in."""


@bp.get("/t/<token:token>")
def enter(token: str) -> Page:
    """A letter's link: stored in a cookie, then removed from the URL by a redirect.

    A browser of another seat or account must confirm first.
    """
    try:
        link = links.open(context.settings(), context.db(), token, links.TURN)
    except LinkExpired:
        page = render_template(
            "pages/token.html",
            title=gettext("This link has run out"),
            sentences=[gettext("A letter with a new one can be sent to the address of the seat.")],
            ask_name=False,
            buttons=[("again", gettext("Send me a new link"), "primary")],
        )
        return page, 410
    if context.is_anothers(link):
        return _ask(link)
    return _come_in(link, request.args)


def _come_in(link: Link, begun: Mapping[str, str] | None = None) -> Page:
    """Redirect to the turn page, prefilled as the link says, or to the page that it names."""
    context.enter_by(link)
    to = (begun or {}).get("to", "")
    if LED_TO.fullmatch(to):
        return redirect(f"/g/{link.match_id}/{to}", 303)
    return redirect(f"/g/{link.match_id}/table" + (f"?{urlencode([*begun.items()])}" if begun else ""), 303)


def _ask(link: Link) -> Page:
    """Confirm a link in another's browser, showing only the seat's name."""
    known, who = context.seat_in(str(link.match_id)), context.as_whom()
    names = names_of(context.db(), lobby.by_match_id(context.db(), str(link.match_id)).id)
    theirs = gettext("This link is for the seat of %(name)s.", name=names[link.seat])
    if known is not None:
        here = gettext("You are here as %(name)s.", name=names[known])
    else:
        here = gettext("You are here as %(name)s, who has no seat in that game.", name=who)
    taking = gettext(
        "If you take it, this browser plays that seat instead, and shows what only %(name)s may see. "
        "Take it only if the seat is yours, or its owner wishes it.",
        name=names[link.seat],
    )
    buttons = [
        ("stay", gettext("Stay as you are"), "primary"),
        ("take", gettext("Take the seat of %(name)s in this browser", name=names[link.seat]), ""),
    ]
    title = gettext("A link for another seat")
    return render_template(
        "pages/token.html", title=title, sentences=[f"{theirs} {here}", taking], ask_name=False, buttons=buttons
    )


@bp.post("/t/<token:token>")
@limiter.limit("6 per hour", exempt_when=lambda: request.form.get("choice") in ("stay", "take"))
def pressed(token: str) -> Page:
    """Keep the current seat or take the link's; or send a new link for an expired one."""
    choice = context.fields(request.form, choice=20)["choice"]
    if choice in ("stay", "take"):
        link = links.open(context.settings(), context.db(), token, links.TURN)
        known = context.seat_in(str(link.match_id))
        if choice == "take":
            # The form's URL still has the link's query.
            return _come_in(link, request.args)
        return redirect(f"/g/{link.match_id}/table" if known is not None else "/games", 303)
    with context.writing() as session:
        link = links.open(context.settings(), session, token, links.TURN, expired=True)
        match, seat = session.get(Match, link.match_id), session.get(SeatRow, (link.match_id, link.seat))
        if match is not None and seat is not None and seat.account_id:
            limits.one_at_a_time(session, match)
            owner = accounts.by_id(session, seat.account_id)
            me = context.me()
            limits.copy(session, owner, limits.OWN if me is not None and me.id == owner.id else limits.BY_LINK)
            letters.fresh_link(session, match, seat, owner)
    flash(gettext("A letter with a new link is on its way."), "good")
    return redirect("/", 303)


@bp.get("/g/<id:match_id>/table")
def turn_page(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    return _show(match, seat)


def _show(
    match: Match,
    seat: str,
    fault: str = "",
    status: int = 200,
    confirm: Confirm | None = None,
    kept: Answer | None = None,
    kept_for: tuple[int, str] | None = None,
    forecast: submissions.Forecast | None = None,
) -> Page:
    """Render; `kept` fills the form, or the offer `kept_for` (serial, kind)."""
    if context.gathers(match):
        return redirect(f"/g/{match.id}", 303)
    frame = frames.look(match, seat)
    page, beside, own, account = frame.page, frame.beside, frame.own, frame.account
    if page is None:
        return render_template("pages/setting_up.html", match=match), 202
    if kept is None and request.method == "GET":
        begun = presets.given_beside(request.args, [*page.proposals, *page.offers])
        kept = begun[1] if begun is not None else presets.given(request.args, page.form)
        kept_for = (begun[0].serial, begun[0].kind) if begun is not None else kept_for
    kept = answers.fitting(kept, _form_of(page, kept_for))
    accounts = context.accounts_in(match.id)
    visit = visits.note(match.id, seat, page.n)
    for line in page.log:
        line.new = line.new and (visit is None or line.n > visit.n)
    body = frames.render(
        "pages/turn.html",
        frame,
        page,
        fault=fault,
        confirm=confirm,
        kept=kept,
        kept_for=kept_for,
        forecast=forecast,
        presets=presets.ways(_form_of(page, kept_for), kept) if not page.pending else {},
        ready=_ready_decks(page),
        safe=read(page.form.default) if page.form else None,
        standing=_standing,
        new_key=lambda: secrets.token_hex(16),
        offer_serial=OFFER,
        named_beside=presets.named,
        notice=beside.notice if match.status == MatchStatus.RUNNING else None,
        no_letters=own is not None and own.letters == "none",
        troubled=[page.names[s] for s in sorted(accounts) if accounts[s].bounced_at is not None],
        # A link reveals nothing of its owner's other games.
        guide=page.game.guide if account is not None and guides.guided(account, match) and not page.view.get("outcome") else [],
        elsewhere=beside.elsewhere if account is not None and (me := context.me()) is not None and me.id == account.id else 0,
        # Else the news since a later move are shown.
        fresh=sum(line.new for line in page.log),
        visited=visit if visit is not None and own is not None and visit.n >= own.moved_n else None,
        ending=results.ending(context.db(), match, account.zone if account else "UTC", seat)
        if page.view.get("outcome")
        else "",
        mark=turns.mark(match, seat, beside.beside, page.n),
        offer_orders=match.status == MatchStatus.RUNNING
        and own is not None
        and not own.orders
        and bool(page.game.orders.preset),
    )
    return body if status == 200 else (body, status)


def _ready_decks(page: TurnPage) -> list[tuple[str | Line, str]]:
    """House decks for a page that asks for one: (name, query string)."""
    build = decks.asked_for(page)
    if build is None or page.form is None or page.pending:
        return []
    return [(deck.name, presets.address(page.form, build.answer(deck.cards))) for deck in build.ready]


@bp.get("/g/<id:match_id>/moved")
@limiter.limit("240 per minute")
def moved(match_id: str) -> Page:
    """Version tag for polling by an open page."""
    match, seat = context.member_of(match_id)
    at = glance.look(context.db(), match, seat, context.seats_in(match.id)).beside
    return jsonify(mark=turns.mark(match, seat, at))


def _posted(match_id: str) -> tuple[Match, TurnPage, int, str, Answer]:
    match, seat = context.member_of(match_id)
    page = turns.page(context.db(), match, seat, glance.look(context.db(), match, seat, context.seats_in(match.id)).beside)
    if page is None:
        raise Stale(gettext("The game is being set up; it opens in a moment."))
    serial, kind = answers.number(request.form, "serial"), answers.once(request.form, "kind")
    form = next((f for f in _forms(page, serial) if f.kind == kind), None)
    return match, page, serial, kind, answers.parse(request.form, form)


@bp.post("/g/<id:match_id>/preview")
@limiter.limit("1200 per minute")
def preview(match_id: str) -> Page:
    """The page with an answer to confirm and its certain effect."""
    try:
        match, page, serial, kind, answer = _posted(match_id)
    except Refused as refusal:
        return _refused(match_id, refusal)
    try:
        forecast = submissions.preview(context.db(), match, page.seat, serial, kind, answer)
    except Refused as refusal:
        return _refused(match_id, _in_words(page, serial, kind, refusal), answer, _offered(serial, kind))
    label, grave, sentence = _label(page, serial, kind, answer), _grave(page, serial, kind, answer), forecast.words
    about = ""
    if serial <= OFFER:
        about = next((form.title for form in _forms(page, serial) if form.kind == kind), "")
        if not sentence and kind not in page.waits:
            sentence = gettext("It counts at once, and can’t be taken back.")
    begun = presets.address(page.form, answer) if page.form is not None and _offered(serial, kind) is None else ""
    confirm = Confirm(label, write(answer), sentence, serial, kind, grave, about, begun)
    return _show(match, page.seat, confirm=confirm, kept=answer, kept_for=_offered(serial, kind), forecast=forecast)


@bp.post("/g/<id:match_id>/ahead")
@limiter.limit("1200 per minute")
def look_ahead(match_id: str) -> Page:
    """Fragment: effect and faults of an incomplete answer, row by row, for an open page."""
    match, seat = context.member_of(match_id)
    frame = frames.look(match, seat)
    page = frame.page
    if page is None:
        return "", 204
    try:
        serial, kind = answers.number(request.form, "serial"), answers.once(request.form, "kind")
        form = next((f for f in _forms(page, serial) if f.kind == kind), None)
        answer = answers.parse(request.form, form)
        if not any(value != [] for value in answer.values.values()):  # nothing begun
            return "", 204
        found = submissions.forecast(context.db(), match, seat, serial, kind, answer)
    except Refused:  # reported when the form is sent
        return "", 204
    told = {n: str(_in_words(page, serial, kind, why)) for n, why in found.faults.items() if not _begun(form, answer, n)}
    fault = str(_in_words(page, serial, kind, found.fault)) if found.fault is not None else ""
    return frames.render("pages/_ahead.html", frame, page, kept=answer, forecast=found, told=told, fault=fault)


def _begun(form: Form | None, answer: Answer, n: int) -> bool:
    """Whether a row is incomplete, so that its fault isn't shown yet."""
    option = form.option(answer.option) if form is not None else None
    for field in option.fields if option is not None else ():
        rows = answer.values.get(field.name)
        if isinstance(field, RowsField) and isinstance(rows, list) and are_rows(rows) and n <= len(rows):
            return any(_needed(cell) and not rows[n - 1].get(cell.name) for cell in field.fields)
    return False


def _needed(cell: SimpleField) -> bool:
    return (isinstance(cell, OneField) and not cell.optional) or (isinstance(cell, SomeField) and cell.least > 0)


@bp.post("/g/<id:match_id>/rows")
@limiter.limit("1200 per minute")
def rows(match_id: str) -> Page:
    """The page with a row added, dropped or moved; saves nothing."""
    match, seat = context.member_of(match_id)
    page = turns.page(context.db(), match, seat)
    try:
        serial, kind = answers.number(request.form, "serial"), answers.once(request.form, "kind")
        form = next((f for f in _forms(page, serial) if f.kind == kind), None) if page is not None else None
        kept = answers.rearranged(request.form, form)
    except Refused as refusal:
        return _refused(match_id, refusal)
    return _show(match, seat, kept=kept, kept_for=_offered(serial, kind))


@bp.post("/g/<id:match_id>/sum")
@limiter.limit("1200 per minute")
def sum_up(match_id: str) -> Page:
    """The page with the deck's total; saves nothing."""
    match, seat = context.member_of(match_id)
    page = turns.page(context.db(), match, seat)
    try:
        kept = answers.parse(request.form, page.form if page is not None else None)
    except Refused as refusal:
        return _refused(match_id, refusal)
    return _show(match, seat, kept=kept)


def _standing(form: Form) -> Answer | None:
    """A proposal's current terms, for its amendment form."""
    option = form.option(AMEND)
    terms: dict[str, Value] = {f.name: form.about[f.name] for f in option.fields if f.name in form.about} if option else {}
    return Answer(AMEND, terms) if terms else None


def _offered(serial: int, kind: str) -> tuple[int, str] | None:
    """(serial, kind) of an offer; None for the question."""
    return (serial, kind) if serial <= OFFER else None


def _forms(page: TurnPage, serial: int) -> list[Form]:
    shown = [*([page.form] if page.form else []), *page.proposals, *page.offers]
    return [form for form in shown if form.serial == serial]


def _form_of(page: TurnPage, kept_for: tuple[int, str] | None) -> Form | None:
    """The question's form, or that offer's."""
    if kept_for is None:
        return page.form
    return next((form for form in _forms(page, kept_for[0]) if form.kind == kept_for[1]), None)


def _in_words(page: TurnPage, serial: int, kind: str, refusal: Refused) -> Refused:
    form = next((f for f in _forms(page, serial) if f.kind == kind), None)
    return (
        worded(form, refusal, lambda id: page.game.word(id, called(page.match, {}), page.seat)) if form is not None else refusal
    )


def _label(page: TurnPage, serial: int, kind: str, answer: Answer) -> str:
    form = next((f for f in _forms(page, serial) if f.kind == kind), None)
    return said(form, answer) if form is not None else answer.option


def _grave(page: TurnPage, serial: int, kind: str, answer: Answer) -> bool:
    options = [o for f in _forms(page, serial) if f.kind == kind for o in f.options]
    return any(o.grave for o in options if o.id == answer.option)


@bp.post("/g/<id:match_id>/answer")
@limiter.limit("1200 per minute")
def answer(match_id: str) -> Page:
    """Queue the answer, wait briefly for the worker, and redirect or show the refusal.

    An untouched form (`once`) must be confirmed.
    """
    key = answers.once(request.form, "key")
    given: Answer | None = None
    offered: tuple[int, str] | None = None
    try:
        submissions.check_key(key)
        match, seat = context.member_of(match_id)
        serial, kind = answers.number(request.form, "serial"), answers.once(request.form, "kind")
        offered = _offered(serial, kind)
        beside = submissions.lying(context.db(), match_id, seat, serial, kind)
        form = _form_alone(match, seat, serial, kind, beside.sealed)
        given = answers.parse(request.form, form)
        if request.form.get("once") and form is not None and untouched(form, given):
            return preview(match_id)
        submission = _queued(match, seat, key, serial, kind, given, beside)
    except Refused as refusal:
        return _refused(match_id, refusal, given, offered)
    return _word(match_id, submission.id, submissions.wait(context.db(), submission.id))


def _form_alone(match: Match, seat: str, serial: int, kind: str, sealed: Sequence[SealedAnswer]) -> Form | None:
    """The posted form alone; None if closed, or for an answer in text."""
    if request.form.get("answer") or match.status != MatchStatus.RUNNING:
        return None
    state = position(context.db(), match)
    if state is None:
        raise Stale(gettext("The game is being set up; it opens in a moment."))
    names = called(match, {row.seat: row.name for row in context.seats_in(match.id)})
    return next((form for form in forms_of(match, state, seat, names, sealed, serial) if form.kind == kind), None)


def _queued(match: Match, seat: str, key: str, serial: int, kind: str, given: Answer, beside: submissions.Lying) -> Submission:
    """Queue the answer. Idempotent by `key`. Raises Refused."""
    match_id = match.id  # detached before the write
    try:
        vetted = submissions.vet(context.db(), match, seat, serial, kind, given, beside)
        if beside.waiting:
            raise Stale(submissions.ON_ITS_WAY)
    except Refused as refusal:
        known = submissions.sent(context.db(), match_id, seat, key)
        if known is not None:
            return known
        page = turns.page(context.db(), match, seat)
        raise _in_words(page, serial, kind, refusal) if page is not None else refusal from None
    context.let_go()
    with context.writing() as session:
        return submissions.put(session, match_id, seat, key, serial, kind, vetted)


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
    return _show(match, seat, fault=str(stored_sentence(found.refusal)), status=status)


def _refused(match_id: str, refusal: Refused, kept: Answer | None = None, kept_for: tuple[int, str] | None = None) -> Page:
    """Render with a refusal."""
    measures.refused(refusal)
    match, seat = context.member_of(match_id)
    status = {"stale": 409, "not understood": 400, "not allowed": 403}.get(refusal.kind, 422)
    with calling(called(match, {row.seat: row.name for row in context.seats_in(match.id)})):
        fault = str(refusal)
    return _show(match, seat, fault=fault, status=status, kept=kept, kept_for=kept_for)


@bp.post("/g/<id:match_id>/held")
def held(match_id: str) -> Page:
    """Withdraw a held answer."""
    match, seat = context.member_of(match_id)
    serial, kind = answers.number(request.form, "serial"), answers.once(request.form, "kind")
    with context.writing() as session:
        submissions.take_back(session, match, seat, serial, kind)
    return redirect(f"/g/{match_id}/table", 303)


@bp.post("/g/<id:match_id>/back")
@once
def back(match_id: str) -> Page:
    """Take the seat back from its steward."""
    match, seat = context.member_of(match_id)
    context.fields(request.form)
    with context.writing() as session:
        if turns.steward_of(session, match, seat):
            table.command(session, match, seat, f"back seat={seat}")
    flash(gettext("The seat is yours again."), "good")
    return redirect(f"/g/{match_id}/table", 303)


@bp.get("/g/<id:match_id>/history")
def history(match_id: str) -> Page:
    """The log as the seat may know it, in pages."""
    match, seat = context.member_of(match_id)
    raw = request.args.get("page", "")
    number = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 7 else None
    found = history_page(context.db(), match, seat, number)
    colours = {row.seat: row.colour for row in context.seats_in(match.id)}
    return render_template("pages/history.html", match=match, history=found, colours=colours, shuffle=shuffle.told(match, seat))
