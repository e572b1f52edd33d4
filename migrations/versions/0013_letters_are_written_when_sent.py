"""Letters are owed with what they are to tell, and written when they are sent"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("letters", sa.Column("facts", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("letters", sa.Column("written_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE letters SET written_at = created_at")


def downgrade() -> None:
    # What is only owed has no words that the program of before could send; what it asks stands on the page.
    op.execute("UPDATE letters SET status = 'dropped' WHERE written_at IS NULL AND status IN ('queued', 'gathered', 'sending')")
    op.drop_column("letters", "written_at")
    op.drop_column("letters", "facts")
