"""The language that an account reads"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("language", sa.String(length=20), nullable=False, server_default="en"))


def downgrade() -> None:
    op.drop_column("accounts", "language")
