"""Tables of games and seats."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from engine.core.chance import commitment
from service.store.encryption import EncryptedBytes, EncryptedJSON, EncryptedText
from service.store.models.base import new_id, now
from service.store.models.statuses import MatchStatus, SeatStatus, StatusColumn


class Match(SQLModel, table=True):
    """A game of the service: terms in the lobby, then header, snapshot and outcome. Its log is in `entries`."""

    __tablename__ = "matches"
    __table_args__ = (
        Index("ix_matches_practice", "host_id", sqlite_where=text("practice"), postgresql_where=text("practice")),
        *(
            Index(f"ix_matches_{name}", name, sqlite_where=text(there), postgresql_where=text(there))
            for name, there in (("muster_until", "muster_until IS NOT NULL"), ("fill_at", "fill_at IS NOT NULL"))
        ),
    )
    id: str = Field(default_factory=new_id, primary_key=True, max_length=32)
    name: str = Field(max_length=60)
    game: str = Field(max_length=20)
    options: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    host_id: str = Field(foreign_key="accounts.id", index=True, max_length=32)
    status: MatchStatus = Field(
        default=MatchStatus.LOBBY, sa_column=Column(StatusColumn(MatchStatus, 12), nullable=False, index=True)
    )
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
    """See `service.seat.halting`. Secret: it may show a position."""
    created_at: datetime = Field(default_factory=now)
    started_at: datetime | None = None
    finished_at: datetime | None = Field(default=None, index=True)

    @property
    def commitment(self) -> str:
        """Published hash of the seed."""
        return commitment(self.seed)


class SeatRow(SQLModel, table=True):
    """A seat of a match: its player or bot, links' generation, standing orders, notes."""

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
    status: SeatStatus = Field(default=SeatStatus.EMPTY, sa_column=Column(StatusColumn(SeatStatus, 10), nullable=False))
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
