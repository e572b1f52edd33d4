"""Add matches.take_back and seats.trail: answers that can be taken back"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    # Existing games get no take-backs.
    op.add_column("matches", sa.Column("take_back", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("seats", sa.Column("trail", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("seats", "trail")
    op.drop_column("matches", "take_back")
