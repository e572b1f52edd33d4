"""Statuses of rows, for models, queries and templates."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy import Dialect


class MatchStatus(StrEnum):
    LOBBY = "lobby"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class SeatStatus(StrEnum):
    EMPTY = "empty"
    INVITED = "invited"
    TAKEN = "taken"


class SubmissionStatus(StrEnum):
    """held: waits for a safe point; stale: the question is closed."""

    QUEUED = "queued"
    HELD = "held"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    STALE = "stale"


class LetterStatus(StrEnum):
    """gathered: for a digest; bounced: no such address; rejected: that letter, by the server; failed: given up or not writable;
    dropped: obsolete; unknown: the connection broke twice between DATA and the reply.
    """

    QUEUED = "queued"
    GATHERED = "gathered"
    SENDING = "sending"
    SENT = "sent"
    BOUNCED = "bounced"
    REJECTED = "rejected"
    FAILED = "failed"
    UNKNOWN = "unknown"
    DROPPED = "dropped"


class LedgerStatus(StrEnum):
    """What happened to a letter, in the words of mail logs."""

    QUEUED = "queued"
    GATHERED = "gathered"
    SENT = "sent"
    """Accepted by the mail server; the words are its own."""
    DEFERRED = "deferred"
    BOUNCED = "bounced"
    REJECTED = "rejected"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """The connection broke between DATA and the reply."""
    AUTORESPONDED = "autoresponded"
    """An automatic reply or read receipt."""
    COMPLAINED = "complained"
    """Reported as spam (ARF)."""
    REPORTED = "reported"
    """Another or unreadable report."""
    DROPPED = "dropped"
    RESENT = "resent"


class VoteStatus(StrEnum):
    OPEN = "open"
    CARRIED = "carried"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


class NoticeStatus(StrEnum):
    """stopped: by the seat it is about; recalled: by its announcer."""

    OPEN = "open"
    DONE = "done"
    STOPPED = "stopped"
    RECALLED = "recalled"


class CommandStatus(StrEnum):
    QUEUED = "queued"
    DONE = "done"
    REFUSED = "refused"


class StatusColumn(TypeDecorator[StrEnum]):
    """Column type of an enum stored as text."""

    impl = String
    cache_ok = True

    def __init__(self, words: type[StrEnum], length: int) -> None:
        super().__init__(length)
        self.words = words

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        """Raises ValueError for a value outside the enum."""
        return None if value is None else str(self.words(value))

    def process_result_value(self, value: Any, _dialect: Dialect) -> StrEnum | None:
        return None if value is None else self.words(value)
