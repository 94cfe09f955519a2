"""Mark rounds as not counted where a later review saw them better: they are kept, but counted only once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the mark; all existing rounds count."""
    op.add_column("rounds", sa.Column("is_counted", sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    """Drop the mark."""
    op.drop_column("rounds", "is_counted")
