"""Statuses of letters by the words that mail servers' logs use: sent, rejected, failed"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":  # SQLite holds to no length
        op.alter_column("letter_events", "status", type_=sa.String(length=16), existing_nullable=False)
    # A letter that was accepted had two lines that said so.
    op.execute(
        "DELETE FROM letter_events WHERE status = 'sent' AND EXISTS (SELECT 1 FROM letter_events AS other"
        " WHERE other.letter_id = letter_events.letter_id AND other.status = 'accepted')"
    )
    op.execute("UPDATE letter_events SET status = 'sent' WHERE status = 'accepted'")
    for table in ("letters", "letter_events"):
        op.execute(f"UPDATE {table} SET status = 'rejected' WHERE status = 'refused'")
        op.execute(f"UPDATE {table} SET status = 'failed' WHERE status = 'given_up'")
    op.execute("DELETE FROM tallies WHERE name = 'letters given_up'")


def downgrade() -> None:
    op.execute("UPDATE letter_events SET status = 'accepted' WHERE status = 'sent'")
    op.execute(
        "UPDATE letter_events SET status = 'deferred' WHERE status IN ('unknown', 'autoresponded', 'complained', 'reported')"
    )
    op.execute("UPDATE letters SET status = 'given_up' WHERE status = 'unknown'")
    for table in ("letters", "letter_events"):
        op.execute(f"UPDATE {table} SET status = 'refused' WHERE status = 'rejected'")
        op.execute(f"UPDATE {table} SET status = 'given_up' WHERE status = 'failed'")
    op.execute("DELETE FROM tallies WHERE name = 'letters failed'")
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("letter_events", "status", type_=sa.String(length=10), existing_nullable=False)
