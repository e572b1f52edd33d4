"""Answers that lie sealed outside the log, and games whose rules failed"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0002"

WHEN = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "sealed_answers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("move", sa.String(), nullable=False),
        sa.Column("via", sa.String(length=10), nullable=False),
        sa.Column("mark", sa.String(length=10), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_sealed_answers_match_id", "sealed_answers", ["match_id"], unique=False)
    op.add_column("matches", sa.Column("halted_at", WHEN, nullable=True))
    op.add_column("matches", sa.Column("halt", sa.JSON(), nullable=False, server_default="{}"))
    op.create_index("ix_matches_halted_at", "matches", ["halted_at"], unique=False)


def downgrade() -> None:
    # What lies sealed was accepted; as submissions it is played again.
    op.execute(
        'INSERT INTO submissions (id, match_id, seat, serial, kind, move, via, status, refusal, "order", created_at) '
        "SELECT 'sealed-' || id, match_id, seat, serial, kind, move, via, 'queued', '', 0, at FROM sealed_answers"
    )
    op.drop_index("ix_matches_halted_at", table_name="matches")
    with op.batch_alter_table("matches") as matches:
        matches.drop_column("halt")
        matches.drop_column("halted_at")
    op.drop_table("sealed_answers")
