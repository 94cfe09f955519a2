"""The service's side of the log over all chains: adds a leaf for each changed chain head, and has the log signed.

Leaves are on the disk before the signer gets them, and checkpoints are fetched by number. So a kill at any time leaves
a consistent state: the next run sends what was not signed and fetches the checkpoints that are missing.
"""

from __future__ import annotations

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session, aliased

from thirdcard.service.sealing.checkpoint import SealError
from thirdcard.service.sealing.signer_socket import SignerAwayError, SignerLink
from thirdcard.service.sealing.subtrees import BATCH, keep_subtrees, leaves_of
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import ChainHead
from thirdcard.service.store.sealing_schema import CheckpointRow, TreeLeaf
from thirdcard.service.store.turn import TurnTakenError, turn


class SetBackError(SealError):
    """The service's own log was set back or changed."""


def seal_heads(database: Database, signer: SignerLink) -> int:
    """Add a leaf for every changed head, have the log signed, and store its checkpoints.

    One run at a time over all processes: two at once would send the same leaves twice, and the signer would refuse.

    Returns:
        The number of leaves of the log.

    Raises:
        SignerAwayError: No signer answers, or another process takes too long; the next call sends what is waiting.
        SigningRefusedError: The signer refuses to sign.
        SetBackError: A chain or the log was set back.
    """
    try:
        with turn(database.engine, signer.patience_s):
            return _seal_heads(database, signer)
    except TurnTakenError as error:
        raise SignerAwayError(f"signer = {signer.path}; {error}") from error


def _seal_heads(database: Database, signer: SignerLink) -> int:
    origin, signed, newest = signer.state()
    _fetch_notes(database, signer, origin, newest)
    with database.writing(is_shown=False) as session:
        size, chains = _note_heads(session, origin, signed)
    for first in range(signed, size, BATCH):
        with database.reading() as session:
            signer.extend(first, [leaf for _, leaf in leaves_of(session, origin, first, min(size, first + BATCH))])
    signer.sign(chains)
    _fetch_notes(database, signer, origin, newest + 1)
    keep_subtrees(database, origin)
    return size


def note_heads(session: Session, origin: str, *, signed: int = 0) -> int:
    """Add a leaf for each chain whose head changed.

    Args:
        session: A transaction.
        origin: The log.
        signed: The number of leaves that its signer has signed.

    Returns:
        The number of leaves afterwards.

    Raises:
        SetBackError: A chain or the log was set back, or a chain was sealed again.
    """
    return _note_heads(session, origin, signed)[0]


def _note_heads(session: Session, origin: str, signed: int) -> tuple[int, int]:
    """Add the leaves; returns the number of leaves of the log, and the number of chains.

    Chains are counted among the heads that were read: on PostgreSQL another process may begin one a moment later.
    """
    last = session.scalar(select(func.max(TreeLeaf.number)).where(TreeLeaf.origin == origin))
    size = 0 if last is None else last + 1
    if size < signed:
        raise SetBackError(f"the log {origin}: {signed} leaves were signed, and the database has {size}")
    heads = _heads(session, origin)
    for head, seq, seal in heads:
        if seq is None or head.seq > seq:
            session.add(TreeLeaf(origin=origin, number=size, chain=head.chain, seq=head.seq, seal=head.seal))
            size += 1
        elif (head.seq, head.seal) != (seq, seal):
            raise SetBackError(
                f"{head.chain}: ends at line {head.seq}; line {seq} was noted before, or had another seal"
            )
    return size, len(heads)


def _heads(session: Session, origin: str) -> list[tuple[ChainHead, int | None, str | None]]:
    """Every chain's head with the line number and seal of its last leaf."""
    other = aliased(TreeLeaf)
    last = select(func.max(other.number)).where(other.chain == ChainHead.chain, other.origin == origin)
    joined = and_(TreeLeaf.origin == origin, TreeLeaf.number == last.correlate(ChainHead).scalar_subquery())
    wanted = select(ChainHead, TreeLeaf.seq, TreeLeaf.seal).outerjoin(TreeLeaf, joined).order_by(ChainHead.chain)
    return [(head, seq, seal) for head, seq, seal in session.execute(wanted)]


def _fetch_notes(database: Database, signer: SignerLink, origin: str, newest: int) -> None:
    with database.reading() as session:
        have = session.scalar(select(func.max(CheckpointRow.number)).where(CheckpointRow.origin == origin)) or 0
    while have < newest:
        notes = signer.notes(have)
        with database.writing(is_shown=False) as session:
            for number, note in enumerate(notes, start=have + 1):
                session.add(CheckpointRow(origin=origin, number=number, note=note))
        have += len(notes)
        if not notes:
            return
