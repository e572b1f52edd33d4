"""My games: the list, and the redirect to the most urgent table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import Blueprint, redirect, render_template, request
from markupsafe import Markup

from engine.games import title_of
from service.common.dates import nearly, shown
from service.common.i18n import gettext, ngettext, together
from service.games import lobby
from service.log import results
from service.people import accounts
from service.seat import waits
from service.store import limits
from service.store.models import Link, MatchStatus, SeatRow, SeatStatus, now
from service.table import mine as my_games
from service.table.mine import Mine
from service.web import context
from service.web.context import Page
from service.web.games import joining
from service.web.once import once
from service.web.people import small_boards
from service.web.security import limiter

bp = Blueprint("mine", __name__)

MOST_OWNERS = 3
"""Most letters if one browser holds links of several people."""
LATELY = timedelta(days=7)
"""How long a finished game is news."""


@bp.get("/games")
def mine() -> Page:
    if context.me() is None and (held := context.held_links()):
        return _by_links(held)
    me = context.guest() or context.need_account()
    number = context.page_number()
    games, page, pages = my_games.page(context.db(), me, 1 if number is None else number)
    boards = small_boards.drawn(context.db(), games)
    cards = [(game, _mine(game, boards.get(game.match.id))) for game in games]

    def these(*kinds: str) -> list[MineCard]:
        return [card for game, card in cards if game.match.status in kinds and not game.asked]

    groups = [
        (gettext("Others are to move"), these(MatchStatus.RUNNING)),
        (gettext("Gathering players"), these(MatchStatus.LOBBY)),
        (gettext("Over"), these(MatchStatus.FINISHED, MatchStatus.CANCELLED)),
    ]
    open_games, open_count = joining.to_others(me)
    return render_template(
        "pages/my_games.html",
        me=me,
        asked=[card for game, card in cards if game.asked],
        groups=groups,
        open_games=open_games,
        open_count=open_count,
        lately=next((card for game, card in cards if _just_over(game)), None) if page == 1 else None,
        drawn=_all() if me.is_guest or not cards else sorted({card.game for _, card in cards if card.board is None}),
        offered=lobby.offered(),
        page=page,
        pages=pages,
        moment=lambda at: shown(at, me.zone),
        soon=lambda at: nearly(at, me.zone, now()),
    )


def _all() -> list[str]:
    return sorted(game.name for game in lobby.offered())


def _by_links(held: list[Link]) -> Page:
    """List games without sign-in: no more than the links show."""
    zone = context.reader()[1]
    return render_template(
        "pages/link_games.html",
        games=my_games.of_links(context.db(), held),
        drawn=_all(),
        title=lambda match: title_of(match.game),
        soon=lambda at: nearly(at, zone, now()),
    )


@bp.post("/games/sign-in")
@limiter.limit("6 per hour")
@once
def ask_sign_in() -> Page:
    """Send a sign-in letter to the owner of this browser's links, without showing the address."""
    context.fields(request.form)
    owners = list(dict.fromkeys(link.account_id for link in context.held_links() if link.account_id))[:MOST_OWNERS]
    if not owners:
        return redirect("/sign-in", 303)
    with context.writing() as session:
        for id in owners:
            owner = accounts.by_id(session, id)
            accounts.ask_sign_in(session, owner.email, limits.network_of(request.remote_addr), limits.BY_LINK)
    return context.done(
        "/games", gettext("A letter is on its way to the address that these links were sent to; its link signs you in.")
    )


@bp.get("/games/next")
def next_game() -> Page:
    """Redirect to the most urgent game, except the one `after`."""
    after = request.args.get("after", "")
    if context.me() is None and (held := context.held_links()):
        games = my_games.of_links(context.db(), held)
        match = next((game.match for game in games if game.asked and game.match.id != after), None)
    else:
        match = my_games.next_asked(context.db(), context.need_account(), after)
    return redirect(f"/g/{match.id}/table" if match is not None else "/games", 303)


@dataclass(frozen=True)
class MineCard:
    game: str
    address: str
    name: str
    title: str
    seats: list[SeatRow]
    waiting: set[str]
    whose: str
    """Sentence about who is waited for."""
    question: str
    """The question to the visitor."""
    due: datetime | None
    standing: str
    when: str
    """Round or turn."""
    unread: int
    badge: str = ""
    badge_kind: str = ""
    favourite: bool = False
    board: Markup | None = None
    """The small board, for the first few."""


def _mine(game: Mine, board: Markup | None) -> MineCard:
    match, names = game.match, {seat.seat: seat.name for seat in game.seats}
    badge, kind = _badge(game)
    when, standing = "", game.holding
    if game.round or game.turn:
        when = gettext("Round %(n)s", n=game.round) if game.round else gettext("Turn %(n)s", n=game.turn)
    if game.points is not None:
        standing = gettext("%(points)s of %(goal)s points", points=game.points[0], goal=game.points[1])
    if game.place is not None:  # `6 of 13 points, fourth`
        place = results.placed(game.place.nth, game.place.joint)
        standing = gettext("%(standing)s, %(place)s", standing=standing, place=place) if standing else place
    return MineCard(
        game=match.game,
        address=f"/g/{match.id}",
        name=match.name,
        title=title_of(match.game),
        seats=game.seats,
        waiting=set(game.waiting),
        whose=waits.said(game.waiting, names, game.seat) if match.halted_at is None else "",
        question=gettext("Are you there?") if game.muster_until is not None else game.question,
        due=game.due,
        standing=standing,
        when=when,
        unread=game.unread,
        badge=badge,
        badge_kind=kind,
        favourite=any(seat.seat == game.seat and seat.favourite for seat in game.seats),
        board=board,
    )


def _just_over(game: Mine) -> bool:
    match = game.match
    over = match.status == MatchStatus.FINISHED and match.finished_at is not None and match.finished_at > now() - LATELY
    return over and bool((match.outcome or {}).get("winners"))


def _badge(game: Mine) -> tuple[str, str]:
    match = game.match
    if match.status == MatchStatus.LOBBY:
        taken = sum(seat.status == SeatStatus.TAKEN for seat in game.seats)
        words = ngettext("%(taken)s of %(num)s seat taken", "%(taken)s of %(num)s seats taken", match.seats, taken=taken)
        return words, "gold"
    if match.status == MatchStatus.CANCELLED:
        return gettext("called off"), ""
    if match.status == MatchStatus.FINISHED:
        winners = (match.outcome or {}).get("winners", [])
        names = [seat.name for seat in game.seats if seat.seat in winners]
        return gettext("won by %(names)s", names=together(names)) if names else gettext("over"), "good"
    return (gettext("on hold"), "") if match.halted_at is not None else ("", "")
