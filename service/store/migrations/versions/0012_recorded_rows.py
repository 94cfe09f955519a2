"""Rows are recorded in chains: what stands in an older database is taken over as it is."""

from __future__ import annotations

from alembic import op

from thirdcard.service.store.row_record import take_over

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Record every row as it stands; nothing is rewritten, and nothing proves what it held before."""
    take_over(op.get_bind())


def downgrade() -> None:
    """Leave the records where they are: chains are never cut."""
