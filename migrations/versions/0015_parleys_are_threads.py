"""A private conversation that a game bounds: how often it was paid for, and since when it lasts"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

TIMES = ("begun_at", "term_at", "over_at")


def upgrade() -> None:
    for name in ("terms", "paid"):
        op.add_column("threads", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    for name in TIMES:
        op.add_column("threads", sa.Column(name, sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    for name in (*TIMES, "paid", "terms"):
        op.drop_column("threads", name)
