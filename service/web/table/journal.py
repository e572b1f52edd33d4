"""A seat's notes, the history and the journal of a game, and the spectators' page."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request

from engine.core.asks import NotLegal, Refused
from engine.games import game_called
from service.common.i18n import gettext
from service.games import lobby
from service.log import shuffle
from service.replay import history, journal
from service.seat import notes
from service.store.models import SeatRow
from service.table import host
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter, unlisted

bp = Blueprint("journal", __name__)


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


@bp.get("/g/<id:match_id>/history")
def show_history(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    found = history.page(context.db(), match, seat, context.page_number())
    colours = {row.seat: row.colour for row in context.seats_in(match.id)}
    return render_template("pages/history.html", match=match, history=found, colours=colours, shuffle=shuffle.told(match, seat))


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
    return context.attachment(journal.text(context.db(), match), "journal.txt", "text/plain")


@bp.post("/g/<id:match_id>/spectators")
@once
def spectators(match_id: str) -> Page:
    """Close the game to spectators or renew the link, as host; opening it takes a vote."""
    context.among_people()
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
