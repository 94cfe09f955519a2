"""What must be done alike everywhere is done in one place."""

from __future__ import annotations

import ast

import pytest

from tests.house.source_tree import PACKAGES, source_files

OWNERS = {
    "AlertRow": "service/store/alert_writer.py",
    "EvidenceRow": "service/store/alert_writer.py",
    "AlertClip": "service/media/clip_span.py",
}
"""Who alone makes values of a class."""


def makers(name: str) -> set[str]:
    """The files that make values of a class."""
    return {
        file.path
        for file in source_files(*PACKAGES)
        for node in file.nodes
        if isinstance(node, ast.Call)
        and (node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", None)) == name
    }


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_one_file_alone_makes_these(name: str) -> None:
    assert makers(name) == {OWNERS[name]}
