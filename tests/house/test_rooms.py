"""Which room may open which: `rooms.yaml` is the table, and no imports run in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import pytest
import yaml

from tests.house.source_tree import NAME, PACKAGES, SourceFile, source_files
from tests.repository import ROOT

Graph = Mapping[str, set[str]]


@cache
def modules() -> dict[str, SourceFile]:
    """Every file of the house by the name it is imported by."""
    return {file.module: file for file in source_files(*PACKAGES)}


def opened_by(file: SourceFile) -> set[str]:
    """The modules of ours that a file imports, itself left out."""
    names = {name for name in file.imported_names() if name.startswith(f"{NAME}.")}
    found = {name if name in modules() else name.rpartition(".")[0] for name in names}
    packages = {name for name in found if any(other.startswith(f"{name}.") for other in names if other in modules())}
    return (found & set(modules())) - packages - {file.module}


@cache
def files_graph() -> dict[str, set[str]]:
    """Every module and the modules that it imports."""
    return {name: opened_by(file) for name, file in modules().items()}


@cache
def rooms_graph() -> dict[str, set[str]]:
    """Every room and the rooms that its files open."""
    rooms: dict[str, set[str]] = {}
    for name, others in files_graph().items():
        own = modules()[name].room
        rooms.setdefault(own, set()).update(modules()[other].room for other in others)
    return {room: others - {room} for room, others in rooms.items()}


@cache
def table() -> dict[str, set[str]]:
    """The table: each room and the rooms that it may open."""
    written = yaml.safe_load((ROOT / "tests" / "house" / "rooms.yaml").read_text(encoding="utf-8"))
    return {room: set(others) for room, others in written.items()}


def circles(graph: Graph) -> list[list[str]]:
    """Groups that reach each other (Tarjan's strongly connected components of more than one member)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return found


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_no_files_import_in_a_circle() -> None:
    assert circles(files_graph()) == []


def test_no_rooms_open_each_other_in_a_circle() -> None:
    assert circles(rooms_graph()) == []


def test_the_table_allows_no_circle() -> None:
    assert circles(table()) == []


@pytest.mark.parametrize("room", sorted(rooms_graph()))
def test_a_room_opens_what_the_table_allows(room: str) -> None:
    assert rooms_graph()[room] - table().get(room, set()) == set()


def test_the_table_names_nothing_that_is_not_used() -> None:
    unused = {room: others - rooms_graph().get(room, set()) for room, others in table().items()}
    assert {room: others for room, others in unused.items() if others} == {}


def loose_files() -> Iterator[str]:
    """Files of `service` that stand in no room."""
    for file in source_files("service"):
        if file.path.count("/") == 1 and file.path != "service/__init__.py":
            yield file.path


def test_no_file_is_loose_in_service() -> None:
    assert list(loose_files()) == []
