"""Drop packed_logs.packed_at: nothing read it"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    op.drop_column("packed_logs", "packed_at")


def downgrade() -> None:
    then = sa.Column("packed_at", sa.DateTime(timezone=True), nullable=False, server_default="1970-01-01 00:00:00")
    op.add_column("packed_logs", then)
