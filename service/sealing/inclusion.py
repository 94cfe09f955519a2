"""Proofs that a leaf is in a log, as RFC 6962 (section 2.1.1) and RFC 9162 (section 2.1.3) have them.

A proof is the hashes beside the way from a leaf to the root, the nearest first: whoever has the leaf, its number, the
log's size and the root needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thirdcard.service.sealing.merkle import Frontier, hash_leaf, hash_node


def inclusion_path(leaves: Iterable[bytes], number: int, size: int) -> list[bytes]:
    """The hashes beside a leaf's way to the root.

    Args:
        leaves: What is hashed of each leaf from the first on, in order; no more than `size` are read.
        number: The leaf, from 0.
        size: How many leaves the log has.

    Raises:
        ValueError: There is no such leaf, or there are fewer leaves.
    """
    if not 0 <= number < size:
        raise ValueError(f"leaf = {number}; must be 0 to {size - 1}")
    following = iter(leaves)
    return _path(following, number, size)[0]


def root_of_path(data: bytes, number: int, size: int, path: Iterable[bytes]) -> bytes:
    """The root to which a leaf's proof leads (RFC 9162, section 2.1.3.2).

    Raises:
        ValueError: The proof has too few hashes, or too many.
    """
    node, beside, last = hash_leaf(data), number, size - 1
    for other in path:
        if last == 0:
            raise ValueError("the proof has too many hashes")
        if beside & 1 or beside == last:
            node = hash_node(other, node)
            while not beside & 1 and beside:
                beside, last = beside >> 1, last >> 1
        else:
            node = hash_node(node, other)
        beside, last = beside >> 1, last >> 1
    if last:
        raise ValueError("the proof has too few hashes")
    return node


def _path(leaves: Iterator[bytes], number: int | None, size: int) -> tuple[list[bytes], bytes]:
    """The proof of a leaf among the next `size`, and the root over them; None: no leaf of these is asked for."""
    if number is None:
        return [], _root(leaves, size)
    if size == 1:
        return [], hash_leaf(_next(leaves))
    half = 1 << (size - 1).bit_length() - 1
    left, left_root = _path(leaves, number if number < half else None, half)
    right, right_root = _path(leaves, number - half if number >= half else None, size - half)
    path = [*left, right_root] if number < half else [*right, left_root]
    return path, hash_node(left_root, right_root)


def _root(leaves: Iterator[bytes], size: int) -> bytes:
    tree = Frontier()
    for _ in range(size):
        tree.add(_next(leaves))
    return tree.root()


def _next(leaves: Iterator[bytes]) -> bytes:
    try:
        return next(leaves)
    except StopIteration as error:
        raise ValueError("the log has fewer leaves") from error
