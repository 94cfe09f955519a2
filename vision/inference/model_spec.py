"""What a model file must look like: `models/registry.yaml`, read and checked.

A model's input, outputs and class names are declared there and never guessed. Does not open the model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from thirdcard.vision.errors import ModelError

REGISTRY_PATH = Path(__file__).resolve().parents[2] / "models" / "registry.yaml"
_KEYS = frozenset({"weights", "sha256", "input", "output", "classes", "settings"})
_TENSOR_KEYS = frozenset({"name", "shape"})

_CHANNELS = (3, 6, 9)


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSpec:
    """A model's input or output."""

    name: str
    shape: tuple[int | None, ...]
    """None where any size is allowed: the batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """One model as declared. Inputs are RGB, 0 to 1, float32, (batch, 3, height, width); a model that
    compares takes 3 channels for each picture, one after another."""

    name: str
    weights: Path
    sha256: str
    input: TensorSpec
    output: TensorSpec
    classes: tuple[str, ...]
    settings: Mapping[str, float] = field(default_factory=dict)
    """Numbers that belong to these weights: thresholds, a temperature."""

    @property
    def input_hw_px(self) -> tuple[int, int]:
        """Height and width of the pictures it takes."""
        height, width = self.input.shape[2:]
        assert height is not None and width is not None
        return height, width

    def check_picture(self, shape: tuple[int, ...]) -> None:
        """Raises ModelError where it takes no picture of a shape, (height, width, channels).

        The declared size, or a smaller one where `settings` has `step_px`: any multiple of that.
        """
        whole = (*self.input_hw_px, self.channels)
        step_px = int(self.settings.get("step_px", 0))
        if shape == whole or (step_px and _is_part(shape, whole, step_px)):
            return
        smaller = f", or smaller in steps of {step_px} px" if step_px else ""
        raise ModelError(f"{self.name}: picture shape = {shape}; must be {whole}{smaller}")

    @property
    def channels(self) -> int:
        """3, or 6 of a model that compares two pictures."""
        channels = self.input.shape[1]
        assert channels is not None
        return channels

    def setting(self, key: str) -> float:
        """A number of `settings`; raises ModelError where the registry lacks it."""
        if key not in self.settings:
            raise ModelError(f"registry.yaml: {self.name}.settings.{key} is missing; must be a number")
        return float(self.settings[key])

    def check_weights(self) -> None:
        """Raises ModelError where the file is missing or is not the one declared."""
        if not self.weights.is_file():
            raise ModelError(f"{self.weights.name}: no such file; {self.name} needs it")
        found = hashlib.sha256(self.weights.read_bytes()).hexdigest()
        if found != self.sha256:
            raise ModelError(f"{self.weights.name}: sha256 = {found[:12]}...; registry.yaml says {self.sha256[:12]}...")


def load_model_spec(name: str, registry: Path = REGISTRY_PATH) -> ModelSpec:
    """Reads one model's entry of a registry; raises ModelError with the key that is wrong."""
    try:
        entries = yaml.safe_load(registry.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ModelError(f"{registry.name}: cannot be read: {error}") from error
    if not isinstance(entries, Mapping) or not isinstance(entries.get(name), Mapping):
        raise ModelError(f"{registry.name}: {name} is missing; must be a mapping")
    entry = entries[name]
    _check_keys(f"{registry.name}: {name}", entry, _KEYS, optional=frozenset({"settings"}))
    shape = _parse_tensor(f"{registry.name}: {name}.input", entry["input"])
    if len(shape.shape) != 4 or shape.shape[1] not in _CHANNELS or None in shape.shape[2:]:
        raise ModelError(
            f"{registry.name}: {name}.input.shape = {list(shape.shape)}; must be [null, 3, height, width], "
            "or 6 or 9 channels of two or three pictures"
        )
    return ModelSpec(
        name=name,
        weights=registry.parent / "weights" / str(entry["weights"]),
        sha256=str(entry["sha256"]),
        input=shape,
        output=_parse_tensor(f"{registry.name}: {name}.output", entry["output"]),
        classes=tuple(str(label) for label in entry["classes"]),
        settings=dict(entry.get("settings") or {}),
    )


def _is_part(shape: tuple[int, ...], whole: tuple[int, int, int], step_px: int) -> bool:
    is_smaller = all(0 < side <= most and side % step_px == 0 for side, most in zip(shape[:2], whole, strict=False))
    return len(shape) == 3 and is_smaller and shape[2] == whole[2]


def _check_keys(where: str, entry: Any, allowed: frozenset[str], *, optional: frozenset[str] = frozenset()) -> None:
    if not isinstance(entry, Mapping):
        raise ModelError(f"{where} = {entry!r}; must be a mapping")
    wrong = sorted(set(entry) - allowed) or sorted(allowed - optional - set(entry))
    if wrong:
        raise ModelError(f"{where}.{wrong[0]}: unknown or missing key; allowed {', '.join(sorted(allowed))}")


def _parse_tensor(where: str, entry: Any) -> TensorSpec:
    _check_keys(where, entry, _TENSOR_KEYS)
    shape = entry["shape"]
    if not isinstance(shape, list) or any(not (side is None or isinstance(side, int)) for side in shape):
        raise ModelError(f"{where}.shape = {shape!r}; must be a list of whole numbers, null for any")
    return TensorSpec(name=str(entry["name"]), shape=tuple(shape))
