"""Nothing grows beyond what a reader can hold in mind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.house.source_tree import PACKAGES, SourceFile, source_files

LONGEST_FILE = 800
LONGEST_FUNCTION = 60
LONGEST_CLASS = 400
MOST_PARAMETERS = 6
MOST_PUBLIC_METHODS = 20
MOST_STATE = 12
MORE_STATE: dict[str, str] = {
    "rules/round/drawing.py Drawing": "what is known of six cards",
    "vision/cards/tracker.py CardTrack": "one card's path, side and looks, which its readers ask for one by one",
    "datasets/script/betting.py Betting": "a seat's plan and what it has put down",
    "datasets/script/director.py _Director": "one part for each act of a dealer",
}
"""Classes with more attributes of state, and the reason."""
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
    return is_test or file.path.startswith("service/cli/")


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


def state(node: ast.ClassDef) -> set[str]:
    """The attributes that a class changes while it lives: those of a frozen class, a model or an enum are values."""
    if not is_mutable(node):
        return set()
    fields = {
        part.target.id
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and is_dataclass(node)
    }
    assigned = {
        target.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
        for target in (inner,)
        if isinstance(target.value, ast.Name) and target.value.id == "self"
    }
    return fields | assigned


def is_dataclass(node: ast.ClassDef) -> bool:
    """Whether a class is made by `dataclass`."""
    return any("dataclass" in ast.dump(decorator) for decorator in node.decorator_list)


def is_mutable(node: ast.ClassDef) -> bool:
    """Whether a class has state: no frozen dataclass, and nothing that a framework declares."""
    is_frozen = any("keyword(arg='frozen'" in ast.dump(decorator) for decorator in node.decorator_list)
    return not is_frozen and not (node.bases and not is_dataclass(node) and not has_constructor(node))


def has_constructor(node: ast.ClassDef) -> bool:
    """Whether a class has an `__init__` of its own."""
    return any(isinstance(part, Function) and part.name == "__init__" for part in node.body)


def test_classes_have_little_state() -> None:
    counts = {
        f"{file.path} {node.name}": len(state(node)) for file in source_files(*PACKAGES) for node in classes(file)
    }
    assert {name: count for name, count in counts.items() if count > MOST_STATE and name not in MORE_STATE} == {}
    assert {name for name in MORE_STATE if counts.get(name, 0) <= MOST_STATE} == set()
