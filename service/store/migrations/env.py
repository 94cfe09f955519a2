"""Run by Alembic: brings the database it is given up to date."""

from __future__ import annotations

from alembic import context

from service.store.schema import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
