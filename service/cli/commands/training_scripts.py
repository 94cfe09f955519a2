"""Pass arguments to a training script, which has its own options and needs its own libraries."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec

import typer

from thirdcard.service.ports.errors import ServiceError

NEEDED = ("torch", "onnx")
OPENCV = ("opencv-python", "opencv-contrib-python", "opencv-python-headless", "opencv-contrib-python-headless")
"""Distributions that all install into the folder `cv2`: with two of them, neither is complete."""


class TrainingMissingError(ServiceError):
    """A library for training is missing or wrongly installed."""


class TrainingRefusedError(ServiceError):
    """The training script refused its arguments; the text says why in one line."""


def run_script(module: str, arguments: Sequence[str]) -> None:
    """Call the script's `main`, and exit with its status.

    Raises:
        TrainingMissingError: Libraries are missing, or OpenCV is installed twice.
        TrainingRefusedError: The script refuses its arguments.
    """
    if not {"--help", "-h"} & set(arguments):
        _check_libraries()
    from thirdcard.models.errors import ModelsError

    try:
        status = importlib.import_module(module).main(list(arguments))
    except ModelsError as error:
        raise TrainingRefusedError(str(error)) from error
    if isinstance(status, int) and status:
        raise typer.Exit(status)


def _check_libraries() -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise TrainingMissingError(
            f"{', '.join(missing)} not installed; `make train-setup` makes .venv-train for training"
        )
    found = opencv_distributions()
    if len(found) > 1:
        raise TrainingMissingError(
            f"{' and '.join(found)} are installed; must be one alone: `make train-setup` makes a .venv-train with one"
        )


def opencv_distributions(find: Callable[[str], object] = distribution) -> list[str]:
    """The installed OpenCV distributions, by pip's records."""
    found = []
    for name in OPENCV:
        try:
            find(name)
        except PackageNotFoundError:
            continue
        found.append(name)
    return found
