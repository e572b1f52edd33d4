"""In-memory Jinja bytecode cache, shared by all template environments of a process."""

from __future__ import annotations

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class MemoryBytecodeCache(BytecodeCache):
    """Keeps compiled templates by key and checksum, so that several environments compile each template once.

    In memory rather than in files: a program that can write such a file could run code in the web process.
    """

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket with the compiled template, if its source hasn't changed."""
        bucket.code = self._compiled.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template."""
        if bucket.code is not None:
            self._compiled[bucket.key, bucket.checksum] = bucket.code
