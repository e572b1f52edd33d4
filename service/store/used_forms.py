"""Idempotency keys of forms: one sent twice acts once, and both responses show the result. Inserted first: a concurrent
duplicate waits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import timedelta

from sqlmodel import Session, col, delete, update

from service.store import bulk
from service.store.models import UsedForm, now

KEPT = timedelta(days=2)
"""Retention; a page open longer than that may act twice."""


class UsedAlready(Exception):
    """A committed transaction has used the key."""


def id_of(key: str, path: str, who: str, fields: Iterable[tuple[str, str]]) -> str:
    """Row id of a sent form; another sender or other fields make another id."""
    what = json.dumps([key, path, who, sorted(fields)])
    return hashlib.sha256(what.encode()).hexdigest()


def found(session: Session, id: str) -> UsedForm | None:
    return session.get(UsedForm, id)


def claim(session: Session, id: str) -> None:
    """Insert the key at the start of the transaction. Raises UsedAlready."""
    if not bulk.add_unless_there(session, UsedForm(id=id)):
        raise UsedAlready


def keep(session: Session, id: str, target: str, said: Sequence[tuple[str, str]]) -> None:
    """Store the form's result: redirect target and messages (category, sentence)."""
    session.exec(update(UsedForm).where(col(UsedForm.id) == id).values(target=target, said=[list(one) for one in said]))
    bulk.delete_some(session, UsedForm, col(UsedForm.at) < now() - KEPT)


def drop(session: Session, id: str) -> None:
    session.exec(delete(UsedForm).where(col(UsedForm.id) == id))
