"""Registration policy (`WRIT_REGISTRATION`).

`open`: all. `invitation`: invited addresses, and visitors of a share link. `domains`: those of `WRIT_REGISTRATION_DOMAINS`
only. Operators always may. Existing accounts sign in unless banned. A banned account's mailbox opens no second one.
"""

from __future__ import annotations

from sqlmodel import Session, col, select

from engine.core.asks import NotLegal
from service.common import clubs
from service.common.messages import Listed, sentence
from service.errors import Banned
from service.post import links
from service.store import optouts
from service.store.database import settings_of
from service.store.encryption import mark
from service.store.models import Account, Match, MatchStatus, SeatRow, SeatStatus


def may_sign_in(session: Session, email: str, share: str = "") -> bool:
    """Whether to send a sign-in letter to a normalised address. `share`: key of the page's share link."""
    account = session.exec(select(Account).where(Account.email == email)).first()
    if account is not None:
        return account.banned_at is None
    settings = settings_of(session)
    if email in settings.operators:
        return True
    if optouts.is_banned(session, email):
        return False
    if settings.registration == "open":
        return True
    if settings.registration == "domains":
        return clubs.among(email, settings.registration_domains)
    return _is_promised_a_seat(session, email) or _shares_a_table(session, share)


def _is_promised_a_seat(session: Session, email: str) -> bool:
    lobby = (Match.status == MatchStatus.LOBBY) & (SeatRow.status == SeatStatus.INVITED)
    running = (Match.status == MatchStatus.RUNNING) & (SeatRow.wanted == "invited")
    found = select(SeatRow.seat).join(Match, col(Match.id) == SeatRow.match_id).where(SeatRow.invited_email == email)
    return session.exec(found.where(lobby | running).limit(1)).first() is not None


def _shares_a_table(session: Session, key: str) -> bool:
    if not key:
        return False
    found = select(Match.id).where(Match.share_mark == mark(key), Match.status == MatchStatus.LOBBY)
    return session.exec(found).first() is not None


def check_domain(session: Session, email: str) -> None:
    """Raise NotLegal outside the allowed domains, even for existing accounts, so that they can't be probed."""
    settings = settings_of(session)
    if settings.registration != "domains" or email in settings.operators:
        return
    if not clubs.among(email, settings.registration_domains):
        raise NotLegal(
            sentence(
                "This house takes only addresses of %(domains)s; choose one of those.",
                domains=Listed([domain.removeprefix(".") for domain in settings.registration_domains]),
            )
        )


def check_invited(session: Session, email: str) -> None:
    """Raise Banned, or NotLegal outside the domains, for an invited address."""
    account = session.exec(select(Account).where(Account.email == email)).first()
    if account is not None:
        check_ban(account)
        return
    check_domain(session, email)
    if optouts.is_banned(session, email):
        raise Banned(links.SHUT_OUT)


def check_ban(account: Account) -> None:
    """Raise Banned for a banned account."""
    if account.banned_at is not None:
        raise Banned(links.SHUT_OUT)
