"""Who may import whom."""

from __future__ import annotations

import sys
from importlib.metadata import packages_distributions

import pytest

from tests.house.source_tree import NAME, PACKAGES, SourceFile, our_packages, roots, source_files, without_errors
from tests.repository import ROOT

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
COMMANDS = "service/cli/"
"""May reach datasets and models, when a command that needs them is called."""
MEETING_ROOMS = {"service.interpretation", "service.watch"}
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
    return set(our_packages(file.imported_modules())) - {file.package}


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
    known = FOREIGN[package] | {NAME} | sys.stdlib_module_names
    wrong = {file.path: file.imported_roots() - known for file in source_files(package)}
    assert {path: names for path, names in wrong.items() if names} == {}


def test_training_libraries_are_imported_by_training_alone() -> None:
    users = {file.path for file in source_files(*PACKAGES) if file.imported_roots() & TRAINING_ONLY}
    assert {path for path in users if not path.startswith("models/")} == set()


def test_libraries_of_the_fleet_are_imported_when_called() -> None:
    users = {file.path for file in source_files(*PACKAGES) if roots(file.modules_imported_at_once()) & FLEET_ONLY}
    assert users == set()


def test_nothing_is_imported_by_the_name_of_its_folder_alone() -> None:
    users = {file.path for file in source_files(*PACKAGES, "tests") if file.imported_roots() & set(PACKAGES)}
    assert users == set()


def test_seeing_and_meaning_meet_in_their_rooms() -> None:
    joiners = {
        file.path
        for file in source_files("service")
        if {"vision", "rules"} <= our_packages(without_errors(file.imported_modules()))
        and file.room not in MEETING_ROOMS
    }
    assert joiners == set()


def test_commands_reach_datasets_and_models_only_when_called() -> None:
    at_once = {
        file.path: our_packages(without_errors(file.modules_imported_at_once())) & {"datasets", "models"}
        for file in source_files("service")
    }
    assert {path: names for path, names in at_once.items() if names} == {}


def test_no_two_packages_import_each_other() -> None:
    edges = {(file.package, other) for file in source_files(*PACKAGES) for other in ours(file)}
    assert {(one, other) for one, other in edges if (other, one) in edges} == set()


def test_no_other_distribution_provides_our_name() -> None:
    assert set(packages_distributions().get(NAME, [])) <= {NAME}


def test_links_lead_to_every_package_and_to_nothing_else() -> None:
    links = {path.name: path.resolve() for path in (ROOT / "src" / NAME).iterdir() if path.is_symlink()}
    assert links == {name: ROOT / name for name in PACKAGES}
