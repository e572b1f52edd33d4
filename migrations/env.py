"""Alembic's entry: runs the migrations on the connection passed by `service.store.database.migrate`."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=SQLModel.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
