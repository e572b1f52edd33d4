"""An account's letters: preferences, ledger, copies, one-click unsubscribe, calendar feed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from flask import Blueprint, make_response, render_template, request
from flask_limiter.util import get_remote_address
from sqlmodel import Session

from engine.core.asks import Refused
from service.clock import calendar
from service.common.dates import shown
from service.common.i18n import gettext
from service.errors import LinkRevoked
from service.post import ledger, letter_preferences, letters, links
from service.seat import copies
from service.store import limits, optouts
from service.store.models import Match, SeatRow
from service.store.seats import by_match_id
from service.web import context, words
from service.web.context import Page
from service.web.once import once
from service.web.security import csrf, limiter

bp = Blueprint("post", __name__)


@bp.before_request
def with_an_address() -> None:
    if context.guest() is not None:
        context.among_people()


LISTED = 15
"""Letters listed."""


@bp.get("/account/letters")
def settings(fault: str = "", typed: Mapping[str, str] = MappingProxyType({})) -> Page:
    me = context.need_account()
    wish = {"mode": me.letters, "hour": str(me.digest_hour), "subjects": me.subjects}
    kept = ledger.of_account(context.db(), me, LISTED)
    told = ledger.lines_of_all(context.db(), kept)
    feed = f"{context.settings().base_url}/calendar/{me.calendar_key}.ics" if me.calendar_key else ""
    return context.form_page(
        "pages/letters.html",
        fault,
        account=me,
        wish={**wish, **typed},
        letters=[(letter, told[letter.id]) for letter in kept],
        feed=feed,
        fates=words.FATES,
        bounce=ledger.said(me.bounce),
        moment=lambda at: shown(at, me.zone),
        opted_out=optouts.has(context.db(), me.email),
    )


@bp.post("/account/letters")
def keep() -> Page:
    given = context.fields(request.form, mode=10, hour=4, subjects=10)
    try:
        with context.writing() as session:
            letter_preferences.keep(session, context.me_in(session), given["mode"], given["hour"], given["subjects"] or "what")
    except Refused as refusal:
        return settings(str(refusal), given)
    return context.done("/account/letters", gettext("Saved. Your letters come this way from now on."))


@bp.post("/account/letters/test")
@limiter.limit("6 per hour")
@once
def test() -> Page:
    """Send a test letter, and clear a bounce mark."""
    context.fields(request.form)
    try:
        with context.writing() as session:
            me = context.me_in(session)
            limits.copy(session, me)
            ledger.mended(session, me) if me.bounced_at is not None else letters.test_letter(session, me)
    except Refused as refusal:
        return settings(str(refusal))
    return context.done("/account/letters", gettext("A test letter is on its way; soon you see below what became of it."))


@bp.post("/account/letters/invitations")
def invitations_again() -> Page:
    context.fields(request.form)
    with context.writing() as session:
        optouts.end(session, context.me_in(session).email)
    return context.done("/account/letters", gettext("Hosts can invite you again."))


@bp.post("/account/calendar")
@once
def feed_address() -> Page:
    choice = context.fields(request.form, choice=10)["choice"]
    with context.writing() as session:
        me = context.me_in(session)
        calendar.renew(session, me) if choice == "renew" else calendar.close(session, me)
    return context.done(
        "/account/letters",
        gettext("The calendar has a new address.") if choice == "renew" else gettext("The calendar is closed."),
    )


@bp.get("/calendar/<id:key>.ics")
@limiter.limit("120 per hour", key_func=get_remote_address)
def feed(key: str) -> Page:
    answer = make_response(calendar.feed(context.db(), key))
    answer.mimetype = "text/calendar"
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer


@bp.get("/g/<id:match_id>/letters")
def of_game(match_id: str) -> Page:
    return _of_game(*context.member_of(match_id))


def _of_game(match: Match, seat: str, fault: Refused | None = None) -> Page:
    row = context.db().get(SeatRow, (match.id, seat))
    return context.form_page("pages/letters_game.html", fault, match=match, mode=row.letters if row else "")


@bp.post("/g/<id:match_id>/letters")
@context.form_of_member(_of_game)
def keep_for_game(match: Match, seat: str) -> Page:
    mode = context.fields(request.form, mode=10)["mode"]
    with context.writing() as session:
        letter_preferences.keep_for_game(session, session.get_one(SeatRow, (match.id, seat)), mode)
    return context.done(f"/g/{match.id}/letters", gettext("Saved. Letters of this game come this way from now on."))


@bp.post("/g/<id:match_id>/letters/again")
@limiter.limit("20 per hour")
@once
@context.form_of_member(_of_game)
def again(match: Match, seat: str) -> Page:
    context.fields(request.form)
    with context.changing(match.id) as (session, here):
        copies.resend(session, here, session.get_one(SeatRow, (match.id, seat)))
    return context.done(f"/g/{match.id}/letters", gettext("A copy is on its way."))


@bp.get("/leave/<token:token>")
def leaving(token: str) -> Page:
    """Unsubscribe page. GET changes nothing: mail scanners follow links."""
    email = links.opting_out(context.settings(), context.db(), token)
    if email is not None:
        return _no_invitations(done=bool(email) and optouts.has(context.db(), email), known=bool(email))
    try:
        seats = links.leaving(context.settings(), context.db(), token)
    except LinkRevoked:
        return _leave_page(context.db(), [], done=False)
    return _leave_page(context.db(), seats, done=all(seat.letters == "none" for seat in seats))


@bp.post("/leave/<token:token>")
# RFC 8058: mail services post here without cookie or CSRF token.
@csrf.exempt  # type: ignore[untyped-decorator]  # flask_wtf has no types
@limiter.limit("60 per minute", key_func=get_remote_address)
def leave(token: str) -> Page:
    """One-click unsubscribe, idempotent, without redirect."""
    try:
        with context.writing() as session:
            email = links.opting_out(context.settings(), session, token)
            if email is not None:
                if email:
                    optouts.add(session, email)
                return _no_invitations(done=bool(email), known=bool(email))
            seats = links.leaving(context.settings(), session, token)
            letter_preferences.end(session, seats)
            return _leave_page(session, seats, done=True)
    except LinkRevoked:
        return _leave_page(context.db(), [], done=False)


def _no_invitations(done: bool, known: bool) -> Page:
    return render_template("pages/no_invitations.html", done=done, known=known)


def _leave_page(session: Session, seats: list[SeatRow], done: bool) -> Page:
    """Page of an unsubscribe link. No seats: one with old keys, since mail services get no error."""
    return render_template("pages/leave.html", matches=[by_match_id(session, s.match_id) for s in seats], done=done)
