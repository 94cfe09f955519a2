"""Who may import whom."""

from __future__ import annotations

import sys
from importlib.metadata import packages_distributions

import pytest

from tests.house.source_tree import PACKAGES, SourceFile, roots, source_files, without_errors

ALLOWED_OF_OURS: dict[str, set[str]] = {
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
MEETING_PLACES = {
    "service/card_lines.py", "service/interpreter.py", "service/pipeline.py", "service/wager_lines.py",
    "service/wiring.py",
}  # fmt: skip
"""Where seeing and meaning are joined: it translates, carries, builds. Catching errors is no meeting."""
TRAINING_ONLY = {"torch", "torchvision", "ultralytics", "onnx", "onnxslim"}
FLEET_ONLY = {"ray", "fsspec"}
FOREIGN = {
    "rules": {"yaml"},
    "calibration": {"cv2", "numpy", "scipy", "yaml"},
    "vision": {"av", "cv2", "numpy", "onnxruntime", "scipy", "yaml"},
}
"""All that these packages may use besides the standard library."""


def ours(file: SourceFile) -> set[str]:
    """The packages of ours, other than its own, that a file imports."""
    return (set(file.imported_roots()) & {*PACKAGES, "tests"}) - {file.package}


def allowed_to(file: SourceFile) -> set[str]:
    """The packages of ours, other than its own, that a file may import."""
    allowed = set(ALLOWED_OF_OURS[file.package])
    if file.path.startswith(SCENARIO_SCRIPT):
        allowed.add("rules")
    if file.path.startswith(COMMANDS):
        allowed |= {"datasets", "models"}
    return allowed


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_of_ours_follow_the_directions(package: str) -> None:
    wrong = {file.path: ours(file) - allowed_to(file) for file in source_files(package)}
    assert {path: names for path, names in wrong.items() if names} == {}


@pytest.mark.parametrize("package", FOREIGN)
def test_imports_of_others_are_those_a_package_may_use(package: str) -> None:
    known = FOREIGN[package] | set(PACKAGES) | sys.stdlib_module_names
    wrong = {file.path: file.imported_roots() - known for file in source_files(package)}
    assert {path: names for path, names in wrong.items() if names} == {}


def test_training_libraries_are_imported_by_training_alone() -> None:
    users = {file.path for file in source_files(*PACKAGES) if file.imported_roots() & TRAINING_ONLY}
    assert {path for path in users if not path.startswith("models/")} == set()


def test_libraries_of_the_fleet_are_imported_when_called() -> None:
    users = {file.path for file in source_files(*PACKAGES) if roots(file.modules_imported_at_once()) & FLEET_ONLY}
    assert users == set()


def test_seeing_and_meaning_meet_in_one_place() -> None:
    joiners = {
        file.path
        for file in source_files("service")
        if {"vision", "rules"} <= roots(without_errors(file.imported_modules()))
    }
    assert joiners - MEETING_PLACES == set()


def test_commands_reach_datasets_and_models_only_when_called() -> None:
    at_once = {
        file.path: roots(without_errors(file.modules_imported_at_once())) & {"datasets", "models"}
        for file in source_files("service")
    }
    assert {path: names for path, names in at_once.items() if names} == {}


def test_no_two_packages_import_each_other() -> None:
    edges = {(file.package, other) for file in source_files(*PACKAGES) for other in ours(file)}
    assert {(one, other) for one, other in edges if (other, one) in edges} == set()


def test_no_installed_distribution_provides_our_package_names() -> None:
    providers = packages_distributions()
    others = {name: sorted(set(providers.get(name, [])) - {"thirdcard"}) for name in (*PACKAGES, "tests")}
    assert {name: found for name, found in others.items() if found} == {}
