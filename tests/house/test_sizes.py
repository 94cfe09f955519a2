"""Nothing grows beyond what a reader can hold in mind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.house.source_tree import PACKAGES, SourceFile, source_files

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
LONGEST_CLASS = 250
MOST_PARAMETERS = 6
MOST_PUBLIC_METHODS = 20
SHARE_OF_SHORT_FUNCTIONS = 0.95
SHORT_FUNCTION = 35

Function = ast.FunctionDef | ast.AsyncFunctionDef
FILES = source_files(*PACKAGES, "tests")


def functions(file: SourceFile) -> Iterator[Function]:
    """Every function and method of a file."""
    for node in file.nodes:
        if isinstance(node, Function):
            yield node


def classes(file: SourceFile) -> Iterator[ast.ClassDef]:
    """Every class of a file."""
    for node in file.nodes:
        if isinstance(node, ast.ClassDef):
            yield node


def place(file: SourceFile, node: Function | ast.ClassDef) -> str:
    """Where something stands."""
    return f"{file.path}:{node.lineno} {node.name}"


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


def is_filled_in_by_a_framework(file: SourceFile, node: Function) -> bool:
    """Whether the parameters are fixtures and cases of a test, or the options of a command."""
    is_test = file.package == "tests" and bool(node.decorator_list or node.name.startswith("test_"))
    return is_test or file.path.startswith(("service/commands/", "service/cli.py"))


def test_files_are_short_enough() -> None:
    lines = {file.path: len(file.text.splitlines()) for file in FILES}
    assert {path: count for path, count in lines.items() if count > LONGEST_FILE} == {}


def test_functions_are_short_enough() -> None:
    lengths = {place(file, node): length(node) for file in FILES for node in functions(file)}
    assert {name: count for name, count in lengths.items() if count > LONGEST_FUNCTION} == {}


def test_nearly_all_functions_are_short() -> None:
    lengths = [length(node) for file in source_files(*PACKAGES) for node in functions(file)]
    short = sum(1 for count in lengths if count <= SHORT_FUNCTION)
    assert short >= SHARE_OF_SHORT_FUNCTIONS * len(lengths)


def test_classes_are_small_enough() -> None:
    lengths = {place(file, node): length(node) for file in FILES for node in classes(file)}
    assert {name: count for name, count in lengths.items() if count > LONGEST_CLASS} == {}


def test_classes_have_few_public_methods() -> None:
    methods = {
        place(file, node): sum(isinstance(part, Function) and not part.name.startswith("_") for part in node.body)
        for file in FILES
        for node in classes(file)
    }
    assert {name: count for name, count in methods.items() if count > MOST_PUBLIC_METHODS} == {}


def test_functions_take_few_parameters() -> None:
    counts = {
        place(file, node): len(parameters(node))
        for file in FILES
        for node in functions(file)
        if not is_filled_in_by_a_framework(file, node)
    }
    assert {name: count for name, count in counts.items() if count > MOST_PARAMETERS} == {}
