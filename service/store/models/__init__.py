"""The tables, one file per topic. Triggers make `entries`, `events` and `packed_logs` append-only. Secrets and links are
encrypted (`service.store.encryption`).
"""

from service.store.models.archive import PackedLog, Tally
from service.store.models.base import new_id, now
from service.store.models.clock import Absence, Beat, Standstill
from service.store.models.commands import Ballot, Command, Notice, Vote
from service.store.models.games import Match, SeatRow
from service.store.models.log import AskRow, EntryRow, EventRow, SealedAnswer, Submission
from service.store.models.people import GUEST, Account, AddressChange, Browser, BrowserSeat, Deck, Link, Quota, UsedForm
from service.store.models.post import Letter, LetterEvent, MailHold, OptOut, RelayExtension, RelayFailure, Reminder
from service.store.models.statuses import (
    CommandStatus,
    LedgerStatus,
    LetterStatus,
    MatchStatus,
    NoticeStatus,
    SeatStatus,
    SubmissionStatus,
    VoteStatus,
)
from service.store.models.talk import Message, MoveNote, Mute, ProblemReport, ReadMark, Report, Thread

__all__ = [
    "GUEST",
    "Absence",
    "Account",
    "AddressChange",
    "AskRow",
    "Ballot",
    "Beat",
    "Browser",
    "BrowserSeat",
    "Command",
    "CommandStatus",
    "Deck",
    "EntryRow",
    "EventRow",
    "LedgerStatus",
    "Letter",
    "LetterEvent",
    "LetterStatus",
    "Link",
    "MailHold",
    "Match",
    "MatchStatus",
    "Message",
    "MoveNote",
    "Mute",
    "Notice",
    "NoticeStatus",
    "OptOut",
    "PackedLog",
    "ProblemReport",
    "Quota",
    "ReadMark",
    "RelayExtension",
    "RelayFailure",
    "Reminder",
    "Report",
    "SealedAnswer",
    "SeatRow",
    "SeatStatus",
    "Standstill",
    "Submission",
    "SubmissionStatus",
    "Tally",
    "Thread",
    "UsedForm",
    "Vote",
    "VoteStatus",
    "new_id",
    "now",
]
