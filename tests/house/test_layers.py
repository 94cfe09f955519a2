"""Who may import whom."""

from __future__ import annotations

import sys
from importlib.metadata import packages_distributions

import pytest

from tests.house.source_tree import PACKAGES, SourceFile, roots, source_files, without_errors

ALLOWED_OF_OURS = {
    "rules": set(),
    "calibration": set(),
    "vision": {"calibration"},
    "models": {"vision", "calibration", "datasets"},
    "datasets": {"vision", "calibration"},
    "service": {"rules", "vision", "calibration"},
}
"""Besides itself."""
SCENARIO_SCRIPT = "datasets/script/"
"""May import `rules`: what happens at a table is written in the language of the table log."""
COMMANDS = ("service/cli.py", "service/commands/")
"""May reach datasets and models, when a command that needs them is called."""
MEETING_PLACES = {"service/interpreter.py", "service/pipeline.py", "service/wiring.py"}
"""Where seeing and meaning are joined: it translates, carries, builds. Catching errors is no meeting."""
TRAINING_ONLY = {"torch", "torchvision", "ultralytics", "onnx", "onnxslim"}
FOREIGN = {
    "rules": {"yaml"},
    "calibration": {"cv2", "numpy", "scipy", "yaml"},
    "vision": {"av", "cv2", "numpy", "onnxruntime", "scipy", "yaml"},
}
"""All that these packages may use besides the standard library."""

FILES = [pytest.param(file, id=file.path) for file in source_files(*PACKAGES)]


def ours(file: SourceFile) -> set[str]:
    """The packages of ours, other than its own, that a file imports."""
    return (set(file.imported_roots()) & {*PACKAGES, "tests"}) - {file.package}


@pytest.mark.parametrize("file", FILES)
def test_imports_of_ours_follow_the_directions(file: SourceFile) -> None:
    allowed = set(ALLOWED_OF_OURS[file.package])
    if file.path.startswith(SCENARIO_SCRIPT):
        allowed.add("rules")
    if file.path.startswith(COMMANDS):
        allowed |= {"datasets", "models"}
    assert ours(file) <= allowed


@pytest.mark.parametrize("file", [pytest.param(file, id=file.path) for file in source_files(*FOREIGN)])
def test_imports_of_others_are_those_a_package_may_use(file: SourceFile) -> None:
    foreign = file.imported_roots() - set(PACKAGES) - sys.stdlib_module_names
    assert foreign <= FOREIGN[file.package]


@pytest.mark.parametrize("file", FILES)
def test_training_libraries_are_imported_by_training_alone(file: SourceFile) -> None:
    if file.imported_roots() & TRAINING_ONLY:
        assert file.package == "models"


@pytest.mark.parametrize("file", [pytest.param(file, id=file.path) for file in source_files("service")])
def test_seeing_and_meaning_meet_in_one_place(file: SourceFile) -> None:
    if {"vision", "rules"} <= roots(without_errors(file.imported_modules())):
        assert file.path in MEETING_PLACES


def test_commands_reach_datasets_and_models_only_when_called() -> None:
    for file in source_files("service"):
        at_once = roots(without_errors(file.modules_imported_at_once()))
        assert not at_once & {"datasets", "models"}, file.path


def test_no_two_packages_import_each_other() -> None:
    edges = {(file.package, other) for file in source_files(*PACKAGES) for other in ours(file)}
    mutual = {(a, b) for a, b in edges if (b, a) in edges}
    assert mutual == set()


def test_no_installed_distribution_provides_our_package_names() -> None:
    providers = packages_distributions()
    others = {name: sorted(set(providers.get(name, [])) - {"thirdcard"}) for name in (*PACKAGES, "tests")}
    assert {name: found for name, found in others.items() if found} == {}
