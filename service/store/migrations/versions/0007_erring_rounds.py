"""Count errors by rounds: add sums of rounds with errors; all existing hours are marked for counting."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TOUCHED = """
INSERT INTO touched_hours (table_id, hour)
SELECT table_id, hour FROM tallies UNION SELECT table_id, hour FROM code_tallies
"""


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "erring_tallies",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("hour", UtcTime(), nullable=False),
        sa.Column("dealer", sa.String(length=200), nullable=False),
        sa.Column("rulebook", sa.String(length=80), nullable=False),
        sa.Column("faults", sa.Text(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_erring_tallies_hour", "erring_tallies", ["hour"], unique=False)
    op.create_index("ix_erring_tallies_table", "erring_tallies", ["table_id", "hour"], unique=False)
    op.execute(TOUCHED)


def downgrade() -> None:
    """Drop the table."""
    op.drop_index("ix_erring_tallies_table", table_name="erring_tallies")
    op.drop_index("ix_erring_tallies_hour", table_name="erring_tallies")
    op.drop_table("erring_tallies")
