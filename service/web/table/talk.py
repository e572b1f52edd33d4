"""Talk at a table: conversations, private messages, muting, reports."""

from __future__ import annotations

import secrets
from typing import Any

from flask import Blueprint, flash, make_response, redirect, request

from engine.core.asks import SEATS, Refused
from service.common.dates import shown
from service.common.i18n import gettext, mark
from service.errors import NotFound
from service.log import bot_talk, muting
from service.store.models import Match, Thread
from service.table import parleys, talk
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import framed, limiter

bp = Blueprint("talk", __name__)
bp.before_request(context.among_people)


@bp.get("/g/<id:match_id>/talk")
def threads(match_id: str) -> Page:
    return _threads(*context.member_of(match_id))


def _threads(match: Match, seat: str, fault: Refused | str = "") -> Page:
    session = context.db()
    seats = context.seats_in(match.id)
    zone = context.zone_in(match.id, seat)
    listed, muted = talk.threads(session, match, seat), muting.muted_by(session, match.id, seat)
    begun = any(not one.thread.members for one in listed)
    return context.form_page(
        "pages/talk.html",
        fault,
        match=match,
        mine=seat,
        seats={s.seat: s for s in seats},
        people=[s for s in seats if s.account_id and s.seat != seat],
        bots=[s for s in seats if s.bot and not match.quiet_bots],
        listed=listed,
        said=[] if begun else bot_talk.lines(session, match, muted),
        muted=muted,
        moment=lambda at: shown(at, zone),
        bounded=parleys.bounding(match) is not None,
    )


TABLE = "all"
"""Recipient: the whole table."""
NOBODY_CHOSEN = mark("Choose first who is to read it: the whole table, or some of its players.")


@bp.get("/g/<id:match_id>/talk/new")
def begin(match_id: str) -> Page:
    """GET changes nothing."""
    match, seat = context.member_of(match_id)
    to = "".join(request.args.getlist("to"))[:20]
    if not to:
        flash(gettext(NOBODY_CHOSEN), "bad")
        return redirect(f"/g/{match_id}/talk", 303)
    chosen = to if to == TABLE else "".join(s for s in SEATS if s in to and s != seat)
    return _write(match, seat, chosen)


def _write(match: Match, seat: str, to: str, fault: str = "", text: str = "") -> Page:
    """Render; `to`: recipients' seats, or TABLE."""
    people = [s for s in context.seats_in(match.id) if s.account_id and s.seat != seat]
    readers = people if to == TABLE else [s for s in people if s.seat in to]
    if not to or (to != TABLE and len(readers) < len(to)):
        return _threads(match, seat, fault or gettext(NOBODY_CHOSEN))
    return context.form_page(
        "pages/write.html",
        fault,
        match=match,
        to=to,
        whole=to == TABLE,
        readers=readers,
        key=secrets.token_hex(16),
        text=text,
    )


@bp.get("/g/<id:match_id>/talk/<id:thread_id>")
def thread(match_id: str, thread_id: str) -> Page:
    """GET doesn't mark it as read."""
    return _thread(*context.member_of(match_id), thread_id)


def _thread(match: Match, seat: str, thread_id: str, fault: str = "", text: str = "") -> Page:
    row = talk.open_thread(context.db(), match, seat, thread_id)
    listed = talk.threads(context.db(), match, seat)
    return context.form_page("pages/thread.html", fault, **_conversation(match, seat, row, listed, text))


def _conversation(match: Match, seat: str, row: Thread | None, listed: list[talk.ThreadSummary], text: str) -> dict[str, Any]:
    session, zone = context.db(), context.zone_in(match.id, seat)
    own = next((x for x in listed if row is not None and x.thread.id == row.id), None)
    if row is not None:
        said, number, pages = talk.messages(session, row, seat, context.page_number())
    else:
        said, number, pages = [*bot_talk.lines(session, match, muting.muted_by(session, match.id, seat))], 1, 1
    bounds = parleys.bounds_of(session, match, row, seat) if row is not None else None
    return {
        "match": match,
        "mine": seat,
        "seats": {s.seat: s for s in context.seats_in(match.id)},
        "thread": row,
        "said": said,
        "page": number,
        "pages": pages,
        "unread": own.unread if own else 0,
        "others": own.others if own else [],
        "since": talk.read_until(session, row, seat) if row is not None else None,
        "moment": lambda at: shown(at, zone),
        "key": secrets.token_hex(16),
        "text": text,
        "bounds": bounds,
    }


@bp.get("/g/<id:match_id>/beside")
@bp.get("/g/<id:match_id>/beside/<id:thread_id>", endpoint="thread_beside")
def beside(match_id: str, thread_id: str = "") -> Page:
    """A conversation, by default the table's, framed on the turn page. GET doesn't mark it as read."""
    return _beside(*context.member_of(match_id), thread_id)


def _beside(match: Match, seat: str, thread_id: str, fault: str = "", text: str = "") -> Page:
    listed = talk.threads(context.db(), match, seat)
    row = talk.open_thread(context.db(), match, seat, thread_id) if thread_id else None
    row = row or next((x.thread for x in listed if not x.thread.members), None)
    variables = _conversation(match, seat, row, listed, text)
    return framed(make_response(context.form_page("pages/talk_beside.html", fault, listed=listed, **variables)))


@bp.post("/g/<id:match_id>/talk")
@limiter.limit("60 per minute")
def say(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    boxes = {f"to_{s}": 3 for s in (*SEATS, TABLE)}
    given = context.fields(request.form, ("text",), text=60_000, key=80, thread=40, beside=3, **boxes)
    chosen = "".join(s for s in SEATS if given[f"to_{s}"])
    if not given["thread"] and bool(chosen) == bool(given[f"to_{TABLE}"]):
        return _threads(match, seat, gettext(NOBODY_CHOSEN))
    try:
        with context.changing(match.id) as (session, here):
            members = chosen
            if given["thread"]:
                members = talk.open_thread(session, here, seat, given["thread"]).members
            message = talk.say(session, here, seat, members, given["text"], given["key"])
    except NotFound:
        raise
    except Refused as refusal:
        if given["beside"]:
            return _beside(match, seat, given["thread"], str(refusal), given["text"])
        if given["thread"]:
            return _thread(match, seat, given["thread"], str(refusal), given["text"])
        return _write(match, seat, chosen or TABLE, str(refusal), given["text"])
    if given["beside"]:
        return framed(redirect(f"/g/{match_id}/beside/{message.thread_id}", 303))
    return redirect(f"/g/{match_id}/talk/{message.thread_id}", 303)


@bp.post("/g/<id:match_id>/talk/<id:thread_id>/read")
def read(match_id: str, thread_id: str) -> Page:
    match, seat = context.member_of(match_id)
    given = context.fields(request.form, beside=3)
    with context.writing() as session:
        talk.mark_read(session, talk.open_thread(session, match, seat, thread_id), seat)
    if given["beside"]:
        return framed(redirect(f"/g/{match_id}/beside/{thread_id}", 303))
    return redirect(f"/g/{match_id}/talk", 303)


@bp.post("/g/<id:match_id>/mute")
@context.form_of_member(_threads)
def mute(match: Match, seat: str) -> Page:
    given = context.fields(request.form, seat=2, on=3)
    with context.writing() as session:
        talk.mute(session, match, seat, given["seat"], bool(given["on"]))
    return context.done(f"/g/{match.id}/talk", gettext("Muted; only you know.") if given["on"] else gettext("Heard again."))


@bp.post("/g/<id:match_id>/report/<id:message_id>")
@limiter.limit("20 per hour")
@once
def report(match_id: str, message_id: str) -> Page:
    match, seat = context.member_of(match_id)
    given = context.fields(request.form, why=600, thread=40)
    try:
        with context.writing() as session:
            talk.report(session, match, seat, message_id, given["why"])
    except NotFound:
        raise
    except Refused as refusal:
        return _thread(match, seat, given["thread"], str(refusal))
    return context.done(
        f"/g/{match_id}/talk/{given['thread']}", gettext("Reported. Those who run the service will look at it.")
    )
