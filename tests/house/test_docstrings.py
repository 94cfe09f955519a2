"""Every file, public class and public function says what it is for."""

from __future__ import annotations

import ast

import pytest

from tests.house.source_tree import PACKAGES, SourceFile, source_files

FILES = [pytest.param(file, id=file.path) for file in source_files(*PACKAGES)]
Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@pytest.mark.parametrize("file", [pytest.param(file, id=file.path) for file in source_files(*PACKAGES, "tests")])
def test_file_begins_with_a_docstring(file: SourceFile) -> None:
    assert ast.get_docstring(file.tree)


@pytest.mark.parametrize("file", FILES)
def test_public_names_have_docstrings(file: SourceFile) -> None:
    bare = [
        node.name
        for node in file.tree.body
        if isinstance(node, Named) and not node.name.startswith("_") and not ast.get_docstring(node)
    ]
    assert bare == []


@pytest.mark.parametrize("file", [file for file in FILES if str(file.id).endswith("__init__.py")])
def test_package_file_only_lists_names(file: SourceFile) -> None:
    allowed = ast.Import | ast.ImportFrom | ast.Expr | ast.Assign | ast.AnnAssign
    assert all(isinstance(node, allowed) for node in file.tree.body)
