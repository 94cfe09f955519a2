"""Names that say nothing are not used, and libraries keep quiet."""

from __future__ import annotations

import ast
import re
from collections import Counter

from tests.house.source_tree import PACKAGES, source_files
from tests.repository import ROOT

EMPTY_FILE_NAMES = {"utils", "util", "helpers", "helper", "common", "core", "base", "misc", "tools", "stuff", "manager"}
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "misc", "stuff"}
QUIET_PACKAGES = ("rules", "calibration", "vision")
CLOCKS = {("time", "time"), ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
CLOCK_OWNER = "service/ports/clock.py"
MOST_FILES_OF_A_NAME = 3
LARGEST_WEIGHTS_BYTES = 20 * 10**6

Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def test_file_names_say_something() -> None:
    paths = [file.path for file in source_files(*PACKAGES, "tests")]
    assert [path for path in paths if EMPTY_FILE_NAMES & set(re.split(r"[/_.]", path))] == []


def test_names_within_files_say_something() -> None:
    empty = [
        f"{file.path}:{node.lineno} {node.name}"
        for file in source_files(*PACKAGES, "tests")
        for node in file.nodes
        if isinstance(node, Named) and EMPTY_WORDS & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", node.name)}
    ]
    assert empty == []


def test_libraries_never_print() -> None:
    prints = [
        f"{file.path}:{node.lineno}"
        for file in source_files(*QUIET_PACKAGES)
        for node in file.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert prints == []


def test_the_time_of_day_is_read_in_one_place() -> None:
    reads = [
        f"{file.path}:{node.lineno}"
        for file in source_files(*PACKAGES)
        if file.path != CLOCK_OWNER
        for node in file.nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if (node.value.id, node.attr) in CLOCKS
    ]
    assert reads == []


def test_shipped_weights_stay_small() -> None:
    weights = list((ROOT / "models").rglob("*.onnx"))
    assert sum(path.stat().st_size for path in weights) < LARGEST_WEIGHTS_BYTES


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for file in source_files(*PACKAGES):
        for node in file.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(file.path)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_file_name_stands_for_many_things() -> None:
    names = Counter(file.path.rpartition("/")[2] for file in source_files(*PACKAGES))
    for name in ("__init__.py", "errors.py"):
        del names[name]
    assert {name: count for name, count in names.items() if count > MOST_FILES_OF_A_NAME} == {}
