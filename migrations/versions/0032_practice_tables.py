"""Add matches.practice: tables against bots, without a clock"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
PRACTICE = sa.text("practice")


def upgrade() -> None:
    op.add_column("matches", sa.Column("practice", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_matches_practice", "matches", ["host_id"], sqlite_where=PRACTICE, postgresql_where=PRACTICE)


def downgrade() -> None:
    op.drop_index("ix_matches_practice", "matches")
    op.drop_column("matches", "practice")
