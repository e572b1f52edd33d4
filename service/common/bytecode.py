"""In-memory Jinja bytecode cache, shared by all template environments of a process."""

from __future__ import annotations

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class MemoryBytecodeCache(BytecodeCache):
    """Cache of compiled templates by key and checksum. In memory: a program that can write cache files could run code in the
    web process.
    """

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._compiled.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._compiled[bucket.key, bucket.checksum] = bucket.code
