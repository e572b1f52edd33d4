"""Where things stand: the statuses of rows, for models, queries and templates alike."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy import Dialect


class MatchStatus(StrEnum):
    """A game, from its lobby to its end."""

    LOBBY = "lobby"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class SeatStatus(StrEnum):
    """Who has a seat: nobody yet, somebody who was asked, somebody."""

    EMPTY = "empty"
    INVITED = "invited"
    TAKEN = "taken"


class SubmissionStatus(StrEnum):
    """An answer on its way into the log. Held: it waits for a safe point; stale: the question is no longer open."""

    QUEUED = "queued"
    HELD = "held"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    STALE = "stale"


class LetterStatus(StrEnum):
    """A letter. Gathered: for a digest; bounced: no such address; rejected: that letter, by the server; failed: given up after
    the last try, or it couldn't be made; dropped: not needed any more; unknown: it may have been accepted, for the connection
    broke after the end of DATA and before the reply, twice."""

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
    """A line of the delivery ledger: what became of a letter at that moment."""

    QUEUED = "queued"
    GATHERED = "gathered"
    SENT = "sent"
    """The mail server accepted it; the words are its own."""
    DEFERRED = "deferred"
    BOUNCED = "bounced"
    REJECTED = "rejected"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Acceptance unknown: the connection broke after the end of DATA and before the reply."""
    AUTORESPONDED = "autoresponded"
    """A machine answered it: an absence note, a read receipt."""
    COMPLAINED = "complained"
    """The reader's mail program reported it as unwanted (ARF)."""
    REPORTED = "reported"
    """A report about it that tells of no failure, or couldn't be read."""
    DROPPED = "dropped"
    RESENT = "resent"


class VoteStatus(StrEnum):
    """A vote of the table."""

    OPEN = "open"
    CARRIED = "carried"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


class NoticeStatus(StrEnum):
    """Something that was announced. Stopped: by whom it is about; recalled: by who announced it."""

    OPEN = "open"
    DONE = "done"
    STOPPED = "stopped"
    RECALLED = "recalled"


class CommandStatus(StrEnum):
    """A command about the table."""

    QUEUED = "queued"
    DONE = "done"
    REFUSED = "refused"


class StatusColumn(TypeDecorator[StrEnum]):
    """A column that holds one of an enum's words, as text."""

    impl = String
    cache_ok = True

    def __init__(self, words: type[StrEnum], length: int) -> None:
        super().__init__(length)
        self.words = words

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        """The word as text. Raises ValueError for one that the enum hasn't got."""
        return None if value is None else str(self.words(value))

    def process_result_value(self, value: Any, _dialect: Dialect) -> StrEnum | None:
        """The member of the enum for the text that the column holds."""
        return None if value is None else self.words(value)
