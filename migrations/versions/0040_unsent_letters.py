"""Index unsent letters by kind and time: each claim sorted all that are due"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
UNSENT = sa.text("status IN ('queued', 'sending')")


def upgrade() -> None:
    columns = ["kind", "next_try_at"]
    op.create_index("ix_letters_unsent", "letters", columns, sqlite_where=UNSENT, postgresql_where=UNSENT)


def downgrade() -> None:
    op.drop_index("ix_letters_unsent", "letters")
