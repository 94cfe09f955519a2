"""The declaration of a model file: `models/registry.yaml`, read and checked.

A model's input, outputs and class names are declared there and never guessed. A house may have models of its own: a
folder with such a file, whose entries take precedence. Does not open the model.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thirdcard.calibration.documents import parse_yaml
from thirdcard.calibration.errors import DocumentError
from thirdcard.vision.errors import ModelError

REGISTRY_PATH = Path(__file__).resolve().parents[2] / "models" / "registry.yaml"
MODELS_VARIABLE = "THIRDCARD_MODELS"
"""Environment variable that names the folder of a house's own models: a registry.yaml, and weights/."""
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
    """One model as declared.

    Inputs are RGB, 0 to 1, float32, (batch, 3, height, width); a model that compares takes 3 channels for each picture,
    one after another.
    """

    name: str
    weights: Path
    sha256: str
    input: TensorSpec
    output: TensorSpec
    classes: tuple[str, ...]
    settings: Mapping[str, float] = field(default_factory=dict)
    """Numbers that belong to these weights: thresholds, a temperature."""
    registry: Path = REGISTRY_PATH
    """The file that declares it."""

    @property
    def input_hw_px(self) -> tuple[int, int]:
        """Height and width of the pictures it takes, in px."""
        height, width = self.input.shape[2:]
        assert height is not None and width is not None
        return height, width

    def check_picture(self, shape: tuple[int, ...]) -> None:
        """Raise ModelError unless the model takes pictures of a shape, (height, width, channels).

        Allowed is the declared size or, if `settings` has `step_px`, any smaller multiple of that.
        """
        whole = (*self.input_hw_px, self.channels)
        step_px = int(self.settings.get("step_px", 0))
        if shape == whole or (step_px and _is_part(shape, whole, step_px)):
            return
        smaller = f", or smaller in steps of {step_px} px" if step_px else ""
        raise ModelError(f"{self.name}: picture shape = {shape}; must be {whole}{smaller}")

    @property
    def channels(self) -> int:
        """Number of input channels: 3 for each picture that the model takes at once."""
        channels = self.input.shape[1]
        assert channels is not None
        return channels

    def setting(self, key: str) -> float:
        """Return a number of `settings`; raise ModelError if the registry lacks it."""
        if key not in self.settings:
            raise ModelError(f"{_told(self.registry)}: {self.name}.settings.{key} is missing; must be a number")
        return float(self.settings[key])

    def check_weights(self) -> None:
        """Raise ModelError if the weights file is missing or is not the one declared."""
        where = f"{_told(self.registry)}: {self.name}"
        if not self.weights.is_file():
            raise ModelError(f"{where}.weights = {self.weights.name}: no such file; must lie in {self.weights.parent}")
        found = hashlib.sha256(self.weights.read_bytes()).hexdigest()
        if found != self.sha256:
            raise ModelError(f"{where}.sha256 = {self.sha256[:12]}...; {self.weights.name} has {found[:12]}...")


def house_registry(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the file that declares a house's own models; None if the environment names no folder.

    Raises:
        ModelError: The folder has no such file.
    """
    folder = environment.get(MODELS_VARIABLE)
    if not folder:
        return None
    registry = Path(folder) / "registry.yaml"
    if not registry.is_file():
        raise ModelError(f"{MODELS_VARIABLE} = {folder}: has no registry.yaml; must be a folder with one and weights/")
    return registry


def check_house_models(environment: Mapping[str, str] = os.environ) -> None:
    """Raise ModelError if a house's own models are declared wrongly, or their weights have another hash."""
    registry = house_registry(environment)
    if registry is not None:
        for name, entry in _house_entries(registry).items():
            _parse(name, entry, registry).check_weights()


def load_model_spec(name: str, registry: Path | None = None) -> ModelSpec:
    """Load the declaration of one model.

    Args:
        name: The model.
        registry: The file to read; None: the house's if it declares this model, else the package's.

    Raises:
        ModelError: Names the file and the key that is wrong.
    """
    if registry is None:
        of_house = house_registry()
        if of_house is not None and name in (entries := _house_entries(of_house)):
            return _parse(name, entries[name], of_house)
        registry = REGISTRY_PATH
    entries = _read(registry)
    if not isinstance(entries.get(name), Mapping):
        raise ModelError(f"{_told(registry)}: {name} is missing; must be a mapping")
    return _parse(name, entries[name], registry)


def _house_entries(registry: Path) -> Mapping[str, Any]:
    """Return all entries of a house's registry, checked: a mistake in any entry is reported at once."""
    entries, known = _read(registry), sorted(_read(REGISTRY_PATH))
    for name, entry in entries.items():
        if name not in known:
            raise ModelError(f"{_told(registry)}: {name}: unknown model; allowed {', '.join(known)}")
        _parse(name, entry, registry)
    return entries


def _read(registry: Path) -> Mapping[str, Any]:
    try:
        entries = parse_yaml(registry.read_text(encoding="utf-8"), _told(registry))
    except (OSError, UnicodeDecodeError, DocumentError) as error:
        raise ModelError(f"{_told(registry)}: cannot be read: {error}") from error
    if entries is None or isinstance(entries, Mapping):
        return entries or {}
    raise ModelError(f"{_told(registry)} = {str(entries)[:40]!r}; must be a mapping of models")


def _told(registry: Path) -> str:
    """Return the name of a registry for errors: the package's is shown without its folder."""
    return registry.name if registry == REGISTRY_PATH else str(registry)


def _parse(name: str, entry: Any, registry: Path) -> ModelSpec:
    where = f"{_told(registry)}: {name}"
    _check_keys(where, entry, _KEYS, optional=frozenset({"settings"}))
    shape = _parse_tensor(f"{where}.input", entry["input"])
    if len(shape.shape) != 4 or shape.shape[1] not in _CHANNELS or None in shape.shape[2:]:
        raise ModelError(
            f"{where}.input.shape = {list(shape.shape)}; must be [null, 3, height, width], "
            "or 6 or 9 channels of two or three pictures"
        )
    return ModelSpec(
        name=name,
        weights=registry.parent / "weights" / _parse_text(f"{where}.weights", entry["weights"]),
        sha256=_parse_text(f"{where}.sha256", entry["sha256"]),
        input=shape,
        output=_parse_tensor(f"{where}.output", entry["output"]),
        classes=_parse_classes(f"{where}.classes", entry["classes"]),
        settings=_parse_settings(f"{where}.settings", entry.get("settings")),
        registry=registry,
    )


def _parse_text(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value or "/" in value:
        raise ModelError(f"{where} = {value!r}; must be text without a slash")
    return value


def _parse_classes(where: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ModelError(f"{where} = {value!r}; must be a list of names")
    return tuple(str(label) for label in value)


def _parse_settings(where: str, value: Any) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ModelError(f"{where} = {value!r}; must be a mapping of numbers")
    for key, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ModelError(f"{where}.{key} = {number!r}; must be a number")
    return dict(value)


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
