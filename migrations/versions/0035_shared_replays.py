"""Replays of finished games that are shared with anyone who has the link"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.add_column("matches", sa.Column("shared", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("matches", sa.Column("nameless_mark", sa.String(64), nullable=False, server_default=""))
    op.create_index("ix_matches_nameless_mark", "matches", ["nameless_mark"])


def downgrade() -> None:
    op.drop_index("ix_matches_nameless_mark", "matches")
    op.drop_column("matches", "nameless_mark")
    op.drop_column("matches", "shared")
