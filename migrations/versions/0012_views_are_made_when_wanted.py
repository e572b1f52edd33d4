"""What a seat sees is made when it is wanted, and kept in no table; where its news begin is kept instead"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

SINCE = """
UPDATE seats SET moved_n = COALESCE(
    (SELECT max(n) FROM entries
     WHERE entries.match_id = seats.match_id AND actor = seats.seat AND via IN ('page', 'reply', 'api')), 0)
"""


def upgrade() -> None:
    op.add_column("seats", sa.Column("moved_n", sa.Integer(), nullable=False, server_default="0"))
    op.execute(SINCE)
    op.drop_table("views")


def downgrade() -> None:
    # Caches: the sweep has them written anew.
    op.create_table(
        "views",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("view", sa.JSON(), nullable=False),
        sa.Column("form", sa.JSON(), nullable=True),
        sa.Column("offers", sa.JSON(), nullable=False),
        sa.Column("news", sa.JSON(), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )
    op.drop_column("seats", "moved_n")
