"""Changes of e-mail addresses, and whether the mail relay takes addresses in UTF-8"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "address_changes",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("account_id", sa.String(length=32), nullable=False),
        sa.Column("old_email", sa.String(length=254), nullable=False),
        sa.Column("new_email", sa.String(length=254), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("old_confirmed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("new_confirmed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("by_operator", sa.Boolean(), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("merged", sa.Boolean(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_address_changes_account_id", "address_changes", ["account_id"])
    op.create_table(
        "relay_extensions",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def downgrade() -> None:
    op.drop_table("relay_extensions")
    op.drop_index("ix_address_changes_account_id", "address_changes")
    op.drop_table("address_changes")
