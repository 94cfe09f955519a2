"""No statement changes recorded rows past their record: they are added, changed and deleted as objects."""

from __future__ import annotations

import ast

from tests.house.source_tree import source_files
from thirdcard.service.store.recorded_rows import RECORDED

NAMES = {kind.__name__ for kind in RECORDED}
STATEMENTS = {"update", "delete", "insert"}


def bulk_statements(tree: ast.AST) -> list[str]:
    """Calls such as `update(AlertRow)`, of recorded kinds."""
    return [
        f"{node.func.id}({node.args[0].id})"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in STATEMENTS
        if node.args and isinstance(node.args[0], ast.Name) and node.args[0].id in NAMES
    ]


def test_bulk_statements_are_recognised() -> None:
    assert bulk_statements(ast.parse("session.execute(update(AlertRow).values(state='open'))")) == ["update(AlertRow)"]
    assert bulk_statements(ast.parse("session.execute(delete(SessionRow))")) == []


def test_recorded_rows_are_changed_as_objects_only() -> None:
    found = {file.path: bulk_statements(file.tree) for file in source_files("service")}
    assert {path: statements for path, statements in found.items() if statements} == {}
