"""The service's side of the log over all chains: adds a leaf for each changed chain head, and has the log signed.

Leaves are on the disk before the signer gets them, and checkpoints are fetched by number. So a kill at any time leaves
a consistent state: the next run sends what was not signed and fetches the checkpoints that are missing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session, aliased

from thirdcard.service.sealing.checkpoint import SealError
from thirdcard.service.sealing.merkle import Leaf
from thirdcard.service.sealing.signer_socket import SignerLink
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import ChainHead
from thirdcard.service.store.sealing_schema import CheckpointRow, TreeLeaf

BATCH = 10_000
"""The number of leaves sent at once."""
_TURN = threading.Lock()
"""Two runs at once would give their leaves the same numbers."""


class SetBackError(SealError):
    """The service's own log was set back or changed."""


def seal_heads(database: Database, signer: SignerLink) -> int:
    """Add a leaf for every changed head, have the log signed, and store its checkpoints; one run at a time per process.

    Returns:
        The number of leaves of the log.

    Raises:
        SignerAwayError: No signer answers; the next call sends what is waiting.
        SigningRefusedError: The signer refuses to sign.
        SetBackError: A chain or the log was set back.
    """
    with _TURN:
        return _seal_heads(database, signer)


def _seal_heads(database: Database, signer: SignerLink) -> int:
    origin, signed, newest = signer.state()
    _fetch_notes(database, signer, origin, newest)
    with database.writing(is_shown=False) as session:
        size = note_heads(session, origin, signed=signed)
        chains = session.scalar(select(func.count()).select_from(ChainHead)) or 0
    for first in range(signed, size, BATCH):
        with database.reading() as session:
            signer.extend(first, [leaf for _, leaf in leaves_of(session, origin, first, min(size, first + BATCH))])
    signer.sign(chains)
    _fetch_notes(database, signer, origin, newest + 1)
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
    last = session.scalar(select(func.max(TreeLeaf.number)).where(TreeLeaf.origin == origin))
    size = 0 if last is None else last + 1
    if size < signed:
        raise SetBackError(f"the log {origin}: {signed} leaves were signed, and the database has {size}")
    for head, seq, seal in _heads(session, origin):
        if seq is None or head.seq > seq:
            session.add(TreeLeaf(origin=origin, number=size, chain=head.chain, seq=head.seq, seal=head.seal))
            size += 1
        elif (head.seq, head.seal) != (seq, seal):
            raise SetBackError(
                f"{head.chain}: ends at line {head.seq}; line {seq} was noted before, or had another seal"
            )
    return size


def leaves_of(session: Session, origin: str, first: int = 0, end: int | None = None) -> Iterator[tuple[int, Leaf]]:
    """The leaves from number `first` up to `end` (exclusive), each with its number, in order."""
    while end is None or first < end:
        wanted = select(TreeLeaf.number, TreeLeaf.chain, TreeLeaf.seq, TreeLeaf.seal)
        wanted = wanted.where(TreeLeaf.origin == origin, TreeLeaf.number >= first)
        if end is not None:
            wanted = wanted.where(TreeLeaf.number < end)
        rows = session.execute(wanted.order_by(TreeLeaf.number).limit(BATCH)).all()
        for number, chain, seq, seal in rows:
            yield number, Leaf(chain=chain, seq=seq, seal=seal)
        if len(rows) < BATCH:
            return
        first = rows[-1][0] + 1


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
