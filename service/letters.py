"""The one place where letters are made: rendered whole, text and HTML, and queued as rows in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any

import css_inline
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from sqlmodel import Session

from engine.games import GAMES
from service import links, queue
from service.db import ROOT, settings_of
from service.models import Account, Letter, Link, Match, Seat, ViewRow, new_id, now


@cache
def environment() -> Environment:
    """The templates of letters and boards; anything missing fails loudly."""
    env = Environment(
        loader=FileSystemLoader(str(ROOT / "templates")),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    env.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    return env


def render(kind: str, form: str, context: Mapping[str, Any]) -> str:
    """One part of a letter: `form` is `txt` or `html`."""
    return environment().get_template(f"letters/{kind}.{form}").render(**context)


def _queue(
    session: Session,
    kind: str,
    to_address: str,
    subject: str,
    context: Mapping[str, Any],
    *,
    account_id: str | None = None,
    match: Match | None = None,
    seat: str = "",
    serial: int = 0,
    hold: int = 0,
) -> Letter:
    settings = settings_of(session)
    whole = {"base_url": settings.base_url, "deadline": None, **context}
    id = new_id()
    headers = {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "OOF, AutoReply"}
    if match is not None:
        # One thread a game and reader: a root that no letter carries, named by all of them.
        headers["References"] = f"<{match.id}.{seat or 'x'}@{settings.mail_host}>"
        headers["In-Reply-To"] = headers["References"]
        headers["List-Id"] = f"<{match.id}.{settings.mail_host}>"
    letter = Letter(
        id=id,
        account_id=account_id,
        to_address=to_address,
        match_id=match.id if match is not None else None,
        seat=seat,
        serial=serial,
        kind=kind,
        subject=subject,
        text=render(kind, "txt", whole),
        html=css_inline.inline(render(kind, "html", whole), keep_style_tags=True),
        message_id=f"<{id}@{settings.mail_host}>",
        headers=headers,
        next_try_at=now() + timedelta(seconds=hold),
    )
    session.add(letter)
    session.flush()
    if not hold:
        queue.after_commit(session, queue.DELIVER, letter.id)
    return letter


def _subject(match: Match) -> str:
    """Constant for a game, so that mail readers keep its letters together."""
    return f"{match.name} · {GAMES[match.game].title}"


def sign_in(session: Session, account: Account, link: Link) -> Letter:
    """The letter with a sign-in link."""
    context = {"to_name": account.name, "link": links.url(settings_of(session), link), "hours": links.SIGN_IN_HOURS}
    return _queue(session, "sign_in", account.email, "Sign in to Writ", context, account_id=account.id)


def invitation(session: Session, match: Match, seat: Seat, by: Account, link: Link) -> Letter:
    """An invitation to a seat."""
    context = {
        "to_name": "",
        "from_name": by.name or "The host",
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "seats": match.seats,
        "link": links.url(settings_of(session), link),
    }
    return _queue(session, "invitation", seat.invited_email, _subject(match), context, match=match, seat=seat.seat)


def cancelled(session: Session, match: Match, seat: Seat, to_address: str) -> Letter:
    """The game was called off before its start."""
    context = {
        "to_name": seat.name,
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "link": settings_of(session).base_url,
    }
    return _queue(
        session, "cancelled", to_address, _subject(match), context, account_id=seat.account_id, match=match, seat=seat.seat
    )


def fresh_link(session: Session, match: Match, seat: Seat, account: Account) -> Letter:
    """A new link to a seat whose old one has run out; it goes to the seat's own address."""
    context = {
        "to_name": seat.name,
        "match": {"name": match.name, "id": match.id},
        "game_title": GAMES[match.game].title,
        "link": links.url(settings_of(session), links.turn_link(session, match, seat)),
    }
    return _queue(
        session, "fresh_link", account.email, _subject(match), context, account_id=account.id, match=match, seat=seat.seat
    )


def of_the_game(session: Session, kind: str, match: Match, seat: Seat, account: Account, seen: ViewRow, **more: Any) -> Letter:
    """A letter from a running or finished game (`started`, `turn` or `over`), made of what the seat may know."""
    hold = more.pop("hold", 0)
    names: dict[str, str] = more.pop("names")
    context = {
        "to_name": seat.name,
        "match": {"name": match.name, "id": match.id},
        "game": match.game,
        "game_title": GAMES[match.game].title,
        "seat": seat.seat,
        "view": seen.view,
        "form": seen.form,
        "offers": seen.offers,
        "news": seen.news,
        "head": seen.head,
        "names": names,
        "word": lambda id, home="": GAMES[match.game].word(id, names, home),
        "link": links.url(settings_of(session), links.turn_link(session, match, seat)),
        **more,
    }
    return _queue(
        session,
        kind,
        account.email,
        _subject(match),
        context,
        account_id=account.id,
        match=match,
        seat=seat.seat,
        serial=seen.serial if kind == "turn" else 0,
        hold=hold,
    )
