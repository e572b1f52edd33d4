"""Secrets are sealed: seeds, positions, answers kept, letters and private addresses lie encrypted"""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from service.store.sealing import box_of, mark

revision = "0007"
down_revision = "0006"

# As they stand at this version: what is sealed later, later migrations seal.
SEALED: dict[str, tuple[tuple[str, ...], dict[str, sa.types.TypeEngine[Any]]]] = {
    "accounts": (("id",), {"calendar_key": sa.String()}),
    "matches": (("id",), {"seed": sa.LargeBinary(), "snapshot": sa.LargeBinary(), "watch_key": sa.String()}),
    "seats": (("match_id", "seat"), {"prepared": sa.JSON(), "orders": sa.JSON(), "advance": sa.JSON(), "notes": sa.String()}),
    "views": (("match_id", "seat"), {"view": sa.JSON(), "form": sa.JSON(), "offers": sa.JSON(), "news": sa.JSON()}),
    "asks": (("match_id", "seat", "serial"), {"kept": sa.String()}),
    "submissions": (("id",), {"move": sa.String(), "refusal": sa.String()}),
    "commands": (("id",), {"facts": sa.JSON()}),
    "messages": (("id",), {"text": sa.String()}),
    "letters": (("id",), {"text": sa.String(), "html": sa.String(), "headers": sa.JSON()}),
}
MARKED = {"accounts": ("calendar_key", "calendar_mark"), "matches": ("watch_key", "watch_mark")}
BATCH = 200


def upgrade() -> None:
    for table, (key, found_by) in MARKED.items():
        op.add_column(table, sa.Column(found_by, sa.String(length=64), nullable=False, server_default=""))
        op.create_index(f"ix_{table}_{found_by}", table, [found_by])
        _widen(table, key, sa.String())
        _mark(table, key, found_by)
    for table, (keys, columns) in SEALED.items():
        _rewrite(table, keys, columns, _seal)
    whole = sa.text("html <> ''")
    op.create_index("ix_letters_whole", "letters", ["created_at"], sqlite_where=whole, postgresql_where=whole)


def downgrade() -> None:
    op.drop_index("ix_letters_whole", "letters")
    for table, (keys, columns) in SEALED.items():
        _rewrite(table, keys, columns, _open)
    for table, (key, found_by) in MARKED.items():
        _widen(table, key, sa.String(length=64))
        op.drop_index(f"ix_{table}_{found_by}", table)
        op.drop_column(table, found_by)


def _widen(table: str, column: str, type_: sa.String) -> None:
    if op.get_bind().dialect.name != "sqlite":  # which doesn't care how long a text is
        op.alter_column(table, column, type_=type_)


def _mark(table: str, key: str, found_by: str) -> None:
    rows = sa.table(table, sa.column("id"), sa.column(key), sa.column(found_by))
    for id, secret in op.get_bind().execute(sa.select(rows.c.id, rows.c[key]).where(rows.c[key] != "")).all():
        op.execute(rows.update().where(rows.c.id == id).values({found_by: mark(secret)}))


def _seal(purpose: str, value: object) -> object:
    seal = box_of(op.get_bind().dialect).seal
    if isinstance(value, bytes):
        return base64.urlsafe_b64decode(seal(purpose, value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return seal(purpose, text.encode())


def _open(purpose: str, value: object) -> object:
    table, _, column = purpose.partition(".")
    word = base64.urlsafe_b64encode(value).decode() if isinstance(value, bytes) else str(value)
    data = box_of(op.get_bind().dialect).open(purpose, word)
    if isinstance(value, bytes):
        return data
    return json.loads(data) if isinstance(SEALED[table][1][column], sa.JSON) else data.decode()


def _rewrite(
    name: str, keys: tuple[str, ...], columns: dict[str, sa.types.TypeEngine[Any]], by: Callable[[str, object], object]
) -> None:
    """Pass every value that is not empty through `by`, and store what it gives."""
    table = sa.table(name, *(sa.column(key) for key in keys), *(sa.column(n, kind) for n, kind in columns.items()))
    update = table.update().where(*(table.c[key] == sa.bindparam(f"at_{key}") for key in keys))
    for rows in _batches(table, keys):
        for row in rows:
            values = {column: by(f"{name}.{column}", row[column]) for column in columns if row[column]}
            if values:
                op.get_bind().execute(update.values(values), {f"at_{key}": row[key] for key in keys})


def _batches(table: sa.TableClause, keys: tuple[str, ...]) -> Iterator[list[sa.RowMapping]]:
    own = [table.c[key] for key in keys]
    query, after = sa.select(table).order_by(*own).limit(BATCH), None
    while True:
        here = query if after is None else query.where(sa.tuple_(*own) > sa.tuple_(*map(sa.literal, after)))
        rows = list(op.get_bind().execute(here).mappings())
        yield rows
        if len(rows) < BATCH:
            return
        after = [rows[-1][key] for key in keys]
