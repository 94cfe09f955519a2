"""The Merkle tree of a transparency log, hashed as RFC 6962 (section 2.1) and RFC 9162 (section 2.1.1) say.

Only what a growing log needs: leaves are added at the end, and the root over all of them is known at any time. An
inner node hashes the two largest whole trees below it, so a log of N leaves is kept as the roots of at most log2(N)
whole trees.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

HASH_BYTES = 32
"""Of SHA-256."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One chain's head at one moment."""

    chain: str
    seq: int
    """The number of the chain's last line."""
    seal: str
    """The seal of that line: SHA-256 in hexadecimal."""

    @property
    def data(self) -> bytes:
        """What is hashed: a JSON list of chain, number and seal, in UTF-8."""
        return json.dumps([self.chain, self.seq, self.seal], ensure_ascii=False, separators=(",", ":")).encode()


class Frontier:
    """A log that only grows, as the roots of the whole trees that it is made of.

    Args:
        size: How many leaves it has.
        roots: The roots of its whole trees, the largest first: one for each bit that is set in `size`.

    Raises:
        ValueError: There are more or fewer roots than `size` asks for.
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
        """The root hash over all leaves, 32 bytes; of an empty log the hash of nothing."""
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
