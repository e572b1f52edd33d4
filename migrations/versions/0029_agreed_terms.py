"""Seats keep which options their player has agreed to"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    # Who sits in a lobby already has agreed to what stands there: the first change fills the column in.
    op.add_column("seats", sa.Column("agreed", sa.String(length=64), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("seats") as seats:
        seats.drop_column("agreed")
