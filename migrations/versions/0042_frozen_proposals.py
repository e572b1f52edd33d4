"""Add asks.frozen: the sweep played games again for overdue proposals that had to wait"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.add_column("asks", sa.Column("frozen", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("asks", "frozen")
