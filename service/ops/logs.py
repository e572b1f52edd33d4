"""Logs: lines of JSON where a program reads them, words where a person does; never a secret in them.

Our own lines come by structlog, those of the libraries by `logging`: both are masked, and written alike, the web server's
excepted.
What an error says may be anything: a player's move, a row of the database. Only errors whose words are known to come from
programs keep them; of the others the kind and the places in the code remain.
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

TOKEN = re.compile(r"(/(?:t|in|i|s|leave|watch|calendar)/)[A-Za-z0-9._~-]{12,}")
SIGNED = re.compile(r"\b[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]{4,8})?\.[A-Za-z0-9_-]{20,}")
"""What ItsDangerous signs: a payload, in cookies the time, and the signature."""
ADDRESS = re.compile(r"[^\s@<>]{1,80}@[A-Za-z0-9.-]+")
PASSWORD = re.compile(r"(://[^:/@\s]{0,80}:)[^@\s]+(@)")
SHOWN = "letter"
"""The one line that names an address and a link: the letter that stands in for the postman, on the console of whoever runs Writ
without a mail server and reads all letters anyway."""

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
"""Errors that speak of programs, files and servers; those of the database in their first line, without parameters and rows."""

Line = MutableMapping[str, Any]


def mask(text: str) -> str:
    """The text without what opens a page, tells a person, or signs in to a server."""
    text = PASSWORD.sub(r"\1…\2", text)
    text = TOKEN.sub(r"\1…", text)
    text = SIGNED.sub("…", text)
    return ADDRESS.sub("…@…", text)


def words_of(error: BaseException) -> str:
    """What an error says, where that can hold nothing of a player's; else an ellipsis."""
    if isinstance(error, DBAPIError):
        # PostgreSQL names the value or the whole row in the lines that follow, and in quotes what it can't read.
        return re.sub(r'"[^"]*"|\'[^\']*\'', "…", str(error.orig).partition("\n")[0])
    return mask(str(error)) if isinstance(error, PLAIN_ERRORS) else "…" if str(error) else ""


def _chain(error: BaseException) -> list[BaseException]:
    """The error and those that it came of, the first one first."""
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found:
        found.insert(0, at)
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return found


def trace(error: BaseException) -> str:
    """The error with those that it came of: kinds, places in the code, and words where they are plain."""
    told = []
    for part in _chain(error):
        kind, words = type(part), words_of(part)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        told.append("".join(traceback.format_tb(part.__traceback__)) + (f"{name}: {words}" if words else name))
    return mask("\n\n".join(told))


def _without_words(said: str, error: BaseException) -> str:
    """The line without what it quotes of an error's words."""
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
    """A processor that masks everything in a line, however deep it lies."""
    return {name: _mask_all(value) for name, value in line.items()}


def masked_but_for_the_postman(logger: object, method: str, line: Line) -> Line:
    """A processor that masks every line but the one that stands in for the postman."""
    return line if line.get("event") == SHOWN else masked(logger, method, line)


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to what is standard error at that moment."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def configure(postman: bool = False) -> None:
    """Set the logs of this process up. `postman`: there is no mail server, so letters are shown on the console."""
    first: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[Any] = [
        structlog.processors.ExceptionRenderer(lambda info: trace(info[1])),
        masked_but_for_the_postman if postman else masked,
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
    logging.basicConfig(handlers=[handler])  # does nothing where somebody has seen to it already
    if logging.getLogRecordFactory() is not _masked_record:
        logging.setLogRecordFactory(_masked_record)


def _masked_record(*args: Any, **kwargs: Any) -> logging.LogRecord:
    """A record of `logging`, masked before any handler gets it: gunicorn and Celery bring their own."""
    record = logging.LogRecord(*args, **kwargs)
    try:
        said = record.getMessage()
    except (TypeError, ValueError, KeyError):  # words that don't fit what was to stand in them
        said = f"{record.msg} {record.args!r}"
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    if error is not None:
        said = _without_words(said, error)
        record.exc_text = trace(error)
    record.msg, record.args = mask(said), ()
    return record
