"""Request context: settings, sessions, account, seats, form fields."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, NoReturn

import structlog
from flask import Flask, Response, abort, current_app, flash, g, redirect, render_template, request
from flask import session as cookie
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session
from werkzeug.datastructures import MultiDict
from werkzeug.routing import BaseConverter
from werkzeug.wrappers import Response as BaseResponse

from engine.core.asks import Refused
from engine.language.i18n import ENGLISH, languages
from engine.language.words import calling
from service.common.i18n import gettext, speaking_to
from service.errors import CannotDecrypt, Disclosing, Misread, NotAllowed
from service.people import accounts, address_changes, browsers, link_seats
from service.post import disclosure, links
from service.settings import Settings
from service.store.database import open_session
from service.store.encryption import hashed
from service.store.models import Account, Browser, Link, Match, MatchStatus, SeatRow, now
from service.store.seats import Held, Seated, by_browser, by_match_id, called, owner_of, seated
from service.table import practice, talk

log = structlog.get_logger()

Page = str | BaseResponse | tuple[str | BaseResponse, int]
"""Return type of views."""

SPEECHLESS = frozenset(("static", "site.health", "operators.ready", "operators.figures"))
"""Endpoints without text for people."""
LED_TO = "turn.turn_page"
"""Target of links in letters."""
GAME_COOKIE = "writ_seat"
"""Cookie for one game's pages, a secret; see `service.people.link_seats`."""


MOST_KNOWN = 4
"""Most accounts remembered by a browser; see `is_known`."""
SIGNED_OUT = "left"
"""Session field: time of this browser's last sign-out; it ends seats remembered only in an older `GAME_COOKIE`."""
LEARNT = "learn"
"""Session field: game -> lesson -> steps done in this browser."""
FORM_KEY = "form_key"
"""Form field of the idempotency key; see `service.web.once`."""


@dataclass
class Press:
    """A request with an idempotency key, and the one transaction of its writes."""

    session: Session
    wrote: bool = False
    said: list[tuple[str, str]] = field(default_factory=list)
    """Flashed (category, sentence)."""
    disclosed: list[str] = field(default_factory=list)
    """Refused texts with private tokens, to be revoked."""


class IdConverter(BaseConverter):
    """`<id:...>`: a row id."""

    regex = r"[A-Za-z0-9_-]{1,64}"


class TokenConverter(BaseConverter):
    """`<token:...>`: a signed token, perhaps truncated."""

    regex = r"[A-Za-z0-9._~-]{1,500}"


def settings() -> Settings:
    found: Settings = current_app.extensions["writ.settings"]
    return found


def _note_browser(row: Browser | None, joined: tuple[str, str] | None) -> None:
    with writing() as session:
        if row is not None:
            browsers.seen(session, row.id)
        if joined is not None:
            link_seats.join(session, *joined)


def register(app: Flask) -> None:
    """Close the request's session at its end; record a browser once a day."""

    @app.after_request
    def note(response: Response) -> Response:
        g.pop("member", None)
        row: Browser | None = g.get("browser")
        joined: tuple[str, str] | None = g.pop("joined", None)
        if response.status_code < 500:
            try:  # reading the row may query, too
                if joined is not None or (row is not None and browsers.is_news(row)):
                    _note_browser(row, joined)
            except SQLAlchemyError as problem:  # not worth failing a page
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
    """Set the visitor's language for each request."""

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
    """The read session, or the write session of an idempotent form that has written."""
    press: Press | None = g.get("press")
    if press is not None and press.wrote:
        return press.session
    if "db" not in g:
        g.db = open_session(settings())
    session: Session = g.db
    return session


@contextmanager
def writing() -> Iterator[Session]:
    """Write transaction of a use case. Aborts with 403 if the seat of `member_of` has changed hands meanwhile."""
    _end_read_transaction()
    press: Press | None = g.get("press")
    try:
        if press is None:
            with disclosure.writing(settings()) as session:
                yield session
                _check_owner(session)
        else:
            try:
                with press.session.begin_nested():
                    yield press.session
                    _check_owner(press.session)
            except Disclosing as refusal:
                press.disclosed.append(refusal.text)
                raise
            press.wrote = True
    finally:
        # SQLite would keep the snapshot in which the account was read.
        _end_read_transaction()


@contextmanager
def changing(match_id: str) -> Iterator[tuple[Session, Match]]:
    """`writing`, with the match to change. Raises NotFound."""
    with writing() as session:
        yield session, by_match_id(session, match_id)


def _check_owner(session: Session) -> None:
    """Abort unless the seat of a posted form is still that of `member_of`'s player."""
    if "member" not in g:
        return
    match_id, seat, owner = g.member
    if owner_of(session, match_id, seat) != owner:
        abort(403, description=gettext("The seat has changed hands since."))


def forget_member() -> str:
    """Let a form give up its player's own seat; returns the account id."""
    owner: str = g.pop("member")[2]
    return owner


def close_read_session() -> None:
    """Close the read session before a write that doesn't render: refreshing rows costs queries."""
    session: Session | None = g.pop("db", None)
    if session is not None:
        session.close()
    for name in ("seats", "unread", "match", "held"):
        g.pop(name, None)
    forget_me()


def _end_read_transaction() -> None:
    if "db" in g:
        g.db.rollback()
    g.pop("seats", None)
    g.pop("unread", None)


def me() -> Account | None:
    """The signed-in account; None for guests."""
    account = _of_browser()
    return None if account is None or account.is_guest else account


def guest() -> Account | None:
    """The browser's guest account, if any."""
    account = _of_browser()
    return account if account is not None and account.is_guest else None


def _of_browser() -> Account | None:
    if "me" not in g:
        asked = _match_asked()
        found = browsers.of_cookie(db(), cookie.get("browser"), asked)
        # A reference keeps the row in the identity map.
        g.browser, g.me, g.match, seats = found if found is not None else (None, None, None, [])
        if seats:
            g.setdefault("seats", {})[asked] = seats
    account: Account | None = g.me
    return account


def reader() -> tuple[str, str]:
    """Language and zone: the account's, the link owner's, or the best match of Accept-Language."""
    if request.endpoint in SPEECHLESS:
        return ENGLISH, "UTC"
    try:
        account = _of_browser() or _player(_match_asked())
    except (SQLAlchemyError, CannotDecrypt):  # the page reports it
        account = None
    if account is not None:
        return accounts.spoken(account), account.zone
    return request.accept_languages.best_match(languages(), ENGLISH) or ENGLISH, "UTC"


def _match_asked() -> str:
    return str((request.view_args or {}).get("match_id", ""))


def held_in(match_id: str) -> Held | None:
    """The seat that this browser plays by link; validity isn't checked."""
    known: dict[str, Held | None] = g.setdefault("held", {})
    if match_id not in known:
        known[match_id] = _look_for_seat(match_id)
    return known[match_id]


def _look_for_seat(match_id: str) -> Held | None:
    own, of_game = _secret(), request.cookies.get(GAME_COOKIE, "")[:64]
    if not match_id or not (own or of_game) or _is_signed_out():
        return None
    row, browser = link_seats.of_game(of_game, match_id), hashed(own)
    found = by_browser(db(), row, browser, match_id)
    if found is not None and found.row.browser != browser:
        if found.row.at.timestamp() <= cookie.get(SIGNED_OUT, 0):
            return None
        if not own:
            cookie.permanent = True
            cookie["seats"] = own = of_game
        g.joined = (found.row.id, own)
    return found


def _secret() -> str:
    return str(cookie.get("seats", ""))


def _is_signed_out() -> bool:
    return bool(cookie.get("browser")) and _of_browser() is None


def _player(match_id: str) -> Account | None:
    """The link owner's account; validity isn't checked."""
    held = held_in(match_id)
    if held is None:
        return None
    # A reference keeps the row in the identity map.
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
    """A match's seats with accounts, clockwise; cached."""
    return [seat for seat, _ in _seated(match_id)]


def accounts_in(match_id: str) -> dict[str, Account]:
    return {seat.seat: account for seat, account in _seated(match_id) if account is not None}


def zone_in(match_id: str, seat: str) -> str:
    account = accounts_in(match_id).get(seat)
    return account.zone if account is not None else "UTC"


def browser() -> Browser | None:
    me()
    row: Browser | None = g.get("browser")
    return row


def need_account() -> Account:
    """The account; redirects others to sign-in, then back."""
    account = me()
    if account is None:
        if request.method == "GET":
            set_return_path(request.path)
        # Links set a cookie before leading here, so a browser without one rejects cookies.
        strange = request.endpoint == LED_TO and not request.cookies
        abort(redirect("/sign-in?sent=back" if strange else "/sign-in", 303))
    return account


def need_operator() -> Account:
    """The account of one who runs the service; 403 for others."""
    account = need_account()
    if account.email not in settings().operators:
        abort(403, description=gettext("That page is for those who run this service."))
    return account


def set_return_path(path: str) -> None:
    cookie["onward"] = path


def me_in(session: Session) -> Account:
    return accounts.by_id(session, need_account().id)


def browser_secret() -> str:
    """Secret that tells a repeated click from a link used elsewhere."""
    if not cookie.get("door"):
        cookie["door"] = secrets.token_urlsafe(16)
    return str(cookie["door"])


def sign_in_as(session: Session, account: Account, generation: int) -> None:
    """Sign the browser in, in `session`. Keeps lessons done and turn links to tables where the account has no seat, and moves
    the guest's tables to the account.

    If another account was signed in, ends that browser session and keeps nothing.
    """
    here, own, was_guest = browser(), _secret(), guest()
    keeps = bool(own) and not _is_signed_out() and (here is None or here.account_id == account.id or was_guest is not None)
    if was_guest is not None:
        address_changes.claim(session, account, accounts.by_id(session, was_guest.id))
        practice.name_claimed(session, account)
    elif here is not None:
        browsers.end(session, accounts.by_id(session, here.account_id), here.id)
    if keeps:
        keeps = link_seats.keep_elsewhere(session, own, account)
    else:
        link_seats.forget(session, own)
    mark, learnt = browser_secret(), cookie.get(LEARNT) if here is None or was_guest is not None else None
    _clear(account)
    cookie.permanent = True
    cookie["account"], cookie["door"] = account.id, mark
    cookie["browser"] = browsers.enter(session, account, generation, request.headers.get("User-Agent", ""))
    if keeps:
        cookie["seats"] = own
    if learnt:
        cookie[LEARNT] = learnt
    forget_me()


def enter_as_guest(session: Session, account: Account) -> None:
    """Sign the browser in as a guest, in `session`."""
    cookie.permanent = True
    cookie["browser"] = browsers.enter(session, account, account.generation, request.headers.get("User-Agent", ""))
    forget_me()


def forget_me() -> None:
    for name in ("me", "browser", "held", "joined"):
        g.pop(name, None)


def sign_out() -> None:
    """Sign out, on the server as well: a copied cookie becomes invalid."""
    here, own = browser(), _secret()
    if here is not None or own:
        with writing() as session:
            if here is not None:
                browsers.end(session, accounts.by_id(session, here.account_id), here.id)
            link_seats.forget(session, own)
    _clear()
    cookie.permanent = True
    cookie[SIGNED_OUT] = now().timestamp()
    forget_me()


def _clear(account: Account | None = None) -> None:
    kept = {name: cookie[name] for name in ("known", SIGNED_OUT) if name in cookie}
    if account is not None:
        known = [str(mark) for mark in kept.get("known", []) if mark != _known_by(account)]
        kept["known"] = [_known_by(account), *known][:MOST_KNOWN]
    cookie.clear()
    if kept:
        cookie.permanent = True
        cookie.update(kept)


def _known_by(account: Account) -> str:
    return f"{account.id}.{account.generation}"


def is_known(account: Account) -> bool:
    """Whether this browser has been signed in as the account since its last sign-out everywhere: such devices have a sign-in
    rate limit that strangers can't use up.
    """
    return _known_by(account) in cookie.get("known", [])


def pop_return_path() -> str:
    path = str(cookie.pop("onward", ""))
    return path if path.startswith("/") and not path.startswith("//") else ""


def held_links() -> list[Link]:
    """Valid turn links, newest first."""
    return [] if _is_signed_out() else link_seats.held(db(), _secret())


def holds_links() -> bool:
    return bool(_secret())


def enter_by(link: Link, instead: bool = False) -> None:
    """Store a turn link in the session, except for HEAD, which mail scanners send. `instead`: of another seat, whose pages may
    still be open and would act for the new one: their forms' CSRF tokens become invalid.
    """
    if request.method == "HEAD":
        return
    if _is_signed_out():
        _clear()
    cookie.permanent = True
    # Links opened at the same time set rival session cookies: one secret per person keeps all forms valid.
    if instead:
        cookie.pop("csrf_token", None)
    cookie.setdefault("csrf_token", links.form_secret(settings(), link))
    match_id, own = str(link.match_id), _secret()
    if not own:
        cookie["seats"] = own = secrets.token_urlsafe(24)
    # Also if there was a secret: a link opened at the same time may just have set another.
    g.entered = (match_id, own)
    held = held_in(match_id)
    if held is None or held.link.id != link.id or held.row.browser != hashed(own):
        with writing() as session:
            link_seats.remember(session, own, link)
    g.pop("held", None)


def seat_in(match_id: str) -> str | None:
    """The visitor's seat, by a valid turn link or account."""
    held = held_in(match_id)
    link = db().get(Link, held.link.id) if held is not None else None
    if link is not None and link.match_id == match_id and link_seats.is_good(db(), link):
        return link.seat
    account = _of_browser()
    if account is None:
        return None
    return next((seat.seat for seat in seats_in(match_id) if seat.account_id == account.id), None)


def is_anothers(link: Link) -> bool:
    """Whether a turn link is for another seat or account than this browser's."""
    known, account = seat_in(str(link.match_id)), me()
    if known is not None:
        return known != link.seat
    return account is not None and account.id != link.account_id


def signed_in_name() -> str:
    account = me()
    return (account.name or account.email) if account is not None else ""


def member_of(match_id: str) -> tuple[Match, str]:
    """The match and the visitor's seat; strangers must sign in. Writes are refused once the seat is another's (`writing`).
    Raises NotFound, NotAllowed.
    """
    match = by_match_id(db(), match_id)
    seat = seat_in(match_id)
    if seat is None:
        need_account()
        raise NotAllowed(gettext("That page is for the players of a game in which you have no seat."))
    g.speech.enter_context(calling(called(match, {})))  # refusals use the host's own names
    if request.method == "POST":
        g.member = match.id, seat, next(row.account_id for row in seats_in(match.id) if row.seat == seat)
    return match, seat


def form_of_member(shown: Callable[[Match, str, Refused], Page]) -> Callable[[Callable[..., Page]], Callable[..., Page]]:
    """Decorator of a form's view: passes match and visitor's seat (`member_of`) in place of the id. A refusal renders the form
    again by `shown`.
    """

    def decorator(view: Callable[..., Page]) -> Callable[..., Page]:
        @wraps(view)
        def posted(match_id: str, **named: str) -> Page:
            match, seat = member_of(match_id)
            try:
                return view(match, seat, **named)
            except Refused as refusal:
                return shown(match, seat, refusal)

        return posted

    return decorator


def among_people() -> None:
    """Refuse pages about other people at a table against bots. Raises NotAllowed."""
    match = db().get(Match, _match_asked()) if _match_asked() else None
    if match is not None and match.practice:
        raise NotAllowed(gettext("Only bots sit at this table; there is nobody to talk, vote or wait with."))


def is_before_start(match: Match) -> bool:
    """In the lobby, or cancelled before the start."""
    return match.status in (MatchStatus.LOBBY, MatchStatus.CANCELLED)


def unread_talk(match: Match) -> int:
    known: int | None = g.setdefault("unread", {}).get(match.id)
    if known is not None:
        return known
    seat = seat_in(match.id)
    return talk.unread(db(), match, seat) if seat is not None else 0


def note_unread(match: Match, number: int) -> None:
    g.setdefault("unread", {})[match.id] = number


def page_number() -> int | None:
    raw = request.args.get("page", "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 7 else None


def fields(form: MultiDict[str, str], typed: Collection[str] = (), /, **longest: int) -> dict[str, str]:
    """Named fields of a form, trimmed, with their greatest lengths; absent ones are empty. Aborts with 400 for unknown,
    repeated, over-long or unprintable fields (but unprintable `typed` ones).
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
            bad(gettext("“%(name)s” has characters that can't be shown; use letters, digits and punctuation.", name=name))
        found[name] = text
    return found


def wrong_field(refused: Refused) -> str:
    return refused.field if isinstance(refused, Misread) else ""


def form_page(template: str, fault: object, /, **variables: Any) -> Page:
    """Render a page with a form; 422 if `fault` says why the form was refused."""
    page = render_template(template, fault=fault, **variables)
    return (page, 422) if fault else page


def link_page(
    title: str, sentences: Sequence[str], buttons: Sequence[tuple[str, str, str]], fault: str = "", **asked: Any
) -> Page:
    """Page of a letter's link with buttons (value, label, style); `asked`: fields for name and time zone."""
    return form_page("pages/token.html", fault, title=title, sentences=sentences, buttons=buttons, **asked)


def attachment(content: str, name: str, kind: str) -> Response:
    response = Response(content, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def done(path: str, sentence: str) -> Page:
    """Redirect after a change, with a flash message."""
    flash(sentence, "good")
    return redirect(path, 303)


def bad(sentence: str) -> NoReturn:
    """Abort with 400."""
    abort(400, description=sentence)
