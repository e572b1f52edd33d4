"""Retention: empties old letters, deletes expired links, packs old logs. See `docs/data.md`."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import ColumnElement, exists, text
from sqlmodel import Session, col, delete, select, update

from service.log import packing
from service.post import letters
from service.settings import Settings
from service.store import tallies
from service.store.database import each_alone, open_session, transaction
from service.store.encryption import Undecryptable
from service.store.models import AddressChange, AskRow, Beat, Letter, LetterStatus, Link, now
from service.table import practice

TIDY = "tidy"
"""Its heartbeat."""
BATCH = 200
MOST_BATCHES = 25
"""Per run."""
CHANGES_KEPT = timedelta(days=30)
"""Longer than a change of address can be undone."""
WAITING = frozenset((LetterStatus.QUEUED, LetterStatus.GATHERED, LetterStatus.SENDING))
DONE = tuple(status for status in LetterStatus if status not in WAITING)
KEPT_HEADERS = frozenset((letters.KEY, letters.MESSAGES, letters.REPLY, letters.THREAD))
"""Needed for replies to old letters; no secrets."""


def once_an_hour(settings: Settings, job: str) -> bool:
    """Whether an hourly job is due; records its run as a heartbeat."""
    with open_session(settings) as session:
        last = session.get(Beat, job)
    if last is not None and last.at > now() - timedelta(hours=1):
        return False
    with transaction(settings) as session:
        session.merge(Beat(name=job, at=now()))
    return True


def put_off(session: Session) -> None:
    """Put the clean-up off by an hour."""
    session.merge(Beat(name=TIDY, at=now()))


def tidy(settings: Settings) -> int:
    """Clean up, hourly at most; returns the number of rows."""
    if not once_an_hour(settings, TIDY):
        return 0
    limit = now() - timedelta(days=settings.keep_letters_days)
    count = 0
    with transaction(settings) as session:
        tallies.renew(session)
    practice.close_due(settings)
    with open_session(settings) as session:
        due = packing.due(session, now() - timedelta(days=settings.pack_days), BATCH)
    count += each_alone(settings, due, packing.pack, "log can't be packed")
    dead = (col(Link.expires_at) < limit) | (col(Link.revoked_at) < limit)
    over = col(AddressChange.created_at) < now() - CHANGES_KEPT
    for throw in (
        partial(empty_letters, limit=limit),
        partial(_delete, kind=Link, which=dead),
        partial(_delete, kind=AddressChange, which=over),
    ):
        for _ in range(MOST_BATCHES):
            with transaction(settings) as session:
                done = throw(session)
            count += done
            if done < BATCH:
                break
    return count


def empty_letters(session: Session, limit: datetime) -> int:
    """Empty old letters, except those about open questions."""
    asked = (col(AskRow.match_id) == Letter.match_id, col(AskRow.seat) == Letter.seat, col(AskRow.serial) == Letter.serial)
    old = select(Letter.id, Letter.headers).where(
        text("letters.html <> ''"),  # literal, to match the partial index
        col(Letter.created_at) < limit,
        col(Letter.status).in_(DONE),
        ~exists().where(*asked, col(AskRow.answered_at).is_(None)),
    )
    found = session.exec(old.order_by(col(Letter.created_at)).limit(BATCH)).all()
    for id, headers in found:
        known = {} if isinstance(headers, Undecryptable) else headers
        left = {name: value for name, value in known.items() if name in KEPT_HEADERS}
        session.exec(update(Letter).where(col(Letter.id) == id).values(text="", html="", headers=left))
    return len(found)


def _delete(session: Session, kind: type[AddressChange | Link], which: ColumnElement[bool]) -> int:
    ids = session.exec(select(kind.id).where(which).limit(BATCH)).all()
    session.exec(delete(kind).where(col(kind.id).in_(ids)))
    return len(ids)
