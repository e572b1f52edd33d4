"""Tables of accounts, links and browsers."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Column, UniqueConstraint
from sqlmodel import Field, SQLModel

from service.store.encryption import EncryptedText
from service.store.models.base import new_id, now

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
    """Reminders, see `service.clock.reminders`."""
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
    """A change of address until its undo period ends; see `service.people.changes`."""

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
    """A signed-in browser."""

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
    """A browser's seat by a link, see `service.people.link_seats`. No foreign key: links are deleted first."""

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
    """A form's idempotency key and result; see `service.store.used_forms`."""

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
