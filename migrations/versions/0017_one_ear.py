"""The worker's word goes to the web process that waits for it, and to no other"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("ear", sa.String(length=8), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("submissions", "ear")
