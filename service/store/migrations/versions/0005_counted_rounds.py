"""Rounds that a later review saw better are kept, and not counted twice."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """All rounds that there are count."""
    op.add_column("rounds", sa.Column("is_counted", sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    """Forget which do not."""
    op.drop_column("rounds", "is_counted")
