"""Let what many writers add become visible in the order of its numbers.

Readers that ask for "all after number 17" lose what gets number 16 and is committed later. SQLite has one writer at a
time; in PostgreSQL writers of alerts and their changes take turns.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session

ALERTS_TURN = 0x7468_6972_6463
TALLIES_TURN = ALERTS_TURN + 1


def take_turn(session: Session, key: int = ALERTS_TURN) -> None:
    """Wait until nobody else is adding alerts or changes, or what another key means, and hold the turn.

    It ends with the transaction.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
