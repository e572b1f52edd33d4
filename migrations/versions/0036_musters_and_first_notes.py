"""Musters before the start, bots that fill a table after a day, and dismissed notes of first games"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"

WHEN = sa.DateTime(timezone=True)
TIMES = ("muster_until", "fill_at")


def upgrade() -> None:
    # Tables in the lobby start as before, without a muster.
    op.add_column("matches", sa.Column("muster", sa.String(10), nullable=False, server_default="never"))
    for name in TIMES:
        there = sa.text(f"{name} IS NOT NULL")
        op.add_column("matches", sa.Column(name, WHEN, nullable=True))
        op.create_index(f"ix_matches_{name}", "matches", [name], sqlite_where=there, postgresql_where=there)
    op.add_column("seats", sa.Column("present_at", WHEN, nullable=True))
    op.add_column("accounts", sa.Column("notes_read", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("accounts", "notes_read")
    op.drop_column("seats", "present_at")
    for name in TIMES:
        op.drop_index(f"ix_matches_{name}", "matches")
        op.drop_column("matches", name)
    op.drop_column("matches", "muster")
