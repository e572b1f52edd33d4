"""What every page needs of a request: settings, database session, who is there, which seats are theirs, clean fields."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

import structlog
from flask import Flask, Response, abort, current_app, g, redirect, request
from flask import session as cookie
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session
from werkzeug.datastructures import MultiDict
from werkzeug.routing import BaseConverter
from werkzeug.wrappers import Response as BaseResponse

from engine.asks import Refused
from engine.words import ENGLISH, calling
from service.common.i18n import gettext, languages, speaking_to
from service.errors import CannotUnseal, Disclosing, Misread, NotAllowed, NotFound
from service.people import accounts, browsers, link_seats
from service.post import disclosure, links
from service.settings import Settings
from service.store.database import open_session
from service.store.models import Account, Browser, Link, Match, MatchStatus, SeatRow
from service.store.seats import Held, Seated, by_browser, called, seated
from service.table import talk

log = structlog.get_logger()

Page = str | BaseResponse | tuple[str | BaseResponse, int]
"""What a view gives to Flask: a page or a way on, and its status where that is not 200."""

SPEECHLESS = frozenset(("static", "site.health", "host.ready", "host.figures"))
"""Endpoints that say nothing to people."""
LED_TO = "turn.turn_page"
"""The page to which links in letters lead."""
GAME_COOKIE = "writ_seat"
"""The cookie for the pages of one game: a secret, like that of the session cookie; see `service.people.link_seats`."""


MOST_KNOWN = 4
"""Accounts that a browser is known by; see `is_known`."""
FORM_KEY = "form_key"
"""The field of forms with their idempotency key; see `service.web.once`."""


@dataclass
class Press:
    """A request with an idempotency key: everything that it writes is one transaction."""

    session: Session
    wrote: bool = False
    said: list[tuple[str, str]] = field(default_factory=list)
    """Category and sentence of what was flashed."""
    disclosed: list[str] = field(default_factory=list)
    """Texts that were refused for a private token, which is revoked once the transaction is over."""


class IdConverter(BaseConverter):
    """`<id:...>`: an id of ours. Anything else is no address at all."""

    regex = r"[A-Za-z0-9_-]{1,64}"


class TokenConverter(BaseConverter):
    """`<token:...>`: a signed token, whole or cut."""

    regex = r"[A-Za-z0-9._~-]{1,500}"


def settings() -> Settings:
    """The settings that the app was made with."""
    found: Settings = current_app.extensions["writ.settings"]
    return found


def _note_browser(row: Browser | None, joined: tuple[str, str] | None) -> None:
    """Note that a browser was here today, and a row of a game's cookie among the browser's others."""
    with writing() as session:
        if row is not None:
            browsers.seen(session, row.id)
        if joined is not None:
            link_seats.join(session, *joined)


def register(app: Flask) -> None:
    """Close the request's session when it is over, and note once a day that a browser was here."""

    @app.after_request
    def note(response: Response) -> Response:
        row: Browser | None = g.get("browser")
        joined: tuple[str, str] | None = g.pop("joined", None)
        if response.status_code < 500:
            try:  # to look at the row may take a statement, too
                if joined is not None or (row is not None and browsers.is_news(row)):
                    _note_browser(row, joined)
            except SQLAlchemyError as problem:  # a page is not to fail for this
                log.warning("browser not noted", problem=type(problem).__name__)
        entered: tuple[str, str] | None = g.pop("entered", None)
        if entered is not None:
            match_id, secret = entered
            response.set_cookie(
                GAME_COOKIE,
                secret,
                max_age=app.permanent_session_lifetime,
                path=f"/g/{match_id}",
                secure=app.config["SESSION_COOKIE_SECURE"],
                httponly=True,
                samesite="Lax",
            )
        return response

    @app.teardown_appcontext
    def close(_error: BaseException | None) -> None:
        session: Session | None = g.pop("db", None)
        if session is not None:
            session.close()


def speak(app: Flask) -> None:
    """Speak to each visitor in a language of theirs while a request lasts: see `reader`."""

    @app.before_request
    def begin() -> None:
        g.speech = ExitStack()
        g.speech.enter_context(speaking_to(*reader()))

    @app.teardown_request
    def end(_error: BaseException | None) -> None:
        speech: ExitStack | None = g.pop("speech", None)
        if speech is not None:
            speech.close()


def db() -> Session:
    """The request's session for reading; where an idempotent form has written already, the one that knows of it."""
    press: Press | None = g.get("press")
    if press is not None and press.wrote:
        return press.session
    if "db" not in g:
        g.db = open_session(settings())
    session: Session = g.db
    return session


@contextmanager
def writing() -> Iterator[Session]:
    """One transaction for a use case that changes something. What is read after it is as it left it."""
    _read_anew()
    press: Press | None = g.get("press")
    try:
        if press is None:
            with disclosure.writing(settings()) as session:
                yield session
        else:
            try:
                with press.session.begin_nested():
                    yield press.session
            except Disclosing as refusal:
                press.disclosed.append(refusal.text)
                raise
            press.wrote = True
    finally:
        # Who is signed in was read meanwhile, and SQLite would go on showing what stood there at that moment.
        _read_anew()


def let_go() -> None:
    """Forget all that was read, and give its connection back, before something is written of which no page is made here: to
    take up again what was read would send for each row once more. Nothing that was read may be used after it."""
    session: Session | None = g.pop("db", None)
    if session is not None:
        session.close()
    for name in ("seats", "unread", "match", "held"):
        g.pop(name, None)
    forget_me()


def _read_anew() -> None:
    if "db" in g:
        g.db.rollback()
    g.pop("seats", None)
    g.pop("unread", None)


# --- who is there -----------------------------------------------------------------------------------------------------


def me() -> Account | None:
    """The account that is signed in with this browser, if any."""
    if "me" not in g:
        asked = _match_asked()
        found = browsers.of_cookie(db(), cookie.get("browser"), asked)
        # The match is kept as well: the session knows a row only as long as somebody holds it.
        g.browser, g.me, g.match, seats = found if found is not None else (None, None, None, [])
        if seats:
            g.setdefault("seats", {})[asked] = seats
    account: Account | None = g.me
    return account


def reader() -> tuple[str, str]:
    """Language and zone of the visitor: the account's who is signed in, or whose seat is played here by a link from a letter.

    A stranger's language is the one, of those there are, that the browser wishes most.
    """
    if request.endpoint in SPEECHLESS:
        return ENGLISH, "UTC"
    try:
        account = me() or _player(_match_asked())
    except (SQLAlchemyError, CannotUnseal):  # the page will say so itself
        account = None
    if account is not None:
        return accounts.spoken(account), account.zone
    return request.accept_languages.best_match(languages(), ENGLISH) or ENGLISH, "UTC"


def _match_asked() -> str:
    """The match whose page is asked for, if it is one of a match."""
    return str((request.view_args or {}).get("match_id", ""))


def held_in(match_id: str) -> Held | None:
    """The seat that this browser plays in a match by a link. Whether the link is still good is asked elsewhere."""
    known: dict[str, Held | None] = g.setdefault("held", {})
    if match_id not in known:
        known[match_id] = _look_for_seat(match_id)
    return known[match_id]


def _look_for_seat(match_id: str) -> Held | None:
    own, of_game = _secret(), request.cookies.get(GAME_COOKIE, "")[:64]
    if not match_id or not (own or of_game) or _is_signed_out():
        return None
    row, browser = link_seats.of_game(of_game, match_id), link_seats.of_browser(own)
    found = by_browser(db(), row, browser, match_id)
    if found is not None and found.row.browser != browser:
        if not own:
            cookie.permanent = True
            cookie["seats"] = own = of_game
        g.joined = (found.row.id, own)
    return found


def _secret() -> str:
    """The secret by which the rows of seats are found that this browser plays by links."""
    return str(cookie.get("seats", ""))


def _is_signed_out() -> bool:
    """Whether this browser was signed in, and is so no more: then nothing that it kept counts."""
    return bool(cookie.get("browser")) and me() is None


def _player(match_id: str) -> Account | None:
    """To whom the link was sent by which this browser plays in a match. Whether it is still good is asked elsewhere."""
    held = held_in(match_id)
    if held is None:
        return None
    # Kept: the session knows a row only as long as somebody holds it.
    g.match = held.match
    g.setdefault("seats", {})[match_id] = held.seats
    seated = (account for _, account in held.seats if account is not None and account.id == held.link.account_id)
    return next(seated, None) or db().get(Account, held.link.account_id)


def _seated(match_id: str) -> Seated:
    if match_id not in g.setdefault("seats", {}):
        g.seats[match_id] = seated(db(), match_id)
    found: Seated = g.seats[match_id]
    return found


def seats_in(match_id: str) -> list[SeatRow]:
    """The seats of a match, clockwise. Read once, with the accounts of those who sit there."""
    return [seat for seat, _ in _seated(match_id)]


def accounts_in(match_id: str) -> dict[str, Account]:
    """The accounts of those who sit in a match, by seat."""
    return {seat.seat: account for seat, account in _seated(match_id) if account is not None}


def browser() -> Browser | None:
    """The row of this browser while somebody is signed in with it."""
    me()
    row: Browser | None = g.get("browser")
    return row


def need_account() -> Account:
    """The account; a visitor without one is sent to sign in, and comes back to this page afterwards."""
    account = me()
    if account is None:
        if request.method == "GET":
            come_back(request.path)
        # Letters lead to this page by a link that sets a cookie: a browser that brings none doesn't keep them.
        strange = request.endpoint == LED_TO and not request.cookies
        abort(redirect("/sign-in?sent=back" if strange else "/sign-in", 303))
    return account


def come_back(path: str) -> None:
    """Let who signs in next with this browser come to a page of ours."""
    cookie["onward"] = path


def me_in(session: Session) -> Account:
    """The account that is signed in, in a session that writes."""
    return accounts.by_id(session, need_account().id)


def door() -> str:
    """A secret of this browser's own, by which a button pressed twice is told from a link used by somebody else."""
    if not cookie.get("door"):
        cookie["door"] = secrets.token_urlsafe(16)
    return str(cookie["door"])


def enter_as(session: Session, account: Account, generation: int) -> None:
    """Sign the browser in. Of the session before, only turn links are kept: those to tables where the account has no seat.

    Nothing is kept where somebody else was signed in; that browser is signed out. `session` is one that writes.
    """
    here, own = browser(), _secret()
    keeps = bool(own) and not _is_signed_out() and (here is None or here.account_id == account.id)
    if here is not None:
        browsers.end(session, accounts.by_id(session, here.account_id), here.id)
    if keeps:
        keeps = link_seats.keep_elsewhere(session, own, account)
    else:
        link_seats.forget(session, own)
    mark = door()
    _clear(account)
    cookie.permanent = True
    cookie["account"], cookie["door"] = account.id, mark
    cookie["browser"] = browsers.enter(session, account, generation, request.headers.get("User-Agent", ""))
    if keeps:
        cookie["seats"] = own
    forget_me()


def forget_me() -> None:
    """Look anew who is there; the session has changed."""
    for name in ("me", "browser", "held", "joined"):
        g.pop(name, None)


def sign_out() -> None:
    """End this browser's signing in, on the server as well: a copy of its cookie opens nothing any more."""
    here, own = browser(), _secret()
    if here is not None or own:
        with writing() as session:
            if here is not None:
                browsers.end(session, accounts.by_id(session, here.account_id), here.id)
            link_seats.forget(session, own)
    _clear()
    forget_me()


def _clear(account: Account | None = None) -> None:
    """Clear the session, but keep the marks of accounts that were signed in here."""
    known = [str(mark) for mark in cookie.get("known", [])]
    if account is not None:
        known = [_known_by(account), *(mark for mark in known if mark != _known_by(account))][:MOST_KNOWN]
    cookie.clear()
    if known:
        cookie.permanent = True
        cookie["known"] = known


def _known_by(account: Account) -> str:
    return f"{account.id}.{account.generation}"


def is_known(account: Account) -> bool:
    """Whether this browser is or was signed in as the account, since that last signed out everywhere.

    Strangers can't use up how often such a browser may ask for sign-in letters (a device cookie).
    """
    return _known_by(account) in cookie.get("known", [])


def onward() -> str:
    """Where the visitor was going when signing in got in the way; empty if nowhere."""
    path = str(cookie.pop("onward", ""))
    return path if path.startswith("/") and not path.startswith("//") else ""


def held_links() -> list[Link]:
    """The turn links that are good and that this browser has opened, the last one first."""
    return [] if _is_signed_out() else link_seats.held(db(), _secret())


def holds_links() -> bool:
    """Whether this browser has opened turn links. Asks no database: for what stands on every page."""
    return bool(_secret())


def enter_by(link: Link) -> None:
    """Remember a turn link, so that the address bar needn't. A HEAD, as mail scanners send it, is not remembered."""
    if request.method == "HEAD":
        return
    if _is_signed_out():
        _clear()
    cookie.permanent = True
    # Of several links that are opened at once each answer brings a session cookie of its own, and one of them stays: forms of
    # all are good, since for the same person they are signed for the same value.
    cookie.setdefault("csrf_token", links.form_secret(settings(), link))
    match_id, own = str(link.match_id), _secret()
    if not own:
        cookie["seats"] = own = link_seats.new_secret()
        g.entered = (match_id, own)
    held = held_in(match_id)
    if held is None or held.link.id != link.id or held.row.browser != link_seats.of_browser(own):
        with writing() as session:
            link_seats.remember(session, own, link)
    g.pop("held", None)


def seat_in(match_id: str) -> str | None:
    """The seat that the visitor may play in this match: by a turn link that is still good, or by account."""
    held = held_in(match_id)
    link = db().get(Link, held.link.id) if held is not None else None
    if link is not None and link.match_id == match_id and link_seats.is_good(db(), link):
        return link.seat
    account = me()
    if account is None:
        return None
    return next((seat.seat for seat in seats_in(match_id) if seat.account_id == account.id), None)


def is_anothers(link: Link) -> bool:
    """Whether a turn link is for another seat than this browser plays, or for somebody else than is signed in with it."""
    known, account = seat_in(str(link.match_id)), me()
    if known is not None:
        return known != link.seat
    return account is not None and account.id != link.account_id


def as_whom() -> str:
    """Who is signed in with this browser, as its own user knows them; empty for nobody."""
    account = me()
    return (account.name or account.email) if account is not None else ""


def member_of(match_id: str) -> tuple[Match, str]:
    """The match, and the visitor's seat in it. Others are sent to sign in, or refused."""
    match = db().get(Match, match_id)
    if match is None:
        raise NotFound(gettext("There is no such game."))
    seat = seat_in(match_id)
    if seat is None:
        need_account()
        raise NotAllowed(gettext("That page is for the players of a game in which you have no seat."))
    g.speech.enter_context(calling(called(match, {})))  # so that refusals, too, call things as the host's own file does
    return match, seat


def gathers(match: Match) -> bool:
    """Whether there is no table yet, or never will be: the start waits, or the game was called off before it began."""
    return match.status in (MatchStatus.LOBBY, MatchStatus.CANCELLED)


def unread_talk(match: Match) -> int:
    """Messages of the table that the visitor's seat has not read."""
    known: int | None = g.setdefault("unread", {}).get(match.id)
    if known is not None:
        return known
    seat = seat_in(match.id)
    return talk.unread(db(), match, seat) if seat is not None else 0


def note_unread(match: Match, number: int) -> None:
    """Keep how many messages there are that the visitor's seat has not read, for `unread_talk` in this request."""
    g.setdefault("unread", {})[match.id] = number


# --- what was sent ----------------------------------------------------------------------------------------------------


def fields(form: MultiDict[str, str], typed: Collection[str] = (), /, **longest: int) -> dict[str, str]:
    """The named fields of a form, trimmed, each at most so many characters; absent ones are empty.

    Unknown, repeated, over-long fields and unprintable characters are refused with a sentence (400). The characters of what is
    `typed` are let through: whoever keeps it refuses them, so that the form comes again with what was typed.
    """
    for name in form:
        if name not in longest and name not in ("csrf_token", FORM_KEY):
            bad(gettext("The form has a field “%(name)s” that does not belong there.", name=name[:40]))
    found: dict[str, str] = {}
    for name, most in longest.items():
        values = form.getlist(name)
        if len(values) > 1:
            bad(gettext("The form has “%(name)s” %(n)s times; once is right.", name=name, n=len(values)))
        text = values[0].strip() if values else ""
        if len(text) > most:
            bad(gettext("“%(name)s” is %(n)s characters long; at most %(most)s fit.", name=name, n=len(text), most=most))
        if name not in typed and any(ord(c) < 32 and c not in "\n\r\t" for c in text):
            bad(gettext("“%(name)s” has characters that cannot be written.", name=name))
        found[name] = text
    return found


def wrong_field(refused: Refused) -> str:
    """The field of the form that was refused for what it holds; empty where it is no field's alone."""
    return refused.field if isinstance(refused, Misread) else ""


def bad(sentence: str) -> NoReturn:
    """End the request with 400 and this sentence."""
    abort(400, description=sentence)
