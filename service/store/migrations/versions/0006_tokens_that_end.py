"""Add an expiry time and the time of the last use to tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; existing tokens stay valid until they are deactivated."""
    op.add_column("tokens", sa.Column("expires_at", UtcTime(), nullable=True))
    op.add_column("tokens", sa.Column("used_at", UtcTime(), nullable=True))


def downgrade() -> None:
    """Drop the columns."""
    op.drop_column("tokens", "used_at")
    op.drop_column("tokens", "expires_at")
