"""Make the rows of concurrent writers visible in the order of their ids.

Readers that ask for "all after id 17" would miss a row with id 16 that is committed later. SQLite has one writer at a
time; in PostgreSQL writers of alerts and their changes take a lock.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session

ALERTS_TURN = 0x7468_6972_6463
TALLIES_TURN = ALERTS_TURN + 1


def take_turn(session: Session, key: int = ALERTS_TURN) -> None:
    """Wait until no other transaction adds alerts or changes (or holds another `key`), and take the lock.

    The lock is released at the end of the transaction.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
