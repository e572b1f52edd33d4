"""Logging: JSON lines, or plain text on terminals; always masked, also lines of libraries.

Messages of exceptions may quote a move or a row: only those of PLAIN_ERRORS are kept, else kind and traceback.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Mapping, MutableMapping
from typing import Any, TextIO

import structlog
from redis.exceptions import RedisError
from sqlalchemy.exc import DBAPIError
from structlog.stdlib import ProcessorFormatter

TOKEN = re.compile(r"(/(?:t|in|i|s|leave|watch|opened|calendar)/)[A-Za-z0-9._~-]{12,}")
SIGNED = re.compile(r"\b[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]{4,8})?\.[A-Za-z0-9_-]{20,}")
"""ItsDangerous' signed tokens: payload, timestamp in cookies, signature."""
ADDRESS = re.compile(r"[^\s@<>]{1,80}@[A-Za-z0-9.-]+")
PASSWORD = re.compile(r"(://[^:/@\s]{0,80}:)[^@\s]+(@)")
SHOWN = "letter"
"""The one event that isn't masked: letters printed on the console if no mail server is set."""

PLAIN_ERRORS: tuple[type[BaseException], ...] = (
    AttributeError,
    ImportError,
    MemoryError,
    NameError,
    RecursionError,
    TypeError,
    OSError,
    RedisError,
    DBAPIError,
)
"""Errors with safe messages; of database errors only the first line, without parameters."""

Line = MutableMapping[str, Any]


def mask(text: str) -> str:
    """Mask links, tokens, addresses and passwords."""
    text = PASSWORD.sub(r"\1…\2", text)
    text = TOKEN.sub(r"\1…", text)
    text = SIGNED.sub("…", text)
    return ADDRESS.sub("…@…", text)


def words_of(error: BaseException) -> str:
    """An error's message if it can hold no player data, else an ellipsis."""
    if isinstance(error, DBAPIError):
        # PostgreSQL puts rows in later lines, and values in quotes.
        return re.sub(r'"[^"]*"|\'[^\']*\'', "…", str(error.orig).partition("\n")[0])
    return mask(str(error)) if isinstance(error, PLAIN_ERRORS) else "…" if str(error) else ""


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.insert(0, at)
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return found


def trace(error: BaseException) -> str:
    """Traceback with causes, without unsafe messages."""
    told = []
    for part in _chain(error):
        kind, words = type(part), words_of(part)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        told.append("".join(traceback.format_tb(part.__traceback__)) + (f"{name}: {words}" if words else name))
    return mask("\n\n".join(told))


def _without_words(said: str, error: BaseException) -> str:
    for part in _chain(error):
        if not isinstance(part, PLAIN_ERRORS) or isinstance(part, DBAPIError):
            for quoted in (str(part), repr(part), *map(str, part.args)):
                said = said.replace(quoted, "…") if len(quoted) > 2 else said
    return said


def _mask_all(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {mask(str(name)): _mask_all(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_mask_all(part) for part in value]
    return mask(str(value))


def masked(_logger: object, _method: str, line: Line) -> Line:
    """structlog processor: masks all values, nested ones too."""
    return {name: _mask_all(value) for name, value in line.items()}


def masked_except_printed_letters(logger: object, method: str, line: Line) -> Line:
    """structlog processor: masks all events but SHOWN."""
    return line if line.get("event") == SHOWN else masked(logger, method, line)


class _Stderr(logging.StreamHandler[TextIO]):
    """Handler that looks `sys.stderr` up at each line."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def configure(prints_letters: bool = False) -> None:
    """Configure logging; `prints_letters`: on the console, without a mail server."""
    first: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[Any] = [
        structlog.processors.ExceptionRenderer(lambda info: trace(info[1])),
        masked_except_printed_letters if prints_letters else masked,
        structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer(ensure_ascii=False),
    ]
    structlog.configure(
        processors=[*first, *last],
        logger_factory=lambda *_: structlog.PrintLogger(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = _Stderr()
    handler.setFormatter(
        ProcessorFormatter(foreign_pre_chain=first, processors=[ProcessorFormatter.remove_processors_meta, *last])
    )
    logging.basicConfig(handlers=[handler])  # no-op when handlers exist already
    if logging.getLogRecordFactory() is not _masked_record:
        logging.setLogRecordFactory(_masked_record)


def _masked_record(*args: Any, **kwargs: Any) -> logging.LogRecord:
    """Log record masked before any handler: Celery and libraries add their own."""
    record = logging.LogRecord(*args, **kwargs)
    try:
        said = record.getMessage()
    except (TypeError, ValueError, KeyError):  # format arguments don't fit
        said = f"{record.msg} {record.args!r}"
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    if error is not None:
        said = _without_words(said, error)
        record.exc_text = trace(error)
    record.msg, record.args = mask(said), ()
    return record
