"""Roots of whole subtrees of the log over all chains, stored so that a proof reads hundreds of hashes, not every leaf.

Like the tiles of transparency logs (c2sp.org/tlog-tiles), these are every eighth level of the tree: the roots over 256
leaves, over 256 of these, and so on. Nothing relies on them: `thirdcard verify` reads every leaf, and a proof made with
them that does not lead to the signed root is made again from the leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.service.sealing.inclusion import inclusion_path
from thirdcard.service.sealing.merkle import Frontier, Leaf, hash_leaf, hash_node
from thirdcard.service.store.database import Database
from thirdcard.service.store.sealing_schema import SubtreeRow, TreeLeaf

STEP = 8
"""Levels from one kept level to the next: 256 nodes under each, as tlog-tiles have it."""
HIGHEST = 32
"""The highest kept level, in levels above the leaves: 4 billion leaves."""
AT_ONCE = 200
"""Subtrees stored in one transaction: 51,200 leaves are read and hashed for them, about 0.3 s."""
BATCH = 10_000
"""The number of leaves read, or sent to the signer, at once: about 1 MB of JSON."""
LEVELS = range(STEP, HIGHEST + 1, STEP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtrees:
    """The log of one origin.

    Args:
        session: A transaction.
        origin: The log.
        is_kept_used: Whether stored roots are used; otherwise every root is computed from the leaves.
    """

    session: Session
    origin: str
    is_kept_used: bool = True

    def path(self, number: int, size: int) -> list[bytes]:
        """The sibling hashes on the path from a leaf to the root over the first `size` leaves, nearest first.

        Raises:
            ValueError: There is no such leaf, or there are fewer leaves.
        """
        return inclusion_path(number, size, self.root)

    def root(self, first: int, size: int) -> bytes:
        """The root over `size` leaves from leaf `first` on; `first` is a multiple of the next power of two.

        Raises:
            ValueError: There are fewer leaves.
        """
        whole = 1 << size.bit_length() - 1
        left = self._whole(first, whole.bit_length() - 1)
        return left if whole == size else hash_node(left, self.root(first + whole, size - whole))

    def _whole(self, first: int, height: int) -> bytes:
        """The root of a complete subtree: from the stored roots below it if all exist, else from its leaves."""
        level = min(height // STEP * STEP, HIGHEST) if self.is_kept_used else 0
        roots = self._kept(level, first >> level, 1 << height - level) if level else ()
        if len(roots) != 1 << height - level:
            return self._from_leaves(first, 1 << height)
        return _fold(roots)

    def _kept(self, level: int, first: int, count: int) -> Sequence[bytes]:
        wanted = select(SubtreeRow.root).where(SubtreeRow.origin == self.origin, SubtreeRow.level == level)
        wanted = wanted.where(SubtreeRow.number >= first, SubtreeRow.number < first + count)
        return [bytes.fromhex(root) for root in self.session.scalars(wanted.order_by(SubtreeRow.number))]

    def _from_leaves(self, first: int, size: int) -> bytes:
        tree = Frontier()
        for _, leaf in leaves_of(self.session, self.origin, first, first + size):
            tree.add(leaf.data)
        if tree.size != size:
            raise ValueError(f"the log has fewer leaves: {tree.size} of the {size} from {first} on")
        return tree.root()


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


def keep_subtrees(database: Database, origin: str) -> None:
    """Store the roots of the subtrees completed since the last call, in short transactions."""
    for level in LEVELS:
        while _keep_some(database, origin, level) == AT_ONCE:
            pass


def _keep_some(database: Database, origin: str, level: int) -> int:
    """Store the next subtrees of a level, at most 200; returns how many."""
    with database.reading() as session:
        first = _next_number(session, origin, level)
        roots = list(_following(session, origin, level, first))
    if roots:
        with database.writing(is_shown=False) as session:
            if _next_number(session, origin, level) == first:
                session.add_all(
                    SubtreeRow(origin=origin, level=level, number=number, root=root.hex())
                    for number, root in enumerate(roots, start=first)
                )
    return len(roots)


def _next_number(session: Session, origin: str, level: int) -> int:
    wanted = select(func.max(SubtreeRow.number)).where(SubtreeRow.origin == origin, SubtreeRow.level == level)
    last = session.scalar(wanted)
    return 0 if last is None else last + 1


def _following(session: Session, origin: str, level: int, first: int) -> Iterator[bytes]:
    """The roots of the next complete subtrees of a level, from the roots eight levels below."""
    nodes = _below(session, origin, level - STEP, first << STEP, first + AT_ONCE << STEP)
    while len(group := list(islice(nodes, 1 << STEP))) == 1 << STEP:
        yield _fold(group)


def _below(session: Session, origin: str, level: int, first: int, end: int) -> Iterator[bytes]:
    if not level:
        return (hash_leaf(leaf.data) for _, leaf in leaves_of(session, origin, first, end))
    wanted = select(SubtreeRow.root).where(SubtreeRow.origin == origin, SubtreeRow.level == level)
    wanted = wanted.where(SubtreeRow.number >= first, SubtreeRow.number < end).order_by(SubtreeRow.number)
    return (bytes.fromhex(root) for root in session.scalars(wanted))


def _fold(nodes: Sequence[bytes]) -> bytes:
    """The root over adjacent nodes; their number is a power of two."""
    while len(nodes) > 1:
        nodes = [hash_node(left, right) for left, right in zip(nodes[::2], nodes[1::2], strict=True)]
    return nodes[0]
