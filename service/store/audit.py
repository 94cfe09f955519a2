"""The audit chain: who did what, and who looked at which evidence; changes of it are detectable."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.row_record import note_act

AUDIT = "audit"


def note(
    session: Session, who: str, action: str, target: str | None = None, *, at: datetime, **details: object
) -> None:
    """Record an act in the same transaction as its effect.

    Args:
        session: The transaction.
        who: A user's name, `token:NAME`, or `system`.
        action: The kind of act: `alert.dismissed`, `evidence.seen`, `user.added`, …
        target: The object of the act: `alert:17`, `user:anna`, …
        at: The time of the act.
        details: Further values to record.
    """
    body: dict[str, object] = {"who": who, "action": action, "target": target}
    if details:
        body["details"] = details
    (line,) = chain.append(session, AUDIT, [body], at=at)
    note_act(session, line.seq)
