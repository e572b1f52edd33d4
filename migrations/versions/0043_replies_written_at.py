"""Add submissions.written_at: of two replies by mail the one written last counts, not the one delivered last"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("written_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("submissions", "written_at")
