"""Opt-out from invitations: addresses that want no more of them, kept as keyed hashes.

It holds for the address whether it has an account or not, until its owner ends it: who asks for a sign-in letter, which anybody
can for any address, changes nothing.
"""

from __future__ import annotations

import hmac

from sqlmodel import Session, col, delete, select, update

from engine.asks import NotLegal
from service.common.messages import sentence
from service.store.database import settings_of
from service.store.models import Account, Letter, LetterStatus, OptOut

INVITATIONS = frozenset(("invitation", "substitute"))
"""Letters to people who may never have heard of the service."""
NONE_GO_THERE = sentence("Writ sends no invitations to that address. Give the link of the table to the person yourself.")


def _marks(session: Session, email: str) -> list[str]:
    """The hashes of an address by all secret keys, the newest first."""
    what = f"writ no invitations {email.lower()}".encode(errors="surrogatepass")
    return [hmac.digest(key.encode(), what, "sha256").hex() for key in settings_of(session).keys]


def has(session: Session, email: str) -> bool:
    """Whether an address has opted out. One kept under an older key is kept under the newest from then on."""
    newest, *older = _marks(session, email)
    found = set(session.exec(select(OptOut.mark).where(col(OptOut.mark).in_([newest, *older]))))
    if found and newest not in found:
        session.merge(OptOut(mark=newest))
        session.flush()
    return bool(found)


def check(session: Session, email: str) -> None:
    """Raises NotLegal for an address that has opted out, or is banned; the sentence says no more than that no letter goes
    there."""
    banned = select(Account.id).where(Account.email == email, col(Account.banned_at).is_not(None))
    if has(session, email) or session.exec(banned).first() is not None:
        raise NotLegal(NONE_GO_THERE)


def add(session: Session, email: str) -> None:
    """Opt an address out; invitations that wait are dropped. Doing it twice is once."""
    session.merge(OptOut(mark=_marks(session, email)[0]))
    waiting = (col(Letter.to_address) == email, col(Letter.kind).in_(INVITATIONS), col(Letter.status) == LetterStatus.QUEUED)
    session.exec(update(Letter).where(*waiting).values(status=LetterStatus.DROPPED))
    session.flush()


def end(session: Session, email: str) -> None:
    """Let invitations go to an address again, as its owner wishes."""
    session.exec(delete(OptOut).where(col(OptOut.mark).in_(_marks(session, email))))
