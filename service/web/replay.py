"""The replay viewer: pages and fragments of the board after an entry, for members and spectators."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, flash, make_response, redirect, render_template, request
from markupsafe import Markup

from engine.asks import Refused, Seat
from engine.game import Game, listed
from engine.games import game_called
from service.common.dates import shown
from service.common.i18n import gettext
from service.errors import NotFound
from service.games import journal, listings, lobby, move_notes, playing_on, viewer
from service.games.viewer import OPEN, Moment, Reader
from service.store.models import Match, MatchStatus, SeatRow
from service.web import answers, context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("replay", __name__)

PUBLIC = "public"
"""`as` of the spectators' view, as an address needs a word for it."""
HIDDEN, OFF = "hidden", "off"
"""Values of `names` and `spoilers`."""


@dataclass(frozen=True)
class Shown:
    """What boards and hands read as `page`: a turn page on which nothing can be done."""

    match: Match
    game: Game
    seat: Seat
    names: Mapping[Seat, str]
    colours: Mapping[Seat, str]
    view: dict[str, Any]
    form: None = None
    ask: None = None
    pending: None = None
    offers: tuple[()] = ()
    proposals: tuple[()] = ()
    waiting: tuple[()] = ()


@bp.get("/g/<id:match_id>/replay")
@limiter.limit("1200 per minute")
def show(match_id: str) -> Page:
    """The board after entry `n`: by default the newest of a running game, the start of a finished one."""
    match, seat = context.member_of(match_id)
    if match.header is None or not match.serial:
        return redirect(f"/g/{match.id}/table", 303)
    return _member_page(match, seat)


def _member_page(match: Match, seat: Seat, fault: str = "", text: str = "") -> Page:
    """`fault`: why the note `text` was refused."""
    account = context.accounts_in(match.id).get(seat)
    reader = Reader(_perspective(match, seat), seat, account.zone if account is not None else "UTC")
    page = _page(match, context.seats_in(match.id), reader, f"/g/{match.id}/replay", seat, fault, text)
    return (page, 422) if fault else page


@bp.post("/g/<id:match_id>/replay/notes")
@limiter.limit("120 per hour")
@once
def note(match_id: str) -> Page:
    """Write a note at entry `n` of the address, or delete one; then the same moment again."""
    match, seat = context.member_of(match_id)
    given = context.fields(request.form, ("text",), text=10_000, shared=1, delete=32)
    n, query = _number(0), request.query_string.decode("ascii", "ignore")
    try:
        with context.writing() as session:
            if given["delete"]:
                move_notes.delete(session, match, seat, given["delete"])
            else:
                if n > viewer.last_of(session, match):
                    raise NotFound(gettext("There is no entry %(n)s in what you may know of the log.", n=n))
                move_notes.put(session, match, seat, n, given["text"], bool(given["shared"]))
    except NotFound:
        raise
    except Refused as refusal:
        return _member_page(match, seat, str(refusal), given["text"])
    return redirect(f"/g/{match_id}/replay?{query}#notes", 303)


@bp.post("/g/<id:match_id>/play-on")
@limiter.limit("20 per hour")
@once
def play_on(match_id: str) -> Page:
    """Open a table against bots from entry `n`, at a seat."""
    match, own = context.member_of(match_id)
    given = context.fields(request.form, n=6, seat=1)
    if context.me() is None:
        context.come_back(f"/g/{match_id}/replay")
        return redirect("/sign-in", 303)
    try:
        with context.writing() as session:
            old, n = lobby.by_match_id(session, match.id), answers.number(request.form, "n")
            seats = {row.seat for row in lobby.seats_of(session, old)}
            seat = given["seat"] if given["seat"] in seats else own
            new = playing_on.play_on(session, old, context.me_in(session), seat, max(0, n))
            path = f"/g/{new.id}/table"
    except Refused as refusal:
        flash(str(refusal), "bad")
        return redirect(f"/g/{match_id}/replay", 303)
    flash(gettext("You play on from there. Bots have the other seats."), "good")
    return redirect(path, 303)


@bp.post("/g/<id:match_id>/favourite")
def favourite(match_id: str) -> Page:
    """Keep a finished game among the favourites, or no longer."""
    match, seat = context.member_of(match_id)
    on = bool(context.fields(request.form, on=1)["on"])
    if match.status != MatchStatus.FINISHED:
        context.bad(gettext("A game can become a favourite when it is over."))
    with context.writing() as session:
        listings.set_favourite(session, match, seat, on)
    flash(gettext("It stands first among your finished games now.") if on else gettext("It is no favourite any more."), "good")
    return redirect(f"/g/{match_id}/replay", 303)


@bp.get("/watch/<id:key>/replay")
@limiter.limit("240 per minute")
def watch(key: str) -> Page:
    """The same by the spectators' link: the public view, without what only members read."""
    match, _ = journal.watched(context.db(), key)
    answer = make_response(_page(match, context.seats_in(match.id), Reader("", member=False), f"/watch/{key}/replay", ""))
    answer.headers["X-Robots-Tag"] = "noindex, nofollow"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _perspective(match: Match, own: Seat) -> Seat:
    """Whose view `as` asks for; a running game shows a player nothing but the own seat."""
    asked = request.args.get("as", "") or own
    if match.status != MatchStatus.FINISHED:
        if asked != own:
            context.bad(gettext("While the game runs you see it as your own seat does. The other views open when it is over."))
        return own
    if asked not in (OPEN, PUBLIC, *(row.seat for row in context.seats_in(match.id))):
        context.bad(gettext("“%(name)s” is no seat of this table.", name=asked[:20]))
    return "" if asked == PUBLIC else asked


def _page(match: Match, rows: list[SeatRow], reader: Reader, here: str, own: Seat, fault: str = "", text: str = "") -> str:
    session, last = context.db(), viewer.last_of(context.db(), match)
    spoilers, nameless = request.args.get("spoilers") != OFF, request.args.get("names") == HIDDEN
    labels = {row.seat: gettext("Seat %(letter)s", letter=row.seat.upper()) for row in rows} if nameless else {}
    reader = replace(reader, spoilers=spoilers, nameless=labels)
    over = match.status == MatchStatus.FINISHED
    named = viewer.names_at(session, match, reader, rows)
    moment = viewer.at(session, match, reader, _number(0 if over else last), last, named)
    marks = [m for m in viewer.marks(session, match, reader, last, named) if spoilers or m.n <= moment.n]
    noted = [k for k in move_notes.entries(session, match, own) if spoilers or k <= moment.n] if own else []
    mine = viewer.own_moves(session, match, reader.seat, moment.n, last)
    # What the address keeps from one step to the next; defaults are left out.
    kept = {"as": reader.seat or PUBLIC} if reader.member and reader.seat != own else {}
    kept |= ({"names": HIDDEN} if nameless else {}) | ({} if spoilers else {"spoilers": OFF})
    game, colours = game_called(match.game), {row.seat: row.colour for row in rows}
    page = Shown(match, game, "" if reader.seat == OPEN else reader.seat, moment.names, colours, moment.view)
    drawn = render_template(
        "pages/replay.html",
        **_of_board(page),
        part=request.args.get("part") == "1",
        here=here,
        to=lambda n, **more: f"{here}?{urlencode({'n': n, **kept, **more})}",
        moment=moment,
        reader=reader,
        own=own,
        notes=move_notes.at(session, match, own, moment.n) if moment.n in noted else [],
        noted=noted,
        longest=move_notes.LONGEST,
        favourite=any(row.seat == own and row.favourite for row in rows),
        fault=fault,
        text=text,
        query=urlencode({"n": moment.n, **kept}),
        over=over,
        marks=marks,
        chapter=next((mark.heading for mark in reversed(marks) if mark.heading and mark.n <= moment.n), ""),
        mine=mine,
        hands=_hands(page, moment),
        own_ids=_own_ids,
        current=max((line.n for line in moment.log if line.n <= moment.n), default=None),
        title=match.name if not nameless else game.title,
        played=_when(moment.at, reader),
        OPEN=OPEN,
        PUBLIC=PUBLIC,
        seats=[(row.seat, moment.names[row.seat]) for row in rows],
    )
    return _lit(drawn, moment.changed)


def _number(default: int) -> int:
    raw = request.args.get("n", "")
    if not raw:
        return default
    if not (raw.isascii() and raw.isdecimal() and len(raw) < 7):
        context.bad(gettext("“%(n)s” is no entry of the log; write its number.", n=raw[:20]))
    return int(raw)


def _when(at: str, reader: Reader) -> str:
    return shown(datetime.fromisoformat(at), reader.zone) if at and reader.member else ""


def _of_board(page: Shown) -> dict[str, Any]:
    """Variables of a game's board and hand."""
    game, names = page.game, page.names
    return {
        "page": page,
        "match": page.match,
        "board": game.board(page.view, None, None),
        "word": cache(lambda id, home="": game.word(id, names, home)),
        "listed": lambda ids, home="": listed(game, ids, names, home),
        "presets": {},
        "kept": None,
    }


def _hands(page: Shown, moment: Moment) -> list[tuple[Seat, Shown, object]]:
    """For OPEN every seat with the page and the board that its hand is drawn from."""
    seats = (replace(page, seat=seat, view=view) for seat, view in moment.hands.items())
    return [(one.seat, one, page.game.board(one.view, None, None)) for one in seats]


IDS = re.compile(r'(\s(?:id|aria-labelledby|for)=")')
LANDMARK = re.compile(r'(<section\b[^<>]*?) aria-labelledby="[^"]*"')


def _own_ids(drawn: Markup, seat: Seat) -> Markup:
    """The same part of a page drawn for several seats: its ids begin with the seat, and it has no landmarks."""
    return Markup(IDS.sub(rf"\g<1>of-{seat}-", LANDMARK.sub(r"\g<1>", str(drawn))))


def _lit(page: str, codes: Collection[str]) -> str:
    """Add the class of a board's marks to what stands for one of the codes."""
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
