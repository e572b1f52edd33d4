"""The end of a game: standings, story, plot, rematch; and the tutorial's end."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request

from engine.games import game_called
from service.common.i18n import gettext
from service.games import rematches
from service.log import names, results, story
from service.seat.state import position
from service.store.models import MatchStatus
from service.store.seats import called
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.replay.plot import plot
from service.web.security import limiter

bp = Blueprint("results", __name__)

FIGURES = 6
"""Most statistics of a game on its page."""


@bp.get("/g/<id:match_id>/result")
@limiter.limit("120 per minute")
def result(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    if match.status != MatchStatus.FINISHED:
        return redirect(f"/g/{match.id}/table", 303)
    session, rows, people = context.db(), context.seats_in(match.id), context.accounts_in(match.id)
    game, named = game_called(match.game), called(match, {row.seat: row.name for row in rows})
    zone = people[seat].zone if seat in people else "UTC"
    me = context.me()
    mine = me is not None and seat in people and people[seat].id == me.id
    told, then = results.told(session, match, seat), names.then(session, match, rows, seat)
    course = results.course(session, match)
    # A packed log has no snapshot; the course avoids a replay.
    state = course.state if course is not None and match.snapshot is None else position(session, match)
    standings = results.standings(game, state, named, (match.outcome or {}).get("winners", []), told)
    turns = [(row, then(row.n)) for row in story.decisive(game, course, told)]
    about = story.story(game, course, turns, named, seat, zone)
    goals = {one.points[1] if one.points else 0 for one in standings}
    return render_template(
        "pages/result.html",
        match=match,
        game=game,
        mine=seat,
        called=named,
        colours={row.seat: row.colour for row in rows},
        bots={row.seat for row in rows if row.bot},
        standings=standings,
        place=story.own_place(standings, seat),
        story=about,
        course=course,
        plot=plot(course, goals.pop() if len(goals) == 1 else None, about.turns) if course is not None else None,
        headings=[game.words.chapter(chapter.event) for chapter in course.chapters] if course is not None else [],
        figures=course.figures[:FIGURES] if course is not None else [],
        luck=results.lucky(session, match) if course is not None and "luck" in request.args else None,
        may_luck=course is not None and bool(game.face.begins),
        opened=rematches.found(session, match, me) if mine and me is not None else None,
        may_ask=mine or me is None,
    )


@bp.post("/g/<id:match_id>/rematch")
@limiter.limit("20 per hour")
@once
def rematch(match_id: str) -> Page:
    context.fields(request.form)
    context.among_people()
    if context.me() is None:
        context.set_return_path(f"/g/{match_id}/result")
        return redirect("/sign-in", 303)
    with context.changing(match_id) as (session, played):
        match = rematches.again(session, played, context.me_in(session))
    if context.is_before_start(match):
        flash(gettext("You have a seat at the rematch; it begins as soon as all have accepted."), "good")
    else:
        flash(gettext("All have accepted: the rematch begins."), "good")
    return redirect(f"/g/{match.id}", 303)
