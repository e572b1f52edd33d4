"""Idempotency keys of forms: one sent twice acts once, and both responses show the result. The key is inserted first, so that a
concurrent duplicate waits.
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
"""Retention; a page open longer than that may act twice."""
FORGOTTEN_AT_ONCE = 20


class UsedAlready(Exception):
    """A committed transaction has used the key."""


def id_of(key: str, path: str, who: str, fields: Iterable[tuple[str, str]]) -> str:
    """Row id of a sent form; another sender or other fields make another id."""
    what = json.dumps([key, path, who, sorted(fields)])
    return hashlib.sha256(what.encode()).hexdigest()


def found(session: Session, id: str) -> UsedForm | None:
    return session.get(UsedForm, id)


def claim(session: Session, id: str) -> UsedForm:
    """Insert the key at the start of the transaction. Raises UsedAlready."""
    row = UsedForm(id=id)
    session.add(row)
    try:
        session.flush()
    except IntegrityError:
        raise UsedAlready from None
    return row


def keep(session: Session, row: UsedForm, target: str, said: Sequence[tuple[str, str]]) -> None:
    """Store the form's result: redirect target and messages (category, sentence)."""
    row.target, row.said = target, [list(one) for one in said]
    session.add(row)
    session.flush()
    _forget(session)


def drop(session: Session, row: UsedForm) -> None:
    session.delete(row)
    session.flush()


def _forget(session: Session) -> None:
    old = select(UsedForm.id).where(col(UsedForm.at) < now() - KEPT).limit(FORGOTTEN_AT_ONCE)
    session.exec(delete(UsedForm).where(col(UsedForm.id).in_(old.with_for_update(skip_locked=True))))
