"""Names that say nothing are not used, and libraries keep quiet."""

from __future__ import annotations

import ast
import re

import pytest

from tests.house.source_tree import PACKAGES, ROOT, SourceFile, source_files

EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "core", "base", "misc", "tools", "stuff", "manager"}
QUIET_PACKAGES = ("rules", "calibration", "vision")
CLOCKS = {("time", "time"), ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
CLOCK_OWNERS = {"service/wiring.py", "tests/clocks.py"}

FILES = [pytest.param(file, id=file.path) for file in source_files(*PACKAGES, "tests")]


@pytest.mark.parametrize("file", FILES)
def test_file_name_says_something(file: SourceFile) -> None:
    parts = re.split(r"[/_.]", file.path.removesuffix(".py"))
    assert not EMPTY_NAMES & set(parts)


@pytest.mark.parametrize("file", FILES)
def test_names_within_say_something(file: SourceFile) -> None:
    named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    words = {
        word.lower()
        for node in ast.walk(file.tree)
        if isinstance(node, named)
        for word in re.findall(r"[A-Z]?[a-z]+", node.name)
    }
    assert not {"utils", "util", "helpers", "helper", "misc", "stuff"} & words


@pytest.mark.parametrize("file", [pytest.param(file, id=file.path) for file in source_files(*QUIET_PACKAGES)])
def test_libraries_never_print(file: SourceFile) -> None:
    calls = [node.func for node in ast.walk(file.tree) if isinstance(node, ast.Call)]
    assert not [call for call in calls if isinstance(call, ast.Name) and call.id == "print"]


@pytest.mark.parametrize("file", [pytest.param(file, id=file.path) for file in source_files(*PACKAGES)])
def test_the_clock_is_read_in_one_place(file: SourceFile) -> None:
    if file.path in CLOCK_OWNERS:
        return
    reads = {
        (node.value.id, node.attr)
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    assert not reads & CLOCKS


def test_shipped_weights_stay_small() -> None:
    weights = list((ROOT / "models").rglob("*.onnx"))
    assert sum(path.stat().st_size for path in weights) < 20 * 10**6
