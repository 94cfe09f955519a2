"""Roots of whole subtrees of the log over all chains; the next signature fills them in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "subtrees",
        sa.Column("origin", sa.String(length=120), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("number", BIG_ID, nullable=False),
        sa.Column("root", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("origin", "level", "number"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("subtrees")
