"""Sealing at rest: what is secret in the database lies there encrypted with the secret keys. The first seals, all open.

A column of a sealed type is sealed when it is written and opened when it is read, through rows and through statements, so
that nobody can forget to. Empty values stay empty. What a copy of the database tells without a key stands in `docs/data.md`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import structlog
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import JSON, Dialect, Engine, LargeBinary, String, Table, TableClause, TypeDecorator, column, table

from service.errors import CannotUnseal

log = structlog.get_logger()

WORTH_PACKING = 400
"""Bytes from which a value is compressed before it is sealed: what is sealed can't be compressed by the database."""
PLAIN, PACKED = b"\x00", b"\x01"


class Box:
    """Seals and opens with some secret keys; for every purpose (a column) with keys of its own, derived from them."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = tuple(keys)
        self._locks: dict[str, list[Fernet]] = {}

    def _for(self, purpose: str) -> list[Fernet]:
        found = self._locks.get(purpose)
        if found is None:
            info = f"writ sealed {purpose}".encode()
            derived = [HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(key.encode()) for key in self._keys]
            found = self._locks[purpose] = [Fernet(base64.urlsafe_b64encode(key)) for key in derived]
        return found

    def seal(self, purpose: str, data: bytes) -> str:
        """The data sealed with the first key, as a word of ASCII."""
        packed = PACKED + zlib.compress(data, 1) if len(data) >= WORTH_PACKING else PLAIN + data
        return self._for(purpose)[0].encrypt(packed).decode()

    def open(self, purpose: str, sealed: str) -> bytes:
        """What was sealed. Raises CannotUnseal when none of the keys opens it."""
        try:
            packed = MultiFernet(self._for(purpose)).decrypt(sealed)
        except InvalidToken:
            raise CannotUnseal(purpose) from None
        return zlib.decompress(packed[1:]) if packed[:1] == PACKED else packed[1:]

    def is_old(self, purpose: str, sealed: str) -> bool:
        """Whether another than the first key sealed it."""
        try:
            self._for(purpose)[0].decrypt(sealed)
        except InvalidToken:
            return True
        return False


class Shut:
    """Stands in a row for a value that no key opens: whoever uses it gets CannotUnseal; the rest of the row is good."""

    def __init__(self, purpose: str) -> None:
        self.__dict__["purpose"] = purpose

    def _refuse(self, *_: object) -> NoReturn:
        raise CannotUnseal(self.__dict__["purpose"])

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __getattr__ = __str__ = __bytes__ = _refuse


def mark(key: str) -> str:
    """The hash by which the row of a secret address is found; of nothing, nothing. No key is needed for it: what is drawn
    at random, 24 bytes long, can't be found by trying."""
    return hashlib.sha256(b"writ address " + key.encode()).hexdigest() if key else ""


def need(*values: object) -> None:
    """Raises CannotUnseal when one of them is Shut: for bytes, which are handed to what only knows bytes."""
    for value in values:
        if isinstance(value, Shut):
            bool(value)


@contextmanager
def passing_over(**what: str) -> Iterator[None]:
    """Pass over one of many things when something of it can't be opened, so that the others go on; said in the log."""
    try:
        yield
    except CannotUnseal as problem:
        log.error("passed over, sealed with another key", about=str(problem), **what)


# --- the keys of an engine --------------------------------------------------------------------------------------------


def give_keys(engine: Engine, keys: Sequence[str]) -> None:
    """Let an engine seal and open with these keys."""
    # A column's type is handed the dialect and nothing else; each engine has one of its own.
    engine.dialect.writ_box = Box(keys)  # type: ignore[attr-defined]  # an attribute of ours


def box_of(dialect: Dialect) -> Box:
    """What the engine of this dialect seals with."""
    found: Box = dialect.writ_box  # type: ignore[attr-defined]  # set by `give_keys`
    return found


def _opened(dialect: Dialect, purpose: str, sealed: str, read: Callable[[bytes], Any]) -> Any:
    try:
        return read(box_of(dialect).open(purpose, sealed))
    except CannotUnseal:
        return Shut(purpose)


# --- types of columns -------------------------------------------------------------------------------------------------


class SealedText(TypeDecorator[str]):
    """Text that lies sealed."""

    impl = String
    cache_ok = True

    def __init__(self, purpose: str) -> None:
        super().__init__()
        self.purpose = purpose

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The text sealed, as the column holds it; what is empty as it is."""
        return box_of(dialect).seal(self.purpose, value.encode()) if value else value

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """The text again; Shut where no key of ours opens it."""
        return _opened(dialect, self.purpose, value, bytes.decode) if value else value


class SealedJSON(TypeDecorator[Any]):
    """JSON that lies sealed, as a JSON string; lists and objects without anything in them lie there as they are."""

    impl = JSON
    cache_ok = True

    def __init__(self, purpose: str) -> None:
        super().__init__()
        self.purpose = purpose

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """The value sealed, as the column holds it; what is empty as it is."""
        if not value:
            return value
        return box_of(dialect).seal(self.purpose, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The value again; Shut where no key of ours opens it."""
        return _opened(dialect, self.purpose, value, json.loads) if value else value


class SealedBytes(TypeDecorator[bytes]):
    """Bytes that lie sealed."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, purpose: str) -> None:
        super().__init__()
        self.purpose = purpose

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """The bytes sealed, as the column holds them; what is empty as it is."""
        return base64.urlsafe_b64decode(box_of(dialect).seal(self.purpose, value)) if value else value

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        """The bytes again; Shut where no key of ours opens them."""
        return _opened(dialect, self.purpose, word(value), bytes) if value else value


SEALED = (SealedText, SealedJSON, SealedBytes)


def word(stored: str | bytes) -> str:
    """A sealed value as a word, however it is stored."""
    return stored if isinstance(stored, str) else base64.urlsafe_b64encode(stored).decode()


def like(stored: str | bytes, word: str) -> str | bytes:
    """A sealed word as the value beside it is stored."""
    return word if isinstance(stored, str) else base64.urlsafe_b64decode(word)


def purposes(of: Table) -> dict[str, str]:
    """The sealed columns of a table, each with its purpose."""
    return {c.name: c.type.purpose for c in of.columns if isinstance(c.type, SEALED)}


def as_stored(of: Table) -> TableClause:
    """The table with its sealed columns as they lie in the database: for copies that stay sealed."""
    return table(of.name, *(column(c.name, c.type.impl if isinstance(c.type, SEALED) else c.type) for c in of.columns))
