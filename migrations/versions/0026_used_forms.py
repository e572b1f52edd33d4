"""Idempotency keys of forms"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "used_forms",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("target", sa.String(length=300), nullable=False),
        sa.Column("said", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_used_forms_at"), "used_forms", ["at"])


def downgrade() -> None:
    op.drop_index(op.f("ix_used_forms_at"), "used_forms")
    op.drop_table("used_forms")
