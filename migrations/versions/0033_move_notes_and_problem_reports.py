"""Notes at moves, players' reports of problems, and favourites"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

WHEN = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "move_notes",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_move_notes_match_id", "move_notes", ["match_id"])
    op.create_table(
        "problem_reports",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.String(1), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("view", sa.String(), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_problem_reports_match_id", "problem_reports", ["match_id"])
    op.add_column("seats", sa.Column("favourite", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("seats", "favourite")
    op.drop_table("problem_reports")
    op.drop_table("move_notes")
