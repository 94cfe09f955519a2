"""Proofs that lines of chains were signed, for somebody without the database: lines, a leaf, its path to a signed root.

A line is proven by the first leaf that covers it: all lines from it to that leaf's line are needed, since each seal
includes the one before. The proof is a mapping that is written as JSON; `docs/security.md` describes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.sealing.checkpoint import Checkpoint, SealError, SignedNote, VerifierKey, parse_note
from thirdcard.service.sealing.inclusion import root_of_path
from thirdcard.service.sealing.merkle import Leaf
from thirdcard.service.sealing.subtrees import Subtrees
from thirdcard.service.store import chain
from thirdcard.service.store.schema import ChainLine
from thirdcard.service.store.sealing_schema import CheckpointRow, TreeLeaf

FORMAT = 1
MOST_LINES = 500
"""The most lines of a chain in one proof: with 5 minutes between signatures a busy table writes about 30."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineProof:
    """The proof of lines of one chain."""

    chain: str
    before: str
    """The seal of the line before the first."""
    lines: Sequence[tuple[int, str, str]]
    """Number, time and body of each line, in order; the last line is the leaf's."""
    checkpoint: int
    """The number of the checkpoint that covers the leaf."""
    leaf: int
    path: Sequence[bytes]

    def as_mapping(self) -> dict[str, Any]:
        """The proof as JSON values."""
        return {
            "chain": self.chain, "before": self.before, "lines": [list(line) for line in self.lines],
            "checkpoint": self.checkpoint, "leaf": self.leaf, "path": [node.hex() for node in self.path],
        }  # fmt: skip


@dataclass(slots=True)
class LineProofs:
    """Collects the proofs of several lines, with the checkpoints that they need.

    Args:
        session: A transaction.
        origin: The log.
        key: The key that must have signed the checkpoints; None accepts any key.
    """

    session: Session
    origin: str
    key: VerifierKey | None = None
    proofs: list[LineProof] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Lines that are not signed, or whose proof would be too long; in words."""
    _notes: dict[int, SignedNote] = field(default_factory=dict)

    def prove(self, name: str, lines: Iterable[int]) -> None:
        """Prove lines of a chain by their numbers."""
        covered = 0
        for seq in sorted(set(lines)):
            if seq <= covered:
                continue
            leaf = self._leaf(name, seq)
            note = None if leaf is None else self._note_covering(leaf.number)
            if leaf is None or note is None:
                self.left_out.append(f"{name}: line {seq} is not signed yet")
            elif leaf.seq - seq >= MOST_LINES:
                self.left_out.append(f"{name}: line {seq} was signed together with {leaf.seq - seq} lines behind it")
            else:
                self.proofs.append(self._proof(name, seq, leaf, note))
                covered = leaf.seq

    def as_mapping(self) -> dict[str, Any]:
        """All proofs with their checkpoints, as JSON values."""
        numbers = sorted({proof.checkpoint for proof in self.proofs})
        return {
            "format": FORMAT,
            "key": None if self.key is None else str(self.key),
            "checkpoints": {str(number): self._text(number) for number in numbers},
            "chains": [proof.as_mapping() for proof in self.proofs],
            "left_out": self.left_out,
        }

    def _leaf(self, name: str, seq: int) -> TreeLeaf | None:
        wanted = select(TreeLeaf).where(TreeLeaf.origin == self.origin, TreeLeaf.chain == name, TreeLeaf.seq >= seq)
        return self.session.scalars(wanted.order_by(TreeLeaf.number).limit(1)).first()

    def _proof(self, name: str, seq: int, leaf: TreeLeaf, note: SignedNote) -> LineProof:
        lines = list(chain.read(self.session, name, first=seq, last=leaf.seq))
        before = chain.FIRST_SEAL if seq == 1 else self._seal(name, seq - 1)
        return LineProof(
            chain=name,
            before=before,
            lines=[(line.seq, line.at.isoformat(), line.body) for line in lines],
            checkpoint=note.checkpoint.number,
            leaf=leaf.number,
            path=self._path(leaf, note.checkpoint),
        )

    def _path(self, leaf: TreeLeaf, signed: Checkpoint) -> list[bytes]:
        """The path to the signed root: by the stored subtrees where they are right, else by all leaves."""
        data = Leaf(chain=leaf.chain, seq=leaf.seq, seal=leaf.seal).data
        path = Subtrees(session=self.session, origin=self.origin).path(leaf.number, signed.size)
        if root_of_path(data, leaf.number, signed.size, path) == signed.root:
            return path
        return Subtrees(session=self.session, origin=self.origin, is_kept_used=False).path(leaf.number, signed.size)

    def _seal(self, name: str, seq: int) -> str:
        wanted = select(ChainLine.seal).where(ChainLine.chain == name, ChainLine.seq == seq)
        return self.session.scalars(wanted).one()

    def _note_covering(self, leaf: int) -> SignedNote | None:
        """The first checkpoint that covers a leaf, or the newest one where another key signed the first.

        Sizes only grow, so it is found by bisection.
        """
        low, high = 1, self._newest() + 1
        while low < high:
            middle = (low + high) // 2
            if self._note(middle).checkpoint.size > leaf:
                high = middle
            else:
                low = middle + 1
        if low > self._newest():
            return None
        first = self._note(low)
        return first if self.key is None or first.is_signed_by(self.key) else self._note(self._newest())

    def _newest(self) -> int:
        wanted = select(CheckpointRow.number).where(CheckpointRow.origin == self.origin)
        return self.session.scalars(wanted.order_by(CheckpointRow.number.desc()).limit(1)).first() or 0

    def _note(self, number: int) -> SignedNote:
        if number not in self._notes:
            self._notes[number] = parse_note(self._text(number), f"checkpoint {number}")
        return self._notes[number]

    def _text(self, number: int) -> str:
        row = self.session.get(CheckpointRow, (self.origin, number))
        if row is None:
            raise SealError(f"checkpoint {number} of {self.origin}: is missing")
        return row.note


def leaf_of_last(proof: LineProof) -> Leaf:
    """The leaf that a proof's lines lead to."""
    seal = proof.before
    for seq, at, body in proof.lines:
        seal = chain.seal_of_text(seal, proof.chain, seq, at, body)
    return Leaf(chain=proof.chain, seq=proof.lines[-1][0], seal=seal)
