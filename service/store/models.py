"""The tables. `entries` and `events` are append-only by triggers of the database (see the migrations).

What is secret, and every link, lies sealed: columns of the types of `service.store.sealing`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import uuid_utils
from sqlalchemy import JSON, BigInteger, Column, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from service.store.sealing import SealedBytes, SealedJSON, SealedText


def new_id() -> str:
    """A fresh id: a UUIDv7 in hexadecimal, so ids sort by age."""
    return uuid_utils.uuid7().hex


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Account(SQLModel, table=True):
    """A person, known by an e-mail address."""

    __tablename__ = "accounts"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    email: str = Field(unique=True, max_length=254)
    name: str = Field(default="", max_length=40)
    zone: str = Field(default="UTC", max_length=60)
    created_at: datetime = Field(default_factory=now)
    generation: int = 1
    """Raised to sign out everywhere."""
    letters: str = Field(default="each", max_length=10)
    """each: every letter at once; digest: one a day; asked: only when asked."""
    digest_hour: int = 7
    """Hour of the daily digest, in the account's zone."""
    ladder: list[str] = Field(default_factory=lambda: ["half", "6h", "1h"], sa_column=Column(JSON, nullable=False))
    """When to be reminded; see `service.clock.reminders`."""
    quiet_from: str = Field(default="22:00", max_length=5)
    quiet_to: str = Field(default="08:00", max_length=5)
    """Local hours in which no deadline falls; equal: none."""
    weekends_off: bool = False
    """Whether the person's clock stands still from Saturday to Monday, where the table leaves it to each."""
    bounced_at: datetime | None = None
    """When the last letter came back of those by which the address counts as dead; None while it doesn't."""
    bounce: str = ""
    """The server's words then."""
    calendar_key: str = Field(default="", sa_column=Column(SealedText("accounts.calendar_key"), nullable=False))
    """Secret part of the calendar feed's address; empty: no feed."""
    calendar_mark: str = Field(default="", index=True, max_length=64)
    """Its hash, by which the feed is found."""


class Match(SQLModel, table=True):
    """A game of some people: its lobby, then its log's frame."""

    __tablename__ = "matches"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    name: str = Field(max_length=60)
    game: str = Field(max_length=20)
    options: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    host_id: str = Field(foreign_key="accounts.id", max_length=32)
    status: str = Field(default="lobby", index=True, max_length=12)
    """lobby, running, finished or cancelled."""
    access: str = Field(default="invited", max_length=12)
    """invited or open."""
    seats: int
    seed: bytes = Field(sa_column=Column(SealedBytes("matches.seed"), nullable=False))
    """Secret until the last entry reveals it."""
    header: str | None = None
    """The log's header as canonical JSON, once started."""
    snapshot: bytes | None = Field(default=None, sa_column=Column(SealedBytes("matches.snapshot"), nullable=True))
    """The state after `snapshot_n` entries: a cache that may be dropped."""
    snapshot_n: int = 0
    serial: int = 0
    head: str = Field(default="", max_length=64)
    outcome: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    pace: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """See `service.clock.pace.Pace`; empty: the default pace."""
    spectators: bool = False
    """Whether the host lets spectators read the journal."""
    watch_key: str = Field(default="", sa_column=Column(SealedText("matches.watch_key"), nullable=False))
    """Secret part of the spectators' address."""
    watch_mark: str = Field(default="", index=True, max_length=64)
    """Its hash, by which the game is found."""
    halted_at: datetime | None = Field(default=None, index=True)
    """When the rules failed in it; it stands still since. None: it doesn't."""
    halt: dict[str, Any] = Field(default_factory=dict, sa_column=Column(SealedJSON("matches.halt"), nullable=False))
    """How: see `service.games.halting`. Secret, for it may show a position."""
    created_at: datetime = Field(default_factory=now)
    started_at: datetime | None = None
    finished_at: datetime | None = None


class Seat(SQLModel, table=True):
    """One seat of a match."""

    __tablename__ = "seats"
    __table_args__ = (UniqueConstraint("match_id", "account_id"),)
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    account_id: str | None = Field(default=None, foreign_key="accounts.id", index=True, max_length=32)
    bot: str = Field(default="", max_length=20)
    colour: str = Field(max_length=12)
    name: str = Field(default="", max_length=60)
    entropy: str = Field(default="", max_length=64)
    """Its part in the shuffles; before the start only what its player gave. Secret until then."""
    key_generation: int = 1
    """Raised to make all links of the seat void."""
    status: str = Field(default="empty", max_length=10)
    """empty, invited, or taken."""
    invited_email: str = Field(default="", max_length=254)
    prepared: dict[str, str] = Field(default_factory=dict, sa_column=Column(SealedJSON("seats.prepared"), nullable=False))
    """Answers kept for the start: ask kind to move text. Secret."""
    orders: dict[str, str] = Field(default_factory=dict, sa_column=Column(SealedJSON("seats.orders"), nullable=False))
    """Standing orders: id to setting; see `engine.orders`. Secret."""
    advance: list[dict[str, Any]] = Field(default_factory=list, sa_column=Column(SealedJSON("seats.advance"), nullable=False))
    """Answers given in advance; see `service.games.advance`. Secret."""
    letters: str = Field(default="", max_length=10)
    """How letters of this game are sent, where it differs from the account's; empty: as there."""
    bank: int = 0
    """Seconds in the time bank."""
    missed: int = 0
    """Deadlines missed in a row."""
    steward: str = Field(default="", max_length=20)
    """The bot that keeps the seat for its absent owner."""
    turn_mark: str = Field(default="", max_length=40)
    turn_left: int = 0
    """Seconds of clock left of the own turn that `turn_mark` names."""
    wanted: str = Field(default="", max_length=10)
    """How a substitute is looked for after a vote: invited or open; empty: not at all."""
    notes: str = Field(default="", sa_column=Column(SealedText("seats.notes"), nullable=False))
    """Private notes."""


class EntryRow(SQLModel, table=True):
    """One entry of a log; see `engine.match.Entry`."""

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
    """Something that happened, with its audience: told with entry `n` (0: before the first)."""

    __tablename__ = "events"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    n: int = Field(primary_key=True)
    i: int = Field(primary_key=True)
    kind: str = Field(max_length=40)
    facts: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    only_seats: list[str] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
    but_seats: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))


class ViewRow(SQLModel, table=True):
    """What one seat sees now (the empty seat: a spectator): all that a page needs, in one row."""

    __tablename__ = "views"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    view: dict[str, Any] = Field(sa_column=Column(SealedJSON("views.view"), nullable=False))
    form: dict[str, Any] | None = Field(default=None, sa_column=Column(SealedJSON("views.form"), nullable=True))
    offers: list[dict[str, Any]] = Field(default_factory=list, sa_column=Column(SealedJSON("views.offers"), nullable=False))
    news: list[str] = Field(default_factory=list, sa_column=Column(SealedJSON("views.news"), nullable=False))
    serial: int = 0
    n: int = 0
    head: str = Field(default="", max_length=64)
    """The chain's head as far as this seat may know it."""


class AskRow(SQLModel, table=True):
    """A question that was opened to a person's seat."""

    __tablename__ = "asks"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    serial: int = Field(primary_key=True)
    kind: str = Field(max_length=40)
    opened_at: datetime = Field(default_factory=now)
    answered_at: datetime | None = None
    allowed: int = 0
    """Seconds of working clock for the answer."""
    due_at: datetime | None = Field(default=None, index=True)
    """The deadline that the player is told; None while nothing runs."""
    falls_at: datetime | None = Field(default=None, index=True)
    """When the default is played: the deadline, the grace and the time bank."""
    remind_at: datetime | None = Field(default=None, index=True)
    """When the next reminder is due."""
    extended: int = 0
    """Seconds that the host added; negative when taken away."""
    kept: str = Field(default="", sa_column=Column(SealedText("asks.kept"), nullable=False))
    """The answer that an order gives after a decent pause. Secret."""
    kept_at: datetime | None = Field(default=None, index=True)
    """When it is to be given."""
    kept_via: str = Field(default="", max_length=10)


class Submission(SQLModel, table=True):
    """An answer on its way into the log. Its id is the idempotency key of the form that sent it."""

    __tablename__ = "submissions"
    __table_args__ = (Index("ix_submissions_queue", "status", "match_id"),)
    id: str = Field(primary_key=True, max_length=64)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: str = Field(max_length=1)
    serial: int
    """The ask's number; 0 for an offer."""
    kind: str = Field(max_length=40)
    move: str = Field(sa_column=Column(SealedText("submissions.move"), nullable=False))
    via: str = Field(max_length=10)
    status: str = Field(default="queued", max_length=10)
    """queued, accepted, refused or stale."""
    refusal: str = Field(default="", sa_column=Column(SealedText("submissions.refusal"), nullable=False))
    order: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    """Arrival, in nanoseconds."""
    created_at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


class SealedAnswer(SQLModel, table=True):
    """An accepted answer that lies sealed outside the log, where its being there would tell something.

    One to a question put to several seats waits until the last of them is in; one to an offer that others may not know of,
    until something that they may see follows from it.
    """

    __tablename__ = "sealed_answers"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    serial: int
    """The ask's number; 0 for an offer."""
    kind: str = Field(max_length=40)
    move: str = Field(sa_column=Column(SealedText("sealed_answers.move"), nullable=False))
    """Secret."""
    via: str = Field(max_length=10)
    mark: str = Field(default="", max_length=10)
    at: datetime = Field(default_factory=now)


class Letter(SQLModel, table=True):
    """A letter, complete until it is sent or given up; its body is emptied some time after that, see `workers.retention`."""

    __tablename__ = "letters"
    __table_args__ = (
        Index("ix_letters_due", "status", "next_try_at"),
        Index("ix_letters_whole", "created_at", sqlite_where=text("html <> ''"), postgresql_where=text("html <> ''")),
    )
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    account_id: str | None = Field(default=None, foreign_key="accounts.id", max_length=32)
    to_address: str = Field(max_length=254)
    match_id: str | None = Field(default=None, foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(default="", max_length=1)
    serial: int = 0
    """The ask that it is about; a letter whose ask is answered before it goes out is dropped. 0: no ask."""
    kind: str = Field(max_length=20)
    subject: str
    text: str = Field(sa_column=Column(SealedText("letters.text"), nullable=False))
    html: str = Field(sa_column=Column(SealedText("letters.html"), nullable=False))
    message_id: str = Field(unique=True, max_length=200)
    headers: dict[str, str] = Field(default_factory=dict, sa_column=Column(SealedJSON("letters.headers"), nullable=False))
    status: str = Field(default="queued", max_length=10)
    """queued, gathered (for a digest), sending, sent, bounced (no such address), refused (that letter), dropped or given_up."""
    digest_id: str = Field(default="", max_length=32)
    """The digest that it went out with."""
    bounced_at: datetime | None = None
    attempts: int = 0
    next_try_at: datetime = Field(default_factory=now)
    created_at: datetime = Field(default_factory=now)
    sent_at: datetime | None = None
    error: str = ""


class Link(SQLModel, table=True):
    """What a signed link stands for; the token holds this row's id, so it can be called back."""

    __tablename__ = "links"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    purpose: str = Field(max_length=10)
    """signin, turn, invite or leave (the one-click unsubscription)."""
    account_id: str | None = Field(default=None, foreign_key="accounts.id", max_length=32)
    match_id: str | None = Field(default=None, foreign_key="matches.id", max_length=32)
    seat: str = Field(default="", max_length=1)
    generation: int = 0
    created_at: datetime = Field(default_factory=now)
    expires_at: datetime
    revoked_at: datetime | None = None
    used_at: datetime | None = None
    """When a link that is good for once was used."""
    used_by: str = Field(default="", max_length=64)
    """Hash of a secret of the browser that used it."""


class Browser(SQLModel, table=True):
    """A browser that somebody signed in with. Its cookie holds a secret, of which only the hash is kept."""

    __tablename__ = "browsers"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    secret: str = Field(unique=True, max_length=64)
    """SHA-256 of what the cookie holds."""
    account_id: str = Field(foreign_key="accounts.id", index=True, max_length=32)
    generation: int
    """The account's at the signing in: raised since, and the browser is signed out."""
    label: str = Field(default="", max_length=40)
    """What it said it was, in two words."""
    created_at: datetime = Field(default_factory=now)
    seen_at: datetime = Field(default_factory=now, index=True)
    """When it was last seen, to the day."""
    ended_at: datetime | None = None


class Quota(SQLModel, table=True):
    """What was asked for lately by one who may not ask for ever: a row for each limited thing and person; see `limits`."""

    __tablename__ = "quotas"
    key: str = Field(primary_key=True, max_length=64)
    """A hash: neither addresses nor networks are kept."""
    times: list[float] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """The moments that still count, in seconds since 1970."""
    until: datetime = Field(index=True)
    """When the row may be forgotten."""


class Deck(SQLModel, table=True):
    """A list of cards that a player keeps."""

    __tablename__ = "decks"
    __table_args__ = (UniqueConstraint("account_id", "game", "name"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    account_id: str = Field(foreign_key="accounts.id", max_length=32)
    game: str = Field(max_length=20)
    name: str = Field(max_length=40)
    cards: dict[str, int] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now)


class LetterEvent(SQLModel, table=True):
    """One line of the delivery ledger."""

    __tablename__ = "letter_events"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    letter_id: str = Field(foreign_key="letters.id", index=True, max_length=32)
    at: datetime = Field(default_factory=now)
    status: str = Field(max_length=10)
    """queued, gathered, sent, accepted, deferred, bounced, refused, given_up, dropped or resent."""
    words: str = ""
    """The mail server's own, or ours."""


class Reminder(SQLModel, table=True):
    """A reminder that was given: its key makes it the only one for its deadline."""

    __tablename__ = "reminders"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    serial: int = Field(primary_key=True)
    due_at: datetime = Field(primary_key=True)
    step: str = Field(primary_key=True, max_length=10)
    sent: bool = True
    """False: passed over, since a later step fell due with it."""
    at: datetime = Field(default_factory=now)


class Absence(SQLModel, table=True):
    """Time in which a seat's clock stands still (the empty seat: the whole table's, a pause)."""

    __tablename__ = "absences"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(default="", max_length=1)
    starts_at: datetime
    ends_at: datetime
    by: str = Field(default="", max_length=10)
    """Whose command a pause is: host, table or operator."""
    created_at: datetime = Field(default_factory=now)


class Vote(SQLModel, table=True):
    """A question to the table: to pause, to play at another pace, to replace somebody, to end the game, to let others watch."""

    __tablename__ = "votes"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """pause, pace, replace, end or watch."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    by_seat: str = Field(max_length=1)
    """Who proposed it; empty: the host, as host."""
    opened_at: datetime = Field(default_factory=now)
    closes_at: datetime
    status: str = Field(default="open", index=True, max_length=10)
    """open, carried, failed or withdrawn."""
    done_at: datetime | None = None


class Ballot(SQLModel, table=True):
    """One seat's vote."""

    __tablename__ = "ballots"
    vote_id: str = Field(foreign_key="votes.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    yes: bool
    at: datetime = Field(default_factory=now)


class Notice(SQLModel, table=True):
    """Something grave that was announced, and takes effect when its cooling-off is over; see `service.table.notices`."""

    __tablename__ = "notices"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    kind: str = Field(max_length=10)
    """replace, end or watch."""
    seat: str = Field(default="", max_length=1)
    """Whose seat it is about; empty: the whole table."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    by: str = Field(default="", max_length=10)
    """Who can take it back: host, or the seat that proposed the vote."""
    serial: int = 0
    """The question that was open then: who answers it, or a later one, is there."""
    put_off: int = 0
    """The question on whose answer it waits; 0: none."""
    opened_at: datetime = Field(default_factory=now)
    effect_at: datetime = Field(index=True)
    status: str = Field(default="open", index=True, max_length=10)
    """open, done, stopped or recalled."""
    done_at: datetime | None = None


class Command(SQLModel, table=True):
    """Something that changes a game and is no answer, on its way into the log; see `service.table.commands`."""

    __tablename__ = "commands"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    actor: str = Field(max_length=10)
    """A seat, `host`, `clock`, `table` (a vote) or `operator`."""
    words: str
    """As it will stand in the log, in the text form of an answer."""
    facts: dict[str, Any] = Field(default_factory=dict, sa_column=Column(SealedJSON("commands.facts"), nullable=False))
    status: str = Field(default="queued", index=True, max_length=10)
    """queued, done or refused."""
    created_at: datetime = Field(default_factory=now)
    done_at: datetime | None = None


class Beat(SQLModel, table=True):
    """When something that runs regularly last ran; tells how long the service was down."""

    __tablename__ = "beats"
    name: str = Field(primary_key=True, max_length=20)
    at: datetime


class Thread(SQLModel, table=True):
    """A conversation of some seats of a match; the empty `members`: of the whole table, in public."""

    __tablename__ = "threads"
    __table_args__ = (UniqueConstraint("match_id", "members"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    members: str = Field(default="", max_length=6)
    """Letters of the seats, sorted."""
    created_at: datetime = Field(default_factory=now)


class Message(SQLModel, table=True):
    """What somebody said in a thread."""

    __tablename__ = "messages"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=64)
    thread_id: str = Field(foreign_key="threads.id", index=True, max_length=32)
    match_id: str = Field(foreign_key="matches.id", index=True, max_length=32)
    seat: str = Field(max_length=1)
    name: str = Field(max_length=60)
    """The writer's name then: a seat may change hands."""
    text: str = Field(sa_column=Column(SealedText("messages.text"), nullable=False))
    via: str = Field(default="page", max_length=10)
    at: datetime = Field(default_factory=now)


class ReadMark(SQLModel, table=True):
    """How far a seat has read a thread."""

    __tablename__ = "read_marks"
    thread_id: str = Field(foreign_key="threads.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    at: datetime = Field(default_factory=now)


class Mute(SQLModel, table=True):
    """A seat that doesn't want to read what another writes."""

    __tablename__ = "mutes"
    match_id: str = Field(foreign_key="matches.id", primary_key=True, max_length=32)
    seat: str = Field(primary_key=True, max_length=1)
    muted: str = Field(primary_key=True, max_length=1)


class Report(SQLModel, table=True):
    """A message that somebody laid before those who run the service."""

    __tablename__ = "reports"
    __table_args__ = (UniqueConstraint("message_id", "seat"),)
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    message_id: str = Field(foreign_key="messages.id", max_length=64)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: str = Field(max_length=1)
    """Who reported it."""
    why: str = ""
    at: datetime = Field(default_factory=now)
    done_at: datetime | None = None
