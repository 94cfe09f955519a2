"""Every leaf of logs of all small sizes is proven, and nothing else is."""

from __future__ import annotations

import pytest

from thirdcard.service.sealing.inclusion import inclusion_path, root_of_path
from thirdcard.service.sealing.merkle import Frontier

SIZES = range(1, 35)


def leaves_of(size: int) -> list[bytes]:
    return [f"leaf {number}".encode() for number in range(size)]


def root_of(leaves: list[bytes]) -> bytes:
    tree = Frontier()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root()


def path_of(leaves: list[bytes], number: int) -> list[bytes]:
    return inclusion_path(number, len(leaves), lambda first, size: root_of(leaves[first : first + size]))


@pytest.mark.parametrize("size", SIZES)
def test_proof_of_every_leaf_leads_to_the_root(size: int) -> None:
    leaves = leaves_of(size)
    for number, data in enumerate(leaves):
        assert root_of_path(data, number, size, path_of(leaves, number)) == root_of(leaves)


@pytest.mark.parametrize("size", [2, 7, 8, 33])
def test_proof_is_of_that_leaf_at_that_place_only(size: int) -> None:
    leaves = leaves_of(size)
    for number in range(size):
        path = path_of(leaves, number)
        assert root_of_path(b"another", number, size, path) != root_of(leaves)
        for other in set(range(size)) - {number}:
            try:
                found = root_of_path(leaves[number], other, size, path)
            except ValueError:
                continue
            assert found != root_of(leaves)


def test_proof_of_the_wrong_length_is_refused() -> None:
    leaves = leaves_of(7)
    path = path_of(leaves, 2)
    with pytest.raises(ValueError, match="too few"):
        root_of_path(leaves[2], 2, 7, path[:-1])
    with pytest.raises(ValueError, match="too many"):
        root_of_path(leaves[2], 2, 7, [*path, path[0]])


def test_leaf_that_is_not_there_has_no_proof() -> None:
    with pytest.raises(ValueError, match="leaf = 3; must be 0 to 2"):
        path_of(leaves_of(3), 3)
