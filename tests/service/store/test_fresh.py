"""A row that is made at once is the row that its model makes, in the session's own writing too."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import Session, SQLModel, select

from service.settings import Settings
from service.store import database as db
from service.store import together
from service.store.fresh import fresh
from service.store.models import AskRow, Letter, Link, Submission

VALUES: dict[type[SQLModel], dict[str, Any]] = {
    Letter: {"to_address": "a@example.org", "kind": "test", "subject": "s", "text": "t", "html": "", "message_id": "<a@b>"},
    Link: {"purpose": "turn", "seat": "a", "generation": 3},
    AskRow: {"match_id": "m", "seat": "a", "serial": 3, "kind": "turn"},
    Submission: {"match_id": "m", "seat": "a", "serial": 3, "kind": "turn", "move": "pass", "via": "page", "order": 1},
}
MADE_ANEW = {"id", "created_at", "opened_at", "next_try_at", "expires_at", "at"}


def told(row: SQLModel) -> dict[str, object]:
    return {name: value for name, value in row.model_dump().items() if name not in MADE_ANEW}


@pytest.mark.parametrize("kind", VALUES)
def test_it_has_the_defaults_that_its_model_gives(kind: type[SQLModel]) -> None:
    values = VALUES[kind] | ({"id": "one"} if kind is Submission else {})
    one, other, by_model = fresh(kind, **values), fresh(kind, **values), kind(**values)
    assert told(one) == told(by_model)
    made = {name for name in kind.model_fields if name in MADE_ANEW and getattr(by_model, name, None) is not None}
    assert all(type(getattr(one, name)) is type(getattr(by_model, name)) for name in made)
    if kind is Letter:
        assert one.id != other.id and one.headers is not other.headers  # type: ignore[attr-defined]  # a letter's


def test_a_value_that_the_model_has_not_is_refused() -> None:
    with pytest.raises(TypeError, match="Letter has no"):
        fresh(Letter, to="a@example.org")


def write_by_session(session: Session, row: Letter) -> None:
    session.add(row)
    session.flush()


def write_together(session: Session, row: Letter) -> None:
    session.add(row)
    together.add(session, Letter)


@pytest.mark.parametrize("write", [write_by_session, write_together])
def test_it_is_written_as_any_other(settings: Settings, write: object) -> None:
    row = fresh(Letter, **VALUES[Letter])
    row.subject = "another"
    with db.transaction(settings) as session:
        write(session, row)  # type: ignore[operator]  # one of the two above
    with db.open_session(settings) as session:
        kept = session.exec(select(Letter)).one()
        assert kept.model_dump() == row.model_dump() and kept.subject == "another"
