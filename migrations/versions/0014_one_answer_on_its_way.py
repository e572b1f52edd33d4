"""A seat has at most one answer to a question on its way"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    # Of two that came at the same moment the first counts.
    op.execute(
        "UPDATE submissions SET status = 'stale' WHERE status = 'queued' AND EXISTS (SELECT 1 FROM submissions AS first"
        " WHERE first.status = 'queued' AND first.match_id = submissions.match_id AND first.seat = submissions.seat"
        " AND first.serial = submissions.serial AND first.kind = submissions.kind"
        ' AND (first."order", first.id) < (submissions."order", submissions.id))'
    )
    queued = sa.text("status = 'queued'")
    op.create_index(
        "ux_submissions_queued",
        "submissions",
        ["match_id", "seat", "serial", "kind"],
        unique=True,
        sqlite_where=queued,
        postgresql_where=queued,
    )


def downgrade() -> None:
    op.drop_index("ux_submissions_queued", "submissions")
