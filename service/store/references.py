"""Foreign keys to accounts, for exports, erasure and merging."""

from __future__ import annotations

from sqlalchemy import Table
from sqlmodel import SQLModel

from service.store.models import Account


def references() -> list[tuple[Table, str]]:
    """Tables with a foreign key to accounts, and its column."""
    return [
        (owner, column.name)
        for owner in SQLModel.metadata.sorted_tables
        for column in owner.columns
        if any(key.column.table.name == Account.__tablename__ for key in column.foreign_keys)
    ]
