"""The Merkle tree of a transparency log, hashed per RFC 6962 (section 2.1) and RFC 9162 (section 2.1.1).

Only what an append-only log needs: leaves are added at the end, and the root over all of them is known at any time. A
log of N leaves is stored as the roots of at most log2(N) complete subtrees.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

HASH_BYTES = 32
"""The length of a SHA-256 hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """The head of one chain at one time."""

    chain: str
    seq: int
    """The number of the chain's last line."""
    seal: str
    """The seal of that line: SHA-256 in hexadecimal."""

    @property
    def data(self) -> bytes:
        """The data that is hashed: a JSON list of chain, number and seal, in UTF-8."""
        return json.dumps([self.chain, self.seq, self.seal], ensure_ascii=False, separators=(",", ":")).encode()


class Frontier:
    """An append-only log, stored as the roots of its complete subtrees.

    Args:
        size: The number of leaves.
        roots: The roots of its complete subtrees, the largest first: one for each bit set in `size`.

    Raises:
        ValueError: The number of roots does not match `size`.
    """

    def __init__(self, size: int = 0, roots: Iterable[bytes] = ()) -> None:
        self.size = size
        self.roots = list(roots)
        if len(self.roots) != size.bit_count() or any(len(root) != HASH_BYTES for root in self.roots):
            raise ValueError(f"{len(self.roots)} roots; {size} leaves have {size.bit_count()}")

    def add(self, data: bytes) -> None:
        """Add a leaf at the end."""
        node = hash_leaf(data)
        whole = self.size
        while whole & 1:
            node = hash_node(self.roots.pop(), node)
            whole >>= 1
        self.roots.append(node)
        self.size += 1

    def root(self) -> bytes:
        """The root hash over all leaves, 32 bytes; for an empty log SHA-256 of no data."""
        if not self.roots:
            return hashlib.sha256(b"").digest()
        node = self.roots[-1]
        for left in reversed(self.roots[:-1]):
            node = hash_node(left, node)
        return node


def hash_leaf(data: bytes) -> bytes:
    """SHA-256 over 0x00 and the data."""
    return hashlib.sha256(b"\x00" + data).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    """SHA-256 over 0x01 and both hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()
