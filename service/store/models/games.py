"""Games and their seats."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, UniqueConstraint
from sqlmodel import Field, SQLModel

from engine.chance import commitment
from service.store.models.base import new_id, now
from service.store.models.statuses import MatchStatus, SeatStatus, StatusColumn
from service.store.sealing import SealedBytes, SealedJSON, SealedText


class Match(SQLModel, table=True):
    """A game of some people: its lobby, then its log's frame."""

    __tablename__ = "matches"
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    name: str = Field(max_length=60)
    game: str = Field(max_length=20)
    options: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    host_id: str = Field(foreign_key="accounts.id", index=True, max_length=32)
    status: MatchStatus = Field(
        default=MatchStatus.LOBBY, sa_column=Column(StatusColumn(MatchStatus, 12), nullable=False, index=True)
    )
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
    share_key: str = Field(default="", sa_column=Column(SealedText("matches.share_key"), nullable=False))
    """Secret part of the address by which people may join before the start; empty: there is none."""
    share_mark: str = Field(default="", index=True, max_length=64)
    """Its hash, by which the table is found."""
    rematch_of: str | None = Field(default=None, index=True, max_length=32)
    """The finished match whose people this one was opened for."""
    halted_at: datetime | None = Field(default=None, index=True)
    """When the rules failed in it; it stands still since. None: it doesn't."""
    halt: dict[str, Any] = Field(default_factory=dict, sa_column=Column(SealedJSON("matches.halt"), nullable=False))
    """How: see `service.games.halting`. Secret, for it may show a position."""
    created_at: datetime = Field(default_factory=now)
    started_at: datetime | None = None
    finished_at: datetime | None = Field(default=None, index=True)

    @property
    def commitment(self) -> str:
        """What is published of the seed, from the opening of the table on."""
        return commitment(self.seed)


class SeatRow(SQLModel, table=True):
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
    status: SeatStatus = Field(default=SeatStatus.EMPTY, sa_column=Column(StatusColumn(SeatStatus, 10), nullable=False))
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
    moved_n: int = 0
    """The log's entry by which its player last moved with their own hand: news begin there."""
    wanted: str = Field(default="", max_length=10)
    """How a substitute is looked for after a vote: invited or open; empty: not at all."""
    card: dict[str, Any] = Field(default_factory=dict, sa_column=Column(SealedJSON("seats.card"), nullable=False))
    """What its owner's list of games shows of it; see `service.games.cards`. A cache that may be emptied. Secret."""
    agreed: str = Field(default="", max_length=64)
    """Digest of the options that its player has agreed to before the start; see `service.games.terms`. Empty: the first."""
    notes: str = Field(default="", sa_column=Column(SealedText("seats.notes"), nullable=False))
    """Private notes."""
