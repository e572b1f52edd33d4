"""Talk, notes, journal, and the spectators' page."""

from __future__ import annotations

import secrets
from typing import Any

from flask import Blueprint, flash, make_response, redirect, render_template, request

from engine.core.asks import SEATS, NotLegal, Refused
from engine.games import game_called
from service.common.dates import shown
from service.common.i18n import gettext, mark
from service.errors import NotFound
from service.games import lobby
from service.log import bot_talk, muting
from service.replay import journal
from service.seat import notes
from service.store.models import Match, SeatRow, Thread
from service.table import host, parleys, talk
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import framed, limiter, unlisted

bp = Blueprint("talk", __name__)
ALONE = frozenset(("talk.show_notes", "talk.keep_notes", "talk.show_journal", "talk.journal_text"))
"""Pages that a table with bots alone has, too."""


@bp.before_request
def among_people() -> None:
    if request.endpoint not in ALONE:
        context.among_people()


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
    """`to`: recipients' seats, or TABLE."""
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
    """Template variables of a conversation."""
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
@bp.get("/g/<id:match_id>/beside/<id:thread_id>")
def beside(match_id: str, thread_id: str = "") -> Page:
    """A conversation, by default the table's, in a frame next to the board. GET doesn't mark it as read."""
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


@bp.get("/g/<id:match_id>/notes")
def show_notes(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    row = context.db().get(SeatRow, (match.id, seat))
    return render_template("pages/notes.html", match=match, text=row.notes if row else "")


@bp.post("/g/<id:match_id>/notes")
def keep_notes(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    text = context.fields(request.form, ("text",), text=60_000)["text"]
    try:
        with context.writing() as session:
            notes.keep(session, session.get_one(SeatRow, (match.id, seat)), text)
    except Refused as refusal:
        return render_template("pages/notes.html", match=match, text=text, fault=str(refusal)), 422
    return context.done(f"/g/{match_id}/notes", gettext("The notes are kept."))


@bp.get("/g/<id:match_id>/journal")
def show_journal(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    me = context.me()
    zone = me.zone if me is not None else "UTC"
    told, number, pages = journal.page(context.db(), match, context.page_number(), zone, seat)
    hosting = me is not None and me.id == match.host_id
    watch = f"{context.settings().base_url}/watch/{match.watch_key}" if match.spectators and hosting else ""
    return render_template(
        "pages/journal.html", match=match, chapters=told, page=number, pages=pages, hosting=hosting, watch=watch
    )


@bp.get("/g/<id:match_id>/journal.txt")
def journal_text(match_id: str) -> Page:
    match, _ = context.member_of(match_id)
    answer = make_response(journal.text(context.db(), match))
    answer.mimetype = "text/plain"
    answer.headers["Content-Disposition"] = 'attachment; filename="journal.txt"'
    return answer


@bp.post("/g/<id:match_id>/spectators")
@once
def spectators(match_id: str) -> Page:
    """Close the game to spectators or renew the link, as host; opening it takes a vote."""
    match, _ = context.member_of(match_id)
    on = context.fields(request.form, on=3)["on"]
    try:
        with context.changing(match.id) as (session, here):
            lobby.host_only(here, context.me_in(session))
            host.watch(session, here, bool(on))
    except NotLegal as refusal:
        flash(str(refusal), "bad")
        return redirect(f"/g/{match_id}/journal", 303)
    return context.done(
        f"/g/{match_id}/journal",
        gettext("Anybody with the new address can read along.") if on else gettext("Nobody can watch any more."),
    )


@bp.get("/watch/<id:key>")
@limiter.limit("120 per minute")
def watch(key: str) -> Page:
    match, view = journal.watched(context.db(), key)
    told, number, pages = journal.page(context.db(), match, context.page_number())
    return unlisted(
        render_template(
            "pages/watch.html",
            match=match,
            chapters=told,
            page=number,
            pages=pages,
            view=view,
            board=view.game.face.board(view.view, None, None) if view else None,
            waits_for=view.waits_for if view else "",
            title=game_called(match.game).title,
            word=view.word if view else None,
            listed=view.listed if view else None,
        )
    )
