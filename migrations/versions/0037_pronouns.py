"""Pronouns of people and bots in the sentences of the log"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    for table in ("accounts", "seats"):
        op.add_column(table, sa.Column("pronoun", sa.String(4), nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("accounts", "seats"):
        op.drop_column(table, "pronoun")
