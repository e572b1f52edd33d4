"""Games before they start: my games, open games, opening one, its lobby, invitations."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask_limiter.util import get_remote_address
from sqlmodel import Session
from werkzeug.datastructures import MultiDict

from engine.asks import NotLegal, NotUnderstood, Refused, read
from engine.forms import Form, SomeField, describe
from engine.game import Build, Game
from engine.games import GAMES
from engine.rulings import house as rulings_of
from service.clock.pace import Pace
from service.clock.pace import of as pace_of
from service.clock.pace import words as pace_words
from service.errors import NotAllowed, Taken
from service.games import decks, lobby, submissions, turns
from service.ground.moments import ahead, shown, soon
from service.ground.words import gettext, listed, ngettext
from service.people import accounts
from service.post import ledger, links, waited
from service.store import limits, rulings
from service.store.models import Account, Deck, Link, Match, MatchStatus, SeatRow, SeatStatus, now
from service.table import mine as my_games
from service.table import substitutes
from service.table.mine import Mine
from service.web import answers, desk, joining, waiting, words
from service.web.clock import PACE_FIELDS, pace_given, read_pace
from service.web.decks import DeckForm, deck_fields, deck_page, read_counts
from service.web.desk import Page
from service.web.security import limiter

bp = Blueprint("lobby", __name__)


def _title(match: Match) -> str:
    return GAMES[match.game].title if match.game in GAMES else match.game


# --- lists ------------------------------------------------------------------------------------------------------------


@bp.get("/games")
def mine() -> Page:
    """The games in which the visitor sits or is host: those that wait for them first."""
    me = desk.need_account()
    raw = request.args.get("page", "")
    asked = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 7 else 1
    games, page, pages = my_games.page(desk.db(), me, asked)
    cards = [(game, _mine(game)) for game in games]

    def these(*kinds: str) -> list[MineCard]:
        return [card for game, card in cards if game.match.status in kinds and not game.asked]

    groups = [
        (gettext("Others are to move"), these(MatchStatus.RUNNING)),
        (gettext("Gathering players"), these(MatchStatus.LOBBY)),
        (gettext("Over"), these(MatchStatus.FINISHED, MatchStatus.CANCELLED)),
    ]
    return render_template(
        "pages/my_games.html",
        asked=[card for game, card in cards if game.asked],
        groups=groups,
        drawings=sorted({card.game for _, card in cards}),
        page=page,
        pages=pages,
        ahead=ahead,
        seconds_to=lambda at: (at - now()).total_seconds(),
        moment=lambda at: shown(at, me.zone),
        soon=lambda at: soon(at, me.zone),
    )


@bp.get("/games/next")
def next_game() -> Page:
    """To the table that waits for the visitor most urgently; not to the one `after` which they ask."""
    match = my_games.next_asked(desk.db(), desk.need_account(), request.args.get("after", ""))
    return redirect(f"/g/{match.id}/table" if match is not None else "/games", 303)


@dataclass(frozen=True)
class MineCard:
    """A game of one's own in the list."""

    game: str
    address: str
    name: str
    title: str
    about: str
    seats: list[SeatRow]
    waiting: set[str]
    whose: str
    """Whom it waits for, in a sentence."""
    due: datetime | None
    points: str
    round: int
    unread: int
    badge: str = ""
    badge_kind: str = ""


def _mine(game: Mine) -> MineCard:
    match, names = game.match, {seat.seat: seat.name for seat in game.seats}
    badge, kind = _badge(game)
    title = _title(match)
    points = ""
    if game.points is not None:
        points = gettext("%(points)s of %(goal)s points", points=game.points[0], goal=game.points[1])
    return MineCard(
        game=match.game,
        address=f"/g/{match.id}",
        name=match.name,
        title=title,
        about=gettext("%(title)s · round %(n)s", title=title, n=game.round) if game.round else title,
        seats=game.seats,
        waiting=set(game.waiting),
        whose=waited.said(game.waiting, names, game.seat) if match.halted_at is None else "",
        due=game.due,
        points=points,
        round=game.round,
        unread=game.unread,
        badge=badge,
        badge_kind=kind,
    )


def _badge(game: Mine) -> tuple[str, str]:
    """How a game that waits for nobody stands, in a few words, and the look of them."""
    match = game.match
    if match.status == MatchStatus.LOBBY:
        taken = sum(seat.status == SeatStatus.TAKEN for seat in game.seats)
        words = ngettext("%(taken)s of %(num)s seat taken", "%(taken)s of %(num)s seats taken", match.seats, taken=taken)
        return words, "gold"
    if match.status == MatchStatus.CANCELLED:
        return gettext("called off"), ""
    if match.status == MatchStatus.FINISHED:
        return _result(match, game.seats) or gettext("over"), "good"
    return (gettext("stands still"), "") if match.halted_at is not None else ("", "")


def _result(match: Match, seats: list[SeatRow]) -> str:
    winners = (match.outcome or {}).get("winners", [])
    names = [seat.name for seat in seats if seat.seat in winners]
    return gettext("won by %(names)s", names=listed(names)) if names else ""


# --- opening ----------------------------------------------------------------------------------------------------------


@bp.get("/games/new")
def new() -> Page:
    """The form that opens a game."""
    desk.need_account()
    first = lobby.offered()[0]
    given = {"name": "", "game": first.name, "seats": str(min(4, first.most)), "access": "invited", "word": ""}
    given |= pace_given(Pace())
    return _opening_page(given)


def _opening_page(given: dict[str, str], fault: str = "", ruled: Mapping[str, str] | None = None) -> Page:
    games = lobby.offered()
    seats = range(min(game.least for game in games), max(game.most for game in games) + 1)
    page = render_template(
        "pages/new_game.html",
        games=games,
        seats=seats,
        given=given,
        fault=fault,
        house=lambda game: rulings_of(game.rulings),
        ruled=ruled or {},
        ruled_game=given["game"] if ruled and given["game"] in GAMES and _differs(given["game"], ruled) else "",
    )
    return (page, 422) if fault else page


def _differs(game: str, ruled: Mapping[str, str]) -> bool:
    """Whether anything of a game was chosen otherwise than usual."""
    return any(ruled.get(ruling.id, ruling.default) != ruling.default for ruling in rulings_of(GAMES[game].rulings))


RULING = "ruling:"
"""Begins the name of a form's field for a house ruling."""


def _split(form: MultiDict[str, str]) -> tuple[MultiDict[str, str], dict[str, str]]:
    """A form without its house rulings, and those by their ids."""
    rest = MultiDict((k, v) for k, v in form.items(multi=True) if not k.startswith(RULING))
    names = [name for name in form if name.startswith(RULING)]
    given = desk.fields(MultiDict((k, v) for k, v in form.items(multi=True) if k in names), **dict.fromkeys(names, 40))
    return rest, {name.removeprefix(RULING): value for name, value in given.items()}


@bp.post("/games/new")
@limiter.limit("60 per hour")
def open_game() -> Page:
    """Open a game; its host takes the first seat."""
    desk.need_account()
    rest, ruled = _split(request.form)
    given = desk.fields(rest, name=400, game=40, seats=4, access=20, word=400, **PACE_FIELDS)
    try:
        if not (given["seats"].isascii() and given["seats"].isdigit()):
            raise NotUnderstood(gettext("The number of seats is missing; choose one of the list."))
        with desk.writing() as session:
            host = desk.me_in(session)
            pace = read_pace(given)
            seats = int(given["seats"])
            match = lobby.open_match(
                session,
                host,
                given["name"],
                given["game"],
                seats,
                given["access"],
                pace=pace,
                word=given["word"],
                ruled=rulings.of_form(given["game"], ruled),
            )
    except Refused as refused:
        return _opening_page(given | {"name": given["name"][:60]}, str(refused), ruled)
    return redirect(f"/g/{match.id}", 303)


def _found(match_id: str) -> tuple[Match, list[SeatRow]]:
    match = lobby.by_match_id(desk.db(), match_id)
    return match, lobby.seats_of(desk.db(), match)


# --- one game ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A seat in the lobby."""

    seat: str
    status: str
    colour: str
    who: str
    state: str
    mine: bool
    clearable: str = ""
    """Words on the button that makes the seat free, for those who may."""
    invited: bool = False
    """Whether the host may send the invitation again."""


def _row(seat: SeatRow, match: Match, me: Account | None) -> Row:
    mine = me is not None and seat.account_id == me.id
    hosting = me is not None and match.host_id == me.id
    clearable = ""
    if seat.status == SeatStatus.TAKEN:
        who = seat.name or gettext("a player")
        state = (
            gettext("bot “%(bot)s”", bot=words.BOT_NAMES.get(seat.bot, seat.bot))
            if seat.bot
            else words.COLOURS.get(seat.colour, seat.colour)
        )
        clearable = "" if mine else gettext("Unseat")
    elif seat.status == SeatStatus.INVITED:
        who = seat.name or (seat.invited_email if hosting and seat.invited_email else gettext("invited"))
        state, clearable = gettext("no answer yet"), gettext("Withdraw")
    else:
        who = gettext("free seat")
        state = gettext("waits for somebody")
    return Row(
        seat.seat,
        seat.status,
        seat.colour,
        who,
        str(state),
        mine,
        clearable if hosting else "",
        hosting and seat.status == SeatStatus.INVITED,
    )


@bp.get("/g/<id:match_id>")
def game(match_id: str) -> Page:
    """The lobby of a game; once it has started, the way to its table."""
    match, seats = _found(match_id)
    if match.status in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        return redirect(f"/g/{match.id}/table", 303)
    return _lobby_page(match, seats)


def _lobby_page(match: Match, seats: list[SeatRow], **more: Any) -> Page:
    me = desk.me()
    mine = next((seat for seat in seats if me and seat.account_id == me.id), None)
    hosting = me is not None and match.host_id == me.id
    _may_see(match, seats, me)
    if match.status == MatchStatus.CANCELLED:
        return render_template("pages/over.html", match=match, game=GAMES[match.game])
    free = sum(seat.status == SeatStatus.EMPTY for seat in seats)
    open_seats = sum(seat.status != SeatStatus.TAKEN for seat in seats)
    lede = ngettext(
        "%(num)s seat is still to be taken; then the game starts by itself.",
        "%(num)s seats are still to be taken; then the game starts by itself.",
        open_seats,
    )
    host = accounts.by_id(desk.db(), match.host_id)
    found = GAMES[match.game]
    build, laid = found.build.for_seat(match.options, mine.seat) if found.build and mine else None, _chosen(found, mine)
    page = render_template(
        "pages/lobby.html",
        match=match,
        game=found,
        here=f"/g/{match.id}",
        lede=lede,
        seats=[_row(seat, match, me) for seat in seats],
        mine=mine,
        build=build,
        builds=found.build is not None,
        deck=laid if build and sum(laid.values()) == build.size else {},
        options=lobby.told_options(match),
        house=rulings_of(found.rulings) if hosting else [],
        rulings_told=rulings.told(match),
        commitment=match.commitment,
        hosting=hosting,
        free=free,
        declined=ledger.declined(desk.db(), match) if hosting else 0,
        can_join=me is not None and mine is None and match.access == "open" and free > 0,
        pace=pace_words(pace_of(match.pace)),
        saved=_fitting(build, decks.of(desk.db(), me, match.game)) if me else [],
        colours=[
            (colour, name)
            for colour, name in words.COLOURS.items()
            if not any(seat.colour == colour and seat.status == SeatStatus.TAKEN and seat is not mine for seat in seats)
        ],
        bots=[(bot, words.BOT_NAMES.get(bot, bot), words.BOTS.get(bot, "")) for bot in lobby.bots_of(found)],
        shared=f"{desk.settings().base_url}/s/{match.share_key}" if hosting and match.share_key else "",
        host_name=host.name if host and host.name else gettext("a player"),
        **{
            "rulings_kept": rulings.chosen(match),
            **(_options(found, match) if hosting and lobby.has_options(match) else {}),
            **more,
        },
    )
    return (page, 422) if more.keys() & {"fault", "options_fault", "rulings_fault", "word_fault"} else page


def _chosen(game: Game, seat: SeatRow | None) -> dict[str, int]:
    """The deck that lies ready for a seat, counted; empty if none does."""
    kept = seat.prepared.get(game.build.kind) if seat and game.build else None
    return dict(Counter(read(kept).some(game.build.field))) if kept and game.build else {}


def _may_see(match: Match, seats: list[SeatRow], me: Account | None) -> None:
    """Lobbies of invited tables are for their host, members and guests; those of open ones for all."""
    if match.access == "open":
        return
    if me is None:
        desk.need_account()
    elif match.host_id != me.id and not any(me.id == seat.account_id or me.email == seat.invited_email for seat in seats):
        abort(403, description=gettext("That game is for those whom its host has invited."))


def _done(match_id: str, sentence: str) -> Page:
    flash(sentence, "good")
    return redirect(f"/g/{match_id}", 303)


@bp.post("/g/<id:match_id>/invite")
@limiter.limit("120 per hour")
def invite(match_id: str) -> Page:
    """Invite one address or several to free seats: those that can't be are said one by one, and stay in the field."""
    desk.need_account()
    text = desk.fields(request.form, email=6000)["email"]
    try:
        with desk.writing() as session:
            match = lobby.by_match_id(session, match_id)
            invited, refused = lobby.invite_all(session, match, desk.me_in(session), text)
    except (NotUnderstood, NotLegal, Taken) as fault:
        match, seats = _found(match_id)
        return _lobby_page(match, seats, fault=str(fault), email=text)
    if refused:
        match, seats = _found(match_id)
        faults, left = [why for _, why in refused], "\n".join(email for email, _ in refused)
        return _lobby_page(match, seats, fault=faults[0], faults=refused, invited=invited, email=left)
    if len(invited) == 1:
        return _done(match_id, gettext("The invitation to %(email)s is on its way.", email=invited[0]))
    return _done(match_id, gettext("Invitations are on their way to %(emails)s.", emails=listed(invited)))


@bp.post("/g/<id:match_id>/share")
@limiter.limit("30 per hour")
def share(match_id: str) -> Page:
    """Make a link by which anybody may join who has it, a fresh one, or none."""
    desk.need_account()
    choice = desk.fields(request.form, choice=10)["choice"]
    if choice not in ("make", "end"):
        desk.bad(gettext("Press “Make a link” or “Withdraw it”."))
    with desk.writing() as session:
        lobby.share(session, lobby.by_match_id(session, match_id), desk.me_in(session), choice == "make")
    if choice == "make":
        return _done(match_id, gettext("The link is there. Whoever has it can sit down while a seat is free."))
    return _done(match_id, gettext("The link is withdrawn; it opens nothing any more."))


@bp.post("/g/<id:match_id>/bot")
def add_bot(match_id: str) -> Page:
    """Seat a bot, or one on every free seat."""
    desk.need_account()
    given = desk.fields(request.form, bot=40, how_many=10)
    with desk.writing() as session:
        match, host = lobby.by_match_id(session, match_id), desk.me_in(session)
        free = sum(seat.status == SeatStatus.EMPTY for seat in lobby.seats_of(session, match))
        seated = free if given["how_many"] == "all" and free else 1
        for _ in range(seated):
            lobby.add_bot(session, match, host, given["bot"])
    return _done(match_id, ngettext("The bot has sat down.", "%(num)s bots have sat down.", seated))


@bp.post("/g/<id:match_id>/clear")
def clear(match_id: str) -> Page:
    """Withdraw an invitation, or make a seat free again."""
    desk.need_account()
    seat = desk.fields(request.form, seat=2)["seat"]
    with desk.writing() as session:
        lobby.clear_seat(session, lobby.by_match_id(session, match_id), desk.me_in(session), seat)
    return _done(match_id, gettext("Seat %(letter)s is free again.", letter=seat.upper()))


@bp.post("/g/<id:match_id>/resend")
@limiter.limit("60 per hour")
def resend(match_id: str) -> Page:
    """Send an invitation once more."""
    desk.need_account()
    seat = desk.fields(request.form, seat=2)["seat"]
    with desk.writing() as session:
        lobby.resend_invitation(session, lobby.by_match_id(session, match_id), desk.me_in(session), seat)
    return _done(match_id, gettext("The invitation is on its way once more."))


@bp.post("/g/<id:match_id>/join")
def join(match_id: str) -> Page:
    """Take a free seat of an open game."""
    desk.need_account()
    word = desk.fields(request.form, word=400)["word"]
    with desk.writing() as session:
        lobby.join(session, lobby.by_match_id(session, match_id), desk.me_in(session), word)
    return _done(match_id, gettext("You have a seat at this table."))


@bp.post("/g/<id:match_id>/leave")
def leave(match_id: str) -> Page:
    """Give one's seat back before the start."""
    desk.need_account()
    desk.fields(request.form)
    with desk.writing() as session:
        lobby.leave(session, lobby.by_match_id(session, match_id), desk.me_in(session))
    flash(gettext("You have left the game."), "good")
    return redirect("/games", 303)


@bp.post("/g/<id:match_id>/cancel")
def cancel(match_id: str) -> Page:
    """Call the game off before the start."""
    desk.need_account()
    if desk.fields(request.form, sure=10)["sure"] != "yes":
        return _refused(match_id, gettext("Tick the box to cancel the game; nothing was changed."))
    with desk.writing() as session:
        lobby.cancel(session, lobby.by_match_id(session, match_id), desk.me_in(session))
    flash(gettext("The game is called off."), "good")
    return redirect("/games", 303)


@bp.post("/g/<id:match_id>/watching")
def let_watch(match_id: str) -> Page:
    """The host says, before the start, whether spectators may read along."""
    desk.need_account()
    on = desk.fields(request.form, on=3)["on"]
    with desk.writing() as session:
        lobby.let_watch(session, lobby.by_match_id(session, match_id), desk.me_in(session), on == "yes")
    if on == "yes":
        return _done(match_id, gettext("Spectators may read along; everybody in the lobby sees it."))
    return _done(match_id, gettext("Nobody but the players reads along."))


@bp.post("/g/<id:match_id>/word")
@limiter.limit("120 per hour")
def give_word(match_id: str) -> Page:
    """Give one's own word for the shuffles, before the start."""
    desk.need_account()
    word = desk.fields(request.form, word=400)["word"]
    try:
        with desk.writing() as session:
            lobby.give_word(session, lobby.by_match_id(session, match_id), desk.me_in(session), word)
    except NotUnderstood as refused:
        return _lobby_page(*_found(match_id), word_fault=str(refused))
    if word:
        return _done(match_id, gettext("Your word counts."))
    return _done(match_id, gettext("You have taken your word back; one is drawn for you when the game starts."))


@bp.post("/g/<id:match_id>/colour")
def wear(match_id: str) -> Page:
    """Wear another colour."""
    desk.need_account()
    colour = desk.fields(request.form, colour=20)["colour"]
    with desk.writing() as session:
        lobby.set_colour(session, lobby.by_match_id(session, match_id), desk.me_in(session), colour)
    return _done(match_id, gettext("So be it: that is your colour."))


def _refused(match_id: str, sentence: str) -> Page:
    flash(sentence, "bad")
    return redirect(f"/g/{match_id}", 303)


# --- optional rules ---------------------------------------------------------------------------------------------------

FILE_FIELDS = ("file_text", "file")


def _options_form(game: Game, match: Match) -> Form:
    """The host's form for the optional rules."""
    return describe(game, game.variants.ask(match.seats), {}, 0)


def _options(game: Game, match: Match) -> dict[str, Any]:
    """What the lobby shows its host of the optional rules: the form, filled with what was chosen."""
    return {
        "options_form": _options_form(game, match),
        "options_kept": game.variants.write(match.seats, match.options),
        "options_file": game.variants.file,
    }


@bp.post("/g/<id:match_id>/options")
@limiter.limit("120 per hour")
def choose_options(match_id: str) -> Page:
    """Choose the optional rules, before the start."""
    me = desk.need_account()
    match, _ = _found(match_id)
    shown = lobby.has_options(match) and match.status == MatchStatus.LOBBY and match.host_id == me.id
    form = _options_form(GAMES[match.game], match) if shown else None
    tried: dict[str, Any] = {}
    try:
        given = answers.parse(MultiDict((k, v) for k, v in request.form.items(multi=True) if k not in FILE_FIELDS), form)
        tried["options_kept"] = given
        tried["options_text"] = text = _file_text()
        with desk.writing() as session:
            lobby.set_options(session, lobby.by_match_id(session, match_id), desk.me_in(session), given, text)
    except Refused as refused:
        if not shown or isinstance(refused, NotAllowed):
            raise
        return _lobby_page(*_found(match_id), options_fault=str(refused), **tried)
    return _done(match_id, gettext("The optional rules are set; everybody in the lobby sees them."))


@bp.post("/g/<id:match_id>/rulings")
@limiter.limit("120 per hour")
def choose_rulings(match_id: str) -> Page:
    """Choose the house rulings, before the start."""
    desk.need_account()
    rest, given = _split(request.form)
    desk.fields(rest)
    try:
        with desk.writing() as session:
            lobby.set_rulings(session, lobby.by_match_id(session, match_id), desk.me_in(session), given)
    except NotUnderstood as refused:
        return _lobby_page(*_found(match_id), rulings_fault=str(refused), rulings_kept=given)
    return _done(match_id, gettext("The house rulings are set; everybody in the lobby sees them."))


@bp.post("/g/<id:match_id>/options/rows")
@limiter.limit("600 per hour")
def rows(match_id: str) -> Page:
    """The lobby with a row more, less or elsewhere in the form for the optional rules. Nothing changes by it."""
    me = desk.need_account()
    match, _ = _found(match_id)
    if not (lobby.has_options(match) and match.status == MatchStatus.LOBBY and match.host_id == me.id):
        abort(404)
    given = MultiDict((k, v) for k, v in request.form.items(multi=True) if k not in FILE_FIELDS)
    try:
        kept = answers.rearranged(given, _options_form(GAMES[match.game], match))
        return _lobby_page(*_found(match_id), options_kept=kept, options_text=_file_text())
    except Refused as refused:
        return _lobby_page(*_found(match_id), options_fault=str(refused))


def _file_text() -> str:
    """The text of the host's own file: of the one sent, else of the field. Raises NotUnderstood for what is no text."""
    sent = request.files.get("file")
    raw = sent.read(lobby.LONGEST_FILE + 1) if sent is not None and sent.filename else b""
    if len(raw) > lobby.LONGEST_FILE:
        raise NotUnderstood(gettext("The file is too long; at most %(most)s KB fit.", most=lobby.LONGEST_FILE // 1000))
    try:
        text = raw.decode("utf-8-sig") or request.form.get("file_text", "")
    except UnicodeDecodeError:
        raise NotUnderstood(gettext("The file is no UTF-8 text; save it as UTF-8 and send it again.")) from None
    return text.replace("\r\n", "\n").strip()


# --- the deck for this game -------------------------------------------------------------------------------------------


@bp.get("/g/<id:match_id>/deck")
def deck_form(match_id: str) -> Page:
    """The deck form: for a game that gathers, or for one that has started and asks for the deck."""
    match, seat = desk.member_of(match_id)
    build, serial = _deck_wanted(match, seat)
    if build is None:
        return redirect(f"/g/{match.id}", 303)
    return _deck_page(build, match, serial, _chosen(GAMES[match.game], desk.db().get(SeatRow, (match.id, seat))))


def _deck_wanted(match: Match, seat: str) -> tuple[Build | None, int | None]:
    """How the seat's deck is built, and the number of the open question for it, if there is one.

    By the game's options before the start, then by the question; nothing while nobody can know, or it is not asked for.
    """
    build = decks.build_of(match.game)
    if match.status == MatchStatus.LOBBY:
        return build.for_seat(match.options, seat), None
    page = turns.page(desk.db(), match, seat) if match.status == MatchStatus.RUNNING else None
    if page is None or page.form is None or page.form.kind != build.kind:
        return None, None
    fields = [f for option in page.form.options for f in option.fields if f.name == build.field and isinstance(f, SomeField)]
    return build.of_size(fields[0].least), page.form.serial


def _deck_page(
    build: Build, match: Match, serial: int | None, cards: Mapping[str, int], name: str = "", faults: Sequence[str] = ()
) -> Page:
    account = desk.me()
    form = DeckForm(
        build=build,
        game=match.game,
        title=gettext("Your deck for “%(name)s”", name=match.name),
        action=f"/g/{match.id}/deck",
        back=f"/g/{match.id}",
        button=gettext("Play this deck"),
        named=account is not None,
        optional=True,
        choose=True,
        saved=_fitting(build, decks.of(desk.db(), account, match.game)) if account else [],
        hidden={} if serial is None else {"key": secrets.token_hex(16), "serial": str(serial)},
    )
    return deck_page(form, cards, name, faults)


def _fitting(build: Build | None, saved: Sequence[Deck]) -> list[Deck]:
    """The kept decks that are of the size wanted."""
    return [deck for deck in saved if build is not None and sum(deck.cards.values()) == build.size]


@bp.post("/g/<id:match_id>/deck")
def choose_deck(match_id: str) -> Page:
    """Lay a deck beside one's seat, or submit it when the game asks: ready-made, or the numbers of the form."""
    match, seat = desk.member_of(match_id)
    wanted, serial = _deck_wanted(match, seat)
    build = wanted or decks.build_of(match.game)
    cards: Mapping[str, int]
    faults: list[str] = []
    if "deck" in request.form:
        given = desk.fields(request.form, deck=80, key=64, serial=12)
        cards = _ready_made(build, match, given["deck"])
    else:
        given = deck_fields(build, request.form, key=64, serial=12)
        cards, faults = read_counts(build, given)
    if not faults:
        try:
            with desk.writing() as session:
                _lay(session, build, match_id, seat, cards, given)
                if given.get("name"):
                    decks.save(session, desk.me_in(session), given["name"], cards, match.game)
        except (NotUnderstood, NotLegal) as refused:
            faults.append(str(refused))
    if faults:
        return _deck_page(build, match, serial, cards, given.get("name", "")[:40], faults)
    if match.status == MatchStatus.LOBBY:
        return _done(match_id, gettext("Your deck lies ready. Nobody else sees it."))
    waiting.hold(given["key"], f"/g/{match_id}/table")
    return redirect(f"/g/{match_id}/answer/{given['key']}", 303)


def _lay(session: Session, build: Build, match_id: str, seat: str, cards: Mapping[str, int], given: dict[str, str]) -> None:
    match = lobby.by_match_id(session, match_id)
    if match.status == MatchStatus.LOBBY:
        decks.for_seat(session, match, desk.me_in(session), cards)
        return
    build.check(cards)
    serial = int(given["serial"]) if given["serial"].isascii() and given["serial"].isdigit() else -1
    submissions.submit(session, match, seat, given["key"], serial, build.kind, build.answer(cards))


def _ready_made(build: Build, match: Match, chosen: str) -> Mapping[str, int]:
    where, _, id = chosen.partition(":")
    house = next((ready.cards for ready in build.ready if ready.id == id), None)
    if where == "house" and house is not None:
        return house
    if where == "saved" and id:
        deck = decks.kept(desk.db(), desk.need_account(), id)
        if deck.game == match.game:
            return deck.cards
    return desk.bad(gettext("There is no such deck; choose one of the list."))


# --- invitations ------------------------------------------------------------------------------------------------------


@bp.get("/i/<token:token>")
def invitation(token: str) -> Page:
    """The two buttons behind an invitation. Opening it changes nothing."""
    link = links.open(desk.settings(), desk.db(), token, links.INVITE)
    seat = desk.db().get(SeatRow, (link.match_id, link.seat))
    desk.door()
    if seat is not None and _for_somebody_else(seat):
        return _for_whom(seat)
    return _invitation(link)


def _for_somebody_else(seat: SeatRow) -> bool:
    """Whether an invitation went to another address than that of who is signed in, or was accepted by another."""
    me = desk.me()
    if me is None:
        return False
    return me.email != seat.invited_email if seat.invited_email else seat.account_id not in (None, me.id)


def _for_whom(seat: SeatRow) -> Page:
    """Ask somebody who is signed in as somebody else, before anything of the game is shown."""
    whose = seat.invited_email or seat.name
    return render_template(
        "pages/token.html",
        title=gettext("An invitation for somebody else"),
        sentences=[
            gettext("This invitation went to %(whom)s. You are here as %(me)s.", whom=whose, me=desk.as_whom()),
            gettext("Nobody is signed out by reading it; accepting it signs %(me)s out of this browser.", me=desk.as_whom()),
        ],
        ask_name=False,
        buttons=[
            ("stay", gettext("Stay as you are"), "primary"),
            ("open", gettext("Read it as %(whom)s", whom=whose), ""),
        ],
    )


def _invitation(link: Link) -> Page:
    match = lobby.by_match_id(desk.db(), link.match_id or "")
    seat = next(seat for seat in lobby.seats_of(desk.db(), match) if seat.seat == link.seat)
    if match.status == MatchStatus.CANCELLED:
        return render_template("pages/over.html", match=match, game=GAMES[match.game])
    if seat.invited_email and _sits(match, seat):
        return render_template(
            "pages/token.html",
            title=gettext("A seat at “%(name)s”", name=match.name),
            sentences=[
                gettext("You have a seat at this table already, so this one is for somebody else."),
                gettext(
                    "With the button it is free again. Its host reads that this address has declined, and not whose it is."
                ),
            ],
            ask_name=False,
            name="",
            buttons=[("decline", gettext("Let it go"), "primary")],
        )
    signing = gettext("Accepting signs you in as %(email)s and gives you the seat.", email=seat.invited_email)
    accept = "accept"
    if _for_somebody_else(seat) and seat.invited_email:
        accept = "switch"
        signing += " " + gettext("%(me)s is signed out of this browser then.", me=desk.as_whom())
    if seat.wanted == "invited":
        taking = gettext("You take the place of %(name)s, with all that the seat has and all its quarrels.", name=seat.name)
        sentences = [taking, signing]
        buttons = [(accept, gettext("Take the seat"), "primary"), ("decline", gettext("Decline"), "")]
    elif seat.status == SeatStatus.TAKEN:
        sentences, buttons = [gettext("You have accepted this invitation.")], [(accept, gettext("To the game"), "primary")]
    else:
        asked = joining.Asked(
            [signing],
            [(accept, gettext("Take the seat"), "primary"), ("decline", gettext("Decline"), "")],
            seat.seat,
            ask_name=not _named(seat.invited_email),
        )
        return joining.page(match, asked)
    return render_template(
        "pages/token.html",
        title=gettext("A seat at “%(name)s”", name=match.name),
        sentences=sentences,
        ask_name=seat.status != SeatStatus.TAKEN and not _named(seat.invited_email),
        name="",
        buttons=buttons,
    )


@bp.get("/g/<id:match_id>/seat/<id:letter>")
def free_seat(match_id: str, letter: str) -> Page:
    """The button that takes a seat which is looking for a substitute."""
    desk.need_account()
    match, seat = _wanted(match_id, letter)
    return render_template(
        "pages/token.html",
        title=gettext("A seat at “%(name)s”", name=match.name),
        sentences=[
            gettext("You take the place of %(name)s, with all that the seat has and all its quarrels.", name=seat.name),
            gettext("The pace: %(words)s.", words=pace_words(pace_of(match.pace))),
        ],
        ask_name=False,
        buttons=[("take", gettext("Take the seat"), "primary")],
    )


@bp.post("/g/<id:match_id>/seat/<id:letter>")
@limiter.limit("20 per hour")
def take_seat(match_id: str, letter: str) -> Page:
    """Take a seat that has become free in a game under way."""
    desk.need_account()
    desk.fields(request.form, choice=10)
    with desk.writing() as session:
        match = lobby.by_match_id(session, match_id)
        seat = session.get(SeatRow, (match.id, letter))
        if seat is None:
            raise Taken(gettext("This seat is not looking for anybody; choose another game."))
        substitutes.take(session, match, seat, desk.me_in(session))
    return _done(match_id, gettext("The seat is yours in a moment; a letter comes as soon as you are asked."))


def _wanted(match_id: str, letter: str) -> tuple[Match, SeatRow]:
    match = lobby.by_match_id(desk.db(), match_id)
    seat = desk.db().get(SeatRow, (match.id, letter))
    if seat is None or seat.wanted != "open":
        raise Taken(gettext("This seat is not looking for anybody; choose another game."))
    return match, seat


def _sits(match: Match, promised: SeatRow) -> bool:
    """Whether the address that a seat is promised to is that of somebody who sits there."""
    owner = accounts.owner_of(desk.db(), promised.invited_email)
    return owner is not None and any(seat.account_id == owner.id for seat in lobby.seats_of(desk.db(), match))


def _named(email: str) -> bool:
    account = accounts.owner_of(desk.db(), email)
    return account is not None and bool(account.name)


@bp.post("/i/<token:token>")
@limiter.limit("120 per minute", key_func=get_remote_address)
def answer_invitation(token: str) -> Page:
    """Accept or decline, and leave the token behind."""
    given = desk.fields(request.form, name=400, choice=20, word=400)
    if given["choice"] == "stay":
        return redirect("/games", 303)
    link = links.open(desk.settings(), desk.db(), token, links.INVITE)
    if given["choice"] == "open":
        return _invitation(link)
    if given["choice"] == "decline":
        with desk.writing() as session:
            lobby.decline(session, link)
            substitutes.decline(session, link)
        flash(gettext("You have declined. The seat is free again, and no further letters come."), "good")
        return redirect("/", 303)
    if given["choice"] not in ("accept", "switch"):
        desk.bad(gettext("Press “Take the seat” or “Decline”."))
    seat = desk.db().get(SeatRow, (link.match_id, link.seat))
    if seat is not None and given["choice"] == "accept" and _for_somebody_else(seat):
        return _for_whom(seat)
    door = desk.door()
    with desk.writing() as session:
        match = lobby.by_match_id(session, link.match_id or "")
        limits.one_at_a_time(session, match)
        seat = next(s for s in lobby.seats_of(session, match) if s.seat == link.seat)
        substitute = seat.wanted == "invited"
        fresh = seat.status == SeatStatus.INVITED or substitute
        if fresh and given["name"]:
            accounts.rename(session, accounts.by_email(session, seat.invited_email), given["name"])
        account, match = substitutes.accept(session, link) if substitute else lobby.accept(session, link, given["word"])
        # An accepted invitation is no key any more: who comes back with it signs in like everybody else, but for the
        # browser that has just accepted it, whose button was pressed twice.
        if fresh:
            links.use(session, link, door)
            limits.accepted(session, match.host_id, account.email)
        if fresh or links.used_here(session.get_one(Link, link.id), door):
            desk.enter_as(session, account, account.generation)
    return _done(match.id, gettext("You have a seat at this table."))
