"""The tables. Triggers make `entries`, `events` and `packed_logs` append-only. Secrets and links are encrypted
(`service.store.encryption`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import uuid_utils
from sqlalchemy import JSON, BigInteger, Column, Dialect, Index, String, TypeDecorator, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from engine.core.chance import commitment
from service.store.encryption import EncryptedBytes, EncryptedJSON, EncryptedText


def new_id() -> str:
    """A UUIDv7 in hexadecimal; ids sort by age."""
    return uuid_utils.uuid7().hex


def now() -> datetime:
    return datetime.now(UTC)


# --- statuses ---------------------------------------------------------------------------------------------------------


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
    dropped: obsolete; unknown: broken twice between DATA and the reply.
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


UNSENT = "status IN ('queued', 'sending')"
"""Literal SQL: only such a condition matches a partial index."""


class LedgerStatus(StrEnum):
    """Event of a letter, in the words of mail logs."""

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


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


def status_column(words: type[StrEnum], length: int, index: bool = False) -> Column[Any]:
    return Column(StatusColumn(words, length), nullable=False, index=index)


# --- accounts, links, browsers ----------------------------------------------------------------------------------------


GUEST = "guest:"


class Account(SQLModel, table=True):
    """A person, or a guest of one browser: address, name, zone and preferences."""

    __tablename__ = "accounts"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    email: str = Field(unique=True, max_length=254)
    """A guest's: `GUEST` and a random id, which can't be an address."""
    name: str = Field(default="", max_length=40)
    pronoun: str = Field(default="", max_length=4)
    """For sentences of the log: `she` or `he`; empty: they."""
    language: str = Field(default="en", max_length=20)
    """Of pages and letters."""
    zone: str = Field(default="", max_length=60)
    """Empty (UTC, no quiet hours) until chosen or reported by a browser."""
    created_at: datetime = Field(default_factory=now)
    generation: int = 1
    """Incremented to sign out everywhere."""
    letters: str = Field(default="each", max_length=10)
    """each: at once; digest: daily; asked: only when asked."""
    subjects: str = Field(default="what", max_length=10)
    """what: descriptive subjects; thread: one subject per game."""
    digest_hour: int = 7
    """In the account's zone."""
    ladder: list[str] = Field(default_factory=lambda: ["half", "6h", "1h"], sa_column=Column(JSON, nullable=False))
    """Reminders, see `service.clock.recipe`."""
    quiet_from: str = Field(default="22:00", max_length=5)
    quiet_to: str = Field(default="08:00", max_length=5)
    """Local hours without deadlines once the zone is chosen; equal: none."""
    weekends_off: bool = False
    """Whether the clock stands still on weekends, if the pace is "own"."""
    guides: dict[str, str] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Game -> match that shows first-game notes; empty: not wanted."""
    notes_read: dict[str, list[str]] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Game -> kinds of questions with a dismissed note."""
    bounced_at: datetime | None = None
    """The last bounce that marks the address dead; None: it isn't."""
    bounce: str = ""
    """The mail server's words."""
    banned_at: datetime | None = None
    """None: not banned. See `service.table.bans`."""
    banned_why: str = Field(default="", max_length=300)
    """Shown to the person only."""
    calendar_key: str = Field(default="", sa_column=Column(EncryptedText("accounts.calendar_key"), nullable=False))
    """Secret of the calendar feed; empty: no feed."""
    calendar_mark: str = Field(default="", index=True, max_length=64)
    """Hash of `calendar_key`, for look-ups."""

    @property
    def zone_chosen(self) -> bool:
        return bool(self.zone)

    @property
    def is_guest(self) -> bool:
        """Whether the account has no address: one browser's, for a table against bots."""
        return self.email.startswith(GUEST)


class AddressChange(SQLModel, table=True):
    """A change of address until its undo period ends (`service.people.address_changes`)."""

    __tablename__ = "address_changes"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    account_id: str = Field(foreign_key="accounts.id", index=True, max_length=32)
    old_email: str = Field(max_length=254)
    new_email: str = Field(max_length=254)
    created_at: datetime = Field(default_factory=now)
    old_confirmed_at: datetime | None = None
    """When the old address's reader or an operator agreed."""
    new_confirmed_at: datetime | None = None
    by_operator: bool = False
    done_at: datetime | None = None
    merged: bool = False
    """Whether the new address's account was merged."""
    ended_at: datetime | None = None
    """Withdrawn, superseded or undone."""


class Link(SQLModel, table=True):
    """A signed link; the token holds this row's id, so it can be revoked."""

    __tablename__ = "links"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    purpose: str = Field(max_length=10)
    """signin, turn, invite or leave (one-click unsubscribe)."""
    account_id: str | None = Field(default=None, foreign_key="accounts.id", max_length=32)
    match_id: str | None = Field(default=None, foreign_key="matches.id", max_length=32)
    seat: str = Field(default="", max_length=1)
    generation: int = 0
    created_at: datetime = Field(default_factory=now)
    expires_at: datetime
    revoked_at: datetime | None = None
    used_at: datetime | None = None
    """For one-time links."""
    used_by: str = Field(default="", max_length=64)
    """Hash of the browser's secret."""


class Browser(SQLModel, table=True):
    __tablename__ = "browsers"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    secret: str = Field(unique=True, max_length=64)
    """SHA-256 of its cookie's secret."""
    account_id: str = Field(foreign_key="accounts.id", index=True, max_length=32)
    generation: int
    """The account's at the sign-in; signed out once that is higher."""
    label: str = Field(default="", max_length=40)
    """User agent in two words."""
    created_at: datetime = Field(default_factory=now)
    seen_at: datetime = Field(default_factory=now, index=True)
    """Precise to the day."""
    ended_at: datetime | None = None


class BrowserSeat(SQLModel, table=True):
    """A browser's seat by a link (`service.people.link_seats`). No foreign key: links are deleted first."""

    __tablename__ = "browser_seats"
    id: str = Field(primary_key=True, max_length=64)
    """SHA-256 of the secret and the game."""
    browser: str = Field(index=True, max_length=64)
    """SHA-256 of the secret in the session cookie."""
    match_id: str = Field(max_length=32)
    link_id: str = Field(max_length=32)
    at: datetime = Field(default_factory=now, index=True)


class Quota(SQLModel, table=True):
    """A rate-limit counter; see `limits`."""

    __tablename__ = "quotas"
    key: str = Field(primary_key=True, max_length=64)
    """A hash: addresses and networks aren't stored."""
    times: list[float] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """Counted times, in Unix seconds."""
    until: datetime = Field(index=True)
    """When the row can be deleted."""


class UsedForm(SQLModel, table=True):
    """A form's idempotency key and result (`service.store.used_forms`)."""

    __tablename__ = "used_forms"
    id: str = Field(primary_key=True, max_length=64)
    """SHA-256 of key, path, fields and sender."""
    target: str = Field(default="", max_length=300)
    said: list[list[str]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """Category and sentence of each message."""
    at: datetime = Field(default_factory=now, index=True)


class Deck(SQLModel, table=True):
    __tablename__ = "decks"
    __table_args__ = (UniqueConstraint("account_id", "game", "name"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    account_id: str = Field(foreign_key="accounts.id", max_length=32)
    game: str = Field(max_length=20)
    name: str = Field(max_length=40)
    cards: dict[str, int] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now)


# --- games and seats --------------------------------------------------------------------------------------------------


class Match(SQLModel, table=True):
    """A game: terms in the lobby, then header, snapshot and outcome. Its log is in `entries`."""

    __tablename__ = "matches"
    __table_args__ = (
        partial_index("ix_matches_practice", "host_id", where="practice"),
        partial_index("ix_matches_muster_until", "muster_until", where="muster_until IS NOT NULL"),
        partial_index("ix_matches_fill_at", "fill_at", where="fill_at IS NOT NULL"),
    )
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    name: str = Field(max_length=60)
    game: str = Field(max_length=20)
    options: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    host_id: str = Field(foreign_key="accounts.id", index=True, max_length=32)
    status: MatchStatus = Field(default=MatchStatus.LOBBY, sa_column=status_column(MatchStatus, 12, index=True))
    access: str = Field(default="invited", max_length=12)
    seats: int
    seed: bytes = Field(sa_column=Column(EncryptedBytes("matches.seed"), nullable=False))
    """Secret until the last entry."""
    header: str | None = None
    """The log's header as canonical JSON, from the start on."""
    snapshot: bytes | None = Field(default=None, sa_column=Column(EncryptedBytes("matches.snapshot"), nullable=True))
    """Cache: the state after `snapshot_n` entries."""
    snapshot_n: int = 0
    serial: int = 0
    head: str = Field(default="", max_length=64)
    outcome: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    pace: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """See `service.clock.pace.Pace`; empty: the default."""
    spectators: bool = False
    watch_key: str = Field(default="", sa_column=Column(EncryptedText("matches.watch_key"), nullable=False))
    """Secret."""
    watch_mark: str = Field(default="", index=True, max_length=64)
    """Hash of `watch_key`, for look-ups."""
    shared: bool = False
    """Whether anyone with the link may see the replay after the end; see `service.log.sharing`."""
    nameless_mark: str = Field(default="", index=True, max_length=64)
    """Hash of the key of the replay without names, for look-ups."""
    share_key: str = Field(default="", sa_column=Column(EncryptedText("matches.share_key"), nullable=False))
    """Secret of the link to join before the start; empty: none."""
    share_mark: str = Field(default="", index=True, max_length=64)
    """Hash of `share_key`, for look-ups."""
    rematch_of: str | None = Field(default=None, index=True, max_length=32)
    take_back: bool = False
    """Whether players may take answers back; from the start on, the header's format says the same."""
    quiet_bots: bool = False
    """Whether bots never speak: see `service.log.bot_talk`."""
    practice: bool = False
    """One person against bots: no clock, no talk, never rated; see `service.table.practice`."""
    muster: str = Field(default="never", max_length=10)
    """When players confirm their presence before the start; see `service.games.muster`."""
    muster_until: datetime | None = None
    """Deadline of the current muster; None: there is none."""
    fill_at: datetime | None = None
    """When bots take the free seats; None: never."""
    halted_at: datetime | None = Field(default=None, index=True)
    """When the rules failed; None: not halted."""
    halt: dict[str, Any] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("matches.halt"), nullable=False))
    """The fault: entry (last logged, or last played by the failed run), step, problem (class of the exception), trace. Secret:
    it may show a position.
    """
    created_at: datetime = Field(default_factory=now)
    started_at: datetime | None = None
    finished_at: datetime | None = Field(default=None, index=True)

    @property
    def commitment(self) -> str:
        return commitment(self.seed)


class SeatRow(SQLModel, table=True):
    """A seat: its player or bot, links' generation, standing orders, notes."""

    __tablename__ = "seats"
    __table_args__ = (UniqueConstraint("match_id", "account_id"),)
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    account_id: str | None = Field(default=None, foreign_key="accounts.id", index=True, max_length=32)
    bot: str = Field(default="", max_length=20)
    colour: str = Field(max_length=12)
    name: str = Field(default="", max_length=60)
    pronoun: str = Field(default="", max_length=4)
    """`she` or `he`, of the player or bot; empty: they."""
    entropy: str = Field(default="", max_length=64)
    """Contribution to the shuffles. Secret until the start."""
    key_generation: int = 1
    """Incremented to revoke all links of the seat."""
    status: SeatStatus = Field(default=SeatStatus.EMPTY, sa_column=status_column(SeatStatus, 10))
    invited_email: str = Field(default="", max_length=254)
    prepared: dict[str, str] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("seats.prepared"), nullable=False))
    """Answers for the start: ask kind -> move text. Secret."""
    orders: dict[str, str] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("seats.orders"), nullable=False))
    """Standing orders: id -> setting, see `engine.play.orders`. Secret."""
    advance: list[dict[str, Any]] = Field(
        default_factory=list, sa_column=Column(EncryptedJSON("seats.advance"), nullable=False)
    )
    """See `service.seat.advance`. Secret."""
    trail: dict[str, Any] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("seats.trail"), nullable=False))
    """Answers that can be taken back, see `service.seat.take_back`. Secret."""
    letters: str = Field(default="", max_length=10)
    """Letter setting of this game; empty: the account's."""
    bank: int = 0
    """Time bank, in seconds."""
    missed: int = 0
    steward: str = Field(default="", max_length=20)
    """The bot that plays for an absent owner."""
    turn_mark: str = Field(default="", max_length=40)
    turn_left: int = 0
    """Seconds left of the turn `turn_mark`."""
    moved_n: int = 0
    """The player's last own move; news start there."""
    wanted: str = Field(default="", max_length=10)
    """Search for a substitute: invited or open; empty: none."""
    card: dict[str, Any] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("seats.card"), nullable=False))
    """Cache, see `service.games.cards`. Secret."""
    agreed: str = Field(default="", max_length=64)
    """Digest of the agreed options, see `service.games.terms`. Empty: the first."""
    present_at: datetime | None = None
    """When its player last confirmed their presence, before the start."""
    favourite: bool = False
    """Whether the player has marked the finished game as a favourite."""
    notes: str = Field(default="", sa_column=Column(EncryptedText("seats.notes"), nullable=False))
    """Private."""


class LeftSeat(SQLModel, table=True):
    """A seat left while the game runs: who knows its secrets may take no other; deleted at the end."""

    __tablename__ = "left_seats"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    account_id: str | None = Field(default=None, foreign_key="accounts.id", max_length=32)
    """None: erased."""
    mark: str = Field(default="", max_length=64)
    """Keyed hash of an erased account's address and the match."""


# --- the log, questions, answers --------------------------------------------------------------------------------------


class EntryRow(SQLModel, table=True):
    """A log entry, see `engine.play.match.Entry`."""

    __tablename__ = "entries"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    n: int = Field(primary_key=True)
    at: str = Field(max_length=30)
    actor: str = Field(max_length=10)
    ask: str = Field(max_length=40)
    serial: int
    mark: str = Field(max_length=10)
    sealed_move: str = Field(max_length=64)
    sealed_via: str = Field(max_length=64)
    prev: str = Field(max_length=64)
    hash: str = Field(max_length=64)
    move: str
    via: str = Field(max_length=10)


class EventRow(SQLModel, table=True):
    """An event with its audience; `n` is its entry (0: before the first)."""

    __tablename__ = "events"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    n: int = Field(primary_key=True)
    i: int = Field(primary_key=True)
    kind: str = Field(max_length=40)
    facts: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    only_seats: list[str] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    but_seats: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))


class AskRow(SQLModel, table=True):
    """A question or proposal put to a person's seat."""

    __tablename__ = "asks"
    __table_args__ = tuple(  # nearly all asks are answered
        partial_index(f"ix_asks_{name}", name, where="answered_at IS NULL")
        for name in ("match_id", "due_at", "falls_at", "remind_at", "kept_at")
    )
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    serial: int = Field(primary_key=True)
    kind: str = Field(max_length=40)
    opened_at: datetime = Field(default_factory=now)
    answered_at: datetime | None = None
    allowed: int = 0
    """Seconds of working clock."""
    extended: int = 0
    """Seconds added to `allowed`; may be negative."""
    given: int = 0
    """Part of `extended` that the host gave."""
    recipe: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Inputs of the deadline, see `service.clock.recipe.Recipe`. Empty: nothing runs."""
    due_at: datetime | None = None
    """Cache: the published deadline; None: nothing runs. Computed with the two below by `service.clock.recipe.reckon` only."""
    falls_at: datetime | None = None
    """Cache: when the default is played, after grace and time bank."""
    remind_at: datetime | None = None
    """Cache: the next reminder."""
    kept: str = Field(default="", sa_column=Column(EncryptedText("asks.kept"), nullable=False))
    """Delayed answer of a standing order. Secret."""
    kept_at: datetime | None = None
    kept_via: str = Field(default="", max_length=10)
    frozen: bool = False
    """Whether a procedure lets the proposal wait: nothing of it falls due before the game goes on."""


class Submission(SQLModel, table=True):
    """An answer in flight; its id is the form's idempotency key."""

    __tablename__ = "submissions"
    __table_args__ = (
        Index("ix_submissions_queue", "status", "match_id"),
        # At most one queued answer per question, also under concurrency.
        partial_index("ux_submissions_queued", "match_id", "seat", "serial", "kind", where="status = 'queued'", unique=True),
    )
    id: str = Field(primary_key=True, max_length=64)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: str = Field(max_length=1)
    serial: int
    """0: an offer."""
    kind: str = Field(max_length=40)
    move: str = Field(sa_column=Column(EncryptedText("submissions.move"), nullable=False))
    via: str = Field(max_length=10)
    status: SubmissionStatus = Field(default=SubmissionStatus.QUEUED, sa_column=status_column(SubmissionStatus, 10))
    refusal: str = Field(default="", sa_column=Column(EncryptedText("submissions.refusal"), nullable=False))
    """Reason as data, see `service.common.messages`."""
    order: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    """Arrival, in nanoseconds."""
    written_at: datetime | None = None
    """Of a reply by mail."""
    created_at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


class HiddenAnswer(SQLModel, table=True):
    """An accepted answer outside the log: to a shared question, until all have answered; to a secret offer, until something
    public follows.
    """

    __tablename__ = "sealed_answers"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    serial: int
    """0: an offer."""
    kind: str = Field(max_length=40)
    move: str = Field(sa_column=Column(EncryptedText("sealed_answers.move"), nullable=False))
    """Secret."""
    via: str = Field(max_length=10)
    mark: str = Field(default="", max_length=10)
    at: datetime = Field(default_factory=now)


# --- clocks -----------------------------------------------------------------------------------------------------------


class Absence(SQLModel, table=True):
    """A seat's absence; empty seat: a pause of the table."""

    __tablename__ = "absences"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(default="", max_length=1)
    starts_at: datetime
    ends_at: datetime
    by: str = Field(default="", max_length=10)
    """Of a pause: host, table or operator."""
    created_at: datetime = Field(default_factory=now)


class Standstill(SQLModel, table=True):
    """Involuntary standstill of a game's clocks (`service.clock.standstill`)."""

    __tablename__ = "standstills"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """service (outage), mail (no delivery), halt (rules failed) or move (between instances)."""
    starts_at: datetime
    ends_at: datetime


class Beat(SQLModel, table=True):
    """Last run of a periodic task; outages are computed from it."""

    __tablename__ = "beats"
    name: str = Field(primary_key=True, max_length=20)
    at: datetime


# --- votes, announcements, commands -----------------------------------------------------------------------------------


class Vote(SQLModel, table=True):
    """A vote; its ballots are rows of `ballots`."""

    __tablename__ = "votes"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """pause, pace, replace, end or watch."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    by_seat: str = Field(max_length=1)
    """Empty: the host."""
    opened_at: datetime = Field(default_factory=now)
    closes_at: datetime
    status: VoteStatus = Field(default=VoteStatus.OPEN, sa_column=status_column(VoteStatus, 10, index=True))
    done_at: datetime | None = None


class Ballot(SQLModel, table=True):
    __tablename__ = "ballots"
    vote_id: str = Field(foreign_key="votes.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    yes: bool
    at: datetime = Field(default_factory=now)


class Notice(SQLModel, table=True):
    """An announcement (`service.table.notices`)."""

    __tablename__ = "notices"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """replace, end or watch."""
    seat: str = Field(default="", max_length=1)
    """Empty: the whole table."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    by: str = Field(default="", max_length=10)
    """Who can recall it: host, or the seat that proposed the vote."""
    serial: int = 0
    """The open question then; answering it, or a later one, proves presence."""
    put_off: int = 0
    """The question it waits for; 0: none."""
    opened_at: datetime = Field(default_factory=now)
    effect_at: datetime = Field(index=True)
    status: NoticeStatus = Field(default=NoticeStatus.OPEN, sa_column=status_column(NoticeStatus, 10, index=True))
    done_at: datetime | None = None


class Command(SQLModel, table=True):
    """A change other than an answer (`service.table.commands`)."""

    __tablename__ = "commands"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    actor: str = Field(max_length=10)
    """A seat, `host`, `clock`, `table` (a vote) or `operator`."""
    words: str
    """Its text in the log, in the form of an answer."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("commands.facts"), nullable=False))
    status: CommandStatus = Field(default=CommandStatus.QUEUED, sa_column=status_column(CommandStatus, 10, index=True))
    created_at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


# --- letters ----------------------------------------------------------------------------------------------------------


class Letter(SQLModel, table=True):
    """A letter; about games written when sent (`service.games.writing`). `workers.retention` empties old bodies."""

    __tablename__ = "letters"
    __table_args__ = (
        Index("ix_letters_due", "status", "next_try_at"),
        partial_index("ix_letters_unsent", "kind", "next_try_at", where=UNSENT),
        Index("ix_letters_of_account", "account_id", "created_at"),
        partial_index("ix_letters_whole", "created_at", where="html <> ''"),
    )
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    account_id: str | None = Field(default=None, foreign_key="accounts.id", max_length=32)
    to_address: str = Field(max_length=254)
    match_id: str | None = Field(default=None, foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(default="", max_length=1)
    serial: int = 0
    """The letter's ask; it is dropped if that is answered first. 0: none."""
    kind: str = Field(max_length=20)
    subject: str = ""
    text: str = Field(default="", sa_column=Column(EncryptedText("letters.text"), nullable=False))
    html: str = Field(default="", sa_column=Column(EncryptedText("letters.html"), nullable=False))
    message_id: str = Field(default="", unique=True, max_length=200)
    headers: dict[str, str] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("letters.headers"), nullable=False))
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(EncryptedJSON("letters.facts"), nullable=False))
    """Template data until it is written."""
    written_at: datetime | None = None
    """None: not written yet."""
    status: LetterStatus = Field(default=LetterStatus.QUEUED, sa_column=status_column(LetterStatus, 10))
    digest_id: str = Field(default="", max_length=32)
    attempts: int = 0
    next_try_at: datetime = Field(default_factory=now)
    created_at: datetime = Field(default_factory=now)
    sent_at: datetime | None = None
    error: str = ""


class LetterEvent(SQLModel, table=True):
    __tablename__ = "letter_events"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    letter_id: str = Field(foreign_key="letters.id", index=True, max_length=32)
    at: datetime = Field(default_factory=now)
    status: LedgerStatus = Field(sa_column=status_column(LedgerStatus, 16))
    words: str = ""
    """The mail server's, or ours as data; see `service.post.ledger`."""


class MailHold(SQLModel, table=True):
    """A recipient domain held after a 421 until a letter is accepted; see `service.post.pacing`."""

    __tablename__ = "mail_holds"
    domain: str = Field(primary_key=True, max_length=255)
    until: datetime
    times: int = 1
    """Failures in a row."""


class OptOut(SQLModel, table=True):
    """An address without invitations (`service.store.optouts`)."""

    __tablename__ = "opt_outs"
    mark: str = Field(primary_key=True, max_length=64)
    """Keyed hash of the address."""
    at: datetime = Field(default_factory=now)


class Reminder(SQLModel, table=True):
    """A given reminder; the key makes it unique for its deadline."""

    __tablename__ = "reminders"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    serial: int = Field(primary_key=True)
    due_at: datetime = Field(primary_key=True)
    step: str = Field(primary_key=True, max_length=10)
    sent: bool = True
    """False: skipped for a later step due with it."""
    at: datetime = Field(default_factory=now)


class RelayFailure(SQLModel, table=True):
    """First relay failure since the last accepted letter (`service.post.relay`)."""

    __tablename__ = "relay_failures"
    domain: str = Field(primary_key=True, max_length=255)
    """Empty: connection, login or sender; else the refused recipient's domain."""
    at: datetime = Field(default_factory=now)
    """The first failure."""


class RelayExtension(SQLModel, table=True):
    """SMTP extension that the relay last offered; only `smtputf8` is used."""

    __tablename__ = "relay_extensions"
    name: str = Field(primary_key=True, max_length=20)


# --- threads, messages, reports ---------------------------------------------------------------------------------------


class Thread(SQLModel, table=True):
    """A conversation; empty `members`: the whole table, in public."""

    __tablename__ = "threads"
    __table_args__ = (UniqueConstraint("match_id", "members"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    members: str = Field(default="", max_length=6)
    """Seats, sorted."""
    created_at: datetime = Field(default_factory=now)
    terms: int = 0
    """Times it was opened or prolonged in the game."""
    paid: int = 0
    """Terms since `begun_at`."""
    begun_at: datetime | None = None
    term_at: datetime | None = None
    """Start of the last term."""
    over_at: datetime | None = None
    """When the game ended the parley."""


class Message(SQLModel, table=True):
    __tablename__ = "messages"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=64)
    thread_id: str = Field(foreign_key="threads.id", index=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    name: str = Field(max_length=60)
    """At the time of writing: a seat may change hands."""
    text: str = Field(sa_column=Column(EncryptedText("messages.text"), nullable=False))
    via: str = Field(default="page", max_length=10)
    at: datetime = Field(default_factory=now)


class ReadMark(SQLModel, table=True):
    __tablename__ = "read_marks"
    thread_id: str = Field(foreign_key="threads.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    at: datetime = Field(default_factory=now)


class Mute(SQLModel, table=True):
    __tablename__ = "mutes"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    muted: str = Field(primary_key=True, max_length=1)


class MoveNote(SQLModel, table=True):
    __tablename__ = "move_notes"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    name: str = Field(max_length=60)
    """At the time of writing: a seat may change hands."""
    n: int
    """The entry."""
    text: str = Field(sa_column=Column(EncryptedText("move_notes.text"), nullable=False))
    shared: bool = False
    at: datetime = Field(default_factory=now)


class Report(SQLModel, table=True):
    __tablename__ = "reports"
    __table_args__ = (UniqueConstraint("message_id", "seat"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    message_id: str = Field(foreign_key="messages.id", max_length=64)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: str = Field(max_length=1)
    """The reporter."""
    why: str = ""
    at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


class ProblemReport(SQLModel, table=True):
    """A report that something is wrong (`service.table.problems`)."""

    __tablename__ = "problem_reports"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    name: str = Field(max_length=60)
    n: int
    """The entry."""
    words: str = Field(sa_column=Column(EncryptedText("problem_reports.words"), nullable=False))
    view: str = Field(sa_column=Column(EncryptedText("problem_reports.view"), nullable=False))
    """The position as the seat saw it. Secret."""
    at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


# --- archive ----------------------------------------------------------------------------------------------------------


class PackedLog(SQLModel, table=True):
    """A finished game's log in one append-only row (`service.log.packing`)."""

    __tablename__ = "packed_logs"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    entries: bytes
    events: bytes


class Tally(SQLModel, table=True):
    """Cached count of rows in a final status (`service.store.tallies`)."""

    __tablename__ = "tallies"
    name: str = Field(primary_key=True, max_length=40)
    n: int
    at: datetime = Field(default_factory=now)
