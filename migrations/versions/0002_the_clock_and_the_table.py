"""The clock and the table: paces, deadlines, reminders, votes, absences, commands, talk, the delivery ledger"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

WHEN = sa.DateTime(timezone=True)


def upgrade() -> None:
    for table, columns in ADDED.items():
        for column in columns:
            op.add_column(table, column)
    op.create_index("ix_asks_due_at", "asks", ["due_at"], unique=False)
    op.create_index("ix_asks_falls_at", "asks", ["falls_at"], unique=False)
    op.create_index("ix_asks_remind_at", "asks", ["remind_at"], unique=False)
    op.create_index("ix_asks_kept_at", "asks", ["kept_at"], unique=False)
    op.create_table(
        "letter_events",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("letter_id", sa.String(length=32), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letters.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_letter_events_letter_id", "letter_events", ["letter_id"], unique=False)
    op.create_table(
        "reminders",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("due_at", WHEN, nullable=False),
        sa.Column("step", sa.String(length=10), nullable=False),
        sa.Column("sent", sa.Boolean(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat", "serial", "due_at", "step"),
    )
    op.create_table(
        "absences",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("starts_at", WHEN, nullable=False),
        sa.Column("ends_at", WHEN, nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_absences_match_id", "absences", ["match_id"], unique=False)
    op.create_table(
        "votes",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("by_seat", sa.String(length=1), nullable=False),
        sa.Column("opened_at", WHEN, nullable=False),
        sa.Column("closes_at", WHEN, nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_votes_match_id", "votes", ["match_id"], unique=False)
    op.create_index("ix_votes_status", "votes", ["status"], unique=False)
    op.create_table(
        "ballots",
        sa.Column("vote_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("yes", sa.Boolean(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["vote_id"], ["votes.id"]),
        sa.PrimaryKeyConstraint("vote_id", "seat"),
    )
    op.create_table(
        "commands",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("actor", sa.String(length=10), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_commands_match_id", "commands", ["match_id"], unique=False)
    op.create_index("ix_commands_status", "commands", ["status"], unique=False)
    op.create_table(
        "beats",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "threads",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("members", sa.String(length=6), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "members"),
    )
    op.create_index("ix_threads_match_id", "threads", ["match_id"], unique=False)
    op.create_table(
        "messages",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("thread_id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("via", sa.String(length=10), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"]),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_messages_match_id", "messages", ["match_id"], unique=False)
    op.create_index("ix_messages_thread_id", "messages", ["thread_id"], unique=False)
    op.create_table(
        "read_marks",
        sa.Column("thread_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"]),
        sa.PrimaryKeyConstraint("thread_id", "seat"),
    )
    op.create_table(
        "mutes",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("muted", sa.String(length=1), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat", "muted"),
    )
    op.create_table(
        "reports",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("message_id", sa.String(length=64), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.ForeignKeyConstraint(["message_id"], ["messages.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("message_id", "seat"),
    )


def downgrade() -> None:
    # Each before those that it refers to.
    for table in (
        "reports",
        "mutes",
        "read_marks",
        "messages",
        "threads",
        "beats",
        "commands",
        "ballots",
        "votes",
        "absences",
        "reminders",
        "letter_events",
    ):
        op.drop_table(table)
    for index in ("ix_asks_kept_at", "ix_asks_remind_at", "ix_asks_falls_at", "ix_asks_due_at"):
        op.drop_index(index, "asks")
    for table, columns in ADDED.items():
        for column in columns:
            op.drop_column(table, column.name)


def _text(name: str, length: int | None = None, default: str = "") -> sa.Column[Any]:
    return sa.Column(name, sa.String(length=length) if length else sa.String(), nullable=False, server_default=default)


def _json(name: str, default: str) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON(), nullable=False, server_default=default)


def _number(name: str, default: int = 0) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=False, server_default=str(default))


def _switch(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false())


def _when(name: str) -> sa.Column[Any]:
    return sa.Column(name, WHEN, nullable=True)


ADDED = {
    "accounts": [
        _text("letters", 10, "each"),
        _number("digest_hour", 7),
        _json("ladder", '["half", "6h", "1h"]'),
        _text("quiet_from", 5, "22:00"),
        _text("quiet_to", 5, "08:00"),
        _switch("weekends_off"),
        _when("bounced_at"),
        _text("bounce"),
        _text("calendar_key", 64),
    ],
    "matches": [_json("pace", "{}"), _switch("spectators"), _text("watch_key", 64)],
    "seats": [
        _json("orders", "{}"),
        _json("advance", "[]"),
        _text("letters", 10),
        _number("bank"),
        _number("missed"),
        _text("steward", 20),
        _text("turn_mark", 40),
        _number("turn_left"),
        _text("wanted", 10),
        _text("notes"),
    ],
    "asks": [
        _number("allowed"),
        _when("due_at"),
        _when("falls_at"),
        _when("remind_at"),
        _number("extended"),
        _text("kept"),
        _when("kept_at"),
        _text("kept_via", 10),
    ],
    "letters": [_text("digest_id", 32), _when("bounced_at")],
}
