"""The tables of Writ: everything that came before version 0.1.0, in one step"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = None

WHEN = sa.DateTime(timezone=True)
APPEND_ONLY = {"entries": ("match_id", "n"), "events": ("match_id", "n", "i"), "packed_logs": ("match_id",)}
"""Tables whose rows the database refuses to change or delete, and their keys."""
PACKED = (
    "EXISTS (SELECT 1 FROM packed_logs JOIN matches ON matches.id = packed_logs.match_id "
    "WHERE packed_logs.match_id = OLD.match_id AND matches.status = 'finished')"
)
"""Rows of a log may be deleted only once the log of a finished game is packed."""
DELETED_WHEN = {"entries": PACKED, "events": PACKED}


def _where(condition: str) -> dict[str, Any]:
    """Arguments of a partial index."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


OPEN = _where("answered_at IS NULL")
QUEUED = _where("status = 'queued'")
WITH_BODY = _where("html <> ''")


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("zone", sa.String(60), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("letters", sa.String(10), nullable=False, server_default="each"),
        sa.Column("digest_hour", sa.Integer(), nullable=False, server_default="7"),
        sa.Column("ladder", sa.JSON(), nullable=False, server_default='["half", "6h", "1h"]'),
        sa.Column("quiet_from", sa.String(5), nullable=False, server_default="22:00"),
        sa.Column("quiet_to", sa.String(5), nullable=False, server_default="08:00"),
        sa.Column("weekends_off", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("bounced_at", WHEN, nullable=True),
        sa.Column("bounce", sa.String(), nullable=False, server_default=""),
        sa.Column("calendar_key", sa.String(), nullable=False, server_default=""),
        sa.Column("calendar_mark", sa.String(64), nullable=False, server_default=""),
        sa.Column("language", sa.String(20), nullable=False, server_default="en"),
        sa.Column("subjects", sa.String(10), nullable=False, server_default="what"),
        sa.Column("guides", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("banned_at", WHEN, nullable=True),
        sa.Column("banned_why", sa.String(300), nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("email"),
    )
    op.create_index("ix_accounts_calendar_mark", "accounts", ["calendar_mark"])
    op.create_table(
        "beats",
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "browser_seats",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("browser", sa.String(64), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("link_id", sa.String(32), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_browser_seats_at", "browser_seats", ["at"])
    op.create_index("ix_browser_seats_browser", "browser_seats", ["browser"])
    op.create_table(
        "mail_holds",
        sa.Column("domain", sa.String(255), nullable=False),
        sa.Column("until", WHEN, nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("domain"),
    )
    op.create_table(
        "opt_outs",
        sa.Column("mark", sa.String(64), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("mark"),
    )
    op.create_table(
        "quotas",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("times", sa.JSON(), nullable=False),
        sa.Column("until", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_quotas_until", "quotas", ["until"])
    op.create_table(
        "relay_extensions",
        sa.Column("name", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "relay_failures",
        sa.Column("domain", sa.String(255), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("domain"),
    )
    op.create_table(
        "tallies",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "used_forms",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("target", sa.String(300), nullable=False),
        sa.Column("said", sa.JSON(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_used_forms_at", "used_forms", ["at"])
    op.create_table(
        "address_changes",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("old_email", sa.String(254), nullable=False),
        sa.Column("new_email", sa.String(254), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("old_confirmed_at", WHEN, nullable=True),
        sa.Column("new_confirmed_at", WHEN, nullable=True),
        sa.Column("by_operator", sa.Boolean(), nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.Column("merged", sa.Boolean(), nullable=False),
        sa.Column("ended_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_address_changes_account_id", "address_changes", ["account_id"])
    op.create_table(
        "browsers",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(40), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("seen_at", WHEN, nullable=False),
        sa.Column("ended_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("secret"),
    )
    op.create_index("ix_browsers_account_id", "browsers", ["account_id"])
    op.create_index("ix_browsers_seen_at", "browsers", ["seen_at"])
    op.create_table(
        "decks",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("game", sa.String(20), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("cards", sa.JSON(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account_id", "game", "name"),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("game", sa.String(20), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("host_id", sa.String(32), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("access", sa.String(12), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("header", sa.String(), nullable=True),
        sa.Column("snapshot", sa.LargeBinary(), nullable=True),
        sa.Column("snapshot_n", sa.Integer(), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(64), nullable=False),
        sa.Column("outcome", sa.JSON(), nullable=True),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("started_at", WHEN, nullable=True),
        sa.Column("finished_at", WHEN, nullable=True),
        sa.Column("pace", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("spectators", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("watch_key", sa.String(), nullable=False, server_default=""),
        sa.Column("watch_mark", sa.String(64), nullable=False, server_default=""),
        sa.Column("halted_at", WHEN, nullable=True),
        sa.Column("halt", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("share_key", sa.String(), nullable=False, server_default=""),
        sa.Column("share_mark", sa.String(64), nullable=False, server_default=""),
        sa.Column("rematch_of", sa.String(32), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_matches_finished_at", "matches", ["finished_at"])
    op.create_index("ix_matches_halted_at", "matches", ["halted_at"])
    op.create_index("ix_matches_host_id", "matches", ["host_id"])
    op.create_index("ix_matches_rematch_of", "matches", ["rematch_of"])
    op.create_index("ix_matches_share_mark", "matches", ["share_mark"])
    op.create_index("ix_matches_status", "matches", ["status"])
    op.create_index("ix_matches_watch_mark", "matches", ["watch_mark"])
    op.create_table(
        "absences",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("starts_at", WHEN, nullable=False),
        sa.Column("ends_at", WHEN, nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("by", sa.String(10), nullable=False, server_default=""),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_absences_match_id", "absences", ["match_id"])
    op.create_table(
        "asks",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("opened_at", WHEN, nullable=False),
        sa.Column("answered_at", WHEN, nullable=True),
        sa.Column("allowed", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("due_at", WHEN, nullable=True),
        sa.Column("falls_at", WHEN, nullable=True),
        sa.Column("remind_at", WHEN, nullable=True),
        sa.Column("extended", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("kept", sa.String(), nullable=False, server_default=""),
        sa.Column("kept_at", WHEN, nullable=True),
        sa.Column("kept_via", sa.String(10), nullable=False, server_default=""),
        sa.Column("recipe", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("given", sa.Integer(), nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat", "serial"),
    )
    op.create_index("ix_asks_due_at", "asks", ["due_at"], **OPEN)
    op.create_index("ix_asks_falls_at", "asks", ["falls_at"], **OPEN)
    op.create_index("ix_asks_kept_at", "asks", ["kept_at"], **OPEN)
    op.create_index("ix_asks_match_id", "asks", ["match_id"], **OPEN)
    op.create_index("ix_asks_remind_at", "asks", ["remind_at"], **OPEN)
    op.create_table(
        "commands",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("actor", sa.String(10), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_commands_match_id", "commands", ["match_id"])
    op.create_index("ix_commands_status", "commands", ["status"])
    op.create_table(
        "entries",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(30), nullable=False),
        sa.Column("actor", sa.String(10), nullable=False),
        sa.Column("ask", sa.String(40), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("mark", sa.String(10), nullable=False),
        sa.Column("sealed_move", sa.String(64), nullable=False),
        sa.Column("sealed_via", sa.String(64), nullable=False),
        sa.Column("prev", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("move", sa.String(), nullable=False),
        sa.Column("via", sa.String(10), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "n"),
    )
    op.create_table(
        "events",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("i", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("only_seats", sa.JSON(), nullable=True),
        sa.Column("but_seats", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "n", "i"),
    )
    op.create_table(
        "letters",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=True),
        sa.Column("to_address", sa.String(254), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=True),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("html", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.Column("headers", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_try_at", WHEN, nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("sent_at", WHEN, nullable=True),
        sa.Column("error", sa.String(), nullable=False),
        sa.Column("digest_id", sa.String(32), nullable=False, server_default=""),
        sa.Column("bounced_at", WHEN, nullable=True),
        sa.Column("facts", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("written_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("message_id"),
    )
    op.create_index("ix_letters_due", "letters", ["status", "next_try_at"])
    op.create_index("ix_letters_match_id", "letters", ["match_id"])
    op.create_index("ix_letters_of_account", "letters", ["account_id", "created_at"])
    op.create_index("ix_letters_whole", "letters", ["created_at"], **WITH_BODY)
    op.create_table(
        "links",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("purpose", sa.String(10), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=True),
        sa.Column("match_id", sa.String(32), nullable=True),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("expires_at", WHEN, nullable=False),
        sa.Column("revoked_at", WHEN, nullable=True),
        sa.Column("used_at", WHEN, nullable=True),
        sa.Column("used_by", sa.String(64), nullable=False, server_default=""),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "mutes",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("muted", sa.String(1), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat", "muted"),
    )
    op.create_table(
        "notices",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("by", sa.String(10), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("put_off", sa.Integer(), nullable=False),
        sa.Column("opened_at", WHEN, nullable=False),
        sa.Column("effect_at", WHEN, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_notices_effect_at", "notices", ["effect_at"])
    op.create_index("ix_notices_match_id", "notices", ["match_id"])
    op.create_index("ix_notices_status", "notices", ["status"])
    op.create_table(
        "packed_logs",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("entries", sa.LargeBinary(), nullable=False),
        sa.Column("events", sa.LargeBinary(), nullable=False),
        sa.Column("packed_at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.create_table(
        "reminders",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("due_at", WHEN, nullable=False),
        sa.Column("step", sa.String(10), nullable=False),
        sa.Column("sent", sa.Boolean(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat", "serial", "due_at", "step"),
    )
    op.create_table(
        "sealed_answers",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("move", sa.String(), nullable=False),
        sa.Column("via", sa.String(10), nullable=False),
        sa.Column("mark", sa.String(10), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_sealed_answers_match_id", "sealed_answers", ["match_id"])
    op.create_table(
        "seats",
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=True),
        sa.Column("bot", sa.String(20), nullable=False),
        sa.Column("colour", sa.String(12), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("entropy", sa.String(64), nullable=False),
        sa.Column("key_generation", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("invited_email", sa.String(254), nullable=False),
        sa.Column("prepared", sa.JSON(), nullable=False),
        sa.Column("orders", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("advance", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("letters", sa.String(10), nullable=False, server_default=""),
        sa.Column("bank", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("missed", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("steward", sa.String(20), nullable=False, server_default=""),
        sa.Column("turn_mark", sa.String(40), nullable=False, server_default=""),
        sa.Column("turn_left", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("wanted", sa.String(10), nullable=False, server_default=""),
        sa.Column("notes", sa.String(), nullable=False, server_default=""),
        sa.Column("moved_n", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("card", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("agreed", sa.String(64), nullable=False, server_default=""),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat"),
        sa.UniqueConstraint("match_id", "account_id"),
    )
    op.create_index("ix_seats_account_id", "seats", ["account_id"])
    op.create_table(
        "standstills",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("starts_at", WHEN, nullable=False),
        sa.Column("ends_at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_standstills_match_id", "standstills", ["match_id"])
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("move", sa.String(), nullable=False),
        sa.Column("via", sa.String(10), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("refusal", sa.String(), nullable=False),
        sa.Column("order", sa.BigInteger(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_submissions_queue", "submissions", ["status", "match_id"])
    op.create_index("ux_submissions_queued", "submissions", ["match_id", "seat", "serial", "kind"], unique=True, **QUEUED)
    op.create_table(
        "threads",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("members", sa.String(6), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("terms", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("paid", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("begun_at", WHEN, nullable=True),
        sa.Column("term_at", WHEN, nullable=True),
        sa.Column("over_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "members"),
    )
    op.create_index("ix_threads_match_id", "threads", ["match_id"])
    op.create_table(
        "votes",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("by_seat", sa.String(1), nullable=False),
        sa.Column("opened_at", WHEN, nullable=False),
        sa.Column("closes_at", WHEN, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_votes_match_id", "votes", ["match_id"])
    op.create_index("ix_votes_status", "votes", ["status"])
    op.create_table(
        "ballots",
        sa.Column("vote_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("yes", sa.Boolean(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["vote_id"], ["votes.id"]),
        sa.PrimaryKeyConstraint("vote_id", "seat"),
    )
    op.create_table(
        "letter_events",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("letter_id", sa.String(32), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letters.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_letter_events_letter_id", "letter_events", ["letter_id"])
    op.create_table(
        "messages",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("thread_id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("via", sa.String(10), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_messages_match_id", "messages", ["match_id"])
    op.create_index("ix_messages_thread_id", "messages", ["thread_id"])
    op.create_table(
        "read_marks",
        sa.Column("thread_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"]),
        sa.PrimaryKeyConstraint("thread_id", "seat"),
    )
    op.create_table(
        "reports",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("message_id", sa.String(64), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.ForeignKeyConstraint(["message_id"], ["messages.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("message_id", "seat"),
    )

    for table in APPEND_ONLY:
        if op.get_bind().dialect.name == "sqlite":
            _refuse_on_sqlite(table)
        else:
            _refuse_on_postgres(table)


def downgrade() -> None:
    # Each before those that it refers to; triggers go with their table.
    for table in TABLES:
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        for table in APPEND_ONLY:
            op.execute(f"DROP FUNCTION {table}_append_only()")


def _refuse_on_sqlite(table: str) -> None:
    unless = f"WHEN NOT {DELETED_WHEN[table]}" if table in DELETED_WHEN else ""
    # INSERT OR REPLACE deletes without firing the trigger of DELETE.
    key = " AND ".join(f"{name} = NEW.{name}" for name in APPEND_ONLY[table])
    for name, when in (
        ("update", "UPDATE ON {0}"),
        ("delete", f"DELETE ON {{0}} {unless}"),
        ("replace", f"INSERT ON {{0}} WHEN EXISTS (SELECT 1 FROM {{0}} WHERE {key})"),
    ):
        op.execute(
            f"CREATE TRIGGER {table}_no_{name} BEFORE {when.format(table)} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _refuse_on_postgres(table: str) -> None:
    first = f"IF TG_OP = 'DELETE' AND {DELETED_WHEN[table]} THEN RETURN OLD; END IF;" if table in DELETED_WHEN else ""
    function = f"{table}_append_only"
    op.execute(
        f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {first} RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    for name, what in (
        (function, "UPDATE OR DELETE ON {} FOR EACH ROW"),
        (f"{table}_no_truncate", "TRUNCATE ON {} FOR EACH STATEMENT"),
    ):
        op.execute(f"CREATE TRIGGER {name} BEFORE {what.format(table)} EXECUTE FUNCTION {function}()")


TABLES = (
    "reports",
    "read_marks",
    "messages",
    "letter_events",
    "ballots",
    "votes",
    "threads",
    "submissions",
    "standstills",
    "seats",
    "sealed_answers",
    "reminders",
    "packed_logs",
    "notices",
    "mutes",
    "links",
    "letters",
    "events",
    "entries",
    "commands",
    "asks",
    "absences",
    "matches",
    "decks",
    "browsers",
    "address_changes",
    "used_forms",
    "tallies",
    "relay_failures",
    "relay_extensions",
    "quotas",
    "opt_outs",
    "mail_holds",
    "browser_seats",
    "beats",
    "accounts",
)
