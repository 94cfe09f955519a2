"""Publish a trained network: drafted, declared, evaluated, then copied to the house's other models.

A draft is a separate folder with a registry and weights, so that a network can be opened and measured as it will run
before anything is replaced. A model below the floors of `models/metrics.yaml` is refused. The package's own models are
written only if both their paths are given.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from thirdcard.models.errors import BelowFloorsError, ModelExportError
from thirdcard.models.onnx_metadata import facts_of, stamp
from thirdcard.vision.inference.model_spec import (
    MODELS_VARIABLE,
    REGISTRY_PATH,
    ModelSpec,
    TensorSpec,
    load_model_spec,
)

HEADER = """\
# The models that run, each as its file must be: vision/inference/model_spec.py checks them when they open.
# Inputs are RGB, 0 to 1, float32, (batch, 3, height, width), 9 for three; smaller ones where step_px is set.
# Weights: the folder weights beside this file, named by hash.
"""
LENGTHS = ("_mm", "_px")
"""Endings of figures that may not exceed their floor; all other figures may not fall below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a model goes, and whether it must reach the floors."""

    weights_dir: Path
    registry: Path
    is_examined: bool = True
    is_forced: bool = False


def add_destination(parser: argparse.ArgumentParser) -> None:
    """Add the options that `destination_of` reads."""
    parser.add_argument("--home", type=Path, help=f"the service's folder, for its models; else {MODELS_VARIABLE}")
    parser.add_argument("--weights-dir", type=Path, help="with --registry: write there instead")
    parser.add_argument("--registry", type=Path, help="with --weights-dir: the file that declares models")
    parser.add_argument("--no-exam", action="store_true", help="do not measure the model; needs --force")
    parser.add_argument("--force", action="store_true", help="export it though it is worse than models/metrics.yaml")


def destination_of(told: argparse.Namespace, environment: Mapping[str, str] = os.environ) -> Destination:
    """Return the destination that parsed arguments name.

    Raises:
        ModelExportError: They name none, or would replace the package's own models by accident.
        BelowFloorsError: The evaluation is skipped without `--force`.
    """
    if told.no_exam and not told.force:
        raise BelowFloorsError("--no-exam leaves the model unmeasured; add --force to export it all the same")
    choice = {"is_examined": not told.no_exam, "is_forced": told.force}
    if (told.weights_dir is None) != (told.registry is None):
        raise ModelExportError("--weights-dir and --registry go together: give both or neither")
    if told.registry is not None:
        return Destination(weights_dir=told.weights_dir, registry=told.registry, **choice)
    folder = environment.get(MODELS_VARIABLE) or ("" if told.home is None else str(told.home / "models"))
    if not folder:
        raise ModelExportError(
            f"where to? give --home DIR, or name a folder for the house's models in {MODELS_VARIABLE}"
        )
    if Path(folder).resolve() == REGISTRY_PATH.parent:
        raise ModelExportError(
            f"{folder}: holds the package's own models; to replace them give --weights-dir and --registry"
        )
    return Destination(weights_dir=Path(folder) / "weights", registry=Path(folder) / "registry.yaml", **choice)


class Draft:
    """A model that is not published yet; a context manager that deletes its files at the end."""

    def __init__(self, name: str, destination: Destination) -> None:
        self._name, self._destination = name, destination
        self._files = tempfile.TemporaryDirectory(prefix="thirdcard-draft-")
        self._folder = Path(self._files.name)
        (self._folder / "weights").mkdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._files.cleanup()

    @property
    def path(self) -> Path:
        """The path at which the ONNX file must be written."""
        return self._folder / "weights" / f"{self._name}.onnx"

    def declare(
        self, tensors: tuple[TensorSpec, TensorSpec], classes: Sequence[str], settings: Mapping[str, float]
    ) -> ModelSpec:
        """Return the declaration of the written file, with its input and output; may be called again with other
        settings.

        Writes the model's licence, version and classes into the file.

        Raises:
            ModelExportError: The file is not an ONNX file.
        """
        stamp(self.path, facts_of(self._name, classes))
        entry = {
            "weights": self.path.name,
            "sha256": hashlib.sha256(self.path.read_bytes()).hexdigest(),
            "input": {"name": tensors[0].name, "shape": list(tensors[0].shape)},
            "output": {"name": tensors[1].name, "shape": list(tensors[1].shape)},
            "classes": list(classes),
            "settings": dict(settings),
        }
        write_entry(self._folder / "registry.yaml", self._name, entry)
        return load_model_spec(self._name, self._folder / "registry.yaml")

    def publish(self, figures: Mapping[str, float] | None, exam: str) -> str:
        """Copy the weights, named by their hash, and enter them in the registry; return a line for the user.

        Args:
            figures: The model's figures; None if it was not evaluated.
            exam: The part of `models/metrics.yaml` with the floors.

        Raises:
            BelowFloorsError: It is below a floor, or was not evaluated, and this is not forced.
        """
        wrong = shortfalls(figures, floors_of(exam)) if figures is not None else ["not examined"]
        if wrong and not self._destination.is_forced:
            raise BelowFloorsError(f"{self._name}: {'; '.join(wrong)}: not exported; --force exports it all the same")
        entry = yaml.safe_load((self._folder / "registry.yaml").read_text(encoding="utf-8"))[self._name]
        path = self._destination.weights_dir / f"{self._name}-{entry['sha256'][:8]}.onnx"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.path, path)
        write_entry(self._destination.registry, self._name, {**entry, "weights": path.name})
        return f"{path}, declared in {self._destination.registry}" + (f" though {'; '.join(wrong)}" if wrong else "")


def floors_of(exam: str) -> dict[str, float]:
    """Return the floors of a part of `models/metrics.yaml`; figures of a class as `class.figure`."""
    floors = yaml.safe_load((REGISTRY_PATH.parent / "metrics.yaml").read_text(encoding="utf-8"))[exam]
    return {name: float(floor) for name, floor in flattened(floors).items()}


def flattened(figures: Mapping[str, Any]) -> dict[str, float]:
    """Return nested figures of classes as `class.figure`."""
    flat: dict[str, float] = {}
    for name, value in figures.items():
        flat |= {f"{name}.{k}": v for k, v in value.items()} if isinstance(value, Mapping) else {name: value}
    return flat


def shortfalls(figures: Mapping[str, float], floors: Mapping[str, float]) -> list[str]:
    """Return a line for each floor that is missed; a figure that is not a number misses every floor."""
    lines = []
    for name, floor in floors.items():
        found, is_length = figures[name], name.endswith(LENGTHS)
        if not (found <= floor if is_length else found >= floor):
            lines.append(f"{name} = {found:.4g}; must be {floor:g} or {'less' if is_length else 'more'}")
    return lines


def write_entry(registry: Path, name: str, entry: Mapping[str, Any]) -> None:
    """Add or replace one model's entry in a registry file; other entries stay as they are."""
    entries: dict[str, Any] = {}
    if registry.exists():
        entries = yaml.safe_load(registry.read_text(encoding="utf-8")) or {}
    entries[name] = dict(entry)
    text = yaml.safe_dump(entries, sort_keys=True, default_flow_style=None, width=110, allow_unicode=True)
    registry.parent.mkdir(parents=True, exist_ok=True)
    registry.write_text(HEADER + text, encoding="utf-8")
