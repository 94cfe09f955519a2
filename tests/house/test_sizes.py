"""Nothing grows beyond what a reader can hold in mind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.house.source_tree import PACKAGES, SourceFile, source_files

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
LONGEST_CLASS = 250
MOST_PARAMETERS = 6
MOST_PUBLIC_METHODS = 20
SHARE_OF_SHORT_FUNCTIONS = 0.95
SHORT_FUNCTION = 35

Function = ast.FunctionDef | ast.AsyncFunctionDef
FILES = [pytest.param(file, id=file.path) for file in source_files(*PACKAGES, "tests")]


def functions(file: SourceFile) -> Iterator[Function]:
    """Every function and method of a file."""
    for node in ast.walk(file.tree):
        if isinstance(node, Function):
            yield node


def length(node: Function | ast.ClassDef) -> int:
    """Lines of a body, its docstring apart."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if not body:
        return 0
    last = body[-1].end_lineno
    assert last is not None
    return last - body[0].lineno + 1


def parameters(node: Function) -> list[str]:
    """A function's parameters, without self and cls."""
    arguments = node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


def is_fixture_or_case(file: SourceFile, node: Function) -> bool:
    """Whether a test framework fills in the parameters."""
    return file.package == "tests" and bool(node.decorator_list or node.name.startswith("test_"))


def is_command(file: SourceFile) -> bool:
    """Whether a file declares commands, whose parameters are the command line's options."""
    return file.path.startswith("service/commands/") or file.path == "service/cli.py"


@pytest.mark.parametrize("file", FILES)
def test_file_is_short_enough(file: SourceFile) -> None:
    assert len(file.text.splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("file", FILES)
def test_functions_are_short_enough(file: SourceFile) -> None:
    too_long = {
        f"{node.name}:{node.lineno}": length(node) for node in functions(file) if length(node) > LONGEST_FUNCTION
    }
    assert too_long == {}


@pytest.mark.parametrize("file", FILES)
def test_classes_are_small_enough(file: SourceFile) -> None:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.ClassDef):
            public = [part.name for part in node.body if isinstance(part, Function) and not part.name.startswith("_")]
            assert length(node) <= LONGEST_CLASS, node.name
            assert len(public) <= MOST_PUBLIC_METHODS, node.name


@pytest.mark.parametrize("file", FILES)
def test_functions_take_few_parameters(file: SourceFile) -> None:
    too_many = {
        f"{node.name}:{node.lineno}": len(parameters(node))
        for node in functions(file)
        if len(parameters(node)) > MOST_PARAMETERS and not is_command(file) and not is_fixture_or_case(file, node)
    }
    assert too_many == {}


def test_nearly_all_functions_are_short() -> None:
    lengths = [length(node) for file in source_files(*PACKAGES) for node in functions(file)]
    short = sum(1 for lines in lengths if lines <= SHORT_FUNCTION)
    assert short >= SHARE_OF_SHORT_FUNCTIONS * len(lengths)
