"""Tables of letters and delivery."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, text
from sqlmodel import Field, SQLModel

from service.store.encryption import EncryptedJSON, EncryptedText
from service.store.models.base import new_id, now
from service.store.models.statuses import LedgerStatus, LetterStatus, StatusColumn


class Letter(SQLModel, table=True):
    """A letter; those about games are written when sent, see `service.games.writing`. `workers.retention` empties old
    bodies.
    """

    __tablename__ = "letters"
    __table_args__ = (
        Index("ix_letters_due", "status", "next_try_at"),
        Index("ix_letters_of_account", "account_id", "created_at"),
        Index("ix_letters_whole", "created_at", sqlite_where=text("html <> ''"), postgresql_where=text("html <> ''")),
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
    status: LetterStatus = Field(default=LetterStatus.QUEUED, sa_column=Column(StatusColumn(LetterStatus, 10), nullable=False))
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
    status: LedgerStatus = Field(sa_column=Column(StatusColumn(LedgerStatus, 16), nullable=False))
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
    """An address without invitations; see `service.store.optouts`."""

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
    """A relay failure since the last accepted letter, see `service.post.relay`."""

    __tablename__ = "relay_failures"
    domain: str = Field(primary_key=True, max_length=255)
    """Empty: connection, login or sender; else the refused recipient's domain."""
    at: datetime = Field(default_factory=now)
    """The first failure."""


class RelayExtension(SQLModel, table=True):
    """An SMTP extension that the relay last offered; only `smtputf8` is looked up."""

    __tablename__ = "relay_extensions"
    name: str = Field(primary_key=True, max_length=20)
