"""Hand what was typed to a training script, which has its own options and needs its own libraries."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec

import typer

from thirdcard.service.ports.errors import ServiceError

NEEDED = ("torch", "onnx")


class TrainingMissingError(ServiceError):
    """The training extra is not installed."""


def run_script(module: str, arguments: Sequence[str]) -> None:
    """Call the script's `main`; leaves with its exit status.

    Raises:
        TrainingMissingError: The libraries it needs are not there.
    """
    asks_for_help = bool({"--help", "-h"} & set(arguments))
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing and not asks_for_help:
        raise TrainingMissingError(
            f"{', '.join(missing)} not installed; training needs the extra: pip install --editable '.[train]'"
        )
    status = importlib.import_module(module).main(list(arguments))
    if isinstance(status, int) and status:
        raise typer.Exit(status)
