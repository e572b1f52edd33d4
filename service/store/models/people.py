"""Who plays: accounts, and how they are signed in."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Column, UniqueConstraint
from sqlmodel import Field, SQLModel

from service.store.models.base import new_id, now
from service.store.sealing import SealedText


class Account(SQLModel, table=True):
    """A person, known by an e-mail address."""

    __tablename__ = "accounts"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    email: str = Field(unique=True, max_length=254)
    name: str = Field(default="", max_length=40)
    language: str = Field(default="en", max_length=20)
    """What pages and letters are in."""
    zone: str = Field(default="", max_length=60)
    """Empty until the person, or their browser at the sign-in, has named it: then times are in UTC, and no hours are quiet."""
    created_at: datetime = Field(default_factory=now)
    generation: int = 1
    """Raised to sign out everywhere."""
    letters: str = Field(default="each", max_length=10)
    """each: every letter at once; digest: one a day; asked: only when asked."""
    subjects: str = Field(default="what", max_length=10)
    """what: the subject of a letter says what it is and by when; thread: it is the same for all letters of a game."""
    digest_hour: int = 7
    """Hour of the daily digest, in the account's zone."""
    ladder: list[str] = Field(default_factory=lambda: ["half", "6h", "1h"], sa_column=Column(JSON, nullable=False))
    """When to be reminded; see `service.clock.reminders`."""
    quiet_from: str = Field(default="22:00", max_length=5)
    quiet_to: str = Field(default="08:00", max_length=5)
    """Local hours in which no deadline falls, once the zone is chosen; equal: none."""
    weekends_off: bool = False
    """Whether the person's clock stands still from Saturday to Monday, where the table leaves it to each."""
    guides: dict[str, str] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Game to the match in which its notes for a first game stand; empty: they were sent away, or are not needed."""
    bounced_at: datetime | None = None
    """When the last letter came back of those by which the address counts as dead; None while it doesn't."""
    bounce: str = ""
    """The server's words then."""
    banned_at: datetime | None = None
    """When those who run the service banned the account; None: it isn't banned. See `service.table.bans`."""
    banned_why: str = Field(default="", max_length=300)
    """Their reason, which the person reads in the letter about it; nobody at a table does."""
    calendar_key: str = Field(default="", sa_column=Column(SealedText("accounts.calendar_key"), nullable=False))
    """Secret part of the calendar feed's address; empty: no feed."""
    calendar_mark: str = Field(default="", index=True, max_length=64)
    """Its hash, by which the feed is found."""

    @property
    def zone_chosen(self) -> bool:
        """Whether anybody knows when it is night where the person is."""
        return bool(self.zone)


class AddressChange(SQLModel, table=True):
    """A change of an account's e-mail address, see `service.people.changes`: from its request to the end of its undo period."""

    __tablename__ = "address_changes"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    account_id: str = Field(foreign_key="accounts.id", index=True, max_length=32)
    old_email: str = Field(max_length=254)
    new_email: str = Field(max_length=254)
    created_at: datetime = Field(default_factory=now)
    old_confirmed_at: datetime | None = None
    """When somebody who reads the old address agreed, or an operator vouched for them: it is dead."""
    new_confirmed_at: datetime | None = None
    by_operator: bool = False
    done_at: datetime | None = None
    merged: bool = False
    """Whether the new address had an account, which was merged into this one."""
    ended_at: datetime | None = None
    """When it was withdrawn, replaced by a later request, or undone."""


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


class BrowserSeat(SQLModel, table=True):
    """A seat that a browser plays by a link from a letter; see `service.people.link_seats`. Nothing refers to the link's row,
    which is deleted when it has run out."""

    __tablename__ = "browser_seats"
    id: str = Field(primary_key=True, max_length=64)
    """SHA-256 of the secret that made it, and the game."""
    browser: str = Field(index=True, max_length=64)
    """SHA-256 of the secret in the session cookie of the browser."""
    match_id: str = Field(max_length=32)
    link_id: str = Field(max_length=32)
    at: datetime = Field(default_factory=now, index=True)
    """When the link was last opened."""


class Quota(SQLModel, table=True):
    """What was asked for lately by one who may not ask for ever: a row for each limited thing and person; see `limits`."""

    __tablename__ = "quotas"
    key: str = Field(primary_key=True, max_length=64)
    """A hash: neither addresses nor networks are kept."""
    times: list[float] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """The moments that still count, in seconds since 1970."""
    until: datetime = Field(index=True)
    """When the row may be forgotten."""


class UsedForm(SQLModel, table=True):
    """The idempotency key of a form that was sent, and its result; see `service.store.used_forms`."""

    __tablename__ = "used_forms"
    id: str = Field(primary_key=True, max_length=64)
    """SHA-256 of the key, the form's address, its fields and who sent it."""
    target: str = Field(default="", max_length=300)
    """Where the form led."""
    said: list[list[str]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """What was said there: category and sentence of each message."""
    at: datetime = Field(default_factory=now, index=True)


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
