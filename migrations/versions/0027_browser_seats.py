"""Seats that browsers play by links are rows"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.create_table(
        "browser_seats",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("link_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    for name in ("browser", "at"):
        op.create_index(op.f(f"ix_browser_seats_{name}"), "browser_seats", [name])


def downgrade() -> None:
    op.drop_table("browser_seats")
