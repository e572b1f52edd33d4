"""Foreign keys to accounts: every table whose rows belong to a person, for exports, erasing and merging."""

from __future__ import annotations

from sqlalchemy import Table
from sqlmodel import SQLModel

from service.store.models import Account


def references() -> list[tuple[Table, str]]:
    """Every table whose rows name an account, and the column that does."""
    return [
        (owner, column.name)
        for owner in SQLModel.metadata.sorted_tables
        for column in owner.columns
        if any(key.column.table.name == Account.__tablename__ for key in column.foreign_keys)
    ]
