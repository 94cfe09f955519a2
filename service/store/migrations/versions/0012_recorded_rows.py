"""Record rows in chains: the rows of an older database are recorded with their present values."""

from __future__ import annotations

from alembic import op

from thirdcard.service.store.row_record import take_over

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Record every row with its present values; nothing is changed, and nothing proves earlier values."""
    take_over(op.get_bind())


def downgrade() -> None:
    """Keep the records: chains are never shortened."""
