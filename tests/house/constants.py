"""Count the numeric constants: `python -m tests.house.constants`.

A constant is an upper-case name at module level that stands for one or several numbers; a copy of another module's
number counts as one more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.repository import ROOT

ROOMS = ("rules", "service/interpretation", "vision")


@dataclass(frozen=True, slots=True)
class NumberConstant:
    """One named number."""

    path: str
    name: str
    value: float
    is_explained: bool
    """Whether a docstring follows it."""


def constants_of(path: Path) -> Iterator[NumberConstant]:
    """The constants of one module, in order."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for i, node in enumerate(body):
        after = body[i + 1] if i + 1 < len(body) else None
        is_explained = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        for name, value in _assigned(node):
            yield NumberConstant(path.relative_to(ROOT).as_posix(), name, value, is_explained)


def _assigned(node: ast.stmt) -> Iterator[tuple[str, float]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        return
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
    else:
        pairs = [(target, value)]
    for one, held in pairs:
        number = _number(held)
        if isinstance(one, ast.Name) and one.id.lstrip("_").isupper() and number is not None:
            yield one.id, number


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    return None


def room_constants(room: str) -> list[NumberConstant]:
    """The constants of all modules of a package."""
    return [found for path in sorted((ROOT / room).rglob("*.py")) for found in constants_of(path)]


def main() -> None:
    """Print the number of constants by package, and how many have no docstring."""
    for room in ROOMS:
        found = room_constants(room)
        bare = [one for one in found if not one.is_explained]
        print(f"{room}: {len(found)} numbers, {len(bare)} of them without a word below")
        for one in bare:
            print(f"  {one.path}: {one.name} = {one.value:g}")


if __name__ == "__main__":
    main()
