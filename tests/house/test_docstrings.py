"""Every file, public class and public function says what it is for."""

from __future__ import annotations

import ast

from tests.house.source_tree import PACKAGES, source_files

Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def test_files_begin_with_a_docstring() -> None:
    bare = [file.path for file in source_files(*PACKAGES, "tests") if not ast.get_docstring(file.tree)]
    assert bare == []


def test_public_names_have_docstrings() -> None:
    bare = [
        f"{file.path}:{node.lineno} {node.name}"
        for file in source_files(*PACKAGES)
        for node in file.tree.body
        if isinstance(node, Named) and not node.name.startswith("_") and not ast.get_docstring(node)
    ]
    assert bare == []


def test_package_files_only_list_names() -> None:
    allowed = ast.Import | ast.ImportFrom | ast.Expr | ast.Assign | ast.AnnAssign
    working = [
        f"{file.path}:{node.lineno}"
        for file in source_files(*PACKAGES)
        if file.path.endswith("__init__.py")
        for node in file.tree.body
        if not isinstance(node, allowed)
    ]
    assert working == []
