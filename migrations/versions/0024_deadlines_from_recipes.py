"""Deadlines are computed from recipes, and time in which clocks stood still is stored"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

WHEN = sa.DateTime(timezone=True)


def upgrade() -> None:
    # A question without a recipe keeps at least the deadline that it has; see `service.clock.recipe.adopt`.
    op.add_column("asks", sa.Column("recipe", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("asks", sa.Column("given", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "standstills",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("starts_at", WHEN, nullable=False),
        sa.Column("ends_at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_standstills_match_id", "standstills", ["match_id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_standstills_match_id", table_name="standstills")
    op.drop_table("standstills")
    op.drop_column("asks", "given")
    op.drop_column("asks", "recipe")
