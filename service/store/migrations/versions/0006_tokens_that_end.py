"""Tokens may end by themselves, and tell when they were last used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """All tokens that there are hold until somebody switches them off."""
    op.add_column("tokens", sa.Column("expires_at", UtcTime(), nullable=True))
    op.add_column("tokens", sa.Column("used_at", UtcTime(), nullable=True))


def downgrade() -> None:
    """Forget it."""
    op.drop_column("tokens", "used_at")
    op.drop_column("tokens", "expires_at")
