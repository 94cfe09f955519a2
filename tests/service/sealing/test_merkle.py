"""The Merkle tree gives the roots that are published for RFC 6962, at every size and wherever it is taken up again."""

from __future__ import annotations

import hashlib

import pytest

from thirdcard.service.sealing.merkle import Frontier, hash_leaf, hash_node

LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
"""The test data of the Certificate Transparency project, in hexadecimal."""
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def test_roots_are_the_published_ones() -> None:
    tree, found = Frontier(), []
    for leaf in LEAVES:
        tree.add(bytes.fromhex(leaf))
        found.append(tree.root().hex())
    assert found == ROOTS


def test_empty_log_has_the_hash_of_nothing() -> None:
    assert Frontier().root() == hashlib.sha256(b"").digest()


def root_by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1: split at the largest power of two that is smaller than the size."""
    if len(leaves) == 1:
        return hash_leaf(leaves[0])
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hash_node(root_by_definition(leaves[:split]), root_by_definition(leaves[split:]))


def test_every_size_gives_the_root_of_the_definition_also_when_taken_up_again() -> None:
    leaves = [bytes([n]) for n in range(70)]
    tree = Frontier()
    for size, leaf in enumerate(leaves, start=1):
        tree = Frontier(tree.size, tree.roots)
        tree.add(leaf)
        assert tree.root() == root_by_definition(leaves[:size])


def test_frontier_of_too_few_roots_is_refused() -> None:
    with pytest.raises(ValueError, match="1 roots; 3 leaves have 2"):
        Frontier(3, [bytes(32)])
