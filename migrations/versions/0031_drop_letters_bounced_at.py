"""Drop letters.bounced_at: the delivery ledger has the moment"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.drop_column("letters", "bounced_at")


def downgrade() -> None:
    op.add_column("letters", sa.Column("bounced_at", sa.DateTime(timezone=True), nullable=True))
