"""Run by Alembic: migrates the given database to the newest version."""

from __future__ import annotations

from alembic import context

from thirdcard.service.store import (
    dealer_schema,
    round_schema,
    sealing_schema,
    setup_schema,
    shift_schema,
    tally_schema,
)
from thirdcard.service.store.schema import Base

assert dealer_schema, "its tables are part of Base"
assert round_schema, "its tables are part of Base"
assert sealing_schema, "its tables are part of Base"
assert setup_schema, "its tables are part of Base"
assert shift_schema, "its tables are part of Base"
assert tally_schema, "its tables are part of Base"
context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
