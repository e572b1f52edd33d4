"""Opt-out from invitations: addresses as keyed hashes. Only their owner can end it; requesting a sign-in letter doesn't."""

from __future__ import annotations

import hmac

from sqlalchemy import ColumnElement
from sqlmodel import Session, and_, col, delete, select, update

from engine.core.asks import NotLegal
from service.common.addresses import mailbox
from service.common.messages import sentence
from service.store import bulk
from service.store.database import settings_of
from service.store.models import Account, Letter, LetterStatus, OptOut

INVITATIONS = frozenset(("invitation", "substitute"))
"""Letters to people who may not know the service."""
NONE_GO_THERE = sentence("Writ sends no invitations to that address. Give the link of the table to the person yourself.")


def marks(session: Session, email: str, purpose: str = "no invitations") -> list[str]:
    """Hashes of mailbox and address under all secret keys, the mailbox's under the newest first."""
    email = email.lower()
    whats = [f"writ {purpose} {one}".encode(errors="surrogatepass") for one in dict.fromkeys((mailbox(email), email))]
    return [hmac.digest(key.encode(), what, "sha256").hex() for what in whats for key in settings_of(session).keys]


def has(session: Session, email: str) -> bool:
    """Whether an address has opted out; renews a hash under an older key."""
    newest, *older = marks(session, email)
    found = set(session.exec(select(OptOut.mark).where(col(OptOut.mark).in_([newest, *older]))))
    if found and newest not in found:
        bulk.add_unless_there(session, OptOut(mark=newest))
    return bool(found)


def of_mailbox(email: str) -> ColumnElement[bool]:
    """Condition: accounts with an address of the same mailbox, with any `+tag`."""
    local, _, domain = mailbox(email).rpartition("@")
    tagged = (
        col(Account.email).startswith(f"{local}+", autoescape=True),
        col(Account.email).endswith(f"@{domain}", autoescape=True),
    )
    return col(Account.email).in_((email, f"{local}@{domain}")) | and_(*tagged)


def is_banned(session: Session, email: str) -> bool:
    """Whether an account of the address's mailbox is banned."""
    return session.exec(select(Account.id).where(of_mailbox(email), col(Account.banned_at).is_not(None))).first() is not None


def refuses(session: Session, email: str) -> bool:
    return has(session, email) or is_banned(session, email)


def check(session: Session, email: str) -> None:
    """Raise NotLegal, with the same sentence for an opted-out and a banned address."""
    if refuses(session, email):
        raise NotLegal(NONE_GO_THERE)


def add(session: Session, email: str) -> None:
    """Opt an address out and drop its waiting invitations; idempotent."""
    bulk.add_unless_there(session, OptOut(mark=marks(session, email)[0]))
    waiting = (col(Letter.to_address) == email, col(Letter.kind).in_(INVITATIONS), col(Letter.status) == LetterStatus.QUEUED)
    session.exec(update(Letter).where(*waiting).values(status=LetterStatus.DROPPED))


def end(session: Session, email: str) -> None:
    session.exec(delete(OptOut).where(col(OptOut.mark).in_(marks(session, email))))
