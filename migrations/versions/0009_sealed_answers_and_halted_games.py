"""Answers that lie sealed outside the log, and games whose rules failed"""

import sqlalchemy as sa
from alembic import op

from service.store.sealing import box_of

revision = "0009"
down_revision = "0007"

WHEN = sa.DateTime(timezone=True)
COLUMNS = ("id", "match_id", "seat", "serial", "kind", "move", "via", "status", "refusal", "order")
SUBMISSIONS = sa.table("submissions", *map(sa.column, COLUMNS), sa.column("created_at", WHEN))
AS_QUEUED = {"status": "queued", "refusal": "", "order": 0, "created_at": sa.func.current_timestamp()}


def upgrade() -> None:
    op.create_table(
        "sealed_answers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=1), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("move", sa.String(), nullable=False),
        sa.Column("via", sa.String(length=10), nullable=False),
        sa.Column("mark", sa.String(length=10), nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_sealed_answers_match_id", "sealed_answers", ["match_id"], unique=False)
    op.add_column("matches", sa.Column("halted_at", WHEN, nullable=True))
    op.add_column("matches", sa.Column("halt", sa.JSON(), nullable=False, server_default="{}"))
    op.create_index("ix_matches_halted_at", "matches", ["halted_at"], unique=False)


def downgrade() -> None:
    # What lies sealed was accepted; as submissions it is played again.
    box = box_of(op.get_bind().dialect)
    for row in op.get_bind().execute(sa.text("SELECT * FROM sealed_answers ORDER BY at")).mappings().all():
        move = box.seal("submissions.move", box.open("sealed_answers.move", row["move"]))
        kept = {name: row[name] for name in ("match_id", "seat", "serial", "kind", "via")}
        op.execute(SUBMISSIONS.insert().values(id=f"sealed-{row['id']}", move=move, **kept, **AS_QUEUED))
    op.drop_index("ix_matches_halted_at", table_name="matches")
    op.drop_column("matches", "halt")
    op.drop_column("matches", "halted_at")
    op.drop_table("sealed_answers")
