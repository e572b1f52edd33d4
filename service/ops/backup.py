"""Portable backup of the whole database, or of one game; restorable on SQLite and PostgreSQL.

A ZIP of `manifest.json` and one JSON Lines file per table: bytes as Base64, times as ISO 8601 in UTC. A full backup keeps
columns encrypted, and needs the key; a single game is decrypted.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from sqlalchemy import JSON, Connection, DateTime, LargeBinary, MetaData, Table, TableClause, func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlmodel import Session, SQLModel

from engine.core.asks import NotLegal, NotUnderstood
from service.log import packing
from service.post import outgoing
from service.settings import Settings
from service.store import database as db
from service.store import models
from service.store.database import engine_for
from service.store.encryption import as_stored, cipher_of, purposes, word

FORMAT = 1
EVERYTHING, ONE_GAME = "writ backup", "writ game"
BATCH = 500
LONGEST_LINE = 32 * 1024 * 1024
"""Bytes read of a line at most: zeros deflate to a thousandth, and would fill the memory (ZIP bomb)."""
UNREADABLE = (OSError, EOFError, KeyError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What reading a damaged ZIP raises, also for unknown compression methods and passwords."""


class Part(msgspec.Struct, frozen=True):
    rows: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """Kind, format, time, migration, and the signing key's fingerprint."""

    kind: str
    format: int
    made: datetime
    revision: str
    key: str
    parts: dict[str, Part]
    still_since: datetime | None = None
    """Start of an outage that was going on at the export."""


def tables() -> list[Table]:
    """In foreign-key order."""
    assert models.Account.__tablename__ in SQLModel.metadata.tables
    return list(SQLModel.metadata.sorted_tables)


# --- rows as text -----------------------------------------------------------------------------------------------------


def out(table: Table | TableClause, row: Any) -> str:
    values = ((column.name, row[column.name]) for column in table.columns)
    found = {name: value.astimezone(UTC) if isinstance(value, datetime) else value for name, value in values}
    return msgspec.json.encode(found).decode()  # bytes as Base64, times as ISO 8601


def read(table: Table | TableClause, line: str) -> dict[str, Any]:
    """Parse a line to a row; missing columns are None."""
    found = json.loads(line)
    for column in table.columns:
        value = found.get(column.name)
        if value is None:
            continue
        kind = getattr(column.type, "impl", column.type)
        if isinstance(kind, LargeBinary):
            found[column.name] = base64.b64decode(value)
        elif isinstance(kind, DateTime) and not isinstance(column.type, JSON):
            found[column.name] = datetime.fromisoformat(value)
    return {column.name: found.get(column.name) for column in table.columns}


# --- files ------------------------------------------------------------------------------------------------------------


def write(
    settings: Settings,
    connection: Connection,
    file: Path,
    kind: str,
    parts: Iterable[tuple[str, Iterator[str]]],
    still_since: datetime | None = None,
) -> dict[str, int]:
    """Write an archive atomically; returns rows per part. Raises NotLegal if the file can't be written."""
    made, found = datetime.now(UTC), {}
    here, key = revision(connection), fingerprint(settings.keys[0])
    try:
        with replacing(file, ".part") as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, lines in parts:
                found[name] = _write_part(packed, name, lines)
            manifest = Manifest(kind, FORMAT, made, here, key, found, still_since)
            packed.writestr("manifest.json", msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    except OSError as problem:
        raise NotLegal(f"{file} can't be written: {problem.strerror or problem}.") from None
    return {name: part.rows for name, part in found.items()}


@contextlib.contextmanager
def replacing(file: Path, suffix: str) -> Iterator[BinaryIO]:
    """Write a file atomically (temporary file, fsync, rename), with mode 0600. Raises OSError."""
    aside = file.with_name(file.name + suffix)
    try:
        aside.unlink(missing_ok=True)  # left by a killed process
        with open(aside, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as fresh:
            yield fresh
            fresh.flush()
            os.fsync(fresh.fileno())
        aside.replace(file)
        _sync(file.parent)
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """fsync the folder, for a durable rename; some file systems refuse."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(opened)
    finally:
        os.close(opened)


def _write_part(packed: zipfile.ZipFile, name: str, lines: Iterator[str]) -> Part:
    digest, rows = hashlib.sha256(), 0
    with packed.open(f"{name}.jsonl", "w", force_zip64=True) as part:
        for line in lines:
            data = line.encode() + b"\n"
            digest.update(data)
            part.write(data)
            rows += 1
    return Part(rows, digest.hexdigest())


class Archive:
    """A backup's archive, its hashes checked when opened. Raises NotUnderstood."""

    def __init__(self, file: Path, kind: str = EVERYTHING) -> None:
        self.name = file.name
        try:
            self.packed = zipfile.ZipFile(file)
            with self.packed.open("manifest.json") as manifest:
                self.manifest = msgspec.json.decode(manifest.read(LONGEST_LINE), type=Manifest)
        except (*UNREADABLE, msgspec.MsgspecError):
            raise NotUnderstood(f"{file.name} is no file of Writ's, or it is cut; make it again.") from None
        if self.manifest.kind != kind:
            raise NotUnderstood(f"{file.name} holds a “{self.manifest.kind}”; here a “{kind}” is needed.")
        if self.manifest.format != FORMAT:
            raise NotUnderstood(f"{file.name} is of format {self.manifest.format}; this program reads format {FORMAT}.")
        for name, part in self.manifest.parts.items():
            digest, rows = hashlib.sha256(), 0
            for line in self._raw(name):
                digest.update(line)
                rows += 1
            if digest.hexdigest() != part.sha256 or rows != part.rows:
                raise NotUnderstood(f"The part “{name}” of {file.name} is not as it was written; the file is damaged.")

    def _raw(self, name: str) -> Iterator[bytes]:
        try:
            with self.packed.open(f"{name}.jsonl") as part:
                while line := part.readline(LONGEST_LINE):
                    if len(line) >= LONGEST_LINE:  # a compressed file's readline goes a little past its limit
                        raise ValueError("no row of ours is that long")
                    yield line
        except UNREADABLE:
            raise self._incomplete(name) from None

    def _incomplete(self, name: str) -> NotUnderstood:
        return NotUnderstood(f"The part “{name}” of {self.name} is missing or damaged; make the file again.")

    def rows(self, table: Table | TableClause) -> Iterator[dict[str, Any]]:
        """A part's rows. Raises NotUnderstood if it is missing."""
        if table.name not in self.manifest.parts:
            raise self._incomplete(table.name)
        for line in self._raw(table.name):
            yield read(table, line.decode())


def revision(connection: Connection) -> str:
    """The database's migration. Raises NotLegal if there are no tables."""
    try:
        return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
    except DBAPIError:
        raise NotLegal("The database has no tables yet, or can't be reached; run `writ migrate` first.") from None


def check_revision(archive: Archive, connection: Connection) -> None:
    here = revision(connection)
    if archive.manifest.revision != here:
        raise NotLegal(
            f"{archive.name} is of version {archive.manifest.revision} of the tables and the database of {here}; "
            "take it in with the program that made it, then run `writ migrate`."
        )


def fingerprint(key: str) -> str:
    """Hash of a secret key, to compare the keys of two instances."""
    return hashlib.sha256(b"writ key " + key.encode()).hexdigest()[:16]


# --- everything -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def one_moment(settings: Settings) -> Iterator[Connection]:
    """A streaming connection with a REPEATABLE READ snapshot."""
    engine = engine_for(settings)
    if engine.dialect.name != "sqlite":
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    with engine.execution_options(yield_per=BATCH).connect() as connection, connection.begin():
        yield connection


@dataclass(frozen=True)
class Written:
    rows: dict[str, int]
    entries: int

    @property
    def games(self) -> int:
        return self.rows["matches"]


def back_up(settings: Settings, file: Path) -> Written:
    """Back up the whole database from one snapshot."""
    packed_entries = 0
    with one_moment(settings) as connection:

        def lines(table: Table) -> Iterator[str]:
            nonlocal packed_entries
            stored = as_stored(table)
            keys = (stored.c[key.name] for key in table.primary_key.columns)
            for row in connection.execute(select(stored).order_by(*keys)).mappings():
                if table.name == "packed_logs":
                    packed_entries += packing.count(row["entries"])
                yield out(stored, row)

        rows = write(settings, connection, file, EVERYTHING, ((t.name, lines(t)) for t in tables()))
        return Written(rows, rows["entries"] + packed_entries)


def restore(settings: Settings, file: Path, quiet: bool = False) -> dict[str, int]:
    """Fill an empty database from a backup and migrate it, in one transaction; returns rows per table.

    `quiet`: hold outgoing mail (`service.post.outgoing`). Raises NotLegal if the database isn't empty, NotUnderstood for a
    damaged backup or an unknown migration, CannotDecrypt without the backup's key.
    """
    archive = Archive(file)
    _check_known(archive)
    counts: dict[str, int] = {}
    with db.migrating(settings) as connection:
        if db.version(connection) is not None:
            for table in _reflected(connection, archive):
                if connection.execute(select(func.count()).select_from(table)).scalar_one():
                    raise NotLegal("The database is not empty; restore into a new one, so that nothing is lost.")
        db.migrate_to(connection, archive.manifest.revision)
        found = _reflected(connection, archive)
        missing = sorted({table.name for table in found} ^ set(archive.manifest.parts))
        if missing:
            raise NotUnderstood(f"The part “{missing[0]}” of {file.name} is missing or unknown; make the backup again.")
        for table in found:
            counts[table.name] = insert(connection, table, _that_open(connection, table, archive))
        db.migrate_to(connection, "head")
        if quiet:
            with Session(connection, info={"settings": settings}, join_transaction_mode="rollback_only") as session:
                outgoing.hold(session)
                session.flush()
    return counts


def _check_known(archive: Archive) -> None:
    then = archive.manifest.revision
    if then not in db.known_migrations():
        known = f"this program knows {db.oldest_migration()} to {db.newest_migration()}"
        advice = "a newer Writ made it" if then > db.newest_migration() else f"restore it with commit {db.BEFORE_BASELINE}"
        raise NotUnderstood(f"{archive.name} is of version {then[:20]} of the tables, and {known}: {advice}.")


def _reflected(connection: Connection, archive: Archive) -> list[Table]:
    found, ours = MetaData(), {*SQLModel.metadata.tables, *archive.manifest.parts}
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name in ours]


def _that_open(connection: Connection, table: Table, archive: Archive) -> Iterator[dict[str, Any]]:
    """Decrypt every row as a check. Raises CannotDecrypt."""
    cipher, model = cipher_of(connection.dialect), SQLModel.metadata.tables.get(table.name)
    encrypted = {name: purpose for name, purpose in purposes(model).items() if name in table.c} if model is not None else {}
    for row in archive.rows(table):
        for name, purpose in encrypted.items():
            if row[name]:
                cipher.decrypt(purpose, word(row[name]))
        yield row


def insert(connection: Connection, table: Table | TableClause, rows: Iterable[dict[str, Any]]) -> int:
    """Insert in batches; returns the count. Raises NotLegal on an integrity error."""
    count, left = 0, iter(rows)
    try:
        while batch := list(islice(left, BATCH)):
            connection.execute(table.insert(), batch)
            count += len(batch)
    except IntegrityError:
        raise NotLegal(
            f"Rows of “{table.name}” in the file don't fit together, or are here already; nothing was taken in."
        ) from None
    return count
