"""The replay viewer: pages and fragments of the board after an entry."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, flash, redirect, render_template, request
from markupsafe import Markup

from engine.core.asks import NotUnderstood, Refused, Seat
from engine.games import game_called
from service.common.dates import shown
from service.common.i18n import gettext
from service.errors import NotFound
from service.games import listings, playing_on
from service.log import sharing
from service.replay import viewer
from service.replay.viewer import OPEN, Reader
from service.seat import notes
from service.seat.seat_view import SeatView, looking_back
from service.store.models import Match, MatchStatus, SeatRow
from service.store.seats import seats_of
from service.table import votes
from service.table.votes import Tally
from service.web import answers, context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter, unlisted

bp = Blueprint("replay", __name__)

PUBLIC = "public"
"""Value of `as` for the spectators' view."""
HIDDEN, OFF = "hidden", "off"
"""Values of `names` and `spoilers`."""


@dataclass(frozen=True)
class ReplayAccess:
    """The URL under which a replay is read, and what it opens."""

    here: str
    out: str
    """URL of the link that leaves the replay."""
    title: str = ""
    """Shown instead of the game's name."""
    views: bool = False
    """Whether any seat's view may be chosen."""
    names: bool = True
    """Whether the reader may have names shown."""


@bp.get("/g/<id:match_id>/replay")
@limiter.limit("1200 per minute")
def show(match_id: str) -> Page:
    """The board after entry `n`: by default the newest of a running game, the start of a finished one."""
    match, seat = context.member_of(match_id)
    if match.header is None or not match.serial:
        return redirect(f"/g/{match.id}/table", 303)
    return _member_page(match, seat)


def _member_page(match: Match, seat: Seat, fault: str = "", text: str = "") -> Page:
    account = context.accounts_in(match.id).get(seat)
    rows = context.seats_in(match.id)
    reader = Reader(perspective(match, seat, seat, rows), seat, account.zone if account is not None else "UTC")
    over = match.status == MatchStatus.FINISHED
    access = ReplayAccess(f"/g/{match.id}/replay", f"/g/{match.id}/table", views=over)
    page = _page(match, rows, reader, access, seat, fault, text)
    return (page, 422) if fault else page


@bp.post("/g/<id:match_id>/replay/notes")
@limiter.limit("120 per hour")
@once
def note(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    given = context.fields(request.form, ("text",), text=10_000, shared=1, delete=32)
    n, query = _number(0), request.query_string.decode("ascii", "ignore")
    try:
        with context.writing() as session:
            if given["delete"]:
                notes.delete(session, match, seat, given["delete"])
            else:
                if n > viewer.last_of(session, match):
                    raise NotFound(gettext("There is no entry %(n)s in what you may know of the log.", n=n))
                notes.put(session, match, seat, n, given["text"], bool(given["shared"]))
    except NotFound:
        raise
    except Refused as refusal:
        return _member_page(match, seat, str(refusal), given["text"])
    return redirect(f"/g/{match_id}/replay?{query}#notes", 303)


@bp.post("/g/<id:match_id>/play-on")
@limiter.limit("20 per hour")
@once
def play_on(match_id: str) -> Page:
    match, own = context.member_of(match_id)
    given = context.fields(request.form, n=6, seat=1)
    if context.me() is None:
        context.set_return_path(f"/g/{match_id}/replay")
        return redirect("/sign-in", 303)
    try:
        with context.changing(match.id) as (session, old):
            n = answers.number(request.form, "n")
            seats = {row.seat for row in seats_of(session, old)}
            seat = given["seat"] if given["seat"] in seats else own
            new = playing_on.play_on(session, old, context.me_in(session), seat, max(0, n))
            path = f"/g/{new.id}/table"
    except Refused as refusal:
        flash(str(refusal), "bad")
        return redirect(f"/g/{match_id}/replay", 303)
    return context.done(path, gettext("You play on from there. Bots have the other seats."))


@bp.post("/g/<id:match_id>/replay/share")
@limiter.limit("60 per hour")
@once
def share(match_id: str) -> Page:
    """Ask the table to share the replay, vote, or close it."""
    match, seat = context.member_of(match_id)
    given, query = context.fields(request.form, do=10, vote=32), request.query_string.decode("ascii", "ignore")
    try:
        with context.changing(match.id) as (session, here):
            match given["do"]:
                case "ask":
                    votes.propose_sharing(session, here, seat)
                case "yes" | "no":
                    votes.cast(session, here, given["vote"], seat, given["do"] == "yes")
                case "withdraw":
                    votes.withdraw(session, here, given["vote"], seat)
                case "close":
                    votes.stop_sharing(session, here)
                case _:
                    raise NotUnderstood(gettext("Press one of the buttons of this page."))
            shared = here.shared
    except Refused as refusal:
        flash(str(refusal), "bad")
        return redirect(f"/g/{match_id}/replay?{query}", 303)
    said = {
        "close": gettext("The replay is closed; its links no longer work."),
        "withdraw": gettext("The proposal is taken back."),
        "no": gettext("The vote is given; the replay stays the players’."),
    }
    asked = gettext("All have agreed: the replay is shared.") if shared else gettext("The others are asked.")
    return context.done(f"/g/{match_id}/replay?{query}", said.get(given["do"], asked))


@bp.post("/g/<id:match_id>/favourite")
def favourite(match_id: str) -> Page:
    match, seat = context.member_of(match_id)
    on = bool(context.fields(request.form, on=1)["on"])
    if match.status != MatchStatus.FINISHED:
        context.bad(gettext("A game can become a favourite when it is over."))
    with context.writing() as session:
        listings.set_favourite(session, match, seat, on)
    return context.done(
        f"/g/{match_id}/replay",
        gettext("It stands first among your finished games now.") if on else gettext("It is no favourite any more."),
    )


@bp.get("/watch/<id:key>/replay")
@limiter.limit("240 per minute")
def watch(key: str) -> Page:
    """The viewer for strangers by the game's link.

    Spectators see the public view; any view is open once the game is over and its replay shared.
    """
    match, names = sharing.opened_by(context.db(), key)
    out = f"/watch/{key}" if match.spectators and names else "/"
    access = ReplayAccess(f"/watch/{key}/replay", out, views=sharing.is_open(match), names=names)
    return for_strangers(match, context.seats_in(match.id), Reader("", member=False), access)


def for_strangers(match: Match, rows: list[SeatRow], reader: Reader, access: ReplayAccess) -> Page:
    """A replay with headers that hide it from search engines and other sites."""
    if access.views:
        reader = replace(reader, seat=perspective(match, "", "", rows))
    return unlisted(_page(match, rows, reader, access, ""))


def perspective(match: Match, own: Seat, default: Seat, rows: Sequence[SeatRow]) -> Seat:
    """The seat asked for by `as`; a player of a running game gets only their own. Aborts with 400."""
    asked = request.args.get("as", "") or default
    if match.status != MatchStatus.FINISHED:
        if asked != own:
            context.bad(gettext("While the game runs you see it as your own seat does. The other views open when it is over."))
        return own
    if asked not in ("", OPEN, PUBLIC, *(row.seat for row in rows)):
        context.bad(gettext("“%(name)s” is no seat of this table.", name=asked[:20]))
    return "" if asked == PUBLIC else asked


def _page(
    match: Match, rows: list[SeatRow], reader: Reader, access: ReplayAccess, own: Seat, fault: str = "", text: str = ""
) -> str:
    session, last = context.db(), viewer.last_of(context.db(), match)
    spoilers, nameless = request.args.get("spoilers") != OFF, not access.names or request.args.get("names") == HIDDEN
    reader = replace(reader, spoilers=spoilers, nameless=labels(rows) if nameless else {})
    over = match.status == MatchStatus.FINISHED
    named = viewer.names_at(session, match, reader, rows, own)
    moment = viewer.at(session, match, reader, _number(0 if over else last), last, named)
    marks = [m for m in viewer.marks(session, match, reader, last, named) if spoilers or m.n <= moment.n]
    noted = [k for k in notes.entries(session, match, own) if spoilers or k <= moment.n] if own else []
    mine = viewer.own_moves(session, match, reader.seat, moment.n, last)
    # Query arguments kept from step to step; defaults are left out.
    kept = {"as": reader.seat or PUBLIC} if access.views and reader.seat != own else {}
    kept |= ({"names": HIDDEN} if nameless and access.names else {}) | ({} if spoilers else {"spoilers": OFF})
    game = game_called(match.game)
    page = looking_back(match, game, "" if reader.seat == OPEN else reader.seat, rows, dict(moment.names), moment.view)
    drawn = render_template(
        "pages/replay.html",
        **of_board(page, own),
        part=request.args.get("part") == "1",
        here=access.here,
        access=access,
        shared=_shared(match, rows, own, {"n": moment.n, **kept}) if own else None,
        to=lambda n, **more: f"{access.here}?{urlencode({'n': n, **kept, **more})}",
        moment=moment,
        reader=reader,
        own=own,
        notes=notes.at(session, match, own, moment.n) if moment.n in noted else [],
        noted=noted,
        longest=notes.LONGEST,
        favourite=any(row.seat == own and row.favourite for row in rows),
        fault=fault,
        text=text,
        query=urlencode({"n": moment.n, **kept}),
        seen=urlencode({"as": reader.seat or PUBLIC}),
        over=over,
        marks=marks,
        chapter=next((mark.heading for mark in reversed(marks) if mark.heading and mark.n <= moment.n), ""),
        mine=mine,
        hands=hands_of(page, moment.hands, own),
        own_ids=own_ids,
        current=max((line.n for line in moment.log if line.n <= moment.n), default=None),
        title=game.title if nameless else access.title or match.name,
        played=when(moment.at, reader),
        OPEN=OPEN,
        PUBLIC=PUBLIC,
        seats=[(row.seat, moment.names[row.seat]) for row in rows],
    )
    return _lit(drawn, moment.changed)


@dataclass(frozen=True)
class Shared:
    addresses: list[tuple[str, str]]
    """Label and URL, once it is shared."""
    vote: Tally | None
    """The open vote."""


def _shared(match: Match, rows: list[SeatRow], own: Seat, moment: Mapping[str, Any]) -> Shared:
    if sharing.is_open(match):
        query = urlencode({"as": own, **{name: value for name, value in moment.items() if name != "names"}})
        keys = ((gettext("With names"), match.watch_key), (gettext("Without names"), sharing.nameless_key(match)))
        base = context.settings().base_url
        return Shared([(label, f"{base}/watch/{key}/replay?{query}") for label, key in keys], None)
    if match.status != MatchStatus.FINISHED:
        return Shared([], None)
    return Shared([], next((t for t in votes.open_votes(context.db(), match, rows) if t.vote.kind == votes.SHARE), None))


def labels(rows: Sequence[SeatRow]) -> dict[Seat, str]:
    return {row.seat: gettext("Seat %(letter)s", letter=row.seat.upper()) for row in rows}


def _number(default: int) -> int:
    raw = request.args.get("n", "")
    if not raw:
        return default
    if not (raw.isascii() and raw.isdecimal() and len(raw) < 7):
        context.bad(gettext("“%(n)s” is no entry of the log; write its number.", n=raw[:20]))
    return int(raw)


def when(at: str, reader: Reader) -> str:
    """Time of an entry, for members."""
    return shown(datetime.fromisoformat(at), reader.zone) if at and reader.member else ""


def of_board(page: SeatView, own: Seat) -> dict[str, Any]:
    """Variables of a game's board and hand. `own`: the reader's seat; other seats' hands have their names."""
    return {
        "page": page,
        "match": page.match,
        "board": page.game.face.board(page.view, None, None),
        "word": cache(page.word),
        "listed": page.listed,
        "presets": {},
        "kept": None,
        "another": page.names[page.seat] if page.seat and page.seat != own else "",
    }


def hands_of(page: SeatView, views: Mapping[Seat, dict[str, Any]], own: Seat) -> list[tuple[Seat, dict[str, Any]]]:
    return [(seat, of_board(replace(page, seat=seat, view=view), own)) for seat, view in views.items()]


IDS = re.compile(r'(\s(?:id|aria-labelledby|for)=")')
LANDMARK = re.compile(r'(<section\b[^<>]*?) aria-labelledby="[^"]*"')


def own_ids(drawn: Markup, seat: Seat) -> Markup:
    """A part of a page for one of several seats: prefixes its ids with the seat and removes landmarks."""
    return Markup(IDS.sub(rf"\g<1>of-{seat}-", LANDMARK.sub(r"\g<1>", str(drawn))))


def _lit(page: str, codes: Collection[str]) -> str:
    if not codes:
        return page
    named = "|".join(map(re.escape, sorted(codes)))
    tag = re.compile(rf'<([a-z]+)(?=\s)([^<>]*\sdata-(?:value|place|seat)="(?:{named})"[^<>]*)>')
    return tag.sub(_with_class, page)


def _with_class(tag: re.Match[str]) -> str:
    name, marks = tag[1], tag[2]
    if ' class="' in marks:
        return f"<{name}" + marks.replace(' class="', ' class="lit ', 1) + ">"
    return f'<{name} class="lit"{marks}>'
