"""Notices: what is announced before it takes effect; and whose command a pause is"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0002"

WHEN = sa.DateTime(timezone=True)
INDEXED = ("match_id", "effect_at", "status")


def upgrade() -> None:
    op.add_column("absences", sa.Column("by", sa.String(length=10), nullable=False, server_default=""))
    op.create_table(
        "notices",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("by", sa.String(length=10), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("put_off", sa.Integer(), nullable=False),
        sa.Column("opened_at", WHEN, nullable=False),
        sa.Column("effect_at", WHEN, nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("done_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    for name in INDEXED:
        op.create_index(f"ix_notices_{name}", "notices", [name], unique=False)


def downgrade() -> None:
    op.drop_table("notices")
    with op.batch_alter_table("absences") as absences:
        absences.drop_column("by")
