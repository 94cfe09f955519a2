"""Add the house's dealers, the spellings of their names, and the roster."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "dealers",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("staff_id", sa.String(length=64), nullable=True),
        sa.Column("badge", sa.String(length=100), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("is_confirmed", sa.Boolean(), nullable=False),
        sa.Column("added_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("staff_id"),
        sa.UniqueConstraint("badge"),
    )
    op.create_table(
        "dealer_names",
        sa.Column("folded", sa.String(length=200), nullable=False),
        sa.Column("dealer_id", BIG_ID, nullable=False),
        sa.ForeignKeyConstraint(["dealer_id"], ["dealers.id"]),
        sa.PrimaryKeyConstraint("folded"),
    )
    op.create_table(
        "stints",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("from_at", UtcTime(), nullable=False),
        sa.Column("to_at", UtcTime(), nullable=False),
        sa.Column("dealer_id", BIG_ID, nullable=True),
        sa.Column("is_ruling", sa.Boolean(), nullable=False),
        sa.Column("entered_by", sa.String(length=100), nullable=False),
        sa.Column("entered_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["dealer_id"], ["dealers.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_stints_table", "stints", ["table_id", "from_at"], unique=False)


def downgrade() -> None:
    """Drop the tables."""
    op.drop_index("ix_stints_table", table_name="stints")
    for table in ("stints", "dealer_names", "dealers"):
        op.drop_table(table)
