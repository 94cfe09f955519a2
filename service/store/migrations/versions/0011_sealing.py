"""Add the log over all chains, and its signed checkpoints."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables; earlier lines are in no checkpoint until the first one is signed."""
    op.create_table(
        "tree_leaves",
        sa.Column("origin", sa.String(length=120), nullable=False),
        sa.Column("number", BIG_ID, nullable=False),
        sa.Column("chain", sa.String(length=120), nullable=False),
        sa.Column("seq", BIG_ID, nullable=False),
        sa.Column("seal", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("origin", "number"),
    )
    op.create_index("ix_tree_leaves_chain", "tree_leaves", ["origin", "chain", "number"], unique=False)
    op.create_table(
        "checkpoints",
        sa.Column("origin", sa.String(length=120), nullable=False),
        sa.Column("number", BIG_ID, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("origin", "number"),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_index("ix_tree_leaves_chain", table_name="tree_leaves")
    for table in ("checkpoints", "tree_leaves"):
        op.drop_table(table)
