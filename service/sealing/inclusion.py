"""Inclusion proofs of a leaf in a log, per RFC 6962 (section 2.1.1) and RFC 9162 (section 2.1.3).

A proof is the list of the sibling hashes on the path from a leaf to the root, nearest first. To check it one needs only
the leaf, its number, the log's size and the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thirdcard.service.sealing.merkle import Frontier, hash_leaf, hash_node


def inclusion_path(leaves: Iterable[bytes], number: int, size: int) -> list[bytes]:
    """The sibling hashes on the path from a leaf to the root, nearest first.

    Args:
        leaves: The data of each leaf in order, from the first; at most `size` are read.
        number: The leaf, from 0.
        size: The number of leaves of the log.

    Raises:
        ValueError: There is no such leaf, or there are fewer than `size` leaves.
    """
    if not 0 <= number < size:
        raise ValueError(f"leaf = {number}; must be 0 to {size - 1}")
    following = iter(leaves)
    return _path(following, number, size)[0]


def root_of_path(data: bytes, number: int, size: int, path: Iterable[bytes]) -> bytes:
    """The root that an inclusion proof leads to (RFC 9162, section 2.1.3.2).

    Raises:
        ValueError: The proof has too few or too many hashes.
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
    """The proof of a leaf among the next `size` leaves and the root over them; with None only the root."""
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
