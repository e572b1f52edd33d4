"""The lobby of a game before its start: page and actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request

from engine.core.asks import NotLegal, NotUnderstood
from engine.game import Game
from engine.games import GAMES
from engine.ui.forms import Form, describe
from service.clock import pace
from service.common.dates import shown
from service.common.i18n import gettext, listed, ngettext
from service.errors import Taken
from service.games import decks, inviting, lobby, muster, options, terms
from service.log import characters
from service.people import accounts
from service.post import ledger
from service.store import rulings
from service.store.models import Account, Match, MatchStatus, SeatRow, SeatStatus
from service.store.seats import by_match_id, seats_of
from service.web import context, words
from service.web.context import Page
from service.web.games.decks import fitting, laid
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("lobby", __name__)


def found(match_id: str) -> tuple[Match, list[SeatRow]]:
    """The match and its seats. Raises NotFound."""
    match = by_match_id(context.db(), match_id)
    return match, seats_of(context.db(), match)


@dataclass(frozen=True)
class Row:
    seat: SeatRow
    who: str
    state: str
    mine: bool
    clearable: str
    """Label of the button that frees the seat, if allowed."""
    waits: bool
    """Whether its player must confirm the options."""
    absent: bool
    """Whether its player hasn't confirmed to be present."""


def _row(seat: SeatRow, match: Match, me: Account | None, absent: bool) -> Row:
    mine = me is not None and seat.account_id == me.id
    hosting = me is not None and match.host_id == me.id
    clearable = ""
    if seat.status == SeatStatus.TAKEN:
        who = seat.name or gettext("a player")
        state = (
            gettext("bot “%(bot)s” · %(line)s", bot=words.BOT_NAMES.get(seat.bot, seat.bot), line=characters.introduced(seat))
            if seat.bot
            else lobby.COLOURS.get(seat.colour, seat.colour)
        )
        clearable = "" if mine else gettext("Unseat")
    elif seat.status == SeatStatus.INVITED:
        who = seat.name or (seat.invited_email if hosting and seat.invited_email else gettext("invited"))
        state, clearable = gettext("no answer yet"), gettext("Withdraw")
    else:
        who = gettext("free seat")
        state = gettext("waits for somebody")
    waits = seat.status == SeatStatus.TAKEN and not terms.has_agreed(match, seat)
    return Row(seat, who, str(state), mine, clearable if hosting else "", waits, absent)


@bp.get("/g/<id:match_id>")
def game(match_id: str) -> Page:
    match, seats = found(match_id)
    if match.status in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        return redirect(f"/g/{match.id}/table", 303)
    return page(match, seats)


def page(match: Match, seats: list[SeatRow], **more: Any) -> Page:
    """Render the lobby with typed values; a fault in `more` makes it a 422."""
    me = context.me()
    mine = next((seat for seat in seats if me and seat.account_id == me.id), None)
    hosting = me is not None and match.host_id == me.id
    _may_see(match, seats, me)
    if match.status == MatchStatus.CANCELLED:
        return render_template("pages/over.html", match=match, game=GAMES[match.game])
    free = sum(seat.status == SeatStatus.EMPTY for seat in seats)
    open_seats = sum(seat.status != SeatStatus.TAKEN for seat in seats)
    waited = terms.unconfirmed(match, seats)
    lede = ngettext(
        "%(num)s seat is still to be taken; then the game starts by itself.",
        "%(num)s seats are still to be taken; then the game starts by itself.",
        open_seats,
    )
    if not open_seats:
        lede = gettext("All seats are taken; the table is being laid.")
    if waited and not open_seats:
        lede = gettext("All seats are taken. The game starts when everybody has confirmed the options.")
    missing, until = muster.absent(match, seats), match.muster_until
    if missing:
        lede = gettext("All seats are taken. The game begins when everybody has said to be there.")
    host = accounts.by_id(context.db(), match.host_id)
    found = GAMES[match.game]
    build, lies = (
        found.rules.build.for_seat(match.options, mine.seat) if found.rules.build and mine else None,
        laid(found, mine),
    )
    rendered = render_template(
        "pages/lobby.html",
        match=match,
        game=found,
        here=f"/g/{match.id}",
        lede=lede,
        seats=[_row(seat, match, me, seat in missing) for seat in seats],
        mustered=muster.is_chosen(match),
        mustered_by_bots=muster.is_wanted(match, seats),
        asked=mine is not None and mine in missing,
        until=shown(until, me.zone if me is not None else "UTC") if until is not None else "",
        fills=shown(match.fill_at, me.zone if me is not None else "UTC") if match.fill_at is not None and open_seats else "",
        mine=mine,
        build=build,
        builds=found.rules.build is not None,
        deck=lies if build and sum(lies.values()) == build.size else {},
        options=rulings.told_options(match),
        house=rulings.house(found) if hosting else [],
        rulings_told=rulings.told(match),
        commitment=match.commitment,
        terms=terms.digest(match),
        unconfirmed=[seat.name for seat in waited if seat is not mine],
        to_confirm=mine is not None and mine in waited,
        hosting=hosting,
        free=free,
        last=open_seats,
        declined=ledger.declined(context.db(), match) if hosting else 0,
        can_join=me is not None and mine is None and match.access == "open" and free > 0,
        pace=pace.words(pace.of(match.pace)),
        saved=fitting(build, decks.of(context.db(), me, match.game)) if me else [],
        colours=[
            (colour, name)
            for colour, name in lobby.COLOURS.items()
            if not any(seat.colour == colour and seat.status == SeatStatus.TAKEN and seat is not mine for seat in seats)
        ],
        bots=[(bot, words.BOT_NAMES.get(bot, bot), words.BOTS.get(bot, "")) for bot in lobby.bots_of(found)],
        shared=f"{context.settings().base_url}/s/{match.share_key}" if hosting and match.share_key else "",
        host_name=host.name if host and host.name else gettext("a player"),
        **{
            "rulings_kept": rulings.chosen(match),
            **(_options_shown(found, match) if hosting and options.has_options(match) else {}),
            **more,
        },
    )
    return (
        (rendered, 422) if more.keys() & {"fault", "options_fault", "rulings_fault", "word_fault", "join_fault"} else rendered
    )


def options_form(game: Game, match: Match) -> Form:
    return describe(game, game.rules.variants.ask(match.seats), {}, 0)


def _options_shown(game: Game, match: Match) -> dict[str, Any]:
    return {
        "options_form": options_form(game, match),
        "options_kept": game.rules.variants.write(match.seats, match.options),
        "options_file": game.rules.variants.file,
    }


def _may_see(match: Match, seats: list[SeatRow], me: Account | None) -> None:
    """Abort unless the lobby is open or the visitor is host, player or guest."""
    if match.access == "open":
        return
    if me is None:
        context.need_account()
    elif match.host_id != me.id and not any(me.id == seat.account_id or me.email == seat.invited_email for seat in seats):
        abort(403, description=gettext("That game is for people its host has invited."))


def done(match_id: str, sentence: str) -> Page:
    return context.done(f"/g/{match_id}", sentence)


@bp.post("/g/<id:match_id>/invite")
@limiter.limit("120 per hour")
@once
def invite(match_id: str) -> Page:
    """Invite addresses; refused ones stay in the field with reasons."""
    text = context.fields(request.form, email=6000)["email"]
    try:
        with context.changing(match_id) as (session, match):
            invited, refused = inviting.invite_all(session, match, context.me_in(session), text)
    except (NotUnderstood, NotLegal, Taken) as fault:
        match, seats = found(match_id)
        return page(match, seats, fault=str(fault), email=text)
    if refused:
        match, seats = found(match_id)
        faults, left = [why for _, why in refused], "\n".join(email for email, _ in refused)
        return page(match, seats, fault=faults[0], faults=refused, invited=invited, email=left)
    if len(invited) == 1:
        return done(match_id, gettext("The invitation to %(email)s is on its way.", email=invited[0]))
    return done(match_id, gettext("Invitations are on their way to %(emails)s.", emails=listed(invited)))


@bp.post("/g/<id:match_id>/share")
@limiter.limit("30 per hour")
@once
def share(match_id: str) -> Page:
    choice = context.fields(request.form, choice=10)["choice"]
    if choice not in ("make", "end"):
        context.bad(gettext("Press “Make a link” or “Withdraw it”."))
    with context.changing(match_id) as (session, match):
        inviting.share(session, match, context.me_in(session), choice == "make")
    if choice == "make":
        return done(match_id, gettext("The link is ready. Anybody with it can sit down while a seat is free."))
    return done(match_id, gettext("The link is withdrawn; it no longer works."))


@bp.post("/g/<id:match_id>/bot")
@once
def add_bot(match_id: str) -> Page:
    given = context.fields(request.form, bot=40, how_many=10)
    with context.changing(match_id) as (session, match):
        host = context.me_in(session)
        free = sum(seat.status == SeatStatus.EMPTY for seat in seats_of(session, match))
        seated = free if given["how_many"] == "all" and free else 1
        for _ in range(seated):
            lobby.add_bot(session, match, host, given["bot"])
    return done(match_id, ngettext("The bot has sat down.", "%(num)s bots have sat down.", seated))


@bp.post("/g/<id:match_id>/clear")
@once
def clear(match_id: str) -> Page:
    seat = context.fields(request.form, seat=2)["seat"]
    with context.changing(match_id) as (session, match):
        lobby.clear_seat(session, match, context.me_in(session), seat)
    return done(match_id, gettext("Seat %(letter)s is free again.", letter=seat.upper()))


@bp.post("/g/<id:match_id>/resend")
@limiter.limit("60 per hour")
@once
def resend(match_id: str) -> Page:
    seat = context.fields(request.form, seat=2)["seat"]
    with context.changing(match_id) as (session, match):
        inviting.resend_invitation(session, match, context.me_in(session), seat)
    return done(match_id, gettext("The invitation is on its way once more."))


@bp.post("/g/<id:match_id>/join")
@once
def join(match_id: str) -> Page:
    given = context.fields(request.form, ("word",), word=400, terms=64)
    try:
        with context.changing(match_id) as (session, match):
            lobby.join(session, match, context.me_in(session), given["word"], seen=given["terms"])
    except terms.Changed as refused:
        return page(*found(match_id), join_fault=str(refused), word=given["word"])
    except NotUnderstood as refused:
        return page(*found(match_id), word_fault=str(refused), word=given["word"])
    return done(match_id, gettext("You have a seat at this table."))


@bp.post("/g/<id:match_id>/leave")
@once
def leave(match_id: str) -> Page:
    context.fields(request.form)
    with context.changing(match_id) as (session, match):
        lobby.leave(session, match, context.me_in(session))
    return context.done("/games", gettext("You have left the game."))


@bp.post("/g/<id:match_id>/cancel")
@once
def cancel(match_id: str) -> Page:
    context.need_account()
    if context.fields(request.form, sure=10)["sure"] != "yes":
        flash(gettext("Tick the box to cancel the game; nothing was changed."), "bad")
        return redirect(f"/g/{match_id}", 303)
    with context.changing(match_id) as (session, match):
        lobby.cancel(session, match, context.me_in(session))
    return context.done("/games", gettext("The game is called off."))


@bp.post("/g/<id:match_id>/watching")
def let_watch(match_id: str) -> Page:
    on = context.fields(request.form, on=3)["on"]
    with context.changing(match_id) as (session, match):
        lobby.let_watch(session, match, context.me_in(session), on == "yes")
    if on == "yes":
        return done(match_id, gettext("Spectators may read along; everybody in the lobby sees it."))
    return done(match_id, gettext("Nobody but the players reads along."))


@bp.post("/g/<id:match_id>/sharing")
def let_share(match_id: str) -> Page:
    on = context.fields(request.form, on=3)["on"] == "yes"
    with context.changing(match_id) as (session, match):
        lobby.let_share(session, match, context.me_in(session), on)
    if on:
        return done(match_id, gettext("The replay will be shared. Those who sit here are asked to confirm it."))
    return done(match_id, gettext("The replay stays the players’."))


@bp.post("/g/<id:match_id>/word")
@limiter.limit("120 per hour")
def give_word(match_id: str) -> Page:
    word = context.fields(request.form, ("word",), word=400)["word"]
    try:
        with context.changing(match_id) as (session, match):
            lobby.give_word(session, match, context.me_in(session), word)
    except NotUnderstood as refused:
        return page(*found(match_id), word_fault=str(refused), word=word)
    if word:
        return done(match_id, gettext("Your word counts."))
    return done(match_id, gettext("You have taken your word back; one is drawn for you when the game starts."))


@bp.post("/g/<id:match_id>/colour")
def wear(match_id: str) -> Page:
    colour = context.fields(request.form, colour=20)["colour"]
    with context.changing(match_id) as (session, match):
        lobby.set_colour(session, match, context.me_in(session), colour)
    return done(match_id, gettext("So be it: that is your colour."))
