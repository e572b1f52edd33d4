"""Addresses that want no invitations, as keyed hashes"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "opt_outs",
        sa.Column("mark", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("mark"),
    )


def downgrade() -> None:
    op.drop_table("opt_outs")
