"""Compare the corrections in the store, and their pictures, with what was sealed in their chains."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.round_schema import CorrectionRow

CHAINS = "corrections/"


def verify_corrections(session: Session, evidence: Path) -> str | None:
    """The first correction or picture that differs from its sealed record, in words; None where all agree."""
    for name in chain.chains(session):
        if name.startswith(CHAINS):
            for line in chain.read(session, name):
                body = chain.parsed(line)
                fault = _fault_of(session, evidence, body) if "correction" in body else None
                if fault is not None:
                    return fault
    return None


def _fault_of(session: Session, evidence: Path, body: dict[str, Any]) -> str | None:
    number = body["correction"]
    row = session.get(CorrectionRow, number)
    if row is None:
        return f"correction {number}: is missing"
    if "picture_sha256" in body:
        return _fault_of_picture(row, evidence, body["picture_sha256"])
    if body.get("taken_back"):
        return None if row.taken_back_by == body["who"] else f"correction {number}: was changed"
    said = (row.who, row.why, row.body, row.effects)
    sealed = (body["who"], body["why"], chain.canonical(body["change"]), chain.canonical(body["effects"]))
    return None if said == sealed else f"correction {number}: was changed"


def _fault_of_picture(row: CorrectionRow, evidence: Path, sha256: str) -> str | None:
    path = evidence / (row.picture or "")
    if not path.is_file():
        return f"{row.picture or f'picture of correction {row.id}'}: is missing"
    if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        return f"{row.picture}: was changed"
    return None
