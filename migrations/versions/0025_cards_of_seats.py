"""A seat's row keeps what its owner's list of games shows of it"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("seats", sa.Column("card", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("seats", "card")
