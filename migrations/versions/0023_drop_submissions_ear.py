"""Drop submissions.ear: the web process polls for the outcome of an answer"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.drop_column("submissions", "ear")


def downgrade() -> None:
    op.add_column("submissions", sa.Column("ear", sa.String(length=8), nullable=False, server_default=""))
