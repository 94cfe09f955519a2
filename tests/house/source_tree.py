"""Find and parse the project's own Python files."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from tests.repository import ROOT

NAME = "thirdcard"
"""The one package that is installed."""
PACKAGES = ("rules", "calibration", "vision", "models", "datasets", "service")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One Python file and its syntax tree."""

    path: str
    """The path from the root, with slashes."""
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]
    """Every node of the tree."""

    @property
    def package(self) -> str:
        """The package or folder it belongs to."""
        return self.path.split("/")[0]

    @property
    def room(self) -> str:
        """The package and the sub-package, or the package and the module directly in it."""
        parts = self.path.removesuffix(".py").removesuffix("/__init__").split("/")
        return ".".join(parts[:2]) if self.package != "calibration" else self.package

    @property
    def module(self) -> str:
        """The name by which it is imported."""
        name = self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return name if self.package == "tests" else f"{NAME}.{name}"

    def imported_modules(self) -> frozenset[str]:
        """Every module that it imports, anywhere in the file; for a name in a package, the package."""
        return frozenset(name for node in self.nodes for name in _imported_by(node))

    def imported_names(self) -> frozenset[str]:
        """The full names of all modules that it imports, and of all names in modules."""
        names = [
            f"{node.module}.{alias.name}"
            for node in self.nodes
            if isinstance(node, ast.ImportFrom) and node.module is not None
            for alias in node.names
        ]
        return self.imported_modules() | frozenset(names)

    def modules_imported_at_once(self) -> frozenset[str]:
        """The modules that are imported when the file is loaded."""
        return frozenset(name for node in self.tree.body for name in _imported_by(node))

    def imported_roots(self) -> frozenset[str]:
        """The first part of the name of every module that it imports."""
        return roots(self.imported_modules())


def roots(modules: Iterable[str]) -> frozenset[str]:
    """The first parts of modules' names."""
    return frozenset(name.split(".")[0] for name in modules)


def our_packages(modules: Iterable[str]) -> frozenset[str]:
    """The project's packages that modules belong to: `vision` for `thirdcard.vision.frames`; `tests` too."""
    parts = [name.split(".") for name in modules]
    inside = {part[1] for part in parts if part[0] == NAME and len(part) > 1}
    return frozenset(inside | {part[0] for part in parts if part[0] == "tests"})


def without_errors(modules: Iterable[str]) -> frozenset[str]:
    """The modules except those that only define exceptions."""
    return frozenset(name for name in modules if not name.endswith(".errors"))


def source_files(*folders: str) -> tuple[SourceFile, ...]:
    """All Python files of these folders of the root."""
    return tuple(file for folder in folders for file in _files_of(folder))


@cache
def _files_of(folder: str) -> tuple[SourceFile, ...]:
    files = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(text, filename=name)
        files.append(SourceFile(path=name, text=text, tree=tree, nodes=tuple(ast.walk(tree))))
    return tuple(files)


def _imported_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return ["." * node.level + (node.module or "")]
    return []
