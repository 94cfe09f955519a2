"""Who did what, and who looked at which evidence: a chain that nobody can change unseen."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.row_record import note_act

AUDIT = "audit"


def note(
    session: Session, who: str, action: str, target: str | None = None, *, at: datetime, **details: object
) -> None:
    """Note an act in the same transaction as what it did.

    Args:
        session: The transaction.
        who: A user's name, `token:NAME`, or `system`.
        action: What was done: `alert.dismissed`, `evidence.seen`, `user.added`, …
        target: What it was done to: `alert:17`, `user:anna`, …
        at: When.
        details: Whatever else should be known later.
    """
    body: dict[str, object] = {"who": who, "action": action, "target": target}
    if details:
        body["details"] = details
    (line,) = chain.append(session, AUDIT, [body], at=at)
    note_act(session, line.seq)
