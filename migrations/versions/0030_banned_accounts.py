"""Accounts can be banned by those who run the service: when, and why"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("banned_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("accounts", sa.Column("banned_why", sa.String(length=300), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("accounts", "banned_why")
    op.drop_column("accounts", "banned_at")
