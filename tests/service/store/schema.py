"""The schema of a database as sorted lines of text, to be compared: tables, columns, constraints, indexes, triggers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import sqlalchemy as sa

TRIGGERS = """
SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL
SELECT '', pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""
CONSTRAINTS = """
SELECT conrelid::regclass::text, 'CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f', 'c')
"""
INDEXES = """
SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'
AND indexname NOT IN (SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace)
"""


def schema(connection: sa.Connection) -> str:
    """Tables, columns with type and default, keys, indexes and triggers; one a line, sorted."""
    seen = sa.inspect(connection)
    on_sqlite = connection.dialect.name == "sqlite"
    lines = [
        f"{table}.{column['name']}: {_type(column['type'], on_sqlite)}{'' if column['nullable'] else ' NOT NULL'}"
        + ("" if column["default"] is None else f" DEFAULT {column['default']}")
        for table in seen.get_table_names()
        for column in seen.get_columns(table)
    ]
    found = _of_sqlite(connection, seen) if on_sqlite else _of_postgres(connection)
    lines += [f"{table}: {_flat(definition)}" for table, definition in found]
    return "".join(f"{line}\n" for line in sorted(lines) if not line.startswith("alembic_version"))


def _type(type_: object, on_sqlite: bool) -> str:
    """The type of a column. SQLite holds to no length, and migrations of it leave lengths as they are."""
    return re.sub(r"\(\d+\)", "", str(type_)) if on_sqlite else str(type_) + _zone(type_)


def _zone(type_: object) -> str:
    return " WITH TIME ZONE" if isinstance(type_, sa.DateTime) and type_.timezone else ""


def _flat(definition: str) -> str:
    """A definition on one line, however it was laid out when it was sent."""
    return re.sub(r" ?([()]) ?", r"\1", re.sub(r'[\s"]+', " ", definition)).strip()


def _of_postgres(connection: sa.Connection) -> Iterator[tuple[str, str]]:
    for query in (CONSTRAINTS, INDEXES, TRIGGERS):
        yield from ((table, definition) for table, definition in connection.exec_driver_sql(query))


def _of_sqlite(connection: sa.Connection, seen: sa.Inspector) -> Iterator[tuple[str, str]]:
    for table in seen.get_table_names():
        yield table, f"PRIMARY KEY {seen.get_pk_constraint(table)['constrained_columns']}"
        for unique in seen.get_unique_constraints(table):
            yield table, f"UNIQUE {unique['column_names']}"
        for key in seen.get_foreign_keys(table):
            yield (
                table,
                f"FOREIGN KEY {key['constrained_columns']} {key['referred_table']} {key['referred_columns']} {key['options']}",
            )
    query = "SELECT tbl_name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
    yield from ((table, definition) for table, definition in connection.exec_driver_sql(query))
