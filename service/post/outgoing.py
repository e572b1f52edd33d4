"""Hold on all outgoing mail: set by `writ host restore --quiet`, ended by `writ host resume-mail`. Letters stay queued, and all
clocks stand still as in a mail outage.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, exists
from sqlmodel import Session, col, delete, select, update

from service.clock.deadlines import MAIL
from service.common.messages import as_text, sentence
from service.store import bulk
from service.store.models import Beat, LedgerStatus, Letter, LetterEvent, LetterStatus, new_id, now

HELD = "mail held"
"""Row of `beats` while mail is held, with its start."""
AFTER_RESTORE = sentence("Held: this house was restored from a backup, and sends no letters yet.")
WAITING = (LetterStatus.QUEUED, LetterStatus.SENDING)


def hold(session: Session) -> None:
    """Hold all mail, noting it in the ledger of each waiting letter."""
    at = now()
    for name in (HELD, MAIL):  # MAIL: deadlines stand still before the first sweep, too
        bulk.add_unless_there(session, Beat(name=name, at=at))
    words = as_text(AFTER_RESTORE)
    lines = [
        {"id": new_id(), "letter_id": id, "at": at, "status": LedgerStatus.DEFERRED, "words": words} for id in _waiting(session)
    ]
    if lines:
        bulk.add_values(session, LetterEvent, lines)
        session.exec(update(Letter).where(col(Letter.status).in_(WAITING)).values(error=words))


def resume(session: Session) -> int:
    """Send mail again; returns how many letters wait. The next sweep moves the deadlines."""
    session.exec(delete(Beat).where(col(Beat.name) == HELD))
    return len(_waiting(session))


def _waiting(session: Session) -> Sequence[str]:
    return session.exec(select(Letter.id).where(col(Letter.status).in_(WAITING))).all()


def held_since(session: Session) -> datetime | None:
    found = session.get(Beat, HELD)
    return found.at if found is not None else None


def is_held() -> ColumnElement[bool]:
    """SQL condition, for queries that claim letters."""
    return exists().where(col(Beat.name) == HELD)
