"""Idempotency keys of forms: a form that was sent twice acts once, and both times leads to the first one's result.

The key's row is inserted at the head of the transaction in which the form acts. A unique id makes a second sending,
in whatever process, wait for the first (PostgreSQL) or come after it (SQLite); it is then answered from the row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, select

from service.store.models import UsedForm, now

KEPT = timedelta(days=2)
"""How long the result of a form is kept. A page that lay open longer has a key that acts once more."""
FORGOTTEN_AT_ONCE = 20


class UsedAlready(Exception):
    """The key was used by a transaction that has been committed."""


def id_of(key: str, path: str, who: str, fields: Iterable[tuple[str, str]]) -> str:
    """The row's id for a form that was sent: the same key from somebody else, or with other fields, is another form."""
    what = json.dumps([key, path, who, sorted(fields)])
    return hashlib.sha256(what.encode()).hexdigest()


def found(session: Session, id: str) -> UsedForm | None:
    """The result that is kept for a form, if it was sent before."""
    return session.get(UsedForm, id)


def claim(session: Session, id: str) -> UsedForm:
    """Use a key up, as the first thing in a transaction; rolled back with it. Raises UsedAlready."""
    row = UsedForm(id=id)
    session.add(row)
    try:
        session.flush()
    except IntegrityError:
        raise UsedAlready from None
    return row


def keep(session: Session, row: UsedForm, target: str, said: Sequence[tuple[str, str]]) -> None:
    """Keep the result of a form with its key: where it leads, and what was said there, as category and sentence."""
    row.target, row.said = target, [list(one) for one in said]
    session.add(row)
    session.flush()
    _forget(session)


def drop(session: Session, row: UsedForm) -> None:
    """Give a key back: the form did nothing, or shows itself again."""
    session.delete(row)
    session.flush()


def _forget(session: Session) -> None:
    """Delete some rows past retention; every new one clears away a few."""
    old = select(UsedForm.id).where(col(UsedForm.at) < now() - KEPT).limit(FORGOTTEN_AT_ONCE)
    session.exec(delete(UsedForm).where(col(UsedForm.id).in_(old.with_for_update(skip_locked=True))))
