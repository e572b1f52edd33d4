"""Seats that a browser plays by links from letters: a row each, found by a secret in the browser's cookie.

A session cookie that listed them would lose some: of several links opened at once, each response replaces the cookie of the
others. So the first link of a browser without a session also sets a cookie for its game's pages alone, which no other response
replaces; its row joins the browser's other rows as soon as it comes back with the session cookie that has stayed.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, func, select, update

from service.errors import BadLink
from service.people import accounts
from service.post import links
from service.store.models import Account, BrowserSeat, Link, SeatRow, now

KEPT = timedelta(days=120)
"""How long a seat is remembered after its link was last opened; links run out sooner."""
FORGOTTEN_AT_ONCE = 20
MOST_LISTED = 100


def new_secret() -> str:
    """A fresh secret for a browser's cookie."""
    return secrets.token_urlsafe(24)


def of_browser(secret: str) -> str:
    """What the rows of a browser are found by; empty for no secret."""
    return hashlib.sha256(secret.encode()).hexdigest() if secret else ""


def of_game(secret: str, match_id: str) -> str:
    """The id of the row that a secret made for a game; empty for no secret."""
    return hashlib.sha256(f"{secret} {match_id}".encode()).hexdigest() if secret else ""


def remember(session: Session, secret: str, link: Link) -> None:
    """Let a browser play the seat of a link. Of one game it plays the seat that was opened last."""
    id, match_id = of_game(secret, str(link.match_id)), str(link.match_id)
    row = session.get(BrowserSeat, id)
    if row is None:
        row = BrowserSeat(id=id, browser=of_browser(secret), match_id=match_id, link_id=link.id)
        try:
            with session.begin_nested():
                session.add(row)
        except IntegrityError:  # the same link in two windows at the same moment
            row = session.get_one(BrowserSeat, id)
    row.link_id, row.browser, row.at = link.id, of_browser(secret), now()
    session.add(row)
    session.flush()
    # A row that came from another secret of this browser is older.
    older = (col(BrowserSeat.browser) == row.browser, col(BrowserSeat.match_id) == match_id, col(BrowserSeat.id) != id)
    session.exec(delete(BrowserSeat).where(*older))
    _forget_old(session)


def join(session: Session, id: str, secret: str) -> None:
    """Count a row among those of the browser that has this secret now."""
    session.exec(update(BrowserSeat).where(col(BrowserSeat.id) == id).values(browser=of_browser(secret)))


def held(session: Session, secret: str) -> list[Link]:
    """The links of a browser that are still good, the one opened last first."""
    if not secret:
        return []
    mine = select(Link).join(BrowserSeat, col(BrowserSeat.link_id) == Link.id)
    found = mine.where(BrowserSeat.browser == of_browser(secret)).order_by(col(BrowserSeat.at).desc()).limit(MOST_LISTED)
    return [link for link in session.exec(found) if is_good(session, link)]


def is_good(session: Session, link: Link) -> bool:
    """Whether a turn link still opens its seat."""
    try:
        links.good(session, link, links.TURN)
    except BadLink:
        return False
    return True


def is_good_for(link: Link, seat: SeatRow) -> bool:
    """The same for a seat row that is already loaded; no query."""
    return seat.key_generation == link.generation and link.revoked_at is None and link.expires_at >= now()


def forget(session: Session, secret: str) -> None:
    """Forget all seats of a browser."""
    session.exec(delete(BrowserSeat).where(col(BrowserSeat.browser) == of_browser(secret)))


def keep_elsewhere(session: Session, secret: str, account: Account) -> bool:
    """Forget the seats of a browser at tables where the account sits itself; whether any are left."""
    mine = col(BrowserSeat.browser) == of_browser(secret)
    seated = accounts.seated_at(session, account, session.exec(select(BrowserSeat.match_id).where(mine)))
    session.exec(delete(BrowserSeat).where(mine, col(BrowserSeat.match_id).in_(seated)))
    return bool(session.exec(select(func.count()).select_from(BrowserSeat).where(mine)).one())


def _forget_old(session: Session) -> None:
    """Delete some rows past retention; every link that is opened clears away a few."""
    old = select(BrowserSeat.id).where(col(BrowserSeat.at) < now() - KEPT).limit(FORGOTTEN_AT_ONCE)
    session.exec(delete(BrowserSeat).where(col(BrowserSeat.id).in_(old.with_for_update(skip_locked=True))))
