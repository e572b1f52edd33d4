"""Joining: open games, share links, the page of an invitation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, redirect, render_template, request

from engine.core.asks import NotUnderstood
from engine.games import GAMES, title_of
from engine.language.i18n import languages
from service.clock import pace as paces
from service.common.i18n import called, gettext, ngettext
from service.games import inviting, listings, lobby, muster, options, terms
from service.games.listings import Listing
from service.people import accounts
from service.store import rulings
from service.store.models import Account, Match, SeatRow, SeatStatus
from service.store.seats import seat_of, seats_of
from service.table import substitutes
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter, unlisted

bp = Blueprint("joining", __name__)

FILTERS = ("game", "free", "pace", "language", "bots")
"""Filters of the list; empty ones match all."""
NEWEST = 3
"""Open games on the page of one's own."""


@dataclass(frozen=True)
class OpenTableCard:
    game: str
    address: str
    name: str
    title: str
    about: str
    seats: list[SeatRow]
    host: str = ""
    pace: str = ""
    options: tuple[str, ...] = ()
    """Optional rules and house rulings."""
    language: str = ""
    """The host's, if the house has several."""


@bp.get("/games/open")
def open_games() -> Page:
    chosen = {name: request.args.get(name, "")[:20] for name in FILTERS}
    found = listings.open_games(context.db())
    hosts = accounts.by_ids(context.db(), [x.match.host_id for x in found])
    fitting = [x for x in found if _fits(x, hosts.get(x.match.host_id), chosen)]
    wanted = substitutes.open_seats(context.db()) if not any(chosen[name] for name in FILTERS if name != "game") else []
    seats = listings.seats_of_all(context.db(), [match for match, _ in wanted])
    sought = [_sought(match, seat, seats[match.id]) for match, seat in wanted if chosen["game"] in ("", match.game)]
    cards = [_card(x, hosts.get(x.match.host_id)) for x in fitting]
    return render_template(
        "pages/open_games.html",
        groups=[(gettext("Looking for players"), cards), (gettext("Looking for a substitute"), sought)],
        drawn=sorted({card.game for card in [*cards, *sought]} or {game.name for game in lobby.offered()}),
        titles=[(game.name, game.title) for game in lobby.offered()],
        counts=[(n, n) for n in range(2, max(game.rules.seats[-1] for game in lobby.offered()))],
        languages=[(code, called(code)) for code in languages()],
        chosen=chosen,
        narrowed=any(chosen.values()),
    )


def to_others(me: Account) -> tuple[list[OpenTableCard], int]:
    found = [x for x in listings.open_games(context.db()) if me.id not in {x.match.host_id, *(s.account_id for s in x.seats)}]
    hosts = accounts.by_ids(context.db(), [x.match.host_id for x in found[:NEWEST]])
    return [_card(x, hosts.get(x.match.host_id)) for x in found[:NEWEST]], len(found)


def _free(found: Listing) -> int:
    return sum(seat.status == SeatStatus.EMPTY for seat in found.seats)


def _fits(found: Listing, host: Account | None, chosen: Mapping[str, str]) -> bool:
    """Whether a game matches the filters; invalid values match all."""
    least = int(chosen["free"]) if chosen["free"].isascii() and chosen["free"].isdigit() else 0
    bots = any(seat.bot for seat in found.seats)
    return (
        chosen["game"] in ("", found.match.game)
        and _free(found) >= least
        and chosen["pace"] in ("", paces.of(found.match.pace).preset)
        and chosen["language"] in ("", host.language if host is not None else "")
        and (chosen["bots"] not in ("with", "without") or bots == (chosen["bots"] == "with"))
    )


def _card(found: Listing, host: Account | None) -> OpenTableCard:
    match, free = found.match, _free(found)
    return OpenTableCard(
        game=match.game,
        address=f"/g/{match.id}",
        name=match.name,
        title=title_of(match.game),
        about=ngettext("%(num)s seat free", "%(num)s seats free", free),
        seats=found.seats,
        host=host.name if host is not None and host.name else gettext("a player"),
        pace=paces.brief(paces.of(match.pace)),
        options=tuple(options.told_rules(match)),
        language=called(host.language) if host is not None and len(languages()) > 1 else "",
    )


def _sought(match: Match, seat: SeatRow, seats: list[SeatRow]) -> OpenTableCard:
    return OpenTableCard(
        game=match.game,
        address=f"/g/{match.id}/seat/{seat.seat}",
        name=match.name,
        title=title_of(match.game),
        about=gettext("the seat of %(name)s is free", name=seat.name),
        seats=seats,
        pace=paces.brief(paces.of(match.pace)),
    )


@dataclass(frozen=True)
class InvitationForm:
    sentences: list[str]
    buttons: list[tuple[str, str, str]]
    """Value, label, style."""
    seat: str = ""
    """The seat offered; empty: any free one."""
    ask_name: bool = False
    name: str = ""
    ask_zone: bool = False
    """Whether to ask for a time zone."""
    zone: str = ""
    word: str = ""
    """Typed word for the shuffles."""
    fault: str = ""
    """Fault of these."""


def page(match: Match, asked: InvitationForm) -> Page:
    """A table's page; invited people aren't named."""
    host = accounts.by_id(context.db(), match.host_id)
    pace = paces.of(match.pace)
    seats = seats_of(context.db(), match)
    shown = render_template(
        "pages/invitation.html",
        match=match,
        game=GAMES[match.game],
        host=host.name or gettext("A player"),
        host_id=match.host_id,
        seats=seats,
        asked=asked,
        last=sum(seat.status != SeatStatus.TAKEN for seat in seats) == 1 and not terms.unconfirmed(match, seats),
        mustered=muster.is_chosen(match),
        pace=pace,
        lasts=paces.estimate(GAMES[match.game], match.seats, pace),
        with_bots=any(seat.bot for seat in seats),
        pace_said=paces.brief(pace),
        weekends=str(paces.WEEKENDS_SAID[pace.weekends]),
        options=rulings.told_options(match),
        rulings=rulings.told(match),
        terms=terms.digest(match),
        commitment=match.commitment,
    )
    return (shown, 422) if asked.fault else shown


@bp.get("/s/<id:key>")
@limiter.limit("60 per hour")
def shared(key: str) -> Page:
    """A share link's page. GET seats nobody."""
    return _shared(key)


def _shared(key: str, **typed: str) -> Page:
    match, me = inviting.shared(context.db(), key), context.me()
    if me is not None and seat_of(context.db(), match, me) is not None:
        return redirect(f"/g/{match.id}", 303)
    if me is None:
        sentences = [gettext("To sit down, sign in first; a letter with a link is all it takes. You come back to this page.")]
        buttons = [("join", gettext("Sign in and take a seat"), "primary")]
    else:
        sentences = [gettext("You sit down as %(me)s.", me=context.signed_in_name())]
        buttons = [("join", gettext("Take a seat"), "primary")]
    name, zone = (not me.name, not me.zone_chosen) if me is not None else (False, False)
    return unlisted(page(match, InvitationForm(sentences, buttons, ask_name=name, ask_zone=zone, **typed)))


@bp.post("/s/<id:key>")
@limiter.limit("30 per hour")
@once
def sit_down(key: str) -> Page:
    """Take a free seat, after signing in."""
    given = context.fields(request.form, ("name", "word"), choice=10, name=400, word=400, zone=80, terms=64)
    if context.me() is None:
        context.set_return_path(f"/s/{key}")
        return redirect("/sign-in", 303)
    try:
        with context.writing() as session:
            match, me = inviting.shared(session, key), context.me_in(session)
            if given["name"] and not me.name:
                accounts.rename(session, me, given["name"])
            accounts.take_zone(session, me, given["zone"])
            lobby.join(session, match, me, given["word"], share=key, seen=given["terms"])
    except NotUnderstood as refused:
        return _shared(key, name=given["name"], zone=given["zone"][:60], word=given["word"], fault=str(refused))
    return context.done(f"/g/{match.id}", gettext("You have a seat at this table."))
