"""Encryption at rest: the first secret key encrypts, all decrypt.

Columns of these types are encrypted and decrypted in every statement; empty values aren't. What a database copy reveals without
a key: `docs/data.md`.
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
"""Bytes from which values are compressed before encryption."""
PLAIN, PACKED = b"\x00", b"\x01"


class Box:
    """Encrypts and decrypts, with keys derived (HKDF) for every purpose (column)."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = tuple(keys)
        self._locks: dict[str, tuple[Fernet, MultiFernet]] = {}

    def _for(self, purpose: str) -> tuple[Fernet, MultiFernet]:
        """The first key's lock, and one that all keys open."""
        found = self._locks.get(purpose)
        if found is None:
            info = f"writ sealed {purpose}".encode()
            derived = [HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(key.encode()) for key in self._keys]
            every = [Fernet(base64.urlsafe_b64encode(key)) for key in derived]
            found = self._locks[purpose] = every[0], MultiFernet(every)
        return found

    def seal(self, purpose: str, data: bytes) -> str:
        """Encrypt with the first key; ASCII."""
        packed = PACKED + zlib.compress(data, 1) if len(data) >= WORTH_PACKING else PLAIN + data
        return self._for(purpose)[0].encrypt(packed).decode()

    def open(self, purpose: str, sealed: str) -> bytes:
        """Decrypt. Raises CannotUnseal if no key fits."""
        try:
            packed = self._for(purpose)[1].decrypt(sealed)
        except InvalidToken:
            raise CannotUnseal(purpose) from None
        return zlib.decompress(packed[1:]) if packed[:1] == PACKED else packed[1:]

    def is_old(self, purpose: str, sealed: str) -> bool:
        try:
            self._for(purpose)[0].decrypt(sealed)
        except InvalidToken:
            return True
        return False


class Shut:
    """Placeholder for an undecryptable value: any use raises CannotUnseal; the row's other columns work."""

    def __init__(self, purpose: str) -> None:
        self.__dict__["purpose"] = purpose

    def _refuse(self, *_: object) -> NoReturn:
        raise CannotUnseal(self.__dict__["purpose"])

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __getattr__ = __str__ = __bytes__ = _refuse


def mark(key: str) -> str:
    """Look-up hash of a secret address; "" for "". Unkeyed: 24 random bytes can't be guessed."""
    return hashlib.sha256(b"writ address " + key.encode()).hexdigest() if key else ""


def need(*values: object) -> None:
    """Raise CannotUnseal if one of them is Shut; for bytes passed on to libraries."""
    for value in values:
        if isinstance(value, Shut):
            bool(value)


@contextmanager
def passing_over(**what: str) -> Iterator[None]:
    """Log and skip an item with CannotUnseal."""
    try:
        yield
    except CannotUnseal as problem:
        log.error("passed over, sealed with another key", about=str(problem), **what)


# --- the keys of an engine --------------------------------------------------------------------------------------------


def give_keys(engine: Engine, keys: Sequence[str]) -> None:
    # Column types get only the dialect; each engine has its own.
    engine.dialect.writ_box = Box(keys)  # type: ignore[attr-defined]  # an attribute of ours


def box_of(dialect: Dialect) -> Box:
    found: Box = dialect.writ_box  # type: ignore[attr-defined]  # set by `give_keys`
    return found


def _opened(dialect: Dialect, purpose: str, sealed: str, read: Callable[[bytes], Any]) -> Any:
    try:
        return read(box_of(dialect).open(purpose, sealed))
    except CannotUnseal:
        return Shut(purpose)


# --- types of columns -------------------------------------------------------------------------------------------------


class SealedText(TypeDecorator[str]):
    """Encrypted text; reads as Shut when no key decrypts it."""

    impl = String
    cache_ok = True

    def __init__(self, purpose: str) -> None:
        super().__init__()
        self.purpose = purpose

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return box_of(dialect).seal(self.purpose, value.encode()) if value else value

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return _opened(dialect, self.purpose, value, bytes.decode) if value else value


class SealedJSON(TypeDecorator[Any]):
    """JSON encrypted as a JSON string; empty lists and objects are stored plainly."""

    impl = JSON
    cache_ok = True

    def __init__(self, purpose: str) -> None:
        super().__init__()
        self.purpose = purpose

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if not value:
            return value
        return box_of(dialect).seal(self.purpose, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return _opened(dialect, self.purpose, value, json.loads) if value else value


class SealedBytes(TypeDecorator[bytes]):
    impl = LargeBinary
    cache_ok = True

    def __init__(self, purpose: str) -> None:
        super().__init__()
        self.purpose = purpose

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return base64.urlsafe_b64decode(box_of(dialect).seal(self.purpose, value)) if value else value

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        return _opened(dialect, self.purpose, word(value), bytes) if value else value


SEALED = (SealedText, SealedJSON, SealedBytes)


def word(stored: str | bytes) -> str:
    """An encrypted value as text, from either column type."""
    return stored if isinstance(stored, str) else base64.urlsafe_b64encode(stored).decode()


def like(stored: str | bytes, word: str) -> str | bytes:
    return word if isinstance(stored, str) else base64.urlsafe_b64decode(word)


def purposes(of: Table) -> dict[str, str]:
    """Encrypted columns of a table -> purpose."""
    return {c.name: c.type.purpose for c in of.columns if isinstance(c.type, SEALED)}


def as_stored(of: Table) -> TableClause:
    """The table with raw column types, for copies that stay encrypted."""
    return table(of.name, *(column(c.name, c.type.impl if isinstance(c.type, SEALED) else c.type) for c in of.columns))
