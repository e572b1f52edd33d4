"""Invitations to a seat, and free seats of running games."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request
from flask_limiter.util import get_remote_address
from sqlmodel import Session

from engine.core.asks import NotUnderstood
from engine.games import GAMES
from service.clock import pace
from service.common.i18n import gettext
from service.errors import Taken
from service.games import inviting
from service.people import accounts
from service.post import links
from service.store import limits
from service.store.models import Link, Match, MatchStatus, SeatRow, SeatStatus
from service.store.seats import by_match_id, seat_called, seats_of
from service.table import substitutes
from service.web import context
from service.web.context import Page
from service.web.games import joining
from service.web.games.lobby import done
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("invitations", __name__)


@bp.get("/i/<token:token>")
def invitation(token: str) -> Page:
    """GET changes nothing: mail programs open links."""
    link = links.verify(context.settings(), context.db(), token, links.INVITE)
    seat = context.db().get(SeatRow, (link.match_id, link.seat))
    context.browser_secret()
    if seat is not None and _for_somebody_else(seat):
        return _not_for_you(seat)
    return _invitation(link)


def _for_somebody_else(seat: SeatRow) -> bool:
    me = context.me()
    if me is None:
        return False
    return me.email != seat.invited_email if seat.invited_email else seat.account_id not in (None, me.id)


def _not_for_you(seat: SeatRow) -> Page:
    name = seat.invited_email
    if not name:
        return _taken()
    me = context.signed_in_name()
    return context.link_page(
        gettext("An invitation for somebody else"),
        [
            gettext("This invitation went to %(name)s. You are here as %(me)s.", name=name, me=me),
            gettext("Nobody is signed out by reading it; accepting it signs %(me)s out of this browser.", me=me),
        ],
        [("stay", gettext("Stay as you are"), "primary"), ("open", gettext("Read it as %(name)s", name=name), "")],
    )


def _taken() -> Page:
    """Page of an invitation that another browser has accepted; names neither game nor player."""
    said, away = gettext("This invitation has been accepted. If you did that, sign in to see your seat."), gettext("Sign in")
    me = context.signed_in_name()
    if me:
        said, away = gettext("This invitation has been accepted, but not by %(me)s.", me=me), gettext("My games")
    return context.link_page(gettext("This seat is taken"), [said], [("stay", away, "primary")])


def _is_own(link: Link) -> bool:
    """Whether this browser has the seat of an accepted invitation, or accepted it just now."""
    return context.seat_in(str(link.match_id)) == link.seat or links.used_here(link, context.browser_secret())


def _invitation(link: Link, **typed: str) -> Page:
    match = by_match_id(context.db(), link.match_id or "")
    if match.status == MatchStatus.CANCELLED:
        return render_template("pages/over.html", match=match, game=GAMES[match.game])
    seats = seats_of(context.db(), match)
    seat = next(seat for seat in seats if seat.seat == link.seat)
    if seat.account_id and not _is_own(link):
        return _taken()
    owner, title = accounts.owner_of(context.db(), seat.invited_email), gettext("A seat at “%(name)s”", name=match.name)
    if seat.invited_email and owner is not None and any(other.account_id == owner.id for other in seats):
        sentences = [
            gettext("You have a seat at this table already, so this one is for somebody else."),
            gettext("With the button it is free again. The host learns that this address has declined, not who has it."),
        ]
        return context.link_page(title, sentences, [("decline", gettext("Let it go"), "primary")])
    signing = gettext("Accepting signs you in as %(email)s and gives you the seat.", email=seat.invited_email)
    accept, own = "accept", []
    if _for_somebody_else(seat) and seat.invited_email:
        accept = "switch"
        signing += " " + gettext("%(me)s is signed out of this browser then.", me=context.signed_in_name())
        own = [("mine", gettext("Take it as %(me)s", me=context.signed_in_name()), "")]
    if seat.wanted == "invited":
        taking = gettext("You take the place of %(name)s, with all that the seat has and all its quarrels.", name=seat.name)
        sentences = [taking, *_shared(match), signing]
        buttons = [(accept, gettext("Take the seat"), "primary"), *own, ("decline", gettext("Decline"), "")]
    elif seat.status == SeatStatus.TAKEN:
        sentences, buttons = [gettext("You have accepted this invitation.")], [(accept, gettext("To the game"), "primary")]
    else:
        asked = joining.InvitationForm(
            [signing],
            [(accept, gettext("Take the seat"), "primary"), *own, ("decline", gettext("Decline"), "")],
            seat.seat,
            ask_name=owner is None or not owner.name,
            ask_zone=owner is None or not owner.zone_chosen,
            **typed,
        )
        return joining.page(match, asked)
    return context.link_page(
        title,
        sentences,
        buttons,
        typed.get("fault", ""),
        ask_name=seat.status != SeatStatus.TAKEN and (owner is None or not owner.name),
        name=typed.get("name", ""),
        ask_zone=seat.wanted == "invited" and (owner is None or not owner.zone_chosen),
        zone=typed.get("zone", ""),
    )


@bp.get("/g/<id:match_id>/seat/<id:letter>")
def free_seat(match_id: str, letter: str) -> Page:
    context.need_account()
    match, seat = _wanted(match_id, letter)
    sentences = [
        gettext("You take the place of %(name)s, with all that the seat has and all its quarrels.", name=seat.name),
        gettext("The pace: %(words)s.", words=pace.words(pace.of(match.pace))),
        *_shared(match),
    ]
    title = gettext("A seat at “%(name)s”", name=match.name)
    return context.link_page(title, sentences, [("take", gettext("Take the seat"), "primary")])


@bp.post("/g/<id:match_id>/seat/<id:letter>")
@limiter.limit("20 per hour")
@once
def take_seat(match_id: str, letter: str) -> Page:
    context.fields(request.form, choice=10)
    with context.changing(match_id) as (session, match):
        seat = session.get(SeatRow, (match.id, letter))
        if seat is None:
            raise Taken(gettext("This seat is not looking for anybody; choose another game."))
        substitutes.take(session, match, seat, context.me_in(session))
    return done(match_id, gettext("The seat is yours in a moment; a letter comes as soon as you are asked."))


def _shared(match: Match) -> list[str]:
    return [gettext("When the game is over, anyone with the link may see its replay, with all hands.")] if match.shared else []


def _wanted(match_id: str, seat: str) -> tuple[Match, SeatRow]:
    match = by_match_id(context.db(), match_id)
    row = context.db().get(SeatRow, (match.id, seat))
    if row is None or row.wanted != "open":
        raise Taken(gettext("This seat is not looking for anybody; choose another game."))
    return match, row


@bp.post("/i/<token:token>")
@limiter.limit("120 per minute", key_func=get_remote_address)
def answer_invitation(token: str) -> Page:
    given = context.fields(request.form, ("name", "word"), name=400, choice=20, word=400, zone=80, terms=64)
    if given["choice"] == "stay":
        return redirect("/games", 303)
    link = links.verify(context.settings(), context.db(), token, links.INVITE)
    if given["choice"] == "open":
        return _invitation(link)
    if given["choice"] == "decline":
        with context.writing() as session:
            match = _locked(session, link)
            taken = seat_called(session, match, link.seat).account_id is not None
            inviting.decline(session, match, link.seat)
            substitutes.decline(session, match, link.seat)
        if taken:  # on another page
            return _invitation(link)
        return context.done("/", gettext("You have declined. The seat is free again, and no further letters come."))
    if given["choice"] not in ("accept", "switch", "mine"):
        context.bad(gettext("Press “Take the seat” or “Decline”."))
    seat = context.db().get(SeatRow, (link.match_id, link.seat))
    if seat is not None and given["choice"] == "accept" and _for_somebody_else(seat):
        return _not_for_you(seat)
    if given["choice"] == "mine":
        context.need_account()
    try:
        seated = _accepted(link, given)
    except NotUnderstood as refused:
        again = links.verify(context.settings(), context.db(), token, links.INVITE)
        return _invitation(again, name=given["name"], zone=given["zone"][:60], word=given["word"], fault=str(refused))
    if seated is None:
        return _taken()
    return done(seated.id, gettext("You have a seat at this table."))


def _locked(session: Session, link: Link) -> Match:
    """Lock the match and check the link again: the host may have given the seat away. Raises BadLink."""
    match = by_match_id(session, link.match_id or "")
    limits.one_at_a_time(session, match)
    links.good(session, session.get_one(Link, link.id), links.INVITE)
    return match


def _accepted(link: Link, given: dict[str, str]) -> Match | None:
    """Seat the invited address's account, or the visitor's own (`mine`). None if another browser has accepted."""
    browser_secret, mine = context.browser_secret(), given["choice"] == "mine"
    with context.writing() as session:
        match = _locked(session, link)
        seat = next(s for s in seats_of(session, match) if s.seat == link.seat)
        substitute, invited = seat.wanted == "invited", seat.invited_email
        fresh = seat.status == SeatStatus.INVITED or substitute
        if seat.account_id and not mine and not _is_own(session.get_one(Link, link.id)):
            return None
        own = context.me_in(session) if mine else None
        if fresh and given["name"] and not mine:
            accounts.rename(session, accounts.by_invitation(session, invited), given["name"])
        if fresh and given["zone"] and not mine:
            accounts.take_zone(session, accounts.by_invitation(session, invited), given["zone"])
        if substitute:
            account, match = substitutes.accept(session, link, own)
        else:
            account, match = inviting.accept(session, link, given["word"], own, given["terms"])
        # An accepted invitation no longer signs in, except for a repeated click.
        if fresh:
            links.use(session, link, browser_secret)
            limits.accepted(session, match.host_id, invited)
        if not mine and (fresh or links.used_here(session.get_one(Link, link.id), browser_secret)):
            context.sign_in_as(session, account, account.generation)
    return match
