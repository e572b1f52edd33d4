"""Subjects of letters as one wishes, guided first games, tables that are shared by a link, rematches"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("subjects", sa.String(length=10), nullable=False, server_default="what"))
    op.add_column("accounts", sa.Column("guides", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("matches", sa.Column("share_key", sa.String(), nullable=False, server_default=""))
    op.add_column("matches", sa.Column("share_mark", sa.String(length=64), nullable=False, server_default=""))
    op.add_column("matches", sa.Column("rematch_of", sa.String(length=32), nullable=True))
    op.create_index(op.f("ix_matches_share_mark"), "matches", ["share_mark"])
    op.create_index(op.f("ix_matches_rematch_of"), "matches", ["rematch_of"])
    _know_what_they_played()


def _know_what_they_played() -> None:
    """Who has played a game needs no guide to it."""
    database = op.get_bind()
    seated = "SELECT DISTINCT s.account_id, m.game FROM seats s JOIN matches m ON m.id = s.match_id "
    seated += "WHERE s.account_id IS NOT NULL AND m.started_at IS NOT NULL"
    known: dict[str, dict[str, str]] = {}
    for account, game in database.execute(sa.text(seated)):
        known.setdefault(account, {})[game] = ""
    write = sa.text("UPDATE accounts SET guides = :guides WHERE id = :id")
    for account, games in known.items():
        database.execute(write, {"guides": json.dumps(games), "id": account})


def downgrade() -> None:
    op.drop_index(op.f("ix_matches_rematch_of"), "matches")
    op.drop_index(op.f("ix_matches_share_mark"), "matches")
    for name in ("rematch_of", "share_mark", "share_key"):
        op.drop_column("matches", name)
    op.drop_column("accounts", "guides")
    op.drop_column("accounts", "subjects")
