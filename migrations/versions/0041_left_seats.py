"""Add left_seats: who left a seat of a running game; so far the letters about it told"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    op.create_table(
        "left_seats",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("match_id", sa.String(32), sa.ForeignKey("matches.id"), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("account_id", sa.String(32), sa.ForeignKey("accounts.id"), nullable=True),
        sa.Column("mark", sa.String(64), nullable=False),
    )
    op.create_index("ix_left_seats_match_id", "left_seats", ["match_id"])
    # Letters from before the start went to players who missed the muster: they never played.
    op.execute(
        "INSERT INTO left_seats (id, match_id, seat, account_id, mark) "
        "SELECT min(l.id), l.match_id, l.seat, l.account_id, '' FROM letters l JOIN matches m ON m.id = l.match_id "
        "WHERE l.kind = 'replaced' AND l.account_id IS NOT NULL AND m.status = 'running' AND l.created_at > m.started_at "
        "GROUP BY l.match_id, l.seat, l.account_id"
    )


def downgrade() -> None:
    op.drop_table("left_seats")
