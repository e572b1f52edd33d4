"""Add matches.quiet_bots: whether bots never speak at great moments"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    # Tables that exist didn't choose it: their bots stay quiet.
    op.add_column("matches", sa.Column("quiet_bots", sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    op.drop_column("matches", "quiet_bots")
