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

from service.errors import CannotDecrypt

log = structlog.get_logger()

WORTH_PACKING = 400
"""Bytes from which values are compressed before encryption."""
PLAIN, PACKED = b"\x00", b"\x01"


class Cipher:
    """Cipher with keys derived (HKDF) for every purpose (column)."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = tuple(keys)
        self._ciphers: dict[str, tuple[Fernet, MultiFernet]] = {}

    def _for(self, purpose: str) -> tuple[Fernet, MultiFernet]:
        found = self._ciphers.get(purpose)
        if found is None:
            info = f"writ sealed {purpose}".encode()
            derived = [HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(key.encode()) for key in self._keys]
            every = [Fernet(base64.urlsafe_b64encode(key)) for key in derived]
            found = self._ciphers[purpose] = every[0], MultiFernet(every)
        return found

    def encrypt(self, purpose: str, data: bytes) -> str:
        """Encrypt with the first key, to ASCII."""
        packed = PACKED + zlib.compress(data, 1) if len(data) >= WORTH_PACKING else PLAIN + data
        return self._for(purpose)[0].encrypt(packed).decode()

    def decrypt(self, purpose: str, text: str) -> bytes:
        """Decrypt with any key. Raises CannotDecrypt if none fits."""
        try:
            packed = self._for(purpose)[1].decrypt(text)
        except InvalidToken:
            raise CannotDecrypt(purpose) from None
        return zlib.decompress(packed[1:]) if packed[:1] == PACKED else packed[1:]

    def is_old(self, purpose: str, text: str) -> bool:
        try:
            self._for(purpose)[0].decrypt(text)
        except InvalidToken:
            return True
        return False


class Undecryptable:
    """Stands for a value that no key decrypts: any use raises CannotDecrypt; the row's other columns work."""

    def __init__(self, purpose: str) -> None:
        self.__dict__["purpose"] = purpose

    def _refuse(self, *_: object) -> NoReturn:
        raise CannotDecrypt(self.__dict__["purpose"])

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __getattr__ = __str__ = __bytes__ = _refuse


def mark(key: str) -> str:
    """Look-up hash of a secret URL; "" for "". Unkeyed: 24 random bytes can't be guessed."""
    return hashlib.sha256(b"writ address " + key.encode()).hexdigest() if key else ""


def hashed(secret: str) -> str:
    """Look-up hash of a browser's secret, like `mark`."""
    return hashlib.sha256(secret.encode()).hexdigest() if secret else ""


def need(*values: object) -> None:
    """Raise CannotDecrypt if one of them is Undecryptable; for bytes passed on to libraries."""
    for value in values:
        if isinstance(value, Undecryptable):
            bool(value)


@contextmanager
def passing_over(**what: str) -> Iterator[None]:
    """Log and skip an item with CannotDecrypt."""
    try:
        yield
    except CannotDecrypt as problem:
        log.error("passed over: encrypted with another key", about=str(problem), **what)


# --- the keys of an engine --------------------------------------------------------------------------------------------


def give_keys(engine: Engine, keys: Sequence[str]) -> None:
    # Column types get only the dialect; each engine has its own.
    engine.dialect.writ_cipher = Cipher(keys)  # type: ignore[attr-defined]  # an attribute of ours


def cipher_of(dialect: Dialect) -> Cipher:
    found: Cipher = dialect.writ_cipher  # type: ignore[attr-defined]  # set by `give_keys`
    return found


# --- types of columns -------------------------------------------------------------------------------------------------


class Encrypted(TypeDecorator[Any]):
    """Base of the encrypted types; a value that no key decrypts is Undecryptable."""

    dump: Callable[[Any], bytes]
    load: Callable[[bytes], Any]

    def __init__(self, purpose: str) -> None:
        super().__init__()
        self.purpose = purpose

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return cipher_of(dialect).encrypt(self.purpose, self.dump(value)) if value else value

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        try:
            return self.load(cipher_of(dialect).decrypt(self.purpose, word(value))) if value else value
        except CannotDecrypt:
            return Undecryptable(self.purpose)


class EncryptedText(Encrypted):
    impl = String
    cache_ok = True
    dump, load = staticmethod(str.encode), staticmethod(bytes.decode)


class EncryptedJSON(Encrypted):
    """JSON encrypted as a JSON string; empty lists and objects aren't."""

    impl = JSON
    cache_ok = True
    load = staticmethod(json.loads)

    @staticmethod
    def dump(value: Any) -> bytes:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class EncryptedBytes(Encrypted):
    impl = LargeBinary
    cache_ok = True
    dump = load = staticmethod(bytes)

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        encrypted = super().process_bind_param(value, dialect)
        return base64.urlsafe_b64decode(encrypted) if encrypted else encrypted


def word(stored: str | bytes) -> str:
    """An encrypted value as text, from either column type."""
    return stored if isinstance(stored, str) else base64.urlsafe_b64encode(stored).decode()


def like(stored: str | bytes, word: str) -> str | bytes:
    return word if isinstance(stored, str) else base64.urlsafe_b64decode(word)


def purposes(of: Table) -> dict[str, str]:
    """Encrypted columns of a table -> purpose."""
    return {c.name: c.type.purpose for c in of.columns if isinstance(c.type, Encrypted)}


def as_stored(of: Table) -> TableClause:
    """The table with raw column types: copies stay encrypted."""
    return table(of.name, *(column(c.name, c.type.impl if isinstance(c.type, Encrypted) else c.type) for c in of.columns))
