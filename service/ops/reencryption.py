"""Key rotation: re-encrypts with the first key what older keys encrypted, so that those can be removed. Resumable, in small
transactions.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, Table, TableClause, bindparam, literal, select, tuple_

from service.errors import CannotDecrypt
from service.ops.backup import tables
from service.settings import Settings
from service.store.database import engine_for
from service.store.encryption import Cipher, as_stored, cipher_of, like, purposes, word

BATCH = 100
PASSES = 20
BETWEEN_SECONDS = 0.5
"""Seconds before locked rows are retried."""


@dataclass
class Reencrypted:
    """Counts: values re-encrypted, rows locked all the time, values that no key decrypts."""

    done: int = 0
    busy: int = 0
    undecryptable: int = 0


def reencrypt(settings: Settings) -> Reencrypted:
    engine, whole = engine_for(settings), Reencrypted()
    for table in tables():
        if not purposes(table):
            continue
        for _ in range(PASSES):
            passed = _pass(engine, table)
            whole.done += passed.done
            if not passed.busy:
                break
            time.sleep(BETWEEN_SECONDS)
        whole.busy += passed.busy
        whole.undecryptable += passed.undecryptable
    return whole


def _pass(engine: Engine, table: Table) -> Reencrypted:
    cipher, encrypted, stored = cipher_of(engine.dialect), purposes(table), as_stored(table)
    keys = [column.name for column in table.primary_key.columns]
    own = [stored.c[key] for key in keys]
    found, first = Reencrypted(), select(stored).order_by(*own).limit(BATCH)
    query = first
    while True:
        with engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        old = [[row[key] for key in keys] for row in rows if any(_is_old(cipher, encrypted, row))]
        if old:
            with engine.execution_options(writ_writes=True).begin() as connection:
                _reencrypt(connection, stored, keys, encrypted, cipher, old, found)
        if len(rows) < BATCH:
            return found
        query = first.where(tuple_(*own) > tuple_(*(literal(rows[-1][key]) for key in keys)))


def _is_old(cipher: Cipher, encrypted: dict[str, str], row: RowMapping) -> list[str]:
    return [name for name, purpose in encrypted.items() if row[name] and cipher.is_old(purpose, word(row[name]))]


def _reencrypt(
    connection: Connection,
    stored: TableClause,
    keys: list[str],
    encrypted: dict[str, str],
    cipher: Cipher,
    which: list[list[Any]],
    found: Reencrypted,
) -> None:
    """Re-encrypt rows that nobody has locked (SKIP LOCKED)."""
    own = [stored.c[key] for key in keys]
    query = select(stored).where(tuple_(*own).in_(which)).with_for_update(key_share=True, skip_locked=True)
    rows = list(connection.execute(query).mappings())
    found.busy += len(which) - len(rows)
    update = stored.update().where(*(column == bindparam(f"at_{column.name}") for column in own))
    for row in rows:
        values = {}
        for name in _is_old(cipher, encrypted, row):
            try:
                values[name] = like(
                    row[name], cipher.encrypt(encrypted[name], cipher.decrypt(encrypted[name], word(row[name])))
                )
            except CannotDecrypt:
                found.undecryptable += 1
        if values:
            connection.execute(update.values(values), {f"at_{key}": row[key] for key in keys})
            found.done += len(values)
