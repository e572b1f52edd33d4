"""Finished games take little room: packed logs, counts of what no longer changes, indices on what is asked"""

import zlib

import msgspec
import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

OPEN_ASK = sa.text("answered_at IS NULL")
CLOCKS = ("due_at", "falls_at", "remind_at", "kept_at")
TABLES = ("entries", "events")
ENTRIES = ("n", "at", "actor", "ask", "serial", "mark", "sealed_move", "sealed_via", "prev", "hash", "move", "via")
EVENTS = ("n", "i", "kind", "facts", "only_seats", "but_seats")
JSON = ("facts", "only_seats", "but_seats")
PACKED = (
    "EXISTS (SELECT 1 FROM packed_logs JOIN matches ON matches.id = packed_logs.match_id "
    "WHERE packed_logs.match_id = OLD.match_id AND matches.status = 'finished')"
)
"""Rows of a log may go once the log of a finished game lies packed, and at no other time."""


def upgrade() -> None:
    op.create_table(
        "packed_logs",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("entries", sa.LargeBinary(), nullable=False),
        sa.Column("events", sa.LargeBinary(), nullable=False),
        sa.Column("packed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.create_table(
        "tallies",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    for name in CLOCKS:
        op.drop_index(f"ix_asks_{name}", "asks")
    for name in ("match_id", *CLOCKS):
        op.create_index(f"ix_asks_{name}", "asks", [name], sqlite_where=OPEN_ASK, postgresql_where=OPEN_ASK)
    op.create_index("ix_letters_of_account", "letters", ["account_id", "created_at"])
    op.create_index("ix_matches_host_id", "matches", ["host_id"])
    op.create_index("ix_matches_finished_at", "matches", ["finished_at"])
    if op.get_bind().dialect.name == "sqlite":
        for table in TABLES:
            op.execute(f"DROP TRIGGER {table}_no_delete")
            op.execute(_sqlite_refusal(table, "DELETE", f"WHEN NOT {PACKED}"))
        for what in ("UPDATE", "DELETE"):
            op.execute(_sqlite_refusal("packed_logs", what, ""))
        op.execute(
            "CREATE TRIGGER packed_logs_no_replace BEFORE INSERT ON packed_logs "
            "WHEN EXISTS (SELECT 1 FROM packed_logs WHERE match_id = NEW.match_id) "
            "BEGIN SELECT RAISE(ABORT, 'packed_logs is append-only'); END"
        )
        return
    for table in TABLES:
        op.execute(_function(table, f"IF TG_OP = 'DELETE' AND {PACKED} THEN RETURN OLD; END IF;"))
    op.execute(_function("packed_logs", ""))
    op.execute(
        "CREATE TRIGGER packed_logs_append_only BEFORE UPDATE OR DELETE ON packed_logs "
        "FOR EACH ROW EXECUTE FUNCTION packed_logs_append_only()"
    )
    op.execute(
        "CREATE TRIGGER packed_logs_no_truncate BEFORE TRUNCATE ON packed_logs "
        "FOR EACH STATEMENT EXECUTE FUNCTION packed_logs_append_only()"
    )


def downgrade() -> None:
    _unpack()
    if op.get_bind().dialect.name == "sqlite":
        for what in ("update", "delete", "replace"):
            op.execute(f"DROP TRIGGER packed_logs_no_{what}")
        for table in TABLES:
            op.execute(f"DROP TRIGGER {table}_no_delete")
            op.execute(_sqlite_refusal(table, "DELETE", ""))
    else:
        op.execute("DROP TRIGGER packed_logs_append_only ON packed_logs")
        op.execute("DROP TRIGGER packed_logs_no_truncate ON packed_logs")
        op.execute("DROP FUNCTION packed_logs_append_only()")
        for table in TABLES:
            op.execute(_function(table, ""))
    op.drop_index("ix_matches_finished_at", "matches")
    op.drop_index("ix_matches_host_id", "matches")
    op.drop_index("ix_letters_of_account", "letters")
    for name in ("match_id", *CLOCKS):
        op.drop_index(f"ix_asks_{name}", "asks")
    for name in CLOCKS:
        op.create_index(f"ix_asks_{name}", "asks", [name])
    op.drop_table("tallies")
    op.drop_table("packed_logs")


def _unpack() -> None:
    """Put packed logs back into rows."""
    packed = op.get_bind().execute(sa.text("SELECT match_id, entries, events FROM packed_logs")).all()
    for match_id, entries, events in packed:
        for table, names, data in (("entries", ENTRIES, entries), ("events", EVENTS, events)):
            columns = [sa.column(name, sa.JSON(none_as_null=True) if name in JSON else None) for name in ("match_id", *names)]
            rows = msgspec.msgpack.decode(zlib.decompress(data))
            if rows:
                op.bulk_insert(
                    sa.table(table, *columns), [dict(zip(("match_id", *names), (match_id, *r), strict=True)) for r in rows]
                )


def _sqlite_refusal(table: str, what: str, when: str) -> str:
    return (
        f"CREATE TRIGGER {table}_no_{what.lower()} BEFORE {what} ON {table} {when} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    )


def _function(table: str, first: str) -> str:
    return (
        f"CREATE OR REPLACE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {first} RAISE EXCEPTION '{table} is append-only'; END $$"
    )
