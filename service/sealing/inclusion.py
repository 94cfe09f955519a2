"""Inclusion proofs of a leaf in a log, per RFC 6962 (section 2.1.1) and RFC 9162 (section 2.1.3).

A proof is the list of the sibling hashes on the path from a leaf to the root, nearest first. To check it one needs only
the leaf, its number, the log's size and the root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from thirdcard.service.sealing.merkle import hash_leaf, hash_node

RangeRoot = Callable[[int, int], bytes]
"""Maps the first leaf's number and the number of leaves to the root over these leaves."""


def inclusion_path(number: int, size: int, root_of: RangeRoot) -> list[bytes]:
    """The sibling hashes on the path from a leaf to the root, nearest first.

    Args:
        number: The leaf, from 0.
        size: The number of leaves of the log.
        root_of: Returns the roots of the sibling subtrees.

    Raises:
        ValueError: There is no such leaf.
    """
    if not 0 <= number < size:
        raise ValueError(f"leaf = {number}; must be 0 to {size - 1}")
    path: list[bytes] = []
    first = 0
    while size > 1:
        half = 1 << (size - 1).bit_length() - 1
        if number < first + half:
            path.append(root_of(first + half, size - half))
            size = half
        else:
            path.append(root_of(first, half))
            first, size = first + half, size - half
    return path[::-1]


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
