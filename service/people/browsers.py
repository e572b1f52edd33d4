"""Signed-in browsers, found by a secret in a cookie; can be signed out remotely."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select, update

from service.common.messages import sentence
from service.errors import NotFound
from service.store import bulk
from service.store.encryption import hashed
from service.store.models import Account, Browser, Match, SeatRow, now
from service.store.seats import UNREAD, Seated

UNSEEN = timedelta(days=90)
"""A browser not seen for this long is signed out."""
MOST_LISTED = 50
PROGRAMS = (("Firefox", "Firefox"), ("Edg", "Edge"), ("OPR", "Opera"), ("Chrom", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)

# Cached: every signed-in page runs it.
SITTING = aliased(Account)
BY_SECRET = (
    sa.select(Browser, Account, Match, SeatRow, SITTING)
    .select_from(Browser)
    .join(Account, col(Account.id) == Browser.account_id)
    .outerjoin(SeatRow, col(SeatRow.match_id) == bindparam("match"))
    .outerjoin(SITTING, col(SITTING.id) == SeatRow.account_id)
    # Only with the own seat: the match's row is large.
    .outerjoin(Match, (col(Match.id) == SeatRow.match_id) & (col(SeatRow.account_id) == Account.id))
    .where(col(Browser.secret) == bindparam("secret"))
    .order_by(col(SeatRow.seat))
    .options(*UNREAD)
)


def enter(session: Session, account: Account, generation: int, agent: str = "") -> str:
    """Sign a browser in; returns its cookie's secret.

    `generation`: the account's when the link was made, so that a later sign-out everywhere covers this browser. `agent`: the
    User-Agent header; two words are stored.
    """
    secret = secrets.token_urlsafe(24)
    row = Browser(secret=hashed(secret), account_id=account.id, generation=generation, label=label(agent), seen_at=_today())
    session.add(row)
    session.flush()
    bulk.delete_some(session, Browser, col(Browser.seen_at) < now() - UNSEEN)
    return secret


def of_cookie(session: Session, secret: object, match_id: str = "") -> tuple[Browser, Account, Match | None, Seated] | None:
    """Browser and account; None if signed out. The same query loads the match's seats, and for its players the match."""
    if not isinstance(secret, str) or not secret:
        return None
    rows = session.execute(BY_SECRET, {"secret": hashed(secret), "match": match_id}).all()
    if not rows:
        return None
    browser, account = rows[0][:2]
    if browser.ended_at is not None or browser.seen_at <= now() - UNSEEN or account.generation != browser.generation:
        return None
    if account.banned_at is not None:
        return None
    match = next((row[2] for row in rows if row[2] is not None), None)
    return browser, account, match, [(row[3], row[4]) for row in rows if row[3] is not None]


def listed(session: Session, account: Account) -> list[Browser]:
    mine = (Browser.account_id == account.id, Browser.generation == account.generation, col(Browser.ended_at).is_(None))
    found = select(Browser).where(*mine, col(Browser.seen_at) > now() - UNSEEN)
    return list(session.exec(found.order_by(col(Browser.seen_at).desc(), col(Browser.id).desc()).limit(MOST_LISTED)))


def end(session: Session, account: Account, id: str) -> None:
    """Sign a browser out. Idempotent. Raises NotFound."""
    row = session.get(Browser, id)
    if row is None or row.account_id != account.id:
        raise NotFound(sentence("You are not signed in with any such browser."))
    row.ended_at = row.ended_at or now()
    session.flush()


def is_news(row: Browser) -> bool:
    """Whether it was last seen before today."""
    return row.seen_at < _today()


def seen(session: Session, id: str) -> None:
    session.exec(update(Browser).where(col(Browser.id) == id, col(Browser.seen_at) < _today()).values(seen_at=_today()))


def _today() -> datetime:
    return now().replace(hour=0, minute=0, second=0, microsecond=0)


def label(agent: str) -> str:
    program = next((name for mark, name in PROGRAMS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    return ", ".join(filter(None, (program, system)))
