"""Who is signed in with which browser, links that are good for once, and what limits count"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0004"

WHEN = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("links", sa.Column("used_at", WHEN, nullable=True))
    op.add_column("links", sa.Column("used_by", sa.String(length=64), nullable=False, server_default=""))
    op.create_table(
        "browsers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.String(length=32), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(length=40), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("seen_at", WHEN, nullable=False),
        sa.Column("ended_at", WHEN, nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("secret"),
    )
    op.create_index("ix_browsers_account_id", "browsers", ["account_id"], unique=False)
    op.create_index("ix_browsers_seen_at", "browsers", ["seen_at"], unique=False)
    op.create_table(
        "quotas",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("times", sa.JSON(), nullable=False),
        sa.Column("until", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_quotas_until", "quotas", ["until"], unique=False)


def downgrade() -> None:
    op.drop_table("quotas")
    op.drop_table("browsers")
    op.drop_column("links", "used_by")
    op.drop_column("links", "used_at")
