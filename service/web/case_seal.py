"""Have the exports of a case signed, and prove an export to somebody who has only the archive."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.room import Room
from thirdcard.service.sealing.checkpoint import SealError, parse_verifier
from thirdcard.service.sealing.line_proof import LineProofs
from thirdcard.service.sealing.signer_socket import SignerLink
from thirdcard.service.sealing.tree import seal_heads
from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import alert_chain
from thirdcard.service.store.schema import AlertRow, ChainLine
from thirdcard.service.store.sealing_schema import CheckpointRow

logger = logging.getLogger(__name__)

PATIENCE_S = 5.0
"""The longest wait for the signer when a case is closed or exported; what is not signed then is signed later."""
UNSIGNED: Mapping[str, Any] = {"format": 1, "key": None, "checkpoints": {}, "chains": [], "left_out": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseProof:
    """The proof that goes into an archive."""

    proof: Mapping[str, Any] = field(default_factory=lambda: UNSIGNED)
    """The content of `seal/proof.json`."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Further files by name: the public key, checkpoints, the newest time stamp with the data it covers."""

    @property
    def is_stamped(self) -> bool:
        """Whether a time stamp of an authority is included."""
        return "seal/stamped.tsr" in self.files


def case_chain(case_id: int) -> str:
    """The name of the chain of a case's exports."""
    return f"cases/{case_id}"


def have_signed(room: Room) -> str | None:
    """Have all sealed lines signed now; returns why that failed, None on success or where the house has no signer."""
    if room.settings.signer is None:
        return None
    try:
        seal_heads(room.database, SignerLink(room.settings.signer, PATIENCE_S))
    except SealError as error:
        logger.warning("a case is not signed at once: %s", error)
        return str(error)
    return None


def prove_export(room: Room, case_id: int, line: int, alert_ids: Sequence[int]) -> CaseProof:
    """Have an export signed, and prove it and the lines of its alerts.

    Args:
        room: The service.
        case_id: The case.
        line: The export's line in the chain of the case.
        alert_ids: The alerts in the archive.

    Returns:
        The proof; without a signer, or while it is away, it says what is not proven.
    """
    if room.settings.signer is None:
        return CaseProof()
    fault = have_signed(room)
    link = SignerLink(room.settings.signer, PATIENCE_S)
    try:
        origin, key = link.state()[0], link.key()
        stamp = link.stamp()
    except SealError as error:
        return CaseProof(proof={**UNSIGNED, "left_out": [f"The signer is away: {error}"]})
    with room.database.reading() as session:
        proofs = LineProofs(session, origin, None if key is None else parse_verifier(key, "the signer"))
        proofs.prove(case_chain(case_id), [line])
        for name, lines in lines_of_alerts(session, alert_ids).items():
            proofs.prove(name, lines)
        proof = proofs.as_mapping()
        stamped = None if stamp is None else session.get(CheckpointRow, (origin, stamp[0]))
    if fault is not None:
        proof["left_out"].append(f"The signer did not sign at once: {fault}")
    files = {f"seal/checkpoint-{number}.note": note.encode() for number, note in proof["checkpoints"].items()}
    files |= {} if key is None else {"seal/key.pub": f"{key}\n".encode()}
    if stamp is not None and stamped is not None:
        files |= {"seal/stamped.note": stamped.note.encode(), "seal/stamped.tsr": stamp[1]}
    return CaseProof(proof=proof, files=files)


def lines_of_alerts(session: Session, alert_ids: Iterable[int]) -> dict[str, list[int]]:
    """The line numbers of alerts and their files, by chain."""
    wanted = set(alert_ids)
    tables = session.scalars(select(AlertRow.table_id).where(AlertRow.id.in_(wanted)).distinct()).all()
    found: dict[str, list[int]] = {}
    for name in map(alert_chain, sorted(tables)):
        marks = [ChainLine.body.contains(f'"alert":{number},') for number in wanted]
        for line in session.scalars(select(ChainLine).where(ChainLine.chain == name, or_(*marks))):
            if chain.parsed(line).get("alert") in wanted:
                found.setdefault(name, []).append(line.seq)
    return found
