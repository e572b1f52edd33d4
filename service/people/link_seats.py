"""Seats that a browser plays by letters' links, found by a secret in a cookie. Session cookies of links opened at the same time
overwrite each other: a link also sets a cookie for its game's path, whose row joins the browser's others.
"""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import Session, col, delete, func, select, update

from service.errors import BadLink
from service.people import accounts
from service.post import links
from service.store import bulk
from service.store.encryption import hashed
from service.store.models import Account, BrowserSeat, Link, SeatRow, now

KEPT = timedelta(days=120)
"""Retention after the last opening; links expire sooner."""
MOST_LISTED = 100


def of_game(secret: str, match_id: str) -> str:
    """Row id of a secret and a game; "" for no secret."""
    return hashed(f"{secret} {match_id}") if secret else ""


def remember(session: Session, secret: str, link: Link) -> None:
    """Store a link's seat; the latest opened counts in each game."""
    id, match_id = of_game(secret, str(link.match_id)), str(link.match_id)
    row = BrowserSeat(id=id, browser=hashed(secret), match_id=match_id, link_id=link.id)
    session.add(row)
    bulk.put(session, BrowserSeat)
    # Rows from this browser's older secrets.
    older = (col(BrowserSeat.browser) == row.browser, col(BrowserSeat.match_id) == match_id, col(BrowserSeat.id) != id)
    session.exec(delete(BrowserSeat).where(*older))
    bulk.delete_some(session, BrowserSeat, col(BrowserSeat.at) < now() - KEPT)


def join(session: Session, id: str, secret: str) -> None:
    """Move a row to the browser with this secret."""
    session.exec(update(BrowserSeat).where(col(BrowserSeat.id) == id).values(browser=hashed(secret)))


def held(session: Session, secret: str) -> list[Link]:
    """Valid links, last opened first."""
    if not secret:
        return []
    mine = select(Link).join(BrowserSeat, col(BrowserSeat.link_id) == Link.id)
    found = mine.where(BrowserSeat.browser == hashed(secret)).order_by(col(BrowserSeat.at).desc()).limit(MOST_LISTED)
    return [link for link in session.exec(found) if is_good(session, link)]


def is_good(session: Session, link: Link) -> bool:
    try:
        links.good(session, link, links.TURN)
    except BadLink:
        return False
    return True


def is_good_for(link: Link, seat: SeatRow) -> bool:
    """`is_good` for a loaded seat, without a query."""
    return seat.key_generation == link.generation and link.revoked_at is None and link.expires_at >= now()


def forget(session: Session, secret: str) -> None:
    session.exec(delete(BrowserSeat).where(col(BrowserSeat.browser) == hashed(secret)))


def keep_elsewhere(session: Session, secret: str, account: Account) -> bool:
    """Delete a browser's seats at the account's own tables; whether any remain."""
    mine = col(BrowserSeat.browser) == hashed(secret)
    seated = accounts.seated_at(session, account, session.exec(select(BrowserSeat.match_id).where(mine)))
    session.exec(delete(BrowserSeat).where(mine, col(BrowserSeat.match_id).in_(seated)))
    return bool(session.exec(select(func.count()).select_from(BrowserSeat).where(mine)).one())
