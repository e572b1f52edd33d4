"""A time zone that nobody chose is empty: there are no quiet hours in it"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

ACCOUNTS = sa.table("accounts", *map(sa.column, ("zone", "quiet_from", "quiet_to")))


def upgrade() -> None:
    # Who changed anything in the form that has the zone and the quiet hours has seen the zone there.
    untouched = (ACCOUNTS.c.quiet_from == "22:00") & (ACCOUNTS.c.quiet_to == "08:00")
    op.execute(sa.update(ACCOUNTS).where(ACCOUNTS.c.zone == "UTC", untouched).values(zone=""))


def downgrade() -> None:
    op.execute(sa.update(ACCOUNTS).where(ACCOUNTS.c.zone == "").values(zone="UTC"))
