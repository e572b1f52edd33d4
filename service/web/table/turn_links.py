"""Links in letters to a seat's turn page: followed, confirmed, or sent again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from flask import Blueprint, make_response, redirect, request

from service.common.i18n import gettext
from service.errors import LinkExpired
from service.people import accounts
from service.post import letters, links
from service.store import limits
from service.store.models import Link, Match, SeatRow
from service.store.seats import names_of
from service.web import context
from service.web.context import Page
from service.web.security import limiter

bp = Blueprint("turn_links", __name__)

LED_TO = re.compile(r"result|history|log\.jsonl|replay\.html|clock|confirm|muster|talk/[A-Za-z0-9_-]{1,64}")
"""Other targets of a letter's link, which need no sign-in."""


@bp.get("/t/<token:token>")
def enter(token: str) -> Page:
    """Store a letter's link in a cookie, and redirect to a URL without it. A browser of another seat or account must
    confirm.
    """
    try:
        link = links.verify(context.settings(), context.db(), token, links.TURN)
    except LinkExpired:
        why = gettext("A letter with a new one can be sent to the address of the seat.")
        buttons = [("again", gettext("Send me a new link"), "primary")]
        return make_response(context.link_page(gettext("This link has run out"), [why], buttons), 410)
    if context.is_anothers(link):
        return _ask(link)
    return _come_in(link, request.args)


def _come_in(link: Link, begun: Mapping[str, str], instead: bool = False) -> Page:
    """Redirect to the turn page, prefilled by the link's query, or to its `to`."""
    context.enter_by(link, instead)
    to = begun.get("to", "")
    if LED_TO.fullmatch(to):
        return redirect(f"/g/{link.match_id}/{to}", 303)
    return redirect(f"/g/{link.match_id}/table" + (f"?{urlencode([*begun.items()])}" if begun else ""), 303)


def _ask(link: Link) -> Page:
    """Ask whether to switch seats; shows only the seat's name."""
    known, who = context.seat_in(str(link.match_id)), context.signed_in_name()
    names = names_of(context.db(), str(link.match_id))
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
    return context.link_page(gettext("A link for another seat"), [f"{theirs} {here}", taking], buttons)


@bp.post("/t/<token:token>")
@limiter.limit("6 per hour", exempt_when=lambda: request.form.get("choice") in ("stay", "take"))
def pressed(token: str) -> Page:
    choice = context.fields(request.form, choice=20)["choice"]
    if choice in ("stay", "take"):
        link = links.verify(context.settings(), context.db(), token, links.TURN)
        known = context.seat_in(str(link.match_id))
        if choice == "take":
            # The form's URL still has the link's query.
            return _come_in(link, request.args, instead=known not in (None, link.seat))
        return redirect(f"/g/{link.match_id}/table" if known is not None else "/games", 303)
    with context.writing() as session:
        link = links.verify(context.settings(), session, token, links.TURN, expired=True)
        match, seat = session.get(Match, link.match_id), session.get(SeatRow, (link.match_id, link.seat))
        if match is not None and seat is not None and seat.account_id:
            limits.one_at_a_time(session, match)
            owner = accounts.by_id(session, seat.account_id)
            me = context.me()
            limits.copy(session, owner, limits.OWN if me is not None and me.id == owner.id else limits.BY_LINK)
            letters.fresh_link(session, match, seat, owner)
    return context.done("/", gettext("A letter with a new link is on its way."))
