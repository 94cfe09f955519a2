"""Which chain holds the lines of which log: a table's live logs share one, each review has its own."""

from __future__ import annotations

from sqlalchemy.orm import Session

from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow

LIVE = "live"
REVIEW = "review"


def log_chain(table_id: str) -> str:
    """The name of the chain of a table's live logs, one after the other."""
    return f"log/{table_id}"


def review_chain(table_id: str, shift: str) -> str:
    """The name of the chain of one review."""
    return f"log/{table_id}/{shift[:16]}"


def chain_of_log(log: LogRow) -> str:
    """The name of the chain that holds a log's lines."""
    return log_chain(log.table_id) if log.shift is None else review_chain(log.table_id, log.shift)


def chain_of(session: Session, row: RoundRow | AlertRow) -> str:
    """The name of the chain that holds the lines of a round, or of an alert's log."""
    return chain_of_log(session.get_one(LogRow, row.log_id))


def alert_chain(table_id: str) -> str:
    """The name of the chain that holds a table's alerts as they were raised."""
    return f"alerts/{table_id}"
