"""The language that an account reads; views hold data instead of words"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("language", sa.String(length=20), nullable=False, server_default="en"))
    # Caches, which held finished English and boards in an older form: the sweep has them written anew.
    op.execute("DELETE FROM views")


def downgrade() -> None:
    op.execute("DELETE FROM views")
    op.drop_column("accounts", "language")
